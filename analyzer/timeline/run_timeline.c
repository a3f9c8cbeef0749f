/* SPDX-License-Identifier: MIT */
#include "analyzer/format/output.h"
#include "analyzer/timeline/renderers.h"
#include "analyzer/timeline/run_timeline.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/strbuf.h"
#include "common/text.h"

#define WIDTH 100 /* where the output is no terminal */
#define RUNS_MAX 2
#define BINS_MIN 64

struct runs {
	struct td_timeline items[RUNS_MAX];
	size_t n;
};

static void runs_done(struct runs *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		td_timeline_done(&runs->items[i]);
	runs->n = 0;
}

static int unknown_ending(const char *path, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf names = TD_STRBUF_INIT;

	for (size_t i = 1; td_renderers[i]; i++)
		td_strbuf_addf(&names, "%s.%s", i > 1 ? ", " : "", td_renderers[i]->ending);
	return td_err_set(err, -EINVAL, "what is '%s' to be? Names of pictures end in %s", path,
			  td_strbuf_str(&names));
}

/* Of two runs each has half of the room. */
static int load(const struct td_run_timeline *run, const struct td_renderer *renderer, size_t nbins,
		struct runs *ret, struct td_err *err)
{
	struct td_timeline_request req = run->request;
	const char *paths[RUNS_MAX] = { run->request.path, run->compare };
	int r = 0;

	req.nbins = nbins;
	/* a coarser whole has coarser parts */
	req.nbins_zoom = renderer->nbins ? renderer->nbins_zoom * nbins / renderer->nbins : 0;
	req.nprocesses = renderer->nprocesses;
	req.tops = renderer->tops;
	for (size_t i = 0; i < RUNS_MAX && paths[i] && r == 0; i++) {
		req.path = paths[i];
		r = td_timeline_load(&req, &ret->items[i], err);
		ret->n += r == 0;
	}
	return r;
}

static int draw(const struct td_run_timeline *run, const struct td_renderer *renderer, size_t nbins,
		FILE *out, struct td_err *err)
{
	_cleanup_(runs_done) struct runs runs = { 0 };
	struct td_picture picture = { 0 };
	int r;

	picture.width = td_terminal_width(out);
	if (!picture.width)
		picture.width = WIDTH;
	picture.colour = td_output_colour(out);
	picture.utf8 = td_output_utf8();
	r = load(run, renderer, nbins ? nbins : picture.width * 4, &runs, err);
	if (r < 0)
		return r;
	picture.runs = runs.items;
	picture.nruns = runs.n;
	if (runs.n > 1)
		picture.aligned_by = td_timeline_align(&runs.items[0], &runs.items[1]);
	return renderer->draw(&picture, out, err);
}

/* In fewer bins where it would be too large. */
static int draw_to(const struct td_run_timeline *run, const struct td_renderer *renderer, FILE *out,
		   struct td_err *err)
{
	size_t nbins = renderer->nbins;
	int r;

	do {
		r = draw(run, renderer, nbins, out, err);
		nbins /= 2;
	} while (r == -EFBIG && nbins >= BINS_MIN);
	return r;
}

int td_run_timeline(const struct td_run_timeline *run, struct td_err *err)
{
	const struct td_renderer *renderer = td_renderer_find(run->output);
	_cleanup_(td_output_done) struct td_output out = { 0 };
	int r;

	if (!renderer)
		return unknown_ending(run->output, err);
	r = td_output_open_file(run->output, &out, err);
	if (r == 0)
		r = draw_to(run, renderer, out.f, err);
	return r < 0 ? r : td_output_close(&out, err);
}

int td_timeline_rest(const struct td_run_timeline *run, char **ret, struct td_err *err)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int r;

	if (!out)
		return -ENOMEM;
	r = draw_to(run, &td_renderer_html_rest, out, err);
	if (fclose(out) != 0 && r == 0)
		r = -ENOMEM;
	if (r == 0)
		*ret = TAKE_PTR(text);
	return r;
}
