/* SPDX-License-Identifier: MIT */
/* What an operation does: the table behind op.verb and op.kind. */
#pragma once

#include <stddef.h>

struct td_op_info {
	const char *name;
	const char *verb; /* op.verb in schema/tables.sql */
	const char *kind; /* op.kind */
	/* Calls of one family are the same work when one runs inside the other in an outer layer:
	 * vfs_read in pread64. NULL: never nested. */
	const char *family;
};

/* Never NULL: an unknown name gets verb and kind 'other' and no family. */
const struct td_op_info *td_op_lookup(const char *p, size_t len);

/* The same for calls of the CUDA APIs ('cudaMemcpyAsync', 'cuMemcpyHtoDAsync_v2'), which have names by the
 * hundred that tell by their beginning, or by the end, what they do. */
const struct td_op_info *td_op_lookup_cuda(const char *p, size_t len);
