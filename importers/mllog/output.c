/* SPDX-License-Identifier: MIT */
/*
 * What 'tracedb record' has found in the output of the command, 'run.db.output'
 * (collector/tee/lines.h writes it): lines of fields with a tab between them, the first of which is
 * when the line came, in seconds, UTC.
 *
 *     # tracedb output 1
 *     1714557601.250004  line   3: :::MLLOG { ...
 *     1714557602.500021  phase  3   epoch   7   [INFO] Epoch 3/90       number or '-', name, where it was found, line
 *     1714557699.000137  end
 *
 *     line      as in MLPerf's logs, with the times that are printed in it
 *     phase     span of kind 'phase', as with --phase-pattern, from when the line came to when the next one of the name and
 *               rank did; "time": "arrival" in args
 *               rank did; "time": "arrival" in args. Two streams are written by two processes, and a line when it has ended: rows
 *               are not in order of time
 *     end       the end of the output, with which ends what is on; without it the last phases are unfinished
 */
#include "common/array.h"
#include "importers/core/importers.h"
#include "importers/mllog/mllog.h"

struct row {
	struct td_mllog_phase phase; /* without texts */
	uint32_t name_id, line_id; /* strings */
	size_t no; /* orders what came at once */
};

struct output {
	struct td_mllog mllog;
	struct row *rows; /* owned */
	size_t n, cap;
};

static bool scan_word(struct td_scan *s, struct td_str *ret)
{
	const char *from = s->p;

	while (s->p < s->end && *s->p != '\t')
		s->p++;
	*ret = (struct td_str){ from, (size_t)(s->p - from) };
	return td_scan_char(s, '\t');
}

static bool scan_phase(struct td_scan *s, struct td_mllog_phase *ret)
{
	struct td_line_match *is = &ret->is;
	struct td_str name;
	uint64_t start;

	is->has_number = !td_scan_char(s, '-');
	if ((is->has_number && !td_scan_i64(s, &is->number)) || !td_scan_char(s, '\t') ||
	    !scan_word(s, &name) || !name.len || name.len >= sizeof(is->name) ||
	    !td_scan_u64(s, &start) || !td_scan_char(s, '\t'))
		return false;
	(void)snprintf(is->name, sizeof(is->name), "%.*s", (int)name.len, name.p);
	ret->line = td_scan_rest(s);
	is->start = start;
	return start <= ret->line.len;
}

static int keep_phase(struct td_import *imp, struct output *o, const struct td_mllog_phase *phase)
{
	struct row *row;
	int r = td_grow(&o->rows, &o->cap, o->n);

	if (r < 0)
		return r;
	row = &o->rows[o->n];
	*row = (struct row){
		.phase = *phase,
		.name_id = td_store_string(imp->store, phase->is.name, strlen(phase->is.name)),
		.line_id = td_mllog_phases_line(imp, phase),
		.no = o->n++,
	};
	row->phase.rank = td_mllog_rank_before((struct td_str){ phase->line.p, phase->is.start });
	return TD_LINE_ROW;
}

static int output_line(struct td_import *imp, char *line, size_t len)
{
	struct td_scan s = td_scan_of(line, len);
	struct output *o = imp->state;
	struct td_mllog_phase phase;
	bool has_tag;

	if (len == 0 || line[0] == '#')
		return TD_LINE_SKIPPED;
	if (!td_scan_fixed9(&s, &phase.ts_ns) || phase.ts_ns <= 0 || !td_scan_char(&s, '\t'))
		return td_reject(imp, "spoilt-row");
	if (td_scan_literal(&s, "line\t"))
		return td_mllog_text(imp, &o->mllog, td_scan_rest(&s), &has_tag);
	if (td_scan_literal(&s, "phase\t") && scan_phase(&s, &phase))
		return keep_phase(imp, o, &phase);
	if (!td_scan_literal(&s, "end") || !td_scan_done(&s))
		return td_reject(imp, "spoilt-row");
	o->mllog.phases.last_ns = TD_MAX(o->mllog.phases.last_ns, phase.ts_ns);
	return TD_LINE_SKIPPED;
}

static int output_begin(struct td_import *imp, struct td_err *err)
{
	struct output *o = imp->state;
	struct td_mllog *m = &o->mllog;

	(void)err;
	td_mllog_init(m);
	m->has_clock = true;
	m->phases.arrived = true;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->phase.ts_ns != y->phase.ts_ns)
		return x->phase.ts_ns < y->phase.ts_ns ? -1 : 1;
	return x->no < y->no ? -1 : x->no > y->no;
}

/* A program that keeps its output back prints several phases at a time: then none of them began when its line came. */
static void note_buffered(struct td_import *imp, size_t n)
{
	char words[80];

	(void)snprintf(words, sizeof(words),
		       "%zu phase%s came together with the next one: 'python -u'?", n,
		       n == 1 ? "" : "s");
	if (n)
		td_note(imp, "buffered-output", words);
}

static int put_phases(struct td_import *imp, struct output *o)
{
	struct td_mllog_phases *on = &o->mllog.phases;
	size_t buffered = 0;
	int r = 0;

	if (o->n)
		qsort(o->rows, o->n, sizeof(*o->rows), by_time);
	for (size_t i = 0; i < o->n && r >= 0; i++) {
		struct td_mllog_phase *phase = &o->rows[i].phase;

		td_mllog_phases_set_texts(imp, phase, o->rows[i].name_id, o->rows[i].line_id);
		if (td_mllog_phases_is_on(imp, on, phase))
			continue;
		buffered += td_mllog_phases_began_at(imp, on, phase) == phase->ts_ns;
		r = td_mllog_phases_add(imp, on, phase);
	}
	note_buffered(imp, buffered);
	return r < 0 ? r : 0;
}

static int output_end(struct td_import *imp)
{
	struct output *o = imp->state;
	int r = put_phases(imp, o), e = td_mllog_done(imp, &o->mllog);

	free(o->rows);
	return r < 0 ? r : e;
}

static int output_sniff(const char *head, size_t len)
{
	return td_str_starts((struct td_str){ head, len }, TD_MLLOG_OUTPUT_HEAD) ? 100 : 0;
}

const struct td_importer td_importer_output = {
	.name = "output",
	.desc = "phases from the output of a recorded command (FILE.db.output)",
	.clock = TD_CLOCK_UTC,
	.state_size = sizeof(struct output),
	.sniff = output_sniff,
	.surest = 100,
	.begin = output_begin,
	.line = output_line,
	.end = output_end,
};
