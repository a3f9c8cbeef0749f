/* SPDX-License-Identifier: MIT */
#include <ctype.h>

#include "analyzer/export/table.h"
#include "common/array.h"
#include "common/utf8.h"
#include "schema/db.h"

#define KEY_MAX                                                                                    \
	((int64_t)1 << 27) /* keys are small numbers: those beyond are of no database of ours */
#define NAME_MAX_BYTES 64

/* What is told of a key beside it. prefix_of: what stands before that in the name of the key's
 * column stands before the name here, too ('done_process_id': 'done_pid'). */
struct td_lookup_kind {
	const char *table; /* that the key refers to */
	const char *prefix_of;
	const char *name; /* NULL: the key's column without '_id' */
	enum td_parquet_type type;
	const char *sql; /* key, value */
};

static const struct td_lookup_kind kinds[] = {
	{ "device", "device_id", "device", TD_PARQUET_TEXT, "SELECT id, name FROM device" },
	{ "file", "file_id", "file", TD_PARQUET_TEXT, "SELECT id, coalesce(path, name) FROM file" },
	{ "file", "file_id", "file_class", TD_PARQUET_TEXT, "SELECT id, class FROM file" },
	{ "file", "file_id", "file_template", TD_PARQUET_TEXT,
	  "SELECT f.id, s.text FROM file AS f JOIN string AS s ON s.id = f.template_id" },
	{ "op", "op_id", "op", TD_PARQUET_TEXT, "SELECT id, name FROM op" },
	{ "op", "op_id", "layer", TD_PARQUET_TEXT, "SELECT id, layer FROM op" },
	{ "op", "op_id", "verb", TD_PARQUET_TEXT, "SELECT id, verb FROM op" },
	{ "op", "op_id", "kind", TD_PARQUET_TEXT, "SELECT id, kind FROM op" },
	{ "process", "process_id", "pid", TD_PARQUET_INT64, "SELECT id, pid FROM process" },
	{ "process", "process_id", "process", TD_PARQUET_TEXT, "SELECT id, name FROM process" },
	{ "process", "process_id", "role", TD_PARQUET_TEXT, "SELECT id, role FROM process" },
	{ "source", "source_id", "source", TD_PARQUET_TEXT, "SELECT id, path FROM source" },
	{ "string", "", NULL, TD_PARQUET_TEXT, "SELECT id, text FROM string" },
	{ "thread", "thread_id", "tid", TD_PARQUET_INT64, "SELECT id, tid FROM thread" },
	{ "thread", "thread_id", "thread", TD_PARQUET_TEXT, "SELECT id, name FROM thread" },
	{ "track", "track_id", "track", TD_PARQUET_TEXT, "SELECT id, name FROM track" },
	{ "track", "track_id", "unit", TD_PARQUET_TEXT, "SELECT id, unit FROM track" },
	{ "track", "track_id", "device", TD_PARQUET_TEXT,
	  "SELECT t.id, d.name FROM track AS t JOIN device AS d ON d.id = t.device_id" },
	{ "track", "track_id", "pid", TD_PARQUET_INT64,
	  "SELECT t.id, p.pid FROM track AS t JOIN process AS p ON p.id = t.process_id" },
};

/* --- lookups --- */

static void lookup_free(struct td_lookup *l)
{
	if (!l)
		return;
	free(l->codes);
	free(l->numbers);
	td_intern_done(&l->texts);
	free(l);
}
TD_DEFINE_CLEANUP(struct td_lookup *, lookup_free)

void td_lookups_done(struct td_lookups *l)
{
	for (size_t i = 0; i < l->n; i++)
		lookup_free(l->items[i]);
	free(l->items);
	*l = (struct td_lookups){ 0 };
}

/* Texts that are alike have one number. 0: out of memory. */
static uint32_t text_code(struct td_lookup *l, sqlite3_stmt *s)
{
	const char *p = (const char *)sqlite3_column_text(s, 1);
	size_t len = (size_t)sqlite3_column_bytes(s, 1);
	_cleanup_free_ char *valid = NULL;

	if (!p)
		return 0;
	if (td_utf8_valid(p, len))
		return td_intern_add(&l->texts, p, len);
	valid = td_utf8_dup(p, len);
	return valid ? td_intern_add(&l->texts, valid, strlen(valid)) : 0;
}

static int grow_codes(struct td_lookup *l, int64_t key)
{
	size_t want = TD_MAX((size_t)key + 1, l->ncodes * 2);
	uint32_t *codes =
		(size_t)key < l->ncodes ? l->codes : realloc(l->codes, want * sizeof(*codes));

	if (!codes)
		return -ENOMEM;
	if ((size_t)key >= l->ncodes) {
		memset(codes + l->ncodes, 0, (want - l->ncodes) * sizeof(*codes));
		l->codes = codes;
		l->ncodes = want;
	}
	return 0;
}

static int add_value(struct td_lookup *l, sqlite3_stmt *s, size_t *cap)
{
	int64_t key = sqlite3_column_int64(s, 0);

	if (key < 0 || key > KEY_MAX || sqlite3_column_type(s, 1) == SQLITE_NULL)
		return 0;
	if (grow_codes(l, key) < 0)
		return -ENOMEM;
	if (l->kind->type == TD_PARQUET_TEXT) {
		l->codes[key] = text_code(l, s);
		return l->codes[key] ? 0 : -ENOMEM;
	}
	if (td_grow(&l->numbers, cap, l->values.n) < 0)
		return -ENOMEM;
	l->numbers[l->values.n] = sqlite3_column_int64(s, 1);
	l->codes[key] = (uint32_t)++l->values.n;
	return 0;
}

static int lookup_load(sqlite3 *db, const struct td_lookup_kind *kind, struct td_lookup **ret,
		       struct td_err *err)
{
	_cleanup_(lookup_freep) struct td_lookup *l = calloc(1, sizeof(*l));
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	size_t cap = 0;
	int rc = sqlite3_prepare_v2(db, kind->sql, -1, &s, NULL), r = 0;

	if (!l)
		return -ENOMEM;
	l->kind = kind;
	while (r == 0 && rc == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
		r = add_value(l, s, &cap);
	if (rc == SQLITE_OK && r == 0)
		rc = sqlite3_reset(s); /* which says again what stepping failed with */
	if (rc != SQLITE_OK)
		return td_db_error(db, rc, err, "cannot read the names in '%s'", kind->table);
	if (r < 0)
		return r;
	if (kind->type == TD_PARQUET_TEXT)
		l->values = (struct td_parquet_values){ .n = l->texts.n, .texts = l->texts.items };
	else
		l->values.numbers = l->numbers;
	*ret = TAKE_PTR(l);
	return 0;
}

static int find_lookup(sqlite3 *db, const struct td_lookup_kind *kind, struct td_lookups *all,
		       const struct td_lookup **ret, struct td_err *err)
{
	int r;

	for (size_t i = 0; i < all->n; i++)
		if (all->items[i]->kind == kind) {
			*ret = all->items[i];
			return 0;
		}
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	r = td_grow(&all->items, &all->cap, all->n);
	if (r == 0)
		r = lookup_load(db, kind, &all->items[all->n], err);
	if (r == 0)
		*ret = all->items[all->n++];
	return r;
}

int td_lookup_get(sqlite3 *db, const char *table, const char *name, struct td_lookups *all,
		  const struct td_lookup **ret, struct td_err *err)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].table, table) == 0 &&
		    strcmp(kinds[i].name ? kinds[i].name : kinds[i].table, name) == 0)
			return find_lookup(db, &kinds[i], all, ret, err);
	return -ENOENT;
}

/* --- tables --- */

void td_export_table_done(struct td_export_table *t)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		free((char *)t->columns[i].name);
	free(t->name);
	*t = (struct td_export_table){ 0 };
}

/* Names become those of folders and of columns elsewhere. */
static bool is_word(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return len > 0 && len <= NAME_MAX_BYTES;
}

static bool has_column(const struct td_export_table *t, const char *name)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		if (strcasecmp(t->columns[i].name, name) == 0)
			return true;
	return false;
}

static int add_column(struct td_export_table *t, const char *name, enum td_parquet_type type,
		      bool nullable)
{
	char *copy = strdup(name);

	if (!copy)
		return -ENOMEM;
	t->columns[t->ncolumns++] =
		(struct td_parquet_column){ .name = copy, .type = type, .nullable = nullable };
	return 0;
}

/* name, type, whether it is part of the primary key, default */
static int add_own(struct td_export_table *t, sqlite3_stmt *s)
{
	const char *name = (const char *)sqlite3_column_text(s, 0);
	const char *type = (const char *)sqlite3_column_text(s, 1);
	size_t i = t->ncolumns;
	bool is_int = type && (strcasecmp(type, "INTEGER") == 0 || strcasecmp(type, "INT") == 0);
	bool is_blob;
	int r;

	if (i == TD_TABLE_COLUMNS_MAX || !name || !type || !is_word(name))
		return -EOPNOTSUPP;
	is_blob = strcasecmp(type, "BLOB") == 0;
	t->is_text[i] = is_blob || strcasecmp(type, "TEXT") == 0;
	t->layout.is_real[i] = strcasecmp(type, "REAL") == 0;
	t->has_text |= t->is_text[i];
	t->layout.has_default[i] = sqlite3_column_type(s, 3) != SQLITE_NULL;
	if (!is_int && !t->is_text[i] && !t->layout.is_real[i])
		return -EOPNOTSUPP;
	if (t->has_rowid && strcasecmp(type, "INTEGER") == 0 && sqlite3_column_int(s, 2) == 1)
		t->layout.rowid = (int)i;
	r = add_column(t, name,
		       t->is_text[i]          ? TD_PARQUET_TEXT
		       : t->layout.is_real[i] ? TD_PARQUET_DOUBLE
					      : TD_PARQUET_INT64,
		       t->layout.rowid != (int)i);
	t->columns[i].binary = is_blob;
	return r;
}

/* The columns that say what the key in an own column means. */
static int add_names(sqlite3 *db, const char *key, const char *table, struct td_lookups *lookups,
		     struct td_export_table *t, struct td_err *err)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds); i++) {
		const struct td_lookup_kind *k = &kinds[i];
		size_t len = strlen(key), end = strlen(k->name ? k->prefix_of : "_id");
		char name[2 * NAME_MAX_BYTES];
		int r;

		if (strcmp(k->table, table) != 0 || len < end)
			continue;
		(void)snprintf(name, sizeof(name), "%.*s%s", (int)(len - end), key,
			       k->name ? k->name : "");
		if (has_column(t, name) || t->ncolumns == TD_ARRAY_SIZE(t->columns))
			continue;
		r = find_lookup(db, k, lookups, &t->lookups[t->ncolumns], err);
		for (size_t c = 0; c < t->layout.ncolumns; c++)
			if (strcmp(t->columns[c].name, key) == 0)
				t->keys[t->ncolumns] = c;
		if (r == 0)
			r = add_column(t, name, k->type, true);
		if (r < 0)
			return r;
		t->columns[t->ncolumns - 1].values = &t->lookups[t->ncolumns - 1]->values;
	}
	return 0;
}

static int each_row(sqlite3 *db, const char *sql, struct td_lookups *lookups,
		    struct td_export_table *t, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL), r = 0;

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 1, t->name, -1, SQLITE_STATIC);
	while (rc == SQLITE_OK && r == 0 && sqlite3_step(s) == SQLITE_ROW)
		r = lookups ? add_names(db, (const char *)sqlite3_column_text(s, 0),
					(const char *)sqlite3_column_text(s, 1), lookups, t, err)
			    : add_own(t, s);
	if (r < 0)
		return r;
	if (rc == SQLITE_OK)
		rc = sqlite3_reset(s);
	return rc == SQLITE_OK ? 0 : td_db_error(db, rc, err, "cannot read the schema");
}

int td_export_table_load(sqlite3 *db, const char *name, struct td_lookups *lookups,
			 struct td_export_table *ret, struct td_err *err)
{
	_cleanup_(td_export_table_done) struct td_export_table t = { .layout.rowid = -1 };
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc, r;

	if (!is_word(name))
		return -EOPNOTSUPP;
	t.name = strdup(name);
	if (!t.name)
		return -ENOMEM;
	rc = sqlite3_prepare_v2(
		db, "SELECT wr, strict FROM pragma_table_list WHERE schema = 'main' AND name = ?1",
		-1, &s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot read the schema");
	t.has_rowid = sqlite3_column_int(s, 0) == 0;
	if (!sqlite3_column_int(s, 1))
		return -EOPNOTSUPP;
	r = each_row(db,
		     "SELECT name, type, pk, dflt_value FROM pragma_table_info(?1) ORDER BY cid",
		     NULL, &t, err);
	t.layout.ncolumns = t.ncolumns;
	if (r == 0 && lookups)
		r = each_row(db,
			     "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1) ORDER BY "
			     "id DESC",
			     lookups, &t, err);
	if (r < 0)
		return r;
	*ret = t;
	t = (struct td_export_table){ 0 };
	return 0;
}
