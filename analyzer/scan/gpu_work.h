/* SPDX-License-Identifier: MIT */
/* Work of GPUs in the order in which it began, and since when its GPU had none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/scan/source.h"

#define TD_GPU_DEVICES_MAX 65536 /* their numbers are below; what is beyond is damage */

struct td_gpu_work {
	int64_t id; /* gpu_op.id */
	int64_t start_ns, dur_ns, device_id;
	int64_t process_id, correlation; /* TD_NULL: unknown */
	int64_t idle_from_ns; /* when all that began before it on the GPU had ended; TD_NULL: nothing did */
	bool is_kernel;
};

/* Calls fn with all work of the database 'main' that has a duration, but for waiting ('sync'). 0,
 * what fn returned if that is negative, or -errno with a message. */
int td_gpu_work_each(sqlite3 *db, int (*fn)(void *arg, const struct td_gpu_work *w), void *arg,
		     struct td_err *err);

/* The same of work that begins then or later (TD_NULL: all), as if there were no other. */
int td_gpu_work_from(sqlite3 *db, int64_t since_ns,
		     int (*fn)(void *arg, const struct td_gpu_work *w), void *arg,
		     struct td_err *err);
