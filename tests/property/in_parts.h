/* SPDX-License-Identifier: MIT */
/* Tests of files that are read in parts: what is made here, and the samples of one importer, with
 * parts of several sizes. */
#pragma once

#include "common/strbuf.h"
#include "importers/core/import.h"
#include "tests/property/both.h"
#include "tests/property/samples.h"

static int td_parts_inputs; /* that were compared */

static inline void td_parts_write(const char *path, const struct td_strbuf *text)
{
	_cleanup_fclose_ FILE *f = fopen(path, "we");

	TD_CHECK(f && td_strbuf_error(text) == 0);
	TD_CHECK(f && fwrite(text->p, 1, text->len, f) == text->len);
}

static const struct td_import_options td_parts_in_turn = { .clocks = TD_CLOCK_OPTIONS_NONE,
							   .threads = 1 };

/* Compares reading it in parts of that size, out of turn, with the first way; adds to total. */
static inline struct td_speculation_count td_parts_check(const char *path, size_t part_bytes,
							 struct td_speculation_count *total)
{
	struct td_speculation_count parts = { 0, 0 };
	struct td_import_options out = td_parts_in_turn;

	out.threads = 3;
	out.part_bytes = part_bytes;
	out.speculated = &parts;
	td_both_other(path, &out, 0);
	total->joined += parts.joined;
	total->again += parts.again;
	td_parts_inputs++;
	return parts;
}

/* Reads it in turn, once, and has parts of each of the sizes checked. */
static inline void td_parts_sizes(const char *path, const struct td_import_options *turn,
				  void (*check)(const char *path, size_t part_bytes),
				  const size_t *sizes, size_t n)
{
	TD_CHECK_INT(td_both_first(path, turn), 0);
	for (size_t i = 0; i < n; i++)
		check(path, sizes[i]);
	td_both_forget();
}

struct td_parts_test {
	const char *importer;
	void (*texts)(void); /* checks what is made here */
	const struct td_import_options *turn; /* the first way to read it */
	void (*check)(const char *path, size_t part_bytes); /* compares with that */
	const size_t *sizes; /* of parts, for our own samples */
	size_t nsizes;
	size_t corpus_size; /* for those of the corpus, as some are large */
};

static inline void td_parts_sample(const struct td_parts_test *t, const struct td_sample_file *f,
				   const size_t *sizes, size_t n)
{
	if (!f->rule->importer || strcmp(f->rule->importer, t->importer) != 0)
		return;
	TD_CASE(f->name);
	td_parts_sizes(f->path, t->turn, t->check, sizes, n);
}

static inline void td_parts_own(void *ctx, const struct td_sample_file *f)
{
	const struct td_parts_test *t = ctx;

	td_parts_sample(t, f, t->sizes, t->nsizes);
}

static inline void td_parts_of_corpus(void *ctx, const struct td_sample_file *f)
{
	const struct td_parts_test *t = ctx;

	td_parts_sample(t, f, &t->corpus_size, 1);
}

/* 'TEST SOURCES': what is made here, and our own samples; 'TEST corpus': those below
 * $TRACEDB_CORPUS. The exit status. */
static inline int td_parts_main(int argc, char **argv, struct td_parts_test t)
{
	const char *corpus = getenv("TRACEDB_CORPUS");
	bool of_corpus = argc == 2 && strcmp(argv[1], "corpus") == 0;

	if (argc != 2)
		return 2;
	if (of_corpus && !corpus) {
		puts("TRACEDB_CORPUS is not set");
		return TD_TEST_SKIP;
	}
	td_both_begin();
	if (of_corpus) {
		(void)td_samples_corpus(corpus, td_parts_of_corpus, &t);
	} else {
		t.texts();
		(void)td_samples_own(argv[1], td_parts_own, &t);
	}
	td_both_end();
	TD_CHECK(td_parts_inputs > 0);
	printf("%d inputs\n", td_parts_inputs);
	return td_check_result();
}
