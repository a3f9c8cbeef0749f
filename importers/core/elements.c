/* SPDX-License-Identifier: MIT */
/* The elements of a JSON array, each a row: what lines are of other texts. */
#include "common/cleanup.h"
#include "common/json/text.h"
#include "importers/core/import_core.h"

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
				     : imp->core->importer->element(imp, text);
	if (r == -EBADMSG) {
		r = td_reject(imp, "spoilt-event");
		td_json_stream_spoilt(js);
	}
	r = td_import_row_done(imp, r);
	return r < 0 ? r : step;
}

int td_import_elements(struct td_import *imp, struct td_json_stream *js)
{
	int r;

	do
		r = one_element(imp, js);
	while (r > 0 && r != TD_JSON_CUT);
	return r;
}
