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
 *     rank      from "3: ", "[3] " or "[1,3]<stdout>:" in front of the tag, else metadata.rank
 *     event     INTERVAL_START and INTERVAL_END, or without event_type the key's ending _start and
 *               _stop or _end, become spans of kind 'phase' named by the key without the ending, see
 *               mllog_spans.c; everything else becomes a mark named by the key
 *     args      {"value": ..., "metadata": ...}; a span has both ends' metadata, its start's first
 *
 * Lines without the tag are skipped. Metadata printed by Python ({'a': None}) is read, too. An event
 * that a second logger prints again ("DEBUG:<logger>:" in front of it) counts once.
 */
#include <xxhash.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "importers/importers.h"
#include "importers/json_text.h"
#include "importers/mllog.h"

#define NRECENT 16 /* lines between an event and its copy by the other logger, at most */

enum generation { MLLOG, MLL, MLP }; /* 0.7 and later; 0.6; 0.5 */

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

static const struct {
	const char *suffix;
	enum td_mllog_type type;
} suffixes[] = {
	{ "_start", TD_MLLOG_START },
	{ "_stop", TD_MLLOG_END },
	{ "_end", TD_MLLOG_END },
};

enum member { TIME_MS, TIME_S, EVENT_TYPE, KEY, VALUE, METADATA, NMEMBERS };
static const char *const member_names[NMEMBERS] = {
	[TIME_MS] = "time_ms", [TIME_S] = "time_s", [EVENT_TYPE] = "event_type",
	[KEY] = "key",         [VALUE] = "value",   [METADATA] = "metadata",
};

/* --- in front of the tag --- */

/* The next tag with what belongs behind it; s then begins behind the tag. */
static bool find_tag(struct td_str *s, enum generation *ret, struct td_str *ret_before)
{
	static const struct {
		const char *text;
		enum generation generation;
	} tags[] = { { ":::MLLOG {", MLLOG }, { ":::MLL ", MLL }, { ":::MLPv0", MLP } };
	const char *from = s->p, *end = s->p + s->len, *p;

	while ((p = from < end ? memmem(from, (size_t)(end - from), ":::ML", 5) : NULL)) {
		struct td_str rest = { p, (size_t)(end - p) };

		for (size_t i = 0; i < TD_ARRAY_SIZE(tags); i++) {
			size_t n = strlen(tags[i].text);

			if (!td_str_starts(rest, tags[i].text))
				continue;
			*ret = tags[i].generation;
			*ret_before = (struct td_str){ s->p, (size_t)(p - s->p) };
			n -= *ret == MLL ? 0 : 1; /* brace and version belong to what follows */
			*s = (struct td_str){ p + n, (size_t)(end - p) - n };
			return true;
		}
		from = p + 5;
	}
	return false;
}

static bool scan_rank(struct td_scan *s, int32_t *ret)
{
	uint64_t v;

	if (!td_scan_u64(s, &v) || v > INT32_MAX)
		return false;
	*ret = (int32_t)v;
	return true;
}

/* "[3] " or "[1,3]<stdout>:" next to the tag, else "3: " at the beginning of the line. */
static int32_t rank_before(struct td_str before)
{
	struct td_scan s = td_scan_of(before.p, before.len);
	const char *bracket = memrchr(before.p, '[', before.len);
	int32_t rank, job;

	if (bracket) {
		struct td_scan t = { bracket + 1, s.end };

		if (scan_rank(&t, &rank) && td_scan_literal(&t, "] ") && td_scan_done(&t))
			return rank;
		t.p = bracket + 1;
		if (scan_rank(&t, &job) && td_scan_char(&t, ',') && scan_rank(&t, &rank) &&
		    (td_scan_literal(&t, "]<stdout>:") || td_scan_literal(&t, "]<stderr>:")))
			return rank;
	}
	td_scan_blanks(&s);
	if (scan_rank(&s, &rank) && td_scan_literal(&s, ": "))
		return rank;
	return INT32_MIN;
}

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

/* --- behind the tag --- */

/* Python's repr of a dictionary as JSON: other quotes, other words. */
static void json_of_repr(struct td_str s, struct td_strbuf *ret)
{
	static const struct {
		const char *python, *json;
	} words[] = { { "None", "null" }, { "True", "true" }, { "False", "false" } };
	char quote = '\0';

	for (size_t i = 0; i < s.len; i++) {
		struct td_str rest = { s.p + i, s.len - i };
		char c = s.p[i];
		size_t w = 0;

		while (!quote && w < TD_ARRAY_SIZE(words) && !td_str_starts(rest, words[w].python))
			w++;
		if (!quote && w < TD_ARRAY_SIZE(words)) {
			td_strbuf_adds(ret, words[w].json);
			i += strlen(words[w].python) - 1;
		} else if (quote && c == '\\' && i + 1 < s.len) {
			if (s.p[++i] != '\'')
				td_strbuf_addc(ret, '\\');
			td_strbuf_addc(ret, s.p[i]);
		} else if (quote ? c == quote : c == '"' || c == '\'') {
			if (quote)
				quote = '\0';
			else
				quote = c;
			td_strbuf_addc(ret, '"');
		} else if (c == '"') {
			td_strbuf_adds(ret, "\\\"");
		} else {
			td_strbuf_addc(ret, c);
		}
	}
}

/* An object, as it is or after translation from Python; s then stands behind it. */
static bool scan_object(struct mllog *m, struct td_scan *s, struct td_str *ret)
{
	struct td_scan translated;

	if (td_json_value(s, ret))
		return td_json_is_object(*ret);
	if (td_scan_done(s) || !memchr(s->p, '\'', (size_t)(s->end - s->p)))
		return false;
	td_strbuf_reset(&m->text);
	json_of_repr(td_scan_rest(s), &m->text);
	translated = td_scan_of(td_strbuf_str(&m->text), m->text.len);
	s->p = s->end;
	return td_json_value(&translated, ret) && td_json_is_object(*ret);
}

/* Milliseconds with any number of decimals, as nanoseconds. */
static bool scan_ms(struct td_scan *s, int64_t *ret_ns)
{
	struct td_scan t = *s;
	int64_t ns, unit = 100000;
	uint64_t ms;

	if (!td_scan_u64(&t, &ms) || ms > INT64_MAX / 1000000 - 1)
		return false;
	ns = (int64_t)ms * 1000000;
	if (td_scan_char(&t, '.'))
		for (; t.p < t.end && *t.p >= '0' && *t.p <= '9'; t.p++, unit /= 10)
			ns += unit * (*t.p - '0');
	if (t.p < t.end && (*t.p == 'e' || *t.p == 'E'))
		return false;
	*s = t;
	*ret_ns = ns;
	return true;
}

static void set_name(struct td_mllog_event *ev, struct td_str key, struct td_str event_type)
{
	ev->name = key;
	ev->type = TD_MLLOG_POINT;
	if (td_str_eq(event_type, "POINT_IN_TIME"))
		return;
	if (td_str_eq(event_type, "INTERVAL_START"))
		ev->type = TD_MLLOG_START;
	else if (td_str_eq(event_type, "INTERVAL_END"))
		ev->type = TD_MLLOG_END;
	for (size_t i = 0; i < TD_ARRAY_SIZE(suffixes); i++) {
		if (!td_str_ends(ev->name, suffixes[i].suffix))
			continue;
		if (ev->type == TD_MLLOG_POINT)
			ev->type = suffixes[i].type;
		ev->name.len -= strlen(suffixes[i].suffix);
		return;
	}
}

/* :::MLLOG {...} */
static bool scan_mllog(struct mllog *m, struct td_scan *s, struct td_mllog_event *ev)
{
	struct td_str members[NMEMBERS] = { 0 }, object, name, value, key, type = { NULL, 0 };
	struct td_scan in, ms, sec;

	if (!scan_object(m, s, &object))
		return false;
	in = td_scan_of(object.p, object.len);
	while (td_json_next(&in, &name, &value))
		for (size_t i = 0; i < NMEMBERS; i++)
			if (td_str_eq(name, member_names[i]))
				members[i] = value;
	ms = td_scan_of(members[TIME_MS].p, members[TIME_MS].len);
	sec = td_scan_of(members[TIME_S].p, members[TIME_S].len);
	if ((!scan_ms(&ms, &ev->ts_ns) && !td_scan_fixed9(&sec, &ev->ts_ns)) ||
	    !td_json_string(members[KEY], &key) || !key.len)
		return false;
	(void)td_json_string(members[EVENT_TYPE], &type);
	set_name(ev, key, type);
	ev->value = members[VALUE];
	ev->metadata = members[METADATA];
	return true;
}

static bool scan_key(struct td_scan *s, struct td_mllog_event *ev)
{
	const char *from = s->p;

	while (s->p < s->end && *s->p != ':' && *s->p != ' ' && *s->p != '\r')
		s->p++;
	set_name(ev, (struct td_str){ from, (size_t)(s->p - from) }, (struct td_str){ NULL, 0 });
	return s->p > from;
}

/* :::MLL 1714557601.000 key: {"value": ..., "metadata": {...}} */
static bool scan_mll(struct mllog *m, struct td_scan *s, struct td_mllog_event *ev)
{
	struct td_str object;

	if (!td_scan_fixed9(s, &ev->ts_ns) || !td_scan_blanks(s) || !scan_key(s, ev) ||
	    !td_scan_literal(s, ": ") || !scan_object(m, s, &object))
		return false;
	ev->value = td_json_get(object, "value");
	ev->metadata = td_json_get(object, "metadata");
	return true;
}

/* What stands behind the key of a :::MLP line: JSON or, if it is not, text; or nothing. */
static void bare_value(struct mllog *m, struct td_scan *s, struct td_mllog_event *ev)
{
	struct td_str text;

	(void)td_scan_char(s, ':');
	td_scan_blanks(s);
	while (s->end > s->p && (s->end[-1] == '\r' || s->end[-1] == ' '))
		s->end--;
	text = td_scan_rest(s);
	if (!text.len || (td_json_value(s, &ev->value) && td_scan_done(s)))
		return;
	td_strbuf_reset(&m->text);
	td_json_add_string(&m->text, text);
	ev->value = (struct td_str){ td_strbuf_str(&m->text), m->text.len };
	s->p = s->end;
}

/* :::MLPv0.5.0 ncf 1714557601.000 (ncf.py:9) key: value */
static bool scan_mlp(struct mllog *m, struct td_scan *s, struct td_mllog_event *ev)
{
	struct td_str token;
	const char *close;

	if (!td_scan_token(s, &token) || !td_scan_blanks(s) || !td_scan_token(s, &token) ||
	    !td_scan_blanks(s) || !td_scan_fixed9(s, &ev->ts_ns) || !td_scan_literal(s, " ("))
		return false;
	close = memmem(s->p, (size_t)(s->end - s->p), ") ", 2);
	if (!close)
		return false;
	s->p = close + 2;
	if (!scan_key(s, ev))
		return false;
	bare_value(m, s, ev);
	return true;
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

	ev->rank = rank_before(before);
	if (ev->rank != INT32_MIN)
		return;
	text = td_json_get(ev->metadata, "rank");
	if (text.len && scan_count(text, &rank) && rank >= 0 && rank <= INT32_MAX)
		ev->rank = (int32_t)rank;
}

static void set_layout(struct td_import *imp, struct mllog *m, enum generation g)
{
	static const char *const layouts[] = { [MLLOG] = "MLLOG", [MLL] = "MLL", [MLP] = "MLP" };

	if (!m->has_layout)
		td_import_set_layout(imp, layouts[g]);
	m->has_layout = true;
}

static int mllog_line(struct td_import *imp, char *line, size_t len)
{
	static bool (*const scans[])(struct mllog *, struct td_scan *, struct td_mllog_event *) = {
		[MLLOG] = scan_mllog,
		[MLL] = scan_mll,
		[MLP] = scan_mlp,
	};
	struct mllog *m = imp->state;
	struct td_mllog_event ev = { .number = TD_NULL };
	struct td_str text = { line, len }, before;
	enum generation g;
	struct td_scan s;
	int r;

	if (!find_tag(&text, &g, &before)) {
		if (imp->line_unterminated)
			td_note(imp, "unended-line", NULL);
		return TD_LINE_SKIPPED;
	}
	s = td_scan_of(text.p, text.len);
	if (!scans[g](m, &s, &ev))
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
	if (is_copy(m, before, text)) {
		td_note(imp, "duplicate", NULL);
		return TD_LINE_SKIPPED;
	}
	if (ev.ts_ns <= 0)
		return td_reject(imp, "no-time");
	while (s.p < s.end && (unsigned char)*s.p <= ' ')
		s.p++;
	if (!td_scan_done(&s))
		td_note(imp, "trailing-text", NULL);
	set_layout(imp, m, g);
	set_rank(&ev, before);
	set_number(&ev, ev.metadata);
	set_number(&ev, ev.value);
	r = td_mllog_spans_add(imp, &m->spans, &ev);
	return r < 0 ? r : TD_LINE_ROW;
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
	enum generation g;

	return tail[len - 1] == '}' || !find_tag(&text, &g, &before);
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
static bool has_shape(enum generation g, struct td_str text)
{
	struct td_scan s = td_scan_of(text.p, text.len);
	struct td_str token;
	int64_t time_ns;

	if (g == MLLOG)
		return (td_scan_literal(&s, "{\"") || td_scan_literal(&s, "{'")) && s.p < s.end &&
		       *s.p >= 'a' && *s.p <= 'z';
	if (g == MLP && (!td_scan_token(&s, &token) || !td_scan_blanks(&s) ||
			 !td_scan_token(&s, &token) || !td_scan_blanks(&s)))
		return false;
	return td_scan_fixed9(&s, &time_ns) && td_scan_char(&s, ' ');
}

static int mllog_sniff(const char *head, size_t len)
{
	struct td_str text = { head, len }, before;
	enum generation g;

	while (find_tag(&text, &g, &before)) {
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
	.begin = mllog_begin,
	.line = mllog_line,
	.takes_tail = mllog_takes_tail,
	.end = mllog_end,
};
