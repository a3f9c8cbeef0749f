/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "analyzer/redact/columns.h"
#include "common/cleanup.h"

#define SAME(t, c)                                                                                 \
	{                                                                                          \
#t, #c, TD_HOW_TEXT, TD_TEXT_KEEP                                                  \
	}
#define TEXT(t, c, kind)                                                                           \
	{                                                                                          \
#t, #c, TD_HOW_TEXT, TD_TEXT_##kind                                                \
	}
#define STRING(t, c, kind)                                                                         \
	{                                                                                          \
#t, #c, TD_HOW_STRING, TD_TEXT_##kind                                              \
	}
#define HOW(t, c, how)                                                                             \
	{                                                                                          \
#t, #c, TD_HOW_##how, TD_TEXT_KEEP                                                 \
	}

/* SAME are words that tracedb has lists of (schema/kinds.h), not text of a source. */
/* clang-format off */
static const struct td_redact_column columns[] = {
	SAME(anchor, wall),
	SAME(block_request_stat, by),
	SAME(block_request_stat, direction),
	SAME(bucket_stat, by),
	HOW(bucket_stat, key_id, KEY),
	SAME(bucket_stat, verb),
	SAME(busiest_file, class),
	HOW(call, ret, RET),
	HOW(call, args_id, ARGS),
	SAME(class_bin_stat, class),
	STRING(collective_name, name_id, GPU),
	STRING(collective_name, of_id, GPU),
	TEXT(collective_name, collective, GPU),
	STRING(collective_sum, of_id, GPU),
	TEXT(cpu_phase, label, LABEL),
	TEXT(cpu_phase, host, NAME),
	TEXT(cpu_sampler, host, NAME),
	SAME(device, kind),
	TEXT(device, name, DEVICE),
	TEXT(device, host, NAME),
	HOW(file, path, FILE_PATH),
	HOW(file, name, FILE_NAME),
	SAME(file, path_basis),
	SAME(file, class),
	HOW(file, directory_id, DIRECTORY),
	HOW(file, template_id, TEMPLATE),
	HOW(file, inode, NUMBER),
	TEXT(file, root, PATH),
	SAME(file_hist, by),
	SAME(file_hist, durations),
	HOW(file_hist, key_id, KEY),
	SAME(file_hist, sizes),
	SAME(file_hist, verb),
	HOW(file_kind, template_id, TEMPLATE),
	SAME(file_kind, class),
	SAME(file_stat, by),
	HOW(file_stat, key_id, KEY),
	SAME(file_stat, verb),
	SAME(gpu_idle_part, basis),
	SAME(gpu_idle_part, cause),
	SAME(gpu_idle_part, whose),
	TEXT(gpu_idle_part, label, LABEL),
	SAME(gpu_idle_stretch, cause),
	STRING(gpu_op, kind_id, IDENT),
	STRING(gpu_op, name_id, GPU),
	SAME(gpu_op_stat, by),
	STRING(gpu_op_stat, kind_id, IDENT),
	STRING(gpu_op_stat, name_id, GPU),
	SAME(gpu_phase, basis),
	TEXT(gpu_phase, label, LABEL),
	SAME(gpu_sampler, basis),
	SAME(gpu_segment, basis),
	SAME(issue, kind),
	TEXT(issue, text, NOTE),
	SAME(issue_count, kind),
	SAME(issue_count, effect),
	TEXT(launch_sum, phase, LABEL),
	HOW(lock_stat, args_id, ARGS),
	SAME(longest, what),
	SAME(loss, name),
	STRING(mark, name_id, LABEL),
	STRING(mark, args_id, ARGS),
	SAME(nested_stat, by),
	TEXT(op, name, OP),
	SAME(op, layer),
	SAME(op, verb),
	SAME(op, kind),
	SAME(op_hist, durations),
	SAME(op_stat, by),
	TEXT(phase_interval, label, LABEL),
	HOW(process, pid, PID),
	HOW(process, parent_pid, PID),
	HOW(process, namespace_pid, PID),
	HOW(process, pid_namespace, NUMBER),
	TEXT(process, name, COMM),
	TEXT(process, command_line, COMMAND),
	TEXT(process, user, USER),
	SAME(process, role),
	SAME(process, role_basis),
	TEXT(process, cgroup, PATH),
	TEXT(process, host, NAME),
	TEXT(run, name, PATH),
	STRING(operator_sum, kind_id, IDENT),
	STRING(operator_sum, name_id, LABEL),
	STRING(range_stat, args_id, ARGS),
	STRING(range_stat, name_id, LABEL),
	SAME(read_sum, by),
	HOW(read_sum, template_id, TEMPLATE),
	SAME(run, tracedb_version),
	SAME(run, utc_offset_basis),
	STRING(sched_slice, state_id, IDENT),
	STRING(sched_slice, reason_id, IDENT),
	SAME(sched_slice_stat, by),
	STRING(sched_slice_stat, reason_id, IDENT),
	STRING(sched_slice_stat, state_id, IDENT),
	SAME(size_stat, verb),
	SAME(thread_stat, class),
	TEXT(source, path, PATH),
	SAME(source, importer),
	TEXT(source, layout, LAYOUT),
	SAME(source, state),
	TEXT(source, detail, NOTE),
	TEXT(source, hash, NAME),
	TEXT(source, tool, IDENT),
	TEXT(source, tool_version, VERSION),
	TEXT(source, host, NAME),
	SAME(source, host_basis),
	SAME(source, rank_basis),
	SAME(source, clock),
	TEXT(source, clock_basis, NOTE),
	HOW(source_text, beginnings, NO_ROWS), /* hashes without a key, by which texts could be tried out */
	STRING(source_process, kind_id, IDENT),
	STRING(span, kind_id, IDENT),
	STRING(span, name_id, LABEL),
	STRING(span, state_id, IDENT),
	STRING(span, args_id, ARGS),
	SAME(classed_file, class),
	STRING(stack, symbol_id, OP), /* names of functions tell what a program does as well as its files do */
	STRING(stack, module_id, PATH),
	STRING(stack_sample, kind_id, IDENT),
	TEXT(stack_total, name, IDENT),
	TEXT(stack_total, unit, UNIT),
	SAME(stat_omitted, relation),
	SAME(stat_omitted, by),
	HOW(string, text, APART),
	TEXT(summary, name, IDENT),
	HOW(summary, key, SUMMARY),
	TEXT(summary, unit, UNIT),
	HOW(thread, tid, PID),
	TEXT(thread, name, COMM),
	TEXT(track, name, TRACK),
	TEXT(track, unit, UNIT),
	SAME(write_stat, class),
};
/* clang-format on */

const struct td_redact_column *td_redact_column_find(const char *table, const char *column)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(columns); i++)
		if (strcmp(columns[i].table, table) == 0 && strcmp(columns[i].column, column) == 0)
			return &columns[i];
	return NULL;
}
