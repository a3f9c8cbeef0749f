/* SPDX-License-Identifier: MIT */
/* Page faults as samples: what the BPF programs count per process and second (collector/bpf/faults.bpf.c). */
#include "collector/sets/provider.h"
#include "collector/bpf/faults.h"
#include "collector/samplers/emit.h"
#include "common/caldate.h"
#include "common/cleanup.h"

static const struct td_hook page_faults = {
	.name = "page faults",
	.ways = { { TD_WAY_TP_BTF, { "fault_btf" } },
		  { TD_WAY_TRACEPOINT, { "fault_tracepoint" } } },
	.at_end = "unfinished_faults",
};

static const char *const names[] = { "faults.minor", "faults.major" };

static int put_tracks(struct td_emit *e, const struct td_raw_faults *raw)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < TD_ARRAY_SIZE(names); i++) {
		struct td_emit_track track = {
			.name = names[i],
			.unit = "1/s",
			.device_kind = TD_EMIT_NO_DEVICE,
			.pid = (pid_t)raw->head.tid,
		};
		uint32_t number;

		r = td_emit_track(e, &track, &number);
	}
	return r;
}

/* TD_WIRE_SAMPLE records of both, and of their tracks if they are the first of the process. */
static int put(const struct td_wire_head *head, td_sink *sink, void *arg)
{
	const struct td_raw_faults *raw = (const struct td_raw_faults *)head;
	struct td_emit e = { .sink = sink, .arg = arg, .ntracks = raw->track - 1 };
	uint64_t dur_ns = raw->to_ns - raw->from_ns;
	double seconds = (double)dur_ns / (double)TD_SEC_NS;
	int r = 0;

	if (raw->head.flags & TD_RAW_FAULTS_FIRST)
		r = put_tracks(&e, raw);
	if (r == 0)
		r = td_emit_sample(&e, raw->track, raw->to_ns, dur_ns,
				   (double)raw->minor / seconds);
	if (r == 0)
		r = td_emit_sample(&e, raw->track + 1, raw->to_ns, dur_ns,
				   (double)raw->major / seconds);
	return r;
}

/* What was counted last of a process that is still there. */
static int put_entry(const void *key, const void *value, uint64_t now_ns, td_sink *sink, void *arg)
{
	const struct td_faults *f = value;
	const struct td_raw_faults raw = {
		.head = { .tid = *(const uint32_t *)key,
			  .flags = f->told ? 0 : TD_RAW_FAULTS_FIRST },
		.from_ns = f->from_ns,
		.to_ns = TD_MIN(now_ns, (f->second + 1) * (uint64_t)TD_SEC_NS),
		.minor = f->minor,
		.major = f->major,
		.track = f->track,
	};

	return f->minor | f->major ? put(&raw.head, sink, arg) : 0;
}

const struct td_set_provider td_set_faults = {
	.name = "faults",
	.help = "page faults per process: a lower bound of I/O on mapped files",
	.caveat = "I/O on mapped files is no call; page faults are a lower bound of it (one can "
		  "stand for many pages)",
	.caveat_kind = "mapped-files",
	.hooks = { &page_faults },
	.constant = { "count_faults", true },
	.put = put,
	.map = "faults",
	.put_entry = put_entry,
};
