/* SPDX-License-Identifier: MIT */
/*
 * A page of its own: the data as JSON between the two parts of analyzer/page/flame.html. Nothing of
 * the data can end the element that it stands in: every '<' is escaped.
 *
 * Frames are numbers, depth first: depth, name, module, self, total, count; names are numbers of a
 * list.
 */
#include <inttypes.h>

#include "analyzer/flame/render.h"
#include "analyzer/page/page.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/json/write.h"

#define FRAMES_MAX 50000 /* the largest */

struct names {
	struct td_intern texts;
	struct td_strbuf json;
};

static void names_done(struct names *n)
{
	td_intern_done(&n->texts);
	td_strbuf_done(&n->json);
}

/* The number of a name from 0 on; UINT32_MAX: out of memory. */
static uint32_t number_of(struct names *names, const char *text)
{
	size_t before = names->texts.n;
	uint32_t id = text ? td_intern_add(&names->texts, text, strlen(text)) : 0;

	if (!id)
		return UINT32_MAX;
	if (id > before) {
		if (before)
			td_strbuf_addc(&names->json, ',');
		td_json_add_string(&names->json, td_intern_get(&names->texts, id));
	}
	return id - 1;
}

static int larger_first(const void *a, const void *b)
{
	int64_t l = *(const int64_t *)a, r = *(const int64_t *)b;

	return l < r ? 1 : l > r ? -1 : 0;
}

/* Nodes of less than this are left out, so that at most FRAMES_MAX stay. -1: out of memory. */
static int64_t least_shown(const struct td_flame *f)
{
	_cleanup_free_ int64_t *totals = NULL;

	if (f->n <= FRAMES_MAX)
		return 0;
	totals = calloc(f->n, sizeof(*totals));
	for (size_t i = 0; totals && i < f->n; i++)
		totals[i] = f->nodes[i].total;
	if (totals)
		qsort(totals, f->n, sizeof(*totals), larger_first);
	return totals ? totals[FRAMES_MAX - 1] + 1 : -1;
}

static int add_frames(struct td_strbuf *b, const struct td_flame *f, int64_t least,
		      struct names *names, size_t *ret_left_out)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct td_flame_node *n = &f->nodes[f->order[i]];
		_cleanup_free_ char *name = NULL, *module = NULL;
		uint32_t name_number, module_number = 0;

		if (i && n->total < least) {
			++*ret_left_out;
			continue;
		}
		name = td_flame_name(f, f->order[i]);
		module = n->module ? td_flame_module(f, f->order[i]) : strdup("");
		name_number = number_of(names, name);
		module_number = number_of(names, module);
		if (name_number == UINT32_MAX || module_number == UINT32_MAX)
			return -ENOMEM;
		td_strbuf_addf(
			b, "%s%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64,
			i ? "," : "", f->depths[f->order[i]], name_number, module_number, n->self,
			n->total, n->count);
	}
	return td_strbuf_error(b);
}

static void add_text(struct td_strbuf *b, const char *key, const char *text)
{
	td_json_add_key(b, key);
	td_json_add_string(b, (struct td_str){ text, strlen(text) });
}

static int add_data(struct td_strbuf *b, const struct td_flame *f)
{
	_cleanup_(names_done) struct names names = { 0 };
	int64_t least = least_shown(f);
	size_t left_out = 0;
	int r;

	if (least < 0)
		return -ENOMEM;
	td_strbuf_addc(b, '{');
	add_text(b, "version", TRACEDB_VERSION);
	add_text(b, "title", f->title);
	add_text(b, "what", td_flames[f->what].help);
	add_text(b, "by", td_flame_by(f));
	add_text(b, "unit", f->unit);
	add_text(b, "value_mark", td_flame_value_mark(f));
	add_text(b, "share_mark", td_flame_share_mark(f));
	add_text(b, "notes", f->notes);
	td_json_add_key(b, "frames");
	td_strbuf_addc(b, '[');
	r = add_frames(b, f, least, &names, &left_out);
	td_strbuf_addc(b, ']');
	td_json_add_key(b, "names");
	td_strbuf_addf(b, "[%s]", td_strbuf_str(&names.json));
	td_json_add_key(b, "left_out");
	td_strbuf_addf(b, "%zu}", left_out);
	return r < 0 || td_strbuf_error(&names.json) < 0 ? -ENOMEM : td_strbuf_error(b);
}

static int draw(const struct td_flame_picture *p, FILE *out, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	int r = add_data(&b, p->flame);

	if (r < 0)
		return r;
	(void)fputs(td_flame_page[0].text, out);
	td_page_put_json(td_strbuf_str(&b), out);
	(void)fputs(td_flame_page[1].text, out);
	return 0;
}

const struct td_flame_renderer td_flame_html_renderer = { .ending = "html", .draw = draw };
