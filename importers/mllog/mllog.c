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
 *     event     the key's ending _start and _stop or _end, or without one INTERVAL_START and
 *               INTERVAL_END, become spans of kind 'phase' named by the key without the ending, see
 *               mllog/spans.c; everything else becomes a mark named by the key
 *     args      {"value": ..., "metadata": ...}; a span has both ends' metadata, its start's first
 *
 * Lines without the tag are skipped, but those that --phase-pattern finds, see mllog/phases.h.
 * Metadata printed by Python ({'a': None}) is read, too. An event that a second logger prints again
 * ("DEBUG:<logger>:" in front of it) counts once. A line may hold several events, one of which may
 * have lost its end to the next (spoilt-event).
 */
#include <xxhash.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "importers/core/importers.h"
#include "importers/core/phase_pattern.h"
#include "common/json/text.h"
#include "importers/mllog/mllog.h"
#include "importers/mllog/phases.h"

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
static bool is_copy(struct td_mllog *m, struct td_str before, struct td_str text)
{
	struct td_mllog_recent *r;
	struct td_mllog_recent mine = {
		.hash = XXH3_64bits(text.p, text.len),
		.from_logger = is_logger(before),
	};

	for (unsigned i = 0; i < TD_MIN(m->nrecent, TD_MLLOG_RECENT); i++) {
		r = &m->recent[i];
		if (r->hash == mine.hash && r->from_logger != mine.from_logger && !r->is_paired) {
			r->is_paired = true;
			return true;
		}
	}
	m->recent[m->nrecent++ % TD_MLLOG_RECENT] = mine;
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

static void set_layout(struct td_import *imp, struct td_mllog *m, enum td_mllog_generation g)
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
	unsigned events, spoilt, untimed, copies, foreign;
	int32_t rank; /* of the event before; INT32_MIN: unknown */
};

bool td_mllog_is_of_clock(struct td_import *imp, struct td_mllog *m, bool is_utc)
{
	if (!m->has_clock && !is_utc)
		td_import_set_clock(imp, TD_CLOCK_LOCAL);
	if (!m->has_clock)
		m->is_local = !is_utc;
	m->has_clock = true;
	return m->is_local == !is_utc;
}

static int put_event(struct td_import *imp, struct td_mllog *m, struct td_mllog_event *ev,
		     struct td_str before, struct found *found)
{
	int r;

	if (ev->ts_ns <= 0) {
		found->untimed++;
		return 0;
	}
	if (!td_mllog_is_of_clock(imp, m, true)) {
		found->foreign++;
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
static int next_event(struct td_import *imp, struct td_mllog *m, enum td_mllog_generation g,
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
	if (found->foreign)
		return td_reject(imp, "other-clock");
	if (found->copies)
		td_note(imp, "duplicate", NULL);
	else if (imp->line_unterminated)
		td_note(imp, "unended-line", NULL);
	return TD_LINE_SKIPPED;
}

/* --- lines that --phase-pattern finds --- */

/* In UTC if it says so, or the user has said what local time is. */
static bool line_time(const struct td_import *imp, struct td_str line, int64_t *ret_ns,
		      bool *ret_is_utc)
{
	int64_t offset_s = imp->options->clocks.utc_offset_s;

	if (!td_mllog_line_time(line, ret_ns, ret_is_utc) || *ret_ns <= 0)
		return false;
	if (!*ret_is_utc && offset_s != TD_NULL) {
		*ret_ns -= offset_s * TD_SEC_NS;
		*ret_is_utc = true;
	}
	return true;
}

/* One that a pattern has found. phase: without time and rank. */
static int put_phase(struct td_import *imp, struct td_mllog *m, struct td_mllog_phase *phase,
		     bool has_time, bool is_utc)
{
	phase->rank = td_mllog_phases_rank(phase);
	if (imp->line_unterminated)
		return td_reject(imp, "cut-line");
	if (td_mllog_phases_is_on(imp, &m->phases, phase))
		return TD_LINE_SKIPPED;
	if (!has_time)
		return td_reject(imp, "no-time");
	if (!td_mllog_is_of_clock(imp, m, is_utc))
		return td_reject(imp, "other-clock");
	return td_mllog_phases_add(imp, &m->phases, phase);
}

/* Several patterns can find something in a line. */
static int phase_line(struct td_import *imp, struct td_mllog *m, struct td_str text)
{
	char line[TD_LINE_PATTERN_MAX + 1];
	struct td_mllog_phase phase = { .line = { line, td_line_clean(text.p, text.len, line) } };
	bool is_utc = true, has_time = line_time(imp, phase.line, &phase.ts_ns, &is_utc);
	int verdict = TD_LINE_SKIPPED;
	const regex_t *re;
	size_t at = 0;

	while (verdict != TD_LINE_ISSUE &&
	       (re = td_import_phase_pattern_next(imp->options->layouts, &at))) {
		int r = td_line_pattern_match(re, line, &phase.is)
				? put_phase(imp, m, &phase, has_time, is_utc)
				: TD_LINE_SKIPPED;

		if (r < 0)
			return r;
		verdict = TD_MAX(verdict, r);
	}
	if (has_time && m->has_clock && m->is_local == !is_utc)
		m->phases.last_ns = TD_MAX(m->phases.last_ns, phase.ts_ns);
	return verdict;
}

static bool has_patterns(const struct td_import *imp)
{
	size_t at = 0;

	return td_import_phase_pattern_next(imp->options->layouts, &at) != NULL;
}

/* --- all lines --- */

/* What looks like an event and is none may be read to the end of the line each time. */
#define SPOILT_MAX 16

int td_mllog_text(struct td_import *imp, struct td_mllog *m, struct td_str text, bool *ret_has_tag)
{
	struct found found = { .rank = INT32_MIN };
	enum td_mllog_generation g;
	struct td_str before;

	*ret_has_tag = false;
	while (found.spoilt < SPOILT_MAX && td_mllog_find_tag(&text, &g, &before)) {
		int r = next_event(imp, m, g, before, &text, &found);

		if (r < 0)
			return r;
		*ret_has_tag = true;
	}
	return verdict(imp, &found, text);
}

static int mllog_line(struct td_import *imp, char *line, size_t len)
{
	struct td_mllog *m = imp->state;
	struct td_str text = { line, len };
	bool has_tag;
	int r = td_mllog_text(imp, m, text, &has_tag);

	return r < 0 || has_tag || !has_patterns(imp) ? r : phase_line(imp, m, text);
}

void td_mllog_init(struct td_mllog *m)
{
	td_mllog_spans_init(&m->spans);
	td_mllog_phases_init(&m->phases);
}

int td_mllog_done(struct td_import *imp, struct td_mllog *m)
{
	int r = td_mllog_spans_end(imp, &m->spans), e = td_mllog_phases_end(imp, &m->phases);

	td_strbuf_done(&m->text);
	return r < 0 ? r : e;
}

static int mllog_begin(struct td_import *imp, struct td_err *err)
{
	(void)err;
	td_mllog_init(imp->state);
	return 0;
}

static int mllog_end(struct td_import *imp)
{
	return td_mllog_done(imp, imp->state);
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
		found = td_find(head, len, lines[i], strlen(lines[i])) != NULL;
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

	if (td_str_starts(text, TD_MLLOG_OUTPUT_HEAD))
		return 0;
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

/* A text of which a pattern finds a line is the log of a training program, since the user says so. */
static int mllog_sniff_with(const char *head, size_t len, const struct td_import_layouts *layouts)
{
	struct td_scan s = td_scan_of(head, len);
	char line[TD_LINE_PATTERN_MAX + 1];
	struct td_line_match match;
	struct td_str text;
	const regex_t *re;
	size_t at = 0;

	if (!td_import_phase_pattern_next(layouts, &at) || memchr(head, '\0', len))
		return 0;
	while (td_scan_line(&s, true, &text)) {
		(void)td_line_clean(text.p, text.len, line);
		for (at = 0; (re = td_import_phase_pattern_next(layouts, &at));)
			if (td_line_pattern_match(re, line, &match))
				return 30;
	}
	return 0;
}

/* "epoch" or "step", and a number soon behind it. */
static bool may_be_training(const char *head, size_t len)
{
	static const char *const words[] = { "epoch", "step" };

	for (size_t i = 0; i + 8 < len; i++)
		for (size_t k = 0; k < TD_ARRAY_SIZE(words); k++) {
			const char *p = head + i + strlen(words[k]);

			if (strncasecmp(head + i, words[k], strlen(words[k])) == 0 &&
			    (td_is_digit(p[0]) || (p[0] != '\n' && td_is_digit(p[1]))))
				return true;
		}
	return false;
}

static bool mllog_explain(const char *head, size_t len, const struct td_import_layouts *layouts,
			  struct td_err *why)
{
	size_t at = 0;

	if (memchr(head, '\0', len) || !may_be_training(head, len))
		return false;
	(void)td_err_set(why, 0, "%s",
			 td_import_phase_pattern_next(layouts, &at)
				 ? "no line of it is one that --phase-pattern describes"
				 : "if it is the log of a training program, --phase-pattern says "
				   "which lines begin a phase, like 'Epoch [0-9]+'");
	return true;
}

const struct td_importer td_importer_mllog = {
	.name = "mllog",
	.desc = "MLPerf training logs (:::MLLOG, :::MLL, :::MLPv0.5), others by --phase-pattern: "
		"phases and events",
	.clock = TD_CLOCK_UTC,
	.state_size = sizeof(struct td_mllog),
	.sniff = mllog_sniff,
	.surest = 95,
	.sniff_far = mllog_sniff,
	.sniff_with = mllog_sniff_with,
	.explain = mllog_explain,
	.begin = mllog_begin,
	.line = mllog_line,
	.takes_tail = mllog_takes_tail,
	.end = mllog_end,
};
