/* SPDX-License-Identifier: MIT */
#include "importers/recording/recording.h"

/* --- scheduling --- */

/* What the kernel keeps in task_struct.__state, of which lower bits count first. */
static const char *state_name(uint8_t state)
{
	static const struct {
		uint8_t bits;
		const char *name;
	} states[] = {
		{ 0x01, "sleeping" },
		{ 0x02, "blocked" },
		{ 0x0c, "stopped" },
		{ 0xf0, "exited" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(states); i++)
		if (state & states[i].bits)
			return states[i].name;
	return "runnable"; /* it was preempted */
}

/* One slice; nothing if its begin is not known. */
static int put_slice(struct td_import *imp, struct td_sched row, uint64_t from_ns, uint64_t to_ns,
		     const char *state, unsigned *count)
{
	int r;

	if (from_ns == 0)
		return 0;
	row.start_ns = td_rec_i64(from_ns);
	row.dur_ns = to_ns ? td_rec_i64(to_ns) - row.start_ns : TD_NULL;
	row.state_id = td_store_cstr(imp->store, state);
	r = td_put_sched(imp, &row);
	if (r == 0)
		(*count)++;
	return r;
}

/* Name of the operation, 0 if it is none. */
static uint32_t reason_of(struct td_import *imp, uint16_t op)
{
	const struct td_record *rd = imp->state;

	return op < rd->nops ? rd->ops[op].name_id : 0;
}

int td_record_sched_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_wire_sched w = TD_REC(rec, td_wire_sched);
	const struct td_record *rd = imp->state;
	bool preempted = w.off_state == 0;
	uint64_t wake_ns = preempted ? 0 : w.wake_ns;
	struct td_sched off = TD_SCHED_INIT, row;
	uint32_t process_id;
	unsigned n = 0;
	int r = td_record_who(imp, w.pid, w.head.tid, &process_id, &off.thread_id);

	if (r < 0)
		return r;
	row = off;
	off.cpu = w.from_cpu;
	off.reason_id = reason_of(imp, w.off_op);
	r = put_slice(imp, off, w.off_ns, wake_ns ? wake_ns : w.on_ns, state_name(w.off_state), &n);
	row.cpu = w.from_cpu;
	/* of those that are not recorded, but a number is known */
	row.waker_thread_id = td_record_map_get(&rd->tids, w.waker_tid);
	if (r == 0)
		r = put_slice(imp, row, wake_ns, w.on_ns, "runnable", &n);
	row.waker_thread_id = 0;
	row.cpu = w.cpu;
	if (r == 0)
		r = put_slice(imp, row, w.on_ns, w.out_ns, "running", &n);
	if (r < 0)
		return r;
	return n ? TD_LINE_ROW : td_rec_spoilt(imp);
}

/* --- disks --- */

static uint32_t disk_of(struct td_import *imp, uint32_t device)
{
	const struct td_record *rd = imp->state;
	uint32_t name = td_record_map_get(&rd->names[TD_WIRE_NAME_DISK], device);
	struct td_str text;
	char number[32];

	if (name) {
		text = td_store_text(imp->store, name);
		return td_store_device(imp->store, TD_DEVICE_DISK, text.p, text.len, TD_NULL);
	}
	(void)snprintf(number, sizeof(number), "%u:%u", device >> 20, device & 0xfffff);
	return td_store_device(imp->store, TD_DEVICE_DISK, number, strlen(number), TD_NULL);
}

/* REQ_OP_READ and REQ_OP_WRITE; the others (flush, discard, ...) transfer nothing. */
static enum td_block_op block_op(uint32_t cmd_flags)
{
	switch (cmd_flags & 0xff) {
	case 0:
		return TD_BLOCK_READ;
	case 1:
		return TD_BLOCK_WRITE;
	default:
		return TD_BLOCK_OTHER;
	}
}

/* 0 of the kernel's idle task, which does nothing of its own. */
static uint32_t process_of(struct td_import *imp, uint32_t pid)
{
	return pid ? td_record_process(imp, pid) : 0;
}

static void note_error(struct td_import *imp, const struct td_wire_block *w)
{
	char words[96];

	(void)snprintf(words, sizeof(words), "sector %llu, %u bytes: %s",
		       (unsigned long long)w->sector, w->bytes,
		       w->error > -4096 && w->error < 0 ? strerror(-w->error) : "failed");
	td_note(imp, "failed-request", words);
}

int td_record_block_row(struct td_import *imp, const struct td_rec *rec)
{
	const struct td_record *rd = imp->state;
	struct td_wire_block w = TD_REC(rec, td_wire_block);
	struct td_block row = TD_BLOCK_INIT;
	uint64_t start_ns = w.issue_ns ? w.issue_ns : w.insert_ns;
	int r;

	if (start_ns == 0)
		return td_rec_spoilt(imp);
	row.process_id = process_of(imp, w.pid);
	/* whoever was running then; that may be somebody who is not recorded */
	row.done_process_id = td_record_map_get(&rd->pids, w.done_pid);
	row.start_ns = td_rec_i64(start_ns);
	if (w.done_ns)
		row.dur_ns = td_rec_i64(w.done_ns) - row.start_ns;
	if (w.insert_ns && w.issue_ns)
		row.queue_ns = row.start_ns - td_rec_i64(w.insert_ns);
	row.device_id = disk_of(imp, w.device);
	row.op = block_op(w.cmd_flags);
	row.sector = td_rec_i64(w.sector);
	row.bytes = w.bytes;
	if (w.error)
		note_error(imp, &w);
	r = td_put_block(imp, &row);
	return r < 0 ? r : TD_LINE_ROW;
}

/* --- samples --- */

static uint32_t device_of(struct td_import *imp, const struct td_wire_track *w, struct td_str name)
{
	static const char *const prefixes[] = {
		[TD_DEVICE_DISK] = "disk",
		[TD_DEVICE_GPU] = "GPU",
		[TD_DEVICE_CPU] = "CPU",
	};
	int64_t number = w->device_kind == TD_DEVICE_DISK ? TD_NULL : w->device_number;
	char text[32];

	if (w->device_kind >= TD_ARRAY_SIZE(prefixes))
		return 0;
	if (!name.len) {
		name.p = text;
		name.len = (size_t)snprintf(text, sizeof(text), "%s %d", prefixes[w->device_kind],
					    w->device_number);
	}
	return td_store_device(imp->store, w->device_kind, name.p, name.len, number);
}

int td_record_track_row(struct td_import *imp, const struct td_rec *rec)
{
	struct td_record *rd = imp->state;
	struct td_wire_track w = TD_REC(rec, td_wire_track);
	struct td_scan s = TD_REC_TEXT(rec, td_wire_track, text);
	struct td_str name, unit, device;
	uint32_t *id;

	if (!td_rec_text(&s, w.name_len, &name) || !td_rec_text(&s, w.unit_len, &unit) ||
	    !td_rec_text(&s, w.device_len, &device) || !name.len)
		return td_rec_spoilt(imp);
	id = td_record_map_at(&rd->tracks, w.track);
	if (!id)
		return -ENOMEM;
	name = td_import_keep(imp, name);
	unit = td_import_keep(imp, unit);
	*id = td_store_track(imp->store, imp->source_id, name.p, unit.p, device_of(imp, &w, device),
			     process_of(imp, w.pid));
	return TD_LINE_ROW;
}

int td_record_sample_row(struct td_import *imp, const struct td_rec *rec)
{
	const struct td_record *rd = imp->state;
	struct td_wire_sample w = TD_REC(rec, td_wire_sample);
	struct td_sample row = TD_SAMPLE_INIT;
	int r;

	row.ts_ns = td_rec_i64(w.time_ns);
	row.dur_ns = td_rec_i64(w.dur_ns);
	row.value = w.value;
	row.track_id = td_record_map_get(&rd->tracks, w.track);
	if (!row.track_id)
		return td_reject(imp, "unknown-track");
	r = td_put_sample(imp, &row);
	return r < 0 ? r : TD_LINE_ROW;
}
