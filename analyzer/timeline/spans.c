/* SPDX-License-Identifier: MIT */
/* Training phases, and the stretches in which events were lost. */
#include "analyzer/timeline/timeline_private.h"
#include "common/array.h"

#define SPANS_MAX 4000 /* the longest are shown */
#define DEPTH_MAX 8

#define PHASES                                                                                     \
	"SELECT label, start_ns, end_ns, run_number, runs FROM ("                                  \
	"SELECT i.*, (SELECT count(DISTINCT run_number) FROM phase_interval) AS runs"              \
	" FROM phase_interval AS i WHERE i.label IN (SELECT label FROM phases)"                    \
	" AND i.end_ns > ?1 AND i.start_ns < ?2 ORDER BY i.end_ns - i.start_ns DESC LIMIT ?3)"     \
	" ORDER BY start_ns, end_ns DESC, length(label)"

#define LOST "SELECT name, start_ns, start_ns + dur_ns FROM loss WHERE lost > 0 ORDER BY start_ns"

/* "epoch 3" and "epoch 4" have one colour. */
static enum td_hue hue_of(const char *label)
{
	size_t n = strcspn(label, "0123456789");
	unsigned sum = 0;

	while (n && label[n - 1] == ' ')
		n--;
	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + (unsigned char)label[i];
	return TD_HUE_PHASE + sum % TD_PHASE_HUES;
}

/* As much of it as is shown. */
static int add_span(const struct td_timeline *t, struct td_lane *lane, sqlite3_stmt *stmt,
		    int64_t *open_until, unsigned *nopen)
{
	const char *label = (const char *)sqlite3_column_text(stmt, 0);
	struct td_lane_span s = { .start_ns = TD_MAX(sqlite3_column_int64(stmt, 1), t->start_ns),
				  .end_ns = TD_MIN(sqlite3_column_int64(stmt, 2), t->end_ns) };
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	if (!label || td_grow(&lane->spans, &lane->spans_cap, lane->nspans) < 0)
		return -ENOMEM;
	while (*nopen && open_until[*nopen - 1] <= s.start_ns)
		(*nopen)--;
	s.depth = *nopen;
	if (*nopen < DEPTH_MAX - 1)
		open_until[(*nopen)++] = s.end_ns;
	td_strbuf_adds(&b, label);
	if (sqlite3_column_int64(stmt, 4) > 1 && sqlite3_column_type(stmt, 3) == SQLITE_INTEGER)
		td_strbuf_addf(&b, ", run %lld", (long long)sqlite3_column_int64(stmt, 3));
	s.hue = hue_of(label);
	s.name = td_strbuf_error(&b) < 0 ? NULL : td_timeline_name(b.p, b.len);
	if (!s.name)
		return -ENOMEM;
	lane->spans[lane->nspans++] = s;
	return 0;
}

int td_fill_phases(struct td_filling *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int64_t open_until[DEPTH_MAX];
	struct td_lane *lane = NULL;
	unsigned nopen = 0;
	int r = td_filling_prepare(f, PHASES, &stmt, err);

	if (r < 0)
		return r;
	(void)sqlite3_bind_int64(stmt, 1, f->t->start_ns);
	(void)sqlite3_bind_int64(stmt, 2, f->t->end_ns);
	(void)sqlite3_bind_int64(stmt, 3, SPANS_MAX);
	while (r == 0 && (r = td_filling_step(f, stmt, err)) == 1) {
		if (!lane)
			lane = td_filling_lane(f, "phases", "phases", "Phases", TD_LANE_SPANS,
					       TD_LANE_SHARE);
		r = lane ? add_span(f->t, lane, stmt, open_until, &nopen) : -ENOMEM;
	}
	return r;
}

/* --- loss --- */

/* Which lanes miss events of a set; others show what is sampled, or what somebody else recorded. */
static bool can_miss(const struct td_lane *lane, const char *set)
{
	static const char *const calls[] = { "files", "opens", "sync" };
	bool block = strcmp(set, "block_io") == 0 || strcmp(set, "block") == 0;
	bool cuda = strcmp(set, "cuda") == 0, all = strcmp(set, "spool") == 0;

	if (lane->sampled_ns || lane->kind == TD_LANE_SPANS)
		return false;
	if (strcmp(lane->group, "gpu") == 0)
		return cuda || all;
	if (strcmp(lane->group, "block") == 0 || strcmp(lane->group, "latency") == 0)
		return block || all;
	for (size_t i = 0; i < TD_ARRAY_SIZE(calls); i++)
		if (strcmp(lane->group, calls[i]) == 0)
			return !block && !cuda;
	return false;
}

int td_fill_loss(struct td_filling *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	struct td_timeline *t = f->t;
	int r = td_filling_prepare(f, LOST, &stmt, err);

	while (r == 0 && (r = td_filling_step(f, stmt, err)) == 1) {
		const char *set = (const char *)sqlite3_column_text(stmt, 0);
		int64_t start_ns = TD_MAX(sqlite3_column_int64(stmt, 1), t->start_ns);
		int64_t end_ns = TD_MIN(sqlite3_column_int64(stmt, 2), t->end_ns);

		r = 0;
		for (size_t i = 0; i < t->nlanes && r == 0; i++)
			if (can_miss(t->lanes[i], set ? set : ""))
				r = td_lane_gap_add(t->lanes[i], start_ns, end_ns, true);
	}
	return r;
}
