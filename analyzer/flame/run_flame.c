/* SPDX-License-Identifier: MIT */
#include "analyzer/flame/run_flame.h"
#include "analyzer/format/output.h"
#include "common/log.h"
#include "common/cleanup.h"

#define LIMIT 60

static const struct td_flame_renderer *const renderers[] = {
	&td_flame_html_renderer,
	&td_flame_folded_renderer,
};

/* By the ending of the name; the terminal's where there is no name, NULL where nobody writes such files. */
static const struct td_flame_renderer *find(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	if (!path || strcmp(path, "-") == 0)
		return &td_flame_text_renderer;
	for (size_t i = 0; dot && i < TD_ARRAY_SIZE(renderers); i++)
		if (strcmp(dot + 1, renderers[i]->ending) == 0)
			return renderers[i];
	return NULL;
}

int td_run_flame(const struct td_run_flame *run, struct td_err *err)
{
	const struct td_flame_renderer *renderer = find(run->output);
	_cleanup_(td_flame_done) struct td_flame flame = { 0 };
	_cleanup_(td_output_done) struct td_output out = { 0 };
	struct td_flame_picture picture = { .flame = &flame };
	int r;

	if (!renderer)
		return td_err_set(err, -EINVAL, "what is '%s' to be? Names end in .html or .folded",
				  run->output);
	r = td_flame_load(&run->request, &flame, err);
	if (r == 0)
		r = td_output_open_file(run->output, &out, err);
	if (r < 0)
		return r;
	picture.utf8 = td_output_utf8();
	picture.limit = run->limit ? run->limit : LIMIT;
	r = renderer->draw(&picture, out.f, err);
	return r < 0 ? r : td_output_close(&out, err);
}
