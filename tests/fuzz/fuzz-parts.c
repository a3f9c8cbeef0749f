/* SPDX-License-Identifier: MIT */
/*
 * bpftrace text in parts of some lines: the same as line by line, whatever the text is. The last byte chooses how
 * large a part is.
 */
#include <inttypes.h>

#include "importers/importers.h"
#include "schema/store_private.h"
#include "tests/fuzz/fuzz.h"
#include "tests/property/dump.h"

/* The issues, and what is known of the source. */
static void add_source(struct td_strbuf *b, struct td_store *st)
{
	const struct td_source *s = td_store_source_at(st, 1);

	td_strbuf_addf(b,
		       "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		       s->lines, s->rows, s->skipped, s->issues, s->repaired, s->lost_events);
	td_strbuf_addf(b, "%s %d %d %" PRId64 " %" PRId64 "\n", s->layout ? s->layout : "",
		       s->state, s->clock, s->first_native_ns, s->last_native_ns);
	for (size_t i = 0; i < st->nissue_counts; i++) {
		const struct td_issue_count *c = &st->issue_counts[i];

		td_strbuf_addf(b, "%s %d %" PRIu64 " from %" PRIu64 " kept %u\n", c->kind,
			       c->effect, c->count, c->first_line, c->kept);
	}
	for (size_t i = 0; i < st->nissues; i++)
		td_strbuf_addf(b, "%s at %" PRIu64 ": %s\n", st->issues[i].kind, st->issues[i].line,
			       st->issues[i].text);
}

static int import(const uint8_t *data, size_t size, size_t part_bytes, struct td_strbuf *ret)
{
	const struct td_import_options options = { .utc_offset_s = TD_NULL,
						   .date_days = TD_NULL,
						   .threads = part_bytes ? 3 : 1,
						   .part_bytes = part_bytes };
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_err err = { { 0 } };
	int r = td_store_new("/tmp/tracedb-fuzz", &st);

	if (r == 0)
		r = td_import_mem(st, (const char *)data, size, "fuzz", &td_importer_bpftrace,
				  &options, &err);
	if (r == 0) {
		td_dump_store(st, ret);
		add_source(ret, st);
	}
	return r < 0 ? r : td_strbuf_error(ret);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(td_strbuf_done) struct td_strbuf turn = TD_STRBUF_INIT, parts = TD_STRBUF_INIT;

	if (size == 0)
		return 0;
	if (import(data, size, 0, &turn) < 0 ||
	    import(data, size, 16 + (size_t)data[size - 1] * 4, &parts) < 0)
		return 0;
	if (turn.len != parts.len || memcmp(turn.p, parts.p, turn.len) != 0)
		abort();
	return 0;
}
