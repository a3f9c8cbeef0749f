/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the b-tree writer: random numbers, and whether two databases are the same. */
#pragma once

#include <fcntl.h>
#include <float.h>

#include "tests/unit/sql.h"

/* splitmix64 */
static uint64_t rnd_state;

static inline uint64_t rnd(void)
{
	uint64_t z = rnd_state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static inline uint64_t below(uint64_t n)
{
	return rnd() % n;
}

static inline bool same_files(const char *a, const char *b)
{
	_cleanup_fclose_ FILE *f = fopen(a, "re");
	_cleanup_fclose_ FILE *g = fopen(b, "re");
	static char buf_f[65536], buf_g[65536];
	size_t n, m, total = 0;

	if (!f || !g)
		return false;
	do {
		n = fread(buf_f, 1, sizeof(buf_f), f);
		m = fread(buf_g, 1, sizeof(buf_g), g);
		if (n != m || memcmp(buf_f, buf_g, n) != 0)
			return false;
		total += n;
	} while (n > 0);
	return total > 0;
}

static inline bool same_value(sqlite3_stmt *a, sqlite3_stmt *b, int i)
{
	int type = sqlite3_column_type(a, i), n;
	double d, e;

	if (sqlite3_column_type(b, i) != type)
		return false;
	switch (type) {
	case SQLITE_INTEGER:
		return sqlite3_column_int64(a, i) == sqlite3_column_int64(b, i);
	case SQLITE_FLOAT:
		d = sqlite3_column_double(a, i);
		e = sqlite3_column_double(b, i);
		return memcmp(&d, &e, sizeof(d)) == 0;
	case SQLITE_NULL:
		return true;
	default:
		n = sqlite3_column_bytes(a, i);
		return sqlite3_column_bytes(b, i) == n &&
		       (n == 0 || memcmp(sqlite3_column_blob(a, i), sqlite3_column_blob(b, i),
					 (size_t)n) == 0);
	}
}

/* Both statements give the same rows, type by type and byte by byte; how many, or -1. */
static inline int64_t same_rows(sqlite3 *a, sqlite3 *b, const char *text)
{
	sqlite3_stmt *s = NULL, *t = NULL;
	int64_t n = 0;
	bool same;

	TD_CHECK_INT(sqlite3_prepare_v2(a, text, -1, &s, NULL), SQLITE_OK);
	TD_CHECK_INT(sqlite3_prepare_v2(b, text, -1, &t, NULL), SQLITE_OK);
	same = sqlite3_column_count(s) == sqlite3_column_count(t);
	while (same) {
		int rc = sqlite3_step(s);

		same = sqlite3_step(t) == rc;
		if (rc != SQLITE_ROW) {
			same = same && rc == SQLITE_DONE;
			break;
		}
		n++;
		for (int i = 0; same && i < sqlite3_column_count(s); i++)
			same = same_value(s, t, i);
	}
	TD_CHECK_INT(sqlite3_finalize(s), SQLITE_OK);
	TD_CHECK_INT(sqlite3_finalize(t), SQLITE_OK);
	return same ? n : -1;
}

/* With pages of 65536 bytes: the lock byte, which is at 1073741824, is in page 1073741824 / 65536 + 1. */
#define LOCK_PAGE 16385

static inline void put_be32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

/* Makes a database of 3 pages of 65536 bytes one of npages, most of them a hole in the file: page 4
 * is the trunk of the list of free pages, which all others are on. */
static inline void add_free_pages(const char *path, uint32_t npages)
{
	static uint8_t trunk[65536];
	_cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC);
	uint8_t be[8];

	TD_CHECK(fd >= 0);
	TD_CHECK_INT(lseek(fd, 0, SEEK_END), UINT64_C(3) * 65536);
	TD_CHECK_INT(ftruncate(fd, (off_t)npages * 65536), 0);
	put_be32(trunk + 4, npages - 4);
	for (uint32_t i = 0; i < npages - 4; i++)
		put_be32(trunk + 8 + (size_t)4 * i, 5 + i);
	TD_CHECK_INT(pwrite(fd, trunk, sizeof(trunk), UINT64_C(3) * 65536), sizeof(trunk));
	put_be32(be, npages);
	TD_CHECK_INT(pwrite(fd, be, 4, 28), 4);
	put_be32(be, 4);
	put_be32(be + 4, npages - 3);
	TD_CHECK_INT(pwrite(fd, be, 8, 32), 8);
}

/* -- random numbers, mostly around the boundaries that matter */

static inline int64_t random_integer(void)
{
	static const int bits[] = {
		0, 1, 7, 8, 15, 16, 23, 24, 31, 32, 39, 40, 47, 48, 55, 62, 63
	};
	uint64_t v;

	switch (below(4)) {
	case 0:
		return (int64_t)below(2);
	case 1: /* around the boundaries of 1, 2, 3, 4, 6 and 8 bytes */
		v = (UINT64_C(1) << bits[below(TD_ARRAY_SIZE(bits))]) + below(3) - 1;
		return (int64_t)(below(2) ? v : -v);
	default:
		v = rnd() >> below(64);
		return (int64_t)(below(4) ? v : -v);
	}
}

static inline double random_double(void)
{
	static const double special[] = {
		0.0,      -0.0,       1.0,          -1.0,     0.1,         NAN,
		INFINITY, -INFINITY,  DBL_MAX,      -DBL_MAX, DBL_MIN,     DBL_TRUE_MIN,
		0x1p47,   0x1p47 - 1, 0x1p47 - 0.5, -0x1p47,  -0x1p47 - 1, 0x1p53,
		0x1p63,   -0x1p63,    0x1p64,       1e300,
	};
	uint64_t bits = rnd();
	double d;

	switch (below(4)) {
	case 0:
		return special[below(TD_ARRAY_SIZE(special))];
	case 1:
		return (double)(int64_t)(rnd() >> below(64));
	case 2:
		return (double)below(1000000) / 1000;
	default:
		memcpy(&d, &bits, sizeof(d));
		return d;
	}
}
