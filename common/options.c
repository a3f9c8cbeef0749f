/* SPDX-License-Identifier: MIT */
#include <getopt.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/suggest.h"
#include "common/text.h"
#include "common/options.h"

#define HELP_COLUMN 30 /* where the help texts begin */

int td_set_flag(void *target, char *value, struct td_err *err)
{
	*(bool *)target = true;
	return 0;
}

int td_set_string(void *target, char *value, struct td_err *err)
{
	*(const char **)target = value;
	return 0;
}

int td_set_list(void *target, char *value, struct td_err *err)
{
	struct td_string_list *list = target;

	if (td_grow(&list->items, &list->cap, list->n) < 0)
		return -ENOMEM;
	list->items[list->n++] = value;
	return 0;
}

/* Says which option getopt_long() did not like. */
static int reject(const struct td_option *options, bool missing_value, char **argv,
		  struct td_err *err)
{
	char *text = argv[optind - 1], *equals = strchr(text, '=');
	struct td_suggest near = { .wanted = text + strspn(text, "-") };

	if (missing_value)
		return td_err_set(err, -EINVAL, "option '%s' needs a value", text);
	if (strncmp(text, "--", 2) != 0)
		return td_err_set(err, -EINVAL, "unknown option '-%c'", optopt);
	if (equals)
		*equals = '\0';
	for (const struct td_option *o = options; o->name; o++)
		if (equals && strcmp(o->name, near.wanted) == 0)
			return td_err_set(err, -EINVAL, "option '%s' takes no value", text);
	for (const struct td_option *o = options; o->name; o++)
		td_suggest_offer(&near, o->name);
	return td_err_set(err, -EINVAL,
			  near.best ? "unknown option '%s'; did you mean '--%s'?"
				    : "unknown option '%s'",
			  text, near.best);
}

/* The option that getopt_long() returned as c: an index of the table beyond any letter, or a letter. */
#define LONG_BASE 1000

static const struct td_option *find(const struct td_option *options, int c)
{
	if (c >= LONG_BASE)
		return &options[c - LONG_BASE];
	for (const struct td_option *o = options; o->name; o++)
		if (o->letter == c)
			return o;
	return NULL;
}

static int parse(const struct td_option *options, bool in_front, int argc, char **argv,
		 int *ret_first, struct td_err *err)
{
	struct option longs[TD_OPTIONS_MAX + 1] = { 0 };
	char shorts[2 * TD_OPTIONS_MAX + 3] = "+:";
	size_t n = 0, len = 2;
	int c, r;

	for (; options[n].name && n < TD_OPTIONS_MAX; n++) {
		longs[n] = (struct option){ .name = options[n].name,
					    .has_arg = options[n].arg != NULL,
					    .val = LONG_BASE + (int)n };
		if (options[n].letter)
			shorts[len++] = options[n].letter;
		if (options[n].letter && options[n].arg)
			shorts[len++] = ':';
	}
	optind = 0; /* glibc: begin anew */
	opterr = 0;
	while ((c = getopt_long(argc, argv, in_front ? shorts : shorts + 1, longs, NULL)) != -1) {
		const struct td_option *o = c == '?' || c == ':' ? NULL : find(options, c);

		if (!o)
			return reject(options, c == ':', argv, err);
		r = o->set(o->target, optarg, err);
		if (r < 0)
			return r;
	}
	*ret_first = optind;
	return 0;
}

int td_options_parse(const struct td_option *options, int argc, char **argv, int *ret_first,
		     struct td_err *err)
{
	return parse(options, false, argc, argv, ret_first, err);
}

int td_options_parse_in_front(const struct td_option *options, int argc, char **argv,
			      int *ret_first, struct td_err *err)
{
	return parse(options, true, argc, argv, ret_first, err);
}

void td_options_print(const struct td_option *options, FILE *out)
{
	size_t width = td_terminal_width(out);

	fprintf(out, "Options:\n");
	for (const struct td_option *o = options; o->name; o++) {
		char letter[] = { '-', o->letter, ',', '\0' };
		int n;

		if (!o->help)
			continue;
		n = fprintf(out, "  %3s --%s%s%s", o->letter ? letter : "", o->name,
			    o->arg ? " " : "", o->arg ? o->arg : "");
		/* the help of a long option stands on the next line */
		fprintf(out, "%s%*s", n >= HELP_COLUMN ? "\n" : "",
			n >= HELP_COLUMN ? HELP_COLUMN : HELP_COLUMN - n, "");
		if (width)
			td_text_wrap(out, o->help, HELP_COLUMN, HELP_COLUMN, width);
		else
			fprintf(out, "%s\n", o->help);
	}
}
