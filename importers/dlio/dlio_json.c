/* SPDX-License-Identifier: MIT */
/*
 * What the DLIO benchmark writes besides its log, one file of each kind per rank, and summary.json:
 *
 *     0_per_epoch_stats.json   {"1": {"start": "2023-04-04T16:33:42.960068",
 *                                     "block1": {"start": ..., "end": ..., "duration": "32.86"},
 *                                     "eval": {...}, "save_ckpt1": {..., "throughput": 0.133},
 *                                     "end": "2023-04-04T16:34:15.862577"}, "2": ...}
 *     0_output.json            {"1": {"load": {"block1": [2.955, 0.014, ...]}, "proc": ..., "compute": ...,
 *                                     "throughput": {"block1": 5.11}, "au": {"block1": 99.29}}, ...}
 *     summary.json             {"num_accelerators": 2, "metric": {"train_au_percentage": [99.2, ...],
 *                                     "train_au_mean_percentage": 97.9}, "start": ..., "end": ...}
 *
 *     an object with start and end   phase: the spans that dlio.c makes of the log, with the rank that the file's
 *                                    name begins with; of summary.json 'run'
 *     a list of seconds per step     summaries dlio.load, dlio.proc, dlio.compute: steps, total and max
 *     any other number               summary 'dlio.<name>'
 *
 * Which file it is does not matter: names and nesting say what a value is. Times are as in the log.
 *
 * Where a bracket is lost, what is behind it seems to be deeper, or less deep, than it is. Only epochs have numbers for
 * names: the next one is where all is clear again, and what had no place until then is spoilt, not merely unknown.
 */
#include <math.h>

#include "common/cleanup.h"
#include "importers/core/importers.h"
#include "common/json/events.h"

/* Begin and end of an object. */
struct times {
	int64_t start_ns, end_ns; /* TD_NULL: not said */
};

#define PHASE_DEPTH 3 /* the whole, an epoch, a part of it */
#define EPOCH_DEPTH 2
#define LIST_DEPTH 4 /* of an epoch: of "load" and the like, a block */

struct json {
	struct td_json_events events;
	struct times times[PHASE_DEPTH + 1]; /* by depth */
	int64_t rank; /* TD_NULL: unknown */
	uint64_t nth; /* of the list being read: elements so far */
	double total, max;
	bool some; /* of the line being read: something of it is kept */
	bool noted;
};

static const struct {
	const char *begin, *name;
} parts[] = {
	{ "block", "block" },
	{ "eval", "eval" },
	{ "save_ckpt", "checkpoint" },
	{ "load_ckpt", "checkpoint-load" },
};

static bool scan_number(const char *text, int64_t *ret)
{
	struct td_scan s = td_scan_of(text, strlen(text));
	uint64_t n;

	if (!td_scan_u64(&s, &n) || !td_scan_done(&s) || n > INT32_MAX)
		return false;
	*ret = (int64_t)n;
	return true;
}

/* --- phases --- */

/* What an object at that depth is; *ret_part: the number behind its name, or TD_NULL. NULL: no phase. */
static const char *phase_name(const struct json *j, unsigned depth, int64_t *ret_part)
{
	const char *key = j->events.keys[depth - 1];

	*ret_part = TD_NULL;
	if (depth == 1)
		return "run";
	if (depth == 2)
		return scan_number(key, ret_part) ? "epoch" : NULL;
	for (size_t i = 0; i < TD_ARRAY_SIZE(parts); i++) {
		size_t n = strlen(parts[i].begin);

		if (strncmp(key, parts[i].begin, n) != 0)
			continue;
		(void)scan_number(key + n, ret_part);
		return parts[i].name;
	}
	return NULL;
}

static int put_phase(struct td_import *imp, struct json *j, unsigned depth)
{
	const struct times *t = &j->times[depth];
	struct td_span span = TD_SPAN_INIT;
	int64_t part;
	const char *name = phase_name(j, depth, &part);
	char args[64];
	int n;

	if (!name || t->start_ns == TD_NULL)
		return 0;
	span.start_ns = t->start_ns;
	if (t->end_ns != TD_NULL)
		span.dur_ns = t->end_ns - t->start_ns;
	if (depth > 1)
		(void)scan_number(j->events.keys[1], &span.number);
	if (j->rank != TD_NULL)
		span.rank = (int32_t)j->rank;
	span.run_number = 1;
	span.kind_id = td_store_cstr(imp->store, "phase");
	span.name_id = td_store_cstr(imp->store, name);
	span.state_id = td_store_cstr(imp->store, t->end_ns == TD_NULL ? "unfinished" : "complete");
	n = snprintf(args, sizeof(args), "{\"part\":%lld}", (long long)part);
	if (depth > 2 && part != TD_NULL)
		span.args_id = td_store_string(imp->store, args, (size_t)n);
	j->some = true;
	return td_put_span(imp, &span);
}

/* Where to put the start or end of what is open; NULL: it is nowhere, as it has one already, or an end comes first. */
static int64_t *place_of_time(struct json *j, bool is_start)
{
	unsigned depth = j->events.depth;
	struct times *t = depth <= PHASE_DEPTH ? &j->times[depth] : NULL;
	int64_t part;

	if (!t || (depth == EPOCH_DEPTH && !phase_name(j, depth, &part)) ||
	    (t->start_ns == TD_NULL) != is_start)
		return NULL;
	return is_start ? &t->start_ns : t->end_ns == TD_NULL ? &t->end_ns : NULL;
}

static int time_member(struct td_import *imp, struct json *j, const char *key)
{
	struct td_scan s = td_scan_of(j->events.text.p, j->events.text.len);
	bool is_start = strcmp(key, "start") == 0;
	int64_t ns, *place;

	if (!is_start && strcmp(key, "end") != 0)
		return 0;
	place = place_of_time(j, is_start);
	if (!place || !td_scan_iso(&s, &ns))
		return -EBADMSG;
	if (!j->noted)
		td_note(imp, "assumed-utc", "the times are read as UTC");
	j->noted = j->some = true;
	*place = ns;
	return 0;
}

/* An epoch is not where epochs are: a bracket was lost before it. What seems to be open ends here. */
static int find_back(struct td_import *imp, struct json *j)
{
	unsigned open = TD_MIN(j->events.depth - 1, (unsigned)PHASE_DEPTH);
	char epoch[TD_JSON_EVENTS_KEY];
	int r = 0;

	td_note(imp, "lost-bracket", NULL);
	memcpy(epoch, j->events.keys[j->events.depth - 1], sizeof(epoch));
	for (unsigned d = open; d >= EPOCH_DEPTH && r >= 0; d--)
		r = put_phase(imp, j, d);
	j->events.depth = EPOCH_DEPTH;
	memcpy(j->events.keys[EPOCH_DEPTH - 1], epoch, sizeof(epoch));
	return r;
}

/* --- numbers --- */

static void put_summary(struct td_import *imp, struct json *j, const char *name, const char *key,
			const char *unit, double value)
{
	struct td_summary s = TD_SUMMARY_INIT(imp->source_id);
	char full[160], rank[32] = "";

	(void)snprintf(full, sizeof(full), "dlio.%.120s", name);
	s.name = td_import_keep_cstr(imp, full);
	if (j->rank != TD_NULL)
		(void)snprintf(rank, sizeof(rank), "rank %lld%s", (long long)j->rank,
			       key[0] ? ", " : "");
	(void)snprintf(full, sizeof(full), "%s%.120s", rank, key);
	s.key = full[0] ? td_import_keep_cstr(imp, full) : NULL;
	s.unit = unit;
	s.value = value;
	j->some = true;
	td_store_summary(imp->store, &s);
}

/* Is it of "load", "proc", "compute" below an epoch? The object or array told stands up levels below that. */
static bool in_epoch(const struct json *j, unsigned up, char key[96])
{
	const char *epoch = td_json_events_around(&j->events, up + 1);
	int64_t number;

	if (!scan_number(epoch, &number))
		return false;
	(void)snprintf(key, 96, "epoch %lld", (long long)number);
	return true;
}

static int number_member(struct td_import *imp, struct json *j, const char *key)
{
	const char *list = td_json_events_around(&j->events, 0);
	const char *of = td_json_events_around(&j->events, 1);
	char full[96] = "", part[192];

	if (!key[0]) { /* in a list */
		if (j->events.depth > LIST_DEPTH)
			return -EBADMSG;
		j->total += j->events.number;
		j->max = TD_MAX(j->max, j->events.number);
		j->nth++;
		j->some = true;
		(void)snprintf(full, sizeof(full), "epoch %llu", (unsigned long long)j->nth);
		if (strcmp(of, "metric") == 0)
			put_summary(imp, j, list, full, NULL, j->events.number);
	} else if (j->events.depth == 1 || strcmp(list, "metric") == 0) {
		put_summary(imp, j, key, "", NULL, j->events.number);
	} else if (j->events.depth == 3 && in_epoch(j, 0, full)) {
		(void)snprintf(part, sizeof(part), "%s, %s", full, key);
		put_summary(imp, j, list, part, NULL, j->events.number);
	}
	return 0;
}

/* The steps of one block: how many, and how long they took. */
static void end_list(struct td_import *imp, struct json *j)
{
	const char *block = td_json_events_key(&j->events, TD_JSON_CLOSE);
	const char *what = td_json_events_around(&j->events, 1);
	char epoch[96], key[192], name[96];

	if (j->events.depth != LIST_DEPTH || !j->nth || !in_epoch(j, 1, epoch))
		return;
	(void)snprintf(key, sizeof(key), "%s, %s", epoch, block);
	(void)snprintf(name, sizeof(name), "%.64s.steps", what);
	put_summary(imp, j, name, key, "count", (double)j->nth);
	if (isnan(j->total))
		return;
	(void)snprintf(name, sizeof(name), "%.64s.total", what);
	put_summary(imp, j, name, key, "s", j->total);
	(void)snprintf(name, sizeof(name), "%.64s.max", what);
	put_summary(imp, j, name, key, "s", j->max);
}

/* --- lines --- */

static void begin(struct json *j)
{
	if (j->events.depth <= PHASE_DEPTH)
		j->times[j->events.depth] = (struct times){ TD_NULL, TD_NULL };
	j->nth = 0;
	j->total = 0;
	j->max = -INFINITY;
}

static int on_event(void *arg, struct td_json_events *events, enum td_json_event event)
{
	struct td_import *imp = arg;
	struct json *j = imp->state;
	const char *key = td_json_events_key(events, event);
	int64_t epoch;
	int r = 0;

	switch (event) {
	case TD_JSON_OPEN:
		if (events->is_object && events->depth != EPOCH_DEPTH && scan_number(key, &epoch))
			r = find_back(imp, j);
		begin(j);
		break;
	case TD_JSON_CLOSE:
		if (!events->is_object)
			end_list(imp, j);
		else if (events->depth <= PHASE_DEPTH)
			return put_phase(imp, j, events->depth);
		break;
	case TD_JSON_STRING:
		return time_member(imp, j, key);
	case TD_JSON_NUMBER:
		return number_member(imp, j, key);
	case TD_JSON_WORD: /* NaN in a list: an element like others, but nobody knows how much */
		if (!key[0]) {
			j->total = NAN;
			j->nth++;
		}
		break;
	}
	return r;
}

static int dlio_json_line(struct td_import *imp, char *line, size_t len)
{
	struct json *j = imp->state;
	int r;

	j->some = false;
	j->events.unterminated = imp->line_unterminated;
	r = td_json_events_line(imp, &j->events, line, len, on_event);
	if (r == -EBADMSG)
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
	return r < 0 ? r : j->some ? TD_LINE_ROW : TD_LINE_SKIPPED;
}

/* "out/3_output.json" */
static int64_t rank_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct td_scan s = td_scan_of(slash ? slash + 1 : path, strlen(slash ? slash + 1 : path));
	uint64_t rank;

	return td_scan_u64(&s, &rank) && td_scan_char(&s, '_') && rank <= INT32_MAX ? (int64_t)rank
										    : TD_NULL;
}

static int dlio_json_begin(struct td_import *imp, struct td_err *err)
{
	struct json *j = imp->state;

	(void)err;
	j->rank = rank_of(td_store_source_at(imp->store, imp->source_id)->path);
	return 0;
}

static int dlio_json_end(struct td_import *imp)
{
	struct json *j = imp->state;
	int r = 0;

	if (j->events.depth == 0)
		return 0;
	td_import_set_cut(imp, "the JSON ends before its time");
	for (unsigned d = TD_MIN(j->events.depth, (unsigned)PHASE_DEPTH); d > 0 && r >= 0; d--)
		r = put_phase(imp, j, d);
	return r;
}

/* Line breaks mean nothing here; what is not whole is told from the text. */
static bool dlio_json_takes_tail(const char *tail, size_t len)
{
	(void)tail;
	(void)len;
	return true;
}

static bool has(const char *head, size_t len, const char *text)
{
	return td_find(head, len, text, strlen(text)) != NULL;
}

/* An epoch's number, then what only DLIO has below it. */
static int dlio_json_sniff(const char *head, size_t len)
{
	struct td_scan s = td_scan_of(head, len);

	while (s.p < s.end && strchr(" \t\r\n", *s.p) && *s.p)
		s.p++;
	if (!td_scan_char(&s, '{'))
		return 0;
	if (has(head, len, "\"num_accelerators\"") && has(head, len, "\"metric\""))
		return 84;
	if (!(has(head, len, "\"1\":") || has(head, len, "\"1\" :")) ||
	    !(has(head, len, "\"block1\"") || has(head, len, "\"eval\"") ||
	      has(head, len, "_ckpt1\"")))
		return 0;
	return has(head, len, "\"start\"") ||
			       (has(head, len, "\"load\"") && has(head, len, "\"proc\""))
		       ? 84
		       : 0;
}

const struct td_importer td_importer_dlio_json = {
	.name = "dlio-json",
	.desc = "per_epoch_stats, output and summary JSON of the DLIO benchmark: phases and totals",
	.clock = TD_CLOCK_UTC,
	.state_size = sizeof(struct json),
	.sniff = dlio_json_sniff,
	.surest = 84,
	.begin = dlio_json_begin,
	.line = dlio_json_line,
	.takes_tail = dlio_json_takes_tail,
	.end = dlio_json_end,
};
