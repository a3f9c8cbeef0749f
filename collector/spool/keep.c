/* SPDX-License-Identifier: MIT */
#include "collector/spool/keep.h"
#include "common/pio.h"
#include "schema/wire.h"

#define BASE_FRAME ((size_t)1024 * 1024) /* of unpacked records */

void td_spool_keep_done(struct td_spool_keep *k)
{
	td_spool_frames_done(&k->recent);
	td_spool_frames_done(&k->base);
	free(k->pending);
}

/* --- records that last --- */

static size_t lasting_size(const char *p, size_t size)
{
	const char *end = p + size;
	size_t n = 0;

	while (p < end) {
		const struct td_wire_head *h = (const struct td_wire_head *)p;

		n += td_spool_is_lasting(h->kind) ? h->size : 0;
		p += h->size;
	}
	return n;
}

/* A copy of them goes with the frame. */
static int copy_lasting(struct td_spool_frame *f, const char *p, size_t size)
{
	const char *end = p + size;
	size_t n = lasting_size(p, size);
	char *to;

	if (n == 0)
		return 0;
	f->lasting = to = malloc(n);
	if (!to)
		return -ENOMEM;
	f->lasting_len = n;
	while (p < end) {
		const struct td_wire_head *h = (const struct td_wire_head *)p;

		if (td_spool_is_lasting(h->kind))
			to = mempcpy(to, p, h->size);
		p += h->size;
	}
	return 0;
}

static int pack_pending(struct td_spool_keep *k)
{
	struct td_spool_frame *f = NULL;
	int r;

	if (k->pending_len == 0)
		return 0;
	r = td_spool_pack(k->packer, k->pending, k->pending_len, &f);
	if (r < 0)
		return r;
	td_spool_frames_add(&k->base, f);
	k->pending_len = 0;
	return 0;
}

static int add_to_base(struct td_spool_keep *k, const struct td_spool_frame *f)
{
	if (f->lasting_len == 0)
		return 0;
	if (k->pending_len + f->lasting_len > k->pending_cap) {
		size_t cap = TD_MAX(k->pending_len + f->lasting_len, 2 * BASE_FRAME);
		char *p = realloc(k->pending, cap);

		if (!p)
			return -ENOMEM;
		k->pending = p;
		k->pending_cap = cap;
	}
	memcpy(k->pending + k->pending_len, f->lasting, f->lasting_len);
	k->pending_len += f->lasting_len;
	return k->pending_len >= BASE_FRAME ? pack_pending(k) : 0;
}

/* --- frames --- */

static size_t held_bytes(const struct td_spool_keep *k)
{
	return k->recent.bytes + k->lasting_bytes + k->base.bytes + k->pending_len;
}

static int drop_oldest(struct td_spool_keep *k)
{
	_cleanup_(td_spool_frame_freep) struct td_spool_frame *f = td_spool_frames_take(&k->recent);

	k->lasting_bytes -= f->lasting_len;
	k->dropped_ns = f->end_ns;
	return add_to_base(k, f);
}

int td_spool_keep_add(struct td_spool_keep *k, struct td_spool_frame *f, const void *records,
		      size_t size)
{
	uint64_t now_ns = f->end_ns;
	int r = copy_lasting(f, records, size);

	td_spool_frames_add(&k->recent, f);
	k->lasting_bytes += f->lasting_len;
	while (r == 0 && k->recent.first != f && k->recent.first->end_ns + k->keep_ns < now_ns)
		r = drop_oldest(k);
	while (r == 0 && k->max_bytes && k->recent.first && held_bytes(k) > k->max_bytes)
		r = drop_oldest(k);
	if (r == 0 && k->max_bytes && held_bytes(k) > k->max_bytes)
		r = pack_pending(k);
	if (r == 0 && k->max_bytes && held_bytes(k) > k->max_bytes)
		r = -EFBIG;
	return r;
}

int td_spool_keep_take(struct td_spool_keep *k, struct td_spool_frame **ret)
{
	int r = pack_pending(k);

	if (r < 0)
		return r;
	*ret = td_spool_frames_take(&k->base);
	if (!*ret)
		*ret = td_spool_frames_take(&k->recent);
	return 0;
}

int td_spool_keep_write(struct td_spool_keep *k, int fd, uint64_t *offset)
{
	const struct td_spool_frames *const parts[] = { &k->base, &k->recent };
	int r = pack_pending(k);

	for (size_t i = 0; i < TD_ARRAY_SIZE(parts); i++) {
		for (const struct td_spool_frame *f = parts[i]->first; r == 0 && f; f = f->next) {
			r = td_write_at(fd, f->data, f->size, *offset);
			*offset += f->size;
		}
	}
	return r;
}
