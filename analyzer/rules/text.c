/* SPDX-License-Identifier: MIT */
#include "analyzer/rules/text.h"
#include "common/cleanup.h"
#include "common/text.h"

#define INDENT 3

/* "   Label: text", nothing where there is no text. */
static void put_part(const char *label, const char *text, size_t width, FILE *out)
{
	if (!text || !*text)
		return;
	td_text_wrap(out, text, (size_t)fprintf(out, "%*s%s: ", INDENT, "", label), INDENT, width);
}

static int put_confidence(const struct td_finding *f, size_t width, FILE *out)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_strbuf_adds(&b, td_confidence_names[td_confidence_of(f->doubts)]);
	if (f->doubts) {
		td_strbuf_adds(&b, ": ");
		td_doubts_add(&b, f->doubts);
	}
	put_part("Confidence", td_strbuf_str(&b), width, out);
	return td_strbuf_error(&b);
}

int td_findings_print(const struct td_findings *f, size_t width, FILE *out)
{
	int r = 0;

	for (size_t i = 0; i < f->n && r == 0; i++) {
		const struct td_finding *one = &f->items[i];
		fprintf(out, "%s%zu. %s: %s (%s)\n%*s", i ? "\n" : "", i + 1,
			td_level_names[one->level], one->rule->title, one->rule->name, INDENT, "");
		td_text_wrap(out, one->text, INDENT, INDENT, width);
		put_part("Advice", one->advice, width, out);
		if (one->saves)
			fprintf(out, "%*sSaves: at most %s of the GPUs' idle time\n", INDENT, "",
				one->saves);
		put_part("Unless", one->unless, width, out);
		r = put_confidence(one, width, out);
	}
	return r;
}
