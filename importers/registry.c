/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/parallel.h"
#include "importers/importers.h"

/* Keep alphabetical. */
/* Keep alphabetical, one per line. */
/* clang-format off */
const struct td_importer *const td_importers[] = {
	&td_importer_bpftrace,
	&td_importer_bpftrace_json,
	&td_importer_bpftrace_tools,
	&td_importer_dlio,
	&td_importer_dlio_json,
	&td_importer_iostat,
	&td_importer_iostat_json,
	&td_importer_kineto,
	&td_importer_mllog,
	&td_importer_mpstat,
	&td_importer_mpstat_json,
	&td_importer_nsys,
	&td_importer_nvidia_query,
	&td_importer_nvidia_smi,
	&td_importer_perf_script,
	&td_importer_perf_trace,
	&td_importer_ps,
	&td_importer_record,
	&td_importer_strace,
	NULL,
};
/* clang-format on */

/* Below this it takes less time than threads do. */
#define SNIFF_ALONE 16384

struct sniffing {
	const char *head;
	size_t len;
	int scores[TD_ARRAY_SIZE(td_importers)];
};

static int sniff_one(void *arg, size_t i)
{
	struct sniffing *s = arg;

	s->scores[i] = td_importers[i]->sniff(s->head, s->len);
	return 0;
}

int td_sniff(const char *head, size_t len, const struct td_importer **ret, struct td_err *err)
{
	const struct td_importer *best = NULL, *tied = NULL;
	struct sniffing s = { .head = head, .len = len };
	const size_t n = TD_ARRAY_SIZE(td_importers) - 1;
	int best_score = 0;

	if (len > SNIFF_ALONE)
		(void)td_parallel(n, sniff_one, &s);
	for (size_t i = 0; i < n; i++) {
		if (len <= SNIFF_ALONE)
			(void)sniff_one(&s, i);
		if (s.scores[i] > best_score) {
			best = td_importers[i];
			best_score = s.scores[i];
			tied = NULL;
		} else if (s.scores[i] > 0 && s.scores[i] == best_score) {
			tied = td_importers[i];
		}
	}
	if (tied)
		return td_err_set(err, -EEXIST,
				  "both '%s' and '%s' claim it: name one with --format", best->name,
				  tied->name);
	*ret = best;
	return 0;
}
