/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <sqlite3.h>

#include "analyzer/compare/baseline.h"
#include "analyzer/open.h"
#include "common/cleanup.h"
#include "schema/db.h"

#define LONG_NUMBER 5 /* digits: of job numbers, ports and dates */

/* Who was started first of those that use the GPU, else of all; the logs and the phases, where no command line is known. */
static const char kind_sql[] =
	"SELECT (SELECT start_ns FROM run), (SELECT command_line FROM process WHERE command_line "
	"IS NOT NULL ORDER BY role IS NOT 'gpu-worker', start_ns, id LIMIT 1), 'logs of ' || "
	"coalesce((SELECT group_concat(importer, ', ') FROM (SELECT DISTINCT importer FROM source "
	"WHERE importer IS NOT NULL ORDER BY importer)), 'nothing') || coalesce(', phases ' || "
	"(SELECT group_concat(name, ', ') FROM (SELECT DISTINCT name FROM phases ORDER BY name)), "
	"'')";

struct known {
	char *path; /* borrowed */
	char *kind; /* owned */
	int64_t start_ns;
	bool has_start;
};

static void known_done(struct known *k, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(k[i].kind);
	free(k);
}

void td_baseline_done(struct td_baseline *b)
{
	free(b->paths);
	free(b->kind);
	*b = (struct td_baseline){ 0 };
}

static bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

/* A word of the command line: in a path all numbers change, elsewhere long ones. */
static void add_word(struct td_strbuf *b, const char *word, size_t len)
{
	bool is_path = memchr(word, '/', len);

	for (size_t i = 0; i < len;) {
		size_t digits = 0;

		while (i + digits < len && is_digit(word[i + digits]))
			digits++;
		if (digits >= LONG_NUMBER || (digits && is_path))
			td_strbuf_adds(b, "{}");
		else
			td_strbuf_add(b, word + i, digits ? digits : 1);
		i += digits ? digits : 1;
	}
}

void td_baseline_template(struct td_strbuf *b, const char *command_line)
{
	while (*command_line) {
		size_t len = strcspn(command_line, " ");

		add_word(b, command_line, len);
		command_line += len;
		if (*command_line)
			td_strbuf_addc(b, *command_line++);
	}
}

static int set_known(sqlite3_stmt *s, struct known *ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf kind = TD_STRBUF_INIT;

	ret->has_start = sqlite3_column_type(s, 0) != SQLITE_NULL;
	ret->start_ns = sqlite3_column_int64(s, 0);
	if (sqlite3_column_text(s, 1))
		td_baseline_template(&kind, (const char *)sqlite3_column_text(s, 1));
	else
		td_strbuf_adds(&kind, (const char *)sqlite3_column_text(s, 2));
	if (td_strbuf_error(&kind) < 0)
		return -ENOMEM;
	ret->kind = strdup(td_strbuf_str(&kind));
	return ret->kind ? 0 : -ENOMEM;
}

static int know(char *path, struct known *ret, struct td_err *err)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int r = td_analyzer_open(path, &db, err), rc;

	ret->path = path;
	if (r < 0)
		return r;
	rc = sqlite3_prepare_v2(db, kind_sql, -1, &s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc != SQLITE_ROW)
		return td_db_error(db, rc, err, "cannot see what kind of run '%s' is", path);
	return set_known(s, ret);
}

/* In the order of time; those of one instant by path, so that it is the same each time. */
static int by_start(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int by = (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);

	return by != 0 ? by : strcmp(x->path, y->path);
}

static int choose(struct known *of, size_t n, const struct known *run, size_t last, bool any_kind,
		  struct td_baseline *ret)
{
	ret->paths = calloc(n + 1, sizeof(char *));
	if (!ret->paths)
		return -ENOMEM;
	qsort(of, n, sizeof(*of), by_start);
	for (size_t i = 0; i < n; i++) {
		if (!any_kind && strcmp(of[i].kind, run->kind) != 0)
			ret->nothers++;
		else if (!of[i].has_start || !run->has_start || of[i].start_ns >= run->start_ns)
			ret->nlater++;
		else
			ret->paths[ret->n++] = of[i].path;
	}
	if (ret->n > last) {
		ret->nolder = ret->n - last;
		memmove(ret->paths, ret->paths + ret->nolder, last * sizeof(char *));
		ret->n = last;
	}
	return 0;
}

int td_baseline_choose(char **paths, size_t n, const char *run, size_t last, bool any_kind,
		       struct td_baseline *ret, struct td_err *err)
{
	struct known *known = calloc(n + 1, sizeof(*known)); /* the last one is the run's */
	int r = known ? know((char *)run, &known[n], err) : -ENOMEM;

	*ret = (struct td_baseline){ 0 };
	for (size_t i = 0; i < n && r == 0; i++)
		r = know(paths[i], &known[i], err);
	if (r == 0)
		r = choose(known, n, &known[n], last, any_kind, ret);
	if (r == 0) {
		ret->kind = TAKE_PTR(known[n].kind);
	} else {
		td_baseline_done(ret);
	}
	if (known)
		known_done(known, n + 1);
	return r;
}
