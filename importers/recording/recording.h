/* SPDX-License-Identifier: MIT */
/* What the files of importers/recording/ share: the state of a recording that is read, and its records. */
#pragma once

#include "common/cleanup.h"
#include "common/strbuf.h"
#include "importers/core/import.h"
#include "schema/wire.h"

/* A record as it lies in the stream, of at least the size that its kind has. */
struct td_rec {
	const char *p;
	size_t size;
	struct td_wire_head head;
};

/* Small numbers by number, which most records ask for; done with td_record_map_done(). */
struct td_record_map {
	struct td_record_pair {
		uint64_t key;
		uint32_t value;
		bool used;
	} * pairs; /* open addressing, at most half of them are used; owned */
	size_t n, npairs; /* npairs: 0, or a power of two */
};

/* The value of the key, 0 when it is new; NULL: out of memory. Valid until the next call. */
uint32_t *td_record_map_at(struct td_record_map *m, uint64_t key);
/* 0 if it is not there. */
uint32_t td_record_map_get(const struct td_record_map *m, uint64_t key);
void td_record_map_done(struct td_record_map *m);

/* Something about a process that is known as a number, of which the name may come later. */
struct td_record_owed {
	uint32_t process_id;
	uint8_t what; /* enum td_wire_name_of */
	uint64_t number;
};

/* What the records of a process, or of a thread, add up to. */
struct td_record_usage {
	uint64_t from_ns, to_ns; /* to_ns 0: there are none */
	uint64_t runtime_ns, user_ns, system_ns;
	uint64_t voluntary, involuntary;
	uint64_t max_rss_pages;
};

/* An NVTX range that has begun. */
struct td_record_nvtx {
	uint64_t range;
	uint32_t pid;
	struct td_span row;
};

/* Memory of a GPU is taken or, with fewer than 0 bytes, given back. */
struct td_record_memory {
	int64_t time_ns, bytes;
	uint32_t order; /* in which it came */
	uint32_t process_id;
	uint16_t device;
	uint8_t kind; /* CUpti_ActivityMemoryKind */
};

/* From then on a process's work on GPUs is not told. */
struct td_record_unseen {
	int64_t from_ns;
	uint32_t process_id;
};

#define TD_RECORD_WHOS 256
#define TD_RECORD_ANCHORS 1024 /* kept; of more the wider ones are left out */

struct td_record {
	bool started, ended, stopped;
	uint32_t page_bytes;
	uint64_t missing; /* records that were written before the end and are not there */
	struct td_record_op {
		uint16_t op_id; /* 0: no such operation */
		uint32_t name_id; /* string */
		bool returns_bytes, returns_offset;
		bool is_io, signals;
		bool names_path; /* of requests of io_uring only */
	} * ops; /* by number */
	size_t nops;
	struct td_record_map files, tracks;
	struct td_record_map gpu_names; /* strings, by pid and number */
	struct td_record_nvtx *nvtx; /* ranges that have begun */
	size_t nnvtx, nvtx_cap;
	struct td_record_memory *memory;
	size_t nmemory, memory_cap;
	struct td_record_unseen *unseen;
	size_t nunseen, unseen_cap;
	struct td_record_map names[TD_WIRE_NAME_USER + 1]; /* by enum td_wire_name_of; strings */
	struct td_record_map pids; /* the process that has the pid now */
	struct td_record_map tids; /* the thread that had the tid last */
	struct td_record_who {
		uint64_t who; /* pid and tid of a record ... */
		uint32_t process_id, thread_id; /* ... and what they are */
		uint64_t age; /* as below; else it is no longer known */
	} last[TD_RECORD_WHOS]; /* of the last record of a tid, by its lower bits */
	uint64_t age; /* how often somebody began */
	struct td_record_owed *owed;
	size_t nowed, owed_cap;
	struct td_record_usages {
		struct td_record_usage *items; /* by id */
		size_t n;
	} process_usages, thread_usages;
	struct td_strbuf path; /* scratch */
	struct td_record_map roots; /* file ids of root directories: string ids of their paths */
	struct td_anchor anchors[TD_RECORD_ANCHORS];
	size_t nanchors;
	int64_t offset_low_ns,
		offset_high_ns; /* what all anchors since the clock was set agree in */
};

/* The struct that a record of its kind begins with. */
#define TD_REC(rec, type)                                                                          \
	({                                                                                         \
		struct type _s;                                                                    \
		memcpy(&_s, (rec)->p, sizeof(_s));                                                 \
		_s;                                                                                \
	})

/* The texts behind the struct, one after the other: a cursor, and the next one of len bytes. False: the record ends
 * before it. */
#define TD_REC_TEXT(rec, type, member)                                                             \
	td_scan_of((rec)->p + offsetof(struct type, member),                                       \
		   (rec)->size - offsetof(struct type, member))
bool td_rec_text(struct td_scan *s, size_t len, struct td_str *ret);

/* Nothing more is read: counts the record under kind; detail: why, in words. TD_LINE_ISSUE. */
int td_record_stop(struct td_import *imp, const char *kind, const char *detail);

/* For records that contradict themselves. */
int td_rec_spoilt(struct td_import *imp);

/* The string id of text; 0 if it is empty. */
uint32_t td_rec_string(struct td_import *imp, struct td_str text);

/* Times beyond this are spoilt; below it, differences and offsets cannot overflow. */
#define TD_RECORD_TIME_MAX UINT64_C(4000000000000000000)

/* A number that SQLite can hold. */
int64_t td_rec_i64(uint64_t n);

/* --- recording/tasks.c --- */

/* Process and thread of a record, made if no record has told of them. 0 or -ENOMEM. */
int td_record_who(struct td_import *imp, uint32_t pid, uint32_t tid, uint32_t *ret_process,
		  uint32_t *ret_thread);
/* The same for the process alone: its id, 0 when out of memory. */
uint32_t td_record_process(struct td_import *imp, uint32_t pid);

int td_record_process_row(struct td_import *imp, const struct td_rec *rec);
int td_record_thread_row(struct td_import *imp, const struct td_rec *rec);
int td_record_exit_row(struct td_import *imp, const struct td_rec *rec);
int td_record_name_row(struct td_import *imp, const struct td_rec *rec);
int td_record_signal_row(struct td_import *imp, const struct td_rec *rec);
/* At the end: the names that processes were owed. */
int td_record_settle(struct td_import *imp);

/* --- recording/usage.c --- */

int td_record_usage_row(struct td_import *imp, const struct td_rec *rec);
/* At the end: processes and threads get what they used. */
void td_record_settle_usage(struct td_import *imp);

/* --- recording/parts.c --- */

extern const struct td_importer_deferral td_record_deferral;

/* --- recording/recording.c --- */

/* The record at p. 1, 0 if it is not all there, -EBADMSG if that cannot be told. */
int td_record_scan(const char *p, size_t len, struct td_rec *ret);
/* Is it of a kind that is known, and as large as such a record is? */
bool td_record_is_whole(const struct td_rec *rec);
/* Reads one in its turn. 0 or -errno. */
int td_record_read(struct td_import *imp, const struct td_rec *rec);

/* --- recording/calls.c --- */

/* What the forms of a call have in common, and (or 0) what only some have. */
struct td_record_call {
	uint64_t start_ns, dur_ns;
	uint32_t pid, file;
	int32_t fd;
	uint16_t op, cold_pages;
	int64_t ret;
	uint64_t asked_bytes, offset_bytes;
};

/* false: no whole record of a call, or one that says more than numbers. */
bool td_record_call_of(const struct td_rec *rec, struct td_record_call *ret);
/* All of the row but who and which file it is. */
void td_record_call_fill(const struct td_rec *rec, const struct td_record_call *c,
			 const struct td_record_op *op, uint32_t page_bytes, struct td_call *row);
/* NULL: it is not known. Valid until the next record. */
const struct td_record_op *td_record_op_at(const struct td_record *rd, uint16_t op);

int td_record_op_row(struct td_import *imp, const struct td_rec *rec);
int td_record_file_row(struct td_import *imp, const struct td_rec *rec);
int td_record_call_row(struct td_import *imp, const struct td_rec *rec);
int td_record_call_io_row(struct td_import *imp, const struct td_rec *rec);
int td_record_call_wide_row(struct td_import *imp, const struct td_rec *rec);
int td_record_call_text_row(struct td_import *imp, const struct td_rec *rec);

/* --- recording/peers.c --- */

/* The file of a call on a socket (0: not known which) that names the other side, a struct sockaddr. */
uint32_t td_record_peer_file(struct td_import *imp, uint32_t socket_id, struct td_str address);

/* --- recording/rows.c --- */

int td_record_sched_row(struct td_import *imp, const struct td_rec *rec);
int td_record_block_row(struct td_import *imp, const struct td_rec *rec);
int td_record_track_row(struct td_import *imp, const struct td_rec *rec);
int td_record_sample_row(struct td_import *imp, const struct td_rec *rec);

/* --- recording/gpu.c --- */

int td_record_gpu_name_row(struct td_import *imp, const struct td_rec *rec);
int td_record_gpu_op_row(struct td_import *imp, const struct td_rec *rec);
int td_record_gpu_call_row(struct td_import *imp, const struct td_rec *rec);

/* The string that the process has given the number; 0: it did not come. */
uint32_t td_record_gpu_name(const struct td_record *rd, uint32_t pid, uint32_t name);

/* --- recording/gpu_memory.c --- */

int td_record_gpu_memory_row(struct td_import *imp, const struct td_rec *rec);
int td_record_gpu_unseen_row(struct td_import *imp, const struct td_rec *rec);
/* At the end: what was allocated at each time; which times nothing is known of. */
int td_record_settle_memory(struct td_import *imp);
int td_record_settle_unseen(struct td_import *imp);

/* --- recording/nvtx.c --- */

int td_record_nvtx_row(struct td_import *imp, const struct td_rec *rec);
int td_record_nvtx_end_row(struct td_import *imp, const struct td_rec *rec);
/* At the end: the ranges that have not ended. */
int td_record_settle_nvtx(struct td_import *imp);

/* --- recording/header.c: what is about the recording itself --- */

int td_record_header_row(struct td_import *imp, const struct td_rec *rec);
int td_record_rank_row(struct td_import *imp, const struct td_rec *rec);
int td_record_process_rank_row(struct td_import *imp, const struct td_rec *rec);
int td_record_anchor_row(struct td_import *imp, const struct td_rec *rec);
int td_record_summary_row(struct td_import *imp, const struct td_rec *rec);
int td_record_loss_row(struct td_import *imp, const struct td_rec *rec);
int td_record_cost_row(struct td_import *imp, const struct td_rec *rec);
int td_record_note_row(struct td_import *imp, const struct td_rec *rec);
int td_record_end_row(struct td_import *imp, const struct td_rec *rec);
/* At the end: writes the anchors that were kept. */
void td_record_put_anchors(struct td_import *imp);
