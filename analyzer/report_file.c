/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/scan.h"
#include "common/utf8.h"
#include "analyzer/report_file.h"
#include "analyzer/vocabulary.h"

const char *const td_level_names[TD_NLEVELS] = {
	[TD_LEVEL_INFO] = "info",
	[TD_LEVEL_WARNING] = "warning",
	[TD_LEVEL_CRITICAL] = "critical",
};

enum td_level td_level_find(const char *name)
{
	enum td_level l = TD_LEVEL_INFO;

	while (l < TD_NLEVELS && strcmp(td_level_names[l], name) != 0)
		l++;
	return l;
}

const struct td_report_group td_report_groups[TD_NREPORT_GROUPS] = {
	{ "overview", "Where to begin" },
	{ "time", "Where did the time go, and what failed?" },
	{ "files", "Which files, and how were they used?" },
	{ "disks", "What did the disks and other devices do?" },
	{ "gpu", "What did the GPUs do, and why did they wait?" },
	{ "processes", "Which processes, and what did the CPUs do?" },
	{ "data", "What is in the database, and can it be trusted?" },
	{ "own", "Your own" },
};

struct parser {
	struct td_report *rep;
	size_t param_cap, column_cap;
	const char *when; /* what the filter 'time' is about; NULL: not said */
	size_t line_no;
	struct td_err *err;
};

static int fail(struct parser *p, const char *what, const char *subject)
{
	return td_err_set(p->err, -EINVAL, "report '%s': line %zu: %s '%s'", p->rep->name,
			  p->line_no, what, subject);
}

/* Keeps the text until the report goes, or frees it. NULL: no memory, now or when it was made. */
static char *keep(struct parser *p, char *text)
{
	struct td_report *rep = p->rep;

	/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
	if (text && td_grow(&rep->kept, &rep->kept_cap, rep->nkept) < 0) {
		free(text);
		return NULL;
	}
	if (text)
		rep->kept[rep->nkept++] = text;
	return text;
}

/* Cuts the word at *text off with a NUL and moves *text behind it and the blanks; "" at the end. */
static char *take_word(char **text)
{
	char *word = *text + strspn(*text, " \t");
	char *end = word + strcspn(word, " \t");

	*text = end + strspn(end, " \t");
	*end = '\0';
	return word;
}

static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n && strchr(" \t\r", text[n - 1]))
		text[--n] = '\0';
	return text;
}

static bool is_name(const char *name)
{
	return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* A NULL-ended array of the words between the separators; what: for the message if one is no name. */
static int parse_list(struct parser *p, char *text, char separator, const char *what,
		      const char ***ret)
{
	const char **list;
	size_t n = 1;

	if (*ret)
		return fail(p, "a second list", text);
	for (const char *c = text; *c; c++)
		n += *c == separator;
	list = calloc(n + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	*ret = list;
	for (char *c = text; c; list++) {
		char *end = strchr(c, separator);

		if (end)
			*end++ = '\0';
		*list = trim(c);
		if (!is_name(*list))
			return fail(p, what, *list);
		c = end;
	}
	return 0;
}

static const char not_a_table[] = "not the name of a table:";

static int parse_needs(struct parser *p, char *text)
{
	return parse_list(p, text, ',', not_a_table, &p->rep->needs);
}

static int parse_needs_any(struct parser *p, char *text)
{
	return parse_list(p, text, ',', not_a_table, &p->rep->needs_any);
}

static int parse_uses(struct parser *p, char *text)
{
	return parse_list(p, text, ',', not_a_table, &p->rep->uses);
}

static int parse_shell(struct parser *p, char *text)
{
	return parse_list(p, text, ',', not_a_table, &p->rep->shell);
}

static int parse_timed(struct parser *p, char *text)
{
	return parse_list(p, text, ',', not_a_table, &p->rep->timed);
}

static int parse_files(struct parser *p, char *text)
{
	p->rep->files = text;
	return is_name(text) ? 0 : fail(p, not_a_table, text);
}

static struct td_report_column *column_of(const struct td_report *rep, struct td_str name)
{
	for (size_t i = 0; i < rep->ncolumns; i++)
		if (td_str_eq(name, rep->columns[i].name))
			return &rep->columns[i];
	return NULL;
}

const struct td_report_column *td_report_column(const struct td_report *rep, const char *name)
{
	return column_of(rep, (struct td_str){ name, strlen(name) });
}

/* What a line says of the columns that it names. */
struct said {
	enum td_bound loss;
	enum td_better better;
};

static void set_loss(struct td_report_column *c, const struct said *said)
{
	c->loss = said->loss;
}

static void set_better(struct td_report_column *c, const struct said *said)
{
	c->better = said->better;
}

static int parse_columns(struct parser *p, char *text, const struct said *said,
			 void (*set)(struct td_report_column *c, const struct said *said))
{
	_cleanup_free_ const char **names = NULL;
	int r = parse_list(p, text, ',', "not the name of a column:", &names);

	for (size_t i = 0; r == 0 && names[i]; i++) {
		struct td_report_column *c =
			column_of(p->rep, (struct td_str){ names[i], strlen(names[i]) });

		if (!c)
			return fail(p, "no column above is called", names[i]);
		c->listed = false;
		set(c, said);
	}
	return r;
}

static int parse_loss(struct parser *p, char *text)
{
	const char *direction = take_word(&text);
	struct said said = { .loss = td_bound_find(direction) };

	if (said.loss == TD_NBOUNDS)
		return fail(p, "unknown direction of a loss:", direction);
	return parse_columns(p, text, &said, set_loss);
}

static int parse_better(struct parser *p, char *text)
{
	static const char *const ways[TD_NBETTERS] = {
		[TD_BETTER_SHORTER] = "shorter",
		[TD_BETTER_LOWER] = "lower",
		[TD_BETTER_HIGHER] = "higher",
	};
	const char *way = take_word(&text);
	struct said said = { .better = TD_BETTER_SHORTER };

	while (said.better < TD_NBETTERS && strcmp(ways[said.better], way) != 0)
		said.better++;
	if (said.better == TD_NBETTERS)
		return fail(p, "better is shorter, lower or higher, not", way);
	return parse_columns(p, text, &said, set_better);
}

static void set_for_programs(struct td_report_column *c, const struct said *said)
{
	c->for_programs = true;
}

static int parse_numbers(struct parser *p, char *text)
{
	return parse_columns(p, text, NULL, set_for_programs);
}

static void set_kept(struct td_report_column *c, const struct said *said)
{
	c->kept = true;
}

static int parse_keep(struct parser *p, char *text)
{
	return parse_columns(p, text, NULL, set_kept);
}

static int parse_findings(struct parser *p, char *text)
{
	char *end;

	p->rep->nfindings = strtoul(text, &end, 10);
	return *end || !p->rep->nfindings ? fail(p, "not a number of findings:", text) : 0;
}

static int parse_weigh(struct parser *p, char *text)
{
	if (!td_report_column(p->rep, text))
		return fail(p, "no column above is called", text);
	p->rep->weigh = text;
	return 0;
}

static int parse_title(struct parser *p, char *text)
{
	p->rep->title = text;
	return 0;
}

static int parse_group(struct parser *p, char *text)
{
	for (size_t i = 0; i < TD_NREPORT_GROUPS; i++) {
		if (strcmp(td_report_groups[i].name, text) == 0) {
			p->rep->group = &td_report_groups[i];
			return 0;
		}
	}
	return fail(p, "no group of reports:", text);
}

static int parse_order(struct parser *p, char *text)
{
	p->rep->order = text;
	return 0;
}

static int parse_layout(struct parser *p, char *text)
{
	p->rep->record = strcmp(text, "record") == 0;
	p->rep->page = strcmp(text, "page") == 0;
	return p->rep->record || p->rep->page ? 0 : fail(p, "unknown layout", text);
}

static int parse_level(struct parser *p, char *text)
{
	p->rep->level = td_level_find(text);
	return p->rep->level < TD_NLEVELS ? 0 : fail(p, "no level of a finding:", text);
}

static int parse_finding(struct parser *p, char *text)
{
	p->rep->finding = text;
	return 0;
}

static int parse_advice(struct parser *p, char *text)
{
	p->rep->advice = text;
	return 0;
}

static int parse_unless(struct parser *p, char *text)
{
	p->rep->unless = text;
	return 0;
}

static int parse_none(struct parser *p, char *text)
{
	p->rep->none = text;
	return 0;
}

/* Cuts "value -- help" in two; without ' -- ' all of it is the value. */
static const char *cut_help(char *text)
{
	char *dashes = strncmp(text, "-- ", 3) == 0 ? text : strstr(text, " -- ");

	if (!dashes)
		return "";
	if (dashes == text) {
		*text = '\0';
		return text + 3;
	}
	*dashes = '\0';
	return trim(dashes + 4);
}

/* The parameter can only be what stands in the list; its default has to be in it. */
static int parse_values(struct parser *p, struct td_report_param *param, char *list)
{
	int r = parse_list(p, list, '|', "not a value of a parameter:", &param->values);

	if (r == 0 && *param->value && !td_report_param_can(param, param->value))
		return fail(p, "the parameter cannot have its default", param->value);
	return r;
}

/* Where the parameter of that name goes: where the filters have it, else behind the others. */
static int place_param(struct parser *p, const char *name, struct td_report_param **ret)
{
	struct td_report *rep = p->rep;

	for (size_t i = 0; i < rep->nparams; i++) {
		if (strcmp(rep->params[i].name, name) != 0)
			continue;
		*ret = &rep->params[i];
		return rep->params[i].listed ? 0 : fail(p, "a second parameter", name);
	}
	if (td_grow(&rep->params, &p->param_cap, rep->nparams) < 0)
		return -ENOMEM;
	*ret = &rep->params[rep->nparams++];
	return 0;
}

static const bool is_param_type[TD_NUNITS] = {
	[TD_UNIT_TEXT] = true,  [TD_UNIT_INTEGER] = true, [TD_UNIT_COUNT] = true,
	[TD_UNIT_REAL] = true,  [TD_UNIT_BYTES] = true,   [TD_UNIT_DUR_NS] = true,
	[TD_UNIT_TS_NS] = true,
};

static int parse_param(struct parser *p, char *text)
{
	struct td_report_param *param;
	const char *name = take_word(&text);
	char *type = take_word(&text), *values = strchr(type, '|') ? type : NULL;
	const char *help = cut_help(text);
	enum td_unit unit = values ? TD_UNIT_TEXT : td_unit_find(type);
	int r;

	if (!is_name(name))
		return fail(p, "not the name of a parameter:", name);
	if (!is_param_type[unit])
		return fail(p, "unknown type of a parameter:", type);
	r = place_param(p, name, &param);
	if (r < 0)
		return r;
	text = trim(text);
	*param = (struct td_report_param){
		.name = name,
		.type = unit,
		.value = strcmp(text, "NULL") == 0 ? "" : text,
		.help = help,
	};
	return values ? parse_values(p, param, values) : 0;
}

/* What the vocabulary has of the kind and name, as a line of a head; NULL: no more from *at on. */
static int next_word(struct parser *p, const char **at, const char *kind, const char *name,
		     char **ret)
{
	struct td_str word = td_vocabulary_next(at, kind, name);

	*ret = word.p ? keep(p, strndup(word.p, word.len)) : NULL;
	return word.p && !*ret ? -ENOMEM : 0;
}

/* value: its default; "": what the vocabulary says. */
static int add_filter(struct parser *p, const char *name, const char *value)
{
	size_t before = p->rep->nparams;
	const char *at = NULL;
	char *line;
	int r;

	while ((r = next_word(p, &at, "param", name, &line)) == 0 && line) {
		r = parse_param(p, line);
		if (r < 0)
			return r;
	}
	if (r == 0 && p->rep->nparams == before)
		return fail(p, "no filter, or a second one:", name);
	for (size_t i = before; i < p->rep->nparams; i++) {
		p->rep->params[i].listed = true;
		if (*value)
			p->rep->params[i].value = value;
	}
	return r;
}

static int parse_filters(struct parser *p, char *text)
{
	int r = 0;

	for (char *end; text && r == 0; text = end) {
		const char *name;

		end = strchr(text, ',');
		if (end)
			*end++ = '\0';
		text = trim(text);
		name = take_word(&text);
		r = is_name(name) ? add_filter(p, name, text)
				  : fail(p, "not the name of a filter:", name);
	}
	return r;
}

static int parse_time(struct parser *p, char *text)
{
	p->when = text;
	return 0;
}

/* Where the column of that name goes: where 'columns' has it, else behind the others. */
static int place_column(struct parser *p, const char *name, struct td_report_column **ret)
{
	struct td_report *rep = p->rep;
	struct td_report_column *c = column_of(rep, (struct td_str){ name, strlen(name) });

	*ret = c;
	if (c)
		return c->listed
			       ? 0
			       : fail(p,
				      "a second column, or one that a line above is about:", name);
	if (td_grow(&rep->columns, &p->column_cap, rep->ncolumns) < 0)
		return -ENOMEM;
	*ret = &rep->columns[rep->ncolumns++];
	return 0;
}

static int parse_column(struct parser *p, char *text)
{
	struct td_report_column *c;
	const char *name = take_word(&text), *type = take_word(&text);
	enum td_unit unit = td_unit_find(type);
	int r;

	if (!is_name(name))
		return fail(p, "not the name of a column:", name);
	if (unit == TD_UNIT_ANY)
		return fail(p, "unknown unit of a column:", type);
	r = place_column(p, name, &c);
	if (r < 0)
		return r;
	*c = (struct td_report_column){
		.name = name, .unit = unit, .help = text, .loss = td_bound_default(unit)
	};
	return 0;
}

/* A column of which the head has the name: as the vocabulary has it, or without a unit until its own line comes. */
static int list_column(struct parser *p, const char *name)
{
	struct td_report_column *c = column_of(p->rep, (struct td_str){ name, strlen(name) });
	const char *at = NULL;
	char *line;
	int r;

	if (c)
		return fail(p, "a second column", name);
	r = next_word(p, &at, "column", name, &line);
	if (r < 0)
		return r;
	r = place_column(p, name, &c);
	if (r < 0)
		return r;
	*c = (struct td_report_column){ .name = name, .unit = TD_UNIT_ANY, .help = "" };
	if (line) {
		c->unit = td_unit_find(take_word(&line));
		c->help = line;
		c->loss = td_bound_default(c->unit);
	}
	c->listed = true;
	return 0;
}

static int parse_column_list(struct parser *p, char *text)
{
	_cleanup_free_ const char **names = NULL;
	int r = parse_list(p, text, ',', "not the name of a column:", &names);

	for (size_t i = 0; r == 0 && names[i]; i++)
		r = list_column(p, names[i]);
	return r;
}

static const struct {
	const char *key;
	int (*parse)(struct parser *p, char *text);
} keys[] = {
	{ "title", parse_title },       { "group", parse_group },
	{ "needs", parse_needs },       { "needs-any", parse_needs_any },
	{ "param", parse_param },       { "column", parse_column },
	{ "order", parse_order },       { "layout", parse_layout },
	{ "loss", parse_loss },         { "uses", parse_uses },
	{ "level", parse_level },       { "finding", parse_finding },
	{ "advice", parse_advice },     { "numbers", parse_numbers },
	{ "findings", parse_findings }, { "unless", parse_unless },
	{ "better", parse_better },     { "weigh", parse_weigh },
	{ "shell", parse_shell },       { "timed", parse_timed },
	{ "filters", parse_filters },   { "columns", parse_column_list },
	{ "time", parse_time },         { "keep", parse_keep },
	{ "files", parse_files },       { "none", parse_none },
};

/* line: behind the dashes. */
static int parse_key_line(struct parser *p, char *line)
{
	char *colon = strchr(line, ':'), *key = line + strspn(line, " \t");

	if (!colon)
		return fail(p,
			    "not a 'key: value' line; free text comes after a line of '--' only:",
			    trim(line));
	*colon = '\0';
	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++)
		if (strcmp(keys[i].key, key) == 0)
			return keys[i].parse(p, trim(colon + 1));
	return fail(p, "unknown key", key);
}

/* Takes the next line of the comment off *text and returns what is behind its dashes; NULL at its end. */
static char *next_comment(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (strncmp(line, "--", 2) != 0)
		return NULL;
	*text = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line + 2;
}

static int parse_free_text(struct parser *p, char **text)
{
	size_t n = 0, cap = 0;
	char *line;

	do {
		if (td_grow(&p->rep->text, &cap, n) < 0)
			return -ENOMEM;
		line = next_comment(text);
		if (line && (*line == ' ' || *line == '\t'))
			line++;
		if (line)
			line[strcspn(line, "\r")] = '\0';
		p->rep->text[n++] = line;
	} while (line);
	return 0;
}

static int parse_header(struct parser *p, char *text)
{
	char *line;
	int r = 0;

	while (r == 0 && (line = next_comment(&text))) {
		p->line_no++;
		if (!*trim(line))
			return parse_free_text(p, &text);
		r = parse_key_line(p, line);
	}
	return r;
}

bool td_template_next(const struct td_report *rep, const char **text, struct td_str *ret_plain,
		      const struct td_report_column **ret_a, const struct td_report_column **ret_b)
{
	const char *open = strchr(*text, '{'), *close = open ? strchr(open, '}') : NULL;
	struct td_str all = { *text, strlen(*text) }, a, b;
	const char *dots;

	if (!close) {
		*ret_plain = all;
		*text += all.len;
		return false;
	}
	*ret_plain = (struct td_str){ *text, (size_t)(open - *text) };
	a = b = (struct td_str){ open + 1, (size_t)(close - open - 1) };
	dots = memmem(a.p, a.len, "..", 2);
	if (dots) {
		a.len = (size_t)(dots - a.p);
		b = (struct td_str){ dots + 2, (size_t)(close - dots - 2) };
	}
	*ret_a = column_of(rep, a);
	*ret_b = column_of(rep, b);
	*text = close + 1;
	return true;
}

/* Are the {...} of a rule's text columns? */
static int check_template(struct parser *p, const char *text)
{
	const struct td_report_column *a = NULL, *b = NULL;
	struct td_str plain;

	while (td_template_next(p->rep, &text, &plain, &a, &b))
		if (!a || !b)
			return td_err_set(
				p->err, -EINVAL,
				"rule '%s': there is a {...} that is no column, before '%s'",
				p->rep->name, text);
	return 0;
}

/* A rule has all that makes one. */
static int complete_rule(struct parser *p)
{
	const struct td_report *rep = p->rep;
	const char *missing = rep->level == TD_NLEVELS ? "level"
			      : !*rep->finding         ? "finding"
			      : !*rep->advice          ? "advice"
			      : !*rep->unless          ? "unless"
						       : NULL;
	int r;

	if (rep->level == TD_NLEVELS && !*rep->finding && !*rep->advice && !*rep->unless)
		return 0;
	if (missing)
		return td_err_set(p->err, -EINVAL, "rule '%s': its header has no '-- %s:' line",
				  rep->name, missing);
	r = check_template(p, rep->finding);
	if (r == 0)
		r = check_template(p, rep->advice);
	return r < 0 ? r : check_template(p, rep->unless);
}

/* The vocabulary leaves open what the filter 'time' is about: {}. */
static int say_when(struct parser *p)
{
	static const char open[] = "{}";
	bool said = false;

	for (size_t i = 0; i < p->rep->nparams; i++) {
		struct td_report_param *param = &p->rep->params[i];
		const char *gap = param->listed ? strstr(param->help, open) : NULL;
		char *help;

		if (!gap)
			continue;
		if (asprintf(&help, "%.*s%s%s", (int)(gap - param->help), param->help,
			     p->when ? p->when : "calls that start", gap + strlen(open)) < 0)
			return -ENOMEM;
		param->help = keep(p, help);
		if (!param->help)
			return -ENOMEM;
		said = true;
	}
	return said || !p->when
		       ? 0
		       : td_err_set(p->err, -EINVAL, "report '%s': '-- time:' is about no filter",
				    p->rep->name);
}

static int complete(struct parser *p)
{
	struct td_report *rep = p->rep;
	int r;

	for (size_t i = 0; i < rep->ncolumns; i++)
		if (rep->columns[i].unit == TD_UNIT_ANY)
			return td_err_set(p->err, -EINVAL,
					  "report '%s': its header has no '-- column: %s' line",
					  rep->name, rep->columns[i].name);

	if (!*rep->title || !*rep->order || !rep->ncolumns)
		return td_err_set(p->err, -EINVAL, "report '%s': its header has no '-- %s:' line",
				  rep->name,
				  !*rep->title  ? "title"
				  : *rep->order ? "column"
						: "order");
	if (*rep->files && !td_report_main_select(rep))
		return td_err_set(
			p->err, -EINVAL,
			"report '%s': '-- files: %s' is of no table of a WITH before its SELECT",
			rep->name, rep->files);
	r = say_when(p);
	return r < 0 ? r : complete_rule(p);
}

/* The comment that the text begins with is printed by --help: nothing in it may act on a terminal. */
static int check_plain(struct parser *p, const char *text)
{
	for (const char *end; strncmp(text, "--", 2) == 0; text = end + (*end == '\n')) {
		end = text + strcspn(text, "\n");
		p->line_no++;
		while (text < end) {
			uint32_t cp = 0;
			size_t n = td_utf8_decode(text, (size_t)(end - text), &cp);

			if (n == 0 || (td_acts_on_terminal(cp) && cp != '\t' && cp != '\r'))
				return fail(p,
					    "a character that is not for print, in the comment of",
					    p->rep->name);
			text += n;
		}
	}
	p->line_no = 0;
	return 0;
}

int td_report_parse(const char *name, const char *text, struct td_report **ret, struct td_err *err)
{
	_cleanup_(td_report_freep) struct td_report *rep = calloc(1, sizeof(*rep));
	size_t name_size = strlen(name) + 1, text_size = strlen(text) + 1;
	struct parser p = { .rep = rep, .err = err };
	int r;

	if (!rep)
		return -ENOMEM;
	/* name, text, and the text again to be cut into pieces */
	rep->buf = malloc(name_size + 2 * text_size);
	if (!rep->buf)
		return -ENOMEM;
	memcpy(rep->buf, name, name_size);
	memcpy(rep->buf + name_size, text, text_size);
	memcpy(rep->buf + name_size + text_size, text, text_size);
	rep->name = rep->buf;
	rep->sql = rep->buf + name_size;
	rep->title = rep->order = rep->finding = rep->advice = rep->unless = rep->none =
		rep->weigh = rep->files = "";
	rep->group = &td_report_groups[TD_NREPORT_GROUPS - 1];
	rep->level = TD_NLEVELS;
	r = check_plain(&p, text);
	if (r == 0)
		r = parse_header(&p, rep->buf + name_size + text_size);
	if (r == 0)
		r = complete(&p);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(rep);
	return 0;
}
