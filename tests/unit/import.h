/* SPDX-License-Identifier: MIT */
/*
 * For importer tests: a text in, the rows that came of it out, in native times.
 *     _cleanup_(td_imported_done) struct td_imported in = { 0 };
 *     td_import_text(&in, &td_importer_ps, text, NULL);
 *     TD_CHECK_INT(in.ncalls, 2);
 */
#pragma once

#include "common/array.h"
#include "common/cleanup.h"
#include "importers/core/import.h"
#include "store/store.h"
#include "tests/unit/check.h"
#include "tests/unit/read_whole.h"
#include "tests/unit/stage.h"

struct td_imported {
	struct td_store *st;
	const struct td_contents *has; /* of st */
	const struct td_source *source;
	struct td_call *calls;
	size_t ncalls, calls_cap;
	struct td_block *blocks;
	size_t nblocks, blocks_cap;
	struct td_sched *scheds;
	size_t nscheds, scheds_cap;
	struct td_gpu_op *gpu_ops;
	size_t ngpu_ops, gpu_ops_cap;
	struct td_sample *samples;
	size_t nsamples, samples_cap;
	struct td_span *spans;
	size_t nspans, spans_cap;
	struct td_stack_sample *stacks;
	size_t nstacks, stacks_cap;
	struct td_mark *marks;
	size_t nmarks, marks_cap;
	int r; /* what td_import_mem() returned */
	struct td_err err;
};

static const struct td_import_options td_no_options = { .clocks = TD_CLOCK_OPTIONS_NONE };

/* What the user gave with --layout; NULL-ended. The caller ends what is returned. */
static inline struct td_import_layouts td_layouts_of(const char *const *texts)
{
	struct td_import_layouts l = { 0 };
	struct td_err err = { "" };

	for (; *texts; texts++) {
		TD_CHECK_INT(td_import_layouts_add(&l, *texts, &err), 0);
		TD_CHECK_STR(err.msg, "");
	}
	return l;
}

static inline void td_imported_done(struct td_imported *in)
{
	free(in->calls);
	free(in->blocks);
	free(in->scheds);
	free(in->gpu_ops);
	free(in->samples);
	free(in->spans);
	free(in->marks);
	free(in->stacks);
	td_store_free(in->st);
	*in = (struct td_imported){ 0 };
}

static inline const struct td_shift *td_no_shift(void *ud, const void *record)
{
	static const struct td_shift none = { 0 };

	(void)ud;
	(void)record;
	return &none;
}

#define TD_COLLECT(kind, type, array, n, cap)                                                      \
	static inline int td_collect_##kind(void *ud, void *record)                                \
	{                                                                                          \
		struct td_imported *in = ud;                                                       \
		int r = td_grow(&in->array, &in->cap, in->n);                                      \
		if (r < 0)                                                                         \
			return r;                                                                  \
		in->array[in->n++] = *(struct type *)record;                                       \
		return 0;                                                                          \
	}
TD_COLLECT(call, td_call, calls, ncalls, calls_cap)
TD_COLLECT(block, td_block, blocks, nblocks, blocks_cap)
TD_COLLECT(sched, td_sched, scheds, nscheds, scheds_cap)
TD_COLLECT(gpu_op, td_gpu_op, gpu_ops, ngpu_ops, gpu_ops_cap)
TD_COLLECT(sample, td_sample, samples, nsamples, samples_cap)
TD_COLLECT(span, td_span, spans, nspans, spans_cap)
TD_COLLECT(mark, td_mark, marks, nmarks, marks_cap)
TD_COLLECT(stack, td_stack_sample, stacks, nstacks, stacks_cap)
#undef TD_COLLECT

/* The rows of all kinds, each in order of time. */
static inline void td_collect_rows(struct td_imported *in)
{
	static int (*const visit[TD_NKINDS])(void *ud, void *record) = {
		[TD_KIND_CALL] = td_collect_call,     [TD_KIND_BLOCK] = td_collect_block,
		[TD_KIND_SCHED] = td_collect_sched,   [TD_KIND_GPU_OP] = td_collect_gpu_op,
		[TD_KIND_SAMPLE] = td_collect_sample, [TD_KIND_SPAN] = td_collect_span,
		[TD_KIND_MARK] = td_collect_mark,     [TD_KIND_STACK] = td_collect_stack,
	};

	for (unsigned k = 0; k < TD_NKINDS; k++)
		if (visit[k])
			TD_CHECK_INT(td_stage_read(td_store_stage(in->st, k), k, td_no_shift,
						   visit[k], in),
				     0);
}

/* An empty store, for tests that import by themselves. */
static inline void td_make_store(struct td_imported *in)
{
	TD_CHECK_INT(td_store_new("/tmp/tracedb-test-spill", &in->st), 0);
	in->has = td_store_contents(in->st);
}

/* Imports the text; importer NULL: by its content. options NULL: none. */
static inline void td_import_bytes(struct td_imported *in, const struct td_importer *importer,
				   const char *text, size_t len,
				   const struct td_import_options *options)
{
	td_make_store(in);
	in->r = td_import_mem(in->st, text, len, "test", importer,
			      options ? options : &td_no_options, &in->err);
	TD_CHECK_INT(in->r, 0);
	in->source = td_store_source_at(in->st, 1);
	if (!in->source)
		return;
	TD_CHECK_INT(in->source->lines,
		     in->source->rows + in->source->skipped + in->source->issues);
	td_collect_rows(in);
}

static inline void td_import_text(struct td_imported *in, const struct td_importer *importer,
				  const char *text, const struct td_import_options *options)
{
	td_import_bytes(in, importer, text, strlen(text), options);
}

/* How many lines were counted under that kind of issue. */
static inline uint64_t td_issues_of(const struct td_imported *in, const char *kind)
{
	for (size_t i = 0; i < in->has->nissue_counts; i++)
		if (strcmp(in->has->issue_counts[i].kind, kind) == 0)
			return in->has->issue_counts[i].count;
	return 0;
}

/* The text of a string id, "" for 0. */
static inline const char *td_text_of(const struct td_imported *in, uint32_t string_id)
{
	return string_id ? td_store_text(in->st, string_id).p : "";
}

static inline const char *td_op_name_of(const struct td_imported *in, const struct td_call *c)
{
	return in->has->ops[c->op_id - 1].name;
}

static inline const struct td_process *td_process_of(const struct td_imported *in, uint32_t id)
{
	return td_store_process_at(in->st, id);
}

static inline const struct td_file *td_file_of(const struct td_imported *in, uint32_t id)
{
	return td_store_file_at(in->st, id);
}

/* path if known, else name; "(none)" for id 0. */
static inline const char *td_file_text(const struct td_imported *in, uint32_t id)
{
	const struct td_file *f = td_file_of(in, id);

	return !f ? "(none)" : f->path.p ? f->path.p : f->name.p;
}
