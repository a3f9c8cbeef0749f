/* SPDX-License-Identifier: MIT */
/*
 * What tracedb-record writes: binary records (schema/wire.h) in zstd frames, 'run.db.spool'. A
 * record takes the place of a line: it is a row, known to carry no data, or an issue.
 *
 *     HEADER, END               marks 'record-start' and 'record-end'; tool, version and host of the source
 *     RANK                      rank of the source
 *     ANCHOR                    anchor: UTC between two readings of the boot clock
 *     OP, FILE                  op, file
 *     PROCESS, THREAD, EXIT     process, thread; NAME what users, control groups and disks are called, USAGE what they used
 *     CALL*                     call
 *     SCHED                     up to three slices of sched_slice: off the CPU, waiting for one, running
 *     BLOCK                     block_request
 *     TRACK, SAMPLE             track, sample
 *     GPU_OP, GPU_CALL          gpu_op, call of layer 'cuda'; GPU_NAME what both are called
 *     NVTX, NVTX_END            span 'nvtx', mark, thread.name
 *     GPU_MEMORY, GPU_UNSEEN    tracks 'cuda.allocated', 'cuda.managed', 'cuda.pinned'; span 'unrecorded'
 *     SUMMARY, COST             summary
 *     PROCESS_RANK              mark 'rank'
 *     LOSS                      loss, and source.lost_events
 *     NOTE                      issue 'noted'
 *
 * Records of kinds that are not known here are passed over (noted). Only frames whose checksum
 * holds are read (common/frames.h); what others cost is noted (damaged-frames), and counted as lost
 * where END tells it. A recorder that was killed leaves a stream without END, perhaps with a cut
 * frame.
 */
#include "common/stream.h"
#include "importers/core/importers.h"
#include "importers/recording/recording.h"

#define RECORD_MAX 65536 /* the size is of 16 bits */

/* --- helpers of all --- */

/* The pair that has the key, or the free one for it. */
static struct td_record_pair *find_pair(const struct td_record_map *m, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (;; at++) {
		struct td_record_pair *p = &m->pairs[at & (m->npairs - 1)];

		if (!p->used || p->key == key)
			return p;
	}
}

static int grow_map(struct td_record_map *m)
{
	struct td_record_map larger = { .n = m->n, .npairs = m->npairs ? m->npairs * 2 : 64 };

	larger.pairs = calloc(larger.npairs, sizeof(*larger.pairs));
	if (!larger.pairs)
		return -ENOMEM;
	for (size_t i = 0; i < m->npairs; i++)
		if (m->pairs[i].used)
			*find_pair(&larger, m->pairs[i].key) = m->pairs[i];
	free(m->pairs);
	*m = larger;
	return 0;
}

uint32_t *td_record_map_at(struct td_record_map *m, uint64_t key)
{
	struct td_record_pair *p;

	if (m->n * 2 >= m->npairs && grow_map(m) < 0)
		return NULL;
	p = find_pair(m, key);
	m->n += !p->used;
	p->key = key;
	p->used = true;
	return &p->value;
}

uint32_t td_record_map_get(const struct td_record_map *m, uint64_t key)
{
	return m->npairs ? find_pair(m, key)->value : 0;
}

void td_record_map_done(struct td_record_map *m)
{
	free(m->pairs);
}

bool td_rec_text(struct td_scan *s, size_t len, struct td_str *ret)
{
	if (len > (size_t)(s->end - s->p))
		return false;
	*ret = (struct td_str){ s->p, len };
	s->p += len;
	return true;
}

int td_rec_spoilt(struct td_import *imp)
{
	return td_reject(imp, "spoilt-record");
}

uint32_t td_rec_string(struct td_import *imp, struct td_str text)
{
	return text.len ? td_store_string(imp->store, text.p, text.len) : 0;
}

int64_t td_rec_i64(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* --- the stream --- */

/* By enum td_wire_kind; size: what every record of the kind has. */
static const struct {
	size_t size;
	int (*row)(struct td_import *imp, const struct td_rec *rec);
} kinds[] = {
	[TD_WIRE_HEADER] = { sizeof(struct td_wire_header), td_record_header_row },
	[TD_WIRE_ANCHOR] = { sizeof(struct td_wire_anchor), td_record_anchor_row },
	[TD_WIRE_OP] = { sizeof(struct td_wire_op), td_record_op_row },
	[TD_WIRE_PROCESS] = { sizeof(struct td_wire_process), td_record_process_row },
	[TD_WIRE_THREAD] = { sizeof(struct td_wire_thread), td_record_thread_row },
	[TD_WIRE_EXIT] = { sizeof(struct td_wire_exit), td_record_exit_row },
	[TD_WIRE_FILE] = { sizeof(struct td_wire_file), td_record_file_row },
	[TD_WIRE_CALL] = { sizeof(struct td_wire_call), td_record_call_row },
	[TD_WIRE_CALL_IO] = { sizeof(struct td_wire_call_io), td_record_call_io_row },
	[TD_WIRE_CALL_WIDE] = { sizeof(struct td_wire_call_wide), td_record_call_wide_row },
	[TD_WIRE_CALL_TEXT] = { sizeof(struct td_wire_call_text), td_record_call_text_row },
	[TD_WIRE_SCHED] = { sizeof(struct td_wire_sched), td_record_sched_row },
	[TD_WIRE_BLOCK] = { sizeof(struct td_wire_block), td_record_block_row },
	[TD_WIRE_TRACK] = { sizeof(struct td_wire_track), td_record_track_row },
	[TD_WIRE_SAMPLE] = { sizeof(struct td_wire_sample), td_record_sample_row },
	[TD_WIRE_SUMMARY] = { sizeof(struct td_wire_summary), td_record_summary_row },
	[TD_WIRE_LOSS] = { sizeof(struct td_wire_loss), td_record_loss_row },
	[TD_WIRE_COST] = { sizeof(struct td_wire_cost), td_record_cost_row },
	[TD_WIRE_NOTE] = { sizeof(struct td_wire_note), td_record_note_row },
	[TD_WIRE_END] = { sizeof(struct td_wire_end), td_record_end_row },
	[TD_WIRE_NAME] = { sizeof(struct td_wire_name), td_record_name_row },
	[TD_WIRE_USAGE] = { sizeof(struct td_wire_usage), td_record_usage_row },
	[TD_WIRE_SIGNAL] = { sizeof(struct td_wire_signal), td_record_signal_row },
	[TD_WIRE_GPU_NAME] = { sizeof(struct td_wire_gpu_name), td_record_gpu_name_row },
	[TD_WIRE_GPU_OP] = { sizeof(struct td_wire_gpu_op), td_record_gpu_op_row },
	[TD_WIRE_GPU_CALL] = { sizeof(struct td_wire_gpu_call), td_record_gpu_call_row },
	[TD_WIRE_NVTX] = { sizeof(struct td_wire_nvtx), td_record_nvtx_row },
	[TD_WIRE_NVTX_END] = { sizeof(struct td_wire_nvtx_end), td_record_nvtx_end_row },
	[TD_WIRE_GPU_MEMORY] = { sizeof(struct td_wire_gpu_memory), td_record_gpu_memory_row },
	[TD_WIRE_GPU_UNSEEN] = { sizeof(struct td_wire_gpu_unseen), td_record_gpu_unseen_row },
	[TD_WIRE_RANK] = { sizeof(struct td_wire_rank), td_record_rank_row },
	[TD_WIRE_PROCESS_RANK] = { sizeof(struct td_wire_process_rank),
				   td_record_process_rank_row },
};

int td_record_stop(struct td_import *imp, const char *kind, const char *detail)
{
	struct td_record *rd = imp->state;

	rd->stopped = true;
	td_import_set_cut(imp, detail);
	return td_reject(imp, kind);
}

static int one_record(struct td_import *imp, const struct td_rec *rec)
{
	const struct td_record *rd = imp->state;
	unsigned kind = rec->head.kind;

	if (rd->started == (kind == TD_WIRE_HEADER))
		return td_record_stop(imp, rd->started ? "second-header" : "no-header",
				      rd->started ? "another recording follows: import it by itself"
						  : "the begin of the recording is missing");
	if (kind >= TD_ARRAY_SIZE(kinds) || !kinds[kind].row) {
		td_note(imp, "unknown-record", "written by a newer tracedb-record");
		return TD_LINE_SKIPPED;
	}
	if (rec->size < kinds[kind].size)
		return td_rec_spoilt(imp);
	return kinds[kind].row(imp, rec);
}

bool td_record_is_whole(const struct td_rec *rec)
{
	unsigned kind = rec->head.kind;

	return kind < TD_ARRAY_SIZE(kinds) && kinds[kind].row && rec->size >= kinds[kind].size;
}

int td_record_read(struct td_import *imp, const struct td_rec *rec)
{
	td_import_row(imp);
	return td_import_row_done(imp, one_record(imp, rec));
}

int td_record_scan(const char *p, size_t len, struct td_rec *ret)
{
	if (len < sizeof(ret->head))
		return 0;
	memcpy(&ret->head, p, sizeof(ret->head));
	ret->p = p;
	ret->size = ret->head.size;
	if (ret->size < sizeof(ret->head) || ret->size % 8)
		return -EBADMSG;
	return ret->size <= len;
}

/* What the stream ends with that is no record. */
static int bad_rest(struct td_import *imp, int r)
{
	td_import_row(imp);
	r = r == 0 ? td_record_stop(imp, "cut-record", "the last record is cut")
		   : td_record_stop(imp, "spoilt-record",
				    "from a spoilt record on nothing can be read");
	return td_import_row_done(imp, r);
}

/* All records that are whole in what is there, or enough of them; *ret_used: their bytes. */
static int read_window(struct td_import *imp, const char *p, size_t len, size_t *ret_used)
{
	const struct td_record *rd = imp->state;
	const size_t enough = td_import_bytes_in_turn(imp);
	struct td_rec rec;
	int r = 0, scanned;

	*ret_used = 0;
	while (r >= 0 && !rd->stopped && *ret_used < enough &&
	       (scanned = td_record_scan(p + *ret_used, len - *ret_used, &rec)) > 0) {
		r = td_record_read(imp, &rec);
		*ret_used += rec.size;
	}
	return r;
}

/* Not even the sizes of records can be read then. */
static bool is_of_other_byte_order(const char *p, size_t len)
{
	struct td_wire_header h;

	if (len < sizeof(h))
		return false;
	memcpy(&h, p, sizeof(h));
	return h.head.kind == TD_WIRE_HEADER &&
	       memcmp(h.magic, TD_WIRE_MAGIC, sizeof(h.magic)) == 0 && h.byte_order == 0x04030201;
}

static int foreign(struct td_import *imp)
{
	td_import_row(imp);
	return td_import_row_done(
		imp, td_record_stop(imp, "other-byte-order",
				    "it was recorded on a machine of the other byte order"));
}

/* What of the file could not be read, with the records that it costs where that is known. */
static void tell_damage(struct td_import *imp, const char *damage)
{
	const struct td_record *rd = imp->state;
	char words[256];

	if (!damage || !rd->started)
		return;
	if (rd->missing)
		(void)snprintf(words, sizeof(words), "%s; %llu records are missing", damage,
			       (unsigned long long)rd->missing);
	else
		(void)snprintf(words, sizeof(words),
			       "%s; how many records are missing is not known", damage);
	imp->line_no = 0; /* it is about the whole */
	td_note(imp, "damaged-frames", words);
	td_lost(imp, TD_MIN(rd->missing, UINT64_C(1) << 40));
}

static int record_data(struct td_import *imp, struct td_stream *in, struct td_err *err)
{
	struct td_record *rd = imp->state;
	struct td_rec rec;
	const char *p;
	size_t len, used = 1;
	int r;

	rd->offset_low_ns = INT64_MIN;
	rd->offset_high_ns = INT64_MAX;
	r = td_stream_window(in, RECORD_MAX, &p, &len, err);
	if (r >= 0 && is_of_other_byte_order(p, len))
		return foreign(imp);
	while (r >= 0 && (r = td_stream_window(in, RECORD_MAX, &p, &len, err)) >= 0 && len &&
	       used) {
		r = read_window(imp, p, len, &used);
		if (r < 0 || rd->stopped)
			return r;
		td_stream_consume(in, used);
		if (rd->started && used)
			r = td_import_defer(imp, err);
		if (r < 0 || rd->stopped)
			return r;
	}
	if (r < 0)
		return r;
	if (len)
		return bad_rest(imp, td_record_scan(p, len, &rec));
	tell_damage(imp, td_stream_truncated(in));
	if (!rd->ended && rd->started)
		td_import_set_cut(imp, "it has no end: the recorder was killed");
	return 0;
}

static int record_end(struct td_import *imp)
{
	struct td_record *rd = imp->state;
	int r = td_record_settle(imp);

	if (r >= 0)
		r = td_record_settle_nvtx(imp);
	if (r >= 0)
		r = td_record_settle_memory(imp);
	if (r >= 0)
		r = td_record_settle_unseen(imp);

	td_record_settle_usage(imp);
	td_record_put_anchors(imp);
	td_record_map_done(&rd->files);
	td_record_map_done(&rd->roots);
	td_record_map_done(&rd->tracks);
	td_record_map_done(&rd->gpu_names);
	td_record_map_done(&rd->pids);
	td_record_map_done(&rd->tids);
	for (size_t i = 0; i < TD_ARRAY_SIZE(rd->names); i++)
		td_record_map_done(&rd->names[i]);
	free(rd->memory);
	free(rd->nvtx);
	free(rd->ops);
	free(rd->owed);
	free(rd->unseen);
	free(rd->process_usages.items);
	free(rd->thread_usages.items);
	td_strbuf_done(&rd->path);
	return r;
}

static int record_sniff(const char *head, size_t len)
{
	struct td_wire_head h;

	if (len < sizeof(struct td_wire_header))
		return 0;
	memcpy(&h, head, sizeof(h));
	return h.kind == TD_WIRE_HEADER && memcmp(head + offsetof(struct td_wire_header, magic),
						  TD_WIRE_MAGIC, sizeof(TD_WIRE_MAGIC)) == 0
		       ? 100
		       : 0;
}

static const char *const record_host_marks[] = { TD_WIRE_MAGIC, NULL };

static bool record_host(const char *head, size_t len, const char *path, char *ret, size_t size)
{
	struct td_wire_header h;

	if (!record_sniff(head, len))
		return false;
	memcpy(&h, head, sizeof(h));
	if (!h.host_len || h.host_len > len - sizeof(h))
		return false;
	(void)snprintf(ret, size, "%.*s", (int)TD_MIN((size_t)h.host_len, size - 1),
		       head + sizeof(h));
	return true;
}

const struct td_importer td_importer_record = {
	.name = "record",
	.desc = "recordings of tracedb-record (FILE.db.spool)",
	.clock = TD_CLOCK_BOOT,
	.state_size = sizeof(struct td_record),
	.sniff = record_sniff,
	.surest = 100,
	.host = record_host,
	.host_marks = record_host_marks,
	.data = record_data,
	.deferral = &td_record_deferral,
	.end = record_end,
};
