/* SPDX-License-Identifier: MIT */
/*
 * Who claims what: every sample is claimed by the importer that samples.c names and by no other; texts of
 * other kinds, source code, and bytes without meaning by none. No importer is surer than it says it can be, so that
 * td_sniff(), which does not ask all, finds whom all of them would make the surest.
 *
 *     sniff SOURCES NSYS-SEEDS     our own samples and texts
 *     sniff corpus                 those below $TRACEDB_CORPUS
 */
#include "common/cleanup.h"
#include "common/stream.h"
#include "importers/core/importers.h"
#include "schema/wire.h"
#include "tests/property/samples.h"
#include "tests/unit/check.h"

static unsigned nsamples[64]; /* by importer */

/* Does the importer with this score have a right to it? */
static bool is_expected(const struct td_sample_rule *rule, const char *importer, int score,
			int best)
{
	if (rule->any)
		return true;
	if (rule->importer && strcmp(importer, rule->importer) == 0)
		return score == best && (score > 0 || rule->maybe);
	return score == 0 || (rule->also && strcmp(importer, rule->also) == 0 && score < best);
}

/* best: index of the surest, of all that were asked; -1: none. */
static void check_choice(const char *head, size_t len, int best)
{
	const struct td_importer *chosen = NULL;
	struct td_err err = { "" };

	TD_CHECK_INT(td_sniff(head, len, &chosen, &err), 0);
	TD_CHECK(chosen == (best < 0 ? NULL : td_importers[best]));
}

static void check_head(const struct td_sample_rule *rule, const char *head, size_t len)
{
	int scores[TD_ARRAY_SIZE(nsamples)], best = 0, surest = -1;
	bool known = !rule->importer;

	for (size_t i = 0; td_importers[i]; i++) {
		TD_CHECK(i < TD_ARRAY_SIZE(scores));
		scores[i] = td_importers[i]->sniff(head, len);
		TD_CHECK(scores[i] <= td_importers[i]->surest);
		surest = scores[i] > best ? (int)i : surest;
		best = scores[i] > best ? scores[i] : best;
	}
	check_choice(head, len, surest);
	for (size_t i = 0; td_importers[i]; i++) {
		const char *name = td_importers[i]->name;

		if (rule->importer && strcmp(name, rule->importer) == 0) {
			known = true;
			nsamples[i]++;
		}
		td_check_count++;
		if (is_expected(rule, name, scores[i], best))
			continue;
		td_check_failures++;
		fprintf(stderr, "%s: '%s' gives %d of %d, but it is for %s\n", td_check_case, name,
			scores[i], best, rule->importer ? rule->importer : "none");
	}
	TD_CHECK(known);
}

static void check_sample(void *ctx, const struct td_sample_file *s)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	struct td_err err = { "" };
	const char *head = NULL;
	size_t len = 0;

	(void)ctx;
	TD_CASE(s->name);
	TD_CHECK_INT(td_stream_open(s->path, &in, &err), 0);
	if (!in)
		return;
	TD_CHECK_INT(td_stream_peek(in, &head, &len), 0);
	check_head(s->rule, head, len);
}

/* Bytes of which about one in 'lines' is a newline, from the alphabet. */
static void fill(char *p, size_t n, const char *alphabet, size_t nalphabet, unsigned lines,
		 uint64_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407; /* Knuth */
		p[i] = alphabet ? alphabet[(seed >> 33) % nalphabet] : (char)(seed >> 40);
		if ((seed >> 20) % lines == 0)
			p[i] = '\n';
	}
}

static void check_noise(void)
{
	static const struct td_sample_rule none = { .files = "" };
	static const char *const alphabets[] = {
		NULL,
		"\0",
		" ",
		"\n",
		"0123456789 ",
		"0123456789:., CPU%",
		"abcdefghijklmnopqrstuvwxyz0123456789 (),=<>\"[]{}:.-+_/#@%|",
	};
	_cleanup_free_ char *p = malloc(TD_PEEK_MAX);

	TD_CHECK(p != NULL);
	for (size_t i = 0; p && i < TD_ARRAY_SIZE(alphabets); i++) {
		char name[32];
		const char *a = alphabets[i];

		(void)snprintf(name, sizeof(name), "noise %zu", i);
		TD_CASE(name);
		for (unsigned seed = 1; seed <= 8; seed++) {
			fill(p, TD_PEEK_MAX, a, a && *a ? strlen(a) : 1, seed * 13, seed);
			check_head(&none, p, TD_PEEK_MAX >> seed % 4 * 4);
		}
	}
	TD_CASE("nothing");
	check_head(&none, "", 0);
}

/* Recordings of our own are binary; a header is enough. */
static void check_recording(void)
{
	static const struct td_sample_rule recording = { .importer = "record" };
	struct td_wire_header h = {
		.head = { .size = sizeof(h), .kind = TD_WIRE_HEADER },
		.magic = TD_WIRE_MAGIC,
	};

	TD_CASE("recording");
	check_head(&recording, (const char *)&h, sizeof(h));
}

/* The name of every importer and of much that it looks for is in this very program. */
static void check_program(void)
{
	static const struct td_sample_rule none = { .files = "" };
	const struct td_sample_file self = { "/proc/self/exe", "this program", &none };

	check_sample(NULL, &self);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "corpus") == 0) {
		const char *corpus = getenv("TRACEDB_CORPUS");

		if (!corpus) {
			puts("TRACEDB_CORPUS is not set");
			return TD_TEST_SKIP;
		}
		TD_CHECK(td_samples_corpus(corpus, check_sample, NULL) > 0);
		return td_check_result();
	}
	if (argc != 3)
		return 2;
	TD_CHECK(td_samples_own(argv[1], check_sample, NULL) > 0);
	TD_CHECK(td_samples_tree(argv[1], check_sample, NULL) > 0);
	TD_CHECK(td_samples_nsys(argv[2], check_sample, NULL) > 0);
	check_recording();
	for (size_t i = 0; td_importers[i]; i++) {
		TD_CASE(td_importers[i]->name);
		TD_CHECK(nsamples[i] > 0);
	}
	check_program();
	check_noise();
	return td_check_result();
}
