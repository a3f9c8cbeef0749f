/* SPDX-License-Identifier: MIT */
/* --phase-pattern: which lines of a training log begin a phase (common/line_pattern.h). They are
 * among the layouts, since they, too, say how an input was printed. */
#pragma once

#include "common/line_pattern.h"
#include "importers/core/import_layouts.h"

/* 0, -ENOMEM, or -EINVAL with what is wrong with the expression. */
int td_import_phase_pattern_add(struct td_import_layouts *l, const char *regex, struct td_err *err);

/* The next one from *at on, which begins with 0; NULL if there is none. l may be NULL. */
const regex_t *td_import_phase_pattern_next(const struct td_import_layouts *l, size_t *at);
