/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/dims.h"
#include "analyzer/scan/file_rows.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "schema/db.h"
#include "schema/rows.h"
#include "schema/stat_math.h"

#define ID_MAX INT32_MAX

/* What a key of a file is made of. */
enum of_file { OF_NONE, OF_TEMPLATE, OF_DIRECTORY, OF_CLASS, OF_STORAGE, OF_WAITS };

static const struct dim {
	const char *map; /* ids to keys; NULL: the id is the key, or: */
	enum of_file of_file; /* all that are wanted are read together */
	const char *max; /* largest id, where it is the key */
	enum td_row_column from;
	bool texts; /* keys are texts */
} dims[TD_NDIMS] = {
	[TD_DIM_FILE] = { .from = TD_ROW_OBJECT, .max = "SELECT max(id) FROM main.file" },
	[TD_DIM_TEMPLATE] = { .from = TD_ROW_OBJECT, .of_file = OF_TEMPLATE },
	[TD_DIM_DIRECTORY] = { .from = TD_ROW_OBJECT, .of_file = OF_DIRECTORY },
	[TD_DIM_CLASS] = { .from = TD_ROW_OBJECT, .of_file = OF_CLASS, .texts = true },
	[TD_DIM_STORAGE] = { .from = TD_ROW_OBJECT, .of_file = OF_STORAGE, .texts = true },
	[TD_DIM_DEVICE] = { .from = TD_ROW_DEVICE, .max = "SELECT max(id) FROM main.device" },
	[TD_DIM_DIRECTION] = { .from = TD_ROW_KIND },
	[TD_DIM_PROCESS] = { .from = TD_ROW_PROCESS, .max = "SELECT max(id) FROM main.process" },
	[TD_DIM_ROLE] = { .from = TD_ROW_PROCESS,
			  .map = "SELECT id, role FROM main.process",
			  .texts = true },
	[TD_DIM_THREAD] = { .from = TD_ROW_THREAD, .max = "SELECT max(id) FROM main.thread" },
	[TD_DIM_OWNER] = { .from = TD_ROW_THREAD, .map = "SELECT id, process_id FROM main.thread" },
	[TD_DIM_OWNER_ROLE] = { .from = TD_ROW_THREAD,
				.map = "SELECT t.id, p.role FROM main.thread AS t JOIN "
				       "main.process AS p ON p.id = t.process_id",
				.texts = true },
	[TD_DIM_OP] = { .from = TD_ROW_KIND, .max = "SELECT max(id) FROM main.op" },
	[TD_DIM_VERB] = { .from = TD_ROW_KIND,
			  .map = "SELECT id, verb FROM main.op",
			  .texts = true },
	[TD_DIM_KIND] = { .from = TD_ROW_KIND, .max = "SELECT max(id) FROM main.string" },
	[TD_DIM_NAME] = { .from = TD_ROW_OBJECT, .max = "SELECT max(id) FROM main.string" },
	[TD_DIM_BIN] = { .from = TD_ROW_START },
	[TD_DIM_NESTED] = { .from = TD_ROW_NESTED },
	[TD_DIM_LATENCY] = { .from = TD_ROW_DUR },
	[TD_DIM_OCTAVE] = { .from = TD_ROW_DUR },
	[TD_DIM_SIZE] = { .from = TD_ROW_BYTES },
	[TD_DIM_SEEK] = { .from = TD_ROW_SEEK },
	[TD_DIM_WAITS] = { .from = TD_ROW_OBJECT, .of_file = OF_WAITS },
	[TD_DIM_BYTES] = { .from = TD_ROW_BYTES },
};

#define WAITING_OPS "SELECT id, 1 FROM main.op WHERE verb = 'socket'"

#define FOR_EACH_DIM(d, which)                                                                     \
	for (enum td_dim d = 0; d < TD_NDIMS; d++)                                                 \
		if ((which)&1u << d && d != TD_DIM_PHASE)

bool td_dim_is_text(enum td_dim dim)
{
	return dims[dim].texts || dim == TD_DIM_DIRECTION || dim == TD_DIM_PHASE;
}

bool td_dim_has_zero(enum td_dim dim)
{
	return dim == TD_DIM_BIN || dim == TD_DIM_NESTED || dim == TD_DIM_WAITS;
}

int td_dim_id_column(enum td_dim dim)
{
	return dims[dim].max ? (int)dims[dim].from : -1;
}

unsigned td_dims_columns(unsigned which)
{
	unsigned columns = 0;

	FOR_EACH_DIM(d, which)
	columns |= 1u << dims[d].from;
	return which & 1u << TD_DIM_WAITS ? columns | 1u << TD_ROW_KIND : columns;
}

/* --- loading --- */

/* Number of a text from 1; there are only a few different ones. 0: out of memory. */
static uint32_t label_of(struct td_labels *l, const char *text, size_t len)
{
	for (size_t i = 0; i < l->n; i++)
		if (strncmp(l->items[i], text, len) == 0 && !l->items[i][len])
			return (uint32_t)i + 1;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (td_grow(&l->items, &l->cap, l->n) < 0)
		return 0;
	l->items[l->n] = strndup(text, len);
	return l->items[l->n] ? (uint32_t)++l->n : 0;
}

static int reserve_ids(struct td_key_map *m, size_t id)
{
	size_t n = TD_MAX(id + 1, m->n * 2);
	uint32_t *keys;

	if (id < m->n)
		return 0;
	keys = realloc(m->keys, n * sizeof(*keys));
	if (!keys)
		return -ENOMEM;
	memset(keys + m->n, 0, (n - m->n) * sizeof(*keys));
	m->keys = keys;
	m->n = n;
	return 0;
}

int td_key_map_add(struct td_key_map *m, int64_t id, uint32_t key)
{
	if (id <= 0 || id > ID_MAX)
		return 0;
	if (reserve_ids(m, (size_t)id) < 0)
		return -ENOMEM;
	m->keys[id] = key;
	return 0;
}

static int set_key(struct td_key_map *m, int64_t id, int64_t key)
{
	return td_key_map_add(m, id, key > 0 && key <= ID_MAX ? (uint32_t)key : 0);
}

/* As set_key(). */
static int set_label(struct td_key_map *m, int64_t id, struct td_labels *labels, const char *text,
		     size_t len)
{
	uint32_t key = text ? label_of(labels, text, len) : 0;

	return key ? td_key_map_add(m, id, key) : -ENOMEM;
}

static int set_from(struct td_key_map *m, sqlite3_stmt *row, struct td_labels *labels)
{
	int64_t id = sqlite3_column_int64(row, 0);

	if (sqlite3_column_type(row, 1) == SQLITE_NULL)
		return 0;
	if (labels) {
		const char *text = (const char *)sqlite3_column_text(row, 1);

		return set_label(m, id, labels, text, text ? strlen(text) : 0);
	}
	return set_key(m, id, sqlite3_column_int64(row, 1));
}

int td_key_map_fill(sqlite3_stmt *stmt, struct td_key_map *ret, struct td_labels *labels,
		    struct td_err *err)
{
	int rc = SQLITE_ROW, r = 0;

	while (r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		r = set_from(ret, stmt, labels);
	return r < 0 || rc == SQLITE_DONE
		       ? r
		       : td_db_error(sqlite3_db_handle(stmt), rc, err, "cannot read what ids mean");
}

int td_key_map_load(sqlite3 *db, const char *sql, struct td_key_map *ret, struct td_labels *labels,
		    struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	return rc == SQLITE_OK ? td_key_map_fill(stmt, ret, labels, err)
			       : td_db_error(db, rc, err, "cannot read what ids mean");
}

void td_key_map_done(struct td_key_map *m)
{
	free(m->keys);
	*m = (struct td_key_map){ 0 };
}

void td_labels_done(struct td_labels *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i]);
	free(l->items);
	*l = (struct td_labels){ 0 };
}

/* The only value of a statement, TD_NULL for NULL. */
static int query_int(sqlite3 *db, const char *sql, int64_t *ret, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read the run");
	*ret = td_db_known(stmt, 0);
	return 0;
}

/* When the first row begins, or the last one. */
static int query_time(sqlite3 *db, const struct td_relation *of, const char *order, int64_t *ret,
		      struct td_err *err)
{
	char *sql = sqlite3_mprintf("SELECT (SELECT %s FROM main.%s ORDER BY id %s LIMIT 1)",
				    of->columns[TD_ROW_START].name, of->table, order);
	int r = sql ? query_int(db, sql, ret, err) : -ENOMEM;

	sqlite3_free(sql);
	return r;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int load_bins(sqlite3 *db, const struct td_stat_request *req, struct td_dims *d,
		     struct td_err *err)
{
	int64_t first = TD_NULL, last = TD_NULL, width = req->bin_width_ns;
	int r = query_time(db, req->relation, "", &first, err);

	if (r == 0)
		r = query_time(db, req->relation, "DESC", &last, err);
	if (r == 0 && width == TD_NULL)
		r = query_int(db, "SELECT max(bin_ns) FROM main.run", &width, err);
	if (r < 0)
		return r;
	if (width <= 0)
		return td_err_set(err, -EINVAL, "a bin of time has no width: give bin_width_ns");
	if (first == TD_NULL || last == TD_NULL)
		first = last = 0;
	d->bin_width_ns = width;
	d->first_bin = floor_div(first, width);
	d->max[TD_DIM_BIN] = (uint64_t)floor_div(last, width) - (uint64_t)d->first_bin;
	return 0;
}

int td_dims_last_id(sqlite3 *db, enum td_dim dim, uint64_t *ret, struct td_err *err)
{
	int64_t max = 0;
	int r = query_int(db, dims[dim].max, &max, err);

	*ret = max > 0 ? (uint64_t)TD_MIN(max, (int64_t)ID_MAX) : 0;
	return r;
}

static void find_max(struct td_dims *d, enum td_dim dim)
{
	const struct td_key_map *map = &d->maps[dim];

	for (size_t i = 0; i < map->n; i++)
		d->max[dim] = TD_MAX(d->max[dim], (uint64_t)map->keys[i]);
}

static int load(sqlite3 *db, enum td_dim dim, struct td_dims *d, struct td_err *err)
{
	const struct dim *by = &dims[dim];
	struct td_key_map *map = &d->maps[dim];
	int r;

	if (!by->map)
		return td_dims_last_id(db, dim, &d->max[dim], err);
	r = td_key_map_load(db, by->map, map, by->texts ? &d->labels[dim] : NULL, err);
	find_max(d, dim);
	return r;
}

/* File systems without a block device have numbers whose major one is 0. NULL: nobody says. */
static const char *storage_of(int64_t device)
{
	if (device == TD_NULL)
		return NULL;
	return device >> 20 == 0 ? "no disk" : "disk";
}

static int set_key_of_file(struct td_dims *d, enum td_dim dim, const struct td_file_row *row)
{
	struct td_key_map *map = &d->maps[dim];
	const char *storage;

	switch (dims[dim].of_file) {
	case OF_TEMPLATE:
		return set_key(map, row->id, row->template_id);
	case OF_DIRECTORY:
		return set_key(map, row->id, row->directory_id);
	case OF_CLASS:
		return row->class.text ? set_label(map, row->id, &d->labels[dim], row->class.text,
						   row->class.len)
				       : 0;
	case OF_STORAGE:
		storage = storage_of(row->device);
		return storage ? set_label(map, row->id, &d->labels[dim], storage, strlen(storage))
			       : 0;
	case OF_WAITS:
		return td_file_class_waits(row->class) ? td_key_map_add(map, row->id, 1) : 0;
	default:
		return 0;
	}
}

static int set_keys_of_file(void *arg, const struct td_file_row *row)
{
	struct td_dims *d = arg;
	int r = 0;

	FOR_EACH_DIM(i, d->of_files)
	if (r == 0)
		r = set_key_of_file(d, i, row);
	return r;
}

/* All that files have keys of. */
static int load_of_files(sqlite3 *db, struct td_dims *d, struct td_err *err)
{
	int r;

	FOR_EACH_DIM(i, d->which)
	d->of_files |= dims[i].of_file ? 1u << i : 0;
	r = d->of_files ? td_file_rows_read(db, set_keys_of_file, d, err) : 0;
	FOR_EACH_DIM(i, d->of_files)
	find_max(d, i);
	return r;
}

/* Gives each its bits; none lies in both halves. */
static int place(struct td_dims *d, struct td_err *err)
{
	unsigned used = 0;

	FOR_EACH_DIM(i, d->which)
	{
		unsigned width = d->max[i] ? 64 - (unsigned)__builtin_clzll(d->max[i]) : 1;

		if (used < 64 && used + width > 64)
			used = 64;
		if (used + width > 128)
			return td_err_set(err, -EINVAL, "by: too much to group by at once");
		d->shift[i] = (uint8_t)used;
		d->width[i] = (uint8_t)width;
		used += width;
	}
	return 0;
}

int td_dims_load(sqlite3 *db, const struct td_stat_request *req, struct td_dims *ret,
		 struct td_err *err)
{
	_cleanup_(td_dims_done) struct td_dims d = { .which = req->dims };
	int r = load_of_files(db, &d, err);

	d.max[TD_DIM_NESTED] = d.max[TD_DIM_WAITS] = 1;
	d.max[TD_DIM_DIRECTION] = TD_BLOCK_OTHER + 1;
	d.max[TD_DIM_SEEK] = TD_SIZE_BUCKETS;
	d.max[TD_DIM_LATENCY] = TD_LATENCY_BUCKETS;
	d.max[TD_DIM_SIZE] = TD_SIZE_BUCKETS;
	d.max[TD_DIM_OCTAVE] = TD_SIZE_BUCKETS;
	d.max[TD_DIM_BYTES] = (uint64_t)INT64_MAX + 1;
	FOR_EACH_DIM(i, d.which)
	{
		if (r == 0 && i == TD_DIM_BIN)
			r = load_bins(db, req, &d, err);
		else if (r == 0 && (dims[i].map || dims[i].max))
			r = load(db, i, &d, err);
		if (r < 0)
			return r;
	}
	if (d.which & 1u << TD_DIM_WAITS)
		r = td_key_map_load(db, WAITING_OPS, &d.waiting_ops, NULL, err);
	if (r == 0)
		r = place(&d, err);
	if (r < 0)
		return r;
	*ret = d;
	d = (struct td_dims){ 0 };
	return 0;
}

void td_dims_done(struct td_dims *d)
{
	for (size_t i = 0; i < TD_NDIMS; i++) {
		td_key_map_done(&d->maps[i]);
		td_labels_done(&d->labels[i]);
	}
	td_key_map_done(&d->waiting_ops);
	*d = (struct td_dims){ 0 };
}

/* What waits depends on the operation, too. */
bool td_dims_are_of_files(const struct td_dims *d, bool of_any_verb)
{
	unsigned of_files = d->of_files & ~(1u << TD_DIM_WAITS);

	return !(d->which & ~of_files & ~(of_any_verb ? 1u << TD_DIM_VERB : 0));
}

/* --- keys --- */

unsigned td_dims_bits(const struct td_dims *d)
{
	unsigned bits = 1;

	FOR_EACH_DIM(i, d->which)
	bits = TD_MAX(bits, (unsigned)d->shift[i] + d->width[i]);
	return bits;
}

static uint64_t key_of(const struct td_dims *d, enum td_dim dim, int64_t v)
{
	switch (dim) {
	case TD_DIM_BIN: {
		uint64_t bin = (uint64_t)floor_div(v, d->bin_width_ns) - (uint64_t)d->first_bin;

		return TD_MIN(bin, d->max[dim]);
	}
	case TD_DIM_NESTED:
		return v != 0;
	case TD_DIM_DIRECTION:
		return v < 0 || v > TD_BLOCK_OTHER ? 0 : (uint64_t)v + 1;
	case TD_DIM_SEEK:
		return v == TD_NULL ? 0 : td_size_bucket(td_seek_bytes(v)) + 1;
	case TD_DIM_LATENCY:
		return v < 0 ? 0 : td_latency_bucket(v) + 1;
	case TD_DIM_OCTAVE:
	case TD_DIM_SIZE:
		return v < 0 ? 0 : td_size_bucket(v) + 1;
	case TD_DIM_BYTES:
		return v < 0 ? 0 : (uint64_t)v + 1;
	default: /* all others have ids */
		return 0;
	}
}

/* What each of the rows is, one loop for each kind of keys. */
static void parts_of(const struct td_dims *d, enum td_dim dim, const int64_t *column,
		     const uint16_t *rows, size_t n, uint64_t *ret)
{
	if (dims[dim].map || dims[dim].of_file) {
		const struct td_key_map map = d->maps[dim];

		for (size_t i = 0; i < n; i++)
			ret[i] = td_key_map_get(&map, column[rows[i]]);
	} else if (dims[dim].max) {
		uint64_t max = d->max[dim];

		for (size_t i = 0; i < n; i++) {
			uint64_t id = (uint64_t)column[rows[i]]; /* of a negative one: too large */

			ret[i] = id <= max ? id : 0;
		}
	} else {
		for (size_t i = 0; i < n; i++)
			ret[i] = key_of(d, dim, column[rows[i]]);
	}
}

void td_dims_keys(const struct td_dims *d, const struct td_row_batch *b, const uint16_t *rows,
		  size_t n, struct td_key *ret)
{
	uint64_t parts[TD_ROWS_AT_ONCE];

	memset(ret, 0, n * sizeof(*ret));
	FOR_EACH_DIM(dim, d->which)
	{
		unsigned shift = d->shift[dim];

		parts_of(d, dim, b->columns[dims[dim].from], rows, n, parts);
		if (dim == TD_DIM_WAITS)
			for (size_t i = 0; i < n; i++)
				parts[i] |= td_key_map_get(&d->waiting_ops,
							   b->columns[TD_ROW_KIND][rows[i]]);
		for (size_t i = 0; i < n && shift < 64; i++)
			ret[i].lo |= parts[i] << shift;
		for (size_t i = 0; i < n && shift >= 64; i++)
			ret[i].hi |= parts[i] << (shift - 64);
	}
}

uint64_t td_dims_part(const struct td_dims *d, enum td_dim dim, struct td_key key)
{
	unsigned shift = d->shift[dim];
	uint64_t half = shift < 64 ? key.lo >> shift : key.hi >> (shift - 64);

	return d->width[dim] == 64 ? half : half & ((UINT64_C(1) << d->width[dim]) - 1);
}

struct td_key td_dims_without(const struct td_dims *d, enum td_dim dim, struct td_key key)
{
	unsigned shift = d->shift[dim];
	uint64_t part = td_dims_part(d, dim, key);

	return shift < 64 ? (struct td_key){ key.lo & ~(part << shift), key.hi }
			  : (struct td_key){ key.lo, key.hi & ~(part << (shift - 64)) };
}
