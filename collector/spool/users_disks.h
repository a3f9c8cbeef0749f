/* SPDX-License-Identifier: MIT */
/*
 * What the numbers in records are called (TD_WIRE_NAME): the BPF programs know a control group by its id and a user by
 * number; names are looked up here when a process comes by that has a new one.
 */
#pragma once

#include "collector/spool/recording_header.h"
#include "common/err.h"
#include "common/intern.h"

struct td_users_disks {
	struct td_intern cgroups, users; /* numbers that were told */
};
#define TD_USERS_DISKS_INIT                                                                        \
	{                                                                                          \
		0                                                                                  \
	}

void td_users_disks_done(struct td_users_disks *d);

/* The disks that there are. All return 0, -ENOMEM or what the sink returns. */
int td_users_disks_disks(struct td_emit *e);

/* Tells of what is new in the record. */
int td_users_disks_process(struct td_users_disks *d, struct td_emit *e,
			   const struct td_wire_process *p);

/* The id of a control group of the unified hierarchy by its path, below its root or whole. 0 or -errno with a text. */
int td_cgroup_id(const char *path, uint64_t *ret, struct td_err *err);
