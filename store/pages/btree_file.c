/* SPDX-License-Identifier: MIT */
/* The file: its header, its pages, when they are written; store/pages/btree.c makes the pages of tables. */
#include <assert.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "common/pio.h"
#include "store/pages/btree_cell.h"
#include "store/pages/btree_private.h"

#define DB_HEADER_SIZE 100
#define UTF8 1 /* as the header says it */
#define PIECE_SIZE (UINT32_C(1) << 18)
#define PAGES_MAX UINT32_C(4294967294)

/* SQLite locks this byte of the file; the page that contains it is never used. */
#define LOCK_BYTE 1073741824

static int write_at(struct td_btree *b, const void *p, size_t size, uint64_t offset)
{
	int r = td_write_at(b->fd, p, size, offset);

	if (r < 0)
		b->error = r;
	return r;
}

static uint64_t page_offset(const struct td_btree *b, uint32_t pgno)
{
	return (uint64_t)(pgno - 1) * b->page_size;
}

static uint8_t *piece(const struct td_btree *b, unsigned number)
{
	return b->pieces + (size_t)(number % TD_BTREE_PIECES) * b->piece_pages * b->page_size;
}

/* The first n pages of a piece. */
static int write_piece(struct td_btree *b, unsigned number, uint32_t n)
{
	uint32_t first = b->npages_before + number * b->piece_pages + 1;

	return write_at(b, piece(b, number), (size_t)n * b->page_size, page_offset(b, first));
}

/* After a failure nothing is tried again: b->error is set, and no page is allocated any more. */
int td_btree_write_full(struct td_btree *b)
{
	int r;

	pthread_mutex_lock(&b->writing);
	r = b->error;
	while (r >= 0 && b->written < b->filled) {
		r = write_piece(b, b->written, b->piece_pages);
		b->written++;
	}
	pthread_mutex_unlock(&b->writing);
	return r;
}

/* The piece is full: the next one, when what was in its place is written. */
static int begin_piece(struct td_btree *b)
{
	b->nfilling = 0;
	b->filled++;
	return b->filled - b->written < TD_BTREE_PIECES ? b->error : td_btree_write_full(b);
}

static uint8_t *next_page(struct td_btree *b)
{
	if (b->nfilling == b->piece_pages && begin_piece(b) < 0)
		return NULL;
	if (b->npages == PAGES_MAX) {
		b->error = -EFBIG;
		return NULL;
	}
	b->npages++;
	return piece(b, b->filled) + (size_t)b->nfilling++ * b->page_size;
}

uint32_t td_btree_next_page(const struct td_btree *b)
{
	return b->npages + 1 + (b->npages == LOCK_BYTE / b->page_size);
}

uint8_t *td_btree_new_page(struct td_btree *b)
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

int td_btree_read_page(const struct td_btree *b, uint32_t pgno, uint8_t *p, size_t size)
{
	return td_read_at(b->fd, p, size, page_offset(b, pgno));
}

int td_btree_write_page(struct td_btree *b, uint32_t pgno, const uint8_t *page)
{
	return write_at(b, page, b->page_size, page_offset(b, pgno));
}

static int check_header(const struct td_btree *b, const uint8_t *h, uint64_t size_bytes,
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
	if (get_be32(h + 56) != UTF8)
		return td_err_set(err, -EINVAL, "'%s' is not encoded in UTF-8", path);
	if (get_be32(h + 92) != b->change_counter ||
	    (uint64_t)b->npages * b->page_size != size_bytes)
		return td_err_set(err, -EINVAL, "'%s' is %llu bytes, not the %u pages it states",
				  path, (unsigned long long)size_bytes, b->npages);
	return 0;
}

static int read_header(struct td_btree *b, const char *path, struct td_err *err)
{
	uint8_t h[DB_HEADER_SIZE];
	struct stat st;
	int r;

	r = td_read_at(b->fd, h, sizeof(h), 0);
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

int td_btree_open(const char *path, struct td_btree **ret, struct td_err *err)
{
	_cleanup_(td_btree_abortp) struct td_btree *b = NULL;
	int r;

	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	pthread_mutex_init(&b->writing, NULL);
	b->fd = open(path, O_RDWR | O_CLOEXEC);
	if (b->fd < 0)
		return td_err_errno(err, -errno, "cannot open database '%s'", path);
	r = read_header(b, path, err);
	if (r < 0)
		return r;
	assert(b->page_size >= 512);
	b->npages_before = b->npages;
	b->piece_pages = PIECE_SIZE / b->page_size;
	b->pieces = malloc(((size_t)TD_BTREE_PIECES * b->piece_pages + 1) * b->page_size);
	if (!b->pieces)
		return -ENOMEM;
	*ret = TAKE_PTR(b);
	return 0;
}

static int write_header(struct td_btree *b)
{
	uint8_t h[DB_HEADER_SIZE];
	int r;

	r = td_read_at(b->fd, h, sizeof(h), 0);
	if (r < 0)
		return r;
	put_be32(h + 24, b->change_counter + 1);
	put_be32(h + 28, b->npages);
	put_be32(h + 92, b->change_counter + 1);
	put_be32(h + 96, (uint32_t)sqlite3_libversion_number());
	return write_at(b, h, sizeof(h), 0);
}

static int complete_file(struct td_btree *b)
{
	int r = td_btree_write_full(b);

	if (r >= 0)
		r = write_piece(b, b->filled, b->nfilling);
	return r < 0 ? r : write_header(b);
}

int td_btree_close(struct td_btree *b)
{
	int r = complete_file(b);

	td_btree_abort(b);
	return r;
}

void td_btree_abort(struct td_btree *b)
{
	if (!b)
		return;
	assert(b->ntables == 0);
	if (b->fd >= 0)
		close(b->fd);
	free(b->pieces);
	pthread_mutex_destroy(&b->writing);
	free(b);
}
