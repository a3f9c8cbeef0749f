/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/json/text.h"
#include "common/stream.h"
#include "importers/sysstat/json.h"

TD_DEFINE_CLEANUP(cJSON *, cJSON_Delete)

static bool has_numbers(const cJSON *value)
{
	const cJSON *child;

	cJSON_ArrayForEach(child,
			   value) if (cJSON_IsNumber(child) || has_numbers(child)) return true;
	return false;
}

static int put_row(struct td_import *imp, struct td_sysstat_json *j, struct td_str text,
		   bool is_on_line)
{
	_cleanup_(cJSON_Deletep) cJSON *row = cJSON_ParseWithLength(text.p, text.len);

	if (!row) {
		j->line_is_spoilt = true;
		return 0;
	}
	if (is_on_line)
		j->line_has_numbers |= has_numbers(row);
	return j->on_row(imp, row);
}

int td_sysstat_json_row(struct td_import *imp)
{
	struct td_sysstat_json *j = imp->state;
	struct td_json_events *e = &j->events;
	const char *end = td_json_end(e->at, e->end);

	if (end) {
		e->behind = end;
		return put_row(imp, j, (struct td_str){ e->at, (size_t)(end - e->at) }, true);
	}
	j->row_depth = e->depth;
	j->row_begin = e->at;
	j->row_has_numbers = j->row_is_spoilt = false;
	td_strbuf_reset(&j->row_text);
	return 0;
}

/* The end of a row that began on a line before. */
static int end_row(struct td_import *imp, struct td_sysstat_json *j)
{
	struct td_strbuf *b = &j->row_text;

	j->row_depth = 0;
	if (j->row_is_spoilt)
		return 0;
	td_strbuf_add(b, j->row_begin, (size_t)(j->events.behind - j->row_begin));
	return td_strbuf_error(b) < 0 ? -ENOMEM
				      : put_row(imp, j, (struct td_str){ b->p, b->len }, false);
}

static int on_event(void *arg, struct td_json_events *events, enum td_json_event event)
{
	struct td_import *imp = arg;
	struct td_sysstat_json *j = imp->state;

	if (!j->row_depth)
		return j->on_event(imp, event);
	if (event == TD_JSON_NUMBER)
		j->row_has_numbers = j->line_has_numbers = true;
	return event == TD_JSON_CLOSE && events->depth == j->row_depth ? end_row(imp, j) : 0;
}

/* The row goes on in the next line. false: it is too long to be one. */
static bool keep_row(struct td_sysstat_json *j, const char *end)
{
	size_t len = (size_t)(end - j->row_begin);

	if (j->row_is_spoilt)
		return true;
	td_strbuf_add(&j->row_text, j->row_begin, len);
	td_strbuf_addc(&j->row_text, '\n');
	j->row_is_spoilt = j->row_text.len > TD_LINE_MAX;
	return !j->row_is_spoilt;
}

int td_sysstat_json_line(struct td_import *imp, char *line, size_t len)
{
	struct td_sysstat_json *j = imp->state;
	bool in_row;
	int r;

	j->line_has_numbers = j->line_is_spoilt = false;
	j->row_begin = line;
	j->events.unterminated = imp->line_unterminated;
	r = td_json_events_line(imp, &j->events, line, len, on_event);
	if (r == -EBADMSG) {
		j->row_is_spoilt = true;
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
	}
	if (r < 0)
		return r;
	if (j->line_is_spoilt)
		return td_reject(imp, "spoilt-line");
	in_row = j->row_depth && j->row_has_numbers;
	if (in_row && imp->line_unterminated)
		return td_reject(imp, "cut-line");
	if (j->row_depth && !keep_row(j, line + len))
		return td_reject(imp, "long-row");
	return j->line_has_numbers || in_row ? TD_LINE_ROW : TD_LINE_SKIPPED;
}

/* Line breaks mean nothing here; what is not whole is told from the text. */
bool td_sysstat_json_takes_tail(const char *tail, size_t len)
{
	(void)tail;
	(void)len;
	return true;
}

bool td_sysstat_json_end(struct td_import *imp)
{
	struct td_sysstat_json *j = imp->state;

	td_strbuf_done(&j->row_text);
	if (j->events.depth == 0)
		return true;
	/* the tools close it when they are interrupted, but not when killed */
	td_note(imp, "unclosed", "the JSON ends before its time");
	td_store_source_at(imp->store, imp->source_id)->state = TD_STATE_CUT;
	return false;
}

struct td_str td_sysstat_json_text(const cJSON *value)
{
	const char *text = cJSON_GetStringValue(value);

	return (struct td_str){ text, text ? strlen(text) : 0 };
}
