/* SPDX-License-Identifier: MIT */
/* Arbitrary text read as a report file (--report-dir): the comment that describes it. */
#include "analyzer/report_file.h"
#include "common/cleanup.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(td_report_freep) struct td_report *report = NULL;
	_cleanup_free_ char *text = size ? strndup((const char *)data, size) : NULL;
	struct td_err err = { { 0 } };

	if (text)
		(void)td_report_parse("fuzz", text, &report, &err);
	return 0;
}
