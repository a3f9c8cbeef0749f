/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA Nsight Systems: the SQLite export (nsys export -t sqlite, nsys profile --export=sqlite or
 * --stats=true) of the schemas 2 and 3. A table is there only if it has rows, its columns differ between
 * versions: what is not there is said in the source's notes, and no table is taken for empty because it
 * is missing.
 *
 *     META_DATA_EXPORT (EXPORT_META_DATA in schema 2)    source.tool_version, source.layout
 *     TARGET_INFO_SESSION_START_TIME.utcEpochNs          time 0 of the export, on the UTC clock
 *     TARGET_INFO_GPU, TARGET_INFO_CUDA_DEVICE           devices: CUDA's numbers to those of nvidia-smi
 *     PROCESSES, ThreadNames                             process, thread
 *     OSRT_API, OSRT_FILE_ACCESS_*                       call, layer 'libc'
 *     CUPTI_ACTIVITY_KIND_RUNTIME, _DRIVER               call, layer 'cuda'
 *     CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY, _MEMSET,
 *         _GRAPH_TRACE, _SYNCHRONIZATION                 gpu_op
 *     NVTX_EVENTS                                        span, mark
 *     SCHED_EVENTS, COMPOSITE_EVENTS                     sched_slice
 *     OSRT_CALLCHAINS, CUDA_CALLCHAINS,
 *         SAMPLING_CALLCHAINS                            stack_sample
 *     DIAGNOSTIC_EVENT                                   notes: what nsys itself complained about
 *
 * "Lines" are the rows of these tables. Names are numbers in most tables: StringIds(id, value).
 */
#include "common/cleanup.h"
#include "importers/core/importers.h"
#include "importers/nsys/nsys.h"

/* From the SQLite file format. */
#define SQLITE_MAGIC "SQLite format 3" /* with its NUL */
#define SQLITE_PAGE_SIZE 16 /* 2 bytes, big-endian as all; 1 means 65536 */
#define SQLITE_APPLICATION_ID 68 /* 4 bytes */
#define SQLITE_HEADER_SIZE                                                                         \
	100 /* page 1 follows: kind, 2 bytes, 2 bytes number of cells, 3 bytes, last child */
#define SQLITE_INTERIOR 5

/* Tables that exist in exports of nsys and, two of them together, nowhere else. */
static const char *const telling_tables[] = {
	"ANALYSIS_DETAILS",
	"ENUM_NSYS_EVENT_CLASS",
	"ENUM_NSYS_EVENT_TYPE",
	"EXPORT_META_DATA",
	"META_DATA_CAPTURE",
	"META_DATA_EXPORT",
	"OSRT_API",
	"ProcessStreams",
	"StringIds",
	"TARGET_INFO_SESSION_START_TIME",
	"TARGET_INFO_SYSTEM_ENV",
};
#define TELLING 2

static bool creates_table(struct td_str head, const char *name)
{
	static const char create[] = "CREATE TABLE ";
	const char *end = head.p + head.len;

	for (const char *p = head.p;
	     (p = td_str_find((struct td_str){ p, (size_t)(end - p) }, create));) {
		struct td_scan s = td_scan_of(p, (size_t)(end - p));

		p += sizeof(create) - 1;
		if (!td_scan_literal(&s, create))
			break;
		(void)td_scan_char(&s, '"');
		if (td_scan_literal(&s, name) &&
		    (td_scan_char(&s, ' ') || td_scan_char(&s, '(') || td_scan_char(&s, '"')))
			return true;
	}
	return false;
}

static unsigned big_endian(const char *p, unsigned bytes)
{
	unsigned v = 0;

	while (bytes--)
		v = v << 8 | (unsigned char)*p++;
	return v;
}

/* Does a part of the schema lie behind the head? It begins on page 1; when it outgrows that, page 1 holds
 * the numbers of the pages that it is on. Those of exports as nsys writes them begin with the ninth to
 * twelfth; fewer comments in the SQL, by whoever rewrote the file, move them on. */
static bool schema_is_out_of_sight(const char *head, size_t len)
{
	size_t page_size = big_endian(head + SQLITE_PAGE_SIZE, 2), cells;

	if (head[SQLITE_HEADER_SIZE] != SQLITE_INTERIOR)
		return false;
	page_size = page_size == 1 ? 65536 : page_size;
	cells = big_endian(head + SQLITE_HEADER_SIZE + 3, 2);
	for (size_t i = 0; i <= cells; i++) {
		size_t at = SQLITE_HEADER_SIZE + 8; /* the last page is in the header of page 1 */

		if (i < cells) {
			at = SQLITE_HEADER_SIZE + 12 + 2 * i;
			at = at + 2 <= len ? big_endian(head + at, 2) : len;
		}
		if (at + 4 > len || big_endian(head + at, 4) * page_size > len)
			return true;
	}
	return false;
}

static int sniff(const char *head, size_t len)
{
	static const char no_application[4];
	struct td_str text = { head, len };
	unsigned found = 0;

	if (len < SQLITE_HEADER_SIZE + 12 ||
	    memcmp(head, SQLITE_MAGIC, sizeof(SQLITE_MAGIC)) != 0 ||
	    memcmp(head + SQLITE_APPLICATION_ID, no_application, sizeof(no_application)) != 0)
		return 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(telling_tables); i++)
		found += creates_table(text, telling_tables[i]);
	if (found >= TELLING)
		return 95;
	return schema_is_out_of_sight(head, len) ? 1 : 0; /* file() will see */
}

static bool is_export(struct td_nsys *n)
{
	unsigned found = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(telling_tables); i++)
		found += td_nsys_table_name(n, telling_tables[i]) != NULL;
	return found >= TELLING;
}

static int read_export(struct td_nsys *n)
{
	static int (*const parts[])(struct td_nsys * n) = {
		td_nsys_read_meta, td_nsys_read_tasks, td_nsys_read_calls,       td_nsys_read_gpu,
		td_nsys_read_nvtx, td_nsys_read_sched, td_nsys_read_diagnostics,
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(parts); i++) {
		int r = parts[i](n);

		if (r < 0)
			return r;
	}
	return 0;
}

static int file(struct td_import *imp, const char *path, struct td_err *err)
{
	_cleanup_(td_nsys_done) struct td_nsys n = { .imp = imp, .err = err };
	int r = td_nsys_open(&n, path);

	if (r < 0)
		return r;
	return is_export(&n) ? read_export(&n) : TD_FILE_FOREIGN;
}

static const char *const host_marks[] = { "SQLite format 3", NULL };

static bool host(const char *head, size_t len, const char *path, char *ret, size_t size)
{
	struct td_err err;
	_cleanup_(td_nsys_done) struct td_nsys n = { .err = &err };

	return path && sniff(head, len) && td_nsys_connect(&n, path) >= 0 &&
	       td_nsys_read_host(&n, ret, size);
}

const struct td_importer td_importer_nsys = {
	.name = "nsys",
	.desc = "NVIDIA Nsight Systems: SQLite exports",
	.clock = TD_CLOCK_UTC,
	.sniff = sniff,
	.surest = 95,
	.host = host,
	.host_marks = host_marks,
	.file = file,
};
