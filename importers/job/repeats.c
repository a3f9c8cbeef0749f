/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/array.h"
#include "common/beginnings.h"
#include "importers/job/repeats.h"

/* Hashes of the first bytes of a text: 256, 512, ... of them, as far as it has so many. Texts with
 * the same heading, of which there may be thousands, are told apart without a look at them. */
#define PRINT_BYTES 256
#define PRINTS_MAX (TD_REPEATS_HEAD / PRINT_BYTES)

struct prints {
	uint32_t n, of[PRINTS_MAX];
};

/* A source with which others are compared. */
struct known {
	uint16_t source_id;
	int64_t text_bytes;
	char *head; /* owned; NULL: it is not known */
	size_t head_len;
	uint64_t start; /* hash_start() of it */
	struct prints prints; /* of it */
	char *path; /* owned; NULL: it cannot be opened again */
	const char
		*beginnings; /* the store's, until the source is forgotten; "" if there are none */
	size_t nbeginnings;
	uint32_t next; /* place of the next one of its chain, from 1; 0: none */
};

/* Known ones in their order: places from 1. */
struct chain {
	uint32_t first, last;
};

/* Logs of one program have the same heading; of many small ones this tells most apart. */
#define START_BYTES 512

struct td_repeats {
	const struct td_store *st; /* borrowed */
	struct known *known; /* the unread ones of the database first */
	size_t n, cap;
	struct chain *starts; /* owned; by a hash of the start */
	size_t nstarts; /* a power of two */
	struct chain others; /* whose start is not known */
	bool headless; /* of some the head is not known */
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
	free(rp->starts);
	free(rp);
}

/* Of the first bytes; 0: it has fewer. */
static uint64_t hash_start(const char *head, size_t len)
{
	return len < START_BYTES ? 0 : XXH3_64bits(head, START_BYTES) | 1;
}

static struct prints prints_of(const char *head, size_t len)
{
	struct prints p = { .n = 0 };
	uint64_t hash = 0;

	for (; p.n < PRINTS_MAX && (p.n + 1) * PRINT_BYTES <= len; p.n++) {
		hash = XXH3_64bits_withSeed(head + p.n * PRINT_BYTES, PRINT_BYTES, hash);
		p.of[p.n] = (uint32_t)hash;
	}
	return p;
}

/* Only by what both have. */
static bool same_prints(const struct prints *a, const struct prints *b)
{
	uint32_t n = TD_MIN(a->n, b->n);

	return n == 0 || a->of[n - 1] == b->of[n - 1];
}

/* Only where there is room for one. */
static struct chain *chain_of_start(const struct td_repeats *rp, uint64_t start)
{
	return &rp->starts[(start >> 32) & (rp->nstarts - 1)];
}

static void link_last(struct td_repeats *rp, size_t i)
{
	uint64_t start = rp->known[i].start;
	struct chain *c = start ? chain_of_start(rp, start) : &rp->others;

	rp->known[i].next = 0;
	if (c->last)
		rp->known[c->last - 1].next = (uint32_t)i + 1;
	else
		c->first = (uint32_t)i + 1;
	c->last = (uint32_t)i + 1;
}

/* Room for one more, and for as many chains as there are known ones. */
static int make_room(struct td_repeats *rp)
{
	size_t n = rp->nstarts ? rp->nstarts * 2 : 64;
	struct chain *starts;

	if (td_grow(&rp->known, &rp->cap, rp->n) < 0)
		return -ENOMEM;
	if (rp->n < rp->nstarts)
		return 0;
	starts = calloc(n, sizeof(*starts));
	if (!starts)
		return -ENOMEM;
	free(rp->starts);
	rp->starts = starts;
	rp->nstarts = n;
	rp->others = (struct chain){ 0 };
	for (size_t i = 0; i < rp->n; i++)
		link_last(rp, i);
	return 0;
}

static void add_known(struct td_repeats *rp, const struct known *k)
{
	rp->known[rp->n] = *k;
	rp->known[rp->n++].nbeginnings = strlen(k->beginnings) / TD_BEGINNINGS_DIGITS;
	link_last(rp, rp->n - 1);
}

static bool was_read(const struct td_source *s)
{
	return s->importer && (s->state == TD_STATE_COMPLETE || s->state == TD_STATE_CUT);
}

static int add_loaded(struct td_repeats *rp, uint16_t id, const struct td_source_text *text)
{
	const struct td_source *s = &td_store_contents(rp->st)->sources[id - 1];
	struct known k = { .source_id = id,
			   .text_bytes = text ? text->bytes : s->size_bytes,
			   .beginnings = text ? text->beginnings : "" };

	if (!was_read(s) || k.text_bytes <= 0)
		return 0;
	if (make_room(rp) < 0)
		return -ENOMEM;
	add_known(rp, &k);
	rp->headless = true;
	return 0;
}

int td_repeats_new(const struct td_store *st, struct td_repeats **ret)
{
	_cleanup_(td_repeats_freep) struct td_repeats *rp = calloc(1, sizeof(*rp));
	const struct td_contents *has = td_store_contents(st);
	_cleanup_free_ const struct td_source_text **texts = /* by source */
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
		calloc(has->nsources + 1, sizeof(*texts));
	int r = rp && texts ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	rp->st = st;
	for (size_t i = 0; i < has->nsource_texts; i++)
		texts[has->source_texts[i].source_id] = &has->source_texts[i];
	for (size_t i = 0; i < has->nsources && r == 0; i++)
		r = add_loaded(rp, (uint16_t)(i + 1), texts[i + 1]);
	if (r == 0)
		*ret = TAKE_PTR(rp);
	return r;
}

static const char *newest_beginnings(const struct td_contents *has)
{
	const struct td_source_text *text =
		has->nsource_texts ? &has->source_texts[has->nsource_texts - 1] : NULL;

	return text && text->source_id == has->nsources ? text->beginnings : "";
}

int td_repeats_add(struct td_repeats *rp, const char *head, size_t len, int64_t text_bytes,
		   const char *path)
{
	const struct td_contents *has = td_store_contents(rp->st);
	struct known k = { .source_id = (uint16_t)has->nsources,
			   .text_bytes = text_bytes,
			   .head_len = TD_MIN(len, TD_REPEATS_HEAD),
			   .start = hash_start(head, len),
			   .prints = prints_of(head, len),
			   .beginnings = newest_beginnings(has) };

	if (!len || !was_read(&has->sources[has->nsources - 1]))
		return 0;
	k.head = malloc(k.head_len);
	k.path = path ? strdup(path) : NULL;
	if (!k.head || (path && !k.path) || make_room(rp) < 0) {
		free(k.head);
		free(k.path);
		return -ENOMEM;
	}
	memcpy(k.head, head, k.head_len);
	add_known(rp, &k);
	return 0;
}

/* --- comparing --- */

static const struct td_source *source_of(const struct td_repeats *rp, const struct known *k)
{
	return &td_store_contents(rp->st)->sources[k->source_id - 1];
}

/* What a text begins with. */
struct head {
	const char *p;
	size_t len;
	uint64_t start;
	struct prints prints;
	/* owned, of more than the head if that is known; NULL: not asked for */
	struct td_beginnings *beginnings;
};

static void head_done(struct head *h)
{
	td_beginnings_free(h->beginnings);
}

static int head_init(const struct td_repeats *rp, struct head *h, const char *p, size_t len)
{
	*h = (struct head){
		.p = p,
		.len = TD_MIN(len, TD_REPEATS_HEAD),
		.start = hash_start(p, len),
		.prints = prints_of(p, len),
	};
	if (!rp->headless)
		return 0;
	h->beginnings = td_beginnings_new();
	if (!h->beginnings)
		return -ENOMEM;
	td_beginnings_update(h->beginnings, h->p, h->len);
	return 0;
}

/* Are the beginnings the same that both tell of? */
static bool same_beginnings(const char *a, const char *b)
{
	size_t n = TD_MIN(strlen(a), strlen(b));

	return memcmp(a, b, n) == 0;
}

static const char *beginnings_of(const struct td_beginnings *b)
{
	const char *text = td_beginnings_text(b);

	return text ? text : "";
}

/* By the hash of the longest beginning that both tell of. */
static bool surely_differs(const struct known *k, const struct td_beginnings *text)
{
	const char *mine = beginnings_of(text);
	size_t n = TD_MIN(k->nbeginnings, strlen(mine) / TD_BEGINNINGS_DIGITS);
	size_t at = (n - 1) * TD_BEGINNINGS_DIGITS;

	return n && memcmp(k->beginnings + at, mine + at, TD_BEGINNINGS_DIGITS) != 0;
}

/* A source that was found to be the beginning of another one since then is a duplicate, too. */
static bool begins_like(const struct td_repeats *rp, const struct known *k, const struct head *h)
{
	if ((k->start && h->start && k->start != h->start) ||
	    !same_prints(&k->prints, &h->prints) || !was_read(source_of(rp, k)) ||
	    (h->beginnings && surely_differs(k, h->beginnings)))
		return false;
	return k->head ? memcmp(k->head, h->p, TD_MIN(k->head_len, h->len)) == 0
		       : same_beginnings(k->beginnings, beginnings_of(h->beginnings));
}

/* The known ones that begin like a text, in their order. */
struct alike {
	const struct td_repeats *rp;
	const struct head *head;
	uint32_t started,
		other; /* places of the next ones of the two chains in which they are ... */
	size_t any; /* ... or, of a text so short that it can be the begin of any, the next one */
};

static struct alike alike_begin(const struct td_repeats *rp, const struct head *h)
{
	struct alike a = { .rp = rp, .head = h, .other = rp->others.first };

	if (h->start && rp->nstarts)
		a.started = chain_of_start(rp, h->start)->first;
	return a;
}

static const struct known *next_candidate(struct alike *a)
{
	uint32_t *from =
		a->started && (!a->other || a->started < a->other) ? &a->started : &a->other;
	const struct known *k;

	if (!a->head->start)
		return a->any < a->rp->n ? &a->rp->known[a->any++] : NULL;
	if (!*from)
		return NULL;
	k = &a->rp->known[*from - 1];
	*from = k->next;
	return k;
}

/* NULL: there are no more. */
static const struct known *alike_next(struct alike *a)
{
	const struct known *k;

	while ((k = next_candidate(a)) && !begins_like(a->rp, k, a->head))
		;
	return k;
}

int td_repeats_possible(const struct td_repeats *rp, const char *head, size_t len)
{
	_cleanup_(head_done) struct head h = { 0 };
	int r = head_init(rp, &h, head, len);
	struct alike a = alike_begin(rp, &h);

	return r < 0 || !len ? r : alike_next(&a) != NULL;
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

/* Is the hash of a text up to here that of the source? */
static bool has_hash(const struct td_repeats *rp, const struct td_beginnings *text,
		     const struct known *k)
{
	char mine[33];

	td_beginnings_hash(text, mine);
	return strcmp(mine, source_of(rp, k)->hash) == 0;
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
				     struct td_beginnings *text, const struct mark *marks, size_t n,
				     const struct known **ret)
{
	const char *p = NULL;
	size_t len = 0, i = 0;
	int64_t at = 0, found_at = -1;

	while (next_bytes(in, &p, &len)) {
		size_t step = i < n ? (size_t)TD_MIN(marks[i].at - at, (int64_t)len) : len;

		td_beginnings_update(text, p, step);
		p += step;
		len -= step;
		at += (int64_t)step;
		for (; i < n && marks[i].at == at; i++) {
			if (!has_hash(rp, text, marks[i].k))
				continue;
			*ret = marks[i].k;
			found_at = at;
		}
	}
	return found_at < 0     ? TD_REPEAT_NONE
	       : found_at == at ? TD_REPEAT_SAME
				: TD_REPEAT_CONTINUED;
}

/* A source that begins with the text and goes on, as far as hashes tell: of it all but *ret_uncompared bytes. */
static const struct known *find_longer(const struct mark *marks, size_t n,
				       const struct td_beginnings *text, int64_t *ret_uncompared)
{
	const char *mine = beginnings_of(text);
	int64_t bytes = td_beginnings_bytes(text);
	size_t len = strlen(mine);

	for (size_t i = 0; i < n; i++) {
		const struct known *k = marks[i].k;
		bool in_head = k->head && (int64_t)k->head_len >= bytes;

		if (marks[i].at <= bytes ||
		    (!in_head && (!len || strncmp(k->beginnings, mine, len) != 0)))
			continue;
		*ret_uncompared =
			in_head ? 0 : bytes - td_beginnings_place(len / TD_BEGINNINGS_DIGITS);
		return k;
	}
	return NULL;
}

/* Those that cannot be opened again and begin like the text. */
static struct mark *list_marks(const struct td_repeats *rp, const struct head *h, size_t *ret)
{
	struct mark *marks = malloc((rp->n + 1) * sizeof(*marks));
	struct alike a = alike_begin(rp, h);
	const struct known *k;
	size_t n = 0;

	while (marks && (k = alike_next(&a)))
		if (!k->path)
			marks[n++] = (struct mark){ k->text_bytes, k };
	if (marks)
		qsort(marks, n, sizeof(*marks), by_place);
	*ret = n;
	return marks;
}

static int find_by_hash(const struct td_repeats *rp, const struct td_readable *from,
			const struct head *h, struct td_repeat_of *ret)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	_cleanup_(td_beginnings_freep) struct td_beginnings *text = NULL;
	_cleanup_free_ struct mark *marks = NULL;
	const struct known *found = NULL;
	struct td_err err;
	size_t n;

	marks = list_marks(rp, h, &n);
	if (!marks)
		return -ENOMEM;
	if (n == 0 || td_readable_open(from, &in, &err) < 0)
		return 0;
	text = td_beginnings_new();
	if (!text)
		return -ENOMEM;
	ret->what = compare_hashes(rp, in, text, marks, n, &found);
	if (!found) {
		found = find_longer(marks, n, text, &ret->uncompared_bytes);
		ret->what = found ? TD_REPEAT_BEGINNING : TD_REPEAT_NONE;
	}
	ret->source_id = found ? found->source_id : 0;
	return 0;
}

void td_repeats_find_newest(const struct td_repeats *rp, struct td_repeat_of *ret)
{
	const struct td_contents *has = td_store_contents(rp->st);
	const struct td_source *s = &has->sources[has->nsources - 1];
	const char *mine = newest_beginnings(has);
	size_t len = strlen(mine);
	int64_t bytes = len ? has->source_texts[has->nsource_texts - 1].bytes : 0;

	*ret = (struct td_repeat_of){ .what = TD_REPEAT_NONE };
	for (size_t i = 0; i < rp->n && len && was_read(s) && ret->what == TD_REPEAT_NONE; i++) {
		const struct known *k = &rp->known[i];

		if (!was_read(source_of(rp, k)))
			continue;
		ret->source_id = k->source_id;
		if (strcmp(source_of(rp, k)->hash, s->hash) == 0) {
			ret->what = TD_REPEAT_SAME;
		} else if (k->text_bytes > bytes && strncmp(k->beginnings, mine, len) == 0) {
			ret->what = TD_REPEAT_BEGINNING;
			ret->uncompared_bytes =
				bytes - td_beginnings_place(len / TD_BEGINNINGS_DIGITS);
		}
	}
}

/* Many may have the same head, as all of one program's databases have: a look at each of them would take longer than to
 * read them. */
#define LOOK_BYTES ((int64_t)256 * 1024)

static int look_further(const struct td_readable *from, struct head *h)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	const char *p = NULL;
	size_t len = 0;
	struct td_err err;

	if (td_readable_open(from, &in, &err) < 0)
		return 0;
	td_beginnings_free(h->beginnings);
	h->beginnings = td_beginnings_new();
	if (!h->beginnings)
		return -ENOMEM;
	for (; td_beginnings_bytes(h->beginnings) < LOOK_BYTES && next_bytes(in, &p, &len); len = 0)
		td_beginnings_update(h->beginnings, p, len);
	return 0;
}

int td_repeats_find(const struct td_repeats *rp, const struct td_readable *text, const char *head,
		    size_t len, struct td_repeat_of *ret)
{
	_cleanup_(head_done) struct head h = { 0 };
	int r = head_init(rp, &h, head, len);
	struct alike a = alike_begin(rp, &h);
	const struct known *k;

	*ret = (struct td_repeat_of){ .what = TD_REPEAT_NONE };
	if (r == 0)
		r = look_further(text, &h);
	while (r == 0 && ret->what == TD_REPEAT_NONE && (k = alike_next(&a))) {
		if (!k->path)
			continue;
		ret->what = compare_files(text, k);
		ret->source_id = k->source_id;
	}
	return r == 0 && ret->what == TD_REPEAT_NONE ? find_by_hash(rp, text, &h, ret) : r;
}
