/* SPDX-License-Identifier: MIT */
/* For the tests of the samplers: the records they emit as lines of text. */
#pragma once

#include <math.h>

#include "collector/samplers/emit.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "tests/unit/check.h"

/* Names of tracks by number, and the text so far. */
struct td_wire_lines {
	struct td_strbuf text;
	char names[256][96];
};

static inline void td_wire_track_line(struct td_wire_lines *w, const struct td_wire_track *t)
{
	char *name = w->names[t->track % 256];

	(void)snprintf(name, sizeof(w->names[0]), "%.*s %s%.*s", t->name_len, t->text,
		       t->pid ? "of a process " : "", t->device_len,
		       t->text + t->name_len + t->unit_len);
	td_strbuf_addf(&w->text, "track %u %.*s (%.*s) kind %u number %d '%.*s'", t->track,
		       t->name_len, t->text, t->unit_len, t->text + t->name_len, t->device_kind,
		       t->device_number, t->device_len, t->text + t->name_len + t->unit_len);
	if (t->pid)
		td_strbuf_addf(&w->text, " pid %u", t->pid);
	td_strbuf_addc(&w->text, '\n');
}

/* "cpu.usr CPU 0 @200+100 = 12.5": ms; the name is that of the track. */
static inline void td_wire_sample_line(struct td_wire_lines *w, const struct td_wire_sample *s)
{
	td_strbuf_addf(&w->text, "%s @%g+%g = ", w->names[s->track % 256], (double)s->time_ns / 1e6,
		       (double)s->dur_ns / 1e6);
	if (isnan(s->value))
		td_strbuf_adds(&w->text, "-\n");
	else
		td_strbuf_addf(&w->text, "%.10g\n", s->value);
}

static inline void td_wire_process_line(struct td_wire_lines *w, const struct td_wire_process *p)
{
	td_strbuf_addf(&w->text, "process %u%s of %u '%.*s' '%.*s' parent %u\n", p->head.tid,
		       p->head.flags & TD_WIRE_PROCESS_FOUND ? " found" : "", p->uid, p->comm_len,
		       p->text, p->args_len, p->text + p->comm_len, p->parent_pid);
}

/* "summary malloc.calls '77 malloc' 16 to 32: 5" */
static inline void td_wire_summary_line(struct td_wire_lines *w, const struct td_wire_summary *s)
{
	const char *key = s->text + s->name_len, *unit = key + s->key_len;

	td_strbuf_addf(&w->text, "summary %.*s '%.*s' %g to %g: %g%s%.*s\n", s->name_len, s->text,
		       s->key_len, key, s->low, s->high, s->value, s->unit_len ? " " : "",
		       s->unit_len, unit);
}

/* A td_sink; arg: struct td_wire_lines. */
static inline int td_wire_sink(void *arg, const void *records, size_t size)
{
	struct td_wire_lines *w = arg;
	const char *p = records;

	while (size) {
		const struct td_wire_head *h = (const struct td_wire_head *)p;
		const struct td_wire_note *n = (const struct td_wire_note *)p;

		TD_CHECK(h->size >= sizeof(*h) && h->size <= size && h->size % 8 == 0);
		if (h->size < sizeof(*h) || h->size > size)
			return -EBADMSG;
		if (h->kind == TD_WIRE_TRACK)
			td_wire_track_line(w, (const struct td_wire_track *)p);
		else if (h->kind == TD_WIRE_SAMPLE)
			td_wire_sample_line(w, (const struct td_wire_sample *)p);
		else if (h->kind == TD_WIRE_NOTE)
			td_strbuf_addf(&w->text, "note %.*s: %.*s\n", n->kind_len, n->text,
				       n->text_len, n->text + n->kind_len);
		else if (h->kind == TD_WIRE_SUMMARY)
			td_wire_summary_line(w, (const struct td_wire_summary *)p);
		else if (h->kind == TD_WIRE_PROCESS)
			td_wire_process_line(w, (const struct td_wire_process *)p);
		else
			td_strbuf_addf(&w->text, "record of kind %u\n", h->kind);
		p += h->size;
		size -= h->size;
	}
	return 0;
}

/* Compares what came since the last time. */
static inline void td_wire_check(struct td_wire_lines *w, const char *want)
{
	TD_CHECK_STR(td_strbuf_str(&w->text), want);
	td_strbuf_reset(&w->text);
}
