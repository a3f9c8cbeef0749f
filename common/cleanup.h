/* SPDX-License-Identifier: MIT */
/*
 * Ownership, the one idiom of this project: a variable that owns something is declared with
 * _cleanup_(destructor) and initialised on that line; TAKE_PTR() hands it on.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))

/* Defines NAMEp(), the cleanup function of a pointer type whose destructor takes NULL. */
#define TD_DEFINE_CLEANUP(type, func)                                                              \
	static inline void func##p(type *p)                                                        \
	{                                                                                          \
		if (*p)                                                                            \
			func(*p);                                                                  \
	}

static inline void td_freep(void *p)
{
	free(*(void **)p);
}

static inline void td_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void td_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_free_ _cleanup_(td_freep)
#define _cleanup_close_ _cleanup_(td_closep)
#define _cleanup_fclose_ _cleanup_(td_fclosep)

#define TAKE_PTR(p)                                                                                \
	({                                                                                         \
		__typeof__(p) _taken = (p);                                                        \
		(p) = NULL;                                                                        \
		_taken;                                                                            \
	})

#define TD_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define TD_MIN(a, b) ((a) < (b) ? (a) : (b))
#define TD_MAX(a, b) ((a) > (b) ? (a) : (b))

#include "common/banned.h"
