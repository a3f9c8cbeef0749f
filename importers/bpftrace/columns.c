/* SPDX-License-Identifier: MIT */
/* From what a program's printf() calls print to a row of its layout: the meaning of each column, and of the
 * row as a whole. */
#include "common/array.h"
#include "common/strbuf.h"
#include "importers/bpftrace/program.h"
#include "schema/ops.h"

int td_program_bad(struct td_program *g, const char *what)
{
	return td_err_set(g->err, -EINVAL, "'%s': line %u: %s", g->name, g->line, what);
}

/* "tracepoint:syscalls:sys_exit_openat" is the system call openat, "uretprobe:libc:fread" a function. */
static struct td_str op_of_probe(struct td_str probe, const enum td_layer **ret_layer)
{
	static const enum td_layer layers[] = { TD_LAYER_LIBC, TD_LAYER_SYSCALL, TD_LAYER_VFS };
	static const char *const prefixes[] = { "sys_enter_", "sys_exit_", "__x64_sys_",
						"__arm64_sys_" };
	const char *colon = td_str_rchr(probe, ':');
	struct td_str op = probe;

	if (colon)
		op = (struct td_str){ colon + 1, (size_t)(probe.p + probe.len - colon - 1) };
	*ret_layer = &layers[td_str_starts(probe, "u") ? 0 : 2];
	for (size_t i = 0; i < TD_ARRAY_SIZE(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (!td_str_starts(op, prefixes[i]))
			continue;
		*ret_layer = &layers[1];
		return (struct td_str){ op.p + n, op.len - n };
	}
	return op;
}

/* A constant that is the name of an operation ("openat()") says what the row is, else the probe does. */
static struct td_str op_of_row(const struct td_program *g, const enum td_layer **ret_layer)
{
	for (size_t i = 0; i < g->ncolumns; i++) {
		struct td_expr e = g->columns[i].expr;
		struct td_str s;

		if (e.n != 1 || e.t->type != TD_TOKEN_STRING)
			continue;
		s = e.t->s;
		if (td_str_ends(s, "()"))
			s.len -= 2;
		*ret_layer = NULL;
		if (strcmp(td_op_lookup(s.p, s.len)->verb, "other") != 0)
			return s;
	}
	return op_of_probe(g->probe, ret_layer);
}

/* The name that a header gives to a column: if one has as many names as the row has columns. */
static struct td_str column_name(const struct td_program *g, size_t column)
{
	for (size_t i = 0; i < g->nheaders; i++)
		if (g->headers[i].nnames == g->ncolumns)
			return g->names[g->headers[i].first_name + column];
	return (struct td_str){ "", 0 };
}

static bool is_text_word(const char *word)
{
	static const char *const texts[] = { "comm", "donecomm", "func", "disk",
					     "name", "path",     "file" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(texts); i++)
		if (strcmp(word, texts[i]) == 0)
			return true;
	return false;
}

/* Can a column with this conversion be that, and is it the first one that is? */
static bool fits(const struct td_program *g, size_t column, const char *word)
{
	bool text = g->columns[column].type == 's';

	if (strcmp(word, "rw") != 0 && word[0] != '=' && text != is_text_word(word))
		return false;
	for (size_t i = 0; i < column; i++)
		if (g->columns[i].meaning.word && strcmp(g->columns[i].meaning.word, word) == 0)
			return false;
	return true;
}

static void find_meaning(struct td_program *g, size_t column)
{
	struct td_program_column *c = &g->columns[column];
	struct td_meaning m;

	if (c->type == 'T' || c->expr.n == 0 || c->expr.t->type == TD_TOKEN_STRING)
		return;
	if ((td_expr_meaning(&g->assigned, c->expr, &m) && fits(g, column, m.word)) ||
	    (td_name_meaning(column_name(g, column), &m) && fits(g, column, m.word)) ||
	    (c->expr.t->type == TD_TOKEN_WORD && td_name_meaning(c->expr.t->s, &m) &&
	     fits(g, column, m.word)))
		c->meaning = m;
}

static bool row_has(const struct td_program *g, const char *word)
{
	for (size_t i = 0; i < g->ncolumns; i++)
		if (g->columns[i].meaning.word && strcmp(g->columns[i].meaning.word, word) == 0)
			return true;
	return false;
}

/* BYTES is the size of a block request, but what a call returned. */
static void settle_bytes(struct td_program *g)
{
	bool block = row_has(g, "disk") || row_has(g, "sector");
	const char *from = block ? "ret" : "bytes", *to = block ? "bytes" : "ret";

	for (size_t i = 0; i < g->ncolumns; i++) {
		struct td_meaning *m = &g->columns[i].meaning;

		if (m->word && strcmp(m->word, from) == 0)
			m->word = row_has(g, to) ? NULL : to;
	}
}

/* "=name": after the header, else after the map, the variable or the member that is printed. */
static void add_extra(struct td_program *g, size_t column, struct td_strbuf *args)
{
	struct td_str name = column_name(g, column);
	struct td_expr e = g->columns[column].expr;
	size_t from = args->len;

	for (size_t i = e.n; !name.len && i-- > 0;)
		if (e.t[i].type == TD_TOKEN_WORD &&
		    (i == 0 || e.t[0].type != TD_TOKEN_WORD || !strchr("@$", e.t[0].s.p[0])))
			name = e.t[i].s;
	if (!name.len) {
		td_strbuf_adds(args, " -");
		return;
	}
	td_strbuf_adds(args, " =");
	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c + 32);
		if ((c >= 'a' && c <= 'z') || td_is_digit(c))
			td_strbuf_addc(args, c);
		else if (args->len > from + 2 && i + 1 < name.len)
			td_strbuf_addc(args, '_');
	}
}

static int add_word(struct td_program *g, size_t column, size_t *extras, struct td_strbuf *args)
{
	const struct td_program_column *c = &g->columns[column];
	const struct td_meaning *m = &c->meaning;

	if (c->type == 'T')
		return 0;
	if (c->expr.n && c->expr.t->type == TD_TOKEN_STRING && c->expr.t->s.len && c->type == 's') {
		if (memchr(c->expr.t->s.p, '\'', c->expr.t->s.len) ||
		    memchr(c->expr.t->s.p, '\\', c->expr.t->s.len))
			return td_program_bad(
				g, "a quotation mark or a backslash in a constant column");
		td_strbuf_adds(args, " '");
		td_strbuf_add(args, c->expr.t->s.p, c->expr.t->s.len);
		td_strbuf_adds(args, "'");
	} else if (m->word && m->word[0] != '=') {
		td_strbuf_addf(args, " %s", m->word);
		if (m->scale != 1)
			td_strbuf_addf(args, "*%lld", (long long)m->scale);
	} else if (++*extras > TD_PATTERN_MAX_EXTRA) {
		td_strbuf_adds(args, " -");
	} else if (m->word) {
		td_strbuf_addf(args, " %s", m->word);
	} else {
		add_extra(g, column, args);
	}
	return 0;
}

static int store_row(struct td_program *g, const struct td_strbuf *args)
{
	struct td_layout_row row = { .op = NULL };
	struct td_str op = op_of_row(g, &row.layer);

	row.format = td_layout_set_own(g->set, strdup(td_strbuf_str(&g->text)));
	row.args = td_layout_set_own(g->set, strdup(td_strbuf_str(args)));
	row.op = td_layout_set_own(g->set, strndup(op.p, op.len));
	if (!row.format || !row.args || !row.op || td_grow(&g->rows, &g->rows_cap, g->nrows) < 0)
		return -ENOMEM;
	g->rows[g->nrows++] = row;
	return 0;
}

int td_program_end_row(struct td_program *g)
{
	_cleanup_(td_strbuf_done) struct td_strbuf args = TD_STRBUF_INIT;
	bool timed, plain = !g->text.len || g->text.p[0] != '%';
	size_t extras = 0;
	int r = 0;

	for (size_t i = 0; i < g->ncolumns; i++) {
		g->columns[i].meaning.word = NULL;
		find_meaning(g, i);
		if (g->columns[i].meaning.word && strcmp(g->columns[i].meaning.word, "ts") == 0)
			g->relative = g->columns[i].meaning.relative;
	}
	settle_bytes(g);
	for (size_t i = 0; i < g->ncolumns && r >= 0; i++)
		r = add_word(g, i, &extras, &args);
	timed = row_has(g, "ts");
	g->timed |= timed;
	if (!timed && !plain && !g->timeless_line)
		g->timeless_line = g->line;
	if (r >= 0 && (td_strbuf_error(&g->text) < 0 || td_strbuf_error(&args) < 0))
		r = -ENOMEM;
	/* blank lines are skipped anyway; what has neither time nor text could be any line */
	if (r >= 0 && (timed || (plain && g->text.len > 1)))
		r = store_row(g, &args);
	td_strbuf_reset(&g->text);
	g->ncolumns = 0;
	return r;
}
