/* SPDX-License-Identifier: MIT */
/* queries/vocabulary.txt, which is built into the program: what the heads of reports
 * (analyzer/report_file.h) mean by a name. */
#pragma once

#include "common/scan.h"

/* What a line of the kind ("param" or "column") and name says, without these; NULL text: there is
 * none from *at on. *at is where to look, NULL at first, and is moved behind the line. The text is
 * of the vocabulary: it is there for good, and ends where len says. */
struct td_str td_vocabulary_next(const char **at, const char *kind, const char *name);
