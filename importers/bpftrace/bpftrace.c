/* SPDX-License-Identifier: MIT */
/*
 * bpftrace text as the mlperf-traces scripts print it (bpftrace/layouts.c has their layouts), and as any
 * script prints it whose program is given with --layout (bpftrace/program.c).
 *
 *     Attaching 6 probes...                                                        skipped
 *     Capturing VFS Read and Write calls                                           skipped
 *     TIMESTAMP         TIME      PID    COMM           R/W  LAT(ns) REQUESTED ...  skipped: the layout
 *     1380360127728142  00:16:13  2083041 python         R    7230    832        832        libpthread-2.27.so
 *     Lost 3453 events                                                             skipped, counted
 *     @func[2083048]: openat                                                       skipped: a map
 *
 * bpftrace/rows.c says what becomes of the columns. Native times are nsecs, nanoseconds since boot; those
 * of the time-aligned form ("2022-02-05T20:27:46.077425393 1313403 python vfs_open 100226 log.json": TIME
 * dropped, single blanks) are UTC.
 *
 * The header selects the layouts that a row may have. Without one, as in a file that grep made, every
 * layout may; those whose script is part of the file's name are tried first, because a few scripts print
 * rows that look the same (tools/read and tools/write).
 *
 * Issues: spoilt-line (two events woven into each other; neither is used), cut-line (the last line, not
 * whole), unknown-line (no row of the layout), other-clock (a time-aligned row in a file that has
 * others, or the reverse). Repairs: wrapped-latency, wrapped-size, wrapped-offset, impossible-latency
 * (dropped, the row kept), spoilt-rest and cut-rest (of a line that holds several events the first ones
 * were good). Noted: several-layouts, with the name of each further one; other-spacing (rows
 * that have the columns of the header, but not their widths, are read by white space).
 */
#include <assert.h>

#include "common/cleanup.h"
#include "importers/bpftrace/bpftrace.h"
#include "importers/core/importers.h"

struct layout_use {
	bool candidate; /* chosen by a header, or by a row */
	bool seen; /* a row had it */
};

/* All that lines mean to those behind them. Copies are made of the bytes, and compared: so it owns nothing and has no
 * padding. */
struct context {
	int64_t ts; /* of the last event; 0 in the time-aligned form */
	const struct td_pattern *last[2]; /* of the set; matched last: printed, time-aligned */
	enum td_clock clock;
	bool clock_set;
	bool header; /* a header chose the candidates */
	bool matched; /* a row had one of them since */
	bool spaced; /* its columns did not fit, but read by white space they were those of the layout */
	struct layout_use layouts[]; /* of the set */
};
static_assert(offsetof(struct context, layouts) == sizeof(int64_t) + 2 * sizeof(void *) +
							   sizeof(enum td_clock) + 4 * sizeof(bool),
	      "padding, or a member that was not thought of");

struct bpftrace_state {
	/* as begin() makes them */
	struct td_layout_set own; /* with the user's */
	const struct td_layout_set *set; /* own, or shared */
	uint16_t *order; /* all patterns, those of the likeliest layout first; owned */

	struct context *at; /* owned */
	uint16_t *rows; /* patterns of the candidates, which follow from it; owned */
	size_t nrows;

	/* what is found out again when it is forgotten */
	struct td_bpftrace_ids ids;
	struct td_layout_values values; /* of the event being read */
};

/* What events() returns beside verdicts. */
enum { NO_EVENT = TD_LINE_ISSUE + 1 };

/* --- which layout --- */

static void list_candidate_rows(struct bpftrace_state *s)
{
	s->nrows = 0;
	for (size_t i = 0; i < s->set->npatterns; i++)
		if (s->at->layouts[s->set->patterns[i].layout].candidate)
			s->rows[s->nrows++] = (uint16_t)i;
}

static void begin_candidates(struct bpftrace_state *s)
{
	list_candidate_rows(s);
	s->at->last[0] = s->at->last[1] = NULL;
}

static void drop_candidates(struct bpftrace_state *s)
{
	for (size_t i = 0; i < s->set->nlayouts; i++)
		s->at->layouts[i].candidate = false;
}

/* A header selects its layouts; headers that follow each other (mmap and munmap) add up. Returns what
 * follows it on its line, which is an event if the script forgot the newline; NULL if it is no header. */
static const char *header(struct bpftrace_state *s, const char *line, const char *end)
{
	const char *rest = NULL;

	for (size_t i = 0; i < s->set->nlayouts; i++) {
		const char *const *h = s->set->layouts[i].headers;

		for (; h && *h; h++) {
			const char *p = td_layout_header_match(*h, line, end);

			if (!p || (p < end && !td_is_digit(*p)))
				continue;
			if (!rest && (s->at->matched || !s->at->header))
				drop_candidates(s);
			rest = p;
			s->at->header = true;
			s->at->matched = false;
			s->at->layouts[i].candidate = true;
		}
	}
	if (rest)
		begin_candidates(s);
	return rest;
}

static void choose_layout(struct td_import *imp, struct bpftrace_state *s, size_t layout)
{
	const char *name = s->set->layouts[layout].name;
	bool first = true;

	s->at->matched = true;
	if (!s->at->layouts[layout].candidate) {
		s->at->layouts[layout].candidate = true;
		begin_candidates(s);
	}
	if (s->at->layouts[layout].seen)
		return;
	for (size_t i = 0; i < s->set->nlayouts; i++)
		first &= !s->at->layouts[i].seen;
	s->at->layouts[layout].seen = true;
	if (first)
		td_import_set_layout(imp, name);
	else
		td_note(imp, "several-layouts", name);
}

/* --- which row --- */

static const struct td_pattern *match_candidates(const struct bpftrace_state *s, const char *p,
						 const char *end, bool sure,
						 struct td_layout_values *v, const char **ret_next)
{
	bool iso = td_layout_is_iso(p, end);
	const struct td_pattern *last = s->at->last[iso], *pt;

	/* most texts fit into their columns */
	if (last && (pt = td_bpftrace_match_exact(last, p, end, sure, v, ret_next)))
		return pt;
	if (last && (*ret_next = td_bpftrace_match(last, p, end, sure, v)))
		return last;
	for (size_t i = 0; i < s->nrows; i++) {
		pt = &s->set->patterns[s->rows[i]];
		if (pt->iso == iso && pt != last &&
		    (*ret_next = td_bpftrace_match(pt, p, end, sure, v)))
			return pt;
	}
	return NULL;
}

/* A file that went through tr, awk or a log shipper has the columns of its header, but not their widths. That
 * the first row does not fit shows it: in other files what does not fit is damaged. */
static const struct td_pattern *match_spaced(struct td_import *imp, struct bpftrace_state *s,
					     const char *p, const char *end,
					     struct td_layout_values *v, const char **ret_next)
{
	for (size_t i = 0; (s->at->spaced || !s->at->matched) && i < s->nrows; i++) {
		const struct td_pattern *pt = &s->set->patterns[s->rows[i]];

		*ret_next = td_bpftrace_match_spaced(pt, p, end, v);
		if (!*ret_next)
			continue;
		if (!s->at->spaced)
			td_note(imp, "other-spacing", NULL);
		s->at->spaced = true;
		return pt;
	}
	return NULL;
}

static const struct td_pattern *match_event(struct td_import *imp, struct bpftrace_state *s,
					    const char *p, const char *end,
					    struct td_layout_values *v, const char **ret_next)
{
	const struct td_pattern *pt;

	pt = match_candidates(s, p, end, !s->at->header, v, ret_next);
	if (!pt && (!s->at->header || !s->at->matched))
		pt = td_bpftrace_match_any(s->set, s->order, !s->at->matched && !s->at->header, p,
					   end, v, ret_next);
	if (!pt && !s->at->header)
		pt = match_candidates(s, p, end, false, v, ret_next);
	/* padding: the columns have their widths after all */
	if (pt && s->at->spaced && memmem(p, (size_t)(*ret_next - p), "  ", 2))
		s->at->spaced = false;
	return pt || !s->at->header ? pt : match_spaced(imp, s, p, end, v, ret_next);
}

/* --- lines --- */

static enum td_clock clock_of(const struct bpftrace_state *s, const struct td_pattern *pt)
{
	enum td_clock given = s->set->layouts[pt->layout].clock;

	return pt->iso ? TD_CLOCK_UTC : given == TD_CLOCK_NONE ? TD_CLOCK_BOOT : given;
}

/* 1: stored; 0: not on the clock of this file; or -errno. */
static int put_event(struct td_import *imp, struct bpftrace_state *s, const struct td_pattern *pt,
		     const struct td_layout_values *v)
{
	int r;

	if (pt->kind == TD_PATTERN_NOISE)
		return 1;
	if (pt != s->at->last[pt->iso]) {
		choose_layout(imp, s, pt->layout);
		s->at->last[pt->iso] = pt;
	}
	if (!s->at->clock_set) {
		s->at->clock = clock_of(s, pt);
		s->at->clock_set = true;
		td_import_set_clock(imp, s->at->clock);
	} else if (s->at->clock != clock_of(s, pt)) {
		return 0;
	}
	s->at->ts = pt->iso ? 0 : v->num[TD_FIELD_TS];
	r = td_bpftrace_put(imp, &s->ids, s->set, pt, v);
	return r < 0 ? r : 1;
}

/* Why does the text not match? Of two interleaved events one line holds the beginnings and the next one
 * an end. */
static const char *issue_kind(const struct td_import *imp, const struct bpftrace_state *s,
			      const char *p, const char *end)
{
	const char *second = p;

	if (imp->line_unterminated)
		return "cut-line";
	while (second < end && td_is_digit(*second))
		second++;
	if (td_layout_find_time((struct td_str){ second, (size_t)(end - second) }, s->at->ts).len)
		return "spoilt-line";
	for (size_t i = 0; s->at->matched && i < s->nrows; i++)
		if (td_pattern_match_tail(&s->set->patterns[s->rows[i]], p, end))
			return "spoilt-line";
	return "unknown-line";
}

/* Is the event that the text ends with surely whole? It is if its format ends with what cannot grow. */
static bool is_whole(const struct td_pattern *pt)
{
	const struct td_pattern_op *last = &pt->ops[pt->nops - 1];

	return pt->open && pt->nops > 0 && (last->kind == TD_OP_TIME || last->literal.len > 0);
}

/* The events of the text, most often one; NO_EVENT if it does not begin with one. */
static int events(struct td_import *imp, struct bpftrace_state *s, const char *p, const char *end)
{
	bool some = false, data = false;
	int r = 1;

	while (p < end) {
		const char *next;
		const struct td_pattern *pt = match_event(imp, s, p, end, &s->values, &next);

		if (pt && imp->line_unterminated && next == end && !is_whole(pt))
			pt = NULL;
		if (!pt && !some)
			return NO_EVENT;
		if (!pt && imp->line_unterminated) {
			td_repair(imp, "cut-rest");
			td_import_set_cut(imp, "the last line is cut");
			break;
		}
		if (!pt) {
			td_repair(imp, "spoilt-rest");
			break;
		}
		r = put_event(imp, s, pt, &s->values);
		if (r < 0)
			return r;
		if (r == 0 && !some)
			return td_reject(imp, "other-clock");
		some = true;
		data |= pt->kind != TD_PATTERN_NOISE;
		p = next;
	}
	return data ? TD_LINE_ROW : TD_LINE_SKIPPED;
}

/* White space, at least one. */
static bool blanks(struct td_scan *t)
{
	const char *from = t->p;

	while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
		t->p++;
	return t->p > from;
}

/* "Lost 88 events" at p, with its number: what follows it; NULL if it is not there. */
static const char *lost_events(const char *p, const char *end, uint64_t *ret)
{
	struct td_scan t = { p, end };

	if (!td_scan_literal(&t, "Lost") || !blanks(&t) || !td_scan_u64(&t, ret) || !blanks(&t) ||
	    !td_scan_literal(&t, "events"))
		return NULL;
	return t.p;
}

/* bpftrace says that it lost events anywhere in its output, also between the parts of an event that is
 * printed in several. What is left of the line without it decides. */
static int damaged_line(struct td_import *imp, struct bpftrace_state *s, const char *line,
			const char *end)
{
	const char *at = td_find(line, (size_t)(end - line), "Lost", 4), *rest = NULL;
	char joined[4096];
	uint64_t n = 0;
	size_t len;
	int r;

	while (at && !(rest = lost_events(at, end, &n)))
		at = td_find(at + 1, (size_t)(end - at - 1), "Lost", 4);
	if (!rest)
		return td_reject(imp, issue_kind(imp, s, line, end));
	td_lost(imp, n);
	len = (size_t)(at - line) + (size_t)(end - rest);
	if (len == 0)
		return TD_LINE_SKIPPED;
	if (len > sizeof(joined))
		return td_reject(imp, "spoilt-line");
	memcpy(joined, line, (size_t)(at - line));
	memcpy(joined + (at - line), rest, (size_t)(end - rest));
	r = events(imp, s, joined, joined + len);
	return r == NO_EVENT ? td_reject(imp, "spoilt-line") : r;
}

/* Where the event of the line begins, behind texts that were printed without newline; NULL if the line
 * is known to have none. */
static const char *event_at(struct bpftrace_state *s, const char *line, const char *end)
{
	static const char glued[] = "vfs_create"; /* of cd.bt */
	const char *p;

	if (line < end && td_is_digit(*line))
		return line;
	p = header(s, line, end);
	if (p)
		return p < end ? p : NULL;
	if (td_bpftrace_is_noise((struct td_str){ line, (size_t)(end - line) }))
		return NULL;
	for (p = line; (size_t)(end - p) >= strlen(glued) && !memcmp(p, glued, strlen(glued));)
		p += strlen(glued);
	if (p == line || (p < end && !td_is_digit(*p)))
		return line;
	return p < end ? p : NULL;
}

static int bpftrace_line(struct td_import *imp, char *line, size_t len)
{
	struct bpftrace_state *s = imp->state;
	const char *end = line + len, *p = event_at(s, line, end);
	int r;

	if (!p && imp->line_unterminated)
		return td_reject(imp, "cut-line");
	if (!p)
		return TD_LINE_SKIPPED;
	r = events(imp, s, p, end);
	return r == NO_EVENT ? damaged_line(imp, s, p, end) : r;
}

/* --- begin and end --- */

static void state_done(void *state)
{
	struct bpftrace_state *s = state;

	td_layout_set_done(&s->own);
	free(s->ids.ops);
	free(s->ids.files);
	free(s->order);
	free(s->at);
	free(s->rows);
}

/* How many characters of the file's name say that a layout made it: those of its script. */
static size_t likeliness(const struct td_layout *l, const char *path)
{
	const char *file = strrchr(path, '/'), *script = strchr(l->name, '/');

	script = script ? script + 1 : l->name;
	return strstr(file ? file : path, script) ? strlen(script) : 0;
}

struct place {
	size_t layout, score;
};

/* The places of a set's layouts, the likeliest first; those that the user gave stay in front. */
static void place_layouts(const struct td_layout_set *set, const char *path, struct place *ret)
{
	size_t given = 0;

	while (set->layouts[given].name != td_layouts[0].name)
		given++;
	for (size_t i = 0; i < set->nlayouts; i++) {
		struct place p = { i, likeliness(&set->layouts[i], path) };
		size_t at = i;

		for (; at > given && ret[at - 1].score < p.score; at--)
			ret[at] = ret[at - 1];
		ret[at] = p;
	}
}

static int order_layouts(struct bpftrace_state *s, const char *path)
{
	const struct td_layout_set *set = s->set;
	_cleanup_free_ struct place *places = calloc(set->nlayouts, sizeof(*places));
	_cleanup_free_ size_t *begins = calloc(set->nlayouts, sizeof(*begins)); /* of patterns */
	size_t n = 0;

	if (!places || !begins)
		return -ENOMEM;
	place_layouts(set, path, places);
	for (size_t i = set->npatterns; i-- > 0;) /* they are in order of their layouts */
		begins[set->patterns[i].layout] = i;
	for (size_t k = 0; k < set->nlayouts; k++) {
		size_t layout = places[k].layout;

		for (size_t i = begins[layout];
		     i < set->npatterns && set->patterns[i].layout == layout; i++)
			s->order[n++] = (uint16_t)i;
	}
	return 0;
}

static size_t context_size(const struct td_layout_set *set)
{
	return offsetof(struct context, layouts) + set->nlayouts * sizeof(struct layout_use);
}

/* The arrays, for s->set. */
static int allocate(struct bpftrace_state *s)
{
	s->ids.ops = calloc(s->set->npatterns, sizeof(*s->ids.ops));
	s->order = calloc(s->set->npatterns, sizeof(*s->order));
	s->at = calloc(1, context_size(s->set));
	s->rows = calloc(s->set->npatterns, sizeof(*s->rows));
	return s->ids.ops && s->order && s->at && s->rows ? 0 : -ENOMEM;
}

static int bpftrace_begin(struct td_import *imp, struct td_err *err)
{
	struct bpftrace_state *s = imp->state;
	int r = td_bpftrace_layouts(imp->options->layouts, &s->own, &s->set);

	if (r >= 0)
		r = allocate(s);
	return r < 0 ? r : order_layouts(s, td_store_source_at(imp->store, imp->source_id)->path);
}

/* Of events that are printed without newlines all but the last one are whole. */
static bool bpftrace_takes_tail(const char *tail, size_t len)
{
	(void)tail;
	(void)len;
	return true;
}

static int bpftrace_end(struct td_import *imp)
{
	state_done(imp->state);
	return 0;
}

/* --- out of turn --- */

static int copy_state(void *to, const void *from)
{
	struct bpftrace_state *t = to;
	const struct bpftrace_state *f = from;
	size_t npatterns = f->set->npatterns;

	if (!t->set) {
		t->set = f->set;
		if (allocate(t) < 0)
			return -ENOMEM;
		memcpy(t->order, f->order, npatterns * sizeof(*t->order));
	}
	memcpy(t->at, f->at, context_size(f->set));
	list_candidate_rows(t);
	t->ids = (struct td_bpftrace_ids){
		.ops = t->ids.ops,
		.files = t->ids.files,
		.nfiles = t->ids.nfiles,
	};
	memset(t->ids.ops, 0, npatterns * sizeof(*t->ids.ops));
	if (t->ids.files)
		memset(t->ids.files, 0, t->ids.nfiles * sizeof(*t->ids.files));
	return 0;
}

static bool same_state(const void *a, const void *b)
{
	const struct bpftrace_state *x = a, *y = b;

	return memcmp(x->at, y->at, context_size(x->set)) == 0;
}

static const struct td_importer_speculation speculation = {
	.copy = copy_state,
	.same = same_state,
	.take = copy_state,
	.done = state_done,
};

const struct td_importer td_importer_bpftrace = {
	.name = "bpftrace",
	.desc = "bpftrace text of the mlperf-traces scripts, or of a script given with --layout",
	.clock = TD_CLOCK_BOOT,
	.state_size = sizeof(struct bpftrace_state),
	.sniff = td_bpftrace_sniff,
	.surest = 95,
	.layout = &td_bpftrace_layout,
	.sniff_with = td_bpftrace_sniff_with,
	.begin = bpftrace_begin,
	.line = bpftrace_line,
	.takes_tail = bpftrace_takes_tail,
	.speculation = &speculation,
	.end = bpftrace_end,
};
