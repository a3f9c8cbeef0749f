/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/sums.h"
#include "common/big.h"
#include "common/cleanup.h"
#include "schema/stat_math.h"

#define BIT(x) (1u << (x))
#define OF_FILES (BIT(TD_ROW_OBJECT) | BIT(TD_ROW_DUR))

/* What each measure needs: sums, and columns of the calls. TD_SUM_CALLS is always there: it tells groups from none. */
static const struct need {
	unsigned sums, columns;
} needs[TD_NMEASURES] = {
	[TD_MEASURE_ERRORS] = { BIT(TD_SUM_ERRORS), BIT(TD_ROW_RET) },
	[TD_MEASURE_TIMED] = { BIT(TD_SUM_TIMED), BIT(TD_ROW_DUR) },
	[TD_MEASURE_BYTES] = { BIT(TD_SUM_BYTES), BIT(TD_ROW_BYTES) },
	[TD_MEASURE_TOTAL_NS] = { BIT(TD_SUM_TOTAL), BIT(TD_ROW_DUR) },
	[TD_MEASURE_MIN_NS] = { BIT(TD_SUM_MIN), BIT(TD_ROW_DUR) },
	[TD_MEASURE_MAX_NS] = { BIT(TD_SUM_MAX), BIT(TD_ROW_DUR) },
	[TD_MEASURE_P50_NS] = { 0, BIT(TD_ROW_DUR) },
	[TD_MEASURE_P95_NS] = { 0, BIT(TD_ROW_DUR) },
	[TD_MEASURE_P99_NS] = { 0, BIT(TD_ROW_DUR) },
	[TD_MEASURE_STDDEV_NS] = { BIT(TD_SUM_TIMED) | BIT(TD_SUM_TOTAL) | BIT(TD_SUM_SQUARES) |
					   BIT(TD_SUM_SQUARES_HIGH),
				   BIT(TD_ROW_DUR) },
	[TD_MEASURE_MIN_BYTES] = { BIT(TD_SUM_MIN_BYTES), BIT(TD_ROW_BYTES) },
	[TD_MEASURE_P50_BYTES_LOW] = { 0, BIT(TD_ROW_BYTES) },
	[TD_MEASURE_MAX_BYTES] = { BIT(TD_SUM_MAX_BYTES), BIT(TD_ROW_BYTES) },
	[TD_MEASURE_SEQUENTIAL] = { BIT(TD_SUM_SEQUENTIAL) | BIT(TD_SUM_RANDOM),
				    BIT(TD_ROW_OFFSET) | BIT(TD_ROW_BYTES) | BIT(TD_ROW_PROCESS) |
					    BIT(TD_ROW_OBJECT) },
	[TD_MEASURE_RANDOM] = { BIT(TD_SUM_SEQUENTIAL) | BIT(TD_SUM_RANDOM),
				BIT(TD_ROW_OFFSET) | BIT(TD_ROW_BYTES) | BIT(TD_ROW_PROCESS) |
					BIT(TD_ROW_OBJECT) },
	[TD_MEASURE_FIRST_NS] = { BIT(TD_SUM_FIRST), 0 },
	[TD_MEASURE_LAST_NS] = { BIT(TD_SUM_LAST), 0 },
	[TD_MEASURE_NESTED_CALLS] = { BIT(TD_SUM_NESTED), 0 },
	[TD_MEASURE_UNFINISHED] = { BIT(TD_SUM_UNFINISHED), BIT(TD_ROW_UNFINISHED) },
	[TD_MEASURE_QUEUED] = { BIT(TD_SUM_QUEUED), BIT(TD_ROW_QUEUE) },
	[TD_MEASURE_QUEUE_NS] = { BIT(TD_SUM_QUEUE), BIT(TD_ROW_QUEUE) },
	[TD_MEASURE_FOLLOWING] = { BIT(TD_SUM_FOLLOWING), BIT(TD_ROW_SEEK) },
	[TD_MEASURE_FORWARD] = { BIT(TD_SUM_FORWARD), BIT(TD_ROW_SEEK) },
	[TD_MEASURE_BACKWARD] = { BIT(TD_SUM_BACKWARD), BIT(TD_ROW_SEEK) },
	[TD_MEASURE_DURING_COUNT] = { BIT(TD_SUM_DURING_CALLS), BIT(TD_ROW_DUR) },
	[TD_MEASURE_DURING_NS] = { BIT(TD_SUM_DURING), BIT(TD_ROW_DUR) },
	[TD_MEASURE_FILES] = { 0, OF_FILES },
	[TD_MEASURE_BUSIEST_FILE] = { 0, OF_FILES },
	[TD_MEASURE_BUSIEST_NS] = { 0, OF_FILES },
};

/* Those that are not 0 while there is nothing. */
static int64_t nothing(enum td_sum sum)
{
	switch (sum) {
	case TD_SUM_BYTES:
	case TD_SUM_TOTAL:
	case TD_SUM_MIN:
	case TD_SUM_MAX:
	case TD_SUM_MIN_BYTES:
	case TD_SUM_MAX_BYTES:
	case TD_SUM_FIRST:
	case TD_SUM_LAST:
	case TD_SUM_QUEUE:
	case TD_SUM_FOLLOWING:
	case TD_SUM_FORWARD:
	case TD_SUM_BACKWARD:
	case TD_SUM_DURING:
		return TD_NULL;
	default:
		return 0;
	}
}

void td_group_sums_init(struct td_group_sums *s, unsigned measures)
{
	unsigned sums = BIT(TD_SUM_CALLS);

	*s = (struct td_group_sums){ 0 };
	for (unsigned m = 0; m < TD_NMEASURES; m++)
		if (measures & BIT(m))
			sums |= needs[m].sums;
	for (unsigned i = 0; i < TD_NSUMS; i++) {
		s->place[i] = (int8_t)(sums & BIT(i) ? (int)s->nplaces++ : -1);
		if (sums & BIT(i))
			s->nothing[s->place[i]] = nothing(i);
	}
}

void td_group_sums_done(struct td_group_sums *s)
{
	free(s->rows);
	s->rows = NULL;
}

unsigned td_group_sums_columns(unsigned measures)
{
	unsigned columns = BIT(TD_ROW_START) | BIT(TD_ROW_NESTED);

	for (unsigned m = 0; m < TD_NMEASURES; m++)
		if (measures & BIT(m))
			columns |= needs[m].columns;
	return columns;
}

int td_group_sums_resize(struct td_group_sums *s, size_t ngroups)
{
	if (ngroups > s->cap) {
		size_t cap = TD_MAX(ngroups, s->cap * 2);
		size_t each = s->nplaces * sizeof(*s->rows);
		int64_t *rows = td_big_realloc(s->rows, s->n * each, cap * each);

		if (!rows)
			return -ENOMEM;
		s->rows = rows;
		s->cap = cap;
	}
	for (; s->n < ngroups; s->n++)
		memcpy(&s->rows[s->n * s->nplaces], s->nothing, s->nplaces * sizeof(*s->rows));
	return 0;
}

static int64_t smaller_known(int64_t a, int64_t b)
{
	return a == TD_NULL ? b : b == TD_NULL ? a : TD_MIN(a, b);
}

/* Of what is not known nothing is. */
static int64_t is(int64_t v, bool what)
{
	return v == TD_NULL ? TD_NULL : what;
}

static void add_squares(int64_t *at, unsigned __int128 more)
{
	unsigned __int128 v;

	memcpy(&v, at, sizeof(v));
	v += more;
	memcpy(at, &v, sizeof(v));
}

/* One loop for each sum over the rows of a batch: `v` is the value of a column, `to` the sum of the row's group. */
#define EACH_ROW(from, to_do)                                                                      \
	for (size_t i = 0; i < n; i++) {                                                           \
		int64_t v = (from)[rows[i]], *to = &cells[groups[i] * s->nplaces];                 \
                                                                                                   \
		to_do;                                                                             \
	}                                                                                          \
	break

static void add(const struct td_group_sums *s, enum td_sum sum, const struct td_row_batch *b,
		const uint16_t *rows, const uint32_t *groups, size_t n)
{
	int64_t *cells = s->rows + s->place[sum];

	switch (sum) {
	case TD_SUM_CALLS:
	case TD_SUM_NESTED:
		EACH_ROW(b->columns[TD_ROW_START], (void)v; ++*to);
	case TD_SUM_ERRORS:
		EACH_ROW(b->columns[TD_ROW_RET], *to += v < 0 && v != TD_NULL);
	case TD_SUM_TIMED:
		EACH_ROW(b->columns[TD_ROW_DUR], *to += v != TD_NULL);
	case TD_SUM_UNFINISHED:
		EACH_ROW(b->columns[TD_ROW_UNFINISHED], *to += v != 0);
	case TD_SUM_BYTES:
		EACH_ROW(b->columns[TD_ROW_BYTES], *to = td_plus_known(*to, v));
	case TD_SUM_TOTAL:
		EACH_ROW(b->columns[TD_ROW_DUR], *to = td_plus_known(*to, v));
	case TD_SUM_MIN:
		EACH_ROW(b->columns[TD_ROW_DUR], *to = smaller_known(*to, v));
	case TD_SUM_MAX: /* TD_NULL is the smallest */
		EACH_ROW(b->columns[TD_ROW_DUR], *to = TD_MAX(*to, v));
	case TD_SUM_SQUARES:
		EACH_ROW(b->columns[TD_ROW_DUR],
			 if (v != TD_NULL) add_squares(to, (unsigned __int128)v * (uint64_t)v));
	case TD_SUM_MIN_BYTES:
		EACH_ROW(b->columns[TD_ROW_BYTES], *to = smaller_known(*to, v));
	case TD_SUM_MAX_BYTES:
		EACH_ROW(b->columns[TD_ROW_BYTES], *to = TD_MAX(*to, v));
	case TD_SUM_QUEUED:
		EACH_ROW(b->columns[TD_ROW_QUEUE], *to += v != TD_NULL);
	case TD_SUM_QUEUE:
		EACH_ROW(b->columns[TD_ROW_QUEUE], *to = td_plus_known(*to, v));
	case TD_SUM_FOLLOWING:
		EACH_ROW(b->columns[TD_ROW_SEEK], *to = td_plus_known(*to, is(v, v == 0)));
	case TD_SUM_FORWARD:
		EACH_ROW(b->columns[TD_ROW_SEEK], *to = td_plus_known(*to, is(v, v > 0)));
	case TD_SUM_BACKWARD:
		EACH_ROW(b->columns[TD_ROW_SEEK], *to = td_plus_known(*to, is(v, v < 0)));
	case TD_SUM_FIRST:
		EACH_ROW(b->columns[TD_ROW_START], *to = smaller_known(*to, v));
	case TD_SUM_LAST:
		EACH_ROW(b->columns[TD_ROW_START], *to = TD_MAX(*to, v));
	default: /* counted beside the batches, or with another one */
		break;
	}
}

/* --- few groups --- */

/* Where most rows of a batch are of the same few groups, each sum would wait for what was just
 * stored: the rows are put in order of their groups, and each group's added up before they go there. */
#define FEW_GROUPS 64

/* What sums need of a column. */
struct column_sum {
	int64_t known, min, max;
	uint64_t
		bits; /* of all values: their sum is exact below 2^54, that of their squares below 2^28 */
	uint64_t total, squares;
};
#define TOTAL_EXACT (UINT64_C(1) << 54)
#define SQUARES_EXACT (UINT64_C(1) << 28)
_Static_assert(TD_ROWS_AT_ONCE <= 256, "sums of a batch are exact");

/* Columns that are added up for several sums, and which. */
static const struct {
	enum td_row_column column;
	unsigned sums;
} added_up[] = {
	{ TD_ROW_DUR, BIT(TD_SUM_TIMED) | BIT(TD_SUM_TOTAL) | BIT(TD_SUM_MIN) | BIT(TD_SUM_MAX) |
			      BIT(TD_SUM_SQUARES) },
	{ TD_ROW_BYTES, BIT(TD_SUM_BYTES) | BIT(TD_SUM_MIN_BYTES) | BIT(TD_SUM_MAX_BYTES) },
	{ TD_ROW_QUEUE, BIT(TD_SUM_QUEUED) | BIT(TD_SUM_QUEUE) },
};
#define ADDED_UP (added_up[0].sums | added_up[1].sums | added_up[2].sums)

static struct column_sum add_up(const int64_t *column, const uint16_t *rows, size_t n)
{
	struct column_sum c = { .min = INT64_MAX, .max = TD_NULL };

	for (size_t i = 0; i < n; i++) {
		int64_t v = column[rows[i]];
		bool known = v != TD_NULL;
		uint64_t x = known ? (uint64_t)v : 0;

		c.known += known;
		c.bits |= x;
		c.total += x;
		c.squares += x * x;
		c.min = TD_MIN(c.min, known ? v : INT64_MAX);
		c.max = TD_MAX(c.max, v);
	}
	return c;
}

/* False: the values are too large. */
static bool add_column_sum(enum td_sum sum, const struct column_sum *c, int64_t *to)
{
	switch (sum) {
	case TD_SUM_TIMED:
	case TD_SUM_QUEUED:
		*to += c->known;
		return true;
	case TD_SUM_TOTAL:
	case TD_SUM_BYTES:
	case TD_SUM_QUEUE:
		if (c->bits >= TOTAL_EXACT)
			return false;
		*to = td_plus_known(*to, (int64_t)c->total);
		return true;
	case TD_SUM_SQUARES:
		if (c->bits >= SQUARES_EXACT)
			return false;
		add_squares(to, c->squares);
		return true;
	case TD_SUM_MIN:
	case TD_SUM_MIN_BYTES:
		*to = smaller_known(*to, c->min);
		return true;
	default: /* the largest */
		*to = TD_MAX(*to, c->max);
		return true;
	}
}

/* groups: n times the same. */
static void add_of_group(const struct td_group_sums *s, const struct td_row_batch *b,
			 const uint16_t *rows, const uint32_t *groups, size_t n, unsigned wanted)
{
	int64_t *row = &s->rows[groups[0] * s->nplaces];

	row[s->place[TD_SUM_CALLS]] += (int64_t)n;
	for (size_t k = 0; k < TD_ARRAY_SIZE(added_up); k++) {
		unsigned sums = added_up[k].sums & wanted;
		struct column_sum c;

		if (!sums)
			continue;
		c = add_up(b->columns[added_up[k].column], rows, n);
		for (; sums && c.known; sums &= sums - 1) {
			enum td_sum sum = (enum td_sum)__builtin_ctz(sums);

			if (!add_column_sum(sum, &c, &row[s->place[sum]]))
				add(s, sum, b, rows, groups, n);
		}
	}
}

/* Puts rows, each with its group, in order of the groups, of which there are ngroups. */
static void sort_by_group(const uint16_t *rows, const uint32_t *groups, size_t n, size_t ngroups,
			  uint16_t *ret_rows, uint32_t *ret_groups)
{
	uint16_t next[FEW_GROUPS + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		next[groups[i] + 1]++;
	for (size_t g = 0; g < ngroups; g++)
		next[g + 1] += next[g];
	for (size_t i = 0; i < n; i++) {
		size_t to = next[groups[i]]++;

		ret_rows[to] = rows[i];
		ret_groups[to] = groups[i];
	}
}

static void add_few(const struct td_group_sums *s, const struct td_row_batch *b,
		    const uint16_t *rows, const uint32_t *groups, size_t n, unsigned wanted)
{
	uint16_t in_order[TD_ROWS_AT_ONCE];
	uint32_t theirs[TD_ROWS_AT_ONCE];

	sort_by_group(rows, groups, n, s->n, in_order, theirs);
	for (size_t from = 0, end; from < n; from = end) {
		end = from + 1;
		while (end < n && theirs[end] == theirs[from])
			end++;
		add_of_group(s, b, in_order + from, theirs + from, end - from, wanted);
	}
}

void td_group_sums_add(struct td_group_sums *s, const struct td_row_batch *b, const uint16_t *rows,
		       const uint32_t *groups, size_t ncounted, size_t n)
{
	unsigned wanted = 0, added = 0;

	for (enum td_sum i = 0; i < TD_NSUMS; i++)
		wanted |= s->place[i] >= 0 ? BIT(i) : 0;
	if (wanted & ADDED_UP && s->n <= FEW_GROUPS && ncounted >= 2 * s->n) {
		added = ADDED_UP | BIT(TD_SUM_CALLS);
		add_few(s, b, rows, groups, ncounted, wanted);
	}
	for (enum td_sum i = 0; i < TD_NSUMS; i++) {
		if (!(wanted & ~added & BIT(i)))
			continue;
		if (i == TD_SUM_NESTED)
			add(s, i, b, rows + ncounted, groups + ncounted, n - ncounted);
		else
			add(s, i, b, rows, groups, ncounted);
	}
}

void td_group_sums_during(struct td_group_sums *s, const struct td_during *during, size_t *hint,
			  const struct td_row_batch *b, const uint16_t *rows,
			  const uint32_t *groups, size_t n)
{
	int8_t calls = s->place[TD_SUM_DURING_CALLS], time = s->place[TD_SUM_DURING];

	for (size_t i = 0; i < n; i++) {
		int64_t *row = &s->rows[groups[i] * s->nplaces], ns;
		bool in = td_during_of(during, b->columns[TD_ROW_START][rows[i]],
				       b->columns[TD_ROW_DUR][rows[i]], hint, &ns);

		if (calls >= 0)
			row[calls] += in;
		if (time >= 0)
			row[time] = td_plus_known(row[time], ns);
	}
}

static void merge(enum td_sum sum, int64_t *to, const int64_t *from)
{
	switch (sum) {
	case TD_SUM_BYTES:
	case TD_SUM_TOTAL:
	case TD_SUM_QUEUE:
	case TD_SUM_FOLLOWING:
	case TD_SUM_FORWARD:
	case TD_SUM_BACKWARD:
	case TD_SUM_DURING:
		*to = td_plus_known(*to, *from);
		break;
	case TD_SUM_MIN:
	case TD_SUM_MIN_BYTES:
	case TD_SUM_FIRST:
		*to = smaller_known(*to, *from);
		break;
	case TD_SUM_MAX:
	case TD_SUM_MAX_BYTES:
	case TD_SUM_LAST:
		*to = TD_MAX(*to, *from);
		break;
	case TD_SUM_SQUARES: {
		unsigned __int128 v;

		memcpy(&v, from, sizeof(v));
		add_squares(to, v);
		break;
	}
	case TD_SUM_SQUARES_HIGH:
		break;
	default: /* what a partial says may be anything */
		*to = td_plus(*to, *from);
	}
}

void td_group_sums_merge(struct td_group_sums *s, const struct td_group_sums *from,
			 const uint32_t *groups)
{
	enum td_sum sums[TD_NSUMS];
	size_t n = 0;

	for (enum td_sum i = 0; i < TD_NSUMS; i++)
		if (s->place[i] >= 0)
			sums[n++] = i;
	for (size_t g = 0; g < from->n; g++) {
		const int64_t *row = &from->rows[g * from->nplaces];
		int64_t *to = groups[g] == TD_NO_GROUP ? NULL : &s->rows[groups[g] * s->nplaces];

		for (size_t i = 0; to && i < n; i++)
			merge(sums[i], &to[s->place[sums[i]]], &row[from->place[sums[i]]]);
	}
}

unsigned __int128 td_group_sums_squares(const struct td_group_sums *s, size_t group)
{
	unsigned __int128 v;

	memcpy(&v, &s->rows[group * s->nplaces + (size_t)s->place[TD_SUM_SQUARES]], sizeof(v));
	return v;
}
