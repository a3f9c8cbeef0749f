/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "analyzer/scan/leaves.h"
#include "analyzer/scan/pages.h"
#include "common/array.h"
#include "schema/series.h"

/* Of pages that are read at once; so are those between two of them, where that takes less than a
 * call. Tables that are derived together lie among each other, a page or two of each. */
#define RUN_BYTES 65536
#define GAP_BYTES 8192

#define DEPTH_MAX 20 /* of a b-tree, as SQLite has it */

/* The header of the file. */
#define HEADER_SIZE 100
#define HEADER_PAGE_SIZE 16 /* 2 bytes; 1 means 65536 */
#define HEADER_READ_VERSION                                                                        \
	19 /* 1: pages are where they belong; 2: there may be a write-ahead log */
#define HEADER_RESERVED 20 /* bytes at the end of each page */

static void closedir_p(DIR **d)
{
	if (*d)
		closedir(*d);
}

/* The descriptor that this process has of the file already. Opening another one would do harm: a process that closes
 * any descriptor of a file loses its locks on it, also those that SQLite took (fcntl(2), "advisory record locking"). */
static int find_descriptor(const char *path)
{
	_cleanup_(closedir_p) DIR *dir = opendir("/proc/self/fd");
	struct stat want, st;
	const struct dirent *e;

	if (!dir || !path || !*path || stat(path, &want) < 0)
		return -1;
	while ((e = readdir(dir))) {
		int fd = (int)strtol(e->d_name, NULL, 10);

		if (e->d_name[0] != '.' && fstat(fd, &st) == 0 && st.st_dev == want.st_dev &&
		    st.st_ino == want.st_ino && S_ISREG(st.st_mode))
			return fd;
	}
	return -1;
}

static bool is_plain_file(sqlite3 *db)
{
	char *name = NULL;
	bool plain;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, &name) != SQLITE_OK || !name)
		return false;
	plain = strncmp(name, "unix", 4) == 0;
	sqlite3_free(name);
	return plain && sqlite3_txn_state(db, "main") != SQLITE_TXN_WRITE;
}

/* A statement between two rows has the shared lock. -EOPNOTSUPP if the table is empty: then there
 * is nothing to lock. */
static int lock(sqlite3 *db, const char *table, sqlite3_stmt **ret)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *stmt = NULL;
	char *sql = sqlite3_mprintf("SELECT 1 FROM main.\"%w\" LIMIT 1", table);
	int rc;

	if (!sql)
		return -ENOMEM;
	rc = td_db_prepare(db, sql, &stmt);
	sqlite3_free(sql);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_NOMEM ? -ENOMEM : -EOPNOTSUPP;
	*ret = TAKE_PTR(stmt);
	return 0;
}

static int read_bytes(const struct td_leaves *l, void *ret, size_t n, int64_t at)
{
	bool ok = l->file ? l->file->pMethods->xRead(l->file, ret, (int)n, at) == SQLITE_OK
			  : pread(l->fd, ret, n, (off_t)at) == (ssize_t)n;

	return ok ? 0 : -EIO;
}

static int find_size(const struct td_leaves *l, int64_t *ret)
{
	sqlite3_int64 size = 0;
	struct stat st;

	if (l->file ? l->file->pMethods->xFileSize(l->file, &size) != SQLITE_OK
		    : fstat(l->fd, &st) < 0)
		return -EIO;
	*ret = l->file ? size : st.st_size;
	return 0;
}

static int read_header(struct td_leaves *l)
{
	uint8_t h[HEADER_SIZE];
	int64_t size;

	if (read_bytes(l, h, sizeof(h), 0) < 0 || find_size(l, &size) < 0)
		return -EIO;
	l->page_size = td_be16(h + HEADER_PAGE_SIZE);
	if (l->page_size == 1)
		l->page_size = TD_PAGE_MAX;
	if (h[HEADER_READ_VERSION] != 1 || l->page_size < 512 ||
	    (l->page_size & (l->page_size - 1)) || l->page_size - h[HEADER_RESERVED] < 480)
		return -EOPNOTSUPP;
	l->usable = l->page_size - h[HEADER_RESERVED];
	l->npages = (uint32_t)TD_MIN(size / l->page_size, (int64_t)UINT32_MAX);
	return 0;
}

int td_leaves_read(const struct td_leaves *l, uint32_t page, uint8_t *ret)
{
	if (page < 1 || page > l->npages)
		return -EOPNOTSUPP;
	return read_bytes(l, ret, l->page_size, (int64_t)(page - 1) * l->page_size);
}

/* Are both read at once? */
static bool are_near(const struct td_leaves *l, uint32_t page, uint32_t next)
{
	return next > page && next - page - 1 <= GAP_BYTES / l->page_size;
}

/* Reads leaf i and those that lie behind it, or before it, in the file and in the table, as far as
 * there is room for them. */
static int read_run(const struct td_leaves *l, struct td_leaf_run *run, size_t i)
{
	size_t most = TD_MAX((size_t)RUN_BYTES / l->page_size, (size_t)1);
	size_t first = i, last = i;
	uint32_t page, n;

	if (run->backwards) {
		while (first > 0 && are_near(l, l->items[first - 1].page, l->items[first].page) &&
		       l->items[i].page - l->items[first - 1].page < most)
			first--;
	} else {
		while (last + 1 < l->n &&
		       are_near(l, l->items[last].page, l->items[last + 1].page) &&
		       l->items[last + 1].page - l->items[i].page < most)
			last++;
	}
	page = l->items[first].page;
	n = l->items[last].page - page + 1;
	if (page < 1 || page > l->npages || n > l->npages - page + 1)
		return -EOPNOTSUPP;
	run->n = 0; /* until they are there */
	if (read_bytes(l, run->pages, (size_t)n * l->page_size,
		       (int64_t)(page - 1) * l->page_size) < 0)
		return -EIO;
	memset(run->pages + (size_t)n * l->page_size, 0, TD_PAGE_PADDING);
	run->first = first;
	run->n = last - first + 1;
	return 0;
}

int td_leaf_run_page(const struct td_leaves *l, struct td_leaf_run *run, size_t i,
		     const uint8_t **ret)
{
	int r = 0;

	if (!run->pages)
		run->pages =
			malloc(TD_MAX((size_t)RUN_BYTES, (size_t)l->page_size) + TD_PAGE_PADDING);
	if (!run->pages)
		return -ENOMEM;
	if (i < run->first || i >= run->first + run->n)
		r = read_run(l, run, i);
	if (r == 0)
		*ret = run->pages +
		       (size_t)(l->items[i].page - l->items[run->first].page) * l->page_size;
	return r;
}

void td_leaf_run_done(struct td_leaf_run *run)
{
	free(run->pages);
	*run = (struct td_leaf_run){ 0 };
}

static int add_leaf(struct td_leaves *l, uint32_t page, int64_t last_rowid)
{
	if (l->n >= l->npages || page == 0) /* the pages point at each other in a circle */
		return -EOPNOTSUPP;
	if (td_grow(&l->items, &l->cap, l->n) < 0)
		return -ENOMEM;
	l->items[l->n++] = (struct td_leaf){ page, last_rowid };
	return 0;
}

/* Child i of an interior page of ncells cells; the rightmost one is not in a cell. *last_rowid is
 * that of the page before, that of the child after. 0: there is no such child. */
static uint32_t child_of(const struct td_leaves *l, const uint8_t *page, unsigned i,
			 unsigned ncells, int64_t *last_rowid)
{
	unsigned at;
	uint64_t rowid;

	if (i == ncells)
		return td_be32(page + TD_PAGE_RIGHTMOST);
	at = td_be16(page + TD_PAGE_INTERIOR_CELLS + 2 * i);
	if (at >= l->usable)
		return 0;
	(void)td_varint(page + at + 4, &rowid);
	*last_rowid = (int64_t)rowid;
	return td_be32(page + at);
}

/* Adds the leaves below a page, which is at most so deep. To tell leaves from what leads to them,
 * one child of each page is looked at: all leaves of a b-tree are equally deep. */
static int walk(struct td_leaves *l, uint32_t number, int64_t last_rowid, unsigned depth)
{
	_cleanup_free_ uint8_t *page = calloc(1, l->page_size + TD_PAGE_PADDING);
	_cleanup_free_ uint8_t *child = calloc(1, l->page_size + TD_PAGE_PADDING);
	unsigned ncells;
	int r;

	if (!page || !child)
		return -ENOMEM;
	r = td_leaves_read(l, number, page);
	if (r < 0)
		return r;
	if (page[0] == TD_PAGE_LEAF)
		return add_leaf(l, number, last_rowid);
	ncells = td_be16(page + TD_PAGE_NCELLS);
	if (page[0] != TD_PAGE_INTERIOR || depth == 0 || ++l->ninterior > l->npages ||
	    TD_PAGE_INTERIOR_CELLS + 2 * ncells > l->usable)
		return -EOPNOTSUPP;
	r = td_leaves_read(l, td_be32(page + TD_PAGE_RIGHTMOST), child);
	for (unsigned i = 0; i <= ncells && r == 0; i++) {
		int64_t last = last_rowid;
		uint32_t below = child_of(l, page, i, ncells, &last);

		r = child[0] == TD_PAGE_LEAF ? add_leaf(l, below, last)
					     : walk(l, below, last, depth - 1);
	}
	return r;
}

int td_leaves_walk(struct td_leaves *l, uint32_t root)
{
	return walk(l, root, INT64_MAX, DEPTH_MAX);
}

static int find_file(sqlite3 *db, bool here, struct td_leaves *l)
{
	if (!here)
		l->fd = find_descriptor(td_db_path(db));
	else if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &l->file) != SQLITE_OK)
		return -EOPNOTSUPP;
	return here || l->fd >= 0 ? read_header(l) : -EOPNOTSUPP;
}

static int open_leaves(sqlite3 *db, const char *table, uint32_t root, bool here,
		       struct td_leaves *ret)
{
	_cleanup_(td_leaves_done) struct td_leaves l = { .fd = -1 };
	int r = is_plain_file(db) ? 0 : -EOPNOTSUPP;

	if (r == 0 && !td_db_is_locked(db))
		r = lock(db, table, &l.lock);
	if (r == 0)
		r = find_file(db, here, &l);
	if (r == 0)
		r = td_leaves_walk(&l, root);
	if (r < 0)
		return r;
	td_db_reads_table(db, table, root);
	*ret = l;
	l = (struct td_leaves){ 0 };
	return 0;
}

int td_leaves_open(sqlite3 *db, const char *table, uint32_t root, struct td_leaves *ret)
{
	return open_leaves(db, table, root, false, ret);
}

int td_leaves_open_here(sqlite3 *db, const char *table, uint32_t root, struct td_leaves *ret)
{
	return open_leaves(db, table, root, true, ret);
}

void td_leaves_done(struct td_leaves *l)
{
	td_db_put_back(l->lock);
	free(l->items);
	*l = (struct td_leaves){ .fd = -1 };
}

size_t td_leaves_find(const struct td_leaves *l, int64_t rowid)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (l->items[mid].last_rowid < rowid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
