/* SPDX-License-Identifier: MIT */
/*
 * MLPerf training logs, all three generations, with anything in front of the tag:
 *
 *     3: :::MLLOG {"namespace": "", "time_ms": 1714557601000, "event_type": "INTERVAL_START",
 *                  "key": "epoch_start", "value": null, "metadata": {"epoch_num": 2, "lineno": 9}}
 *     :::MLL 1714557601.000 epoch_start: {"value": null, "metadata": {"epoch_num": 2}}
 *     :::MLPv0.5.0 ncf 1714557601.000 (ncf.py:9) eval_start: 2
 *
 *     time      UTC: time_ms or time_s, in decimal, no bit is lost; 0 is no time, such an event is
 *               rejected as "no-time"
 *     rank      from "3: ", "[3] ", "[1,3]<stdout>:", "[default3]:" or "[rank3]:" in front of the tag, else
 *               metadata.rank
 *     event     INTERVAL_START and INTERVAL_END, or without event_type the key's ending _start and
 *               _stop or _end, become spans of kind 'phase' named by the key without the ending, see
 *               mllog/spans.c; everything else becomes a mark named by the key
 *     args      {"value": ..., "metadata": ...}; a span has both ends' metadata, its start's first
 *
 * Lines without the tag are skipped. Metadata printed by Python ({'a': None}) is read, too. An event
 * that a second logger prints again ("DEBUG:<logger>:" in front of it) counts once. A line may hold several events,
 * one of which may have lost its end to the next (spoilt-event).
 */
#include <xxhash.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "importers/core/importers.h"
#include "common/json/text.h"
#include "importers/mllog/mllog.h"

#define NRECENT 16 /* lines between an event and its copy by the other logger, at most */

struct recent {
	uint64_t hash;
	bool from_logger; /* has a logger's prefix */
	bool is_paired;
};

struct mllog {
	struct td_mllog_spans spans;
	struct recent recent[NRECENT]; /* ring */
	unsigned nrecent;
	bool has_layout;
	struct td_strbuf text; /* JSON that does not stand in the line */
};

static const struct {
	const char *key;
	enum td_mllog_number kind;
} numbers[] = {
	{ "epoch_num", TD_MLLOG_EPOCH },
	{ "first_epoch_num", TD_MLLOG_EPOCH },
	{ "epoch", TD_MLLOG_EPOCH },
	{ "step_num", TD_MLLOG_PROGRESS },
	{ "samples_count", TD_MLLOG_PROGRESS },
	{ "step", TD_MLLOG_PROGRESS },
};

/* "DEBUG:mlperf_compliance:", but not mpirun's "[1,3]<stdout>:". */
static bool is_logger(struct td_str before)
{
	return before.len >= 2 && before.p[before.len - 1] == ':' &&
	       before.p[before.len - 2] != '>';
}

/* Was the same event just printed by the other one of two loggers? */
static bool is_copy(struct mllog *m, struct td_str before, struct td_str text)
{
	struct recent *r;
	struct recent mine = {
		.hash = XXH3_64bits(text.p, text.len),
		.from_logger = is_logger(before),
	};

	for (unsigned i = 0; i < TD_MIN(m->nrecent, NRECENT); i++) {
		r = &m->recent[i];
		if (r->hash == mine.hash && r->from_logger != mine.from_logger && !r->is_paired) {
			r->is_paired = true;
			return true;
		}
	}
	m->recent[m->nrecent++ % NRECENT] = mine;
	return false;
}

static bool scan_count(struct td_str value, int64_t *ret)
{
	double number;

	if (!td_json_number(value, &number) || !(number > -1e15 && number < 1e15))
		return false;
	*ret = (int64_t)number;
	return true;
}

/* The number from an object's members, or an interval's value if it is one itself. */
static void set_number(struct td_mllog_event *ev, struct td_str from)
{
	if (ev->number != TD_NULL || ev->type == TD_MLLOG_POINT || !from.len)
		return;
	if (scan_count(from, &ev->number))
		ev->number_kind = TD_MLLOG_EPOCH;
	for (size_t i = 0; i < TD_ARRAY_SIZE(numbers) && ev->number == TD_NULL; i++)
		if (scan_count(td_json_get(from, numbers[i].key), &ev->number))
			ev->number_kind = numbers[i].kind;
}

static void set_rank(struct td_mllog_event *ev, struct td_str before)
{
	struct td_str text;
	int64_t rank;

	ev->rank = td_mllog_rank_before(before);
	if (ev->rank != INT32_MIN)
		return;
	text = td_json_get(ev->metadata, "rank");
	if (text.len && scan_count(text, &rank) && rank >= 0 && rank <= INT32_MAX)
		ev->rank = (int32_t)rank;
}

static void set_layout(struct td_import *imp, struct mllog *m, enum td_mllog_generation g)
{
	static const char *const layouts[] = {
		[TD_MLLOG_07] = "MLLOG", [TD_MLLOG_06] = "MLL", [TD_MLLOG_05] = "MLP"
	};

	if (!m->has_layout)
		td_import_set_layout(imp, layouts[g]);
	m->has_layout = true;
}

/* What a line came to. */
struct found {
	unsigned events, spoilt, untimed, copies;
	int32_t rank; /* of the event before; INT32_MIN: unknown */
};

static int put_event(struct td_import *imp, struct mllog *m, struct td_mllog_event *ev,
		     struct td_str before, struct found *found)
{
	int r;

	if (ev->ts_ns <= 0) {
		found->untimed++;
		return 0;
	}
	set_rank(ev, before);
	if (ev->rank == INT32_MIN && found->events && !before.len)
		ev->rank = found->rank;
	found->rank = ev->rank;
	set_number(ev, ev->metadata);
	set_number(ev, ev->value);
	found->events++;
	r = td_mllog_spans_add(imp, &m->spans, ev);
	return r < 0 ? r : 0;
}

/* The next event of the text, which then begins behind it. 0 or -errno. */
static int next_event(struct td_import *imp, struct mllog *m, enum td_mllog_generation g,
		      struct td_str before, struct td_str *text, struct found *found)
{
	struct td_mllog_event ev = { .number = TD_NULL };
	struct td_scan s = td_scan_of(text->p, text->len);

	if (!td_mllog_scan(g, &m->text, &s, &ev)) {
		found->spoilt++;
		return 0;
	}
	if (is_copy(m, before, (struct td_str){ text->p, (size_t)(s.p - text->p) })) {
		found->copies++;
		*text = td_scan_rest(&s);
		return 0;
	}
	*text = td_scan_rest(&s);
	set_layout(imp, m, g);
	return put_event(imp, m, &ev, before, found);
}

/* Nothing, or what switches the colour of a terminal back. */
static bool is_blank(struct td_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '\033' && i + 1 < s.len && s.p[i + 1] == '[')
			for (i += 2; i < s.len && strchr("0123456789;", s.p[i]) && s.p[i]; i++)
				;
		else if ((unsigned char)s.p[i] > ' ')
			return false;
	}
	return true;
}

static int verdict(struct td_import *imp, const struct found *found, struct td_str rest)
{
	if (found->events) {
		if (found->spoilt)
			td_repair(imp, "spoilt-event");
		if (!is_blank(rest) && !found->spoilt)
			td_note(imp, "trailing-text", NULL);
		return TD_LINE_ROW;
	}
	if (found->spoilt)
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
	if (found->untimed)
		return td_reject(imp, "no-time");
	if (found->copies)
		td_note(imp, "duplicate", NULL);
	else if (imp->line_unterminated)
		td_note(imp, "unended-line", NULL);
	return TD_LINE_SKIPPED;
}

/* What looks like an event and is none may be read to the end of the line each time. */
#define SPOILT_MAX 16

static int mllog_line(struct td_import *imp, char *line, size_t len)
{
	struct mllog *m = imp->state;
	struct td_str text = { line, len }, before;
	struct found found = { .rank = INT32_MIN };
	enum td_mllog_generation g;

	while (found.spoilt < SPOILT_MAX && td_mllog_find_tag(&text, &g, &before)) {
		int r = next_event(imp, m, g, before, &text, &found);

		if (r < 0)
			return r;
	}
	return verdict(imp, &found, text);
}

static int mllog_begin(struct td_import *imp, struct td_err *err)
{
	struct mllog *m = imp->state;

	(void)err;
	td_mllog_spans_init(&m->spans);
	return 0;
}

static int mllog_end(struct td_import *imp)
{
	struct mllog *m = imp->state;

	td_strbuf_done(&m->text);
	return td_mllog_spans_end(imp, &m->spans);
}

/* Events end with a brace; other text is of no interest, and many logs end without a newline. */
static bool mllog_takes_tail(const char *tail, size_t len)
{
	struct td_str text = { tail, len }, before;
	enum td_mllog_generation g;

	return tail[len - 1] == '}' || !td_mllog_find_tag(&text, &g, &before);
}

/* Launch scripts can print a lot before the first event; these lines are of MLPerf's own scripts. */
static int sniff_launcher(const char *head, size_t len)
{
	static const char *const lines[] = { "STARTING TIMING RUN AT 20", ":::DLPAL ",
					     ":::SYSJSON {" };
	bool found = false;

	for (size_t i = 0; i < TD_ARRAY_SIZE(lines) && !found; i++)
		found = memmem(head, len, lines[i], strlen(lines[i])) != NULL;
	return found ? 40 : 0;
}

/* Does what stands behind the tag begin as it should? */
static bool has_shape(enum td_mllog_generation g, struct td_str text)
{
	struct td_scan s = td_scan_of(text.p, text.len);
	struct td_str token;
	int64_t time_ns;

	if (g == TD_MLLOG_07)
		return (td_scan_literal(&s, "{\"") || td_scan_literal(&s, "{'")) && s.p < s.end &&
		       *s.p >= 'a' && *s.p <= 'z';
	if (g == TD_MLLOG_05 && (!td_scan_token(&s, &token) || !td_scan_blanks(&s) ||
				 !td_scan_token(&s, &token) || !td_scan_blanks(&s)))
		return false;
	return td_scan_fixed9(&s, &time_ns) && td_scan_char(&s, ' ');
}

static int mllog_sniff(const char *head, size_t len)
{
	struct td_str text = { head, len }, before;
	enum td_mllog_generation g;

	while (td_mllog_find_tag(&text, &g, &before)) {
		const char *newline = memrchr(before.p, '\n', before.len);
		const char *line = newline ? newline : before.p;
		size_t before_len = (size_t)(before.p + before.len - line);

		/* in a quoted string it is what another tracer saw the training write */
		if (has_shape(g, text) && !(before_len && memchr(line, '"', before_len)))
			return 95;
	}
	return sniff_launcher(head, len);
}

const struct td_importer td_importer_mllog = {
	.name = "mllog",
	.desc = "MLPerf training logs (:::MLLOG, :::MLL, :::MLPv0.5): phases and events",
	.clock = TD_CLOCK_UTC,
	.state_size = sizeof(struct mllog),
	.sniff = mllog_sniff,
	.sniff_far = mllog_sniff,
	.begin = mllog_begin,
	.line = mllog_line,
	.takes_tail = mllog_takes_tail,
	.end = mllog_end,
};
