/* SPDX-License-Identifier: MIT */
/* What processes did with segments of shared memory: shm_stat. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array.h"
#include "common/keys.h"
#include "schema/ops.h"
#include "schema/stat_math.h"
#include "store/derive/derivation.h"
#include "store/write/row_builder.h"

/* One row for so many calls, but always so many, and never more than that. */
#define CALLS_EACH 64
#define BUDGET_MIN ((size_t)1000)
#define BUDGET_MAX ((size_t)1 << 16)

/* What calls of an operation do. */
enum { ALLOCATES = 1, TRUNCATES = 2, MAPS = 4, WRITES = 8, READS = 16 };

struct row {
	int64_t sized_bytes, sized_ns; /* TD_NULL: no call did that; likewise all but the last */
	int64_t map_bytes, mapped_bytes, mapped_ns;
	int64_t write_bytes, read_bytes;
	int64_t first_ns;
};

struct td_shm {
	uint8_t *ops; /* owned; by operation: what it does */
	uint64_t *segments; /* owned; a bit for each file; NULL: none is one */
	struct td_keys keys; /* file and process; run parallel to rows */
	struct row *rows; /* owned */
	size_t cap, budget;
	bool given_up; /* there were too many */
};

static int make(const char *spill_path, void **ret)
{
	*ret = calloc(1, sizeof(struct td_shm));
	return *ret ? 0 : -ENOMEM;
}

static void free_all(void *ud)
{
	struct td_shm *s = ud;

	if (!s)
		return;
	free(s->ops);
	free(s->segments);
	td_keys_done(&s->keys);
	free(s->rows);
	free(s);
}

/* Rows that there are at most; without it, it is a share of the calls. */
static void set_budget(void *ud, size_t budget)
{
	struct td_shm *s = ud;

	s->budget = budget;
}

static uint8_t what_op_does(const struct td_op *op)
{
	static const struct {
		const char *verb;
		uint8_t does;
	} verbs[] = { { "map", MAPS }, { "write", WRITES }, { "read", READS } };

	if (strcmp(op->name, "fallocate") == 0 || strcmp(op->name, "posix_fallocate") == 0)
		return ALLOCATES;
	if (strncasecmp(op->name, "ftruncate", strlen("ftruncate")) == 0)
		return TRUNCATES;
	for (size_t i = 0; i < TD_ARRAY_SIZE(verbs); i++)
		if (strcmp(op->info->verb, verbs[i].verb) == 0)
			return verbs[i].does;
	return 0;
}

static int find_segments(struct td_shm *s, const struct td_contents *in)
{
	for (size_t id = 1; id <= in->nfiles; id++) {
		if (in->files[id - 1].class != TD_CLASS_SHM &&
		    in->files[id - 1].class != TD_CLASS_MEMFD)
			continue;
		if (!s->segments)
			s->segments = calloc(in->nfiles / 64 + 1, sizeof(*s->segments));
		if (!s->segments)
			return -ENOMEM;
		s->segments[id / 64] |= UINT64_C(1) << id % 64;
	}
	return 0;
}

static int begin(void *ud, struct td_store *st)
{
	struct td_shm *s = ud;
	const struct td_contents *in = td_store_contents(st);
	uint64_t calls = td_stage_count(td_store_stage(st, TD_KIND_CALL));

	if (!s->budget)
		s->budget = TD_MAX(TD_MIN(calls / CALLS_EACH, BUDGET_MAX), BUDGET_MIN);
	s->ops = calloc(in->nops + 1, sizeof(*s->ops));
	if (!s->ops)
		return -ENOMEM;
	for (size_t op = 0; op < in->nops; op++)
		s->ops[op + 1] = what_op_does(&in->ops[op]);
	return find_segments(s, in);
}

/* Calls come in order of time. */
static void keep_first(int64_t *first_ns, int64_t start_ns)
{
	if (*first_ns == TD_NULL)
		*first_ns = start_ns;
}

/* TD_NULL is the smallest number. */
static void keep_most(int64_t *most, int64_t bytes)
{
	*most = TD_MAX(*most, bytes);
}

static int64_t size_given(uint8_t does, const struct td_call *c)
{
	if (does & TRUNCATES)
		return c->asked_bytes == TD_NULL ? c->offset_bytes : c->asked_bytes;
	return c->asked_bytes == TD_NULL ? TD_NULL : td_plus_known(c->offset_bytes, c->asked_bytes);
}

static void add(struct row *to, uint8_t does, const struct td_call *c)
{
	if (does & (ALLOCATES | TRUNCATES)) {
		keep_first(&to->sized_ns, c->start_ns);
		keep_most(&to->sized_bytes, size_given(does, c));
	}
	if (does & MAPS) {
		keep_first(&to->mapped_ns, c->start_ns);
		keep_most(&to->map_bytes, c->asked_bytes);
		to->mapped_bytes = td_plus_known(to->mapped_bytes, c->asked_bytes);
	}
	if (does & WRITES)
		to->write_bytes = td_plus_known(to->write_bytes, c->done_bytes);
	if (does & READS)
		to->read_bytes = td_plus_known(to->read_bytes, c->done_bytes);
}

/* There is room for a key. */
static int add_call(struct td_shm *s, const struct td_call *c)
{
	size_t n = s->keys.n,
	       at = td_keys_add(&s->keys, (struct td_key){ c->file_id, c->process_id });

	if (at == n) {
		s->given_up = n == s->budget;
		if (s->given_up)
			return 0;
		if (td_grow(&s->rows, &s->cap, n) < 0)
			return -ENOMEM;
		s->rows[at] = (struct row){ TD_NULL, TD_NULL, TD_NULL, TD_NULL,
					    TD_NULL, TD_NULL, TD_NULL, c->start_ns };
	}
	add(&s->rows[at], s->ops[c->op_id], c);
	return 0;
}

static int add_calls(void *ud, struct td_row_batch *b)
{
	struct td_shm *s = ud;
	const struct td_call *calls = b->records;
	const uint64_t *segments = s->segments;
	int r = td_keys_reserve(&s->keys, b->n);

	for (size_t i = 0, n = r < 0 || s->given_up ? 0 : b->n; i < n; i++) {
		const struct td_call *c = &calls[i];

		if (!(segments[c->file_id / 64] >> c->file_id % 64 & 1) || c->nested ||
		    (c->ret < 0 && c->ret != TD_NULL))
			continue;
		r = add_call(s, c);
		if (r < 0 || s->given_up)
			break;
	}
	return r;
}

static void add_steps(void *ud, enum td_kind kind, struct td_row_work *to, unsigned after)
{
	struct td_shm *s = ud;

	if (kind == TD_KIND_CALL && s->segments)
		(void)td_row_work_add(to, add_calls, s, true, after);
}

static int write_tables(void *ud, const struct td_target *target, struct td_err *err)
{
	struct td_shm *s = ud;
	_cleanup_(td_row_builder_done) struct td_row_builder rows = { 0 };
	int r = td_row_builder_open(&rows, target, "shm_stat", err);

	for (size_t i = 0; i < s->keys.n && r >= 0 && !s->given_up; i++) {
		const struct row *row = &s->rows[i];

		td_row_i64(&rows, (int64_t)s->keys.items[i].lo);
		td_row_key(&rows, (uint32_t)s->keys.items[i].hi);
		td_row_i64(&rows, row->sized_bytes);
		td_row_i64(&rows, row->sized_ns);
		td_row_i64(&rows, row->map_bytes);
		td_row_i64(&rows, row->mapped_bytes);
		td_row_i64(&rows, row->mapped_ns);
		td_row_i64(&rows, row->write_bytes);
		td_row_i64(&rows, row->read_bytes);
		td_row_i64(&rows, row->first_ns);
		r = td_row_builder_end_row(&rows);
	}
	return r;
}

const struct td_derivation td_shm_derivation = {
	.make = make,
	.free = free_all,
	.set_budget = set_budget,
	.begin = begin,
	.add_steps = add_steps,
	.write = write_tables,
};
