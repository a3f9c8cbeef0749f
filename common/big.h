/* SPDX-License-Identifier: MIT */
/*
 * Arrays of many MiB in pages of 2 MiB, where the machine has them. Memory that is new costs a fault for each page, on a
 * virtual machine several times what the page is written for, and what realloc() moves to another address costs it
 * again. Below TD_BIG it is the C library's as ever, and free() takes all of it.
 */
#pragma once

#include <stddef.h>

#define TD_HUGE_PAGE ((size_t)2 << 20)
#define TD_BIG (2 * TD_HUGE_PAGE)

/* Memory of that size, which is not zeroed; NULL: there is none. */
void *td_big_alloc(size_t size);

/* As td_big_alloc(), zeroed. */
void *td_big_zeroed(size_t size);

/* One large page; NULL: there is no memory for it. */
void *td_big_page(void);

/* As realloc() to that size, of which only the first 'used' bytes are kept. */
void *td_big_realloc(void *p, size_t used, size_t size);
