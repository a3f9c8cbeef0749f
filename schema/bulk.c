/* SPDX-License-Identifier: MIT */
/*
 * Pages; schema/bulk-cell.h describes their format. A table's root keeps its page number, all other
 * pages are allocated at the end of the file in the order in which they are complete, whichever
 * table they belong to, so that the file is written from front to back in large pieces. Each table
 * keeps one open leaf, and of every completed one its page number and last rowid (16 bytes), from
 * which td_bulk_table_finish() makes the interior pages.
 */
#include <assert.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "common/array.h"
#include "schema/bulk-cell.h"
#include "schema/bulk.h"

#define DB_HEADER_SIZE 100
#define LEAF_HEADER_SIZE 8
#define INTERIOR_HEADER_SIZE 12
#define LEAF_TYPE 13
#define INTERIOR_TYPE 5
#define LEAF_RESERVE 35 /* a record larger than usable - 35 bytes goes to overflow pages */
#define CELL_MIN 6 /* two varints, a header of two bytes, two bytes for where it is */
#define OUT_SIZE (UINT32_C(1) << 20)
#define PAGES_MAX UINT32_C(4294967294)

/* SQLite locks this byte of the file; the page that contains it is never used. */
#define LOCK_BYTE 1073741824

struct child {
	int64_t last_rowid;
	uint32_t pgno;
};

struct td_bulk {
	int fd;
	uint32_t page_size;
	uint32_t usable; /* bytes of a page, from its start, that SQLite may use */
	uint32_t npages; /* allocated so far; also the number of the last one */
	uint32_t change_counter;
	uint8_t *out; /* the last nout of these pages, not yet written, then one page of scratch */
	uint32_t nout;
	uint32_t out_cap;
	uint32_t ntables; /* open */
	int error; /* what spoilt the file, or 0 */
};

struct td_bulk_table {
	struct td_bulk *bulk; /* borrowed */
	uint32_t rootpage;
	uint8_t *buf; /* owns page and the space before it that a cell too many needs */
	uint8_t *page; /* the open leaf; only its cells are in place */
	uint8_t *top; /* its topmost cell, page + usable if there is none */
	uint16_t *cells; /* where they are, as in the file */
	uint32_t ncells;
	int64_t last_rowid;
	struct child *leaves; /* the completed ones */
	size_t nleaves, leaves_cap;
	struct td_cell_format format;
};

static int write_at(struct td_bulk *b, const uint8_t *p, size_t size, uint64_t offset)
{
	while (size > 0) {
		ssize_t n = pwrite(b->fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return b->error = -errno;
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* 0 or -errno; -EINVAL if the file ends before. */
static int read_at(int fd, uint8_t *p, size_t size, uint64_t offset)
{
	while (size > 0) {
		ssize_t n = pread(fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EINVAL;
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static uint64_t page_offset(const struct td_bulk *b, uint32_t pgno)
{
	return (uint64_t)(pgno - 1) * b->page_size;
}

static uint8_t *scratch_page(const struct td_bulk *b)
{
	return b->out + (size_t)b->out_cap * b->page_size;
}

/* After a failure nothing is tried again: b->error is set, and no page is allocated any more. */
static int flush_out(struct td_bulk *b)
{
	uint32_t first = b->npages - b->nout + 1;
	size_t size = (size_t)b->nout * b->page_size;

	b->nout = 0;
	return write_at(b, b->out, size, page_offset(b, first));
}

static uint8_t *next_page(struct td_bulk *b)
{
	if (b->nout == b->out_cap && flush_out(b) < 0)
		return NULL;
	if (b->npages == PAGES_MAX) {
		b->error = -EFBIG;
		return NULL;
	}
	b->npages++;
	return b->out + (size_t)b->nout++ * b->page_size;
}

/* The memory of a new page, number b->npages, to be filled before the next call; NULL if b->error. */
static uint8_t *allocate_page(struct td_bulk *b)
{
	if (b->error)
		return NULL;
	if (b->npages == LOCK_BYTE / b->page_size) {
		uint8_t *unused = next_page(b);

		if (!unused)
			return NULL;
		memset(unused, 0, b->page_size);
	}
	return next_page(b);
}

static int write_root(struct td_bulk_table *t, const uint8_t *page)
{
	struct td_bulk *b = t->bulk;

	return write_at(b, page, b->page_size, page_offset(b, t->rootpage));
}

static void lay_leaf(const struct td_bulk_table *t, uint8_t *page)
{
	size_t head = LEAF_HEADER_SIZE + t->ncells * sizeof(*t->cells);
	size_t content = (size_t)(t->top - t->page);

	page[0] = LEAF_TYPE;
	put_be16(page + 1, 0);
	put_be16(page + 3, (uint16_t)t->ncells);
	put_be16(page + 5, (uint16_t)content);
	page[7] = 0;
	memcpy(page + LEAF_HEADER_SIZE, t->cells, t->ncells * sizeof(*t->cells));
	memset(page + head, 0, content - head);
	memcpy(page + content, t->top, t->bulk->page_size - content);
}

static int add_leaf(struct td_bulk_table *t)
{
	uint8_t *page;
	int r;

	r = td_grow(&t->leaves, &t->leaves_cap, t->nleaves);
	if (r < 0)
		return t->bulk->error = r;
	page = allocate_page(t->bulk);
	if (!page)
		return t->bulk->error;
	lay_leaf(t, page);
	t->leaves[t->nleaves++] = (struct child){ t->last_rowid, t->bulk->npages };
	t->ncells = 0;
	t->top = t->page + t->bulk->usable;
	return 0;
}

/* How many of the children the next interior page takes: all, or so many that at least two are left,
 * because SQLite takes an interior page without a cell for damage. */
static size_t children_fitting(const struct td_bulk *b, const struct child *child, size_t n)
{
	size_t room = b->usable - INTERIOR_HEADER_SIZE;
	size_t m;

	for (m = 1; m < n; m++) {
		size_t need = sizeof(uint16_t) + sizeof(uint32_t) +
			      varint_size((uint64_t)child[m - 1].last_rowid);

		if (need > room)
			break;
		room -= need;
	}
	return n - m == 1 ? m - 1 : m;
}

static void lay_interior(const struct td_bulk *b, const struct child *child, size_t n,
			 uint8_t *page)
{
	uint8_t *top = page + b->usable;

	memset(page, 0, b->page_size);
	page[0] = INTERIOR_TYPE;
	put_be16(page + 3, (uint16_t)(n - 1));
	put_be32(page + 8, child[n - 1].pgno);
	for (size_t i = 0; i + 1 < n; i++) {
		top = push_varint(top, (uint64_t)child[i].last_rowid) - sizeof(uint32_t);
		put_be32(top, child[i].pgno);
		put_be16(page + INTERIOR_HEADER_SIZE + i * sizeof(uint16_t),
			 (uint16_t)(top - page));
	}
	put_be16(page + 5, (uint16_t)(top - page));
}

/* The interior pages, level by level; each level replaces the one below in the array of children. */
static int lay_levels(struct td_bulk_table *t)
{
	struct td_bulk *b = t->bulk;
	struct child *child = t->leaves;
	size_t n = t->nleaves;

	while (children_fitting(b, child, n) < n) {
		size_t nparents = 0;

		for (size_t i = 0, m; i < n; i += m) {
			uint8_t *page = allocate_page(b);

			if (!page)
				return b->error;
			m = children_fitting(b, child + i, n - i);
			lay_interior(b, child + i, m, page);
			child[nparents++] =
				(struct child){ child[i + m - 1].last_rowid, b->npages };
		}
		n = nparents;
	}
	lay_interior(b, child, n, scratch_page(b));
	return write_root(t, scratch_page(b));
}

int td_bulk_add(struct td_bulk_table *t, int64_t rowid, const void *record)
{
	uint8_t *cell;

	if (t->ncells > 0 && rowid <= t->last_rowid)
		return -EINVAL;
	cell = td_cell_push(&t->format, t->top, rowid, record);
	if (cell < t->page + LEAF_HEADER_SIZE + (t->ncells + 1) * sizeof(*t->cells)) {
		size_t size = (size_t)(t->top - cell);
		int r;

		r = add_leaf(t);
		if (r < 0)
			return r;
		cell = memmove(t->top - size, cell, size);
	}
	t->cells[t->ncells++] = htobe16((uint16_t)(cell - t->page));
	t->top = cell;
	t->last_rowid = rowid;
	return 0;
}

static int check_header(const struct td_bulk *b, const uint8_t *h, uint64_t size_bytes,
			const char *path, struct td_err *err)
{
	if (memcmp(h, "SQLite format 3", 16) != 0 || b->page_size < 512 ||
	    (b->page_size & (b->page_size - 1)) != 0)
		return td_err_set(err, -EINVAL, "'%s' is not a SQLite database", path);
	if (h[18] != 1 || h[19] != 1)
		return td_err_set(err, -EINVAL, "'%s' is in WAL mode, set journal_mode=delete",
				  path);
	if (get_be32(h + 44) != 4)
		return td_err_set(err, -EINVAL, "'%s' has schema format %u, not 4", path,
				  get_be32(h + 44));
	if (get_be32(h + 52) != 0)
		return td_err_set(err, -EINVAL, "'%s' is an auto_vacuum database", path);
	if (get_be32(h + 92) != b->change_counter ||
	    (uint64_t)b->npages * b->page_size != size_bytes)
		return td_err_set(err, -EINVAL, "'%s' is %llu bytes, not the %u pages it states",
				  path, (unsigned long long)size_bytes, b->npages);
	return 0;
}

static int read_header(struct td_bulk *b, const char *path, struct td_err *err)
{
	uint8_t h[DB_HEADER_SIZE];
	struct stat st;
	int r;

	r = read_at(b->fd, h, sizeof(h), 0);
	if (r < 0)
		return td_err_errno(err, r, "cannot read the header of database '%s'", path);
	if (fstat(b->fd, &st) < 0)
		return td_err_errno(err, -errno, "cannot stat database '%s'", path);
	b->page_size = get_be16(h + 16) == 1 ? 65536 : get_be16(h + 16);
	b->usable = b->page_size - h[20];
	b->change_counter = get_be32(h + 24);
	b->npages = get_be32(h + 28);
	return check_header(b, h, (uint64_t)st.st_size, path, err);
}

int td_bulk_open(const char *path, struct td_bulk **ret, struct td_err *err)
{
	_cleanup_(td_bulk_abortp) struct td_bulk *b = NULL;
	int r;

	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->fd = open(path, O_RDWR | O_CLOEXEC);
	if (b->fd < 0)
		return td_err_errno(err, -errno, "cannot open database '%s'", path);
	r = read_header(b, path, err);
	if (r < 0)
		return r;
	assert(b->page_size >= 512);
	b->out_cap = OUT_SIZE / b->page_size;
	b->out = malloc(((size_t)b->out_cap + 1) * b->page_size);
	if (!b->out)
		return -ENOMEM;
	*ret = TAKE_PTR(b);
	return 0;
}

static int check_root(const struct td_bulk *b, uint32_t rootpage)
{
	uint8_t h[LEAF_HEADER_SIZE];
	int r;

	if (b->error)
		return b->error;
	if (rootpage < 2 || rootpage > b->npages)
		return -EINVAL;
	r = read_at(b->fd, h, sizeof(h), page_offset(b, rootpage));
	if (r < 0)
		return r;
	return h[0] == LEAF_TYPE && get_be16(h + 3) == 0 ? 0 : -EINVAL;
}

static void table_free(struct td_bulk_table *t)
{
	t->bulk->ntables--;
	free(t->leaves);
	free(t->cells);
	free(t->buf);
	free(t);
}

TD_DEFINE_CLEANUP(struct td_bulk_table *, table_free)

int td_bulk_table(struct td_bulk *b, const struct td_table *table, uint32_t rootpage,
		  struct td_bulk_table **ret)
{
	_cleanup_(table_freep) struct td_bulk_table *t = NULL;
	size_t spare;
	int r;

	r = check_root(b, rootpage);
	if (r < 0)
		return r;
	if (table->ncolumns > TD_CELL_COLUMNS_MAX)
		return -E2BIG;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	b->ntables++;
	t->bulk = b;
	t->rootpage = rootpage;
	td_cell_format_init(&t->format, table);
	if (t->format.record_max > b->usable - LEAF_RESERVE)
		return -E2BIG;
	spare = t->format.record_max + 2 * TD_VARINT_MAX;
	t->buf = calloc(1, spare + b->page_size);
	t->cells = calloc(b->usable / CELL_MIN, sizeof(*t->cells));
	if (!t->buf || !t->cells)
		return -ENOMEM;
	t->page = t->buf + spare;
	t->top = t->page + b->usable;
	*ret = TAKE_PTR(t);
	return 0;
}

static int complete_table(struct td_bulk_table *t)
{
	struct td_bulk *b = t->bulk;
	int r;

	if (b->error || t->ncells == 0)
		return b->error;
	if (t->nleaves == 0) {
		lay_leaf(t, scratch_page(b));
		return write_root(t, scratch_page(b));
	}
	r = add_leaf(t);
	return r < 0 ? r : lay_levels(t);
}

int td_bulk_table_finish(struct td_bulk_table *t)
{
	int r = complete_table(t);

	table_free(t);
	return r;
}

void td_bulk_table_abort(struct td_bulk_table *t)
{
	if (!t)
		return;
	if (!t->bulk->error)
		t->bulk->error = -ECANCELED;
	table_free(t);
}

static int write_header(struct td_bulk *b)
{
	uint8_t h[DB_HEADER_SIZE];
	int r;

	r = read_at(b->fd, h, sizeof(h), 0);
	if (r < 0)
		return r;
	put_be32(h + 24, b->change_counter + 1);
	put_be32(h + 28, b->npages);
	put_be32(h + 92, b->change_counter + 1);
	put_be32(h + 96, (uint32_t)sqlite3_libversion_number());
	return write_at(b, h, sizeof(h), 0);
}

static int complete_file(struct td_bulk *b)
{
	int r;

	if (b->error)
		return b->error;
	r = flush_out(b);
	return r < 0 ? r : write_header(b);
}

int td_bulk_close(struct td_bulk *b)
{
	int r = complete_file(b);

	td_bulk_abort(b);
	return r;
}

void td_bulk_abort(struct td_bulk *b)
{
	if (!b)
		return;
	assert(b->ntables == 0);
	if (b->fd >= 0)
		close(b->fd);
	free(b->out);
	free(b);
}
