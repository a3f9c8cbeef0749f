/* SPDX-License-Identifier: MIT */
/* Each of the renderers. */
#pragma once

#include "analyzer/timeline/render.h"

extern const struct td_renderer td_renderer_html; /* html.c: a page to look around in */
extern const struct td_renderer
	td_renderer_html_rest; /* ... without td_timeline_page[0], for a page with tables */
extern const struct td_renderer td_renderer_svg; /* svg.c: static, to print */
extern const struct td_renderer td_renderer_terminal; /* terminal.c: block characters */
