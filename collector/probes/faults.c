/* SPDX-License-Identifier: MIT */
#include <bpf/bpf.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "collector/samplers/emit.h"
#include "collector/probes/faults.h"
#include "collector/probes/probes_private.h"
#include "collector/spool/clocks.h"

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

int td_faults_samples(const struct td_raw_faults *raw, td_sink *sink, void *arg)
{
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

int td_faults_rest(int map_fd, td_sink *sink, void *arg)
{
	uint64_t now_ns = td_boot_ns();
	uint32_t pid, *before = NULL;
	int r = 0;

	while (r == 0 && map_fd >= 0 && bpf_map_get_next_key(map_fd, before, &pid) == 0) {
		struct td_raw_faults raw = { .head = { .tid = pid } };
		struct td_faults f;

		before = &pid;
		if (bpf_map_lookup_elem(map_fd, &pid, &f) < 0 || !(f.minor | f.major))
			continue;
		raw.head.flags = f.told ? 0 : TD_RAW_FAULTS_FIRST;
		raw.from_ns = f.from_ns;
		raw.to_ns = TD_MIN(now_ns, (f.second + 1) * (uint64_t)TD_SEC_NS);
		raw.minor = f.minor;
		raw.major = f.major;
		raw.track = f.track;
		r = td_faults_samples(&raw, sink, arg);
	}
	return r;
}
