/* SPDX-License-Identifier: MIT */
/* A tree: what takes a half of a percent and more, the largest first. */
#include <inttypes.h>

#include "analyzer/flame/render.h"
#include "analyzer/timeline/timeline.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "common/units.h"

#define SHARE_MIN 200 /* of all: one of so many */
#define BAR 10 /* columns */
#define STEPS_MAX 40 /* to the right */

char *td_flame_name(const struct td_flame *f, uint32_t node)
{
	const struct td_flame_node *n = &f->nodes[node];
	struct td_str name = { "all", 3 };

	if (node)
		name = td_flame_text(f, n->name);
	if (!name.len && n->module)
		return td_flame_module(f, node);
	return name.len ? td_timeline_name(name.p, name.len) : strdup("?");
}

char *td_flame_module(const struct td_flame *f, uint32_t node)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_str path = td_flame_text(f, f->nodes[node].module);
	const char *slash = td_str_rchr(path, '/');

	if (slash)
		path = (struct td_str){ slash + 1, (size_t)(path.p + path.len - slash - 1) };
	/* the kernel's, and what is no file, have brackets already */
	td_strbuf_addf(&b, td_str_starts(path, "[") ? "%.*s" : "[%.*s]", (int)path.len, path.p);
	return td_strbuf_error(&b) < 0 ? NULL : td_timeline_name(td_strbuf_str(&b), b.len);
}

const char *td_flame_by(const struct td_flame *f)
{
	return strcmp(f->unit, "ns") == 0 ? "time" : "number";
}

char *td_flame_value(const struct td_flame *f, int64_t value, char *buf, size_t size)
{
	if (strcmp(f->unit, "ns") == 0)
		return td_format_dur(buf, size, value);
	return td_format_count(buf, size, value);
}

const char *td_flame_value_mark(const struct td_flame *f)
{
	enum td_unit unit = strcmp(f->unit, "ns") == 0 ? TD_UNIT_DUR_NS : TD_UNIT_COUNT;

	return td_bound_mark(td_bound_default(unit), unit, f->damage);
}

const char *td_flame_share_mark(const struct td_flame *f)
{
	if (f->what == TD_FLAME_CPU)
		return "~"; /* an estimate */
	return td_bound_mark(td_bound_default(TD_UNIT_PERCENT), TD_UNIT_PERCENT, f->damage);
}

/* Right in so many columns. */
static void put_marked(FILE *out, int width, const char *mark, const char *text)
{
	(void)fprintf(out, "%*s%s%s", TD_MAX(width - (int)(strlen(mark) + strlen(text)), 0), "",
		      mark, text);
}

static void put_bar(const struct td_flame_picture *p, FILE *out, int64_t total, int64_t all)
{
	double eighths = all > 0 ? 8.0 * BAR * (double)total / (double)all : 0;
	int n = (int)(eighths + 0.5);

	for (int i = 0; i < BAR; i++, n -= 8) {
		if (n <= 0)
			(void)fputc(' ', out);
		else if (p->utf8)
			(void)fprintf(out, "\xe2\x96%c", n >= 8 ? 0x88 : 0x90 - n);
		else
			(void)fputc(n >= 4 ? '#' : ' ', out);
	}
}

/* --- chains: frames that call one other and do nothing else stand in one line --- */

#define CHAIN_ENDS 2 /* of a long one, on either side */

static bool continues(const struct td_flame *f, uint32_t at)
{
	const struct td_flame_node *n = &f->nodes[at], *parent = &f->nodes[n->parent];

	return n->parent && parent->self == 0 && n->total == parent->total;
}

/* How many frames from that place of the order on are one chain. */
static size_t chain_length(const struct td_flame *f, size_t i)
{
	size_t n = 1;

	while (i + n < f->n && f->nodes[f->order[i + n]].parent == f->order[i + n - 1] &&
	       continues(f, f->order[i + n]))
		n++;
	return n;
}

static int put_names(const struct td_flame *f, FILE *out, size_t i, size_t n)
{
	bool is_long = n > 2 * CHAIN_ENDS + 1;

	for (size_t k = 0; k < n; k++) {
		_cleanup_free_ char *name = td_flame_name(f, f->order[i + k]);

		if (!name)
			return -ENOMEM;
		if (is_long && k == CHAIN_ENDS) {
			k = n - CHAIN_ENDS - 1;
			(void)fprintf(out, " > (%zu more)", n - 2 * CHAIN_ENDS);
		} else {
			(void)fprintf(out, "%s%s", k ? " > " : "", name);
		}
	}
	(void)fputc('\n', out);
	return 0;
}

static int put_chain(const struct td_flame_picture *p, FILE *out, size_t i, size_t n, size_t steps)
{
	const struct td_flame *f = p->flame;
	const struct td_flame_node *last = &f->nodes[f->order[i + n - 1]];
	const char *mark = td_flame_value_mark(f);
	char total[TD_UNITS_BUF], self[TD_UNITS_BUF], share[TD_UNITS_BUF];
	int64_t all = f->nodes[0].total;

	(void)snprintf(share, sizeof(share), "%.1f%%",
		       all > 0 ? 100.0 * (double)last->total / (double)all : 0.0);
	put_marked(out, 11, mark, td_flame_value(f, last->total, total, sizeof(total)));
	put_marked(out, 8, f->order[i] ? td_flame_share_mark(f) : "", share);
	put_marked(out, 13, mark, td_flame_value(f, last->self, self, sizeof(self)));
	(void)fputs("  ", out);
	put_bar(p, out, last->total, all);
	(void)fprintf(out, "  %*s", (int)TD_MIN(steps, STEPS_MAX), "");
	return put_names(f, out, i, n);
}

static bool is_shown(const struct td_flame *f, uint32_t at)
{
	return f->nodes[at].total > 0 && f->nodes[at].total >= f->nodes[0].total / SHARE_MIN;
}

/* The frames that are not shown; or -errno. */
static int put_tree(const struct td_flame_picture *p, FILE *out, size_t *ret_left_out)
{
	const struct td_flame *f = p->flame;
	_cleanup_free_ uint32_t *steps = calloc(f->n, sizeof(*steps));
	size_t rows = 0;
	int r = steps ? 0 : -ENOMEM;

	for (size_t i = 0, n; i < f->n && r == 0; i += n) {
		uint32_t at = f->order[i];

		n = chain_length(f, i);
		for (size_t k = 0; k < n; k++)
			steps[f->order[i + k]] = at ? steps[f->nodes[at].parent] + 1 : 0;
		if (is_shown(f, at) && rows < p->limit) {
			rows++;
			r = put_chain(p, out, i, n, steps[at]);
		} else {
			*ret_left_out += n;
		}
	}
	return r;
}

static int draw(const struct td_flame_picture *p, FILE *out, struct td_err *err)
{
	const struct td_flame *f = p->flame;
	size_t left_out = 0;
	int r;

	(void)fprintf(out, "%s, by %s\n\n%11s  %6s  %11s  %-*s  %s\n", td_flames[f->what].help,
		      td_flame_by(f), "Total", "Share", "Self", BAR, "", "Frames");
	r = put_tree(p, out, &left_out);
	if (r == 0 && left_out)
		(void)fprintf(out, "\nframes left out: %zu; -o FILE.html shows them\n", left_out);
	if (r == 0 && *f->notes)
		(void)fprintf(out, "%s%s", left_out ? "" : "\n", f->notes);
	return r;
}

const struct td_flame_renderer td_flame_text_renderer = { .draw = draw };
