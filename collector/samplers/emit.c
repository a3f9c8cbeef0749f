/* SPDX-License-Identifier: MIT */
#include "collector/samplers/emit.h"
#include "common/cleanup.h"

#include <stdarg.h>

#define NOTE_MAX 1024

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* What the head of a record of that size holds. */
static struct td_wire_head head_of(enum td_wire_kind kind, size_t size)
{
	return (struct td_wire_head){ .size = (uint16_t)size, .kind = (uint8_t)kind };
}

int td_emit_track(struct td_emit *e, const struct td_emit_track *track, uint32_t *ret_track)
{
	const char *device = track->device ? track->device : "";
	union {
		struct td_wire_track track;
		char bytes[sizeof(struct td_wire_track) + 3 * UINT8_MAX + 8];
	} buf = { .bytes = { 0 } };
	struct td_wire_track *t = &buf.track;
	char *text = buf.bytes + offsetof(struct td_wire_track, text);
	int r;

	t->track = e->ntracks + 1;
	t->device_kind = track->device_kind;
	t->device_number = track->device_number;
	t->pid = (uint32_t)track->pid;
	t->name_len = (uint8_t)strnlen(track->name, UINT8_MAX);
	t->unit_len = (uint8_t)strnlen(track->unit, UINT8_MAX);
	t->device_len = (uint8_t)strnlen(device, UINT8_MAX);
	text = mempcpy(text, track->name, t->name_len);
	text = mempcpy(text, track->unit, t->unit_len);
	text = mempcpy(text, device, t->device_len);
	t->head = head_of(TD_WIRE_TRACK, padded((size_t)(text - buf.bytes)));
	r = e->sink(e->arg, t, t->head.size);
	if (r < 0)
		return r;
	*ret_track = ++e->ntracks;
	return 0;
}

int td_emit_sample(struct td_emit *e, uint32_t track, uint64_t time_ns, uint64_t dur_ns,
		   double value)
{
	struct td_wire_sample s = {
		.head = head_of(TD_WIRE_SAMPLE, sizeof(s)),
		.time_ns = time_ns,
		.dur_ns = dur_ns,
		.value = value,
		.track = track,
	};

	return e->sink(e->arg, &s, sizeof(s));
}

int td_emit_summary(struct td_emit *e, const struct td_emit_summary *summary)
{
	union {
		struct td_wire_summary summary;
		char bytes[sizeof(struct td_wire_summary) + 3 * UINT8_MAX + 8];
	} buf = { .bytes = { 0 } };
	struct td_wire_summary *s = &buf.summary;
	char *text = buf.bytes + offsetof(struct td_wire_summary, text);

	s->low = summary->low;
	s->high = summary->high;
	s->value = summary->value;
	s->name_len = (uint8_t)strnlen(summary->name, UINT8_MAX);
	s->key_len = (uint8_t)strnlen(summary->key, UINT8_MAX);
	s->unit_len = (uint8_t)strnlen(summary->unit, UINT8_MAX);
	text = mempcpy(text, summary->name, s->name_len);
	text = mempcpy(text, summary->key, s->key_len);
	text = mempcpy(text, summary->unit, s->unit_len);
	s->head = head_of(TD_WIRE_SUMMARY, padded((size_t)(text - buf.bytes)));
	return e->sink(e->arg, s, s->head.size);
}

int td_emit_process(struct td_emit *e, const struct td_proc *proc)
{
	union {
		struct td_wire_process process;
		char bytes[sizeof(struct td_wire_process) + sizeof(proc->comm) +
			   sizeof(proc->args) + 8];
	} buf = { .bytes = { 0 } };
	struct td_wire_process *p = &buf.process;
	char *text = buf.bytes + offsetof(struct td_wire_process, text);

	p->time_ns = proc->start_ns;
	p->parent_pid = (uint32_t)proc->parent;
	p->uid = proc->uid;
	p->comm_len = (uint16_t)strlen(proc->comm);
	p->args_len = (uint16_t)strlen(proc->args);
	text = mempcpy(text, proc->comm, p->comm_len);
	text = mempcpy(text, proc->args, p->args_len);
	p->head = head_of(TD_WIRE_PROCESS, padded((size_t)(text - buf.bytes)));
	p->head.flags = TD_WIRE_PROCESS_FOUND;
	p->head.tid = (uint32_t)proc->pid;
	return e->sink(e->arg, p, p->head.size);
}

int td_emit_note(struct td_emit *e, const char *kind, const char *fmt, ...)
{
	union {
		struct td_wire_note note;
		char bytes[sizeof(struct td_wire_note) + 64 + NOTE_MAX];
	} buf = { .bytes = { 0 } };
	struct td_wire_note *n = &buf.note;
	char *text = buf.bytes + offsetof(struct td_wire_note, text);
	va_list ap;
	int len;

	n->kind_len = (uint16_t)strnlen(kind, 64);
	text = mempcpy(text, kind, n->kind_len);
	va_start(ap, fmt);
	len = vsnprintf(text, NOTE_MAX, fmt, ap);
	va_end(ap);
	/* short of the end by what it takes to be a multiple of 8 */
	n->text_len = (uint16_t)TD_MIN((size_t)TD_MAX(len, 0), (size_t)NOTE_MAX - 8);
	memset(text + n->text_len, 0, 8);
	n->head = head_of(TD_WIRE_NOTE, padded(sizeof(*n) + n->kind_len + n->text_len));
	return e->sink(e->arg, n, n->head.size);
}
