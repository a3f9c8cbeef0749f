/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h> /* the same functions with the widest vectors that the CPU has */
#endif

#include "common/array.h"
#include "common/beginnings.h"
#include "common/hash_hex.h"

#define STEP_MIN 64
#define STEP_PART 32

struct td_beginnings {
	XXH3_state_t *state;
	int64_t bytes, next; /* where the next hash is taken */
	char *text;
	size_t len, cap;
	bool failed;
};

struct td_beginnings *td_beginnings_new(void)
{
	_cleanup_(td_beginnings_freep) struct td_beginnings *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->state = XXH3_createState();
	if (!b->state)
		return NULL;
	(void)XXH3_128bits_reset(b->state);
	b->next = STEP_MIN;
	return TAKE_PTR(b);
}

void td_beginnings_free(struct td_beginnings *b)
{
	if (!b)
		return;
	(void)XXH3_freeState(b->state);
	free(b->text);
	free(b);
}

static int64_t step_from(int64_t place)
{
	return TD_MAX(place / STEP_PART, (int64_t)STEP_MIN);
}

static void take(struct td_beginnings *b)
{
	while (b->cap < b->len + TD_BEGINNINGS_DIGITS + 1 && !b->failed)
		b->failed = td_grow(&b->text, &b->cap, b->cap) < 0;
	if (b->failed)
		return;
	td_hex_digits(XXH3_128bits_digest(b->state).low64, b->text + b->len, TD_BEGINNINGS_DIGITS);
	b->len += TD_BEGINNINGS_DIGITS;
	b->text[b->len] = '\0';
}

void td_beginnings_update(struct td_beginnings *b, const char *p, size_t len)
{
	while (len) {
		size_t n = (size_t)TD_MIN((int64_t)len, b->next - b->bytes);

		(void)XXH3_128bits_update(b->state, p, n);
		p += n;
		len -= n;
		b->bytes += (int64_t)n;
		if (b->bytes != b->next)
			continue;
		take(b);
		b->next += step_from(b->next);
	}
}

int64_t td_beginnings_bytes(const struct td_beginnings *b)
{
	return b->bytes;
}

void td_beginnings_hash(const struct td_beginnings *b, char ret_hex[33])
{
	td_hash_hex(XXH3_128bits_digest(b->state), ret_hex);
}

const char *td_beginnings_text(const struct td_beginnings *b)
{
	return b->failed ? NULL : b->text ? b->text : "";
}

int64_t td_beginnings_place(size_t n)
{
	int64_t place = 0;

	while (n--)
		place += step_from(place);
	return place;
}
