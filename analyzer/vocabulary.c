/* SPDX-License-Identifier: MIT */
#include "analyzer/vocabulary.h"
#include "schema/sql.h"

extern const struct td_sql td_vocabulary[]; /* one file */

/* Takes the word and the blank behind it off the text. */
static bool take(struct td_str *text, const char *word)
{
	size_t n = strlen(word);

	if (text->len <= n || text->p[n] != ' ' || memcmp(text->p, word, n) != 0)
		return false;
	*text = (struct td_str){ text->p + n + 1, text->len - n - 1 };
	return true;
}

struct td_str td_vocabulary_next(const char **at, const char *kind, const char *name)
{
	const char *line = *at ? *at : td_vocabulary[0].text;

	while (*line) {
		struct td_str text = { line, strcspn(line, "\n") };

		line += text.len + (line[text.len] == '\n');
		if (take(&text, kind) && take(&text, name)) {
			*at = line;
			return text;
		}
	}
	return (struct td_str){ 0 };
}
