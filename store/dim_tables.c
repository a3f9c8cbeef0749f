/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "store/dim_tables.h"

/* What a member of each type is declared as. */
typedef int64_t member_I64;
typedef uint64_t member_U64;
typedef uint32_t member_U32;
typedef uint64_t member_LINE;
typedef double member_F64;
typedef bool member_BOOL;
typedef uint32_t member_KEY32;
typedef uint16_t member_KEY16;
typedef const char *member_TEXT;
typedef const char *member_KEPT;
typedef char *member_OWNED;
typedef struct td_str member_STR;
typedef char member_HASH[TD_DIM_HASH_SIZE];
typedef uint32_t member_STRING_ID;

/* The offset of a member; does not compile if its type is another one. */
#define OFFSET(record, member, declared)                                                           \
	(offsetof(struct record, member) - 1 +                                                     \
	 sizeof(char[__builtin_types_compatible_p(__typeof__(((struct record *)NULL)->member),     \
						  declared)                                        \
			     ? 1                                                                   \
			     : -1]))

/* The columns in the order of schema/tables.sql. */
#define ID                                                                                         \
	{                                                                                          \
		.name = "id", .type = TD_DIM_ID                                                    \
	}
#define COL(record, column, member, of_type, ...)                                                  \
	{                                                                                          \
		.name = column, .type = TD_DIM_##of_type,                                          \
		.offset = OFFSET(record, member, member_##of_type), __VA_ARGS__                    \
	}
#define ENUM(record, column, member, declared, of_names, n, ...)                                   \
	{                                                                                          \
		.name = column, .type = TD_DIM_ENUM, .offset = OFFSET(record, member, declared),   \
		.names = (of_names), .nnames = (n), __VA_ARGS__                                    \
	}
#define NOT_NULL .not_null = true
#define TO(of_dim) .dim = TD_DIM_##of_dim

static const struct td_dim_column run_columns[] = {
	ID,
	COL(td_run_row, "name", name, TEXT, NOT_NULL),
	COL(td_run_row, "tracedb_version", tracedb_version, TEXT, NOT_NULL),
	COL(td_run_row, "start_ns", start_ns, I64),
	COL(td_run_row, "end_ns", end_ns, I64),
	COL(td_run_row, "utc_offset_s", utc_offset_s, I64),
	COL(td_run_row, "utc_offset_basis", utc_offset_basis, TEXT),
	COL(td_run_row, "bin_ns", bin_ns, I64),
};

static const struct td_dim_column string_columns[] = {
	ID,
	{ .name = "text", .type = TD_DIM_STR, .not_null = true },
};

static const struct td_dim_column source_columns[] = {
	ID,
	COL(td_source, "path", path, OWNED, NOT_NULL),
	COL(td_source, "importer", importer, KEPT),
	COL(td_source, "layout", layout, OWNED),
	ENUM(td_source, "state", state, enum td_state, td_state_names, TD_STATE_FAILED + 1,
	     NOT_NULL),
	COL(td_source, "detail", detail, OWNED),
	COL(td_source, "size_bytes", size_bytes, I64),
	COL(td_source, "hash", hash, HASH),
	COL(td_source, "tool", tool, OWNED),
	COL(td_source, "tool_version", tool_version, OWNED),
	COL(td_source, "host", host, OWNED),
	COL(td_source, "host_basis", host_basis, KEPT),
	COL(td_source, "rank", rank, I64),
	COL(td_source, "rank_basis", rank_basis, KEPT),
	COL(td_source, "lines", lines, U64, NOT_NULL),
	COL(td_source, "rows", rows, U64, NOT_NULL),
	COL(td_source, "skipped", skipped, U64, NOT_NULL),
	COL(td_source, "issues", issues, U64, NOT_NULL),
	COL(td_source, "repaired", repaired, U64, NOT_NULL),
	COL(td_source, "lost_events", lost_events, U64, NOT_NULL),
	ENUM(td_source, "clock", clock, enum td_clock, td_clock_names, TD_NCLOCKS),
	COL(td_source, "clock_offset_ns", offset_ns, I64),
	COL(td_source, "clock_drift_ppb", drift_ppb, F64),
	COL(td_source, "clock_error_ns", error_ns, I64),
	COL(td_source, "clock_basis", clock_basis, OWNED),
	COL(td_source, "first_ns", first_native_ns, I64),
	COL(td_source, "last_ns", last_native_ns, I64),
	COL(td_source, "clock_day_first_ns", day_first_ns, I64),
};

static const struct td_dim_column source_text_columns[] = {
	ID,
	COL(td_source_text, "source_id", source_id, KEY16, TO(SOURCE), NOT_NULL),
	COL(td_source_text, "bytes", bytes, I64, NOT_NULL),
	COL(td_source_text, "beginnings", beginnings, OWNED, NOT_NULL),
};

static const struct td_dim_column anchor_columns[] = {
	ID,
	COL(td_anchor, "source_id", source_id, KEY16, TO(SOURCE), NOT_NULL),
	COL(td_anchor, "before_ns", before_ns, I64, NOT_NULL),
	COL(td_anchor, "after_ns", after_ns, I64, NOT_NULL),
	ENUM(td_anchor, "wall", wall, enum td_clock, td_clock_names, TD_CLOCK_LOCAL_TOD + 1,
	     NOT_NULL),
	COL(td_anchor, "wall_ns", wall_ns, I64, NOT_NULL),
};

static const struct td_dim_column issue_count_columns[] = {
	COL(td_issue_count, "source_id", source_id, KEY16, TO(SOURCE), NOT_NULL),
	COL(td_issue_count, "kind", kind, KEPT, NOT_NULL),
	ENUM(td_issue_count, "effect", effect, enum td_effect, td_effect_names, TD_NOTED + 1,
	     NOT_NULL),
	COL(td_issue_count, "count", count, U64, NOT_NULL),
	COL(td_issue_count, "first_line", first_line, LINE),
};

static const struct td_dim_column issue_columns[] = {
	ID,
	COL(td_issue, "source_id", source_id, KEY16, TO(SOURCE), NOT_NULL),
	COL(td_issue, "kind", kind, KEPT, NOT_NULL),
	COL(td_issue, "line", line, LINE),
	COL(td_issue, "text", text, OWNED, NOT_NULL),
};

static const struct td_dim_column process_columns[] = {
	ID,
	COL(td_process, "pid", pid, I64, NOT_NULL),
	COL(td_process, "name", name_id, STRING_ID),
	COL(td_process, "command_line", command_line_id, STRING_ID),
	COL(td_process, "user", user_id, STRING_ID),
	COL(td_process, "parent_pid", parent_pid, I64),
	COL(td_process, "role", role, TEXT),
	COL(td_process, "role_basis", role_basis, TEXT),
	COL(td_process, "start_ns", start_ns, I64),
	COL(td_process, "end_ns", end_ns, I64),
	COL(td_process, "exit_status", exit_status, I64),
	COL(td_process, "lifetime", lifetime, U32, NOT_NULL),
	COL(td_process, "source_id", start_source_id, KEY16, TO(SOURCE)),
	COL(td_process, "cgroup", cgroup_id, STRING_ID),
	COL(td_process, "pid_namespace", pid_namespace, I64),
	COL(td_process, "namespace_pid", namespace_pid, I64),
	COL(td_process, "host", host_id, STRING_ID),
	COL(td_process, "observed_ns", use.observed_ns, I64),
	COL(td_process, "user_ns", use.user_ns, I64),
	COL(td_process, "system_ns", use.system_ns, I64),
	COL(td_process, "voluntary_switches", use.voluntary_switches, I64),
	COL(td_process, "involuntary_switches", use.involuntary_switches, I64),
	COL(td_process, "max_rss_bytes", use.max_rss_bytes, I64),
};

static const struct td_dim_column thread_columns[] = {
	ID,
	COL(td_thread, "tid", tid, I64, NOT_NULL),
	COL(td_thread, "process_id", process_id, KEY32, TO(PROCESS)),
	COL(td_thread, "name", name_id, STRING_ID),
	COL(td_thread, "observed_ns", use.observed_ns, I64),
	COL(td_thread, "user_ns", use.user_ns, I64),
	COL(td_thread, "system_ns", use.system_ns, I64),
	COL(td_thread, "voluntary_switches", use.voluntary_switches, I64),
	COL(td_thread, "involuntary_switches", use.involuntary_switches, I64),
};

static const struct td_dim_column file_columns[] = {
	ID,
	COL(td_file_row, "path", file.path, STR),
	COL(td_file_row, "name", file.name, STR, NOT_NULL),
	COL(td_file_row, "path_basis", path_basis, TEXT),
	ENUM(td_file_row, "class", file.class, enum td_class, td_class_names, TD_NCLASSES,
	     NOT_NULL),
	COL(td_file_row, "class_known", file.class_known, BOOL, NOT_NULL),
	COL(td_file_row, "directory_id", directory_id, KEY32, TO(STRING)),
	COL(td_file_row, "template_id", template_id, KEY32, TO(STRING), NOT_NULL),
	COL(td_file_row, "truncated", file.truncated, BOOL, NOT_NULL),
	COL(td_file_row, "device", file.device, I64),
	COL(td_file_row, "inode", file.inode, I64),
	COL(td_file_row, "root", file.root_id, STRING_ID),
};

static const struct td_dim_column device_columns[] = {
	ID,
	ENUM(td_device, "kind", kind, enum td_device_kind, td_device_kind_names, TD_DEVICE_NODE + 1,
	     NOT_NULL),
	COL(td_device, "name", name, TEXT, NOT_NULL),
	COL(td_device, "number", number, I64),
	COL(td_device, "host", host, KEPT),
};

static const struct td_dim_column op_columns[] = {
	ID,
	COL(td_op_row, "name", op.name, TEXT, NOT_NULL),
	ENUM(td_op_row, "layer", op.layer, enum td_layer, td_layer_names, TD_NLAYERS, NOT_NULL),
	COL(td_op_row, "verb", verb, TEXT, NOT_NULL),
	COL(td_op_row, "kind", kind, TEXT, NOT_NULL),
};

static const struct td_dim_column stack_columns[] = {
	ID,
	COL(td_stack, "parent_id", parent_id, KEY32, TO(STACK)),
	COL(td_stack, "symbol_id", symbol_id, KEY32, TO(STRING)),
	COL(td_stack, "module_id", module_id, KEY32, TO(STRING)),
};

static const struct td_dim_column stack_total_columns[] = {
	ID,
	COL(td_stack_total, "source_id", source_id, KEY16, TO(SOURCE), NOT_NULL),
	COL(td_stack_total, "name", name, KEPT, NOT_NULL),
	COL(td_stack_total, "stack_id", stack_id, KEY32, TO(STACK), NOT_NULL),
	COL(td_stack_total, "value", value, I64, NOT_NULL),
	COL(td_stack_total, "unit", unit, KEPT),
};

static const struct td_dim_column track_columns[] = {
	ID,
	COL(td_track, "name", name, KEPT, NOT_NULL),
	COL(td_track, "unit", unit, KEPT, NOT_NULL),
	COL(td_track, "device_id", device_id, KEY32, TO(DEVICE)),
	COL(td_track, "process_id", process_id, KEY32, TO(PROCESS)),
	COL(td_track, "source_id", source_id, KEY16, TO(SOURCE), NOT_NULL),
};

static const struct td_dim_column summary_columns[] = {
	ID,
	COL(td_summary, "source_id", source_id, KEY16, TO(SOURCE), NOT_NULL),
	COL(td_summary, "name", name, KEPT, NOT_NULL),
	COL(td_summary, "key", key, KEPT),
	COL(td_summary, "low", low, F64),
	COL(td_summary, "high", high, F64),
	COL(td_summary, "value", value, F64, NOT_NULL),
	COL(td_summary, "unit", unit, KEPT),
};

static const struct td_dim_column loss_columns[] = {
	ID,
	COL(td_loss_row, "source_id", loss.source_id, KEY16, TO(SOURCE), NOT_NULL),
	COL(td_loss_row, "name", loss.name, KEPT, NOT_NULL),
	COL(td_loss_row, "ring", loss.ring, I64),
	COL(td_loss_row, "start_ns", loss.from_ns, I64, NOT_NULL),
	COL(td_loss_row, "dur_ns", dur_ns, I64, NOT_NULL),
	COL(td_loss_row, "generated", loss.generated, I64, NOT_NULL),
	COL(td_loss_row, "lost", loss.lost, I64, NOT_NULL),
	COL(td_loss_row, "ring_peak_bytes", loss.ring_peak_bytes, I64),
	COL(td_loss_row, "ring_size_bytes", loss.ring_size_bytes, I64),
};

static const struct td_dim_column log_run_columns[] = {
	ID,
	COL(td_log_run, "run_number", run_number, I64, NOT_NULL),
	COL(td_log_run, "source_id", source_id, KEY16, TO(SOURCE), NOT_NULL),
	COL(td_log_run, "start_ns", first_ns, I64, NOT_NULL),
	COL(td_log_run, "end_ns", last_ns, I64, NOT_NULL),
};

#define TABLE(of_name, of_key, array, length, record)                                              \
	{                                                                                          \
		.name = #of_name, .key = of_key, .items = offsetof(struct td_contents, array),     \
		.nitems = offsetof(struct td_contents, length),                                    \
		.item_size = sizeof(*((struct td_contents *)NULL)->array),                         \
		.record_size = sizeof(struct record), .columns = of_name##_columns,                \
		.ncolumns = TD_ARRAY_SIZE(of_name##_columns)                                       \
	}

const struct td_dim_table td_dim_tables[TD_NDIMS] = {
	[TD_DIM_RUN] = { .name = "run",
			 .key = "id",
			 .record_size = sizeof(struct td_run_row),
			 .columns = run_columns,
			 .ncolumns = TD_ARRAY_SIZE(run_columns) },
	[TD_DIM_STRING] = TABLE(string, "id", strings.items, strings.n, td_str),
	[TD_DIM_SOURCE] = TABLE(source, "id", sources, nsources, td_source),
	[TD_DIM_SOURCE_TEXT] =
		TABLE(source_text, "id", source_texts, nsource_texts, td_source_text),
	[TD_DIM_ANCHOR] = TABLE(anchor, "id", anchors, nanchors, td_anchor),
	[TD_DIM_ISSUE_COUNT] =
		TABLE(issue_count, "source_id", issue_counts, nissue_counts, td_issue_count),
	[TD_DIM_ISSUE] = TABLE(issue, "id", issues, nissues, td_issue),
	[TD_DIM_PROCESS] = TABLE(process, "id", processes, nprocesses, td_process),
	[TD_DIM_THREAD] = TABLE(thread, "id", threads, nthreads, td_thread),
	[TD_DIM_FILE] = TABLE(file, "id", files, nfiles, td_file_row),
	[TD_DIM_DEVICE] = TABLE(device, "id", devices, ndevices, td_device),
	[TD_DIM_OP] = TABLE(op, "id", ops, nops, td_op_row),
	[TD_DIM_STACK] = TABLE(stack, "id", stacks, nstacks, td_stack),
	[TD_DIM_STACK_TOTAL] =
		TABLE(stack_total, "id", stack_totals, nstack_totals, td_stack_total),
	[TD_DIM_TRACK] = TABLE(track, "id", tracks, ntracks, td_track),
	[TD_DIM_SUMMARY] = TABLE(summary, "id", summaries, nsummaries, td_summary),
	[TD_DIM_LOSS] = TABLE(loss, "id", losses, nlosses, td_loss_row),
	[TD_DIM_LOG_RUN] = TABLE(log_run, "id", log_runs, nlog_runs, td_log_run),
};
