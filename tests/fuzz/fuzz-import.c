/* SPDX-License-Identifier: MIT */
/*
 * One importer on arbitrary bytes, and the aligner on the times that come of it. Built once per
 * importer with -DIMPORTER=td_importer_NAME; the core asserts that every line is accounted for.
 */
#include "importers/align/align.h"
#include "importers/core/importers.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct td_import_options options = { .clocks = TD_CLOCK_OPTIONS_NONE };
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_alignment alignment;
	struct td_err err = { { 0 } };

	if (td_store_new("/tmp/tracedb-fuzz", &st) < 0)
		return 0;
	(void)IMPORTER.sniff((const char *)data, TD_MIN(size, (size_t)64 * 1024));
	if (td_import_mem(st, (const char *)data, size, "fuzz", &IMPORTER, &options, &err) == 0)
		td_align(st, &options.clocks, &alignment, &err);
	return 0;
}
