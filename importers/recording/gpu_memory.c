/* SPDX-License-Identifier: MIT */
/*
 * What programs have allocated on GPUs, and when what they do there is not told (record --cuda).
 * Allocations become tracks of bytes for each process, GPU and kind of memory: a sample covers the
 * time since the one before it, with what was allocated all along. CUPTI hands its records over in
 * buffers of several threads, so that they do not come in order.
 */
#include "common/array.h"
#include "common/caldate.h"
#include "importers/recording/recording.h"

#define EVENTS_MAX ((size_t)1 << 20) /* of an allocator that frees each time; more are counted */
#define GPUS_MAX 4096 /* more is damage */

/* By CUpti_ActivityMemoryKind; NULL: nobody asks for it. */
static const char *const tracks[] = {
	[2] = "cuda.pinned",
	[3] = "cuda.allocated",
	[4] = "cuda.allocated", /* arrays, for textures */
	[5] = "cuda.managed",
};

int td_record_gpu_memory_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_gpu_memory w = TD_REC(rec, td_wire_gpu_memory);
	struct td_record_memory *m;
	int r;

	if (!w.time_ns || w.time_ns > TD_RECORD_TIME_MAX || w.device >= GPUS_MAX ||
	    w.bytes > INT64_MAX / EVENTS_MAX)
		return td_rec_spoilt(imp);
	if (w.memory_kind >= TD_ARRAY_SIZE(tracks) || !tracks[w.memory_kind])
		return TD_LINE_SKIPPED;
	if (rd->nmemory == EVENTS_MAX)
		return td_reject(imp, "too-many-allocations");
	r = td_grow(&rd->memory, &rd->memory_cap, rd->nmemory);
	if (r < 0)
		return r;
	m = &rd->memory[rd->nmemory];
	*m = (struct td_record_memory){
		.time_ns = (int64_t)w.time_ns,
		.bytes = w.head.flags & TD_WIRE_GPU_FREED ? -(int64_t)w.bytes : (int64_t)w.bytes,
		.order = (uint32_t)rd->nmemory++,
		.process_id = td_record_process(imp, w.head.tid),
		.device = (uint16_t)w.device,
		.kind = (uint8_t)w.memory_kind,
	};
	return m->process_id ? TD_LINE_ROW : -ENOMEM;
}

/* --- at the end --- */

static bool is_of_same_track(const struct td_record_memory *a, const struct td_record_memory *b)
{
	return a->process_id == b->process_id && a->device == b->device &&
	       strcmp(tracks[a->kind], tracks[b->kind]) == 0;
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_track_and_time(const void *a, const void *b)
{
	const struct td_record_memory *x = a, *y = b;
	int c = compare(x->process_id, y->process_id);

	c = c ? c : compare(x->device, y->device);
	c = c ? c : strcmp(tracks[x->kind], tracks[y->kind]);
	c = c ? c : compare(x->time_ns, y->time_ns);
	return c ? c : compare(x->order, y->order);
}

/* When the process was gone, or the recording ended. */
static int64_t end_of(const struct td_import *imp, uint32_t process_id, int64_t since_ns)
{
	const struct td_process *p = td_store_process_at(imp->store, process_id);

	if (p->end_ns != TD_NULL && p->end_source_id == imp->source_id)
		return TD_MAX(p->end_ns, since_ns);
	return TD_MAX(td_import_latest(imp), since_ns); /* TD_NULL is the least */
}

static uint32_t track_of(struct td_import *imp, const struct td_record_memory *m)
{
	char name[32];
	int n = snprintf(name, sizeof(name), "GPU %u", m->device);
	uint32_t device = td_store_device(imp->store, TD_DEVICE_GPU, name, (size_t)n, m->device);

	return td_store_track(imp->store, imp->source_id, tracks[m->kind], "bytes", device,
			      m->process_id);
}

/* The events of one track. What was allocated before the recording began is freed without having been seen. */
static int put_track(struct td_import *imp, const struct td_record_memory *of, size_t n)
{
	int64_t total = of[0].bytes, end_ns;
	struct td_sample row = TD_SAMPLE_INIT;
	int r = 0;

	row.track_id = track_of(imp, of);
	if (!row.track_id)
		return -ENOMEM;
	for (size_t i = 1; i <= n && r >= 0; i++) {
		end_ns = i < n ? of[i].time_ns : end_of(imp, of->process_id, of[i - 1].time_ns);
		total = TD_MAX(total, (int64_t)0);
		row.ts_ns = end_ns;
		row.dur_ns = end_ns - of[i - 1].time_ns;
		row.value = (double)total;
		if (row.dur_ns > 0)
			r = td_put_sample(imp, &row);
		if (i < n)
			total += of[i].bytes;
	}
	return r;
}

int td_record_settle_memory(struct td_import *imp)
{
	struct td_record *rd = imp->state;
	int r = 0;

	if (rd->nmemory)
		qsort(rd->memory, rd->nmemory, sizeof(*rd->memory), by_track_and_time);
	for (size_t i = 0, k; i < rd->nmemory && r >= 0; i = k) {
		for (k = i + 1; k < rd->nmemory; k++)
			if (!is_of_same_track(&rd->memory[i], &rd->memory[k]))
				break;
		r = put_track(imp, &rd->memory[i], k - i);
	}
	return r;
}

/* --- what is not told --- */

int td_record_gpu_unseen_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_gpu_unseen w = TD_REC(rec, td_wire_gpu_unseen);
	uint32_t process_id = td_record_process(imp, w.head.tid);
	int r;

	if (!w.from_ns || w.from_ns > TD_RECORD_TIME_MAX)
		return td_rec_spoilt(imp);
	if (!process_id)
		return -ENOMEM;
	r = td_grow(&rd->unseen, &rd->unseen_cap, rd->nunseen);
	if (r < 0)
		return r;
	rd->unseen[rd->nunseen++] = (struct td_record_unseen){ (int64_t)w.from_ns, process_id };
	return TD_LINE_ROW;
}

int td_record_settle_unseen(struct td_import *imp)
{
	struct td_record *rd = imp->state;
	int r = 0;

	for (size_t i = 0; i < rd->nunseen && r >= 0; i++) {
		struct td_span row = TD_SPAN_INIT;

		row.start_ns = rd->unseen[i].from_ns;
		row.dur_ns = end_of(imp, rd->unseen[i].process_id, row.start_ns) - row.start_ns;
		row.kind_id = td_store_cstr(imp->store, TD_SPAN_UNRECORDED);
		row.name_id = td_store_cstr(imp->store, "work on GPUs");
		row.state_id = td_store_cstr(imp->store, "complete");
		row.process_id = rd->unseen[i].process_id;
		r = td_put_span(imp, &row);
	}
	return r;
}
