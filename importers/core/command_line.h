/* SPDX-License-Identifier: MIT */
/* What the command line of a process tells. */
#pragma once

#include "common/scan.h"

/* Name of the program: "/usr/bin/python3 x.py", "[kworker/0:0H]", "-bash", "sshd: root@pts/0". A piece of it. */
struct td_str td_command_program(struct td_str command);

/* process.role (docs/SCHEMA.md), static; NULL: it tells none. */
const char *td_command_role(struct td_str command);
