/* SPDX-License-Identifier: MIT */
#include "analyzer/export/export.h"
#include "common/cleanup.h"

/* Keep alphabetical, one per line. */
/* clang-format off */
const struct td_exporter *const td_exporters[] = {
	&td_exporter_bpftrace,
	&td_exporter_bpftrace_split,
	&td_exporter_chrome,
	&td_exporter_csv,
	&td_exporter_ndjson,
	&td_exporter_parquet,
	&td_exporter_perfetto,
	&td_exporter_sql,
	&td_exporter_sqlite,
	NULL,
};
/* clang-format on */

const struct td_exporter *td_exporter_find(const char *name)
{
	for (size_t i = 0; td_exporters[i]; i++)
		if (strcmp(td_exporters[i]->name, name) == 0)
			return td_exporters[i];
	return NULL;
}
