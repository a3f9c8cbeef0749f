/* SPDX-License-Identifier: MIT */
/* Stacks as text, for importer tests. */
#pragma once

#include <inttypes.h>

#include "common/strbuf.h"
#include "tests/unit/import.h"

/* "symbol@module", from the outermost frame on, with ';' between; '?' for what is not known. */
static inline void td_add_stack(struct td_strbuf *b, const struct td_imported *in, uint32_t id)
{
	const struct td_stack *s = &in->has->stacks[id - 1];

	if (s->parent_id) {
		TD_CHECK(s->parent_id < id);
		td_add_stack(b, in, s->parent_id);
		td_strbuf_addc(b, ';');
	}
	td_strbuf_adds(b, s->symbol_id ? td_text_of(in, s->symbol_id) : "?");
	td_strbuf_addf(b, "@%s", s->module_id ? td_text_of(in, s->module_id) : "?");
}

/* "kind op start duration pid/tid cpu stack", a line for each */
static inline void td_add_stacks(struct td_strbuf *b, const struct td_imported *in, int64_t zero)
{
	for (size_t i = 0; i < in->nstacks; i++) {
		const struct td_stack_sample *s = &in->stacks[i];

		td_strbuf_addf(b, "%s %s %" PRId64, td_text_of(in, s->kind_id),
			       s->op_id ? in->has->ops[s->op_id - 1].name : "-",
			       s->start_ns - zero);
		if (s->dur_ns == TD_NULL)
			td_strbuf_adds(b, " -");
		else
			td_strbuf_addf(b, " %" PRId64, s->dur_ns);
		td_strbuf_addf(b, " %" PRId64 "/%" PRId64,
			       s->process_id ? td_process_of(in, s->process_id)->pid : 0,
			       s->thread_id ? td_store_thread_at(in->st, s->thread_id)->tid : 0);
		td_strbuf_addf(b, " %" PRId32 " ", s->cpu == INT32_MIN ? -1 : s->cpu);
		td_add_stack(b, in, s->stack_id);
		td_strbuf_addc(b, '\n');
	}
}
