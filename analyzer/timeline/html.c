/* SPDX-License-Identifier: MIT */
/*
 * A page of its own: the data as JSON between the two parts of analyzer/page/timeline.html. Nothing
 * of the data can end the element that it stands in:
 * every '<' is escaped.
 */
#include <inttypes.h>
#include <math.h>

#include "analyzer/page/page.h"
#include "analyzer/timeline/palette.h"
#include "analyzer/timeline/renderers.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/json/write.h"
#include "schema/table.h"

#define LARGEST (4600 * 1000) /* bytes of data; with the page that is less than 5 MB */
#define BUILD_WITH_NPM                                                                             \
	"this tracedb was built without the page: npm brings uPlot, which draws its series; "      \
	"install it ('apt-get install npm') and build again ('./run build'), or write a .svg"

static void add_text(struct td_strbuf *b, const char *key, const char *text)
{
	td_json_add_key(b, key);
	td_json_add_string(b, (struct td_str){ text, strlen(text) });
}

static void add_int(struct td_strbuf *b, const char *key, int64_t value)
{
	td_json_add_key(b, key);
	td_strbuf_addf(b, "%" PRId64, value);
}

static void add_bool(struct td_strbuf *b, const char *key, bool value)
{
	td_json_add_key(b, key);
	td_strbuf_adds(b, value ? "true" : "false");
}

static void begin_list(struct td_strbuf *b, const char *key)
{
	td_json_add_key(b, key);
	td_strbuf_addc(b, '[');
}

static void next(struct td_strbuf *b, size_t i)
{
	if (i)
		td_strbuf_addc(b, ',');
}

/* --- series --- */

static void add_value(struct td_strbuf *b, double value)
{
	if (!isfinite(value))
		td_strbuf_adds(b, "null");
	else
		td_strbuf_addf(b, "%.4g", TD_MAX(value, 0));
}

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* A number below 0 says how often the value before it comes again; null is not known. */
static void add_values(struct td_strbuf *b, const double *values, size_t n)
{
	td_strbuf_addc(b, '[');
	for (size_t i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && same(values[i + run], values[i]);)
			run++;
		next(b, i);
		add_value(b, values[i]);
		if (run > 1)
			td_strbuf_addf(b, ",-%zu", run - 1);
	}
	td_strbuf_addc(b, ']');
}

static void add_series(struct td_strbuf *b, const struct td_timeline *t, const struct td_series *s)
{
	td_strbuf_addc(b, '{');
	add_text(b, "name", s->name);
	add_text(b, "hue", td_palette[s->hue].name);
	add_bool(b, "strip", s->is_strip);
	add_bool(b, "most", s->hue == TD_HUE_MOST);
	begin_list(b, "data");
	for (size_t i = 0; i < t->grids.n; i++) {
		next(b, i);
		add_values(b, s->values + t->grids.items[i].first, t->grids.items[i].n);
	}
	td_strbuf_adds(b, "]}");
}

/* Is it ever more than 0? A cause that no idle time is put down to needs no row in the legend. */
static bool any(const struct td_timeline *t, const struct td_series *s)
{
	for (size_t i = 0; i < t->grids.total; i++)
		if (s->values[i] > 0)
			return true;
	return false;
}

/* --- lanes --- */

static void add_spans(struct td_strbuf *b, const struct td_timeline *t, const struct td_lane *lane)
{
	begin_list(b, "spans");
	for (size_t i = 0; i < lane->nspans; i++) {
		const struct td_lane_span *s = &lane->spans[i];

		next(b, i);
		td_strbuf_addc(b, '{');
		add_text(b, "name", s->name);
		add_text(b, "hue", td_palette[s->hue].name);
		add_int(b, "from", s->start_ns - t->origin_ns);
		add_int(b, "to", s->end_ns - t->origin_ns);
		add_int(b, "depth", s->depth);
		td_strbuf_addc(b, '}');
	}
	td_strbuf_addc(b, ']');
}

static void add_gaps(struct td_strbuf *b, const struct td_timeline *t, const struct td_lane *lane)
{
	begin_list(b, "gaps");
	for (size_t i = 0; i < lane->ngaps; i++)
		td_strbuf_addf(b, "%s[%" PRId64 ",%" PRId64 ",%d]", i ? "," : "",
			       lane->gaps[i].start_ns - t->origin_ns,
			       lane->gaps[i].end_ns - t->origin_ns, lane->gaps[i].is_lost);
	td_strbuf_addc(b, ']');
}

static void add_lane(struct td_strbuf *b, const struct td_timeline *t, const struct td_lane *lane)
{
	td_strbuf_addc(b, '{');
	add_text(b, "id", lane->id);
	add_text(b, "group", lane->group);
	add_text(b, "title", lane->title);
	add_text(b, "detail", lane->detail);
	add_text(b, "kind", td_lane_kind_names[lane->kind]);
	add_text(b, "unit", td_lane_unit_names[lane->unit]);
	add_bool(b, "folded", lane->is_folded);
	add_int(b, "sampled", lane->sampled_ns);
	add_gaps(b, t, lane);
	add_spans(b, t, lane);
	begin_list(b, "series");
	for (size_t i = 0, n = 0; i < lane->nseries; i++) {
		if (i && !any(t, &lane->series[i]))
			continue;
		next(b, n++);
		add_series(b, t, &lane->series[i]);
	}
	td_strbuf_adds(b, "]}");
}

/* --- what stands beside them --- */

static void add_zooms(struct td_strbuf *b, const struct td_timeline *t)
{
	begin_list(b, "zooms");
	for (size_t i = 0; i < t->nzooms; i++) {
		next(b, i);
		td_strbuf_addc(b, '{');
		add_text(b, "name", t->zooms[i].name);
		add_int(b, "from", t->zooms[i].start_ns - t->origin_ns);
		add_int(b, "to", t->zooms[i].end_ns - t->origin_ns);
		td_strbuf_addc(b, '}');
	}
	td_strbuf_addc(b, ']');
}

static void add_flags(struct td_strbuf *b, const struct td_timeline *t)
{
	begin_list(b, "flags");
	for (size_t i = 0; i < t->nflags; i++) {
		const struct td_flag *f = &t->flags[i];

		next(b, i);
		td_strbuf_addc(b, '{');
		add_text(b, "rule", f->rule);
		add_text(b, "level", f->level);
		add_text(b, "text", f->text);
		add_text(b, "advice", f->advice);
		if (f->start_ns != TD_NULL) {
			add_int(b, "from", f->start_ns - t->origin_ns);
			add_int(b, "to", f->end_ns - t->origin_ns);
		}
		td_strbuf_addc(b, '}');
	}
	td_strbuf_addc(b, ']');
}

static void add_grids(struct td_strbuf *b, const struct td_timeline *t)
{
	begin_list(b, "grids");
	for (size_t i = 0; i < t->grids.n; i++)
		td_strbuf_addf(b, "%s[%" PRId64 ",%" PRId64 ",%zu]", i ? "," : "",
			       t->grids.items[i].start_ns - t->origin_ns,
			       t->grids.items[i].width_ns, t->grids.items[i].n);
	td_strbuf_addc(b, ']');
}

/* Rows of a bin: name, ns, bytes, count of each, one after the other. */
static void add_top_rows(struct td_strbuf *b, const struct td_tops *tops, enum td_top top)
{
	static const char *const keys[TD_NTOPS] = { "files", "processes", "kernels" };

	if (!tops->rows[top])
		return;
	begin_list(b, keys[top]);
	for (size_t i = 0; i < tops->bins.n; i++) {
		td_strbuf_adds(b, i ? ",[" : "[");
		for (size_t k = 0; k < TD_TOP_MAX; k++) {
			const struct td_top_row *row = &tops->rows[top][i * TD_TOP_MAX + k];

			if (row->name == UINT32_MAX)
				break;
			td_strbuf_addf(b, "%s%" PRIu32 ",", k ? "," : "", row->name);
			add_value(b, row->ns);
			td_strbuf_addc(b, ',');
			add_value(b, row->bytes);
			td_strbuf_addf(b, ",%" PRIu64, row->count);
		}
		td_strbuf_addc(b, ']');
	}
	td_strbuf_addc(b, ']');
}

static void add_tops(struct td_strbuf *b, const struct td_timeline *t)
{
	const struct td_tops *tops = &t->tops;

	td_json_add_key(b, "tops");
	td_strbuf_addc(b, '{');
	add_int(b, "from", tops->bins.start_ns - t->origin_ns);
	add_int(b, "width", tops->bins.width_ns);
	begin_list(b, "names");
	for (size_t i = 0; i < tops->nnames; i++) {
		next(b, i);
		td_json_add_string(b, (struct td_str){ tops->names[i], strlen(tops->names[i]) });
	}
	td_strbuf_addc(b, ']');
	for (enum td_top top = 0; top < TD_NTOPS; top++)
		add_top_rows(b, tops, top);
	td_strbuf_addc(b, '}');
}

static void add_run(struct td_strbuf *b, const struct td_timeline *t)
{
	td_strbuf_addc(b, '{');
	add_text(b, "title", t->title);
	add_int(b, "origin", t->origin_ns / 1000000); /* ms, as Date has it */
	add_int(b, "from", t->start_ns - t->origin_ns);
	add_int(b, "to", t->end_ns - t->origin_ns);
	add_text(b, "notes", t->notes);
	add_grids(b, t);
	add_zooms(b, t);
	add_flags(b, t);
	add_tops(b, t);
	begin_list(b, "lanes");
	for (size_t i = 0; i < t->nlanes; i++) {
		next(b, i);
		add_lane(b, t, t->lanes[i]);
	}
	td_strbuf_adds(b, "]}");
}

static void add_palette(struct td_strbuf *b)
{
	td_json_add_key(b, "palette");
	td_strbuf_addc(b, '{');
	for (size_t i = 0; i < TD_NHUES; i++)
		td_strbuf_addf(b, "%s\"%s\":[\"%s\",\"%s\"]", i ? "," : "", td_palette[i].name,
			       td_palette[i].light, td_palette[i].dark);
	td_strbuf_addc(b, '}');
}

static void add_data(struct td_strbuf *b, const struct td_picture *p)
{
	td_strbuf_addc(b, '{');
	add_text(b, "version", TRACEDB_VERSION);
	add_text(b, "aligned", p->aligned_by ? p->aligned_by : "");
	add_palette(b);
	begin_list(b, "runs");
	for (size_t i = 0; i < p->nruns; i++) {
		next(b, i);
		add_run(b, &p->runs[i]);
	}
	td_strbuf_adds(b, "]}");
}

static int draw_rest(const struct td_picture *p, FILE *out, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	if (!td_timeline_page[0].name)
		return td_err_set(err, -EINVAL, BUILD_WITH_NPM);
	add_data(&b, p);
	if (td_strbuf_error(&b) < 0)
		return -ENOMEM;
	if (b.len > LARGEST)
		return td_err_set(err, -EFBIG, "the page would be larger than 5 MB");
	(void)fputs(td_timeline_page[1].text, out);
	td_page_put_json(td_strbuf_str(&b), out);
	(void)fputs(td_timeline_page[2].text, out);
	return 0;
}

static int draw(const struct td_picture *p, FILE *out, struct td_err *err)
{
	if (td_timeline_page[0].name)
		(void)fputs(td_timeline_page[0].text, out);
	return draw_rest(p, out, err);
}

const struct td_renderer td_renderer_html = {
	.ending = "html",
	.nbins = 4096,
	.nbins_zoom = 1024,
	.nprocesses = 12,
	.tops = true,
	.draw = draw,
};

const struct td_renderer td_renderer_html_rest = {
	.ending = "html",
	.nbins = 4096,
	.nbins_zoom = 1024,
	.nprocesses = 12,
	.tops = true,
	.draw = draw_rest,
};
