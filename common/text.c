/* SPDX-License-Identifier: MIT */
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/text.h"
#include "common/utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define CONTEXT 3 /* columns before a difference that are shown with it */

struct range {
	uint32_t first, last;
};

/* East_Asian_Width W and F of Unicode 15 (EastAsianWidth.txt), blocks joined where only unassigned
 * code points lie between. */
static const struct range wide[] = {
	{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },   { 0x23e9, 0x23ec },
	{ 0x23f0, 0x23f0 },   { 0x23f3, 0x23f3 },   { 0x25fd, 0x25fe },   { 0x2614, 0x2615 },
	{ 0x2648, 0x2653 },   { 0x267f, 0x267f },   { 0x2693, 0x2693 },   { 0x26a1, 0x26a1 },
	{ 0x26aa, 0x26ab },   { 0x26bd, 0x26be },   { 0x26c4, 0x26c5 },   { 0x26ce, 0x26ce },
	{ 0x26d4, 0x26d4 },   { 0x26ea, 0x26ea },   { 0x26f2, 0x26f3 },   { 0x26f5, 0x26f5 },
	{ 0x26fa, 0x26fa },   { 0x26fd, 0x26fd },   { 0x2705, 0x2705 },   { 0x270a, 0x270b },
	{ 0x2728, 0x2728 },   { 0x274c, 0x274c },   { 0x274e, 0x274e },   { 0x2753, 0x2755 },
	{ 0x2757, 0x2757 },   { 0x2795, 0x2797 },   { 0x27b0, 0x27b0 },   { 0x27bf, 0x27bf },
	{ 0x2b1b, 0x2b1c },   { 0x2b50, 0x2b50 },   { 0x2b55, 0x2b55 },   { 0x2e80, 0x303e },
	{ 0x3041, 0x3247 },   { 0x3250, 0x4dbf },   { 0x4e00, 0xa4c6 },   { 0xa960, 0xa97c },
	{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe10, 0xfe19 },   { 0xfe30, 0xfe6b },
	{ 0xff01, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x16fe0, 0x1b2fb }, { 0x1f004, 0x1f004 },
	{ 0x1f0cf, 0x1f0cf }, { 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 },
	{ 0x1f32d, 0x1f335 }, { 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 }, { 0x1f3a0, 0x1f3ca },
	{ 0x1f3cf, 0x1f3d3 }, { 0x1f3e0, 0x1f3f0 }, { 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e },
	{ 0x1f440, 0x1f440 }, { 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f54e },
	{ 0x1f550, 0x1f567 }, { 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 },
	{ 0x1f5fb, 0x1f64f }, { 0x1f680, 0x1f6c5 }, { 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6d2 },
	{ 0x1f6d5, 0x1f6df }, { 0x1f6eb, 0x1f6ec }, { 0x1f6f4, 0x1f6fc }, { 0x1f7e0, 0x1f7f0 },
	{ 0x1f90c, 0x1f93a }, { 0x1f93c, 0x1f945 }, { 0x1f947, 0x1f9ff }, { 0x1fa70, 0x1faf8 },
	{ 0x20000, 0x3fffd },
};

/* The blocks of combining marks that are likely in file names, joiners and variation selectors. */
static const struct range no_width[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x064b, 0x065f },
	{ 0x0900, 0x0902 }, { 0x093c, 0x093c }, { 0x0941, 0x0948 }, { 0x0e31, 0x0e31 },
	{ 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
	{ 0x200b, 0x200f }, { 0x202a, 0x202e }, { 0x2060, 0x2064 }, { 0x20d0, 0x20f0 },
	{ 0x3099, 0x309a }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff },
};

static bool in_ranges(uint32_t cp, const struct range *ranges, size_t n)
{
	size_t low = 0;

	while (n > 0) { /* the first range that does not end before cp */
		size_t half = n / 2;

		if (ranges[low + half].last < cp) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return ranges[low].first <= cp && cp <= ranges[low].last;
}

static size_t char_width(uint32_t cp)
{
	if (cp < 0x300)
		return 1;
	if (cp <= 0xfeff && in_ranges(cp, no_width, TD_ARRAY_SIZE(no_width)))
		return 0;
	if (cp <= 0x3fffd && in_ranges(cp, wide, TD_ARRAY_SIZE(wide)))
		return 2;
	return 1;
}

/* Length and width of the character at p; a byte of invalid UTF-8 counts as one character. */
static size_t next_char(const char *p, size_t len, size_t *ret_width)
{
	uint32_t cp = 0;
	size_t n = td_utf8_decode(p, len, &cp);

	*ret_width = n ? char_width(cp) : 1;
	return n ? n : 1;
}

size_t td_text_width(const char *p, size_t len)
{
	size_t width = 0, w;

	for (size_t i = 0; i < len; width += w)
		i += next_char(p + i, len - i, &w);
	return width;
}

/* Bytes at the begin of the text that fit into width columns. */
static size_t fit(const char *p, size_t len, size_t width)
{
	size_t i = 0, used = 0;

	while (i < len) {
		size_t w, n = next_char(p + i, len - i, &w);

		if (used + w > width)
			break;
		used += w;
		i += n;
	}
	return i;
}

/* Where the end of the text begins that fits into width columns. */
static size_t fit_end(const char *p, size_t len, size_t width)
{
	size_t all = td_text_width(p, len), at, w;

	at = fit(p, len, all > width ? all - width : 0);
	while (td_text_width(p + at, len - at) > width)
		at += next_char(p + at, len - at, &w);
	return at;
}

void td_text_cut(struct td_strbuf *b, const char *p, size_t len, size_t width)
{
	size_t head, tail;

	if (td_text_width(p, len) <= width) {
		td_strbuf_add(b, p, len);
		return;
	}
	if (width == 0)
		return;
	head = fit(p, len, (width - 1) / 2);
	tail = fit_end(p, len, width - 1 - td_text_width(p, head));
	td_strbuf_add(b, p, head);
	td_strbuf_adds(b, ELLIPSIS);
	td_strbuf_add(b, p + tail, len - tail);
}

/* The begin, a part from a little before shown_at on, and the end. */
void td_text_cut_showing(struct td_strbuf *b, const char *p, size_t len, size_t width,
			 size_t shown_at)
{
	size_t third = width >= 2 ? (width - 2) / 3 : 0, head = fit(p, len, third), from, part,
	       tail;

	from = fit_end(p, shown_at, CONTEXT);
	tail = fit_end(p, len, third);
	if (third <= CONTEXT || from <= head || from >= tail) {
		td_text_cut(b, p, len, width);
		return;
	}
	part = fit(p + from, tail - from,
		   width - 2 - td_text_width(p, head) - td_text_width(p + tail, len - tail));
	td_strbuf_add(b, p, head);
	td_strbuf_adds(b, ELLIPSIS);
	td_strbuf_add(b, p + from, part);
	if (from + part < tail)
		td_strbuf_adds(b, ELLIPSIS);
	td_strbuf_add(b, p + tail, len - tail);
}

void td_text_wrap(FILE *out, const char *text, size_t at, size_t indent, size_t width)
{
	for (bool first = true; *text; first = false) {
		size_t len = strcspn(text, " "), columns = td_text_width(text, len);

		if (!first && at + 1 + columns > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			(void)fputc(' ', out);
			at++;
		}
		(void)fwrite(text, 1, len, out);
		at += columns;
		text += len;
		text += *text == ' ';
	}
	(void)fputc('\n', out);
}

size_t td_terminal_width(FILE *f)
{
	struct winsize size = { 0 };

	if (!isatty(fileno(f)) || ioctl(fileno(f), TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}
