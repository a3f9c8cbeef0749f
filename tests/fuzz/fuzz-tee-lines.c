/* SPDX-License-Identifier: MIT */
/* What a command prints, in pieces of a length that its first byte says: whatever it is, what is
 * written of it is understood by the importer. */
#include <assert.h>
#include <sys/mman.h>

#include "collector/tee/lines.h"
#include "importers/core/importers.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"

#define T0 INT64_C(1714557600000000000)

static void check_understood(const char *text, size_t size)
{
	const struct td_import_options options = { .clocks = TD_CLOCK_OPTIONS_NONE };
	_cleanup_(td_store_freep) struct td_store *st = NULL;
	const struct td_contents *has;
	struct td_err err = { { 0 } };

	if (td_store_new("/tmp/tracedb-fuzz", &st) < 0)
		return;
	(void)td_import_mem(st, text, size, "fuzz", &td_importer_output, &options, &err);
	has = td_store_contents(st);
	for (size_t i = 0; i < has->nissue_counts; i++)
		assert(strcmp(has->issue_counts[i].kind, "spoilt-row") != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const texts[] = { "Epoch [0-9]+", "([a-z]*)=([0-9]*)", ".*(x*)" };
	static regex_t compiled[TD_ARRAY_SIZE(texts)];
	static const regex_t *items[TD_ARRAY_SIZE(texts)];
	const struct td_tee_patterns patterns = { items, TD_ARRAY_SIZE(texts) };
	_cleanup_close_ int fd = memfd_create("lines", MFD_CLOEXEC);
	size_t piece = size ? (size_t)data[0] + 1 : 1, len;
	struct td_tee_lines *l = td_tee_lines_new(fd, &patterns);
	struct td_err err;
	void *text;

	for (size_t i = 0; i < TD_ARRAY_SIZE(texts) && !items[i]; i++)
		if (td_line_pattern_compile(&compiled[i], texts[i], &err) == 0)
			items[i] = &compiled[i];
	for (size_t at = 1; at < size; at += piece)
		td_tee_lines_feed(l, (const char *)data + at, TD_MIN(piece, size - at),
				  T0 + (int64_t)at);
	td_tee_lines_end(l, T0 + (int64_t)size);
	td_tee_lines_free(l);
	len = (size_t)lseek(fd, 0, SEEK_END);
	text = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return 0;
	check_understood(text, len);
	(void)munmap(text, len);
	return 0;
}
