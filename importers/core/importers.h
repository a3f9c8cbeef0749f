/* SPDX-License-Identifier: MIT */
/* One line per importer, alphabetical; the table is in registry.c. */
#pragma once

#include "importers/core/import.h"

extern const struct td_importer td_importer_bpftrace;
extern const struct td_importer td_importer_bpftrace_json;
extern const struct td_importer td_importer_bpftrace_tools;
extern const struct td_importer td_importer_dlio;
extern const struct td_importer td_importer_dlio_json;
extern const struct td_importer td_importer_folded;
extern const struct td_importer td_importer_iostat;
extern const struct td_importer td_importer_iostat_json;
extern const struct td_importer td_importer_kineto;
extern const struct td_importer td_importer_mllog;
extern const struct td_importer td_importer_mpstat;
extern const struct td_importer td_importer_mpstat_json;
extern const struct td_importer td_importer_nsys;
extern const struct td_importer td_importer_nvidia_query;
extern const struct td_importer td_importer_nvidia_smi;
extern const struct td_importer td_importer_output;
extern const struct td_importer td_importer_perf_script;
extern const struct td_importer td_importer_perf_trace;
extern const struct td_importer td_importer_ps;
extern const struct td_importer td_importer_record;
extern const struct td_importer td_importer_strace;
