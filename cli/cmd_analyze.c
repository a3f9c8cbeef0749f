/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "analyzer/rules/run_rules.h"
#include "common/array.h"
#include "common/suggest.h"

struct args {
	struct td_output_args output;
	struct td_string_list dirs;
	struct td_string_list params; /* rule:name=value */
	struct td_string_list names; /* of rules; empty: all of them */
	enum td_level fail_on; /* TD_NLEVELS: none */
	int64_t timeout_ns;
	bool list, help;
	struct td_rule_arg *values;
	size_t nvalues, values_cap;
	const struct td_report **rules;
	size_t nrules, rules_cap;
};

static void args_done(struct args *a)
{
	free(a->dirs.items);
	free(a->params.items);
	free(a->names.items);
	free(a->values);
	free(a->rules);
}

static int set_level(void *target, char *value, struct td_err *err)
{
	enum td_level level = td_level_find(value);

	if (level == TD_NLEVELS)
		return td_err_set(err, -EINVAL,
				  "--fail-on takes info, warning or critical, not '%s'", value);
	*(enum td_level *)target = level;
	return 0;
}

static int find_rule(const struct td_reports *set, const char *name, const struct td_report **ret,
		     struct td_err *err)
{
	struct td_suggest near = { .wanted = name };

	int r = td_reports_find(set, name, ret, err);

	if (r < 0 || *ret)
		return r;
	for (size_t i = 0; i < set->n; i++)
		td_suggest_offer(&near, set->items[i].name);
	return td_err_set(err, -EINVAL,
			  near.best ? "no rule '%s'; did you mean '%s'?"
				    : "no rule '%s'; 'tracedb analyze --list' names them",
			  name, near.best);
}

/* Once. */
static int add_rule(struct args *a, const struct td_report *rule, struct td_err *err)
{
	for (size_t i = 0; i < a->nrules; i++)
		if (a->rules[i] == rule)
			return 0;
	if (rule->level == TD_NLEVELS)
		return td_err_set(
			err, -EINVAL,
			"'%s' is a report but no rule: its header has no '-- level:' line",
			rule->name);
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (td_grow(&a->rules, &a->rules_cap, a->nrules) < 0)
		return -ENOMEM;
	a->rules[a->nrules++] = rule;
	return 0;
}

/* Those that --rule names, separated by commas; all where there is none. */
static int choose_rules(struct args *a, const struct td_reports *set, struct td_err *err)
{
	const struct td_report *rule;
	int r = 0;

	for (size_t i = 0; i < set->n && !a->names.n && r == 0; i++) {
		r = td_reports_get(set, i, &rule, err);
		if (r == 0)
			r = add_rule(a, rule, err);
	}
	for (size_t i = 0; i < a->names.n && r == 0; i++)
		for (char *name = (char *)a->names.items[i], *comma; name && r == 0; name = comma) {
			comma = strchr(name, ',');
			if (comma)
				*comma++ = '\0';
			r = find_rule(set, name, &rule, err);
			if (r == 0)
				r = add_rule(a, rule, err);
		}
	return r;
}

/* "rule:name=value", cut in place. */
static int add_param(struct args *a, const struct td_reports *set, char *text, struct td_err *err)
{
	char *colon = strchr(text, ':'), *equals = colon ? strchr(colon, '=') : NULL;
	struct td_rule_arg value = { .rule = text };
	const struct td_report *rule;
	int r;

	if (!equals || colon == text || equals == colon + 1)
		return td_err_set(err, -EINVAL, "--param takes RULE:NAME=VALUE, not '%s'", text);
	*colon = *equals = '\0';
	value.arg = (struct td_arg){ colon + 1, equals + 1 };
	r = find_rule(set, text, &rule, err);
	if (r == 0)
		r = td_report_check_arg(rule, &value.arg, err);
	if (r < 0)
		return r;
	if (td_grow(&a->values, &a->values_cap, a->nvalues) < 0)
		return -ENOMEM;
	a->values[a->nvalues++] = value;
	return 0;
}

static int list_rules(const struct args *a, struct td_err *err)
{
	static const struct td_report_column columns[] = {
		{ "rule", "", TD_UNIT_TEXT, TD_BOUND_NONE },
		{ "level", "", TD_UNIT_TEXT, TD_BOUND_NONE },
		{ "title", "", TD_UNIT_TEXT, TD_BOUND_NONE },
	};
	struct td_table_head head = { .columns = columns, .ncolumns = TD_ARRAY_SIZE(columns) };
	struct td_writer_options shape = { 0 };
	_cleanup_(td_output_done) struct td_output out = { 0 };
	int r = td_output_open(&a->output, &shape, &out, err);

	if (r == 0)
		r = td_writer_table(out.w, &head);
	for (size_t i = 0; i < a->nrules && r == 0; i++) {
		const struct td_report *rule = a->rules[i];
		const char *texts[] = { rule->name, td_level_names[rule->level], rule->title };
		struct td_cell row[TD_ARRAY_SIZE(texts)];

		for (size_t k = 0; k < TD_ARRAY_SIZE(texts); k++)
			row[k] = (struct td_cell){ .type = TD_VALUE_TEXT,
						   .text = { texts[k], strlen(texts[k]) } };
		r = td_writer_row(out.w, row);
	}
	if (r == 0)
		r = td_writer_table_end(out.w);
	return r == 0 ? td_output_close(&out, err) : r;
}

/* What --help says of a rule. */
static void describe(const struct td_report *rule)
{
	printf("%s (%s): %s\n\n", rule->name, td_level_names[rule->level], rule->title);
	for (const char **line = rule->text; line && *line; line++)
		printf("%s\n", *line);
	printf("%sAdvice: %s\nUnless: %s\n", rule->text && *rule->text ? "\n" : "", rule->advice,
	       rule->unless);
	for (size_t i = 0; i < rule->nparams; i++)
		printf("%s  --param %s:%s=%s\n        %s\n", i ? "" : "\nThresholds:\n", rule->name,
		       rule->params[i].name, rule->params[i].value, rule->params[i].help);
	printf("\nEvidence:\n");
	for (size_t i = 0; i < rule->ncolumns; i++)
		printf("  %-20s %-8s %s\n", rule->columns[i].name,
		       td_unit_names[rule->columns[i].unit], rule->columns[i].help);
}

static int analyze(const struct args *a, char **dbs, size_t ndbs)
{
	struct td_run_rules run = {
		.rules = a->rules,
		.nrules = a->nrules,
		.dbs = dbs,
		.ndbs = ndbs,
		.args = a->values,
		.nargs = a->nvalues,
		.output = &a->output,
		.timeout_ns = a->timeout_ns,
	};
	struct td_rules_result result;
	struct td_err err = { 0 };
	int r = td_run_rules(&run, &result, &err);

	if (r < 0)
		return td_exit_of(r, &err);
	for (enum td_level l = a->fail_on; l < TD_NLEVELS; l++)
		if (result.found[l])
			return TD_EXIT_FINDING;
	return result.nlooked ? TD_EXIT_OK : TD_EXIT_INPUT;
}

static int run(const struct td_command *self, int argc, char **argv)
{
	_cleanup_(td_reports_done) struct td_reports set = { 0 };
	_cleanup_(args_done) struct args a = { .fail_on = TD_NLEVELS };
	_cleanup_free_ char *only = NULL;
	const struct td_option options[] = {
		TD_OPTIONS_OUTPUT(&a.output),
		{ "list", 'l', NULL, "list the rules", td_set_flag, &a.list },
		{ "rule", 'r', "NAME", "only this rule; several with commas", td_set_list,
		  &a.names },
		{ "rule-dir", 'Q', "DIR", "take rules from the *.sql there, too", td_set_list,
		  &a.dirs },
		{ "param", 'p', "RULE:NAME=VALUE", "set a threshold; --rule NAME --help has them",
		  td_set_list, &a.params },
		{ "fail-on", 0, "LEVEL", "exit 1 if there is a finding: info, warning or critical",
		  set_level, &a.fail_on },
		TD_OPTION_TIMEOUT(&a.timeout_ns),
		TD_OPTION_HELP(&a.help),
		{ 0 },
	};
	struct td_err err = { 0 };
	int first = 0, r = td_options_parse(options, argc, argv, &first, &err);

	if (r == 0)
		r = td_reports_load(&set, td_rules, a.dirs.items, a.dirs.n, &err);
	if (r == 0)
		r = choose_rules(&a, &set, &err);
	for (size_t i = 0; i < a.params.n && r == 0; i++)
		r = add_param(&a, &set, (char *)a.params.items[i], &err);
	if (r == 0 && a.help) {
		for (size_t i = 0; i < a.nrules && a.names.n; i++)
			describe(a.rules[i]);
		if (!a.names.n)
			td_options_help(self, options, stdout);
		return TD_EXIT_OK;
	}
	if (r == 0 && a.list) {
		r = list_rules(&a, &err);
		if (r == -EINVAL)
			return td_usage_error(self, &err);
		return r < 0 ? td_log_err(TD_EXIT_INPUT, &err) : TD_EXIT_OK;
	}
	if (r == 0 && first == argc)
		r = td_only_db(&only, &err);
	if (r < 0)
		return td_usage_error(self, &err);
	return only ? analyze(&a, &only, 1) : analyze(&a, argv + first, (size_t)(argc - first));
}

const struct td_command td_cmd_analyze = {
	.name = "analyze",
	.args = "[DB...]",
	.help = "say what is wrong, how sure that is, and what to do about it",
	.run = run,
};
