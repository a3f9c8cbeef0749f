/* SPDX-License-Identifier: MIT */
/*
 * Tables as b-trees of pages. The format is that of "Database File Format",
 * https://www.sqlite.org/fileformat2.html. What is needed of it for a rowid table (all numbers big
 * endian; a page is its usable bytes, the reserved ones at its end do not count):
 *
 *     leaf page:      13, freeblock u16, cells u16, start of content u16, fragments u8
 *                     cells x u16: where each cell is, in rowid order
 *                     unused space
 *                     the cells, the first one at the end of the page
 *     leaf cell:      varint size of record, varint rowid, record; of a record that is too large for
 *                     a leaf only the first bytes, then page number u32 of its first overflow page
 *     record:         varint size of header, varint serial type per column; then the values
 *     serial type:    0 NULL; 1 2 3 4 5 6 integer of 1 2 3 4 6 8 bytes; 7 IEEE double; 8 0; 9 1;
 *                     12 + 2n blob of n bytes; 13 + 2n text of n bytes
 *     overflow page:  page number u32 of the next one, 0 in the last; then bytes of the record
 *     interior page:  5, as a leaf's, then page number u32 of the rightmost child
 *     interior cell:  page number u32 of a child, varint largest rowid below it
 *     varint:         7 bits a byte, most significant first, bit 7 set in all but the last;
 *                     a ninth byte holds 8 bits
 *
 * A table's root keeps its page number, all other pages are allocated at the end of the file
 * (store/pages/btree_file.c). Each table keeps one open leaf, and of every completed one its page number and
 * last rowid (16 bytes), from which td_btree_table_finish() makes the interior pages.
 */
#include "common/array.h"
#include "store/pages/btree_cell.h"
#include "store/pages/btree_private.h"
#include "store/pages/btree_record.h"

#define LEAF_HEADER_SIZE 8
#define INTERIOR_HEADER_SIZE 12
#define LEAF_TYPE 13
#define INTERIOR_TYPE 5
#define LEAF_RESERVE 35 /* a record larger than usable - 35 bytes goes to overflow pages */
#define CELL_MIN 6 /* two varints, a header of two bytes, two bytes for where it is */

struct child {
	int64_t last_rowid;
	uint32_t pgno;
};

struct td_btree_table {
	struct td_btree *btree; /* borrowed */
	uint32_t rootpage;
	uint8_t *buf; /* owns page and the space before it that a cell too many needs */
	uint8_t *page; /* the open leaf; only its cells are in place */
	uint8_t *top; /* its topmost cell, page + usable if there is none */
	uint16_t *cells; /* where they are, as in the file */
	uint32_t ncells;
	int64_t last_rowid;
	struct child *leaves; /* the completed ones */
	size_t nleaves, leaves_cap;
	size_t record_max; /* for cells of larger records there is no space before the page */
	struct td_btree_record record; /* being added */
};

static void lay_leaf(const struct td_btree_table *t, uint8_t *page)
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
	memcpy(page + content, t->top, t->btree->page_size - content);
}

static int add_leaf(struct td_btree_table *t)
{
	uint8_t *page;
	int r;

	r = td_grow(&t->leaves, &t->leaves_cap, t->nleaves);
	if (r < 0) {
		t->btree->error = r;
		return r;
	}
	page = td_btree_new_page(t->btree);
	if (!page)
		return t->btree->error;
	lay_leaf(t, page);
	t->leaves[t->nleaves++] = (struct child){ t->last_rowid, t->btree->npages };
	t->ncells = 0;
	t->top = t->page + t->btree->usable;
	return 0;
}

/* How many of the children the next interior page takes: all, or so many that at least two are left,
 * because SQLite takes an interior page without a cell for damage. */
static size_t children_fitting(const struct td_btree *b, const struct child *child, size_t n)
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

static void lay_interior(const struct td_btree *b, const struct child *child, size_t n,
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
static int lay_levels(struct td_btree_table *t)
{
	struct td_btree *b = t->btree;
	struct child *child = t->leaves;
	size_t n = t->nleaves;

	while (children_fitting(b, child, n) < n) {
		size_t nparents = 0;

		for (size_t i = 0, m; i < n; i += m) {
			uint8_t *page = td_btree_new_page(b);

			if (!page)
				return b->error;
			m = children_fitting(b, child + i, n - i);
			lay_interior(b, child + i, m, page);
			child[nparents++] =
				(struct child){ child[i + m - 1].last_rowid, b->npages };
		}
		n = nparents;
	}
	lay_interior(b, child, n, td_btree_scratch_page(b));
	return td_btree_write_page(b, t->rootpage, td_btree_scratch_page(b));
}

static bool fits(const struct td_btree_table *t, const uint8_t *cell)
{
	return cell >= t->page + LEAF_HEADER_SIZE + (t->ncells + 1) * sizeof(*t->cells);
}

static void keep_cell(struct td_btree_table *t, uint8_t *cell, int64_t rowid)
{
	t->cells[t->ncells++] = htobe16((uint16_t)(cell - t->page));
	t->top = cell;
	t->last_rowid = rowid;
}

/* A cell that was written below the topmost one, be it in the page or not. */
static int place_cell(struct td_btree_table *t, uint8_t *cell, int64_t rowid)
{
	if (!fits(t, cell)) {
		size_t size = (size_t)(t->top - cell);
		int r;

		r = add_leaf(t);
		if (r < 0)
			return r;
		cell = memmove(t->top - size, cell, size);
	}
	keep_cell(t, cell, rowid);
	return 0;
}

/* As many of the cells from i on as fit in the open leaf, which lie below p: they lie in the leaf as they do
 * there. The first one that does not. */
static size_t fill_leaf(struct td_btree_table *t, const struct td_btree_cells *c, size_t i,
			const uint8_t *p)
{
	size_t at = (size_t)(t->top - t->page), size = 0;
	size_t room = at - LEAF_HEADER_SIZE - t->ncells * sizeof(*t->cells);

	for (; i < c->n && size + c->sizes[i] + sizeof(*t->cells) <= room; i++) {
		size += c->sizes[i];
		room -= sizeof(*t->cells);
		t->cells[t->ncells++] = htobe16((uint16_t)(at - size));
	}
	t->top -= size;
	memcpy(t->top, p - size, size);
	return i;
}

int td_btree_add_cells(struct td_btree_table *t, const struct td_btree_cells *c)
{
	const uint8_t *p = c->end;
	size_t i = 0;
	int r = 0;

	if (c->n > 0 && t->ncells > 0 && c->rowid <= t->last_rowid)
		return -EINVAL;
	while (i < c->n && r >= 0) {
		const uint8_t *top = t->top;

		i = fill_leaf(t, c, i, p);
		p -= top - t->top;
		if (i > 0)
			t->last_rowid = c->rowid + (int64_t)i - 1;
		if (i < c->n)
			r = add_leaf(t);
	}
	return r;
}

/* How much of a record stays in its leaf when there are overflow pages: as much as fills the last of
 * them, if there is room for that, else the least that the format allows. */
static size_t local_size(uint32_t usable, size_t size)
{
	size_t max = usable - LEAF_RESERVE;
	size_t min = (usable - 12) * 32 / 255 - 23;
	size_t local = min + (size - min) % (usable - sizeof(uint32_t));

	if (size <= max)
		return size;
	return local <= max ? local : min;
}

static int lay_overflow(struct td_btree *b, const uint8_t *p, size_t size)
{
	size_t room = b->usable - sizeof(uint32_t);

	while (size > 0) {
		uint8_t *page = td_btree_new_page(b);
		size_t n = TD_MIN(size, room);

		if (!page)
			return b->error;
		put_be32(page, size > n ? td_btree_next_page(b) : 0);
		memcpy(page + sizeof(uint32_t), p, n);
		memset(page + sizeof(uint32_t) + n, 0, b->page_size - sizeof(uint32_t) - n);
		p += n;
		size -= n;
	}
	return 0;
}

/* The record as a cell, its end in overflow pages if it is too large. */
static int add_record(struct td_btree_table *t, int64_t rowid, const uint8_t *record, size_t size)
{
	size_t local = local_size(t->btree->usable, size);
	size_t cell_size = varint_size(size) + varint_size((uint64_t)rowid) + local +
			   (local < size ? sizeof(uint32_t) : 0);
	uint32_t overflow;
	uint8_t *p;
	int r;

	if (!fits(t, t->top - cell_size)) {
		r = add_leaf(t);
		if (r < 0)
			return r;
	}
	overflow = td_btree_next_page(t->btree);
	r = lay_overflow(t->btree, record + local, size - local);
	if (r < 0)
		return r;
	p = put_varint(put_varint(t->top - cell_size, size), (uint64_t)rowid);
	p = mempcpy(p, record, local);
	if (local < size)
		put_be32(p, overflow);
	keep_cell(t, t->top - cell_size, rowid);
	return 0;
}

static bool are_numbers(const struct td_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i].type >= TD_VALUE_TEXT)
			return false;
	return true;
}

int td_btree_add_values(struct td_btree_table *t, int64_t rowid, const struct td_value *values,
			size_t n)
{
	int r;

	if (n == 0 || (t->ncells > 0 && rowid <= t->last_rowid))
		return -EINVAL;
	if (are_numbers(values, n) && td_cell_numbers_max(n) <= t->record_max)
		return place_cell(t, td_cell_push_numbers(values, n, t->top, rowid), rowid);
	r = td_btree_record_encode(&t->record, values, n);
	return r < 0 ? r : add_record(t, rowid, t->record.p, t->record.size);
}

int td_btree_add_rows(struct td_btree_table *t, const struct td_btree_rows *rows)
{
	size_t at = 0;
	int r = 0;

	for (size_t i = 0; i < rows->n && r >= 0; i++) {
		const struct td_btree_row *row = &rows->rows[i];

		if (t->ncells > 0 && row->rowid <= t->last_rowid)
			return -EINVAL;
		r = add_record(t, row->rowid, rows->p + at, row->end - at);
		at = row->end;
	}
	return r;
}

static int check_root(const struct td_btree *b, uint32_t rootpage)
{
	uint8_t h[LEAF_HEADER_SIZE];
	int r;

	if (b->error)
		return b->error;
	if (rootpage < 2 || rootpage > b->npages)
		return -EINVAL;
	r = td_btree_read_page(b, rootpage, h, sizeof(h));
	if (r < 0)
		return r;
	return h[0] == LEAF_TYPE && get_be16(h + 3) == 0 ? 0 : -EINVAL;
}

static void table_free(struct td_btree_table *t)
{
	t->btree->ntables--;
	free(t->leaves);
	free(t->cells);
	free(t->buf);
	td_btree_record_done(&t->record);
	free(t);
}

TD_DEFINE_CLEANUP(struct td_btree_table *, table_free)

/* Do cells of records always fit in a page? Their size is not found out otherwise. */
static bool can_hold(const struct td_btree *b, const struct td_table *format)
{
	return format->ncolumns <= TD_CELL_COLUMNS_MAX &&
	       td_cell_record_max(format->columns, format->ncolumns) <= b->usable - LEAF_RESERVE;
}

int td_btree_table(struct td_btree *b, const struct td_table *table, uint32_t rootpage,
		   struct td_btree_table **ret)
{
	_cleanup_(table_freep) struct td_btree_table *t = NULL;
	size_t spare;
	int r;

	r = check_root(b, rootpage);
	if (r < 0)
		return r;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	b->ntables++;
	t->btree = b;
	t->rootpage = rootpage;
	if (table && !can_hold(b, table))
		return -E2BIG;
	t->record_max = TD_MIN(b->usable - LEAF_RESERVE, td_cell_numbers_max(TD_CELL_COLUMNS_MAX));
	spare = t->record_max + 2 * TD_VARINT_MAX;
	t->buf = calloc(1, spare + b->page_size);
	t->cells = calloc(b->usable / CELL_MIN, sizeof(*t->cells));
	if (!t->buf || !t->cells)
		return -ENOMEM;
	t->page = t->buf + spare;
	t->top = t->page + b->usable;
	*ret = TAKE_PTR(t);
	return 0;
}

static int complete_table(struct td_btree_table *t)
{
	struct td_btree *b = t->btree;
	int r;

	if (b->error || t->ncells == 0)
		return b->error;
	if (t->nleaves == 0) {
		lay_leaf(t, td_btree_scratch_page(b));
		return td_btree_write_page(b, t->rootpage, td_btree_scratch_page(b));
	}
	r = add_leaf(t);
	return r < 0 ? r : lay_levels(t);
}

int td_btree_table_finish(struct td_btree_table *t)
{
	int r = complete_table(t);

	table_free(t);
	return r;
}

void td_btree_table_abort(struct td_btree_table *t)
{
	if (!t)
		return;
	if (!t->btree->error)
		t->btree->error = -ECANCELED;
	table_free(t);
}
