/* SPDX-License-Identifier: MIT */
/*
 * Everything of an import that is not in the database yet: the small tables (who and what, sources,
 * anchors, issues) in memory, the rows in the staging area (store/stage/stage.h). Importers fill it, the
 * aligner fits its clocks, store/write/write.c makes a database of it.
 *
 * Ids count from 1; 0 means "none" and becomes NULL. Running out of memory is remembered: the
 * functions that return ids then return 0, and td_store_error() says so; the importer core asks it
 * after every line, so importers need not.
 */
#pragma once

#include <stdbool.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "common/intern.h"
#include "schema/clock.h"
#include "schema/kinds.h"
#include "schema/rows.h"
#include "store/stage/stage.h"

/* How it is known whether the dates of a source have the day or the month first. */
enum td_date_basis {
	TD_DATE_CLEAR, /* they can be read one way only */
	TD_DATE_OPEN, /* nothing tells, so far */
	TD_DATE_BY_FILE, /* what comes later in the file does */
	TD_DATE_BY_USER,
	TD_DATE_BY_SOURCES, /* the other sources of the run do */
};

/* What a process or a thread used while it was observed; TD_NULL: unknown. */
struct td_use {
	int64_t observed_ns;
	int64_t user_ns, system_ns; /* CPU time */
	int64_t voluntary_switches, involuntary_switches;
	int64_t max_rss_bytes; /* of processes; since it began */
};
#define TD_USE_INIT                                                                                \
	{                                                                                          \
		.observed_ns = TD_NULL, .user_ns = TD_NULL, .system_ns = TD_NULL,                  \
		.voluntary_switches = TD_NULL, .involuntary_switches = TD_NULL,                    \
		.max_rss_bytes = TD_NULL                                                           \
	}

/* Text members are owned and may be NULL; ids are indexes + 1. */
struct td_source {
	char *path;
	const char *importer; /* static or in the store's strings; NULL: unrecognised */
	char *layout;
	char *detail;
	char *tool, *tool_version;
	char *host; /* machine that it was written on, if the import has several or the file says so ... */
	const char *host_basis; /* ... and how that is known: static or in the store's strings */
	int64_t rank; /* in its job; TD_NULL: unknown */
	const char *rank_basis; /* static or in the store's strings; NULL with it */
	char hash[33];
	enum td_state state;
	int64_t size_bytes;
	uint64_t lines, rows, skipped, issues, repaired, lost_events;
	enum td_clock clock;
	int64_t offset_ns; /* native + offset = UTC; of a UTC source 0, or what its times count from */
	double drift_ppb; /* NaN: none fitted */
	int64_t error_ns; /* TD_NULL: unknown */
	char *clock_basis;
	int64_t first_native_ns, last_native_ns; /* TD_NULL: nothing timed in it */
	bool has_fractions; /* a time in it, the first and last or any other, is known to less than a second */
	/* Native times are those of its dates read as month/day; read as day/month they are so much
	 * later. Unless date_basis is CLEAR. */
	int64_t day_first_ns;
	int64_t date_shift_ns; /* 0, or day_first_ns if that is how they are read; in offset_ns, too */
	enum td_date_basis date_basis;
};

/* What is known of a text that was read to its end (common/beginnings.h). */
struct td_source_text {
	uint16_t source_id;
	int64_t bytes;
	char *beginnings; /* owned */
};

struct td_anchor {
	uint16_t source_id;
	enum td_clock wall; /* UTC, LOCAL or LOCAL_TOD */
	int64_t before_ns, after_ns; /* native */
	int64_t wall_ns;
};

/* The kind of issue that says of a source that its times are whole seconds; the aligner asks for it. */
#define TD_ISSUE_SECONDS "whole-seconds"

struct td_issue_count {
	uint16_t source_id;
	enum td_effect effect;
	const char *kind; /* static, or in the store's strings */
	uint64_t count;
	uint64_t first_line; /* 0: the whole source */
	unsigned kept; /* lines kept in td_issue */
};

struct td_issue {
	uint16_t source_id;
	const char *kind;
	uint64_t line;
	char *text; /* owned, valid UTF-8 */
};

struct td_process {
	int64_t pid;
	uint32_t host_id; /* string: its machine; 0: the only one, or unknown */
	uint32_t name_id, command_line_id, user_id; /* string */
	const char *role; /* static or in the store's strings, as is role_basis */
	const char *role_basis;
	int64_t parent_pid; /* TD_NULL: unknown */
	int64_t start_ns, end_ns; /* native clocks of the sources below; TD_NULL: unknown */
	int64_t exit_status;
	uint16_t start_source_id, end_source_id; /* 0: the time is unknown */
	uint32_t lifetime;
	uint32_t cgroup_id; /* string */
	int64_t pid_namespace, namespace_pid; /* TD_NULL: unknown */
	struct td_use use;
	bool assumed; /* a source told a thread only, of that number: it may be one of another process */
	uint32_t merged_into; /* id of the process whose thread this one turned out to be, or 0 */
	bool ended; /* its pid may belong to another process from now on ... */
	uint16_t ended_in; /* ... in the source that was being read then; 0: before the first one */
};

struct td_thread {
	int64_t tid;
	uint32_t process_id;
	uint32_t name_id; /* string */
	struct td_use use;
};

struct td_file {
	struct td_str path; /* .p NULL: unknown; points into the store */
	struct td_str name; /* points into the store */
	enum td_class class;
	bool class_known; /* a source says so, not only the name */
	bool path_matched; /* set when a name was matched with the only path that has it */
	bool truncated;
	int64_t device, inode; /* TD_NULL: unknown */
	uint32_t merged_into; /* id of the file that this one turned out to be, or 0 */
	uint32_t root_id; /* string: the root directory that the path begins at, 0: the usual one */
};

struct td_device {
	enum td_device_kind kind;
	const char *name; /* points into the store */
	int64_t number; /* TD_NULL: none */
	const char *host; /* its machine, in the store; NULL: the only one, or unknown */
};

struct td_track {
	const char *name, *unit; /* point into the store */
	uint32_t device_id, process_id;
	uint16_t source_id;
};

/* A frame, and with those that called it a stack. */
struct td_stack {
	uint32_t parent_id; /* stack; 0: none */
	uint32_t symbol_id, module_id; /* string; 0: unknown */
};

/* What a tool counted itself of a stack. */
struct td_stack_total {
	uint16_t source_id;
	uint32_t stack_id;
	const char *name, *unit; /* in the store; unit may be NULL */
	int64_t value;
};

/* A run as one training log tells of it. */
struct td_log_run {
	uint16_t source_id;
	int32_t number; /* of its spans as they were read: tells runs of the source apart */
	int64_t run_number; /* unique in the database, which has it in the place of number; 0: not set yet */
	int64_t first_ns, last_ns; /* from its first span to the end of its last one, native */
};

struct td_summary {
	uint16_t source_id;
	const char *name, *key, *unit; /* in the store; key and unit may be NULL */
	double low, high, value; /* NaN: NULL */
};

/* A value without bounds, for whoever sets name, key, unit and value then. */
#define TD_SUMMARY_INIT(of_source_id)                                                              \
	{                                                                                          \
		.source_id = (of_source_id), .low = NAN, .high = NAN                               \
	}

struct td_loss {
	uint16_t source_id;
	const char *name; /* in the store */
	int64_t ring; /* TD_NULL: none, as the two below */
	int64_t from_ns, to_ns; /* native */
	int64_t generated, lost;
	int64_t ring_peak_bytes, ring_size_bytes;
};

struct td_op {
	const char *name; /* in the store */
	enum td_layer layer;
	const struct td_op_info *info; /* static */
};

/*
 * What is in the store, in arrays: the thing with an id is at [id - 1]. It is there to be read, the functions
 * below change it. One more thing of a kind may move the array of its kind.
 */
struct td_contents {
	struct td_intern strings;
	struct td_op *ops;
	size_t nops;
	struct td_process *processes;
	size_t nprocesses;
	struct td_thread *threads;
	size_t nthreads;
	struct td_file *files;
	size_t nfiles;
	struct td_device *devices;
	size_t ndevices;
	struct td_stack *stacks;
	size_t nstacks;
	struct td_stack_total *stack_totals;
	size_t nstack_totals;
	struct td_track *tracks;
	size_t ntracks;
	struct td_source *sources;
	size_t nsources;
	struct td_source_text *source_texts;
	size_t nsource_texts;
	struct td_anchor *anchors;
	size_t nanchors;
	struct td_issue_count *issue_counts;
	size_t nissue_counts;
	struct td_issue *issues;
	size_t nissues;
	struct td_summary *summaries;
	size_t nsummaries;
	struct td_loss *losses;
	size_t nlosses;
	struct td_log_run *log_runs;
	size_t nlog_runs;
	uint64_t impossible_pids; /* how often a process was asked for by a number that is none */
	uint64_t
		of_machines; /* how often something was asked for that a machine has: a process, thread or device */
};

struct td_store;

/* spill_path: where rows go when they do not fit in memory, without the suffix (the database's
 * temporary name); borrowed. */
int td_store_new(const char *spill_path, struct td_store **ret);
void td_store_free(struct td_store *st);

TD_DEFINE_CLEANUP(struct td_store *, td_store_free)

/* What is remembered from one source to those read after it: memory of that size, zeroed at first, which is the same for
 * whoever names the same done(), and is given to it, to free what it owns, with the store. NULL: out of memory. */
void *td_store_keep(struct td_store *st, size_t size, void (*done)(void *kept));

/* At the same address, and up to date, as long as the store lives. */
const struct td_contents *td_store_contents(const struct td_store *st);

/* Begin of a path for a temporary file (common/tmpfile.h). */
const char *td_store_scratch_path(const struct td_store *st);

/* 0, or the first -ENOMEM or I/O error that any of the functions below met. */
int td_store_error(const struct td_store *st);

/* --- machines --- */

/* From now on the processes, threads and devices that are asked for are those of the machine of that name (a string; 0,
 * as at first: the one that has none). What has the same number on another machine is something else. */
void td_store_on_host(struct td_store *st, uint32_t host_id);
/* The machine that has no name has that one. */
void td_store_name_host(struct td_store *st, uint32_t host_id);
/* There are several machines: a source that names one is about that one (td_import_set_tool()). */
void td_store_set_several_hosts(struct td_store *st);
bool td_store_has_several_hosts(const struct td_store *st);

/* --- who and what: the id of the thing, made at first sight --- */

uint32_t td_store_string(struct td_store *st, const char *p, size_t len);
uint32_t td_store_cstr(struct td_store *st, const char *text);
struct td_str td_store_text(const struct td_store *st, uint32_t string_id);

/* Operation by name as the tool prints it ('openat', 'vfs_read', 'fread'). What it does is looked up
 * in schema/ops.c; names that are not there get verb and kind 'other'. Beyond TD_OPS_MAX names, which
 * only damage can be the reason for, all are the operation '(other)'. */
#define TD_OPS_MAX 4000
uint16_t td_store_op(struct td_store *st, const char *p, size_t len, enum td_layer layer);

/* The process that has the pid now. A number that no process can have is counted, and is -1. comm
 * may be empty; the last non-empty one is kept. */
uint32_t td_store_process(struct td_store *st, int64_t pid, const char *comm, size_t len);
/* To fill in more; NULL for id 0. Valid until the next process is made. */
struct td_process *td_store_process_at(struct td_store *st, uint32_t id);
/* Ends the process: the next td_store_process() with that pid makes another one. Not so for the sources
 * that are read later: they were written at the same time, so the pid is the same process there. */
void td_store_process_end(struct td_store *st, uint32_t id);

/* The thread that has the tid now. process_id 0: not known (yet); a later call that knows it, or knows
 * better, sets it. A thread of a process that has ended is not given to another process: that makes
 * another thread. */
uint32_t td_store_thread(struct td_store *st, int64_t tid, uint32_t process_id);
struct td_thread *td_store_thread_at(struct td_store *st, uint32_t id);
/* The process of a thread of which a source tells no more than the number: the one that another
 * source told (unless it has ended in this one), else the process of that number. If nobody has
 * spoken of that process it is assumed: should a source tell later whose thread it is, it becomes
 * one with that process (td_process.merged_into). */
uint32_t td_store_process_of_thread(struct td_store *st, int64_t tid);
/* When all sources are read: threads are those of the processes that theirs were merged into, and
 * so are children. 0 or -ENOMEM, which is remembered. */
int td_store_resolve_processes(struct td_store *st);

/* File known by path. name is the last component if the tool prints it, else {NULL, 0}. */
uint32_t td_store_file_path(struct td_store *st, struct td_str path, struct td_str name,
			    bool truncated);
/* File of which only the name is known; '' is what has no name. */
/* The same for a path that begins at another root than those of others: string root_id. */
uint32_t td_store_file_in_root(struct td_store *st, struct td_str path, uint32_t root_id,
			       bool truncated);
uint32_t td_store_file_name(struct td_store *st, struct td_str name, bool truncated);
struct td_file *td_store_file_at(struct td_store *st, uint32_t id);
/* When all sources are read: infers the class of files that no source told, and matches files of which
 * only the name is known with the only path that has this name (td_file.merged_into). */
void td_store_resolve_files(struct td_store *st);

/* No file will be made or asked for any more by what it is known by, whose memory is free then. */
void td_store_forget_file_keys(struct td_store *st);
/* String id of the directory (0: the path is unknown or has none) and of the template: the path, or the
 * name, with {} for what differs from file to file (store/template.h). */
uint32_t td_store_file_directory(struct td_store *st, uint32_t id);
uint32_t td_store_file_template(struct td_store *st, uint32_t id);

uint32_t td_store_device(struct td_store *st, enum td_device_kind kind, const char *p, size_t len,
			 int64_t number);
uint32_t td_store_track(struct td_store *st, uint16_t source_id, const char *name, const char *unit,
			uint32_t device_id, uint32_t process_id);

/* The stack of that frame, called by parent_id (0: it is the outermost). symbol_id, module_id:
 * strings, 0 where unknown. Beyond TD_STACKS_MAX distinct beginnings, which only a program that
 * never makes the same calls twice can have, the parent takes the place of its new frames. */
#define TD_STACKS_MAX ((size_t)1 << 20)
uint32_t td_store_stack(struct td_store *st, uint32_t parent_id, uint32_t symbol_id,
			uint32_t module_id);
/* The texts of t live as long as the store. */
void td_store_stack_total(struct td_store *st, const struct td_stack_total *t);

/* --- provenance --- */

/* A new source, everything unknown; its id. At most 65535. */
uint16_t td_store_source(struct td_store *st, const char *path);
struct td_source *td_store_source_at(struct td_store *st, size_t id); /* valid until the next one */

/* beginnings: those of its text, of so many bytes (common/beginnings.h); copied. */
void td_store_set_source_text(struct td_store *st, uint16_t source_id, int64_t bytes,
			      const char *beginnings);

/* Takes back the rows of a source, its clock and its issues: all of it is in another one, as detail says. It stays
 * as a duplicate. All sources have been read to their end. 0 or -ENOMEM. */
int td_store_forget(struct td_store *st, uint16_t id, const char *detail);

/* How the times of the source become UTC, by its fitted clock. */
struct td_shift td_source_shift(const struct td_source *s);
/* Can its times be compared with those of other sources? Those whose clock could not be aligned are
 * passed over where others could; if none could, all are taken as they are. */
bool td_store_on_clock(const struct td_store *st, uint16_t source_id);
/* The same for who asks it of many sources: could the clock of any be aligned? */
bool td_store_has_clock(const struct td_store *st);
bool td_source_on_clock(const struct td_source *s, bool has_clock);
/* From the first to the last time of all sources for which that is so, UTC; false if nothing is timed. */
bool td_store_range(const struct td_store *st, int64_t *ret_first_ns, int64_t *ret_last_ns);

void td_store_anchor(struct td_store *st, const struct td_anchor *a);

/* Counts a line of that kind and keeps its text for the first TD_ISSUES_KEPT. kind: static. line 0:
 * about the whole source. */
#define TD_ISSUES_KEPT 20
void td_store_issue(struct td_store *st, uint16_t source_id, const char *kind,
		    enum td_effect effect, uint64_t line, const char *text, size_t len);

/* Forgets the issues of that kind of all sources: the aligner's, before it looks again. */
void td_store_drop_issues(struct td_store *st, const char *kind);

void td_store_summary(struct td_store *st, const struct td_summary *s);

/* Adds a stretch of time. One without loss is joined with the one of the same name and ring before it, if that
 * has none either. */
void td_store_loss(struct td_store *st, const struct td_loss *l);

/* Remembers when the span's run was, if it is of one (run_number). */
void td_store_log_run(struct td_store *st, const struct td_span *span);
/* Sets the run's number in the database; which: index in log_runs. */
void td_store_number_run(struct td_store *st, size_t which, int64_t run_number);
/* When the runs were, by number, from that of run 1 on: an array for the caller to free. from_ns > to_ns: the run's
 * logs are not on the common clock (td_store_on_clock()). 0 or -ENOMEM. */
struct td_run_times {
	int64_t from_ns, to_ns;
};
int td_store_run_times(const struct td_store *st, struct td_run_times **ret, size_t *ret_n);
/* What the database has in the place of the number of a span of that source. INT32_MIN: the span is of no run. */
int32_t td_store_run_number(const struct td_store *st, uint16_t source_id, int32_t number);

/* --- rows --- */

struct td_stage *td_store_stage(struct td_store *st, enum td_kind kind);

/* The source of a row of that kind. */
uint16_t td_store_row_source(const struct td_contents *in, enum td_kind kind, const void *record);
