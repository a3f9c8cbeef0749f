/* SPDX-License-Identifier: MIT */
/* Findings as text for people. */
#pragma once

#include <stdio.h>

#include "analyzer/rules/findings.h"

/* Writes them in their order; lines are broken at width columns. 0 or -ENOMEM; failures to write stay with out. */
int td_findings_print(const struct td_findings *f, size_t width, FILE *out);
