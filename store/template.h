/* SPDX-License-Identifier: MIT */
/* Templates of names: what files of one kind have in common, with {} for what differs from one to the next. */
#pragma once

#include "common/scan.h"

/* Room that the template of a name of this length may need. */
#define TD_TEMPLATE_ROOM(len) (2 * (len))

/* The template of a path or of a name alone: {} stands for each run of digits, for what programs
 * are known to make up at random (store/template.c has the list), for UUIDs and for hashes. The
 * template of a template is itself. out takes TD_TEMPLATE_ROOM(text.len) bytes; returns how many
 * there are, without a NUL. */
size_t td_template_of(struct td_str text, char *out);

/* Are they of one length and differ in digits only? Then their templates are the same: no rule asks which digit it is. */
bool td_template_is_same(struct td_str a, struct td_str b);
