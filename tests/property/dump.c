/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "store/store.h"
#include "tests/property/dump.h"
#include "tests/unit/stage.h"

struct visit {
	struct td_strbuf *to;
	const struct td_table *table;
};

static const struct td_shift *no_shift(void *ud, const void *record)
{
	static const struct td_shift none = { 0 };

	(void)ud;
	(void)record;
	return &none;
}

static void add_column(struct td_strbuf *b, const struct td_column *c, const char *record)
{
	union {
		int64_t i64;
		int32_t i32;
		uint32_t key32;
		uint16_t key16;
		uint8_t u8;
		double f64;
	} v;

	memcpy(&v, record + c->offset,
	       c->type == TD_I64 || c->type == TD_F64     ? 8
	       : c->type == TD_I32 || c->type == TD_KEY32 ? 4
	       : c->type == TD_KEY16                      ? 2
							  : 1);
	switch (c->type) {
	case TD_I64:
		td_strbuf_addf(b, " %" PRId64, v.i64);
		break;
	case TD_I32:
		td_strbuf_addf(b, " %" PRId32, v.i32);
		break;
	case TD_KEY32:
		td_strbuf_addf(b, " %" PRIu32, v.key32);
		break;
	case TD_KEY16:
		td_strbuf_addf(b, " %u", v.key16);
		break;
	case TD_U8:
		td_strbuf_addf(b, " %u", v.u8);
		break;
	case TD_F64:
		td_strbuf_addf(b, " %.17g", v.f64);
		break;
	}
}

static int add_row(void *ud, void *record)
{
	const struct visit *v = ud;

	td_strbuf_adds(v->to, v->table->name);
	for (size_t i = 0; i < v->table->ncolumns; i++)
		add_column(v->to, &v->table->columns[i], record);
	td_strbuf_adds(v->to, "\n");
	return 0;
}

static void add_str(struct td_strbuf *b, struct td_str s)
{
	td_strbuf_addf(b, " %zu:", s.len);
	td_strbuf_add(b, s.p ? s.p : "", s.len);
}

static void add_text(struct td_strbuf *b, const char *text)
{
	add_str(b, (struct td_str){ text, text ? strlen(text) : 0 });
}

static void add_who(const struct td_contents *in, struct td_strbuf *b)
{
	for (size_t i = 0; i < in->nprocesses; i++) {
		const struct td_process *p = &in->processes[i];

		td_strbuf_addf(b, "process %" PRId64 " %u %u %u", p->pid, p->name_id,
			       p->command_line_id, p->user_id);
		add_text(b, p->role);
		td_strbuf_addf(b, " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d\n",
			       p->parent_pid, p->start_ns, p->end_ns, p->exit_status, p->ended);
	}
	for (size_t i = 0; i < in->nthreads; i++)
		td_strbuf_addf(b, "thread %" PRId64 " %u %u\n", in->threads[i].tid,
			       in->threads[i].process_id, in->threads[i].name_id);
}

static void add_what(const struct td_contents *in, struct td_strbuf *b)
{
	for (size_t i = 0; i < in->nfiles; i++) {
		const struct td_file *f = &in->files[i];

		td_strbuf_adds(b, "file");
		add_str(b, f->path);
		add_str(b, f->name);
		td_strbuf_addf(b, " %d %d %d\n", f->class, f->truncated, (int)f->merged_into);
	}
	for (size_t i = 0; i < in->ndevices; i++) {
		td_strbuf_addf(b, "device %d", in->devices[i].kind);
		add_text(b, in->devices[i].name);
		td_strbuf_addf(b, " %" PRId64 "\n", in->devices[i].number);
	}
	for (size_t i = 0; i < in->ntracks; i++) {
		td_strbuf_adds(b, "track");
		add_text(b, in->tracks[i].name);
		add_text(b, in->tracks[i].unit);
		td_strbuf_addf(b, " %u %u\n", in->tracks[i].device_id, in->tracks[i].process_id);
	}
	for (size_t i = 0; i < in->nstacks; i++)
		td_strbuf_addf(b, "stack %u %u %u\n", in->stacks[i].parent_id,
			       in->stacks[i].symbol_id, in->stacks[i].module_id);
	for (size_t i = 0; i < in->nstack_totals; i++) {
		td_strbuf_adds(b, "stack total");
		add_text(b, in->stack_totals[i].name);
		add_text(b, in->stack_totals[i].unit);
		td_strbuf_addf(b, " %u %" PRId64 "\n", in->stack_totals[i].stack_id,
			       in->stack_totals[i].value);
	}
	for (size_t i = 0; i < in->nsummaries; i++) {
		const struct td_summary *s = &in->summaries[i];

		td_strbuf_adds(b, "summary");
		add_text(b, s->name);
		add_text(b, s->key);
		add_text(b, s->unit);
		td_strbuf_addf(b, " %.17g %.17g %.17g\n", s->low, s->high, s->value);
	}
	for (size_t i = 0; i < in->nanchors; i++)
		td_strbuf_addf(b, "anchor %" PRId64 " %" PRId64 " %" PRId64 "\n",
			       in->anchors[i].before_ns, in->anchors[i].after_ns,
			       in->anchors[i].wall_ns);
}

void td_dump_store(struct td_store *st, struct td_strbuf *ret)
{
	const struct td_contents *in = td_store_contents(st);

	for (unsigned k = 0; k < TD_NKINDS; k++) {
		struct visit v = { ret, &td_tables[k] };

		(void)td_stage_read(td_store_stage(st, k), k, no_shift, add_row, &v);
	}
	for (size_t i = 0; i < in->nops; i++) {
		td_strbuf_addf(ret, "op %d", in->ops[i].layer);
		add_text(ret, in->ops[i].name);
		td_strbuf_adds(ret, "\n");
	}
	for (uint32_t id = 1; id <= in->strings.n; id++) {
		td_strbuf_adds(ret, "string");
		add_str(ret, td_store_text(st, id));
		td_strbuf_adds(ret, "\n");
	}
	add_who(in, ret);
	add_what(in, ret);
}

void td_dump_source(struct td_store *st, uint16_t source_id, struct td_strbuf *ret)
{
	const struct td_contents *in = td_store_contents(st);
	const struct td_source *s = &in->sources[source_id - 1];

	td_strbuf_addf(ret, "lines %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, s->lines, s->rows,
		       s->skipped, s->issues);
	td_strbuf_addf(ret, " repaired %" PRIu64 " lost %" PRIu64 " state %d\n", s->repaired,
		       s->lost_events, s->state);
	td_strbuf_addf(ret, "clock %d %" PRId64 " %" PRId64 "..%" PRId64 " %" PRId64 " %d\n",
		       s->clock, s->offset_ns, s->first_native_ns, s->last_native_ns,
		       s->day_first_ns, s->date_basis);
	add_text(ret, s->layout);
	add_text(ret, s->detail);
	add_text(ret, s->tool);
	add_text(ret, s->tool_version);
	add_text(ret, s->host);
	td_strbuf_adds(ret, "\n");
	for (size_t i = 0; i < in->nissue_counts; i++) {
		const struct td_issue_count *c = &in->issue_counts[i];

		td_strbuf_addf(ret, "issue %s %d %" PRIu64 " first %" PRIu64 " kept %u\n", c->kind,
			       c->effect, c->count, c->first_line, c->kept);
	}
	for (size_t i = 0; i < in->nissues; i++) {
		td_strbuf_addf(ret, "issue %s at %" PRIu64, in->issues[i].kind, in->issues[i].line);
		add_text(ret, in->issues[i].text);
		td_strbuf_adds(ret, "\n");
	}
}
