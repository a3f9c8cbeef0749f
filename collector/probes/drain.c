/* SPDX-License-Identifier: MIT */
/* From the rings to the sink, in the order that schema/wire.h promises. */
#include <stdatomic.h>
#include <sys/epoll.h>

#include "common/cleanup.h"
#include "common/parallel.h"
#include "collector/samplers/emit.h"
#include "collector/probes/command_lines.h"
#include "collector/probes/file_names.h"
#include "collector/probes/probes_private.h"

/* A thread more is worth so much that waits: it is taken in two milliseconds, and a thread is made in a
 * fortieth of that. */
#define LANE_WORTH ((size_t)2 << 20)
#define RECORD_MAX ((size_t)UINT16_MAX)
#define TAKE_FROM (TD_SINK_BUFFER_BYTES / 4) /* less is copied */

/* What a thread takes from rings: each from one after the other that nobody else has. */
struct filling {
	struct td_probes *p;
	const uint64_t *ends; /* of the rings: what comes later is for the next time */
	atomic_uint next_ring;
};

static bool is_full(const struct td_lane *lane)
{
	return lane->len + RECORD_MAX > TD_SINK_BUFFER_BYTES;
}

/* Moves what a ring held before 'end' into the lane; a record that is not complete yet, and what is
 * behind it, only when no more will come. */
static void take_calls(const struct td_probes *p, struct td_lane *lane, struct td_ring_reader *ring,
		       uint64_t end)
{
	const void *record;
	size_t size;

	while (!is_full(lane) && (record = td_ring_next(ring, end, !*p->recording, &size))) {
		memcpy(lane->buffer + lane->len, record, size);
		lane->len += size;
	}
	td_ring_release(ring);
}

static int fill_lane(void *arg, size_t i)
{
	struct filling *f = arg;
	struct td_lane *lane = &f->p->lanes[i];
	unsigned ring;

	lane->len = 0;
	if (!lane->buffer)
		lane->buffer = malloc(TD_SINK_BUFFER_BYTES);
	if (!lane->buffer)
		return -ENOMEM;
	while (!is_full(lane) && (ring = atomic_fetch_add(&f->next_ring, 1)) < f->p->nrings)
		take_calls(f->p, lane, &f->p->rings[ring], f->ends[ring]);
	return 0;
}

static int tell_missed(const struct td_raw_file *f, td_sink *sink, void *arg)
{
	struct td_emit e = { .sink = sink, .arg = arg };

	return td_emit_note(&e, "library-not-hooked",
			    "'%.*s' was not found before it was used: its functions are not "
			    "recorded; -p, or LD_LIBRARY_PATH with its folder, find it",
			    (int)f->path_len, f->path);
}

static int pass_file(struct td_probes *p, const struct td_raw_file *f, td_sink *sink, void *arg)
{
	union td_file_record file;
	int r;

	td_file_record(f, &file);
	r = sink(arg, &file, file.file.head.size);
	if (r < 0 || f->family || !td_uprobes_missed(&p->uprobes, f->path, f->path_len, f->inode))
		return r;
	return tell_missed(f, sink, arg);
}

static int pass_critical(struct td_probes *p, const struct td_wire_head *head, td_sink *sink,
			 void *arg)
{
	union td_process_record process;

	if (head->kind >= TD_RAW_OF_SET(0))
		return td_sets[head->kind - TD_RAW_OF_SET(0)]->put(head, sink, arg);
	switch (head->kind) {
	case TD_WIRE_FILE:
		return pass_file(p, (const struct td_raw_file *)head, sink, arg);
	case TD_WIRE_PROCESS:
		td_process_record((const struct td_wire_process *)head, &process);
		return sink(arg, &process, process.process.head.size);
	default:
		return sink(arg, head, head->size);
	}
}

/* Everything that was begun before the calls of the batch ended. */
static int drain_critical(struct td_probes *p, td_sink *sink, void *arg)
{
	uint64_t end = td_ring_end(&p->critical);
	const void *record;
	size_t size;
	int r = 0;

	while (r == 0 && (record = td_ring_next(&p->critical, end, true, &size)))
		r = pass_critical(p, record, sink, arg);
	td_ring_release(&p->critical);
	return r;
}

int td_probes_wake_fd(const struct td_probes *p)
{
	return p->wake_fd;
}

void td_probes_woken(const struct td_probes *p)
{
	struct epoll_event events[TD_MAX_RINGS + 1];

	(void)epoll_wait(p->wake_fd, events, TD_ARRAY_SIZE(events), 0);
}

static size_t waiting_bytes(const struct td_probes *p, const uint64_t *ends)
{
	size_t n = 0;

	for (unsigned i = 0; i < p->nrings; i++)
		n += ends[i] - p->rings[i].next;
	return n;
}

/* As many lanes as are worth it, each filled by a thread of its own. Their number or -errno. */
static int fill_lanes(struct td_probes *p, const uint64_t *ends, size_t waiting)
{
	struct filling f = { .p = p, .ends = ends };
	size_t n = TD_MIN(waiting / LANE_WORTH + 1, TD_MIN(p->nrings, (size_t)TD_LANES_MAX));
	int r = td_parallel(n, fill_lane, &f);

	return r < 0 ? r : (int)n;
}

static int pass_lane(struct td_lane *lane, td_sink *sink, td_sink_buffer *take, void *arg)
{
	if (lane->len == 0)
		return 0;
	if (take && lane->len >= TAKE_FROM)
		return take(arg, &lane->buffer, lane->len);
	return sink(arg, lane->buffer, lane->len);
}

ssize_t td_probes_drain(struct td_probes *p, td_sink *sink, td_sink_buffer *take, void *arg,
			struct td_err *err)
{
	uint64_t ends[TD_MAX_RINGS] = { 0 };
	ssize_t total = 0;
	bool more;
	int r;

	/* what comes meanwhile is for the next time: who makes calls faster than this takes them must not keep the
	 * recorder from its signals and its spool */
	for (unsigned i = 0; i < p->nrings; i++)
		ends[i] = td_ring_end(&p->rings[i]);
	do {
		int lanes = fill_lanes(p, ends, waiting_bytes(p, ends));

		more = false;
		r = lanes < 0 ? lanes : drain_critical(p, sink, arg);
		for (int i = 0; i < lanes && r == 0; i++) {
			total += (ssize_t)p->lanes[i].len;
			more |= is_full(&p->lanes[i]);
			r = pass_lane(&p->lanes[i], sink, take, arg);
		}
		if (r < 0)
			return r;
	} while (more);
	return total;
}
