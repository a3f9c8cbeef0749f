/* SPDX-License-Identifier: MIT */
/*
 * perfetto=FILE: a trace for ui.perfetto.dev and trace_processor, as its track events
 * (https://perfetto.dev/docs/reference/synthetic-track-event). All packets are of one sequence,
 * which names each text once:
 *
 *     packet { clock_snapshot { clocks { clock_id: 6 (BOOTTIME) timestamp: START } clocks { clock_id: 1 (REALTIME) ... } } ... }
 *     packet { sequence_flags: 1 interned_data { event_categories { ... } debug_annotation_names { ... } } ... }
 *     packet { track_descriptor { uuid: 3 name: "sda" } ... }
 *     packet { timestamp: NS track_event { type: 1 track_uuid: 3 name_iid: 17 category_iids: 1 ... } interned_data { ... } ... }
 *     packet { timestamp: NS track_event { type: 2 track_uuid: 3 } ... }
 *
 * Numbers of fields are those of protos/perfetto/trace/ in https://github.com/google/perfetto.
 */
#include "analyzer/export/events/events.h"
#include "analyzer/export/export.h"
#include "analyzer/export/files.h"
#include "analyzer/export/proto.h"
#include "common/cleanup.h"
#include "common/utf8.h"

#define OUT_BYTES (1U << 18)
#define ARG_BYTES (4 * TD_PROTO_INT) /* of a debug annotation at most */
#define EVENT_BYTES (TD_EVENT_ARGS_MAX * ARG_BYTES + 8 * TD_PROTO_INT)

enum trace { TRACE_PACKET = 1 };

enum packet {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13, /* 1: names begin anew; 2: it has names from before */
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_FIRST = 87, /* on its sequence */
};

enum track_event {
	EVENT_CATEGORY_IIDS = 3,
	EVENT_DEBUG_ANNOTATIONS = 4,
	EVENT_TYPE = 9, /* 1 begin of a slice, 2 end, 3 instant, 4 counter */
	EVENT_NAME_IID = 10,
	EVENT_TRACK_UUID = 11,
	EVENT_DOUBLE_COUNTER_VALUE = 44,
	EVENT_FLOW_IDS = 47,
};

enum annotation {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING_IID = 17,
};

enum interned {
	INTERNED_CATEGORIES = 1,
	INTERNED_NAMES = 2,
	INTERNED_KEYS = 3,
	INTERNED_TEXTS = 29
};
enum interned_text { TEXT_IID = 1, TEXT_TEXT = 2 };

enum descriptor {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};
enum process { PROCESS_PID = 1, PROCESS_COMMAND_LINE = 2, PROCESS_NAME = 6, PROCESS_LABELS = 8 };
enum thread { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum counter { COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6 };
enum snapshot { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };
enum clock { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };

/* Which iids the trace has named. */
struct named {
	uint8_t *bits; /* owned */
	size_t nbytes;
};

struct trace_file {
	FILE *f; /* borrowed */
	struct named names, texts; /* of events; of annotations */
	struct td_strbuf interned; /* of the packet in hand */
	size_t n;
	uint8_t out[OUT_BYTES];
};

static void trace_free(struct trace_file *t)
{
	if (!t)
		return;
	free(t->names.bits);
	free(t->texts.bits);
	td_strbuf_done(&t->interned);
	free(t);
}
TD_DEFINE_CLEANUP(struct trace_file *, trace_free)

/* --- packets --- */

static int flush(struct trace_file *t)
{
	size_t n = t->n;

	t->n = 0;
	return fwrite(t->out, 1, n, t->f) == n ? 0 : -errno;
}

/* What stands in a packet, with its length before it. */
static int put_packet(struct trace_file *t, const uint8_t *head, size_t head_len,
		      const uint8_t *tail, size_t tail_len)
{
	uint8_t *p;
	int r = 0;

	if (OUT_BYTES - t->n < head_len + tail_len + 2 * TD_PROTO_INT)
		r = flush(t);
	if (r < 0)
		return r;
	p = td_proto_tag(t->out + t->n, TRACE_PACKET, TD_PROTO_BYTES);
	p = td_proto_varint(p, head_len + tail_len);
	t->n = (size_t)(p - t->out);
	if (OUT_BYTES - t->n < head_len + tail_len) { /* a text that is larger than all of it */
		r = flush(t);
		if (r == 0 && (fwrite(head, 1, head_len, t->f) != head_len ||
			       fwrite(tail, 1, tail_len, t->f) != tail_len))
			r = -errno;
		return r;
	}
	memcpy(p, head, head_len);
	if (tail_len)
		memcpy(p + head_len, tail, tail_len);
	t->n += head_len + tail_len;
	return 0;
}

static uint8_t *add_sequence(uint8_t *p, uint64_t flags)
{
	p = td_proto_int(p, PACKET_SEQUENCE_ID, 1);
	return td_proto_int(p, PACKET_SEQUENCE_FLAGS, flags);
}

/* A packet with one field that is a message, besides those of the sequence. */
static int put_message(struct trace_file *t, unsigned field, const struct td_strbuf *message,
		       uint64_t flags)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	uint8_t head[4 * TD_PROTO_INT], *p = add_sequence(head, flags);

	td_proto_add(&b, field, message->p, message->len);
	if (flags & 1)
		p = td_proto_int(p, PACKET_FIRST, 1);
	if (td_strbuf_error(&b) < 0 || td_strbuf_error(message) < 0)
		return -ENOMEM;
	return put_packet(t, head, (size_t)(p - head), (const uint8_t *)b.p, b.len);
}

/* --- names --- */

static void add_interned(struct td_strbuf *b, unsigned field, uint64_t iid, struct td_str text)
{
	_cleanup_(td_strbuf_done) struct td_strbuf m = TD_STRBUF_INIT;

	td_proto_add_int(&m, TEXT_IID, iid);
	td_proto_add(&m, TEXT_TEXT, text.p, text.len);
	td_proto_add(b, field, td_strbuf_str(&m), m.len);
	b->failed |= td_strbuf_error(&m) < 0;
}

/* Adds the text to the packet in hand if none before it did. */
static int name_text(struct trace_file *t, struct named *n, unsigned field,
		     const struct td_event_text *text)
{
	size_t byte = text->iid / 8;

	if (byte >= n->nbytes) {
		size_t want = TD_MAX(byte + 1, n->nbytes * 2);
		uint8_t *bits = realloc(n->bits, want);

		if (!bits)
			return -ENOMEM;
		memset(bits + n->nbytes, 0, want - n->nbytes);
		n->bits = bits;
		n->nbytes = want;
	}
	if (n->bits[byte] & 1U << text->iid % 8)
		return 0;
	n->bits[byte] |= (uint8_t)(1U << text->iid % 8);
	add_interned(&t->interned, field, text->iid, text->text);
	return td_strbuf_error(&t->interned);
}

/* Names that come with every trace, and the clock: times are UTC, which the clock of the trace is taken for. */
static int begin(struct trace_file *t, int64_t start_ns)
{
	static const unsigned clocks[] = { 6, 1 }; /* BOOTTIME, REALTIME */
	_cleanup_(td_strbuf_done) struct td_strbuf names = TD_STRBUF_INIT,
						   snapshot = TD_STRBUF_INIT;
	int r;

	for (unsigned i = 0; i < TD_EVENT_NCATEGORIES; i++)
		add_interned(
			&names, INTERNED_CATEGORIES, i + 1,
			(struct td_str){ td_event_categories[i], strlen(td_event_categories[i]) });
	for (unsigned i = 0; i < TD_EVENT_NKEYS; i++)
		add_interned(&names, INTERNED_KEYS, i + 1,
			     (struct td_str){ td_event_keys[i], strlen(td_event_keys[i]) });
	for (size_t i = 0; i < TD_ARRAY_SIZE(clocks); i++) {
		uint8_t clock[2 * TD_PROTO_INT], *p = td_proto_int(clock, CLOCK_ID, clocks[i]);

		p = td_proto_int(p, CLOCK_TIMESTAMP, (uint64_t)start_ns);
		td_proto_add(&snapshot, SNAPSHOT_CLOCKS, clock, (size_t)(p - clock));
	}
	td_proto_add_int(&snapshot, SNAPSHOT_PRIMARY, clocks[0]);
	r = put_message(t, PACKET_INTERNED_DATA, &names, 1);
	return r == 0 ? put_message(t, PACKET_CLOCK_SNAPSHOT, &snapshot, 2) : r;
}

/* --- tracks --- */

/* Names may have any bytes. */
static void add_name(struct td_strbuf *b, unsigned field, struct td_str text)
{
	_cleanup_free_ char *valid = text.p ? td_utf8_dup(text.p, text.len) : NULL;

	if (valid)
		td_proto_add(b, field, valid, strlen(valid));
	b->failed |= text.p && !valid;
}

static void add_process(struct td_strbuf *b, const struct td_event_track *t)
{
	_cleanup_(td_strbuf_done) struct td_strbuf m = TD_STRBUF_INIT;

	td_proto_add_int(&m, PROCESS_PID, (uint64_t)t->pid);
	add_name(&m, PROCESS_COMMAND_LINE, t->command_line);
	add_name(&m, PROCESS_NAME, t->name);
	add_name(&m, PROCESS_LABELS, t->label);
	td_proto_add(b, TRACK_PROCESS, td_strbuf_str(&m), m.len);
	b->failed |= td_strbuf_error(&m) < 0;
}

static void add_thread(struct td_strbuf *b, const struct td_event_track *t)
{
	_cleanup_(td_strbuf_done) struct td_strbuf m = TD_STRBUF_INIT;

	td_proto_add_int(&m, THREAD_PID, (uint64_t)t->pid);
	td_proto_add_int(&m, THREAD_TID, (uint64_t)t->tid);
	add_name(&m, THREAD_NAME, t->name);
	td_proto_add(b, TRACK_THREAD, td_strbuf_str(&m), m.len);
	b->failed |= td_strbuf_error(&m) < 0;
}

static void add_counter(struct td_strbuf *b, const struct td_event_track *t)
{
	_cleanup_(td_strbuf_done) struct td_strbuf m = TD_STRBUF_INIT;

	if (t->unit.p && td_str_eq(t->unit, "bytes"))
		td_proto_add_int(&m, COUNTER_UNIT, 3); /* UNIT_SIZE_BYTES */
	else
		add_name(&m, COUNTER_UNIT_NAME, t->unit);
	td_proto_add(b, TRACK_COUNTER, td_strbuf_str(&m), m.len);
	b->failed |= td_strbuf_error(&m) < 0;
}

static int put_track(void *self, const struct td_event_track *t)
{
	_cleanup_(td_strbuf_done) struct td_strbuf m = TD_STRBUF_INIT;

	td_proto_add_int(&m, TRACK_UUID, t->id);
	if (t->parent)
		td_proto_add_int(&m, TRACK_PARENT, t->parent);
	if (t->type == TD_EVENT_TRACK_PROCESS)
		add_process(&m, t);
	else if (t->type == TD_EVENT_TRACK_THREAD)
		add_thread(&m, t);
	else
		add_name(&m, TRACK_NAME, t->name);
	if (t->type == TD_EVENT_TRACK_COUNTER)
		add_counter(&m, t);
	return put_message(self, PACKET_TRACK_DESCRIPTOR, &m, 2);
}

/* --- events --- */

static uint8_t *add_arg(struct trace_file *t, uint8_t *p, const struct td_event_arg *a, int *r)
{
	uint8_t m[ARG_BYTES], *q = td_proto_int(m, ANNOTATION_NAME_IID, (uint64_t)a->key + 1);

	if (a->type == TD_EVENT_REAL) {
		q = td_proto_double(q, ANNOTATION_DOUBLE, a->real);
	} else if (a->type == TD_EVENT_INTEGER) {
		q = td_proto_int(q, ANNOTATION_INT, (uint64_t)a->integer);
	} else {
		q = td_proto_int(q, ANNOTATION_STRING_IID, a->string.iid);
		if (*r == 0)
			*r = name_text(t, &t->texts, INTERNED_TEXTS, &a->string);
	}
	return td_proto_bytes(p, EVENT_DEBUG_ANNOTATIONS, m, (size_t)(q - m));
}

/* The event, without its time, into p. */
static uint8_t *add_event(struct trace_file *t, uint8_t *p, const struct td_event *e, int *r)
{
	static const uint8_t types[] = {
		[TD_EVENT_SLICE] = 1, [TD_EVENT_INSTANT] = 3, [TD_EVENT_COUNTER] = 4
	};

	p = td_proto_int(p, EVENT_TYPE, types[e->type]);
	p = td_proto_int(p, EVENT_TRACK_UUID, e->track);
	p = td_proto_int(p, EVENT_CATEGORY_IIDS, (uint64_t)e->category + 1);
	if (e->type == TD_EVENT_COUNTER)
		return td_proto_double(p, EVENT_DOUBLE_COUNTER_VALUE, e->value);
	if (e->name.iid) {
		p = td_proto_int(p, EVENT_NAME_IID, e->name.iid);
		*r = name_text(t, &t->names, INTERNED_NAMES, &e->name);
	}
	for (size_t i = 0; i < e->nargs; i++)
		p = add_arg(t, p, &e->args[i], r);
	return e->flow ? td_proto_fixed64(p, EVENT_FLOW_IDS, e->flow) : p;
}

static int put_end(struct trace_file *t, const struct td_event *e)
{
	uint8_t m[2 * TD_PROTO_INT], head[8 * TD_PROTO_INT], *p = td_proto_int(m, EVENT_TYPE, 2),
							     *q;

	p = td_proto_int(p, EVENT_TRACK_UUID, e->track);
	q = td_proto_int(head, PACKET_TIMESTAMP, (uint64_t)(e->start_ns + e->dur_ns));
	q = td_proto_bytes(add_sequence(q, 2), PACKET_TRACK_EVENT, m, (size_t)(p - m));
	return put_packet(t, head, (size_t)(q - head), NULL, 0);
}

static int put_event(void *self, const struct td_event *e)
{
	struct trace_file *t = self;
	uint8_t m[EVENT_BYTES], head[EVENT_BYTES + 4 * TD_PROTO_INT], *p, *q;
	_cleanup_(td_strbuf_done) struct td_strbuf interned = TD_STRBUF_INIT;
	int r = 0;

	td_strbuf_reset(&t->interned);
	p = add_event(t, m, e, &r);
	if (r < 0)
		return r;
	q = td_proto_int(head, PACKET_TIMESTAMP, (uint64_t)e->start_ns);
	q = td_proto_bytes(add_sequence(q, 2), PACKET_TRACK_EVENT, m, (size_t)(p - m));
	if (t->interned.len)
		td_proto_add(&interned, PACKET_INTERNED_DATA, t->interned.p, t->interned.len);
	r = td_strbuf_error(&interned);
	if (r == 0)
		r = put_packet(t, head, (size_t)(q - head),
			       (const uint8_t *)td_strbuf_str(&interned), interned.len);
	return r == 0 && e->type == TD_EVENT_SLICE ? put_end(t, e) : r;
}

/* --- all --- */

static int export_perfetto(const struct td_exporter *self, struct td_export *job,
			   struct td_err *err)
{
	_cleanup_(td_export_files_done) struct td_export_files files = { .force = job->force };
	_cleanup_(trace_freep) struct trace_file *t = calloc(1, sizeof(*t));
	_cleanup_fclose_ FILE *f = NULL;
	const struct td_event_sink sink = { t, put_track, put_event };
	struct td_event_counts n;
	int r;

	(void)self;
	if (!t)
		return -ENOMEM;
	r = td_export_open(&files, job->target, &f, err);
	t->f = f;
	if (r == 0)
		r = begin(t, td_events_start(job->db));
	if (r == 0)
		r = td_events_walk(job->db, &sink, &n, err);
	if (r == 0)
		r = flush(t);
	r = td_export_end(&files, &f, r, err);
	if (r == 0)
		r = td_export_name(&files, err);
	return r == 0 ? td_events_note(&job->notes, job->target, &n) : r;
}

const struct td_exporter td_exporter_perfetto = {
	.name = "perfetto",
	.target = "FILE",
	.desc = "a trace for ui.perfetto.dev and trace_processor",
	.run = export_perfetto,
};
