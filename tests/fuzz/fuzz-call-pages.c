/* SPDX-License-Identifier: MIT */
/*
 * Arbitrary bytes as a database file whose table `call`, or `file`, has its root on page 2: reading
 * it beside SQLite must end, with rows or without, and touch no memory that is not its own.
 */
#include <assert.h>
#include <errno.h>
#include <sys/mman.h>

#include "analyzer/scan/file_rows.h"
#include "analyzer/scan/filter.h"
#include "analyzer/scan/pages.h"
#include "common/cleanup.h"
#include "tests/fuzz/fuzz.h"

#define ROOT 2
#define PAGE_SIZE_AT 16 /* in the header of the file, 2 bytes */

static int add(void *arg, struct td_row_batch *b)
{
	int64_t *last_ns = arg;

	assert(b->n > 0 && b->n <= TD_ROWS_AT_ONCE);
	*last_ns = b->columns[TD_ROW_START][b->n - 1];
	return 0;
}

/* All bytes of its texts. */
static int add_file(void *arg, const struct td_file_row *row)
{
	const struct td_file_text texts[] = { row->path, row->name, row->class };
	int64_t *sum = arg;

	for (size_t i = 0; i < TD_ARRAY_SIZE(texts); i++)
		for (size_t k = 0; k < texts[i].len; k++)
			*sum += texts[i].text[k];
	*sum += td_file_class_waits(row->class);
	return 0;
}

static uint32_t page_size_of(const uint8_t *data, size_t size)
{
	uint32_t n = size > PAGE_SIZE_AT + 1 ? td_be16(data + PAGE_SIZE_AT) : 0;

	return n >= 512 && n <= 32768 && !(n & (n - 1)) ? n : 512;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct td_filter_range range = { INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX };
	static const struct td_filter all = { .ranges = &range, .nranges = 1 };
	_cleanup_close_ int fd = memfd_create("pages", MFD_CLOEXEC);
	struct td_row_source s = {
		.relation = td_relations, .filter = &all, .wanted = ~0U, .nparts = 2
	};
	int64_t last_ns = 0;
	int r;

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	s.leaves = (struct td_leaves){ .fd = fd, .page_size = page_size_of(data, size) };
	s.leaves.usable = s.leaves.page_size;
	s.leaves.npages = (uint32_t)(size / s.leaves.page_size);
	r = td_leaves_walk(&s.leaves, ROOT);
	for (size_t part = 0; part < s.nparts && r == 0 && s.leaves.n; part++)
		r = td_row_source_read(&s, part, add, &last_ns);
	assert(r == 0 || r == -EOPNOTSUPP);
	r = td_file_rows_of_leaves(&s.leaves, add_file, &last_ns);
	assert(r == 0 || r == -EOPNOTSUPP);
	td_row_source_done(&s);
	return 0;
}
