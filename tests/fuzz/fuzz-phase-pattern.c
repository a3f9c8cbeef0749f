/* SPDX-License-Identifier: MIT */
/* A log that --phase-pattern makes phases of. The patterns are the user's own; what they are tried on is anybody's. */
#include "importers/core/importers.h"
#include "importers/core/phase_pattern.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const patterns[] = { "Epoch [0-9]+", "([a-z]*)=([0-9]*)", ".* (x*)" };
	_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = { 0 };
	const struct td_import_options options = { .layouts = &layouts,
						   .clocks = TD_CLOCK_OPTIONS_NONE };
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_err err = { { 0 } };

	for (size_t i = 0; i < TD_ARRAY_SIZE(patterns); i++)
		if (td_import_phase_pattern_add(&layouts, patterns[i], &err) < 0)
			return 0;
	if (td_store_new("/tmp/tracedb-fuzz", &st) < 0)
		return 0;
	(void)td_import_mem(st, (const char *)data, size, "fuzz", &td_importer_mllog, &options,
			    &err);
	return 0;
}
