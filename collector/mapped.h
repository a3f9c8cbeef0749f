/* SPDX-License-Identifier: MIT */
/* Files that the recorded processes have mapped: what they read and write there is no call. */
#pragma once

#include "collector/probes/probes.h"

#define TD_MAPPED_TEXT 256

/* What was mapped until now, in words, where nothing that is recorded tells of its use. Empty:
 * there is nothing to say. Returns text. */
const char *td_mapped_unseen(const struct td_probes *p, char text[static TD_MAPPED_TEXT]);
