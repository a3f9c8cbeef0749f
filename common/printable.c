/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

static void add_control(struct td_strbuf *b, uint32_t cp)
{
	static const char letters[] = { ['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r' };

	if (cp < sizeof(letters) && letters[cp])
		td_strbuf_addf(b, "\\%c", letters[cp]);
	else
		td_strbuf_addf(b, "\\x%02x", cp);
}

static bool is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0);
}

/* Bidi_Control of Unicode 15 (PropList.txt), and the separators of lines and paragraphs. */
bool td_acts_on_terminal(uint32_t cp)
{
	return is_control(cp) || cp == 0x061c || cp == 0x200e || cp == 0x200f ||
	       (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

void td_printable(struct td_strbuf *b, const char *p, size_t len)
{
	uint32_t cp = 0;

	for (size_t n; len; p += n, len -= n) {
		n = td_utf8_decode(p, len, &cp);
		if (n == 0 && *p) {
			td_strbuf_adds(b, REPLACEMENT);
			n = 1;
		} else if (n == 0) {
			td_strbuf_adds(b, "\\x00");
			n = 1;
		} else if (is_control(cp)) {
			add_control(b, cp);
		} else if (td_acts_on_terminal(cp)) {
			td_strbuf_adds(b, REPLACEMENT);
		} else {
			td_strbuf_add(b, p, n);
		}
	}
}
