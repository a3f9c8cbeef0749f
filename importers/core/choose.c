/* SPDX-License-Identifier: MIT */
/* Which importer reads a text: the one that the user names, or the one that is surest of what it sees. */
#include "common/cleanup.h"
#include "importers/core/import_core.h"

#define IS_UTF16                                                                                   \
	"it is text in UTF-16, as PowerShell writes it: convert it, iconv -f UTF-16 -t UTF-8"

/* What importers are asked about. */
struct text {
	const char *p;
	size_t len;
	const struct td_import_layouts *layouts; /* that the user gave, or NULL */
};

/* How sure an importer is of the text: 0 .. 100. */
typedef int sureness_fn(const struct td_importer *importer, const struct text *t);

static int by_layouts(const struct td_importer *importer, const struct text *t)
{
	return importer->sniff_with ? importer->sniff_with(t->p, t->len, t->layouts) : 0;
}

static int from_afar(const struct td_importer *importer, const struct text *t)
{
	return importer->sniff_far ? importer->sniff_far(t->p, t->len) : 0;
}

/* By importer; of those that were not asked 0. */
struct scores {
	int of[TD_IMPORTERS_MAX];
};

/* Only who is surer than *score counts; without one *ret and *score stay. 0, or -EEXIST on a tie. */
static int find_best(const struct scores *scores, int *score, const struct td_importer **ret,
		     struct td_err *err)
{
	const struct td_importer *best = NULL, *tied = NULL;
	int best_score = *score;

	for (size_t i = 0; td_importers[i]; i++) {
		int sure = scores->of[i];

		if (sure > best_score) {
			best = td_importers[i];
			best_score = sure;
			tied = NULL;
		} else if (best && sure == best_score) {
			tied = td_importers[i];
		}
	}
	if (tied)
		return td_err_set(err, -EEXIST,
				  "both '%s' and '%s' claim it: name one with --format", best->name,
				  tied->name);
	if (best) {
		*ret = best;
		*score = best_score;
	}
	return 0;
}

/* As find_best(). */
static int find_surest(sureness_fn *sureness, const struct text *t, int *score,
		       const struct td_importer **ret, struct td_err *err)
{
	struct scores scores = { 0 };

	for (size_t i = 0; td_importers[i]; i++)
		scores.of[i] = sureness(td_importers[i], t);
	return find_best(&scores, score, ret, err);
}

/* Of those that were not asked (a bit each) the one that can be surest; -1: none can be as sure as that. */
static int next_to_ask(uint64_t asked, int score)
{
	int next = -1;

	for (int i = 0; td_importers[i]; i++)
		if (!(asked >> i & 1) && td_importers[i]->surest >= score &&
		    (next < 0 || td_importers[i]->surest > td_importers[next]->surest))
			next = i;
	return next;
}

/* To look at a head takes longer than to read a small file, so nobody is asked who could neither win nor tie. */
static int find_by_head(const char *head, size_t len, int *score, const struct td_importer **ret,
			struct td_err *err)
{
	struct scores scores = { 0 };
	uint64_t asked = 0;
	int best = *score, i;

	while ((i = next_to_ask(asked, best)) >= 0) {
		scores.of[i] = td_importers[i]->sniff(head, len);
		best = TD_MAX(best, scores.of[i]);
		asked |= UINT64_C(1) << i;
	}
	return find_best(&scores, score, ret, err);
}

int td_sniff(const char *head, size_t len, const struct td_importer **ret, struct td_err *err)
{
	int score = 0;

	*ret = NULL;
	return find_by_head(head, len, &score, ret, err);
}

static int find_named(const char *name, const struct td_importer **ret, struct td_err *err)
{
	for (size_t i = 0; td_importers[i]; i++) {
		if (strcmp(td_importers[i]->name, name) != 0)
			continue;
		*ret = td_importers[i];
		return 0;
	}
	return td_err_set(err, -EINVAL, "no importer '%s': 'tracedb formats' lists them", name);
}

/* The head may be all that launch scripts and libraries print before what a format begins with. */
static int look_further(struct td_stream *in, const struct td_import_layouts *layouts,
			const struct td_importer **ret, struct td_err *err)
{
	struct text t = { .layouts = layouts };
	int r = td_stream_peek_far(in, &t.p, &t.len), score = 0;

	if (r >= 0)
		r = find_surest(from_afar, &t, &score, ret, err);
	if (r == 0 && layouts && layouts->n)
		r = find_surest(by_layouts, &t, &score, ret, err);
	return r;
}

#define UTF16_SEEN 64 /* bytes that tell */

/* By its mark or, without one, of text that begins with ASCII by every other byte. */
static bool is_utf16(const struct text *t)
{
	size_t n = TD_MIN(t->len, UTF16_SEEN) / 2, nuls[2] = { 0 };

	if (n && (memcmp(t->p, "\xff\xfe", 2) == 0 || memcmp(t->p, "\xfe\xff", 2) == 0))
		return true;
	for (size_t i = 0; i < 2 * n; i++)
		nuls[i % 2] += t->p[i] == '\0';
	return n > 1 && nuls[0] + nuls[1] == n && (nuls[0] == n || nuls[1] == n);
}

/* What could be done so that the text is read. */
static void say_why(const struct text *t, struct td_err *err)
{
	bool said = is_utf16(t);

	if (said)
		(void)td_err_set(err, 0, "%s", IS_UTF16);
	for (size_t i = 0; !said && td_importers[i]; i++)
		said = td_importers[i]->explain &&
		       td_importers[i]->explain(t->p, t->len, t->layouts, err);
}

int td_import_choose(struct td_stream *in, const struct td_import_options *options,
		     const struct td_importer **ret, struct td_err *err)
{
	struct text t = { .layouts = options->layouts };
	int r, score = 0;

	if (options->format)
		return find_named(options->format, ret, err);
	r = td_stream_peek(in, &t.p, &t.len);
	if (r < 0) {
		err->msg[0] = '\0'; /* who knows its name says it */
		return r;
	}
	*ret = NULL;
	r = find_by_head(t.p, t.len, &score, ret, err);
	/* what the user describes need not look like anything we know, and whatever it looks like
	 * the user knows better */
	if (r == 0 && t.layouts && t.layouts->n)
		r = find_surest(by_layouts, &t, &score, ret, err);
	if (r == 0 && !*ret)
		say_why(&t, err);
	if (r == 0 && !*ret && t.len == TD_PEEK_MAX && !memchr(t.p, '\0', t.len))
		r = look_further(in, t.layouts, ret, err);
	return r;
}

bool td_import_may_name_host(const char *head, size_t len)
{
	struct td_str text = { head, len };

	for (size_t i = 0; td_importers[i]; i++)
		for (const char *const *m = td_importers[i]->host_marks; m && *m; m++)
			if (td_str_find(text, *m))
				return true;
	return false;
}

bool td_import_host(struct td_stream *in, const char *path, const struct td_import_options *options,
		    char *ret, size_t size)
{
	const struct td_importer *importer = NULL;
	struct text t = { 0 };
	struct td_err err;

	if (td_stream_peek(in, &t.p, &t.len) < 0)
		return false;
	for (size_t i = 0; td_importers[i]; i++) {
		const struct td_importer *asked = td_importers[i];

		if (!asked->host || !asked->host(t.p, t.len, path, ret, size))
			continue;
		if (!importer && td_import_choose(in, options, &importer, &err) < 0)
			return false;
		if (asked == importer)
			return true;
	}
	return false;
}
