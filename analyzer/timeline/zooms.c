/* SPDX-License-Identifier: MIT */
/* Stretches of time that are worth a look: those of the run that people always look at, and where
 * each finding shows. */
#include "analyzer/rules/place.h"
#include "analyzer/timeline/timeline_private.h"
#include "common/array.h"

#define FLAGS_MAX 40
#define FLAG_LEAST_NS INT64_C(10000000) /* of a zoom: what is shorter has something around it */

/* Names and times of what there is; those that are not longer than what is shown all together are left out below. */
#define ZOOMS                                                                                      \
	"WITH r AS (SELECT ?1 AS a, ?2 AS b),"                                                     \
	" first AS (SELECT lower(label) AS label, min(start_ns) AS start_ns, end_ns"               \
	" FROM phase_interval WHERE label IN ('init', 'epoch', 'eval') COLLATE NOCASE GROUP BY 1)" \
	" SELECT 1, CASE label WHEN 'init' THEN 'init' WHEN 'epoch' THEN 'first epoch'"            \
	" ELSE 'first evaluation' END, start_ns, coalesce((SELECT min(i.end_ns)"                   \
	"  FROM phase_interval AS i WHERE i.start_ns = first.start_ns"                             \
	"  AND i.label LIKE first.label || '%'), end_ns) FROM first"                               \
	" UNION ALL SELECT 0, 'first 30 s', a, a + 30000000000 FROM r WHERE b - a > 60000000000"   \
	" UNION ALL SELECT 2, 'last 2 min', b - 120000000000, b FROM r"                            \
	"  WHERE b - a > 240000000000"                                                             \
	" ORDER BY 1, 3"

static int add_zoom(struct td_timeline *t, const char *name, int64_t start_ns, int64_t end_ns)
{
	start_ns = TD_MAX(start_ns, t->start_ns);
	end_ns = TD_MIN(end_ns, t->end_ns);
	if (end_ns <= start_ns || (start_ns == t->start_ns && end_ns == t->end_ns))
		return 0;
	if (td_grow(&t->zooms, &t->zooms_cap, t->nzooms) < 0)
		return -ENOMEM;
	t->zooms[t->nzooms] =
		(struct td_zoom){ .name = strdup(name), .start_ns = start_ns, .end_ns = end_ns };
	if (!t->zooms[t->nzooms].name)
		return -ENOMEM;
	t->nzooms++;
	return 0;
}

int td_fill_zooms(struct td_filling *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = td_filling_prepare(f, ZOOMS, &stmt, err);

	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, f->t->start_ns);
	(void)sqlite3_bind_int64(stmt, 2, f->t->end_ns);
	while (r == 0 && (r = td_filling_step(f, stmt, err)) == 1)
		r = add_zoom(f->t, (const char *)sqlite3_column_text(stmt, 1),
			     sqlite3_column_int64(stmt, 2), sqlite3_column_int64(stmt, 3));
	return r;
}

/* --- findings --- */

/* A tenth more on both sides. What is not in the stretch that is shown has no place. */
static void place(const struct td_timeline *t, struct td_flag *flag, int64_t start_ns,
		  int64_t end_ns)
{
	int64_t len, around;

	if (__builtin_sub_overflow(end_ns, start_ns, &len) || len < 0)
		return;
	around = TD_MAX(len / 10, (FLAG_LEAST_NS - len) / 2);
	if (start_ns >= t->end_ns || end_ns <= t->start_ns)
		return;
	flag->start_ns = TD_MAX(t->start_ns, start_ns - TD_MIN(around, start_ns - t->start_ns));
	flag->end_ns = TD_MIN(t->end_ns, td_plus(end_ns, around));
	if (flag->end_ns <= flag->start_ns)
		flag->start_ns = TD_NULL;
}

static int find_place(struct td_filling *f, const struct td_finding *finding, struct td_flag *flag,
		      struct td_err *err)
{
	int64_t start_ns, end_ns;
	int r = td_finding_place(f->db, finding, &start_ns, &end_ns, err);

	flag->start_ns = flag->end_ns = TD_NULL;
	if (r == 1)
		place(f->t, flag, start_ns, end_ns);
	return r < 0 ? r : 0;
}

static int add_flag(struct td_filling *f, const struct td_finding *finding, struct td_err *err)
{
	struct td_timeline *t = f->t;
	struct td_flag *flag;
	int r;

	if (td_grow(&t->flags, &t->flags_cap, t->nflags) < 0)
		return -ENOMEM;
	flag = &t->flags[t->nflags];
	*flag = (struct td_flag){ 0 };
	r = find_place(f, finding, flag, err);
	if (r < 0)
		return r;
	t->nflags++; /* what it has is freed from now on */
	flag->rule = strdup(finding->rule->name);
	flag->level = strdup(td_level_names[finding->level]);
	flag->text = strdup(finding->text);
	flag->advice = strdup(finding->advice);
	return flag->rule && flag->level && flag->text && flag->advice ? 0 : -ENOMEM;
}

int td_fill_flags(struct td_filling *f, struct td_err *err)
{
	_cleanup_(td_reports_done) struct td_reports rules = { 0 };
	_cleanup_(td_findings_done) struct td_findings found = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf missing = TD_STRBUF_INIT, notes = TD_STRBUF_INIT;
	int r = td_reports_load(&rules, td_rules, NULL, 0, err);

	for (size_t i = 0; i < rules.n && r >= 0; i++) {
		const struct td_report *rule;

		r = td_reports_get(&rules, i, &rule, err);
		if (r == 0)
			r = td_findings_look(&found, f->db, rule, NULL, 0, &missing, &notes, err);
	}
	if (r < 0)
		return r;
	td_findings_sort(&found);
	r = 0;
	for (size_t i = 0; i < found.n && i < FLAGS_MAX && r == 0; i++)
		r = add_flag(f, &found.items[i], err);
	if (r == 0) {
		f->t->notes = strdup(td_strbuf_str(&notes));
		r = f->t->notes ? 0 : -ENOMEM;
	}
	return r;
}
