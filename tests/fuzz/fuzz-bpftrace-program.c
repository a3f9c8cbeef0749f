/* SPDX-License-Identifier: MIT */
/* Arbitrary text read as a bpftrace program (--layout); what follows a NUL byte is a line of its output. */
#include "importers/bpftrace/layout.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = text + size;
	const char *nul = size ? memchr(text, '\0', size) : NULL;
	const char *line = nul ? nul + 1 : end;
	struct td_layout_set set = { 0 };
	struct td_layout_values values = { 0 };
	const char *next;
	struct td_err err = { { 0 } };

	if (td_bpftrace_program_text("fuzz.bt", text, (size_t)((nul ? nul : end) - text), &set,
				     &err) == 0) {
		for (size_t i = 0; i < set.npatterns; i++) {
			(void)td_pattern_match(&set.patterns[i], line, end, true, &values);
			(void)td_pattern_match_exact(&set.patterns[i], line, end, true, &values,
						     &next);
			(void)td_pattern_match_tail(&set.patterns[i], line, end);
		}
	}
	td_layout_set_done(&set);
	return 0;
}
