/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/scan/sums.h"
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
		int64_t *rows = realloc(s->rows, cap * s->nplaces * sizeof(*rows));

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

void td_group_sums_add(struct td_group_sums *s, const struct td_row_batch *b, const uint16_t *rows,
		       const uint32_t *groups, size_t ncounted, size_t n)
{
	for (enum td_sum i = 0; i < TD_NSUMS; i++) {
		if (s->place[i] < 0)
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
