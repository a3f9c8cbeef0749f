/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "common/array.h"
#include "common/sqlite_page.h"
#include "schema/db_private.h"
#include "schema/pages_read.h"
#include "schema/series.h"

/* What in the first page changes from file to file while the schema does not: the counter of
 * changes, the size, the free pages; and at the end what the counter was when the size was written,
 * and by which SQLite. From the SQLite file format. */
#define HEADER_CHANGES 24
#define HEADER_COOKIE 40
#define HEADER_VALID_FOR 92
#define HEADER_SIZE 100

#define PAGE_MIN 512

#define FCNTL_SERIES                                                                               \
	0x74647372 /* "tdsr": stores the series; no operation of SQLite or of another VFS */

#define SCHEMA_PAGES_MAX 256 /* the smallest pages are of 4 KiB, of which it takes some 50 */

/* Pages of the schema are read so many bytes at a time, and what is between them, too, where that
 * is less than a call takes. */
#define RUN_BYTES 65536
#define GAP_BYTES 16384

/* What SQLite read to know the schema. */
struct schema_page {
	sqlite3_int64 at;
	int n;
	unsigned char *bytes; /* owned */
};

struct kept_statement {
	sqlite3_stmt *stmt; /* owned */
	bool lent;
};

struct table_root {
	char table[32];
	uint32_t page;
};

struct td_db_series {
	sqlite3_vfs vfs; /* of this series alone: its files are known by it */
	sqlite3_vfs *usual;
	char name[32];
	int (*prepare)(sqlite3 *db, struct td_err *err);
	sqlite3 *db; /* owned */
	sqlite3_stmt *run; /* between two rows while a database is read; NULL: none is */
	struct below
		*file; /* of main; NULL: SQLite opened it in another way, so it is not exchanged */
	const char *path; /* of it, by sqlite3_create_filename(); owned where it was exchanged */
	bool exchanged, noting;
	unsigned n; /* files so far */
	struct schema_page pages[SCHEMA_PAGES_MAX]; /* in the order of the file */
	size_t npages; /* beyond the greatest: the schema is not known */
	size_t ncompared; /* of these, the first */
	unsigned char *buffer; /* owned; as large as a run of pages */
	struct table_root roots[TD_DB_ROOTS_MAX]; /* of tables whose pages are read beside SQLite */
	size_t nroots;
	struct td_pages_read read; /* of the first file that was read, but for the schema */
	struct kept_statement *statements; /* owned */
	size_t nstatements, cap;
};

/* The file that SQLite sees. */
struct below {
	sqlite3_file base;
	struct td_db_series *series;
	sqlite3_file *file; /* owned; of the usual VFS */
};

static sqlite3_file *real(sqlite3_file *f)
{
	return ((struct below *)f)->file;
}

/* --- a file, that of the usual VFS but for what it reads --- */

static int file_close(sqlite3_file *f)
{
	struct below *b = (struct below *)f;
	int rc = b->file->pMethods->xClose(b->file);

	free(b->file);
	b->series->file = NULL;
	return rc;
}

static void note_page(struct td_db_series *s, const void *bytes, int n, sqlite3_int64 at)
{
	struct schema_page *page;

	if (s->npages > SCHEMA_PAGES_MAX || n < PAGE_MIN)
		return;
	page = &s->pages[s->npages];
	if (s->npages == SCHEMA_PAGES_MAX || !(page->bytes = malloc((size_t)n))) {
		s->npages = SCHEMA_PAGES_MAX + 1;
		return;
	}
	memcpy(page->bytes, bytes, (size_t)n);
	page->at = at;
	page->n = n;
	s->npages++;
}

static void put_be32(unsigned char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* SQLite forgets the pages that it has when the counter of changes is another one. Two files may
 * have the same: so it counts files. */
static void count_change(const struct td_db_series *s, unsigned char *p, int n, sqlite3_int64 at)
{
	if (at == HEADER_CHANGES && n >= 4) {
		put_be32(p, s->n);
	} else if (at == 0 && n >= HEADER_SIZE) {
		bool valid = memcmp(p + HEADER_CHANGES, p + HEADER_VALID_FOR, 4) == 0;

		put_be32(p + HEADER_CHANGES, s->n);
		put_be32(p + HEADER_VALID_FOR, valid ? s->n : ~s->n);
	}
}

static int file_read(sqlite3_file *f, void *bytes, int n, sqlite3_int64 at)
{
	struct td_db_series *s = ((struct below *)f)->series;
	int rc = real(f)->pMethods->xRead(real(f), bytes, n, at);

	if (rc == SQLITE_OK && s->noting)
		note_page(s, bytes, n, at);
	else if (rc == SQLITE_OK && s->read.page_size && !s->exchanged)
		td_pages_read_note(&s->read, bytes, (size_t)n, at);
	if (rc == SQLITE_OK)
		count_change(s, bytes, n, at);
	return rc;
}

static int file_write(sqlite3_file *f, const void *bytes, int n, sqlite3_int64 at)
{
	(void)f;
	(void)bytes;
	(void)n;
	(void)at;
	return SQLITE_READONLY;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	(void)f;
	(void)size;
	return SQLITE_READONLY;
}

static int file_sync(sqlite3_file *f, int flags)
{
	(void)f;
	(void)flags;
	return SQLITE_OK;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *ret)
{
	return real(f)->pMethods->xFileSize(real(f), ret);
}

static int file_lock(sqlite3_file *f, int lock)
{
	return real(f)->pMethods->xLock(real(f), lock);
}

static int file_unlock(sqlite3_file *f, int lock)
{
	return real(f)->pMethods->xUnlock(real(f), lock);
}

static int file_check_reserved(sqlite3_file *f, int *ret)
{
	return real(f)->pMethods->xCheckReservedLock(real(f), ret);
}

static int file_control(sqlite3_file *f, int op, void *arg)
{
	if (op == FCNTL_SERIES) {
		*(struct td_db_series **)arg = ((struct below *)f)->series;
		return SQLITE_OK;
	}
	return real(f)->pMethods->xFileControl(real(f), op, arg);
}

static int file_sector(sqlite3_file *f)
{
	return real(f)->pMethods->xSectorSize(real(f));
}

static int file_characteristics(sqlite3_file *f)
{
	return real(f)->pMethods->xDeviceCharacteristics(real(f));
}

static const sqlite3_io_methods methods = {
	.iVersion =
		1, /* no shared memory: who needs a write-ahead log is not of a series; and none that is mapped */
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_unlock,
	.xCheckReservedLock = file_check_reserved,
	.xFileControl = file_control,
	.xSectorSize = file_sector,
	.xDeviceCharacteristics = file_characteristics,
};

static int open_real(const struct td_db_series *s, const char *path, int flags, sqlite3_file **ret,
		     int *ret_flags)
{
	sqlite3_file *f = calloc(1, (size_t)s->usual->szOsFile);
	int rc = f ? s->usual->xOpen(s->usual, path, f, flags, ret_flags) : SQLITE_NOMEM;

	if (rc == SQLITE_OK) {
		*ret = f;
		return SQLITE_OK;
	}
	if (f && f->pMethods)
		(void)f->pMethods->xClose(f);
	free(f);
	return rc;
}

/* --- the VFS --- */

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *f, int flags, int *ret_flags)
{
	struct td_db_series *s = vfs->pAppData;
	struct below *b = (struct below *)f;
	int rc;

	if (!(flags & SQLITE_OPEN_MAIN_DB)) /* a journal would be that of the file before */
		return path && s->exchanged ? SQLITE_CANTOPEN
					    : s->usual->xOpen(s->usual, path, f, flags, ret_flags);
	*b = (struct below){ .series = s };
	rc = open_real(s, path, flags, &b->file, ret_flags);
	if (rc != SQLITE_OK)
		return rc;
	b->base.pMethods = &methods;
	s->file = b;
	s->path = path;
	return SQLITE_OK;
}

/* Nothing is deleted; what is temporary has no name. */
static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
	(void)vfs;
	(void)path;
	(void)sync;
	return SQLITE_READONLY;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), len = strlen(end);

	return n >= len && strcmp(text + n - len, end) == 0;
}

/* SQLite asks for journals by the name that the first file had. */
static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *ret)
{
	static const char *const beside[] = { "-journal", "-wal" };
	const struct td_db_series *s = vfs->pAppData;

	for (size_t i = 0; i < TD_ARRAY_SIZE(beside) && s->exchanged; i++) {
		_cleanup_free_ char *name = NULL;

		if (!ends_with(path, beside[i]))
			continue;
		if (asprintf(&name, "%s%s", s->path, beside[i]) < 0)
			return SQLITE_NOMEM;
		return s->usual->xAccess(s->usual, name, flags, ret);
	}
	return s->usual->xAccess(s->usual, path, flags, ret);
}

int td_db_series_new(int (*prepare)(sqlite3 *db, struct td_err *err), struct td_db_series **ret)
{
	_cleanup_free_ struct td_db_series *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->usual = sqlite3_vfs_find(NULL);
	if (!s->usual)
		return -EIO;
	s->prepare = prepare;
	s->vfs = *s->usual;
	(void)snprintf(s->name, sizeof(s->name), "tracedb-%p", (void *)s);
	s->vfs.zName = s->name;
	s->vfs.pNext = NULL;
	s->vfs.pAppData = s;
	s->vfs.szOsFile = TD_MAX(s->usual->szOsFile, (int)sizeof(struct below));
	s->vfs.xOpen = vfs_open;
	s->vfs.xDelete = vfs_delete;
	s->vfs.xAccess = vfs_access;
	if (sqlite3_vfs_register(&s->vfs, 0) != SQLITE_OK)
		return -ENOMEM;
	*ret = TAKE_PTR(s);
	return 0;
}

/* --- one after the other --- */

bool td_db_series_forget(struct td_db_series *s)
{
	bool exchanged = s->exchanged;

	td_db_series_end(s);
	for (size_t i = 0; i < s->nstatements; i++)
		sqlite3_finalize(s->statements[i].stmt);
	td_db_close(s->db);
	if (s->exchanged)
		sqlite3_free_filename((char *)s->path);
	for (size_t i = 0; i < TD_MIN(s->npages, (size_t)SCHEMA_PAGES_MAX); i++)
		free(s->pages[i].bytes);
	td_pages_read_done(&s->read);
	s->db = NULL;
	s->path = NULL;
	s->nstatements = s->npages = s->ncompared = s->nroots = 0;
	s->exchanged = false;
	return exchanged;
}

void td_db_series_free(struct td_db_series *s)
{
	if (!s)
		return;
	(void)td_db_series_forget(s);
	(void)sqlite3_vfs_unregister(&s->vfs);
	free(s->statements);
	free(s->buffer);
	free(s);
}

void td_db_series_end(struct td_db_series *s)
{
	td_db_put_back(TAKE_PTR(s->run));
}

static bool same_page(const struct schema_page *page, const unsigned char *bytes)
{
	size_t n = (size_t)page->n;

	if (page->at != 0)
		return memcmp(page->bytes, bytes, n) == 0;
	return memcmp(page->bytes, bytes, HEADER_CHANGES) == 0 &&
	       memcmp(page->bytes + HEADER_COOKIE, bytes + HEADER_COOKIE,
		      HEADER_VALID_FOR - HEADER_COOKIE) == 0 &&
	       memcmp(page->bytes + HEADER_SIZE, bytes + HEADER_SIZE, n - HEADER_SIZE) == 0;
}

/* Pages from i on that are read at once: up to *ret_end. How many bytes they span. */
static int run_of(const struct td_db_series *s, size_t i, size_t *ret_end)
{
	sqlite3_int64 begin = s->pages[i].at, end = begin + s->pages[i].n;

	for (i++; i < s->ncompared && s->pages[i].at <= end + GAP_BYTES &&
		  s->pages[i].at + s->pages[i].n - begin <= RUN_BYTES;
	     i++)
		end = s->pages[i].at + s->pages[i].n;
	*ret_end = i;
	return (int)(end - begin);
}

static bool same_schema(const struct td_db_series *s, sqlite3_file *f)
{
	if (s->ncompared == 0)
		return false;
	for (size_t i = 0, end = 0; i < s->ncompared; i = end) {
		sqlite3_int64 at = s->pages[i].at;
		int n = run_of(s, i, &end);

		if (f->pMethods->xRead(f, s->buffer, n, at) != SQLITE_OK)
			return false;
		for (size_t k = i; k < end; k++)
			if (!same_page(&s->pages[k], s->buffer + (s->pages[k].at - at)))
				return false;
	}
	return true;
}

/* False: it is not, and all is as before. What td_db_check_file() asks of the header is so where it is that of the file
 * before; whether all of the file is there SQLite looks at itself. */
static bool exchange(struct td_db_series *s, const char *path)
{
	const char *name = s->file ? td_db_full_name(s->usual, path) : NULL;
	sqlite3_file *f = NULL;
	int flags = 0;

	if (!name)
		return false;
	if (open_real(s, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, &f, &flags) ==
		    SQLITE_OK &&
	    same_schema(s, f)) {
		sqlite3_file *old = s->file->file;

		(void)old->pMethods->xClose(old);
		free(old);
		if (s->exchanged)
			sqlite3_free_filename((char *)s->path);
		s->file->file = f;
		s->path = name;
		s->exchanged = true;
		s->n++;
		return true;
	}
	if (f) {
		(void)f->pMethods->xClose(f);
		free(f);
	}
	sqlite3_free_filename((char *)name);
	return false;
}

/* One lock for all that is read, which a statement between two rows has: taking it for each row
 * takes longer than reading the row. */
static int begin(struct td_db_series *s, const char *path, struct td_err *err)
{
	int rc = td_db_prepare(s->db, td_db_run_sql, &s->run);

	return rc == SQLITE_OK ? td_db_check_run(s->run, path, err)
			       : td_db_error(s->db, rc, err, "cannot read '%s'", path);
}

static int by_place(const void *a, const void *b)
{
	const struct schema_page *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* The schema is known. Where nobody has changed it since the file was made, its first page says of which program it is. */
static size_t pages_to_compare(const struct td_db_series *s)
{
	const struct schema_page *first = &s->pages[0];

	if (s->npages == 0 || s->npages > SCHEMA_PAGES_MAX)
		return 0;
	return first->at == 0 && td_be32(first->bytes + HEADER_COOKIE) == td_db_new_cookie()
		       ? 1
		       : s->npages;
}

/* Reads it again, as if the file had changed. */
static int note_schema(struct td_db_series *s)
{
	int rc;

	s->n++;
	s->noting = true;
	rc = sqlite3_exec(s->db, "SELECT * FROM sqlite_schema", NULL, NULL, NULL);
	s->noting = false;
	qsort(s->pages, TD_MIN(s->npages, (size_t)SCHEMA_PAGES_MAX), sizeof(*s->pages), by_place);
	if (rc == SQLITE_OK && s->npages && !s->buffer) {
		s->buffer = malloc(RUN_BYTES); /* the greatest pages are of so many bytes */
		rc = s->buffer ? SQLITE_OK : SQLITE_NOMEM;
	}
	s->ncompared = rc == SQLITE_OK ? pages_to_compare(s) : 0;
	if (s->ncompared)
		s->read.page_size = (uint32_t)s->pages[0].n;
	return rc;
}

static int open_anew(struct td_db_series *s, const char *path, bool alone, struct td_err *err)
{
	int r = td_db_open_by(path, alone ? NULL : s->name, &s->db, err), rc;

	if (r == 0 && s->file) {
		rc = note_schema(s);
		if (rc != SQLITE_OK)
			return td_db_error(s->db, rc, err, "cannot read '%s'", path);
	}
	if (r == 0)
		r = s->prepare(s->db, err);
	return r < 0 ? r : begin(s, path, err);
}

/* What is wrong with it is said as of any other. */
static int open_other(struct td_db_series *s, const char *path, struct td_err *err)
{
	int alone = td_db_check_file(path, err);

	if (alone < 0)
		return alone;
	(void)td_db_series_forget(s);
	return open_anew(s, path, alone, err);
}

int td_db_series_next(struct td_db_series *s, const char *path, sqlite3 **ret, struct td_err *err)
{
	int r = td_db_check_kind(path, err);

	if (r < 0)
		return r;
	if (!s->db || td_db_has_log(path) || !exchange(s, path) || begin(s, path, err) < 0)
		r = open_other(s, path, err);
	if (r == 0)
		*ret = s->db;
	return r;
}

/* --- statements --- */

static struct td_db_series *series_of(sqlite3 *db)
{
	struct td_db_series *s = NULL;

	return sqlite3_file_control(db, "main", FCNTL_SERIES, &s) == SQLITE_OK ? s : NULL;
}

int td_db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret)
{
	struct td_db_series *s = series_of(db);
	int rc;

	for (size_t i = 0; s && i < s->nstatements; i++) {
		struct kept_statement *k = &s->statements[i];

		if (k->lent || strcmp(sqlite3_sql(k->stmt), sql) != 0)
			continue;
		k->lent = true;
		*ret = k->stmt;
		return SQLITE_OK;
	}
	if (s && td_grow(&s->statements, &s->cap, s->nstatements) < 0)
		return SQLITE_NOMEM;
	rc = sqlite3_prepare_v2(db, sql, -1, ret, NULL);
	if (s && rc == SQLITE_OK && *ret)
		s->statements[s->nstatements++] = (struct kept_statement){ *ret, true };
	return rc;
}

void td_db_put_back(sqlite3_stmt *stmt)
{
	struct td_db_series *s = stmt ? series_of(sqlite3_db_handle(stmt)) : NULL;

	for (size_t i = 0; s && i < s->nstatements; i++)
		if (s->statements[i].stmt == stmt) {
			(void)sqlite3_reset(stmt);
			(void)sqlite3_clear_bindings(stmt);
			s->statements[i].lent = false;
			return;
		}
	sqlite3_finalize(stmt);
}

const char *td_db_path(sqlite3 *db)
{
	const struct td_db_series *s = series_of(db);

	return s ? s->path : sqlite3_db_filename(db, "main");
}

/* --- where things lie --- */

static struct table_root *find_root(struct td_db_series *s, const char *table)
{
	for (size_t i = 0; s && i < s->nroots; i++)
		if (strcmp(s->roots[i].table, table) == 0)
			return &s->roots[i];
	return NULL;
}

uint32_t td_db_root(sqlite3 *db, const char *table)
{
	const struct table_root *root = find_root(series_of(db), table);

	return root ? root->page : 0;
}

void td_db_reads_table(sqlite3 *db, const char *table, uint32_t root)
{
	struct td_db_series *s = series_of(db);
	struct table_root *to;

	if (!s || s->nroots == TD_DB_ROOTS_MAX || find_root(s, table) ||
	    strlen(table) >= sizeof(to->table))
		return;
	to = &s->roots[s->nroots++];
	*to = (struct table_root){ .page = root };
	memcpy(to->table, table, strlen(table));
}

bool td_db_is_locked(sqlite3 *db)
{
	const struct td_db_series *s = series_of(db);

	return s && s->run;
}

/* Is there a page at this place that is read of each file? *k: the first page of the schema that is not before it. */
static bool is_read(const struct td_db_series *s, int64_t at, size_t *k)
{
	while (*k < s->ncompared && s->pages[*k].at < at)
		++*k;
	return (*k < s->ncompared && s->pages[*k].at == at) ||
	       td_pages_read_has(&s->read, (uint32_t)(at / s->read.page_size) + 1);
}

/* Between the pages of the schema lie the roots of the tables, and all of small ones. */
void td_db_series_places(const struct td_db_series *s, struct td_db_places *ret)
{
	size_t k = 0;

	*ret = (struct td_db_places){ .page_size = s->read.page_size };
	if (s->ncompared == 0)
		return;
	for (int64_t at = 0; at <= s->pages[s->npages - 1].at; at += ret->page_size) {
		int64_t end = ret->nruns
				      ? ret->runs[ret->nruns - 1].at + ret->runs[ret->nruns - 1].n
				      : -1;

		if (!is_read(s, at, &k))
			continue;
		if (end >= 0 && at <= end + GAP_BYTES)
			ret->runs[ret->nruns - 1].n =
				(int)(at + ret->page_size - ret->runs[ret->nruns - 1].at);
		else if (ret->nruns < TD_DB_RUNS_MAX) {
			ret->runs[ret->nruns].at = at;
			ret->runs[ret->nruns++].n = (int)ret->page_size;
		}
	}
	ret->nroots = td_pages_read_leaves(&s->read, ret->roots);
}
