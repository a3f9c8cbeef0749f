/* SPDX-License-Identifier: MIT */
/* For the tests of mllog, mpstat and nvidia-smi: rows as text, and files of a folder. */
#pragma once

#include <dirent.h>
#include <math.h>

#include "common/caldate.h"
#include "common/strbuf.h"
#include "tests/unit/import.h"

static inline void td_add_ns(struct td_strbuf *b, int64_t ns)
{
	if (ns == TD_NULL)
		td_strbuf_adds(b, "-");
	else if (ns % TD_SEC_NS == 0)
		td_strbuf_addf(b, "%lld", (long long)(ns / TD_SEC_NS));
	else
		td_strbuf_addf(b, "%lld.%09lld", (long long)(ns / TD_SEC_NS),
			       (long long)(ns % TD_SEC_NS));
}

static inline const struct td_track *td_track_of(const struct td_imported *in, uint32_t id)
{
	return &in->has->tracks[id - 1];
}

/* "track device pid@time+dur=value unit": seconds since origin_ns; '-' for what is NULL. */
static inline void td_add_sample(struct td_strbuf *b, const struct td_imported *in,
				 const struct td_sample *s, int64_t origin_ns)
{
	const struct td_track *t = td_track_of(in, s->track_id);

	td_strbuf_addf(b, "%s %s ", t->name,
		       t->device_id ? in->has->devices[t->device_id - 1].name : "-");
	if (t->process_id) {
		const struct td_process *p = td_process_of(in, t->process_id);

		td_strbuf_addf(b, "%lld '%s' ", (long long)p->pid, td_text_of(in, p->name_id));
	}
	td_strbuf_adds(b, "@");
	td_add_ns(b, s->ts_ns - origin_ns);
	td_strbuf_adds(b, "+");
	td_add_ns(b, s->dur_ns);
	if (isnan(s->value))
		td_strbuf_adds(b, " = -");
	else
		td_strbuf_addf(b, " = %g%s%s", s->value, t->unit[0] ? " " : "", t->unit);
	td_strbuf_adds(b, "\n");
}

static inline int td_compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits the text in place and adds its lines, sorted: rows of one time have no order of their own. */
static inline void td_sort_lines(char *text, struct td_strbuf *ret)
{
	char *lines[256];
	size_t n = 0;

	while (*text && n < TD_ARRAY_SIZE(lines)) {
		char *end = text + strcspn(text, "\n");

		lines[n++] = text;
		if (!*end)
			break;
		*end = '\0';
		text = end + 1;
	}
	qsort(lines, n, sizeof(lines[0]), td_compare_lines);
	for (size_t i = 0; i < n; i++) {
		td_strbuf_adds(ret, lines[i]);
		td_strbuf_addc(ret, '\n');
	}
}

/* Compares lines in any order; got is changed. */
static inline void td_check_lines(struct td_strbuf *got, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf sorted = TD_STRBUF_INIT;
	_cleanup_(td_strbuf_done) struct td_strbuf wanted = TD_STRBUF_INIT;
	_cleanup_free_ char *copy = strdup(want);

	if (got->p)
		td_sort_lines(got->p, &sorted);
	td_sort_lines(copy, &wanted);
	TD_CHECK_STR(td_strbuf_str(&sorted), td_strbuf_str(&wanted));
}

static inline void td_check_samples(const struct td_imported *in, int64_t origin_ns,
				    const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->nsamples; i++)
		td_add_sample(&got, in, &in->samples[i], origin_ns);
	td_check_lines(&got, want);
}

/* Two forms of the same recording give the same samples. */
static inline void td_check_same_samples(const struct td_imported *in, const struct td_imported *as)
{
	_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;
	_cleanup_(td_strbuf_done) struct td_strbuf want = TD_STRBUF_INIT;

	for (size_t i = 0; i < in->nsamples; i++)
		td_add_sample(&got, in, &in->samples[i], 0);
	for (size_t i = 0; i < as->nsamples; i++)
		td_add_sample(&want, as, &as->samples[i], 0);
	td_check_lines(&got, td_strbuf_str(&want));
}

/* How many samples of the track have a value (or, with_null, all). */
static inline size_t td_count_samples(const struct td_imported *in, const char *track,
				      bool with_null)
{
	size_t n = 0;

	for (size_t i = 0; i < in->nsamples; i++)
		n += strcmp(td_track_of(in, in->samples[i].track_id)->name, track) == 0 &&
		     (with_null || !isnan(in->samples[i].value));
	return n;
}

/* Imports the file by its content. false: there is no such file. */
static inline bool td_import_path(struct td_imported *in, const char *path,
				  const struct td_importer *importer)
{
	size_t len;
	_cleanup_free_ char *text = td_read_whole(path, &len);

	if (!text)
		return false;
	td_import_bytes(in, importer, text, len, NULL);
	return true;
}

/* One line per file: what became of its lines, and the kinds of issues. */
static inline void td_print_source(const struct td_imported *in, const char *path)
{
	const struct td_source *s = in->source;

	printf("%s: %s %s lines %llu rows %llu skipped %llu issues %llu samples %zu spans %zu "
	       "marks %zu",
	       path, s->importer ? s->importer : "-", s->layout ? s->layout : "-",
	       (unsigned long long)s->lines, (unsigned long long)s->rows,
	       (unsigned long long)s->skipped, (unsigned long long)s->issues, in->nsamples,
	       in->nspans, in->nmarks);
	for (size_t i = 0; i < in->has->nissue_counts; i++)
		printf(" %s:%llu", in->has->issue_counts[i].kind,
		       (unsigned long long)in->has->issue_counts[i].count);
	printf("\n");
}

/* Calls each for every file of these folders of the corpus; the exit status of the test. */
static inline int td_run_corpus(const char *const *folders, size_t nfolders,
				void (*each)(const char *path, const char *name))
{
	const char *corpus = getenv("TRACEDB_CORPUS");

	if (!corpus) {
		puts("TRACEDB_CORPUS is not set");
		return TD_TEST_SKIP;
	}
	for (size_t i = 0; i < nfolders; i++) {
		char dir[4096], path[8192];
		struct dirent **names = NULL;
		int n;

		(void)snprintf(dir, sizeof(dir), "%s/%s", corpus, folders[i]);
		n = scandir(dir, &names, NULL, alphasort);
		TD_CHECK(n > 2);
		for (int k = 0; k < n; k++) {
			TD_CASE(names[k]->d_name);
			(void)snprintf(path, sizeof(path), "%s/%s", dir, names[k]->d_name);
			if (names[k]->d_name[0] != '.')
				each(path, names[k]->d_name);
			free(names[k]);
		}
		free(names);
	}
	TD_CASE("");
	return td_check_result();
}
