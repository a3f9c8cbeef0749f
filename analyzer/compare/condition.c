/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>

#include "analyzer/compare/condition.h"
#include "analyzer/format/cell.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/suggest.h"
#include "common/units.h"

#define OPERATORS "<>"

struct condition {
	char *id; /* owned: of the line, in its own unit */
	double bare; /* a number without unit is so many of the line's */
	char relation; /* '<' or '>' */
	bool or_equal, is_change, is_share;
	const char *value; /* behind the sign */
	double sign;
};

static void condition_done(struct condition *c)
{
	free(c->id);
}

/* "epoch_s" is "epoch_ns" in seconds. */
static const struct {
	const char *suffix;
	double ns;
} time_suffixes[] = {
	{ "_s", TD_SEC_NS },
	{ "_ms", 1e-3 * TD_SEC_NS },
	{ "_us", 1e-6 * TD_SEC_NS },
};

static int set_id(struct condition *c, const char *text, size_t len)
{
	c->bare = 1;
	c->id = calloc(len + sizeof("_ns"), 1);
	if (!c->id)
		return -ENOMEM;
	memcpy(c->id, text, len);
	for (size_t i = 0; i < TD_ARRAY_SIZE(time_suffixes); i++) {
		size_t n = strlen(time_suffixes[i].suffix);

		if (len > n && strcmp(c->id + len - n, time_suffixes[i].suffix) == 0) {
			memcpy(c->id + len - n, "_ns", sizeof("_ns"));
			c->bare = time_suffixes[i].ns;
			break;
		}
	}
	return 0;
}

static int parse(const char *text, struct condition *c, struct td_err *err)
{
	const char *id = text + strspn(text, " "), *at = strpbrk(id, OPERATORS), *end = at;
	int r;

	while (end && end > id && isspace((unsigned char)end[-1]))
		end--;
	if (!at || end == id) {
		td_err_set(err, -EINVAL, "a condition is like 'epoch_s > +5%%', not '%s'", text);
		return -EINVAL;
	}
	r = set_id(c, id, (size_t)(end - id));
	if (r < 0)
		return r;
	c->relation = *at++;
	c->or_equal = *at == '=';
	at += c->or_equal;
	at += strspn(at, " ");
	c->sign = *at == '-' ? -1 : 1;
	c->is_share = *at && at[strlen(at) - 1] == '%';
	c->is_change = *at == '-' || *at == '+' || c->is_share;
	c->value = at + (*at == '-' || *at == '+');
	return 0;
}

static const struct td_compared *line_of(const struct td_comparison *all, const char *id,
					 struct td_suggest *near)
{
	for (size_t i = 0; i < all->n; i++) {
		if (strcmp(all->items[i].id, id) == 0)
			return &all->items[i];
		td_suggest_offer(near, all->items[i].id);
	}
	return NULL;
}

/* The number in the line's unit, or in percent. */
static int limit_of(const struct condition *c, const struct td_compared *line, double *ret,
		    struct td_err *err)
{
	char *end;
	double number = strtod(c->value, &end);
	int64_t whole;

	if (end != c->value && strcmp(end, c->is_share ? "%" : "") == 0 && isfinite(number)) {
		*ret = c->sign * number * (c->is_share ? 1 : c->bare);
		return 0;
	}
	if ((line->column->unit == TD_UNIT_DUR_NS && td_parse_duration(c->value, 1, &whole) == 0) ||
	    ((line->column->unit == TD_UNIT_BYTES || line->column->unit == TD_UNIT_BYTES_PER_S) &&
	     td_parse_size(c->value, &whole) == 0)) {
		*ret = c->sign * (double)whole;
		return 0;
	}
	return td_err_set(err, -EINVAL, "'%s' is no value for '%s'", c->value, c->id);
}

static bool holds(const struct condition *c, double x, double limit)
{
	if (c->or_equal && !(x < limit) && !(x > limit))
		return true;
	return c->relation == '<' ? x < limit : x > limit;
}

static void add_value(struct td_strbuf *b, const struct td_compared *line, double x)
{
	struct td_cell value = { .type = TD_VALUE_REAL, .d = x };

	td_cell_value(b, &value, line->column->unit, TD_TIMEUNIT_AUTO);
}

static void describe(struct td_strbuf *b, const struct condition *c, const struct td_compared *line,
		     const char *text)
{
	double pct = td_compared_pct(line, line->shift.shift);

	td_strbuf_addf(b, "%s: %s has ", text, c->id);
	add_value(b, line, line->a);
	td_strbuf_adds(b, " in A and ");
	add_value(b, line, line->b);
	td_strbuf_adds(b, " in B");
	if (c->is_change && !isnan(pct))
		td_strbuf_addf(b, ", %+.2f%s", pct,
			       line->column->unit == TD_UNIT_PERCENT ? " points" : "%");
}

int td_condition_check(const char *text, const struct td_comparison *all, struct td_strbuf *ret,
		       struct td_err *err)
{
	_cleanup_(condition_done) struct condition c = { 0 };
	struct td_suggest near = { 0 };
	const struct td_compared *line;
	double limit = 0, x;
	int r = parse(text, &c, err);

	if (r < 0)
		return r;
	near.wanted = c.id;
	line = line_of(all, c.id, &near);
	if (!line)
		return td_err_set(
			err, -EINVAL,
			near.best ? "nothing that is compared is called '%s'; did you mean '%s'?"
				  : "nothing that is compared is called '%s'; 'tracedb compare -f "
				    "csv --columns id A B' names all",
			c.id, near.best);
	if (line->verdict == TD_VERDICT_ONE_SIDE)
		return td_err_set(err, -EINVAL, "%s has no '%s'", line->na ? "B" : "A", c.id);
	if (line->verdict == TD_VERDICT_UNLIKE)
		return td_err_set(err, -EINVAL,
				  "'%s' is of rounds in one run and of the whole run in the other",
				  c.id);
	r = limit_of(&c, line, &limit, err);
	if (r < 0)
		return r;
	x = !c.is_change ? line->b
	    : c.is_share ? td_compared_pct(line, line->shift.shift)
			 : line->shift.shift;
	describe(ret, &c, line, text);
	if (!holds(&c, x, limit))
		return TD_CONDITION_NOT;
	return c.is_change && (line->verdict == TD_VERDICT_NO_EVIDENCE ||
			       line->verdict == TD_VERDICT_LOST)
		       ? TD_CONDITION_CHANCE
		       : TD_CONDITION_MET;
}
