/* SPDX-License-Identifier: MIT */
/* Memory for very many small things that are let go of together: in few and large pages where there is much of it, so that a
 * scan does not wait for the kernel at every fourth kilobyte. */
#pragma once

#include <stddef.h>

struct td_pool {
	struct td_pool_block *blocks; /* owned; the one in use first */
};

/* Room for len bytes, aligned to 8; NULL: no memory. */
void *td_pool_take(struct td_pool *p, size_t len);

void td_pool_done(struct td_pool *p);
