/* SPDX-License-Identifier: MIT */
#include <strings.h>

#include "common/archive.h"
#include "common/strbuf.h"
#include "common/utf8.h"

#define TAR_BLOCK 512

static bool octal(const char *p, size_t len, uint64_t *ret)
{
	size_t i = 0;

	*ret = 0;
	while (i < len && p[i] == ' ')
		i++;
	if (i == len || p[i] < '0' || p[i] > '7')
		return false;
	for (; i < len && p[i] >= '0' && p[i] <= '7'; i++)
		*ret = *ret * 8 + (uint64_t)(p[i] - '0');
	return i == len || p[i] == ' ' || p[i] == '\0';
}

/* POSIX pax: the sum of the 512 bytes of the header, its own 8 at 148 taken as blanks. */
static bool is_tar(const char *head, size_t len)
{
	uint64_t want, sum = 0;

	if (len < TAR_BLOCK || !octal(head + 148, 8, &want))
		return false;
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)head[i];
	return sum == want;
}

static bool begins_with(const char *head, size_t len, const char *magic, size_t n)
{
	return len >= n && memcmp(head, magic, n) == 0;
}

/* APPNOTE.TXT 4.3.7, and 4.3.16 for an empty zip. */
bool td_archive_is(const char *head, size_t len)
{
	return begins_with(head, len, "PK\003\004", 4) || begins_with(head, len, "PK\005\006", 4) ||
	       is_tar(head, len);
}

size_t td_archive_suffix(const char *path)
{
	static const char *const suffixes[] = {
		".tar", ".tar.gz",  ".tgz",  ".tar.zst", ".tzst", ".tar.xz",
		".txz", ".tar.bz2", ".tbz2", ".tbz",     ".zip",
	};
	size_t len = strlen(path);

	for (size_t i = 0; i < TD_ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len >= n && strcasecmp(path + len - n, suffixes[i]) == 0)
			return n;
	}
	return 0;
}

static void add_printable(struct td_strbuf *b, const char *p, size_t len)
{
	static const char unprintable = '?';

	for (size_t i = 0; i < len; i++) {
		bool ok = (unsigned char)p[i] >= ' ' && p[i] != 0x7f;

		td_strbuf_add(b, ok ? p + i : &unprintable, 1);
	}
}

char *td_archive_clean_name(const char *name)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	for (const char *p = name; *p;) {
		size_t n = strcspn(p, "/\\");

		if (n > 0 && !(n == 1 && p[0] == '.') && !(n == 2 && p[0] == '.' && p[1] == '.')) {
			if (b.len)
				td_strbuf_addc(&b, '/');
			add_printable(&b, p, n);
		}
		p += n + (p[n] != '\0');
	}
	if (td_strbuf_error(&b) < 0)
		return NULL;
	return b.len ? td_utf8_dup(b.p, b.len) : strdup("(unnamed)");
}
