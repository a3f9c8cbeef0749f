/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "store/stage/run_writer.h"
#include "schema/rows.h"
#include "tests/unit/check.h"
#include "tests/unit/stage.h"

static const char path[] = "/tmp/tracedb-test-stage";
static struct td_shift shifts[4];
static uint64_t seed = 88172645463325252u;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static const struct td_shift *shift_of(void *ud, const void *record)
{
	return &shifts[((const struct td_call *)record)->source_id];
}

struct seen {
	int64_t last, sum_ret;
	uint64_t n, disorder;
};

static int visit(void *ud, void *record)
{
	struct seen *s = ud;
	const struct td_call *c = record;

	s->disorder += c->start_ns < s->last;
	s->last = c->start_ns;
	s->sum_ret += c->ret;
	s->n++;
	return 0;
}

/* Enough rows of two sources for many runs, times jittered, shifts that interleave them:
 * everything comes back once, in order of the shifted time. */
static void test_many(void)
{
	enum { N = 600000 };
	struct td_stage *s = NULL;
	struct seen seen = { .last = INT64_MIN };

	TD_CASE("many rows");
	TD_CHECK_INT(td_stage_new(&td_tables[TD_KIND_CALL], path, &s), 0);
	shifts[1] = (struct td_shift){ .offset_ns = 1000000 };
	shifts[2] = (struct td_shift){ .offset_ns = -300000, .drift = 1e-6 };
	for (uint16_t source = 1; source <= 2; source++) {
		for (int i = 0; i < N; i++) {
			struct td_call c = TD_CALL_INIT;

			c.start_ns = (int64_t)i * 1000 + (int64_t)(random64() % 50000);
			c.source_id = source;
			c.ret = i;
			TD_CHECK_INT(td_stage_add(s, &c), 0);
		}
		TD_CHECK_INT(td_stage_cut(s), 0);
	}
	TD_CHECK_INT(td_stage_count(s), 2 * N);
	for (int round = 0; round < 2; round++) {
		seen = (struct seen){ .last = INT64_MIN };
		TD_CHECK_INT(td_stage_read(s, TD_KIND_CALL, shift_of, visit, &seen), 0);
		TD_CHECK_INT(seen.n, 2 * N);
		TD_CHECK_INT(seen.disorder, 0);
		TD_CHECK_INT(seen.sum_ret, (int64_t)N * (N - 1)); /* twice 0 + 1 + ... + N-1 */
	}
	TD_CHECK(access(path, F_OK) != 0);
	td_stage_free(s);
}

static int order(void *ud, void *record)
{
	const struct td_call *c = record;
	int *next = ud;

	TD_CHECK_INT(c->ret, (*next)++);
	return 0;
}

/* Rows of equal time keep the order in which they came. */
static void test_stable(void)
{
	static const int64_t times[] = { 5, 3, 5, 3, -7, 5 }, rets[] = { 3, 1, 4, 2, 0, 5 };
	struct td_stage *s = NULL;
	int next = 0;

	TD_CASE("stable");
	shifts[0] = (struct td_shift){ 0 };
	TD_CHECK_INT(td_stage_new(&td_tables[TD_KIND_CALL], path, &s), 0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++) {
		struct td_call c = TD_CALL_INIT;

		c.start_ns = times[i];
		c.ret = rets[i];
		TD_CHECK_INT(td_stage_add(s, &c), 0);
	}
	TD_CHECK_INT(td_stage_read(s, TD_KIND_CALL, shift_of, order, &next), 0);
	TD_CHECK_INT(next, 6);
	td_stage_free(s);
}

/* --- against a model: all records in memory, sorted by qsort() --- */

struct model {
	const struct td_table *table;
	char *records; /* as they were added */
	struct place {
		int64_t utc_ns;
		size_t at; /* record */
	} * places;
	size_t n, next, wrong;
};

static void model_done(struct model *m)
{
	free(m->records);
	free(m->places);
}

static struct model model_of(enum td_kind kind, size_t n)
{
	struct model m = { .table = &td_tables[kind] };

	m.records = calloc(n, m.table->record_size);
	m.places = calloc(n, sizeof(*m.places));
	if (!m.records || !m.places)
		abort();
	return m;
}

static void put_model(struct model *m, const struct td_shift *shift, const void *record)
{
	int64_t t;

	memcpy(&t, (const char *)record + m->table->time_offset, sizeof(t));
	memcpy(m->records + m->n * m->table->record_size, record, m->table->record_size);
	m->places[m->n] = (struct place){ td_shift_to_utc(shift, t), m->n };
	m->n++;
}

static void put(struct model *m, struct td_stage *s, const struct td_shift *shift,
		const void *record)
{
	put_model(m, shift, record);
	TD_CHECK_INT(td_stage_add(s, record), 0);
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->utc_ns != y->utc_ns)
		return x->utc_ns < y->utc_ns ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The record must be the next one of the model; then it is spoilt, as visitors may. */
static int compare(void *ud, void *record)
{
	struct model *m = ud;
	size_t size = m->table->record_size;
	const struct place *place = &m->places[m->next++];
	char want[sizeof(struct td_call)];

	if (m->next > m->n)
		return -E2BIG;
	memcpy(want, m->records + place->at * size, size);
	memcpy(want + m->table->time_offset, &place->utc_ns, sizeof(place->utc_ns));
	m->wrong += memcmp(want, record, size) != 0;
	memset(record, 0x5a, size);
	return 0;
}

static const struct td_shift *first_shift(void *ud, const void *record)
{
	return &shifts[0];
}

static void read_and_compare(struct model *m, struct td_stage *s,
			     const struct td_shift *(*shift)(void *ud, const void *record))
{
	qsort(m->places, m->n, sizeof(*m->places), by_place);
	for (int round = 0; round < 2; round++) {
		m->next = m->wrong = 0;
		TD_CHECK_INT(
			td_stage_read(s, (enum td_kind)(m->table - td_tables), shift, compare, m),
			0);
		TD_CHECK_INT(m->next, m->n);
		TD_CHECK_INT(m->wrong, 0);
	}
	TD_CHECK_INT(td_stage_count(s), m->n);
}

/* A word of 0 to 8 bytes, negative, one of the extremes, or NULL. */
static uint64_t any_word(void)
{
	static const uint64_t extremes[] = {
		0, 1, UINT64_MAX, (uint64_t)INT64_MAX, (uint64_t)INT64_MIN, UINT32_MAX,
	};
	uint64_t v = random64() >> (random64() % 64);

	switch (random64() % 8) {
	case 0:
		return extremes[random64() % TD_ARRAY_SIZE(extremes)];
	case 1:
		return ~v;
	default:
		return v;
	}
}

/* Any bytes at all, times too, in every kind of record; some words stay from one record to the next. Runs of
 * any length, an empty one among them. */
static void test_any_record(enum td_kind kind)
{
	enum { N = 40000 };
	const struct td_table *table = &td_tables[kind];
	_cleanup_(model_done) struct model m = model_of(kind, N);
	uint64_t words[sizeof(struct td_call) / sizeof(uint64_t)] = { 0 };
	struct td_stage *s = NULL;

	TD_CASE(table->name);
	shifts[0] = (struct td_shift){ 0 };
	TD_CHECK_INT(td_stage_new(table, path, &s), 0);
	TD_CHECK_INT(td_stage_cut(s), 0);
	for (int i = 0; i < N; i++) {
		for (size_t w = 0; w < table->record_size / sizeof(*words); w++)
			if (random64() % 4)
				words[w] = any_word();
		put(&m, s, &shifts[0], words);
		if (random64() % 5000 == 0)
			TD_CHECK_INT(td_stage_cut(s), 0);
	}
	read_and_compare(&m, s, first_shift);
	td_stage_free(s);
}

/* What cannot be packed takes 85 bytes a call: of 2.4 million calls, 194 MiB, the first 160 MiB stay in
 * memory and the others go to the file. Three sources, one of which the shift puts among the others. The last
 * runs take some 16 KiB, which are read at once, so that of some a few bytes are left. */
static void test_spilled(void)
{
	enum { N = 2400000 };
	_cleanup_(model_done) struct model m = model_of(TD_KIND_CALL, N);
	struct td_stage *s = NULL;
	int cut = N - 100000;

	TD_CASE("spilled");
	shifts[1] = (struct td_shift){ .offset_ns = 5 };
	shifts[2] = (struct td_shift){ .offset_ns = -3000000000, .drift = 2e-6 };
	shifts[3] = (struct td_shift){ .offset_ns = 400000000 };
	TD_CHECK_INT(td_stage_new(&td_tables[TD_KIND_CALL], path, &s), 0);
	for (int i = 0; i < N; i++) {
		uint16_t source = (uint16_t)(1 + i / (N / 3));
		uint64_t words[sizeof(struct td_call) / sizeof(uint64_t)];
		struct td_call c;

		for (size_t w = 0; w < TD_ARRAY_SIZE(words); w++)
			words[w] = random64();
		memcpy(&c, words, sizeof(c));
		c.start_ns = (int64_t)i * 1000 + (int64_t)(random64() % 20000);
		c.source_id = source;
		put(&m, s, &shifts[source], &c);
		if ((i + 1) % (N / 3) != 0 && i != cut)
			continue;
		TD_CHECK_INT(td_stage_cut(s), 0);
		if (i == cut)
			cut += 196 + cut % 20;
	}
	read_and_compare(&m, s, shift_of);
	td_stage_free(s);
}

/* Times that fall, stay, jump about or rise: sorted whichever way. */
static void test_orders(void)
{
	enum { N = 50000 };

	shifts[0] = (struct td_shift){ .offset_ns = 7 };
	for (int how = 0; how < 4; how++) {
		_cleanup_(model_done) struct model m = model_of(TD_KIND_BLOCK, N);
		struct td_stage *s = NULL;

		TD_CASE("orders");
		TD_CHECK_INT(td_stage_new(&td_tables[TD_KIND_BLOCK], path, &s), 0);
		for (int i = 0; i < N; i++) {
			const int64_t times[] = { -i, i / 1000, (int64_t)(random64() % 3000), i };
			struct td_block b = TD_BLOCK_INIT;

			b.start_ns = times[how];
			b.sector = i;
			put(&m, s, &shifts[0], &b);
		}
		read_and_compare(&m, s, first_shift);
		td_stage_free(s);
	}
}

/* Runs that are packed elsewhere and come late, in the reverse order: their places count, also for equal times. One
 * place stays empty. */
static void test_places(int each)
{
	enum { PARTS = 5 };
	_cleanup_(model_done) struct model m = model_of(TD_KIND_CALL, (size_t)PARTS * each);
	struct td_run runs[PARTS];
	size_t places[PARTS], nowhere;
	struct td_stage *s = NULL;

	TD_CASE("places");
	shifts[0] = (struct td_shift){ .offset_ns = 7 };
	TD_CHECK_INT(td_stage_new(&td_tables[TD_KIND_CALL], path, &s), 0);
	for (int part = 0; part < PARTS; part++) {
		struct td_run_writer pk;

		td_run_writer_init(&pk, &td_tables[TD_KIND_CALL]);
		for (int i = 0; i < each; i++) {
			struct td_call c = TD_CALL_INIT;

			c.start_ns = i % 3;
			c.ret = part * each + i;
			c.asked_bytes = (int64_t)random64();
			c.done_bytes = (int64_t)random64();
			c.offset_bytes = (int64_t)random64();
			put_model(&m, &shifts[0], &c);
			/* the middle part is added record by record */
			TD_CHECK_INT(part == PARTS / 2 ? td_stage_add(s, &c)
						       : td_run_writer_add(&pk, &c),
				     0);
		}
		if (part != PARTS / 2)
			TD_CHECK_INT(td_stage_place(s, &places[part]), 0);
		TD_CHECK_INT(td_stage_pack(s, &pk, &runs[part]), 0);
		TD_CHECK_INT(runs[part].n, part == PARTS / 2 ? 0 : each);
		td_run_writer_done(&pk);
	}
	TD_CHECK_INT(td_stage_place(s, &nowhere), 0);
	for (int part = PARTS; part-- > 0;)
		if (part != PARTS / 2)
			TD_CHECK_INT(td_stage_put(s, places[part], &runs[part]), 0);
	TD_CHECK_INT(td_stage_cut(s), 0);
	read_and_compare(&m, s, first_shift);
	td_stage_free(s);
}

/* Runs that share memory: four of them are taken over from elsewhere, in the reverse order. */
static void test_places_in_slabs(void)
{
	test_places(5000); /* of some 170 KB each, all in one */
	test_places(15000); /* of 510 KB, four in one */
}

/* There is room for 8 MiB beside so many names. A call takes 24 bytes at least, of the three words that nothing tells, and
 * at most 88 + 6: of runs of 80,000 one has room, and the next one goes to the file when the others have come. Those of
 * 360,000 go there as they are packed. */
static void test_places_in_file(void)
{
	td_stage_leave_room(SIZE_MAX);
	test_places(80000);
	test_places(360000);
	td_stage_leave_room(0);
}

static int fail_at_second(void *ud, void *record)
{
	int *n = ud;

	return ++*n == 2 ? -ECANCELED : 0;
}

/* A visitor's error ends the reading, of which nothing is left behind. */
static void test_ended(void)
{
	struct td_stage *s = NULL;
	int n = 0;

	TD_CASE("ended");
	TD_CHECK_INT(td_stage_new(&td_tables[TD_KIND_MARK], path, &s), 0);
	for (int i = 0; i < 5; i++) {
		struct td_mark k = TD_MARK_INIT;

		TD_CHECK_INT(td_stage_add(s, &k), 0);
		TD_CHECK_INT(td_stage_cut(s), 0);
	}
	TD_CHECK_INT(td_stage_read(s, TD_KIND_MARK, first_shift, fail_at_second, &n), -ECANCELED);
	TD_CHECK_INT(n, 2);
	td_stage_free(s);
}

/* --- packing --- */

/* The size that a call takes behind a call: half a byte for each of its eleven words, and their bytes. */
static size_t packed_size(const struct td_call *before, const struct td_call *c)
{
	struct td_pack f = td_pack_of(&td_tables[TD_KIND_CALL]);
	uint64_t last[TD_PACK_WORDS] = { 0 };
	uint8_t buf[2 * (6 + sizeof(*c)) + TD_PACK_SPARE], *p, *end;
	struct td_call back = { 0 };
	int64_t time = 0;

	TD_CHECK_INT(td_pack_max(&f, 2), sizeof(buf));
	p = td_pack_put(&f, last, before, buf);
	end = td_pack_put(&f, before, c, p);
	TD_CHECK(td_pack_get(&f, &back, &time, buf, &back) == p);
	TD_CHECK(memcmp(&back, before, sizeof(back)) == 0);
	back.start_ns = 4711; /* converted, as the reader does */
	TD_CHECK(td_pack_get(&f, &back, &time, p, &back) == end);
	TD_CHECK(memcmp(&back, c, sizeof(back)) == 0);
	TD_CHECK_INT(time, c->start_ns);
	return (size_t)(end - p);
}

static void test_packed_size(void)
{
	struct td_call a = TD_CALL_INIT, b;

	TD_CASE("packed size");
	a.start_ns = INT64_C(1049876543354069);
	b = a;
	TD_CHECK_INT(packed_size(&a, &b), 6);
	b.start_ns += 11678; /* two bytes */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 2);
	b.dur_ns = 0; /* and one: TD_NULL is the highest bit, which becomes the lowest */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 2 + 1);
	b.dur_ns = 127; /* two times 127, and 1 */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 2 + 1);
	b.dur_ns = 128;
	TD_CHECK_INT(packed_size(&a, &b), 6 + 2 + 2);
	a.dur_ns = 255;
	b.dur_ns = 0; /* 2 x 0xff */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 2 + 2);
	b.dur_ns = -1; /* 255 and 0xff..ff differ in the upper seven bytes */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 2 + 8);
	b = a;
	b.start_ns = INT64_MIN; /* as unsigned numbers they differ by 2^63 - 1049876543354069 */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 8);
	memset(&a, 0, sizeof(a));
	memset(&b, 0xff, sizeof(b));
	/* bytes asked for and done change as what was returned */
	TD_CHECK_INT(packed_size(&a, &b), 6 + sizeof(b) - 2 * 8);
	TD_CHECK_INT(packed_size(&b, &b), 6);
}

/* What changes as something else does takes nothing. */
static void test_packed_alike(void)
{
	struct td_call a = TD_CALL_INIT, b = a;

	TD_CASE("packed alike");
	b.ret = b.asked_bytes = b.done_bytes =
		131072; /* 2 x 2^17 and the bit of TD_NULL: 3 bytes */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 3);
	TD_CHECK_INT(packed_size(&b, &a), 6 + 3);
	b.done_bytes = 131071; /* 2 x (2^17 ^ (2^17 - 1)) is 2^19 - 2 */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 3 + 3);
	b = a;
	b.ret = 5; /* 11, and likewise how that of the other two words differs from it */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 3 * 1);
	b = a;
	b.process_id = 7; /* of a call whose thread is not known: 14 */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 1);
	a.process_id = a.thread_id = 3;
	b.process_id = b.thread_id = 50; /* 2 x (3 ^ 50) = 98 */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 1);
	b.thread_id = 51; /* bit 32, which becomes bit 33 */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 5);
	b = a;
	b.thread_id = 4; /* another one of the process */
	TD_CHECK_INT(packed_size(&a, &b), 6 + 5);
	b.process_id = b.thread_id = UINT32_MAX;
	TD_CHECK_INT(packed_size(&a, &b), 6 + 5); /* 32 bits, one further up */
}

int main(void)
{
	test_many();
	test_stable();
	for (unsigned kind = 0; kind < TD_NKINDS; kind++)
		test_any_record(kind);
	test_orders();
	test_places(7);
	test_places_in_slabs();
	test_places_in_file();
	test_ended();
	test_spilled();
	test_packed_size();
	test_packed_alike();
	return td_check_result();
}
