/* SPDX-License-Identifier: MIT */
/*
 * A static picture, to print and for papers. Colours are classes rather than variables, which
 * programs that print do not know; a browser that prefers dark gets dark.
 */
#include <math.h>

#include "analyzer/timeline/palette.h"
#include "analyzer/timeline/renderers.h"
#include "analyzer/timeline/scale.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "common/units.h"
#include "common/utf8.h"
#include "schema/stat_math.h"

#define WIDTH 1200
#define LEFT 200 /* of the plots */
#define RIGHT 16
#define PLOT (WIDTH - LEFT - RIGHT)
#define HEAD 58
#define AXIS 24
#define LANE 52
#define ROW 7 /* of a CPU */
#define SPAN 16
#define STRIP 5
#define BETWEEN 10
#define FLAG 15
#define CHAR_WIDTH 6.2 /* of the small text, about */
#define LABEL_CHARS 30
#define TEXT_CHARS 175

struct svg {
	FILE *out;
	const struct td_picture *p;
	struct td_scale x;
	double y;
};

/* --- text --- */

static void put_text(FILE *out, const char *text, size_t max_chars)
{
	size_t n = 0, len = strlen(text);
	uint32_t cp;

	for (size_t k; len && n < max_chars; text += k, len -= k, n++) {
		k = td_utf8_decode(text, len, &cp);
		if (n + 1 == max_chars && len > k) {
			(void)fputs("\xe2\x80\xa6", out);
			return;
		}
		if (k == 0 || cp < 0x20 || cp == 0xfffe || cp == 0xffff) {
			(void)fputs("\xef\xbf\xbd", out);
			k = TD_MAX(k, 1);
		} else if (cp == '<' || cp == '>' || cp == '&' || cp == '"') {
			(void)fprintf(out, "&#%u;", cp);
		} else {
			(void)fwrite(text, 1, k, out);
		}
	}
}

static void text_at(const struct svg *s, const char *class, double x, double y, const char *text,
		    size_t max_chars)
{
	(void)fprintf(s->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	put_text(s->out, text, max_chars);
	(void)fputs("</text>\n", s->out);
}

static void put_style(FILE *out)
{
	(void)fputs("<style>\ntext{font:12px 'DejaVu Sans',Arial,sans-serif;fill:#1f2328}"
		    ".t{font-size:18px;font-weight:bold}.l{font-weight:bold}"
		    ".s{font-size:10px;fill:#59636e}.e{font-size:10px;fill:#59636e;text-anchor:end}"
		    ".m{font-size:10px;fill:#59636e;text-anchor:middle}"
		    ".p{font-size:10px;fill:#1f2328}"
		    ".bg{fill:#fff}.lane{fill:#f6f8fa}.grid{stroke:#d1d9e0;stroke-width:.5}"
		    ".zero{stroke:#818b98;stroke-width:.7}.hatch{stroke:#818b98;stroke-width:1}"
		    ".lost{stroke:#d1242f;stroke-width:1.2}.f{fill:#d1242f}.w{fill:#bf8700}"
		    ".i{fill:#59636e}.sampled{stroke:#fff;stroke-width:.6}\n",
		    out);
	for (size_t i = 0; i < TD_NHUES; i++)
		(void)fprintf(out, ".h-%s{fill:%s}.o-%s{stroke:%s}", td_palette[i].name,
			      td_palette[i].light, td_palette[i].name, td_palette[i].light);
	(void)fputs("\n@media(prefers-color-scheme:dark){text,.p{fill:#e6edf3}"
		    ".s,.e,.m{fill:#9198a1}.bg{fill:#0d1117}.lane{fill:#151b23}"
		    ".grid{stroke:#3d444d}.zero{stroke:#656c76}.hatch{stroke:#656c76}"
		    ".lost{stroke:#f85149}.sampled{stroke:#0d1117}",
		    out);
	for (size_t i = 0; i < TD_NHUES; i++)
		(void)fprintf(out, ".h-%s{fill:%s}.o-%s{stroke:%s}", td_palette[i].name,
			      td_palette[i].dark, td_palette[i].name, td_palette[i].dark);
	(void)fputs("}\n</style>\n", out);
}

static void put_patterns(FILE *out)
{
	(void)fputs("<defs><pattern id=\"unseen\" width=\"6\" height=\"6\" patternUnits=\""
		    "userSpaceOnUse\" patternTransform=\"rotate(45)\"><line class=\"hatch\" "
		    "y2=\"6\"/></pattern><pattern id=\"lost\" width=\"4\" height=\"4\" "
		    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(-45)\"><line "
		    "class=\"lost\" y2=\"4\"/></pattern></defs>\n",
		    out);
}

/* --- lanes --- */

static double lane_height(const struct td_lane *lane)
{
	unsigned deepest = 0;

	if (lane->kind == TD_LANE_HEAT)
		return (double)lane->nseries * ROW;
	for (size_t i = 0; i < lane->nspans; i++)
		deepest = TD_MAX(deepest, lane->spans[i].depth);
	return lane->kind == TD_LANE_SPANS ? (deepest + 1) * SPAN : LANE;
}

static size_t bins_of(const struct td_timeline *t)
{
	return t->grids.items[0].n;
}

static double x_of_bin(const struct svg *s, const struct td_timeline *t, size_t bin)
{
	const struct td_grid *g = &t->grids.items[0];

	return td_scale_x(&s->x, t, td_plus(g->start_ns, g->width_ns * (int64_t)bin));
}

/* The area from the lane's bottom up to the heights of the bins (shares of it), in steps; equal neighbours are one. */
static void put_area(const struct svg *s, const struct td_timeline *t, const char *class,
		     const double *heights, double top, double height)
{
	double last = 0, bottom = top + height;
	size_t n = bins_of(t);

	(void)fprintf(s->out, "<path class=\"%s\" d=\"M%.1f %.1f", class, x_of_bin(s, t, 0),
		      bottom);
	for (size_t i = 0; i <= n; i++) {
		double h = i < n && heights[i] > 0 ? TD_MIN(heights[i], 1) * height : 0;

		if (fabs(h - last) < 0.05)
			continue;
		(void)fprintf(s->out, "H%.1fV%.1f", x_of_bin(s, t, i), bottom - h);
		last = h;
	}
	(void)fputs("Z\"/>\n", s->out);
}

/* Heights of one series, or of it and those below it; NaN counts as nothing. */
static void add_heights(const struct td_timeline *t, const struct td_series *series, double scale,
			double *heights)
{
	for (size_t i = 0; i < bins_of(t); i++)
		if (series->values[i] > 0)
			heights[i] += series->values[i] * scale;
}

static int put_shares(const struct svg *s, const struct td_timeline *t, const struct td_lane *lane,
		      double height)
{
	for (size_t k = lane->nseries; k-- > 0;) { /* the highest first: the others lie on it */
		_cleanup_free_ double *heights = calloc(bins_of(t) + 1, sizeof(*heights));
		char class[64];

		if (!heights)
			return -ENOMEM;
		for (size_t i = 0; i <= k; i++)
			add_heights(t, &lane->series[i], 1, heights);
		(void)snprintf(class, sizeof(class), "h-%s%s", td_palette[lane->series[k].hue].name,
			       lane->sampled_ns ? " sampled" : "");
		put_area(s, t, class, heights, s->y, height);
	}
	return 0;
}

static int put_areas(const struct svg *s, const struct td_timeline *t, const struct td_lane *lane,
		     double height)
{
	double most = td_lane_most(t, lane);
	double plot = height - STRIP - 2;

	for (size_t k = 0; k < lane->nseries; k++) {
		_cleanup_free_ double *heights = calloc(bins_of(t) + 1, sizeof(*heights));
		const struct td_series *series = &lane->series[k];
		char class[64];

		if (!heights)
			return -ENOMEM;
		(void)snprintf(class, sizeof(class), "h-%s", td_palette[series->hue].name);
		add_heights(t, series, series->is_strip ? 1 : most > 0 ? 1 / most : 0, heights);
		if (series->is_strip)
			put_area(s, t, class, heights, s->y + height - STRIP, STRIP);
		else
			put_area(s, t, class, heights, s->y, plot);
	}
	return 0;
}

/* Where nothing is known there is no line: single bins are short dashes. */
static void put_lines(const struct svg *s, const struct td_timeline *t, const struct td_lane *lane,
		      double height)
{
	double most = td_lane_most(t, lane);

	for (size_t k = 0; k < lane->nseries; k++) {
		bool on = false;

		(void)fprintf(s->out,
			      "<path fill=\"none\" stroke-width=\"1.3\" class=\"o-%s\" d=\"",
			      td_palette[lane->series[k].hue].name);
		for (size_t i = 0; i < bins_of(t); i++) {
			double v = lane->series[k].values[i];
			double y = s->y + height - (most > 0 ? v / most * (height - 3) : 0);

			if (!isnan(v))
				(void)fprintf(s->out, "%s%.1f %.1fH%.1f", on ? "L" : "M",
					      x_of_bin(s, t, i), y, x_of_bin(s, t, i + 1));
			on = !isnan(v);
		}
		(void)fputs("\"/>\n", s->out);
	}
}

static void put_heat(const struct svg *s, const struct td_timeline *t, const struct td_lane *lane)
{
	for (size_t k = 0; k < lane->nseries; k++)
		for (size_t i = 0, from = 0; i <= bins_of(t); i++) {
			const double *v = lane->series[k].values;

			if (i < bins_of(t) && i > from && fabs(v[i] - v[from]) < 0.01)
				continue;
			if (i > from && v[from] > 0.005)
				(void)fprintf(s->out,
					      "<rect class=\"h-%s\" opacity=\"%.2f\" x=\"%.1f\" "
					      "y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
					      td_palette[lane->series[k].hue].name,
					      TD_MIN(v[from], 1), x_of_bin(s, t, from),
					      s->y + (double)k * ROW,
					      x_of_bin(s, t, i) - x_of_bin(s, t, from), ROW - 1);
			from = i;
		}
}

static void put_spans(const struct svg *s, const struct td_timeline *t, const struct td_lane *lane)
{
	for (size_t i = 0; i < lane->nspans; i++) {
		const struct td_lane_span *span = &lane->spans[i];
		double x = td_scale_x(&s->x, t, TD_MAX(span->start_ns, t->start_ns));
		double width = td_scale_x(&s->x, t, TD_MIN(span->end_ns, t->end_ns)) - x;
		double y = s->y + span->depth * SPAN;

		(void)fprintf(s->out,
			      "<rect class=\"h-%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			      "height=\"%d\" rx=\"2\"/>\n",
			      td_palette[span->hue].name, x, y, TD_MAX(width - 0.7, 0.3), SPAN - 2);
		if (width > 4 * CHAR_WIDTH)
			text_at(s, "p", x + 3, y + 10.5, span->name,
				(size_t)((width - 4) / CHAR_WIDTH));
	}
}

static void put_gaps(const struct svg *s, const struct td_timeline *t, const struct td_lane *lane,
		     double height)
{
	for (size_t i = 0; i < lane->ngaps; i++) {
		const struct td_lane_gap *gap = &lane->gaps[i];
		double x = td_scale_x(&s->x, t, gap->start_ns);

		(void)fprintf(s->out,
			      "<rect fill=\"url(#%s)\" opacity=\"%s\" x=\"%.1f\" y=\"%.1f\" "
			      "width=\"%.1f\" height=\"%.1f\"/>\n",
			      gap->is_lost ? "lost" : "unseen", gap->is_lost ? "0.8" : "0.5", x,
			      s->y, TD_MAX(td_scale_x(&s->x, t, gap->end_ns) - x, 0.5), height);
	}
}

static void put_labels(const struct svg *s, const struct td_timeline *t, const struct td_lane *lane)
{
	char most[64];

	text_at(s, "l", 8, s->y + 12, lane->title, LABEL_CHARS);
	if (lane->kind == TD_LANE_SPANS)
		return;
	text_at(s, "s", 8, s->y + 25, lane->detail, LABEL_CHARS + 6);
	if (lane->kind == TD_LANE_HEAT)
		return;
	td_lane_value(most, sizeof(most), lane->unit,
		      lane->kind == TD_LANE_SHARES ? 1 : td_lane_most(t, lane));
	text_at(s, "e", LEFT - 5, s->y + 38, most, 20);
}

static int put_lane(struct svg *s, const struct td_timeline *t, const struct td_lane *lane)
{
	double height = lane_height(lane);
	int r = 0;

	(void)fprintf(s->out,
		      "<rect class=\"lane\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n",
		      LEFT, s->y, PLOT, height);
	if (lane->kind == TD_LANE_SHARES)
		r = put_shares(s, t, lane, height);
	else if (lane->kind == TD_LANE_AREAS)
		r = put_areas(s, t, lane, height);
	else if (lane->kind == TD_LANE_LINES)
		put_lines(s, t, lane, height);
	else if (lane->kind == TD_LANE_HEAT)
		put_heat(s, t, lane);
	else
		put_spans(s, t, lane);
	put_gaps(s, t, lane, height);
	put_labels(s, t, lane);
	s->y += height + BETWEEN;
	return r;
}

/* --- what is around them --- */

static void put_axis(struct svg *s, double bottom)
{
	int64_t step = td_axis_step(s->x.to_ns - s->x.from_ns, 10);
	char text[TD_UNITS_BUF];

	for (int64_t at = td_scale_first(&s->x, step); at <= s->x.to_ns; at += step) {
		double x = td_scale_offset_x(&s->x, at);

		(void)fprintf(s->out,
			      "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
			      "y2=\"%.1f\"/>\n",
			      x, x, s->y, bottom);
		text_at(s, "m", x, s->y - 4, td_scale_label(text, sizeof(text), at, step), 24);
	}
}

static void put_flags(struct svg *s, const struct td_timeline *t)
{
	for (size_t i = 0; i < t->nflags; i++) {
		const struct td_flag *flag = &t->flags[i];
		char line[32];
		const char *class = strcmp(flag->level, "critical") == 0  ? "f"
				    : strcmp(flag->level, "warning") == 0 ? "w"
									  : "i";

		(void)snprintf(line, sizeof(line), "%zu", i + 1);
		(void)fprintf(s->out,
			      "<rect class=\"%s\" x=\"8\" y=\"%.1f\" width=\"9\" "
			      "height=\"9\" rx=\"2\"/>\n",
			      class, s->y - 8.5);
		text_at(s, "s", 22, s->y, line, 4);
		text_at(s, "s", 40, s->y, flag->text, TEXT_CHARS);
		s->y += FLAG;
	}
}

/* Above the lanes: where findings show, by their numbers. */
static void put_marks(const struct svg *s, const struct td_timeline *t, double y)
{
	char number[24];

	for (size_t i = 0; i < t->nflags; i++) {
		const struct td_flag *flag = &t->flags[i];
		double x;

		if (flag->start_ns == TD_NULL)
			continue;
		x = td_scale_x(&s->x, t, flag->start_ns);
		(void)fprintf(s->out, "<path class=\"%s\" d=\"M%.1f %.1fh9l-3 4l3 4h-9z\"/>\n",
			      strcmp(flag->level, "critical") == 0 ? "f" : "w", x, y);
		(void)snprintf(number, sizeof(number), "%zu", i + 1);
		text_at(s, "s", x + 10, y + 8, number, 4);
	}
}

/* Each meaning once, whatever lanes it is in. */
static void put_legend(struct svg *s)
{
	bool shown[TD_NHUES] = { false };
	double x = 8;

	for (size_t r = 0; r < s->p->nruns; r++)
		for (size_t i = 0; i < s->p->runs[r].nlanes; i++)
			for (size_t k = 0; k < s->p->runs[r].lanes[i]->nseries; k++) {
				const struct td_lane *lane = s->p->runs[r].lanes[i];
				const struct td_series *series = &lane->series[k];
				double width = 24 + 6.0 * (double)strlen(series->name);

				if (shown[series->hue] || lane->kind == TD_LANE_HEAT)
					continue;
				shown[series->hue] = true;
				if (x + width > WIDTH) {
					x = 8;
					s->y += FLAG;
				}
				(void)fprintf(s->out,
					      "<rect class=\"h-%s\" x=\"%.1f\" y=\"%.1f\" "
					      "width=\"10\" height=\"9\"/>\n",
					      td_palette[series->hue].name, x, s->y - 8.5);
				text_at(s, "s", x + 14, s->y, series->name, 60);
				x += width;
			}
	s->y += FLAG;
	(void)fprintf(s->out,
		      "<rect fill=\"url(#unseen)\" x=\"8\" y=\"%.1f\" width=\"10\" height=\"9\"/>"
		      "<rect fill=\"url(#lost)\" x=\"150\" y=\"%.1f\" width=\"10\" "
		      "height=\"9\"/>\n",
		      s->y - 8.5, s->y - 8.5);
	text_at(s, "s", 22, s->y, "nobody looked", 40);
	text_at(s, "s", 164, s->y, "events were lost", 40);
	s->y += FLAG;
}

static bool is_shown(const struct td_lane *lane)
{
	return !lane->is_folded;
}

static double run_height(const struct td_timeline *t)
{
	double height = HEAD + AXIS;

	for (size_t i = 0; i < t->nlanes; i++)
		if (is_shown(t->lanes[i]))
			height += lane_height(t->lanes[i]) + BETWEEN;
	return height;
}

static void put_title(const struct svg *s, const struct td_timeline *t)
{
	char line[256], from[TD_UNITS_BUF], len[TD_UNITS_BUF];

	text_at(s, "t", 8, s->y + 24, t->title, 80);
	(void)snprintf(line, sizeof(line), "%s, from %s after its begin%s%s%s",
		       td_format_dur(len, sizeof(len), t->end_ns - t->start_ns),
		       td_format_offset(from, sizeof(from), t->start_ns - t->origin_ns),
		       s->p->aligned_by ? "; 0 is the begin of " : "",
		       s->p->aligned_by ? s->p->aligned_by : "", "");
	text_at(s, "s", 8, s->y + 42, line, TEXT_CHARS);
}

static int put_run(struct svg *s, const struct td_timeline *t)
{
	double bottom = s->y + run_height(t) - BETWEEN;
	int r = 0;

	put_title(s, t);
	put_marks(s, t, s->y + HEAD - 14);
	s->y += HEAD + AXIS - 6;
	put_axis(s, bottom);
	s->y += 6;
	for (size_t i = 0; i < t->nlanes && r == 0; i++)
		if (is_shown(t->lanes[i]))
			r = put_lane(s, t, t->lanes[i]);
	return r;
}

static int draw(const struct td_picture *p, FILE *out, struct td_err *err)
{
	struct svg s = { .out = out, .p = p };
	double height = 5 * FLAG;
	int r = 0;

	td_scale_init(&s.x, p, LEFT, PLOT);
	for (size_t i = 0; i < p->nruns; i++)
		height += run_height(&p->runs[i]) + (double)p->runs[i].nflags * FLAG;
	(void)fprintf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
		      "viewBox=\"0 0 %d %.0f\" role=\"img\"><title>",
		      WIDTH, height, WIDTH, height);
	put_text(out, p->runs[0].title, 80);
	(void)fputs("</title>\n", out);
	put_style(out);
	put_patterns(out);
	(void)fprintf(out, "<rect class=\"bg\" width=\"%d\" height=\"%.0f\"/>\n", WIDTH, height);
	for (size_t i = 0; i < p->nruns && r == 0; i++)
		r = put_run(&s, &p->runs[i]);
	s.y += FLAG;
	put_legend(&s);
	for (size_t i = 0; i < p->nruns && r == 0; i++)
		put_flags(&s, &p->runs[i]);
	(void)fputs("</svg>\n", out);
	return r;
}

const struct td_renderer td_renderer_svg = {
	.ending = "svg",
	.nbins = PLOT,
	.nprocesses = 8,
	.draw = draw,
};
