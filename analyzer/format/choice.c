/* SPDX-License-Identifier: MIT */
#include "analyzer/format/choice.h"
#include "common/cleanup.h"
#include "common/suggest.h"

/* Takes the first name off the list. */
static struct td_str next_name(const char **names)
{
	struct td_str name = { *names, strcspn(*names, ",") };

	*names += name.len;
	*names += **names == ',';
	return name;
}

bool td_choice_has(const char *names, const char *column)
{
	while (names && *names)
		if (td_str_eq(next_name(&names), column))
			return true;
	return !names;
}

/* ncolumns: none of them. */
static size_t find_column(const struct td_report_column *columns, size_t ncolumns,
			  struct td_str name)
{
	size_t i = 0;

	while (i < ncolumns && !td_str_eq(name, columns[i].name))
		i++;
	return i;
}

int td_choice_check(const char *names, const struct td_report_column *columns, size_t ncolumns,
		    struct td_err *err)
{
	if (names && !*names)
		return td_err_set(err, -EINVAL, "--columns names none");
	while (names && *names) {
		struct td_str name = next_name(&names);
		_cleanup_free_ char *text = strndup(name.p, name.len);
		struct td_suggest near = { .wanted = text };

		if (!text)
			return -ENOMEM;
		if (find_column(columns, ncolumns, name) < ncolumns)
			continue;
		for (size_t i = 0; i < ncolumns; i++)
			td_suggest_offer(&near, columns[i].name);
		return td_err_set(
			err, -EINVAL,
			near.best ? "no column '%s'; did you mean '%s'?"
				  : "no column '%s'; 'tracedb report NAME --help' lists them",
			text, near.best);
	}
	return 0;
}

/* An empty one that can take so many columns. */
static int new_choice(const struct td_table_head *head, size_t most, struct td_choice **ret)
{
	_cleanup_(td_choice_freep) struct td_choice *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->columns = calloc(most + 1, sizeof(*c->columns));
	c->from = calloc(most + 1, sizeof(*c->from));
	c->values = calloc(most + 1, sizeof(*c->values));
	if (!c->columns || !c->from || !c->values)
		return -ENOMEM;
	c->head = *head;
	c->head.columns = c->columns;
	c->head.ncolumns = 0;
	c->head.total = NULL;
	*ret = TAKE_PTR(c);
	return 0;
}

static void take(struct td_choice *c, const struct td_table_head *head, size_t from)
{
	size_t to = c->head.ncolumns++;

	c->columns[to] = head->columns[from];
	c->from[to] = from;
	if (head->total == &head->columns[from])
		c->head.total = &c->columns[to];
}

int td_choice_new(const char *names, const struct td_table_head *head, struct td_choice **ret)
{
	int r = new_choice(head, strlen(names), ret); /* no more names than letters */

	while (r == 0 && *names) {
		size_t i = find_column(head->columns, head->ncolumns, next_name(&names));

		if (i < head->ncolumns)
			take(*ret, head, i);
	}
	return r;
}

int td_choice_for_people(const struct td_table_head *head, struct td_choice **ret)
{
	int r = new_choice(head, head->ncolumns, ret);

	for (size_t i = 0; i < head->ncolumns && r == 0; i++)
		if (!head->columns[i].for_programs)
			take(*ret, head, i);
	return r;
}

void td_choice_free(struct td_choice *c)
{
	if (!c)
		return;
	free(c->columns);
	free(c->from);
	free(c->values);
	free(c);
}

const struct td_cell *td_choice_of(struct td_choice *c, const struct td_cell *values)
{
	for (size_t i = 0; i < c->head.ncolumns; i++)
		c->values[i] = values[c->from[i]];
	return c->values;
}
