/* SPDX-License-Identifier: MIT */
#pragma once

#include "analyzer/timeline/timeline.h"

/* Colours of hues, which keep apart for people who see red and green alike: those of work are cool,
 * those of waiting warm. */
struct td_colour {
	const char *name; /* of its CSS variable */
	const char *light, *dark; /* #rrggbb on white, on black */
	unsigned char ansi; /* of the 256 of a terminal */
	char letter; /* where there are no colours */
};
extern const struct td_colour td_palette[TD_NHUES];
