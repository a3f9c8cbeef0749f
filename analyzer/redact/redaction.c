/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "analyzer/redact/redact_private.h"
#include "common/array.h"
#include "schema/calls.h"
#include "schema/db.h"

void td_redaction_done(struct td_redaction *x)
{
	td_names_free(x->names);
	td_strbuf_done(&x->text);
	for (size_t i = 0; i < NUSES; i++)
		free(x->use_of[i]);
	free(x->is_taken);
	free(x->uses);
	free(x->pids);
	free(x->op_of);
	sqlite3_finalize(x->string);
}

int td_redaction_failed(struct td_redaction *x, sqlite3 *db, int rc)
{
	return td_db_error(db, rc, x->err,
			   db == x->from ? "cannot read the database" : "cannot write the copy");
}

int td_redaction_prepare(struct td_redaction *x, sqlite3 *db, const char *sql, sqlite3_stmt **ret)
{
	int rc = sqlite3_prepare_v2(db, sql, -1, ret, NULL);

	return rc == SQLITE_OK ? 0 : td_redaction_failed(x, db, rc);
}

int td_redaction_read_number(struct td_redaction *x, const char *sql, int64_t *ret)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int r = td_redaction_prepare(x, x->from, sql, &s), rc;

	if (r < 0)
		return r;
	rc = sqlite3_step(s);
	if (rc != SQLITE_ROW)
		return td_redaction_failed(x, x->from, rc);
	*ret = sqlite3_column_int64(s, 0);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int td_redaction_read_pids(struct td_redaction *x)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	size_t cap = 0;
	int rc, r = td_redaction_prepare(
			x, x->from,
			"SELECT pid FROM process WHERE pid <> 0 UNION SELECT parent_pid FROM "
			"process "
			"WHERE parent_pid <> 0 UNION SELECT namespace_pid FROM process WHERE "
			"namespace_pid <> 0 UNION SELECT tid FROM thread WHERE tid <> 0",
			&s);

	if (r < 0)
		return r;
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		r = td_grow(&x->pids, &cap, x->npids);
		if (r < 0)
			return r;
		x->pids[x->npids++] = sqlite3_column_int64(s, 0);
	}
	if (rc != SQLITE_DONE)
		return td_redaction_failed(x, x->from, rc);
	if (x->npids)
		qsort(x->pids, x->npids, sizeof(*x->pids), by_value);
	return 0;
}

int64_t td_redaction_pid(const struct td_redaction *x, int64_t pid)
{
	const int64_t *found =
		x->npids ? bsearch(&pid, x->pids, x->npids, sizeof(pid), by_value) : NULL;

	return found ? found - x->pids + 1 : 0;
}

static uint8_t flags_of_op(const char *name, const char *verb)
{
	const struct td_syscall *call = td_syscall_find((struct td_str){ name, strlen(name) });
	bool of_processes = strcmp(verb, "process") == 0, tells = of_processes;

	if (call) {
		of_processes = of_processes || call->effect == TD_CALL_EXECS ||
			       call->effect == TD_CALL_SIGNALS;
		tells = tells || call->effect == TD_CALL_FORKS || call->effect == TD_CALL_CLONES ||
			call->effect == TD_CALL_TELLS_PID;
	}
	return (uint8_t)((of_processes ? OP_OF_PROCESSES : 0) | (tells ? OP_TELLS_PID : 0));
}

int td_redaction_read_ops(struct td_redaction *x)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc, r = td_redaction_read_number(x, "SELECT coalesce(max(id), 0) FROM op", &x->nops);

	if (r == 0 && (x->nops < 0 || x->nops > 1 << 20))
		return td_err_set(x->err, -EUCLEAN, "the database has an operation number %lld",
				  (long long)x->nops);
	if (r == 0)
		r = td_redaction_prepare(x, x->from, "SELECT id, name, verb FROM op WHERE id >= 0",
					 &s);
	if (r < 0)
		return r;
	x->op_of = calloc((size_t)x->nops + 1, 1);
	if (!x->op_of)
		return -ENOMEM;
	while ((rc = sqlite3_step(s)) == SQLITE_ROW)
		x->op_of[sqlite3_column_int64(s, 0)] =
			flags_of_op((const char *)sqlite3_column_text(s, 1),
				    (const char *)sqlite3_column_text(s, 2));
	return rc == SQLITE_DONE ? 0 : td_redaction_failed(x, x->from, rc);
}

int td_redaction_use_string(struct td_redaction *x, int64_t id, size_t what, int64_t template_id,
			    int64_t *ret)
{
	uint32_t **of = &x->use_of[what];

	if (id < 0 || id > x->nstrings)
		return td_err_set(x->err, -EUCLEAN,
				  "the database refers to a string that it has not");
	if (!*of)
		*of = calloc((size_t)x->nstrings + 1, sizeof(**of));
	if (!*of)
		return -ENOMEM;
	if (!(*of)[id]) {
		struct td_string_use u = {
			.id = id, .new_id = id, .template_id = template_id, .what = what
		};

		if (td_grow(&x->uses, &x->uses_cap, x->nuses) < 0)
			return -ENOMEM;
		if (x->is_taken[id])
			u.new_id = ++x->new_strings;
		x->is_taken[id] = true;
		x->uses[x->nuses++] = u;
		(*of)[id] = (uint32_t)x->nuses;
	}
	*ret = x->uses[(*of)[id] - 1].new_id;
	return 0;
}

int td_redaction_text_of_string(struct td_redaction *x, int64_t id, struct td_strbuf *ret)
{
	int rc = sqlite3_bind_int64(x->string, 1, id);

	td_strbuf_reset(ret);
	td_strbuf_add(ret, "", 0);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(x->string);
	if (rc == SQLITE_ROW)
		td_strbuf_add(ret, (const char *)sqlite3_column_text(x->string, 0),
			      (size_t)sqlite3_column_bytes(x->string, 0));
	(void)sqlite3_reset(x->string);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return td_redaction_failed(x, x->from, rc);
	return td_strbuf_error(ret);
}

struct td_str td_redaction_str(const struct td_strbuf *b)
{
	return (struct td_str){ td_strbuf_str(b), b->len };
}

static int write_string(struct td_redaction *x, const struct td_string_use *u, sqlite3_stmt *insert)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT, templ = TD_STRBUF_INIT;
	int rc, r = td_redaction_text_of_string(x, u->id, &text);

	if (r == 0 && u->what == USE_DIRECTORY)
		r = td_redaction_text_of_string(x, u->template_id, &templ);
	if (r < 0)
		return r;
	td_strbuf_reset(&x->text);
	if (u->what == USE_DIRECTORY)
		td_name_path(x->names, td_redaction_str(&text), td_redaction_str(&templ), &x->text);
	else if (u->what == USE_TEMPLATE)
		td_name_path(x->names, td_redaction_str(&text), td_redaction_str(&text), &x->text);
	else
		td_redact_text(x->names, (enum td_text_kind)u->what, td_redaction_str(&text),
			       &x->text);
	if (td_strbuf_error(&x->text) < 0)
		return -ENOMEM;
	rc = sqlite3_bind_int64(insert, 1, u->new_id);
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(insert, 2, td_strbuf_str(&x->text), (int)x->text.len,
				       SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(insert) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(x->to);
	(void)sqlite3_reset(insert);
	return rc == SQLITE_OK ? 0 : td_redaction_failed(x, x->to, rc);
}

static int by_new_id(const void *a, const void *b)
{
	return by_value(&((const struct td_string_use *)a)->new_id,
			&((const struct td_string_use *)b)->new_id);
}

int td_redaction_write_strings(struct td_redaction *x)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int r = td_redaction_prepare(x, x->to, "INSERT INTO string (id, text) VALUES (?1, ?2)", &s);

	if (x->nuses)
		qsort(x->uses, x->nuses, sizeof(*x->uses), by_new_id);
	for (size_t i = 0; i < x->nuses && r == 0; i++)
		r = write_string(x, &x->uses[i], s);
	return r;
}
