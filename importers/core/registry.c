/* SPDX-License-Identifier: MIT */
#include "importers/core/importers.h"

/* Keep alphabetical, one per line. */
/* clang-format off */
const struct td_importer *const td_importers[] = {
	&td_importer_bpftrace,
	&td_importer_bpftrace_json,
	&td_importer_bpftrace_tools,
	&td_importer_dlio,
	&td_importer_dlio_json,
	&td_importer_folded,
	&td_importer_iostat,
	&td_importer_iostat_json,
	&td_importer_kineto,
	&td_importer_mllog,
	&td_importer_mpstat,
	&td_importer_mpstat_json,
	&td_importer_nsys,
	&td_importer_nvidia_query,
	&td_importer_nvidia_smi,
	&td_importer_output,
	&td_importer_perf_script,
	&td_importer_perf_trace,
	&td_importer_ps,
	&td_importer_record,
	&td_importer_strace,
	NULL,
};
/* clang-format on */

_Static_assert(TD_ARRAY_SIZE(td_importers) - 1 <= TD_IMPORTERS_MAX,
	       "more importers than choose.c has bits for");
