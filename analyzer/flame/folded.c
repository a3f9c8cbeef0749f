/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, as flamegraph.pl, speedscope and inferno read them: frames from the outermost on,
 * and what the innermost took by itself.
 *
 *     python (4242);main;load;read 15000
 */
#include <inttypes.h>

#include "analyzer/flame/render.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/strbuf.h"

/* What parts frames is none of a name. */
static void add_name(struct td_strbuf *b, struct td_str name)
{
	size_t from = b->len;

	td_printable(b, name.p, name.len);
	if (td_strbuf_error(b) == 0)
		for (char *p = b->p + from; (p = strchr(p, ';'));)
			*p = ':';
}

static void add_frame(struct td_strbuf *b, const struct td_flame *f, uint32_t at)
{
	const struct td_flame_node *n = &f->nodes[at];
	struct td_str name = td_flame_text(f, n->name);

	if (name.len) {
		add_name(b, name);
	} else if (n->module) {
		add_name(b, td_flame_text(f, n->module));
	} else {
		td_strbuf_addc(b, '?');
	}
}

static int draw(const struct td_flame_picture *p, FILE *out, struct td_err *err)
{
	const struct td_flame *f = p->flame;
	_cleanup_(td_strbuf_done) struct td_strbuf line = TD_STRBUF_INIT;
	/* where the line of a node ends, so that its children go on there */
	_cleanup_free_ size_t *ends = calloc(f->n, sizeof(*ends));

	if (!ends)
		return -ENOMEM;
	for (size_t i = 1; i < f->n; i++) {
		uint32_t at = f->order[i];

		line.len = ends[f->nodes[at].parent];
		if (line.len)
			td_strbuf_addc(&line, ';');
		add_frame(&line, f, at);
		ends[at] = line.len;
		if (td_strbuf_error(&line) < 0)
			return -ENOMEM;
		if (f->nodes[at].self > 0)
			(void)fprintf(out, "%s %" PRId64 "\n", td_strbuf_str(&line),
				      f->nodes[at].self);
	}
	return 0;
}

const struct td_flame_renderer td_flame_folded_renderer = { .ending = "folded", .draw = draw };
