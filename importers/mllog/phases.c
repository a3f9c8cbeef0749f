/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "common/json/write.h"
#include "importers/mllog/mllog.h"

#define MAX_ON 256 /* names and ranks; a pattern that takes more has a name that is none */
#define LINE_KEPT ((size_t)200)

struct td_mllog_on {
	uint32_t name_id, line_id; /* strings */
	int32_t rank;
	bool has_number;
	int64_t number, start_ns;
};

void td_mllog_phases_init(struct td_mllog_phases *p)
{
	*p = (struct td_mllog_phases){ .last_ns = TD_NULL, .args = TD_STRBUF_INIT };
}

/* {"time": "arrival", "end": "end of the log", "line": "..."}, the first two where they are so. */
static int set_args(struct td_import *imp, struct td_mllog_phases *p, const struct td_mllog_on *on,
		    bool at_end, uint32_t *ret)
{
	struct td_strbuf *b = &p->args;

	td_strbuf_reset(b);
	td_strbuf_addc(b, '{');
	if (p->arrived) {
		td_json_add_key(b, "time");
		td_strbuf_adds(b, "\"arrival\"");
	}
	if (at_end) {
		td_json_add_key(b, "end");
		td_strbuf_adds(b, p->arrived ? "\"end of the output\"" : "\"end of the log\"");
	}
	td_json_add_key(b, "line");
	td_json_add_string(b, td_store_text(imp->store, on->line_id));
	td_strbuf_addc(b, '}');
	*ret = td_store_string(imp->store, td_strbuf_str(b), b->len);
	return td_strbuf_error(b);
}

/* end_ns TD_NULL: it is not known. */
static int put(struct td_import *imp, struct td_mllog_phases *p, const struct td_mllog_on *on,
	       int64_t end_ns, bool at_end)
{
	bool ended = end_ns != TD_NULL && end_ns >= on->start_ns;
	struct td_span row = TD_SPAN_INIT;
	int r;

	row.start_ns = on->start_ns;
	row.dur_ns = ended ? end_ns - on->start_ns : TD_NULL;
	row.number = on->has_number ? on->number : TD_NULL;
	row.kind_id = td_store_cstr(imp->store, "phase");
	row.state_id = td_store_cstr(imp->store, ended ? "complete" : "unfinished");
	row.name_id = on->name_id;
	row.rank = on->rank;
	row.run_number = 1;
	r = set_args(imp, p, on, at_end && ended, &row.args_id);
	return r < 0 ? r : td_put_span(imp, &row);
}

static struct td_mllog_on *find(const struct td_mllog_phases *p, uint32_t name_id, int32_t rank)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->on[i].name_id == name_id && p->on[i].rank == rank)
			return &p->on[i];
	return NULL;
}

static uint32_t name_of(const struct td_import *imp, const struct td_mllog_phase *phase)
{
	return td_store_string(imp->store, phase->is.name, strlen(phase->is.name));
}

/* What the launcher has put in front of the line: up to the first bracket and what ends it; len 0: nothing. */
static struct td_str prefix_of(struct td_str before)
{
	static const char *const ends[] = { "]<stdout>:", "]<stderr>:", "]:", "] " };
	const char *close =
		before.len && *before.p == '[' ? memchr(before.p, ']', before.len) : NULL;
	size_t at = close ? (size_t)(close - before.p) : before.len;
	struct td_str rest = { before.p + at, before.len - at };

	for (size_t i = 0; i < TD_ARRAY_SIZE(ends); i++)
		if (td_str_starts(rest, ends[i]))
			return (struct td_str){ before.p, at + strlen(ends[i]) };
	return (struct td_str){ before.p, 0 };
}

int32_t td_mllog_phases_rank(const struct td_mllog_phase *phase)
{
	struct td_str before = { phase->line.p, phase->is.start };
	int32_t rank = td_mllog_rank_before(before);

	return rank != INT32_MIN ? rank : td_mllog_rank_before(prefix_of(before));
}

uint32_t td_mllog_phases_line(const struct td_import *imp, const struct td_mllog_phase *phase)
{
	return td_store_string(imp->store, phase->line.p, TD_MIN(phase->line.len, LINE_KEPT));
}

void td_mllog_phases_set_texts(const struct td_import *imp, struct td_mllog_phase *phase,
			       uint32_t name_id, uint32_t line_id)
{
	struct td_str name = td_store_text(imp->store, name_id);

	(void)snprintf(phase->is.name, sizeof(phase->is.name), "%.*s", (int)name.len, name.p);
	phase->line = td_store_text(imp->store, line_id);
}

bool td_mllog_phases_is_on(const struct td_import *imp, const struct td_mllog_phases *p,
			   const struct td_mllog_phase *phase)
{
	const struct td_mllog_on *on = find(p, name_of(imp, phase), phase->rank);

	return on && on->has_number && phase->is.has_number && on->number == phase->is.number;
}

int64_t td_mllog_phases_began_at(const struct td_import *imp, const struct td_mllog_phases *p,
				 const struct td_mllog_phase *phase)
{
	const struct td_mllog_on *on = find(p, name_of(imp, phase), phase->rank);

	return on ? on->start_ns : TD_NULL;
}

int td_mllog_phases_add(struct td_import *imp, struct td_mllog_phases *p,
			const struct td_mllog_phase *phase)
{
	const struct td_line_match *is = &phase->is;
	uint32_t name_id = name_of(imp, phase);
	struct td_mllog_on *on = find(p, name_id, phase->rank);
	int r = 0;

	if (!on && p->n == MAX_ON)
		return td_reject(imp, "too-many-names");
	if (on)
		r = put(imp, p, on, phase->ts_ns, false);
	else
		r = td_grow(&p->on, &p->cap, p->n);
	if (r < 0)
		return r;
	on = on ? on : &p->on[p->n++];
	*on = (struct td_mllog_on){
		.name_id = name_id,
		.line_id = td_mllog_phases_line(imp, phase),
		.rank = phase->rank,
		.has_number = is->has_number,
		.number = is->number,
		.start_ns = phase->ts_ns,
	};
	return TD_LINE_ROW;
}

int td_mllog_phases_end(struct td_import *imp, struct td_mllog_phases *p)
{
	int r = 0;

	for (size_t i = 0; i < p->n && r == 0; i++)
		r = put(imp, p, &p->on[i], p->last_ns, true);
	td_strbuf_done(&p->args);
	free(p->on);
	return r;
}
