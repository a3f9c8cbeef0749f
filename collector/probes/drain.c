/* SPDX-License-Identifier: MIT */
/* From the rings to the sink, in the order that schema/wire.h promises. */
#include "common/cleanup.h"
#include "collector/probes/command_lines.h"
#include "collector/probes/file_names.h"
#include "collector/probes/probes_private.h"

#define BATCH_BYTES ((size_t)4 << 20)
#define RECORD_MAX ((size_t)UINT16_MAX)

size_t td_probes_share(const struct td_probes *p)
{
	return BATCH_BYTES / p->nrings + RECORD_MAX;
}

/* Moves what a ring held before 'end' into the batch, as far as its share goes; false: there is more. */
static bool take_calls(struct td_probes *p, struct td_ring_reader *ring, uint64_t end, size_t *len)
{
	size_t stop = *len + BATCH_BYTES / p->nrings, size;
	const void *record;

	while (*len < stop && (record = td_ring_next(ring, end, &size))) {
		memcpy(p->batch + *len, record, size);
		*len += size;
	}
	td_ring_release(ring);
	return *len < stop;
}

static int pass_critical(const struct td_wire_head *head, td_sink *sink, void *arg)
{
	union td_process_record process;
	union td_file_record file;

	if (head->kind >= TD_RAW_OF_SET(0))
		return td_sets[head->kind - TD_RAW_OF_SET(0)]->put(head, sink, arg);
	switch (head->kind) {
	case TD_WIRE_FILE:
		td_file_record((const struct td_raw_file *)head, &file);
		return sink(arg, &file, file.file.head.size);
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

	while (r == 0 && (record = td_ring_next(&p->critical, end, &size)))
		r = pass_critical(record, sink, arg);
	td_ring_release(&p->critical);
	return r;
}

ssize_t td_probes_drain(struct td_probes *p, td_sink *sink, void *arg, struct td_err *err)
{
	uint64_t ends[TD_MAX_RINGS] = { 0 };
	ssize_t total = 0;
	bool more = true;
	int r;

	/* what comes meanwhile is for the next time: who makes calls faster than this takes them must not keep the
	 * recorder from its signals and its spool */
	for (unsigned i = 0; i < p->nrings; i++)
		ends[i] = td_ring_end(&p->rings[i]);
	while (more) {
		size_t len = 0;

		more = false;
		for (unsigned i = 0; i < p->nrings; i++)
			more |= !take_calls(p, &p->rings[i], ends[i], &len);
		r = drain_critical(p, sink, arg);
		if (r == 0 && len)
			r = sink(arg, p->batch, len);
		if (r < 0)
			return r;
		total += (ssize_t)len;
	}
	return total;
}
