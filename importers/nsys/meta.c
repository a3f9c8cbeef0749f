/* SPDX-License-Identifier: MIT */
/* What an nsys export says about itself and the machine: version, clock, host, GPUs, complaints. */
#include "common/cleanup.h"
#include "common/array.h"
#include "importers/nsys/nsys.h"

/* --- version and clock --- */

/* "3.24.0": 3024000; 0 if it is not a version. */
static int64_t parse_version(const char *text)
{
	struct td_scan s = td_scan_of(text, strlen(text));
	uint64_t major, minor, micro;

	if (!td_scan_u64(&s, &major) || !td_scan_char(&s, '.') || !td_scan_u64(&s, &minor) ||
	    !td_scan_char(&s, '.') || !td_scan_u64(&s, &micro) || major > 999 || minor > 999 ||
	    micro > 999)
		return 0;
	return (int64_t)(major * 1000000 + minor * 1000 + micro);
}

/* A record of the table that is called EXPORT_META_DATA in schema 2 and META_DATA_EXPORT since. */
static const char *export_record(struct td_nsys *n, const char *name, char *buf, size_t size)
{
	const char *table = td_nsys_table_name(n, "META_DATA_EXPORT");
	char sql[160];

	if (!table)
		table = td_nsys_table_name(n, "EXPORT_META_DATA");
	buf[0] = '\0';
	if (!table)
		return buf;
	(void)snprintf(sql, sizeof(sql), "SELECT value FROM \"%.60s\" WHERE name = '%s'", table,
		       name);
	return td_nsys_query_text(n, sql, buf, size);
}

bool td_nsys_read_host(struct td_nsys *n, char *ret, size_t size)
{
	return td_nsys_query_text(
		       n, "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'", ret,
		       size)[0] != '\0';
}

/* A new major version means that tables changed their meaning: better nothing than wrong figures. */
static int read_version(struct td_nsys *n)
{
	char schema[32], tool[64], host[128], layout[48];

	export_record(n, "EXPORT_SCHEMA_VERSION", schema, sizeof(schema));
	export_record(n, "EXPORT_PRODUCT_VERSION", tool, sizeof(tool));
	(void)td_nsys_read_host(n, host, sizeof(host));
	td_import_set_tool(n->imp, "nsys", tool[0] ? tool : NULL, host[0] ? host : NULL);
	n->version = parse_version(schema);
	if (!n->version) {
		td_note(n->imp, "unknown-schema",
			"the version of the export's schema is not in it: it is read as far as its "
			"columns tell");
		return 0;
	}
	(void)snprintf(layout, sizeof(layout), "schema %s", schema);
	td_import_set_layout(n->imp, layout);
	if (n->version >= 2000000 && n->version < 4000000)
		return 0;
	return td_err_set(n->err, -EPROTONOSUPPORT,
			  "nsys export of schema %s, but only schemas 2 and 3 are known", schema);
}

static void read_clock(struct td_nsys *n)
{
	int64_t utc = td_nsys_query_i64(n, "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME",
					TD_NULL);
	char normalized[16];

	export_record(n, "EXPORT_PARAM_TIME_NORMALIZE", normalized, sizeof(normalized));
	if (strcmp(normalized, "true") == 0)
		return; /* nsys export --ts-normalize=true has added it already */
	if (utc != TD_NULL) {
		n->base_ns = utc;
		return;
	}
	td_import_set_clock(n->imp, TD_CLOCK_RELATIVE);
	td_note(n->imp, "missing-table",
		"TARGET_INFO_SESSION_START_TIME: no begin of the session in this export");
}

/* nsys export --tables and --times leave things out. */
static void note_partial(struct td_nsys *n)
{
	static const char *const records[] = { "EXPORT_PARAM_TABLES_TO_EXPORT",
					       "EXPORT_PARAM_TIMES_TO_EXPORT",
					       "DERIVED_WINDOW_NS" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(records); i++) {
		char value[128], text[192];

		export_record(n, records[i], value, sizeof(value));
		if (!value[0])
			continue;
		(void)snprintf(text, sizeof(text), "%s=%s", records[i], value);
		td_note(n->imp, "partial-export", text);
	}
}

/* --- GPUs --- */

enum { GPU_ID = 1, GPU_BUS, GPU_CUDA_ID };

static int gpu_row(struct td_nsys *n, sqlite3_stmt *s)
{
	struct td_nsys_gpu gpu = {
		.id = td_nsys_i64(s, GPU_ID),
		.cuda_id = td_nsys_i64(s, GPU_CUDA_ID),
	};
	struct td_str bus = td_nsys_str(s, GPU_BUS);
	size_t at = n->ngpus;

	if (gpu.id == TD_NULL || n->ngpus == TD_NSYS_GPUS_MAX)
		return td_nsys_reject(n, s, "not-a-gpu");
	(void)snprintf(gpu.bus, sizeof(gpu.bus), "%.*s", (int)TD_MIN(bus.len, sizeof(gpu.bus)),
		       bus.p ? bus.p : "");
	/* nvidia-smi numbers GPUs in the order of their PCI addresses, 0000:03:00.0 */
	for (; at > 0 && strcmp(n->gpus[at - 1].bus, gpu.bus) > 0; at--)
		n->gpus[at] = n->gpus[at - 1];
	n->gpus[at] = gpu;
	n->ngpus++;
	return TD_LINE_ROW;
}

static const char *const gpu_columns[] = { "id", "?busLocation", "?cuDevice", NULL };

static const struct td_nsys_table gpus = {
	.name = "TARGET_INFO_GPU",
	.what = "list of GPUs",
	.columns = gpu_columns,
	.row = gpu_row,
};

static int read_cuda_devices(struct td_nsys *n)
{
	sqlite3_stmt *s = td_nsys_prepare(
		n,
		"SELECT pid, cudaId, gpuId FROM TARGET_INFO_CUDA_DEVICE WHERE gpuId IS NOT NULL");

	n->cuda_devices = calloc(TD_NSYS_CUDA_DEVICES_MAX, sizeof(*n->cuda_devices));
	while (n->cuda_devices && s && sqlite3_step(s) == SQLITE_ROW &&
	       n->ncuda_devices < TD_NSYS_CUDA_DEVICES_MAX)
		n->cuda_devices[n->ncuda_devices++] = (struct td_nsys_cuda_device){
			td_nsys_i64(s, 0),
			td_nsys_i64(s, 1),
			td_nsys_i64(s, 2),
		};
	sqlite3_finalize(s);
	return n->cuda_devices ? 0 : -ENOMEM;
}

static uint32_t device_numbered(struct td_nsys *n, int64_t number)
{
	char name[32];
	int len = snprintf(name, sizeof(name), "GPU %lld", (long long)number);

	return td_store_device(n->imp->store, TD_DEVICE_GPU, name, (size_t)len, number);
}

/* TARGET_INFO_GPU.id of a CUDA ordinal; TD_NULL: not known. */
static int64_t gpu_of(const struct td_nsys *n, int64_t pid, int64_t cuda_id)
{
	for (size_t i = 0; i < n->ncuda_devices; i++)
		if (n->cuda_devices[i].pid == pid && n->cuda_devices[i].cuda_id == cuda_id)
			return n->cuda_devices[i].gpu_id;
	for (size_t i = 0; i < n->ngpus; i++)
		if (n->gpus[i].cuda_id == cuda_id)
			return n->gpus[i].id;
	return TD_NULL;
}

static void note_ordinal(struct td_nsys *n)
{
	uint64_t row = n->imp->line_no;

	if (n->ordinal_noted)
		return;
	n->ordinal_noted = true;
	n->imp->line_no = 0; /* about the whole export */
	td_note(n->imp, "gpu-by-ordinal",
		"the export does not tell which GPUs its CUDA devices are: GPUs have CUDA's "
		"numbers");
	n->imp->line_no = row;
}

uint32_t td_nsys_device(struct td_nsys *n, int64_t pid, int64_t cuda_id)
{
	int64_t id;

	if (cuda_id == TD_NULL)
		return 0;
	id = gpu_of(n, pid, cuda_id);
	for (size_t i = 0; i < n->ngpus && id != TD_NULL; i++)
		if (n->gpus[i].id == id)
			return device_numbered(n, (int64_t)i);
	note_ordinal(n);
	return device_numbered(n, cuda_id);
}

static int read_gpus(struct td_nsys *n)
{
	int r = td_nsys_read(n, &gpus, NULL);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n->ngpus; i++)
		(void)device_numbered(n, (int64_t)i);
	return read_cuda_devices(n);
}

int td_nsys_read_meta(struct td_nsys *n)
{
	int r = read_version(n);

	if (r < 0)
		return r;
	read_clock(n);
	note_partial(n);
	return read_gpus(n);
}

/* --- complaints --- */

enum { DIAGNOSTIC_SEVERITY = 1, DIAGNOSTIC_TEXT };

/* DIAGNOSTIC_SEVERITY_LEVEL */
#define SEVERITY_WARNING 2
#define SEVERITY_ERROR 3

static int diagnostic_row(struct td_nsys *n, sqlite3_stmt *s)
{
	int64_t severity = td_nsys_i64(s, DIAGNOSTIC_SEVERITY);
	struct td_str text = td_nsys_str(s, DIAGNOSTIC_TEXT);

	if ((severity != SEVERITY_WARNING && severity != SEVERITY_ERROR) || !text.p)
		return TD_LINE_SKIPPED;
	td_note(n->imp, severity == SEVERITY_ERROR ? "nsys-error" : "nsys-warning", text.p);
	return TD_LINE_ROW;
}

static const char *const diagnostic_columns[] = { "severity", "text", NULL };

static const struct td_nsys_table diagnostics = {
	.name = "DIAGNOSTIC_EVENT",
	.columns = diagnostic_columns,
	.row = diagnostic_row,
};

/* Tables that are read, and those that hold nothing by themselves. A '%' at the end: what begins so. */
static const char *const known_tables[] = {
	"ANALYSIS_%",
	"COMPOSITE_EVENTS%",
	"CUDA_CALLCHAINS%",
	"CUPTI_ACTIVITY_KIND_DRIVER%",
	"CUPTI_ACTIVITY_KIND_GRAPH_TRACE%",
	"CUPTI_ACTIVITY_KIND_KERNEL%",
	"CUPTI_ACTIVITY_KIND_MEMCPY%",
	"CUPTI_ACTIVITY_KIND_MEMSET%",
	"CUPTI_ACTIVITY_KIND_RUNTIME%",
	"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION%",
	"DIAGNOSTIC_EVENT%",
	"ENUM_%",
	"EXPORT_META_DATA",
	"META_DATA_%",
	"NVTX_EVENTS%",
	"NVTX_PAYLOAD_%",
	"OSRT_API%",
	"OSRT_CALLCHAINS%",
	"OSRT_FILE_ACCESS_%",
	"PROCESSES%",
	"ProcessStreams%",
	"SCHED_EVENTS%",
	"SAMPLING_CALLCHAINS%",
	"StringIds",
	"TARGET_INFO_%",
	"ThreadNames%",
	"sqlite_%",
};

static bool is_known(struct td_str table)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(known_tables); i++) {
		const char *k = known_tables[i];
		size_t len = strlen(k);

		if (k[len - 1] == '%' ? table.len >= len - 1 && memcmp(table.p, k, len - 1) == 0
				      : td_str_eq(table, k))
			return true;
	}
	return false;
}

static void note_unused(struct td_nsys *n)
{
	for (uint32_t id = 1; id <= n->tables.n; id++) {
		struct td_str table = td_intern_get(&n->tables, id);
		char *sql;

		if (is_known(table))
			continue;
		sql = sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM \"%w\")", table.p);
		if (sql && td_nsys_query_i64(n, sql, 0) > 0)
			td_note(n->imp, "unused-table", table.p);
		sqlite3_free(sql);
	}
}

int td_nsys_read_diagnostics(struct td_nsys *n)
{
	int r = td_nsys_read(n, &diagnostics, NULL);

	note_unused(n);
	return r;
}
