/* SPDX-License-Identifier: MIT */
/* The elements of a JSON array, each a row: what lines are of other texts. */
#include "common/cleanup.h"
#include "common/json/text.h"
#include "importers/core/import_core.h"

/* Parts in a row that could not be taken before it is given up. */
#define IN_VAIN_MAX 16

/* The next one, in turn. An enum td_json_step or -errno. */
static int one_element(struct td_import *imp, struct td_json_stream *js)
{
	struct td_str text;
	int step = td_json_stream_element(js, &text), r;

	if (step <= 0 || (step == TD_JSON_CUT && !text.len))
		return step;
	td_import_row(imp);
	td_import_row_text(imp, text.p, text.len);
	r = step == TD_JSON_CUT      ? td_reject(imp, "cut-event")
	    : step == TD_JSON_SPOILT ? td_reject(imp, "spoilt-event")
				     : imp->core->importer->element(imp, text, &js->object);
	if (r == -EBADMSG) {
		r = td_reject(imp, "spoilt-event");
		td_json_stream_spoilt(js);
	}
	r = td_import_row_done(imp, r);
	return r < 0 ? r : step;
}

/* Behind what is read in turn a part of the text is, too, before the next ones are tried. */
int td_import_elements(struct td_import *imp, struct td_json_stream *js)
{
	const struct td_import_core *c = imp->core;
	int64_t part = (int64_t)td_import_part_bytes(imp->options), next = part;
	bool speculates = c->importer->speculation && td_import_threads(imp->options) > 1;
	int r, in_vain = 0;

	while ((r = one_element(imp, js)) > 0 && r != TD_JSON_CUT) {
		bool paid;

		if (!speculates || in_vain >= IN_VAIN_MAX || td_json_stream_position(js) < next)
			continue;
		r = td_speculate_elements(imp, js, &paid);
		if (r < 0)
			break;
		in_vain = paid ? 0 : in_vain + 1;
		next = td_json_stream_position(js) + part;
	}
	return r;
}
