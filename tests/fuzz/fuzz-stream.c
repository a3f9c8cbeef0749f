/* SPDX-License-Identifier: MIT */
/* Lines out of arbitrary bytes: plain, gzip or zstd as their first bytes say. */
#include <assert.h>

#include "common/stream.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	struct td_err err = { { 0 } };
	struct td_line line;
	const char *head;
	size_t head_len;
	uint64_t lines = 0;
	int64_t text = 0;

	if (td_stream_open_mem((const char *)data, size, &s) < 0)
		return 0;
	if (td_stream_peek(s, &head, &head_len) == 0)
		assert(head_len <= TD_PEEK_MAX);
	/* a small file can unpack to a huge one: the first 16 MiB will do */
	while (text < 16 * 1024 * 1024 && td_stream_line(s, &line, &err) > 0) {
		lines++;
		if (line.no != lines)
			abort();
		assert(line.len <= TD_LINE_MAX && line.p[line.len] == '\0');
		text = td_stream_text_bytes(s);
	}
	return 0;
}
