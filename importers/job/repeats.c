/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/array.h"
#include "importers/job/repeats.h"

/* A source with which others are compared. */
struct known {
	uint16_t source_id;
	int64_t text_bytes;
	char *head; /* owned; NULL: it is not known */
	size_t head_len;
	char *path; /* owned; NULL: it cannot be opened again */
};

struct td_repeats {
	const struct td_store *st; /* borrowed */
	struct known *known; /* the unread ones of the database first */
	size_t n, cap, nloaded;
};

int td_readable_open(const struct td_readable *from, struct td_stream **ret, struct td_err *err)
{
	_cleanup_close_ int fd = -1;

	if (from->fd < 0)
		return td_stream_open(from->path, ret, err);
	fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return td_err_errno(err, -errno, "cannot read '%s'", from->path);
	return td_stream_open_fd(&fd, from->path, ret, err);
}

/* --- what is known --- */

void td_repeats_free(struct td_repeats *rp)
{
	if (!rp)
		return;
	for (size_t i = 0; i < rp->n; i++) {
		free(rp->known[i].head);
		free(rp->known[i].path);
	}
	free(rp->known);
	free(rp);
}

static bool was_read(const struct td_source *s)
{
	return s->importer && (s->state == TD_STATE_COMPLETE || s->state == TD_STATE_CUT);
}

/* Of a source that was packed the size is not that of its text: such a one is only found as a whole. */
static int add_loaded(struct td_repeats *rp, uint16_t id, const struct td_source *s)
{
	if (!was_read(s) || s->size_bytes <= 0)
		return 0;
	if (td_grow(&rp->known, &rp->cap, rp->n) < 0)
		return -ENOMEM;
	rp->known[rp->n++] = (struct known){ .source_id = id, .text_bytes = s->size_bytes };
	rp->nloaded++;
	return 0;
}

int td_repeats_new(const struct td_store *st, struct td_repeats **ret)
{
	_cleanup_(td_repeats_freep) struct td_repeats *rp = calloc(1, sizeof(*rp));
	const struct td_contents *has = td_store_contents(st);
	int r = rp ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	rp->st = st;
	for (size_t i = 0; i < has->nsources && r == 0; i++)
		r = add_loaded(rp, (uint16_t)(i + 1), &has->sources[i]);
	if (r == 0)
		*ret = TAKE_PTR(rp);
	return r;
}

int td_repeats_add(struct td_repeats *rp, const char *head, size_t len, int64_t text_bytes,
		   const char *path)
{
	const struct td_contents *has = td_store_contents(rp->st);
	struct known k = { .source_id = (uint16_t)has->nsources,
			   .text_bytes = text_bytes,
			   .head_len = TD_MIN(len, TD_REPEATS_HEAD) };

	if (!len || !was_read(&has->sources[has->nsources - 1]))
		return 0;
	k.head = malloc(k.head_len);
	k.path = path ? strdup(path) : NULL;
	if (!k.head || (path && !k.path) || td_grow(&rp->known, &rp->cap, rp->n) < 0) {
		free(k.head);
		free(k.path);
		return -ENOMEM;
	}
	memcpy(k.head, head, k.head_len);
	rp->known[rp->n++] = k;
	return 0;
}

/* --- comparing --- */

static const struct td_source *source_of(const struct td_repeats *rp, const struct known *k)
{
	return &td_store_contents(rp->st)->sources[k->source_id - 1];
}

/* A source that was found to be the beginning of another one since then is a duplicate, too. */
static bool begins_like(const struct td_repeats *rp, const struct known *k, const char *head,
			size_t len)
{
	return was_read(source_of(rp, k)) &&
	       (!k->head || memcmp(k->head, head, TD_MIN(k->head_len, len)) == 0);
}

bool td_repeats_possible(const struct td_repeats *rp, const char *head, size_t len)
{
	for (size_t i = 0; i < rp->n && len; i++)
		if (begins_like(rp, &rp->known[i], head, len))
			return true;
	return false;
}

/* The text that comes next, if p has been used up: false if there is none. */
static bool next_bytes(struct td_stream *in, const char **p, size_t *len)
{
	struct td_err err;

	return *len || td_stream_bytes(in, p, len, &err) > 0;
}

/* What a is to b; they are read no further than they are the same. */
static enum td_repeat compare_streams(struct td_stream *a, struct td_stream *b)
{
	const char *p = NULL, *q = NULL;
	size_t p_len = 0, q_len = 0;

	for (;;) {
		bool more = next_bytes(a, &p, &p_len), q_more = next_bytes(b, &q, &q_len);
		size_t n = TD_MIN(p_len, q_len);

		if (!more || !q_more)
			return more     ? TD_REPEAT_CONTINUED
			       : q_more ? TD_REPEAT_BEGINNING
					: TD_REPEAT_SAME;
		if (memcmp(p, q, n) != 0)
			return TD_REPEAT_NONE;
		p += n;
		q += n;
		p_len -= n;
		q_len -= n;
	}
}

static enum td_repeat compare_files(const struct td_readable *text, const struct known *k)
{
	const struct td_readable other = { k->path, -1 };
	_cleanup_(td_stream_closep) struct td_stream *a = NULL, *b = NULL;
	struct td_err err;

	if (td_readable_open(text, &a, &err) < 0 || td_readable_open(&other, &b, &err) < 0)
		return TD_REPEAT_NONE;
	return compare_streams(a, b);
}

/* The hash of a text up to here, as sources have it. */
static bool has_hash(const XXH3_state_t *state, const char *hex)
{
	XXH128_canonical_t c;
	char mine[2 * sizeof(c.digest) + 1];

	XXH128_canonicalFromHash(&c, XXH3_128bits_digest(state));
	for (size_t i = 0; i < sizeof(c.digest); i++)
		(void)snprintf(mine + 2 * i, 3, "%02x", c.digest[i]);
	return strcmp(mine, hex) == 0;
}

/* Where the hash of a text is compared with that of a source. */
struct mark {
	int64_t at;
	const struct known *k;
};

static int by_place(const void *a, const void *b)
{
	int64_t x = ((const struct mark *)a)->at, y = ((const struct mark *)b)->at;

	return (x > y) - (x < y);
}

/* Hashes the text, looking up at each of the marks, which are in order. *ret: the last source that it has all of. */
static enum td_repeat compare_hashes(const struct td_repeats *rp, struct td_stream *in,
				     XXH3_state_t *state, const struct mark *marks, size_t n,
				     const struct known **ret)
{
	const char *p = NULL;
	size_t len = 0, i = 0;
	int64_t at = 0, found_at = -1;

	while (next_bytes(in, &p, &len)) {
		size_t step = i < n ? TD_MIN((size_t)(marks[i].at - at), len) : len;

		(void)XXH3_128bits_update(state, p, step);
		p += step;
		len -= step;
		at += (int64_t)step;
		for (; i < n && marks[i].at == at; i++) {
			if (!has_hash(state, source_of(rp, marks[i].k)->hash))
				continue;
			*ret = marks[i].k;
			found_at = at;
		}
	}
	for (i = 0; i < n; i++) { /* those that were packed */
		if (marks[i].k->head || !has_hash(state, source_of(rp, marks[i].k)->hash))
			continue;
		*ret = marks[i].k;
		found_at = at;
	}
	return found_at < 0     ? TD_REPEAT_NONE
	       : found_at == at ? TD_REPEAT_SAME
				: TD_REPEAT_CONTINUED;
}

/* Those that cannot be opened again and can be what the text begins with. */
static struct mark *list_marks(const struct td_repeats *rp, const char *head, size_t len,
			       size_t *ret)
{
	struct mark *marks = malloc((rp->n + 1) * sizeof(*marks));
	size_t n = 0;

	for (size_t i = 0; i < rp->n && marks; i++)
		if (!rp->known[i].path && begins_like(rp, &rp->known[i], head, len))
			marks[n++] = (struct mark){ rp->known[i].text_bytes, &rp->known[i] };
	if (marks)
		qsort(marks, n, sizeof(*marks), by_place);
	*ret = n;
	return marks;
}

static int find_by_hash(const struct td_repeats *rp, const struct td_readable *text,
			const char *head, size_t len, enum td_repeat *ret,
			const struct known **ret_known)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	_cleanup_free_ struct mark *marks = NULL;
	XXH3_state_t *state;
	struct td_err err;
	size_t n;

	marks = list_marks(rp, head, len, &n);
	if (!marks)
		return -ENOMEM;
	if (n == 0 || td_readable_open(text, &in, &err) < 0)
		return 0;
	state = XXH3_createState();
	if (!state)
		return -ENOMEM;
	(void)XXH3_128bits_reset(state);
	*ret = compare_hashes(rp, in, state, marks, n, ret_known);
	(void)XXH3_freeState(state);
	return 0;
}

int td_repeats_find(const struct td_repeats *rp, const struct td_readable *text, const char *head,
		    size_t len, enum td_repeat *ret, uint16_t *ret_source)
{
	enum td_repeat repeat = TD_REPEAT_NONE;
	const struct known *found = NULL;
	int r;

	len = TD_MIN(len, TD_REPEATS_HEAD);
	for (size_t i = 0; i < rp->n && repeat == TD_REPEAT_NONE; i++) {
		found = &rp->known[i];
		if (found->path && begins_like(rp, found, head, len))
			repeat = compare_files(text, found);
	}
	r = repeat == TD_REPEAT_NONE ? find_by_hash(rp, text, head, len, &repeat, &found) : 0;
	if (r == 0 && repeat != TD_REPEAT_NONE)
		*ret_source = found->source_id;
	*ret = repeat;
	return r;
}
