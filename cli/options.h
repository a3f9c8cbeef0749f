/* SPDX-License-Identifier: MIT */
/* Options of tracedb's commands. */
#pragma once

#include "common/options.h"

struct td_command;

/* What --help shows. */
void td_options_help(const struct td_command *cmd, const struct td_option *options, FILE *out);
