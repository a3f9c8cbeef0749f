/* SPDX-License-Identifier: MIT */
/*
 * Lanes as rows of characters: blocks of eight heights where the terminal has UTF-8. Of a lane of
 * shares the height is the part that works, and below it stands what most of the rest of each
 * column is.
 */
#include <math.h>

#include "analyzer/timeline/palette.h"
#include "analyzer/timeline/renderers.h"
#include "analyzer/timeline/scale.h"
#include "common/cleanup.h"
#include "common/units.h"
#include "common/utf8.h"

#define LABEL 24 /* columns */
#define VALUE 11
#define FINDINGS_MAX 5

struct terminal {
	FILE *out;
	const struct td_picture *p;
	struct td_scale x;
	size_t ncolumns; /* of the plots */
};

/* --- single characters --- */

static void colour(const struct terminal *w, int hue)
{
	if (w->p->colour && hue >= 0)
		(void)fprintf(w->out, "\x1b[38;5;%um", td_palette[hue].ansi);
	else if (w->p->colour)
		(void)fputs("\x1b[0m", w->out);
}

static void put_level(const struct terminal *w, double share)
{
	static const char *const blocks[] = { " ",
					      "\xe2\x96\x81",
					      "\xe2\x96\x82",
					      "\xe2\x96\x83",
					      "\xe2\x96\x84",
					      "\xe2\x96\x85",
					      "\xe2\x96\x86",
					      "\xe2\x96\x87",
					      "\xe2\x96\x88" };
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	/* what there is at all is seen */
	int level = share > 0 ? (int)fmin(8, 1 + share * 7.999) : 0;

	(void)fputs(w->p->utf8 ? blocks[level] : ascii[level], w->out);
}

static void put_unknown(const struct terminal *w)
{
	(void)fputs(w->p->utf8 ? "\xe2\x96\x91" : "/", w->out);
}

/* At most width columns, and blanks up to it. A character is taken for a column. */
static void put_padded(const struct terminal *w, const char *text, size_t width)
{
	size_t len = strlen(text), n = 0;
	uint32_t cp;

	for (size_t k; len && n < width; text += k, len -= k, n++) {
		k = TD_MAX(td_utf8_decode(text, len, &cp), 1);
		(void)fwrite(text, 1, k, w->out);
	}
	for (; n < width; n++)
		(void)fputc(' ', w->out);
}

static void put_label(const struct terminal *w, const char *text, const char *value)
{
	put_padded(w, text, LABEL);
	(void)fprintf(w->out, "%*s ", VALUE, value);
}

/* --- columns --- */

/* The bins of the run that a column shows; false: none. */
static bool bins_of(const struct terminal *w, const struct td_timeline *t, size_t column,
		    size_t *ret_first, size_t *ret_n)
{
	const struct td_grid *g = &t->grids.items[0];
	double per = ((double)w->x.to_ns - (double)w->x.from_ns) / (double)w->ncolumns;
	double begin = (double)w->x.from_ns + (double)t->origin_ns - (double)g->start_ns;
	double first = floor((begin + per * (double)column) / (double)g->width_ns + 1e-6);
	double end = ceil((begin + per * (double)(column + 1)) / (double)g->width_ns - 1e-6);

	first = TD_MAX(first, 0);
	end = TD_MIN(end, (double)g->n);
	if (first >= end)
		return false;
	*ret_first = (size_t)first;
	*ret_n = (size_t)(end - first);
	return true;
}

/* The mean of what is known; NaN: nothing is. */
static double value_of(const struct terminal *w, const struct td_timeline *t,
		       const struct td_series *s, size_t column)
{
	size_t first = 0, n = 0, known = 0;
	double sum = 0;

	if (!bins_of(w, t, column, &first, &n))
		return NAN;
	for (size_t i = first; i < first + n; i++)
		if (!isnan(s->values[i])) {
			sum += s->values[i];
			known++;
		}
	return known ? sum / (double)known : NAN;
}

static bool is_work(enum td_hue hue)
{
	return hue == TD_HUE_KERNEL || hue == TD_HUE_COPY || hue == TD_HUE_BUSY ||
	       hue == TD_HUE_USER || hue == TD_HUE_SYSTEM;
}

static void put_work(const struct terminal *w, const struct td_timeline *t,
		     const struct td_lane *lane)
{
	int hue = lane->nseries ? (int)lane->series[0].hue : -1;

	colour(w, hue);
	for (size_t c = 0; c < w->ncolumns; c++) {
		double work = 0;

		for (size_t k = 0; k < lane->nseries; k++)
			if (is_work(lane->series[k].hue))
				work += value_of(w, t, &lane->series[k], c);
		if (isnan(work))
			put_unknown(w);
		else
			put_level(w, work);
	}
	colour(w, -1);
	(void)fputc('\n', w->out);
}

/* Of what is no work, the most. */
static void put_why(const struct terminal *w, const struct td_timeline *t,
		    const struct td_lane *lane)
{
	for (size_t c = 0; c < w->ncolumns; c++) {
		const struct td_series *most = NULL;
		double best = 0.05;

		for (size_t k = 0; k < lane->nseries; k++) {
			double v = value_of(w, t, &lane->series[k], c);

			if (!is_work(lane->series[k].hue) && v > best) {
				best = v;
				most = &lane->series[k];
			}
		}
		colour(w, most ? (int)most->hue : -1);
		(void)fputc(most ? td_palette[most->hue].letter : ' ', w->out);
	}
	colour(w, -1);
	(void)fputc('\n', w->out);
}

static void put_series(const struct terminal *w, const struct td_timeline *t,
		       const struct td_series *s, double most)
{
	colour(w, (int)s->hue);
	for (size_t c = 0; c < w->ncolumns; c++) {
		double v = value_of(w, t, s, c);

		if (isnan(v))
			put_unknown(w);
		else
			put_level(w, most > 0 ? v / most : 0);
	}
	colour(w, -1);
	(void)fputc('\n', w->out);
}

/* --- lanes --- */

static void put_shares(const struct terminal *w, const struct td_timeline *t,
		       const struct td_lane *lane)
{
	put_label(w, lane->title, "busy");
	put_work(w, t, lane);
	put_label(w, "", "else");
	put_why(w, t, lane);
}

/* The largest of all columns, so that the tallest one is full. */
static double most_of(const struct terminal *w, const struct td_timeline *t,
		      const struct td_series *s)
{
	double most = 0;

	for (size_t c = 0; c < w->ncolumns; c++)
		most = fmax(most, value_of(w, t, s, c)); /* fmax() passes over NaN */
	return most;
}

/* Series in which nothing is are left out, but for the lane's name. */
static void put_rows(const struct terminal *w, const struct td_timeline *t,
		     const struct td_lane *lane)
{
	char label[LABEL * 4 + 1], value[64];
	bool named = false;

	for (size_t k = 0; k < lane->nseries; k++) {
		const struct td_series *s = &lane->series[k];
		double most = most_of(w, t, s);

		if (!(most > 0) && (named || k + 1 < lane->nseries))
			continue;
		if (s->is_strip)
			most = 1;
		(void)snprintf(label, sizeof(label), "%s %s", named ? " " : lane->title, s->name);
		td_lane_value(value, sizeof(value), s->is_strip ? TD_LANE_SHARE : lane->unit, most);
		put_label(w, label, value);
		put_series(w, t, s, most);
		named = true;
	}
}

static void put_heat(const struct terminal *w, const struct td_timeline *t,
		     const struct td_lane *lane)
{
	for (size_t k = 0; k < lane->nseries; k++) {
		put_label(w, lane->series[k].name, "100 %");
		put_series(w, t, &lane->series[k], 1);
	}
}

/* Spans of one depth; names are cut to their spans. */
static void put_depth(const struct terminal *w, const struct td_timeline *t,
		      const struct td_lane *lane, unsigned depth)
{
	size_t at = 0;

	for (size_t i = 0; i < lane->nspans; i++) {
		const struct td_lane_span *s = &lane->spans[i];
		size_t from = (size_t)td_scale_x(&w->x, t, TD_MAX(s->start_ns, t->start_ns));
		size_t to = (size_t)ceil(td_scale_x(&w->x, t, TD_MIN(s->end_ns, t->end_ns)));
		size_t n;

		if (s->depth != depth || from < at || to <= from)
			continue;
		for (; at < from; at++)
			(void)fputc(' ', w->out);
		colour(w, (int)s->hue);
		(void)fputc('|', w->out);
		n = TD_MIN(strlen(s->name), to - from - 1);
		put_padded(w, s->name, n);
		for (at = from + 1 + n; at < to; at++)
			(void)fputs(w->p->utf8 ? "\xe2\x94\x80" : "-", w->out);
		colour(w, -1);
	}
	(void)fputc('\n', w->out);
}

static void put_spans(const struct terminal *w, const struct td_timeline *t,
		      const struct td_lane *lane)
{
	unsigned deepest = 0;

	for (size_t i = 0; i < lane->nspans; i++)
		deepest = TD_MAX(deepest, lane->spans[i].depth);
	for (unsigned d = 0; d <= deepest; d++) {
		put_label(w, d ? "" : lane->title, "");
		put_depth(w, t, lane, d);
	}
}

static void put_lane(const struct terminal *w, const struct td_timeline *t,
		     const struct td_lane *lane)
{
	if (lane->kind == TD_LANE_SHARES)
		put_shares(w, t, lane);
	else if (lane->kind == TD_LANE_HEAT)
		put_heat(w, t, lane);
	else if (lane->kind == TD_LANE_SPANS)
		put_spans(w, t, lane);
	else
		put_rows(w, t, lane);
}

/* --- what is around them --- */

static void put_axis(const struct terminal *w)
{
	int64_t step = td_axis_step(w->x.to_ns - w->x.from_ns, TD_MAX(w->ncolumns / 14, 1));
	char text[TD_UNITS_BUF];
	size_t at = 0;

	put_label(w, "", "");
	for (int64_t ns = td_scale_first(&w->x, step); ns <= w->x.to_ns; ns += step) {
		size_t x = (size_t)td_scale_offset_x(&w->x, ns);
		size_t len;

		td_scale_label(text, sizeof(text), ns, step);
		len = strlen(text) + 1;
		if (x < at || x + len > w->ncolumns)
			continue;
		(void)fprintf(w->out, "%*s|%s", (int)(x - at), "", text);
		at = x + len;
	}
	(void)fputc('\n', w->out);
}

static void put_legend(const struct terminal *w)
{
	bool shown[TD_NHUES] = { false };
	const char *comma = "";

	for (size_t r = 0; r < w->p->nruns; r++)
		for (size_t i = 0; i < w->p->runs[r].nlanes; i++) {
			const struct td_lane *lane = w->p->runs[r].lanes[i];

			for (size_t k = 0; k < lane->nseries && lane->kind == TD_LANE_SHARES; k++) {
				enum td_hue hue = lane->series[k].hue;

				if (is_work(hue) || shown[hue])
					continue;
				shown[hue] = true;
				(void)fputs(comma, w->out);
				colour(w, (int)hue);
				(void)fputc(td_palette[hue].letter, w->out);
				colour(w, -1);
				(void)fprintf(w->out, " %s", lane->series[k].name);
				comma = ", ";
			}
		}
	(void)fputs(comma, w->out);
	put_unknown(w);
	(void)fputs(" nobody looked\n", w->out);
}

static void put_findings(const struct terminal *w, const struct td_timeline *t)
{
	for (size_t i = 0; i < t->nflags && i < FINDINGS_MAX; i++)
		(void)fprintf(w->out, "%zu. %s: %s\n", i + 1, t->flags[i].level, t->flags[i].text);
	if (t->nflags > FINDINGS_MAX)
		(void)fprintf(w->out, "%zu more: 'tracedb analyze'\n", t->nflags - FINDINGS_MAX);
}

static int draw(const struct td_picture *p, FILE *out, struct td_err *err)
{
	struct terminal w = { .out = out, .p = p };

	w.ncolumns = p->width > LABEL + VALUE + 21 ? p->width - LABEL - VALUE - 1 : 20;
	td_scale_init(&w.x, p, 0, (double)w.ncolumns);
	for (size_t r = 0; r < p->nruns; r++) {
		const struct td_timeline *t = &p->runs[r];

		if (p->nruns > 1)
			(void)fprintf(out, "%s%s\n", r ? "\n" : "", t->title);
		if (r == 0 && p->aligned_by)
			(void)fprintf(out, "0 is the begin of %s\n", p->aligned_by);
		put_axis(&w);
		for (size_t i = 0; i < t->nlanes; i++)
			if (!t->lanes[i]->is_folded)
				put_lane(&w, t, t->lanes[i]);
	}
	put_legend(&w);
	for (size_t r = 0; r < p->nruns; r++)
		put_findings(&w, &p->runs[r]);
	return 0;
}

const struct td_renderer td_renderer_terminal = {
	.nprocesses = 4,
	.draw = draw,
};
