/* SPDX-License-Identifier: MIT */
/* Options as a table that both the parser and --help work from. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "common/err.h"

struct td_option {
	const char *name; /* --name; NULL: the end of the table */
	char letter; /* -l; 0: none */
	const char *arg; /* what the value is called in --help; NULL: the option takes none */
	const char *help; /* NULL: --help does not show it */
	/* Stores value (lives as long as argv; NULL if the option takes none) in target. 0, or -EINVAL
	 * with a message that says what is expected. */
	int (*set)(void *target, char *value, struct td_err *err);
	void *target;
};

#define TD_OPTIONS_MAX 48

int td_set_flag(void *target, char *value, struct td_err *err); /* bool */
int td_set_string(void *target, char *value, struct td_err *err); /* const char *, borrowed */

/* A growing list of strings; done with free(items). */
struct td_string_list {
	const char **items; /* the strings are borrowed */
	size_t n, cap;
};
int td_set_list(void *target, char *value, struct td_err *err); /* struct td_string_list: adds */

/* Parses options wherever they stand, up to "--". The other arguments are moved behind them: *ret_first
 * is the index of the first. 0, -EINVAL or -ENOMEM with a message. */
int td_options_parse(const struct td_option *options, int argc, char **argv, int *ret_first,
		     struct td_err *err);

/* The same, but the first argument that is no option ends them: what follows is a command with options of its
 * own. argv is left as it is. */
int td_options_parse_in_front(const struct td_option *options, int argc, char **argv,
			      int *ret_first, struct td_err *err);

/* What --help shows of them. */
void td_options_print(const struct td_option *options, FILE *out);
