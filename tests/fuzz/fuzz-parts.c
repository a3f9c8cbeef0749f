/* SPDX-License-Identifier: MIT */
/*
 * Text in parts of some lines or elements, read out of turn (bpftrace, Kineto) or taken apart ahead
 * (strace): the same as in turn, whatever the text is. The last byte chooses how large a part is.
 */
#include "importers/core/importers.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"
#include "tests/property/dump.h"

#define NO_LINE 1 /* bytes of a part that holds none */

static int import(const uint8_t *data, size_t size, size_t part_bytes, struct td_strbuf *ret)
{
	const struct td_import_options options = { .clocks = TD_CLOCK_OPTIONS_NONE,
						   .threads = part_bytes == NO_LINE ? 1 : 3,
						   .part_bytes = part_bytes };
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_err err = { { 0 } };
	int r = td_store_new("/tmp/tracedb-fuzz", &st);

	if (r == 0)
		r = td_import_mem(st, (const char *)data, size, "fuzz", &IMPORTER, &options, &err);
	if (r == 0) {
		td_dump_store(st, ret);
		td_dump_source(st, 1, ret);
	}
	return r < 0 ? r : td_strbuf_error(ret);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(td_strbuf_done) struct td_strbuf turn = TD_STRBUF_INIT, parts = TD_STRBUF_INIT;

	if (size == 0)
		return 0;
	if (import(data, size, NO_LINE, &turn) < 0 ||
	    import(data, size, 16 + (size_t)data[size - 1] * 4, &parts) < 0)
		return 0;
	if (turn.len != parts.len || memcmp(turn.p, parts.p, turn.len) != 0)
		abort();
	return 0;
}
