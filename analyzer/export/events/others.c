/* SPDX-License-Identifier: MIT */
/* Findings, and what the tracers lost. */
#include "analyzer/export/events/events_private.h"
#include "analyzer/rules/place.h"
#include "common/utf8.h"
#include "schema/db.h"

static struct td_event event_of(enum td_event_category category, int64_t start_ns)
{
	return (struct td_event){ .type = TD_EVENT_INSTANT,
				  .category = category,
				  .start_ns = TD_MIN(TD_MAX(start_ns, 0), TD_EVENT_TIME_MAX) };
}

static int add_text(struct td_walk *w, struct td_event *e, enum td_event_key key, const char *text)
{
	_cleanup_free_ char *valid = td_utf8_dup(text, strlen(text));
	struct td_event_arg *a = &e->args[e->nargs++];

	*a = (struct td_event_arg){ .key = key, .type = TD_EVENT_STRING };
	return valid ? td_walk_literal(w, valid, strlen(valid), &a->string) : -ENOMEM;
}

static void add_number(struct td_event *e, enum td_event_key key, int64_t n)
{
	e->args[e->nargs++] =
		(struct td_event_arg){ .key = key, .type = TD_EVENT_INTEGER, .integer = n };
}

static int set_group(struct td_walk *w, int64_t kind, uint32_t *ret, struct td_event *e)
{
	const struct td_group_key key = { kind, TD_GROUP_NONE, TD_GROUP_NONE, TD_GROUP_NONE };
	int r = td_walk_group(w, &key, ret);

	if (r == 0)
		e->track = w->groups[*ret].lanes[0].track;
	return r;
}

/* --- findings --- */

static int put_finding(struct td_walk *w, const struct td_finding *f, int64_t run_ns)
{
	int64_t start_ns = 0, end_ns = 0;
	struct td_event e;
	uint32_t group;
	int placed = td_finding_place(w->db, f, &start_ns, &end_ns, w->err), r;

	if (placed < 0)
		return placed;
	e = event_of(TD_EVENT_FINDING, placed ? start_ns : run_ns);
	r = set_group(w, TD_GROUP_FINDINGS, &group, &e);
	if (r == 0)
		r = td_walk_literal(w, f->rule->name, strlen(f->rule->name), &e.name);
	if (r == 0)
		r = add_text(w, &e, TD_EVENT_LEVEL, td_level_names[f->level]);
	if (r == 0)
		r = add_text(w, &e, TD_EVENT_TEXT, f->text);
	if (r == 0)
		r = add_text(w, &e, TD_EVENT_ADVICE, f->advice);
	if (placed && end_ns >= start_ns)
		add_number(&e, TD_EVENT_DUR_NS, (int64_t)((uint64_t)end_ns - (uint64_t)start_ns));
	return r == 0 ? td_walk_put(w, &e) : r;
}

static int put_findings(struct td_walk *w)
{
	_cleanup_(td_reports_done) struct td_reports rules = { 0 };
	_cleanup_(td_findings_done) struct td_findings found = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT, notes = TD_STRBUF_INIT;
	int64_t run_ns = td_events_start(w->db);
	int r = td_reports_load(&rules, td_rules, NULL, 0, w->err);

	for (size_t i = 0; i < rules.n && r >= 0; i++) {
		const struct td_report *rule;

		r = td_reports_get(&rules, i, &rule, w->err);
		if (r == 0)
			r = td_findings_look(&found, w->db, rule, NULL, 0, &missing, &notes,
					     w->err);
	}
	if (r < 0)
		return r;
	td_findings_sort(&found);
	r = 0;
	for (size_t i = 0; i < found.n && r == 0; i++)
		r = put_finding(w, &found.items[i], run_ns);
	return r;
}

/* --- loss --- */

/* Name, begin, length, lost, made. Recorders tell of stretches, tracers of the whole only. */
#define LOST                                                                                       \
	"SELECT 'lost: ' || l.name, l.start_ns, l.dur_ns, l.lost, l.generated, s.path"             \
	" FROM loss AS l JOIN source AS s ON s.id = l.source_id WHERE l.lost > 0"                  \
	" UNION ALL SELECT 'lost', coalesce(first_ns, (SELECT start_ns FROM run)),"                \
	" coalesce(last_ns - first_ns, 0), lost_events, NULL, path FROM source AS s"               \
	" WHERE lost_events > 0 AND NOT EXISTS"                                                    \
	"  (SELECT 1 FROM loss AS l WHERE l.source_id = s.id AND l.lost > 0)"                      \
	" ORDER BY 2"

static int put_loss(struct td_walk *w, sqlite3_stmt *s)
{
	struct td_event e = event_of(TD_EVENT_LOSS, sqlite3_column_int64(s, 1));
	const char *name = (const char *)sqlite3_column_text(s, 0);
	const char *path = (const char *)sqlite3_column_text(s, 5);
	_cleanup_free_ char *valid = name ? td_utf8_dup(name, strlen(name)) : NULL;
	uint32_t group;
	int r = valid ? set_group(w, TD_GROUP_LOSS, &group, &e) : -ENOMEM;

	e.type = TD_EVENT_SLICE;
	e.dur_ns = sqlite3_column_int64(s, 2);
	e.dur_ns = TD_MIN(TD_MAX(e.dur_ns, 0), TD_EVENT_TIME_MAX - e.start_ns);
	add_number(&e, TD_EVENT_LOST, sqlite3_column_int64(s, 3));
	if (sqlite3_column_type(s, 4) == SQLITE_INTEGER)
		add_number(&e, TD_EVENT_GENERATED, sqlite3_column_int64(s, 4));
	if (r == 0)
		r = td_walk_literal(w, valid, strlen(valid), &e.name);
	if (r == 0 && path)
		r = add_text(w, &e, TD_EVENT_FILE, path);
	if (r == 0)
		r = td_walk_lane(w, group, &e);
	return r == 0 ? td_walk_put(w, &e) : r;
}

static int put_losses(struct td_walk *w)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(w->db, LOST, -1, &s, NULL), r = 0;

	while (rc == SQLITE_OK && r == 0 && sqlite3_step(s) == SQLITE_ROW)
		r = put_loss(w, s);
	if (r < 0)
		return r;
	if (rc == SQLITE_OK)
		rc = sqlite3_reset(s);
	return rc == SQLITE_OK ? 0 : td_db_error(w->db, rc, w->err, "cannot read what was lost");
}

int td_walk_others(struct td_walk *w)
{
	int r = put_findings(w);

	return r == 0 ? put_losses(w) : r;
}
