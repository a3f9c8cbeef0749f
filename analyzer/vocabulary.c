/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "analyzer/vocabulary.h"
#include "schema/sql.h"

extern const struct td_sql td_vocabulary[]; /* one file */

struct td_str td_vocabulary_next(const char **at, const char *kind, const char *name)
{
	/* a line begins behind another one: the first is a comment. No name is as long as that. */
	const char *from = *at ? *at - 1 : td_vocabulary[0].text, *line;
	char begin[256];
	int n = snprintf(begin, sizeof(begin), "\n%s %s ", kind, name);
	size_t len;

	line = n < (int)sizeof(begin) ? memmem(from, strlen(from), begin, (size_t)n) : NULL;
	if (!line)
		return (struct td_str){ 0 };
	line += n;
	len = strcspn(line, "\n");
	*at = line + len + (line[len] == '\n');
	return (struct td_str){ line, len };
}
