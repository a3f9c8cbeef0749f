/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "importers/core/importers.h"

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

int td_sniff(const char *head, size_t len, const struct td_importer **ret, struct td_err *err)
{
	const struct td_importer *best = NULL, *tied = NULL;
	int best_score = 0;

	for (size_t i = 0; td_importers[i]; i++) {
		int score = td_importers[i]->sniff(head, len);

		if (score > best_score) {
			best = td_importers[i];
			best_score = score;
			tied = NULL;
		} else if (score > 0 && score == best_score) {
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
