/* SPDX-License-Identifier: MIT */
/* Arbitrary text read as a partial, put together with itself, written, and made a database that reports are run on. */
#include <assert.h>

#include "analyzer/partial/answer.h"
#include "analyzer/partial/file.h"
#include "tests/fuzz/fuzz.h"

static void discard(FILE **f)
{
	(void)fclose(*f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(td_partial_freep) struct td_partial *p = NULL, *sorted = NULL, *twice = NULL;
	_cleanup_(td_partial_blank_freep) struct td_partial_blank *blank = NULL;
	_cleanup_(td_partial_answer_freep) struct td_partial_answer *answer = NULL;
	_cleanup_(discard) FILE *out = fopen("/dev/null", "we");
	struct td_err err = { { 0 } };

	if (!out || td_partial_parse((const char *)data, size, &p, &err) < 0)
		return 0;
	assert(td_partial_sorted(p, &sorted) == 0);
	assert(td_partial_write(sorted, out) == 0);
	assert(td_partial_new(&p->head, &twice) == 0);
	(void)td_partial_merge(twice, p, &err);
	(void)td_partial_merge(twice, sorted, &err);
	assert(td_partial_blank_new(&blank, &err) == 0);
	(void)td_partial_answer_new(sorted, NULL, 0, blank, &answer, &err);
	return 0;
}
