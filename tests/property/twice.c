/* SPDX-License-Identifier: MIT */
/*
 * Each sample becomes a database, twice: both are the same to the byte, they are sound, and in them the lines of
 * every source are rows, skipped or issues.
 *
 *     twice SOURCES NSYS-SEEDS     our own samples, each alone; folders
 *     twice corpus IMPORTER...     those below $TRACEDB_CORPUS that these importers read, each alone
 *     twice corpus FOLDER...       folders of it (a name with a slash)
 */
#include "tests/property/both.h"
#include "tests/property/samples.h"

static int inputs;

/* --- one input --- */

static void check_twice(const char *path, bool must_be_read)
{
	static const struct td_import_options options = { .clocks = TD_CLOCK_OPTIONS_NONE };
	int r = td_both_first(path, &options);

	td_both_other(path, &options, r);
	td_both_forget();
	TD_CHECK(r == 0 || (r == -ENODATA && !must_be_read));
	inputs++;
}

struct wanted {
	char *const *importers; /* NULL: all */
	int n;
};

static void check_sample(void *ctx, const struct td_sample_file *f)
{
	const struct wanted *w = ctx;
	bool found = !w->importers;
	struct stat st = { 0 };

	for (int i = 0; i < w->n; i++)
		found |= strcmp(w->importers[i], f->rule->importer ? f->rule->importer : "none") ==
			 0;
	if (!found)
		return;
	TD_CASE(f->name);
	TD_CHECK_INT(stat(f->path, &st), 0);
	check_twice(f->path, f->rule->importer && !f->rule->maybe && st.st_size > 0);
}

static void check_folder(const char *root, const char *name)
{
	char path[4096];

	TD_CASE(name);
	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	check_twice(path, true);
}

static void check_corpus(const char *corpus, char *const *names, int n)
{
	struct wanted wanted = { names, n };

	(void)td_samples_corpus(corpus, check_sample, &wanted);
	for (int i = 0; i < n; i++)
		if (strchr(names[i], '/'))
			check_folder(corpus, names[i]);
}

static void check_own(const char *sources, const char *nsys)
{
	struct wanted all = { NULL, 0 };

	(void)td_samples_own(sources, check_sample, &all);
	(void)td_samples_nsys(nsys, check_sample, &all);
	check_folder(sources, "tests/data");
	check_folder(sources, "examples/stall/run");
}

/* --- */

int main(int argc, char **argv)
{
	const char *corpus = getenv("TRACEDB_CORPUS");
	bool of_corpus = argc > 2 && strcmp(argv[1], "corpus") == 0;

	if (argc < 3)
		return 2;
	if (of_corpus && !corpus) {
		puts("TRACEDB_CORPUS is not set");
		return TD_TEST_SKIP;
	}
	td_both_begin();
	if (of_corpus)
		check_corpus(corpus, argv + 2, argc - 2);
	else
		check_own(argv[1], argv[2]);
	td_both_end();
	TD_CHECK(inputs > 0);
	printf("%d inputs\n", inputs);
	return td_check_result();
}
