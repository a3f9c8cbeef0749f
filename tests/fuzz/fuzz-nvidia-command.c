/* SPDX-License-Identifier: MIT */
/* The first line is a command line of nvidia-smi (--layout), the rest what it printed without a header. */
#include "importers/nvidia/command.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *newline = size ? memchr(text, '\n', size) : NULL;
	const char *rest = newline ? newline + 1 : text + size;
	_cleanup_free_ char *command = strndup(text, newline ? (size_t)(newline - text) : size);
	_cleanup_(td_import_layouts_done) struct td_import_layouts layouts = { 0 };
	const struct td_import_options options = { .layouts = &layouts,
						   .clocks = TD_CLOCK_OPTIONS_NONE };
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	struct td_err err = { { 0 } };

	/* what is no command is the name of a file, and none is to be opened */
	if (!command || !td_nvidia_is_command(command) ||
	    td_import_layouts_add(&layouts, command, &err) < 0)
		return 0;
	if (td_store_new("/tmp/tracedb-fuzz", &st) < 0)
		return 0;
	(void)td_import_mem(st, rest, size - (size_t)(rest - text), "fuzz", NULL, &options, &err);
	return 0;
}
