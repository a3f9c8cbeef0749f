/* SPDX-License-Identifier: MIT */
#pragma once

#include "common/cleanup.h"

/* The file's whole content for tests with recorded data; the caller frees it. NULL: cannot be read. */
static inline char *td_read_whole(const char *path, size_t *ret_len)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rbe");
	char *p = NULL;
	size_t len = 0, cap = 0, n;

	if (!f)
		return NULL;
	do {
		char *q;

		cap = cap ? cap * 2 : 65536;
		q = realloc(p, cap);
		if (!q) {
			free(p);
			return NULL;
		}
		p = q;
		n = fread(p + len, 1, cap - len - 1, f);
		len += n;
	} while (n > 0 && len + 1 == cap);
	p[len] = '\0';
	*ret_len = len;
	return p;
}
