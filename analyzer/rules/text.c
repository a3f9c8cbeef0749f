/* SPDX-License-Identifier: MIT */
#include "analyzer/rules/text.h"
#include "analyzer/format/text.h"
#include "common/cleanup.h"

#define INDENT 3

/* Words of the text on lines of their own, as many as fit; what is longer than a line stays whole. column: where the
 * first word stands. */
static void put_words(const char *text, size_t column, size_t width, FILE *out)
{
	for (bool first = true; *text; first = false) {
		size_t len = strcspn(text, " "), columns = td_text_width(text, len);

		if (!first && column + 1 + columns > width) {
			fprintf(out, "\n%*s", INDENT, "");
			column = INDENT;
		} else if (!first) {
			(void)fputc(' ', out);
			column++;
		}
		(void)fwrite(text, 1, len, out);
		column += columns;
		text += len;
		text += *text == ' ';
	}
	(void)fputc('\n', out);
}

/* "   Label: text", nothing where there is no text. */
static void put_part(const char *label, const char *text, size_t width, FILE *out)
{
	if (!text || !*text)
		return;
	put_words(text, (size_t)fprintf(out, "%*s%s: ", INDENT, "", label), width, out);
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
		put_words(one->text, INDENT, width, out);
		put_part("Advice", one->advice, width, out);
		if (one->saves)
			fprintf(out, "%*sSaves: at most %s of the GPUs' idle time\n", INDENT, "",
				one->saves);
		put_part("Unless", one->unless, width, out);
		r = put_confidence(one, width, out);
	}
	return r;
}
