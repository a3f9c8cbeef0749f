/* SPDX-License-Identifier: MIT */
/*
 * What was traced of the GPUs: kernels, copies and memory sets. A GPU is busy while any of them runs, and that
 * is known exactly for as long as the source that has them looked.
 */
#pragma once

#include "store/derive/busy.h"
#include "store/derive/phases.h"

struct td_kernels;

int td_kernels_new(struct td_kernels **ret);
void td_kernels_free(struct td_kernels *k);
int td_kernels_begin(struct td_kernels *k, struct td_store *st);

/* Work on GPUs in order of start; what is no work (waiting for it) is passed over. 0 or -ENOMEM. */
int td_kernels_add(struct td_kernels *k, const struct td_gpu_op *op);

/* A span, in order of start: within those of kind TD_SPAN_UNRECORDED their source did not look, at
 * any GPU: which ones the process used is not known. 0 or -ENOMEM. */
int td_kernels_span(struct td_kernels *k, const struct td_span *span);

/* Adds where the looking began and ended, and every second between. No work may come after that. 0 or -ENOMEM. */
int td_kernels_times(struct td_kernels *k, struct td_times *times);

bool td_kernels_any(const struct td_kernels *k, uint32_t device_id);

/* Was all that the GPU did in it traced? */
bool td_kernels_looked(const struct td_kernels *k, uint32_t device_id, int64_t from_ns,
		       int64_t to_ns);

/* Was any of it? */
bool td_kernels_touch(const struct td_kernels *k, uint32_t device_id, int64_t from_ns,
		      int64_t to_ns);

/* Was it traced before and after that, with a pause between? */
bool td_kernels_between(const struct td_kernels *k, uint32_t device_id, int64_t from_ns,
			int64_t to_ns);

/* When the GPU was busy. Borrowed. */
const struct td_busy *td_kernels_busy(const struct td_kernels *k, uint32_t device_id);
