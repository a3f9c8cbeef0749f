/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "analyzer/page/page.h"

/* '<' is in strings only. */
void td_page_put_json(const char *json, FILE *out)
{
	for (size_t n; *json; json += n) {
		n = strcspn(json, "<");
		(void)fwrite(json, 1, n, out);
		if (json[n] == '<') {
			(void)fputs("\\u003c", out);
			n++;
		}
	}
}
