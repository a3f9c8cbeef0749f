/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/cuda/ring_write.h"
#include "collector/cuda/teller.h"

struct td_teller td_teller = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void forget_in_child(void)
{
	(void)pthread_mutex_init(&td_teller.lock, NULL);
	if (td_teller.ring)
		td_ring_unmap(td_teller.ring);
	td_teller.ring = NULL; /* CUDA does not work in a child, so there is nothing to record */
}

static void begin(void)
{
	const char *dir = getenv(TD_CUDA_DIR);

	if (!dir)
		return;
	td_teller.ring = td_ring_create(dir);
	if (td_teller.ring)
		(void)pthread_atfork(NULL, NULL, forget_in_child);
}

bool td_teller_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, begin);
	return td_teller.ring != NULL;
}

uint64_t td_teller_clock_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

bool td_tell(void *record, enum td_wire_kind kind, size_t size)
{
	struct td_wire_head *h = record;

	h->kind = (uint8_t)kind;
	h->size = (uint16_t)size;
	return td_ring_put(td_teller.ring, record, size);
}

void td_tell_note(const char *kind, const char *fmt, ...)
{
	union {
		struct td_wire_note note;
		char bytes[sizeof(struct td_wire_note) + 1024];
	} b = { .bytes = { 0 } };
	size_t len = strlen(kind);
	char *text = b.bytes + offsetof(struct td_wire_note, text);
	va_list ap;

	memcpy(text, kind, len);
	va_start(ap, fmt);
	(void)vsnprintf(text + len, 900, fmt, ap);
	va_end(ap);
	b.note.kind_len = (uint16_t)len;
	b.note.text_len = (uint16_t)strlen(text + len);
	(void)pthread_mutex_lock(&td_teller.lock);
	if (td_teller.ring)
		(void)td_tell(&b, TD_WIRE_NOTE, padded(sizeof(b.note) + len + b.note.text_len));
	(void)pthread_mutex_unlock(&td_teller.lock);
}

uint32_t td_tell_name(const char *name, size_t len)
{
	union {
		struct td_wire_gpu_name name;
		char bytes[sizeof(struct td_wire_gpu_name) + TD_NAME_MAX + 8];
	} b;
	size_t at = offsetof(struct td_wire_gpu_name, text);

	if (len > TD_NAME_MAX)
		len = TD_NAME_MAX;
	memset(&b.name, 0, sizeof(b.name));
	memset(b.bytes + at + len, 0, 8);
	memcpy(b.bytes + at, name, len);
	b.name.head.tid = td_teller.ring->pid;
	b.name.name = td_teller.names + 1;
	b.name.name_len = (uint32_t)len;
	return td_tell(&b, TD_WIRE_GPU_NAME, padded(at + len)) ? ++td_teller.names : 0;
}
