/* SPDX-License-Identifier: MIT */
/*
 * The layout that a bpftrace program prints, read from the program: the printf() and time() calls of a
 * probe, joined up to the newline, are a row; what BEGIN prints are its headers.
 *
 *     BEGIN { printf("%-17s %-6s %-8s %s\n", "TIMESTAMP", "PID", "LAT(us)", "FILE"); }
 *     kprobe:vfs_fsync { @start[tid] = nsecs; @f[tid] = ((struct file *)arg0)->f_path.dentry->d_name.name; }
 *     kretprobe:vfs_fsync /@start[tid]/
 *     { printf("%-17lu %-6d %-8d %s\n", nsecs, pid, (nsecs - @start[tid]) / 1000, str(@f[tid])); }
 *
 * What a column means is read from the expression that is printed; where that does not tell, from the
 * column's header (as long as there is one for each column of the row) and at last from the name of the
 * map. Columns that nobody can explain are kept as arguments under their names. The operation is the
 * function or system call of the probe, or what a FUNC column says.
 *
 * Only the program's text is looked at: both branches of an if are taken to print. Rows without nsecs (or
 * elapsed) but with text of their own are recognised and skipped.
 */
#include "common/array.h"
#include "common/strbuf.h"
#include "importers/bpftrace/program.h"

#define MAX_PROGRAM ((size_t)4 * 1024 * 1024)

static void program_done(struct td_program *g)
{
	free(g->tokens.items);
	free(g->assigned.items);
	free(g->headers);
	free(g->names);
	free(g->rows);
	td_strbuf_done(&g->text);
}

/* --- headers: what BEGIN prints --- */

static int end_header(struct td_program *g)
{
	struct td_program_header h = { .first_name = g->first_name,
				       .nnames = g->nnames - g->first_name };
	struct td_strbuf *b = &g->text;

	while (b->len && b->p[b->len - 1] == ' ')
		b->p[--b->len] = '\0';
	g->first_name = g->nnames;
	if (td_strbuf_error(b) < 0)
		return -ENOMEM;
	if (!b->len)
		return 0;
	h.text = td_layout_set_own(g->set, strdup(b->p));
	td_strbuf_reset(b);
	if (!h.text || td_grow(&g->headers, &g->headers_cap, g->nheaders) < 0)
		return -ENOMEM;
	g->headers[g->nheaders++] = h;
	return 0;
}

/* Blanks count as one. */
static void header_char(struct td_program *g, char c)
{
	if (c == '\t')
		c = ' ';
	if (c != ' ' || (g->text.len && g->text.p[g->text.len - 1] != ' '))
		td_strbuf_addc(&g->text, c);
}

/* What %s prints in a header is the name of a column. */
static int header_name(struct td_program *g, struct td_expr arg)
{
	if (arg.n != 1 || arg.t->type != TD_TOKEN_STRING)
		return 0;
	if (td_grow(&g->names, &g->names_cap, g->nnames) < 0)
		return -ENOMEM;
	g->names[g->nnames++] = arg.t->s;
	for (size_t i = 0; i < arg.t->s.len; i++)
		header_char(g, arg.t->s.p[i]);
	return 0;
}

/* --- statements --- */

static int end_line(struct td_program *g)
{
	return g->in_begin ? end_header(g) : td_program_end_row(g);
}

static int add_char(struct td_program *g, char c)
{
	if (g->in_begin && c != '\n')
		header_char(g, c);
	else if (!g->in_begin)
		td_strbuf_addc(&g->text, c);
	return c == '\n' ? end_line(g) : 0;
}

/* strftime("%H:%M:%S", nsecs) is a reading of the clock as time() is. */
static bool is_strftime(struct td_expr e)
{
	return e.n > 3 && td_token_is(&e.t[0], "strftime") && e.t[2].type == TD_TOKEN_STRING &&
	       td_str_eq(e.t[2].s, "%H:%M:%S");
}

static int add_column(struct td_program *g, char type, struct td_expr e)
{
	if (g->ncolumns == TD_PATTERN_MAX_OPS)
		return td_program_bad(g, "too many columns");
	g->columns[g->ncolumns++] = (struct td_program_column){ .type = type, .expr = e };
	return 0;
}

/* A conversion; s is behind its '%'. */
static int add_conversion(struct td_program *g, struct td_scan *s, struct td_expr e)
{
	const char *from = s->p;

	while (s->p < s->end && strchr("-+ #0123456789.hljzt", *s->p) && *s->p)
		s->p++;
	if (s->p == s->end || !strchr("diuxXpsc", *s->p) || !*s->p)
		return td_program_bad(g, "a conversion in printf() that is not understood");
	s->p++;
	if (g->in_begin)
		return header_name(g, e);
	if (is_strftime(e)) {
		td_strbuf_adds(&g->text, "%H:%M:%S");
		return add_column(g, 'T', e);
	}
	td_strbuf_addc(&g->text, '%');
	td_strbuf_add(&g->text, from, (size_t)(s->p - from));
	return add_column(g, s->p[-1], e);
}

/* Takes the next argument off the list. */
static struct td_expr next_arg(struct td_expr *args)
{
	struct td_expr e = { args->t, 0 };

	while (e.n < args->n && !td_token_is(&args->t[e.n], ",")) {
		bool open = td_token_is(&args->t[e.n], "(") || td_token_is(&args->t[e.n], "[");

		e.n = open ? td_token_close(args->t, args->n, e.n) + 1 : e.n + 1;
	}
	e.n = TD_MIN(e.n, args->n);
	args->t += e.n;
	args->n -= e.n;
	if (args->n) { /* the comma */
		args->t++;
		args->n--;
	}
	return e;
}

/* printf("format", a, b): args is what stands in the brackets. */
static int read_printf(struct td_program *g, struct td_expr args)
{
	struct td_expr format = next_arg(&args);
	struct td_scan s;
	int r = 0;

	if (format.n != 1 || format.t->type != TD_TOKEN_STRING)
		return td_program_bad(g, "printf() without a format");
	s = td_scan_of(format.t->s.p, format.t->s.len);
	while (s.p < s.end && r >= 0) {
		if (*s.p != '%') {
			r = add_char(g, td_token_unescape(&s));
		} else if (s.end - s.p > 1 && s.p[1] == '%') {
			return td_program_bad(g, "'%%' in printf() is not understood");
		} else if (!args.n) {
			return td_program_bad(g, "printf() has fewer arguments than conversions");
		} else {
			s.p++;
			r = add_conversion(g, &s, next_arg(&args));
		}
	}
	return r;
}

/* time("%H:%M:%S  "); without a format it ends the line. */
static int read_time(struct td_program *g, struct td_expr args)
{
	static const char tod[] = "%H:%M:%S";
	struct td_str f = { "%H:%M:%S\\n", strlen("%H:%M:%S\\n") };
	struct td_scan s;
	int r = 0;

	if (args.n && args.t->type == TD_TOKEN_STRING)
		f = args.t->s;
	s = td_scan_of(f.p, f.len);
	while (s.p < s.end && r >= 0) {
		if (*s.p != '%') {
			r = add_char(g, td_token_unescape(&s));
		} else if (!td_scan_literal(&s, tod)) {
			return td_program_bad(g, "a format of time() other than %H:%M:%S");
		} else if (!g->in_begin) {
			td_strbuf_adds(&g->text, tod);
			r = add_column(g, 'T', (struct td_expr){ NULL, 0 });
		}
	}
	return r;
}

/* $x = expr or @x[...] = expr at t[i]: remembers it. sigil: which of the two is asked for. */
static int read_assignment(struct td_program *g, size_t i, size_t end, char sigil)
{
	const struct td_token *t = g->tokens.items;
	size_t at = i + 1, to;

	if (t[i].type != TD_TOKEN_WORD || t[i].s.p[0] != sigil)
		return 0;
	if (at < end && td_token_is(&t[at], "["))
		at = td_token_close(t, end, at) + 1;
	if (at >= end || !td_token_is(&t[at], "="))
		return 0;
	for (to = ++at; to < end && !td_token_is(&t[to], ";") && !td_token_is(&t[to], "}");)
		to++;
	if (td_grow(&g->assigned.items, &g->assigned.cap, g->assigned.n) < 0)
		return -ENOMEM;
	g->assigned.items[g->assigned.n++] = (struct td_assignment){ t[i].s, { t + at, to - at } };
	return 0;
}

static int read_statement(struct td_program *g, size_t i, size_t end)
{
	const struct td_token *t = g->tokens.items;
	struct td_expr args;
	size_t close;

	if (i + 1 >= end || t[i].type != TD_TOKEN_WORD || !td_token_is(&t[i + 1], "("))
		return 0;
	close = td_token_close(t, end, i + 1);
	if (close == end)
		return 0;
	args = (struct td_expr){ t + i + 2, close - i - 2 };
	g->line = t[i].line;
	if (td_str_eq(t[i].s, "printf"))
		return read_printf(g, args);
	return td_str_eq(t[i].s, "time") ? read_time(g, args) : 0;
}

/* The body of a probe: tokens from..to. */
static int read_body(struct td_program *g, size_t from, size_t to)
{
	size_t maps = g->assigned.n;
	int r = 0;

	g->in_begin = td_str_eq(g->probe, "BEGIN") || td_str_eq(g->probe, "begin");
	for (size_t i = from; i < to && r >= 0; i++)
		r = read_assignment(g, i, to, '$');
	for (size_t i = from; i < to && r >= 0; i++)
		r = read_statement(g, i, to);
	/* without a newline at its end: the next event follows on the same line */
	if (r >= 0 && g->text.len)
		r = end_line(g);
	g->assigned.n = maps;
	return r;
}

/* "kprobe:vfs_read, kprobe:vfs_write /filter/ {": the first one. */
static struct td_str probe_at(const struct td_token *t, const char *end)
{
	const char *p = t->s.p;

	while (p < end && !strchr(" \t\r\n,{", *p))
		p++;
	return (struct td_str){ t->s.p, (size_t)(p - t->s.p) };
}

static int read_probes(struct td_program *g, const char *end)
{
	const struct td_token *t = g->tokens.items;
	size_t n = g->tokens.n, open, close;
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = read_assignment(g, i, n, '@');
	for (size_t i = 0; i < n && r >= 0; i = close + 1) {
		g->line = t[i].line;
		for (open = i; open < n && !td_token_is(&t[open], "{");)
			open++;
		close = open < n ? td_token_close(t, n, open) : n;
		if (close == n)
			return td_program_bad(g, "a probe without its block");
		g->probe = probe_at(&t[i], end);
		r = read_body(g, open + 1, close);
	}
	return r;
}

static int add_layout(struct td_program *g)
{
	struct td_layout l = { .clock = g->relative ? TD_CLOCK_RELATIVE : TD_CLOCK_NONE };
	const char **headers = td_layout_set_own(g->set, calloc(g->nheaders + 1, sizeof(*headers)));
	struct td_layout_row *rows = td_layout_set_own(g->set, calloc(g->nrows + 1, sizeof(*rows)));
	const char *slash = strrchr(g->name, '/');
	struct td_err why = { "" };
	char *name = NULL;
	int r;

	if (asprintf(&name, "user:%s", slash ? slash + 1 : g->name) < 0)
		name = NULL;
	l.name = td_layout_set_own(g->set, name);
	if (!headers || !rows || !l.name)
		return -ENOMEM;
	for (size_t i = 0; i < g->nheaders; i++)
		headers[i] = g->headers[i].text;
	if (g->nrows)
		memcpy(rows, g->rows, g->nrows * sizeof(*rows));
	l.headers = headers;
	l.rows = rows;
	r = td_layout_set_add(g->set, &l, &why);
	return r == -EINVAL || r == -E2BIG ? td_err_set(g->err, r, "'%s': %s", g->name, why.msg)
					   : r;
}

int td_bpftrace_program_text(const char *name, const char *text, size_t len,
			     struct td_layout_set *set, struct td_err *err)
{
	_cleanup_(program_done) struct td_program g = { .name = name, .set = set, .err = err };
	int r;

	r = td_tokens_scan(&g.tokens, text, text + len, name, err);
	if (r >= 0)
		r = read_probes(&g, text + len);
	if (r < 0)
		return r;
	if (g.timed)
		return add_layout(&g);
	g.line = g.timeless_line;
	if (!g.line)
		return td_err_set(err, -EINVAL, "'%s': no printf() that prints an event", name);
	return td_program_bad(&g, "an event is printed without nsecs, so its time is unknown");
}

int td_bpftrace_program(const char *path, struct td_layout_set *set, struct td_err *err)
{
	_cleanup_free_ char *text = malloc(MAX_PROGRAM);
	_cleanup_fclose_ FILE *f = NULL;
	size_t n;

	if (!text)
		return -ENOMEM;
	f = fopen(path, "rbe");
	if (!f)
		return td_err_errno(err, -errno, "cannot open '%s'", path);
	n = fread(text, 1, MAX_PROGRAM, f);
	if (ferror(f))
		return td_err_errno(err, -EIO, "cannot read '%s'", path);
	if (n == MAX_PROGRAM)
		return td_err_set(err, -E2BIG, "'%s': too long for a bpftrace program", path);
	return td_bpftrace_program_text(path, text, n, set, err);
}
