/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "collector/live.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/status_line.h"
#include "common/units.h"
#include "schema/kinds.h"
#include "schema/wire.h"

#define GPU_TRACK "gpu.sm"

void td_live_init(struct td_live *l, bool on)
{
	*l = (struct td_live){ 0 };
	if (on && td_status_possible())
		l->files = calloc(TD_LIVE_FILES, sizeof(*l->files));
}

void td_live_done(struct td_live *l)
{
	if (!l->files)
		return;
	td_status_erase();
	for (size_t i = 0; i < TD_LIVE_FILES; i++)
		free(l->files[i].path);
	free(l->files);
	l->files = NULL;
}

/* One that is in use keeps its place: who opens thousands of small files beside a large one does not hide it. */
static void look_at_file(struct td_live *l, const struct td_wire_file *f)
{
	struct td_live_file *slot = &l->files[f->file % TD_LIVE_FILES];
	char *path;

	if (f->class != TD_CLASS_REGULAR || (slot->file && (slot->bytes || slot->old_bytes)))
		return;
	path = strndup(f->path, f->path_len);
	if (!path)
		return;
	free(slot->path);
	*slot = (struct td_live_file){ .file = f->file, .path = path };
}

/* Was it asked for bytes, and were some given? Other results are no more than what was asked by chance only. */
static void look_at_call(struct td_live *l, uint32_t file, uint8_t flags, int64_t ret,
			 uint64_t asked_bytes)
{
	struct td_live_file *slot = &l->files[file % TD_LIVE_FILES];

	if (file && slot->file == file && (flags & TD_WIRE_CALL_HAS_ASKED) && ret > 0 &&
	    (uint64_t)ret <= asked_bytes)
		slot->bytes += (uint64_t)ret;
}

static void look_at_track(struct td_live *l, const struct td_wire_track *t)
{
	if (t->device_kind == TD_DEVICE_GPU && !t->pid && t->name_len == strlen(GPU_TRACK) &&
	    memcmp(t->text, GPU_TRACK, t->name_len) == 0 && l->ngpus < TD_LIVE_GPUS)
		l->gpus[l->ngpus++] = t->track;
}

static void look_at_sample(struct td_live *l, const struct td_wire_sample *s)
{
	for (unsigned i = 0; i < l->ngpus; i++)
		if (l->gpus[i] == s->track && !isnan(s->value)) {
			l->gpu_sum += s->value;
			l->gpu_samples++;
		}
}

static void look_at(struct td_live *l, const struct td_wire_head *h)
{
	const struct td_wire_call_io *io = (const struct td_wire_call_io *)h;
	const struct td_wire_call_wide *wide = (const struct td_wire_call_wide *)h;

	switch (h->kind) {
	case TD_WIRE_FILE:
		look_at_file(l, (const struct td_wire_file *)h);
		break;
	case TD_WIRE_CALL_IO:
		look_at_call(l, io->file, h->flags, io->ret, io->asked_bytes);
		break;
	case TD_WIRE_CALL_WIDE:
		look_at_call(l, wide->call.file, h->flags, wide->call.ret, wide->asked_bytes);
		break;
	case TD_WIRE_TRACK:
		look_at_track(l, (const struct td_wire_track *)h);
		break;
	case TD_WIRE_SAMPLE:
		look_at_sample(l, (const struct td_wire_sample *)h);
		break;
	default:
		break;
	}
}

void td_live_look(struct td_live *l, const void *records, size_t size)
{
	const char *p = records, *end = p + TD_MIN(size, TD_LIVE_LOOK_BYTES);

	for (; l->files && p < end; p += ((const struct td_wire_head *)p)->size)
		look_at(l, (const struct td_wire_head *)p);
}

/* The one with the most bytes; NULL: none has any. Begins to count anew. */
static const char *take_busiest(struct td_live *l)
{
	struct td_live_file *best = NULL;

	for (struct td_live_file *f = l->files; f < l->files + TD_LIVE_FILES; f++) {
		if (f->bytes && (!best || f->bytes > best->old_bytes))
			best = f;
		f->old_bytes = f->bytes;
		f->bytes = 0;
	}
	return best ? best->path : NULL;
}

/* A name may hold what a terminal takes as a command. */
static void add_file(struct td_strbuf *b, const char *path)
{
	td_strbuf_adds(b, ", busiest file ");
	td_printable(b, path, strlen(path));
}

void td_live_format(struct td_live *l, char *buf, size_t size, uint64_t begin_ns, uint64_t now_ns,
		    uint64_t events, uint64_t lost)
{
	uint64_t dur_ns = TD_MAX(now_ns - TD_MAX(l->time_ns, begin_ns), UINT64_C(1));
	double rate = (double)(events - l->events) * 1e9 / (double)dur_ns;
	char since[TD_UNITS_BUF], per_s[TD_UNITS_BUF], missing[TD_UNITS_BUF];
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	const char *busiest = take_busiest(l);

	td_format_dur(since, sizeof(since), (int64_t)((now_ns - begin_ns) / TD_SEC_NS * TD_SEC_NS));
	td_format_count(per_s, sizeof(per_s), (int64_t)rate);
	td_format_count(missing, sizeof(missing), (int64_t)lost);
	td_strbuf_addf(&b, "recording %s: %s events/s, %s lost", since, per_s,
		       lost ? missing : "none");
	if (l->gpu_samples)
		td_strbuf_addf(&b, ", GPU %.0f %%", l->gpu_sum / l->gpu_samples);
	if (busiest)
		add_file(&b, busiest);
	(void)snprintf(buf, size, "%s", td_strbuf_str(&b));
	l->time_ns = now_ns;
	l->events = events;
	l->gpu_sum = 0;
	l->gpu_samples = 0;
}

void td_live_show(struct td_live *l, uint64_t begin_ns, uint64_t now_ns, uint64_t events,
		  uint64_t lost)
{
	char text[512];

	if (!l->files)
		return;
	td_live_format(l, text, sizeof(text), begin_ns, now_ns, events, lost);
	td_status_show(text);
}
