/* SPDX-License-Identifier: MIT */
/*
 * Who of the processes trains, and who loads data for it, as far as it is known before the calls go
 * by: roles.c knows more, but only when all of them have.
 */
#pragma once

#include <stdbool.h>

#include "common/cleanup.h"
#include "store/store.h"

struct td_job;

/* Of the store, which has all its processes, threads and tracks. 0 or -ENOMEM. */
int td_job_new(const struct td_store *st, struct td_job **ret);
void td_job_free(struct td_job *j);
TD_DEFINE_CLEANUP(struct td_job *, td_job_free)

/* The process has work on a GPU. All of them before the first question. */
void td_job_works(struct td_job *j, uint32_t process_id);

/* It has work on a GPU, or is sampled there. */
bool td_job_is_worker(const struct td_job *j, uint32_t process_id);

/* It is known to be a data loader, or was started by a process that works on a GPU, or by one that was. */
bool td_job_is_loader(struct td_job *j, uint32_t process_id);

/* Is it the first thread of a process that works on a GPU, the one that trains? */
bool td_job_is_main_thread(const struct td_job *j, uint32_t process_id, uint32_t thread_id);

/* The process itself, or the nearest of those that started it that works on a GPU; 0: none that is known. */
uint32_t td_job_worker_of(const struct td_job *j, uint32_t process_id);

/* Of the thread; 0: not known. */
uint32_t td_job_process_of(const struct td_job *j, uint32_t thread_id);
