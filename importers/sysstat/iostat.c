/* SPDX-License-Identifier: MIT */
/*
 * iostat's text, of any options and age:
 *
 *     Linux 6.1.0 (box)       11/20/26        _x86_64_        (2 CPU)
 *
 *     11/20/26 11:26:35                                                   -t
 *     avg-cpu:  %user   %nice %system %iowait  %steal   %idle
 *               88.50    0.00   11.50    0.00    0.00    0.00
 *
 *     Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
 *     sda              46.00        56.00       464.00         56        464
 *
 *     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device               -h: sizes have suffixes
 *
 * iostat_rows.c says what becomes of the values. Times are LOCAL, as printed with the date; with
 * S_TIME_FORMAT=ISO they bear the zone: UTC. Without -t the clock is RELATIVE, a report's time is its
 * number in ns, and no-time-stamps is noted. -y is known by the second blank line after the banner.
 * Rows of groups (-g), which begin with a blank, would count their devices twice: skipped and noted.
 */
#include "common/cleanup.h"
#include "importers/core/importers.h"
#include "importers/sysstat/iostat.h"
#include "importers/sysstat/machine.h"

#define MAX_COLUMNS 32
#define NAME_MAX_LEN 16 /* of a column */

enum table { TABLE_NONE, TABLE_CPU, TABLE_DISK };

struct text {
	struct td_iostat io;
	enum table table;
	bool device_last; /* -h */
	unsigned ncolumns;
	char columns[MAX_COLUMNS][NAME_MAX_LEN + 1];
	unsigned nblank; /* lines since the banner, while there was nothing else */
	bool after_banner;
};

struct header {
	enum table table;
	bool device_last;
	unsigned nwords;
	struct td_str words[MAX_COLUMNS];
	uint64_t known; /* bits of td_iostat_column_of() */
};

/* --- lines --- */

static bool is_label(struct td_str s)
{
	return td_str_eq(s, "Device") || td_str_eq(s, "Device:");
}

static bool scan_header(const char *line, size_t len, struct header *ret)
{
	struct td_scan s = td_scan_of(line, len);
	struct td_str word;
	unsigned known_words = 0;

	*ret = (struct header){ .table = TABLE_NONE };
	for (td_scan_blanks(&s); td_scan_token(&s, &word); td_scan_blanks(&s)) {
		if (ret->nwords == MAX_COLUMNS || word.len > NAME_MAX_LEN)
			return false;
		ret->words[ret->nwords++] = word;
	}
	if (ret->nwords < 3)
		return false;
	if (td_str_eq(ret->words[0], "avg-cpu:")) {
		ret->table = TABLE_CPU;
		return true;
	}
	ret->device_last = is_label(ret->words[ret->nwords - 1]);
	for (unsigned i = 0; i < ret->nwords; i++) {
		int column = td_iostat_column_of(ret->words[i]);

		if (column >= 0) {
			ret->known |= UINT64_C(1) << column;
			known_words++;
		}
	}
	ret->table = TABLE_DISK;
	return known_words >= 2 &&
	       (ret->device_last || is_label(ret->words[0]) || known_words + 1 == ret->nwords);
}

static int header_line(struct td_import *imp, struct text *t, const struct header *h)
{
	unsigned first = !h->device_last, last = h->nwords - h->device_last;

	t->table = h->table;
	t->device_last = h->device_last;
	t->ncolumns = 0;
	for (unsigned i = first; i < last; i++)
		(void)snprintf(t->columns[t->ncolumns++], sizeof(t->columns[0]), "%.*s",
			       (int)h->words[i].len, h->words[i].p);
	td_iostat_table(imp, &t->io, h->known);
	return TD_LINE_SKIPPED;
}

/* "933.2k", "54.5%", "12,50" */
static bool scan_value(struct td_str word, double *ret, char *ret_suffix)
{
	struct td_scan s = td_scan_of(word.p, word.len);

	*ret_suffix = 0;
	if (!td_scan_double(&s, ret))
		return false;
	if (!td_scan_done(&s))
		*ret_suffix = *s.p++;
	return td_scan_done(&s) && (!*ret_suffix || strchr("%BkMGTPE", *ret_suffix));
}

static int put_values(struct td_import *imp, struct text *t, struct td_str device,
		      const double *values, const char *suffixes)
{
	int r = 0;

	for (unsigned i = 0; i < t->ncolumns && r >= 0; i++) {
		struct td_str name = { t->columns[i], strlen(t->columns[i]) };

		if (t->table == TABLE_DISK)
			r = td_iostat_disk(imp, &t->io, device, name, values[i], suffixes[i]);
		else
			r = td_iostat_cpu(imp, &t->io, name, values[i]);
	}
	return r < 0 ? r : TD_LINE_ROW;
}

static int row_line(struct td_import *imp, struct text *t, const char *line, size_t len)
{
	struct td_scan s = td_scan_of(line, len);
	struct td_str word, device = { "", 0 };
	double values[MAX_COLUMNS] = { 0 };
	char suffixes[MAX_COLUMNS] = { 0 };
	unsigned n = 0;

	td_scan_blanks(&s);
	if (t->table == TABLE_DISK && !t->device_last)
		(void)td_scan_token(&s, &device);
	for (td_scan_blanks(&s); n < t->ncolumns && td_scan_token(&s, &word); td_scan_blanks(&s)) {
		if (!scan_value(word, &values[n], &suffixes[n]))
			break;
		n++;
	}
	if (t->table == TABLE_DISK && t->device_last && n == t->ncolumns)
		(void)td_scan_token(&s, &device);
	td_scan_blanks(&s);
	/* of a number at the end, digits may be missing */
	if (n < t->ncolumns || !td_scan_done(&s) || (imp->line_unterminated && !t->device_last) ||
	    (t->table == TABLE_DISK && !device.len))
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "not-a-row");
	t->io.m.has_comma |= memchr(line, ',', len) != NULL;
	if (t->table == TABLE_DISK && !t->device_last && line[0] == ' ') {
		if (!t->io.noted_group)
			td_note(imp, "group", "sums of groups of devices are not read");
		t->io.noted_group = true;
		return TD_LINE_SKIPPED;
	}
	return put_values(imp, t, device, values, suffixes);
}

/* "Linux <release> (<host>) ..." */
static int banner_line(struct td_import *imp, struct text *t, struct td_str line)
{
	const char *open = td_str_find(line, "("), *close = td_str_find(line, ")");
	char host[256] = "";

	if (open && close && open < close)
		(void)snprintf(host, sizeof(host), "%.*s", (int)TD_MIN(close - open - 1, 255),
			       open + 1);
	td_import_set_tool(imp, "iostat", NULL, host[0] ? host : NULL);
	td_iostat_banner(&t->io);
	t->table = TABLE_NONE;
	t->after_banner = true;
	t->nblank = 0;
	return TD_LINE_SKIPPED;
}

static int iostat_line(struct td_import *imp, char *line, size_t len)
{
	struct text *t = imp->state;
	struct header h;

	if (memchr(line, '\033', len))
		len = td_mpstat_strip_colours(line, len);
	while (len >= 2 && line[0] == '^' && line[1] == 'C') { /* the terminal's echo */
		line += 2;
		len -= 2;
	}
	if (strspn(line, " \t") >= len) {
		t->table = TABLE_NONE;
		t->nblank++;
		t->io.omits_first |= t->after_banner && t->nblank == 2;
		return TD_LINE_SKIPPED;
	}
	if (td_str_starts((struct td_str){ line, len }, "Linux "))
		return banner_line(imp, t, (struct td_str){ line, len });
	t->after_banner = false;
	if (scan_header(line, len, &h))
		return header_line(imp, t, &h);
	if (t->table != TABLE_NONE)
		return row_line(imp, t, line, len);
	if (td_iostat_time(imp, &t->io, (struct td_str){ line, len }))
		return TD_LINE_SKIPPED;
	return td_reject(imp, imp->line_unterminated ? "cut-line" : "unknown-line");
}

static int iostat_begin(struct td_import *imp, struct td_err *err)
{
	struct text *t = imp->state;

	(void)err;
	td_iostat_init(&t->io);
	return 0;
}

#define SNIFF_BANNER 92
#define SNIFF_TABLE 35 /* below those of texts that quote iostat */

static bool iostat_takes_tail(const char *tail, size_t len)
{
	return tail[len - 1] == '%' || td_mpstat_is_number_end(tail, len);
}

static int iostat_sniff(const char *head, size_t len)
{
	const char *p = head, *nl;
	bool banner = false;

	/* a word of every header that is looked for: most texts have neither, and need no look at their lines */
	if (!td_find(head, len, "Device", strlen("Device")) &&
	    !td_find(head, len, "avg-cpu:", strlen("avg-cpu:")))
		return 0;
	for (; (nl = memchr(p, '\n', (size_t)(head + len - p))); p = nl + 1) {
		struct header h;

		banner |= td_str_starts((struct td_str){ p, (size_t)(nl - p) }, "Linux ");
		if (scan_header(p, (size_t)(nl - p) - (nl > p && nl[-1] == '\r'), &h) &&
		    (h.table == TABLE_CPU || h.device_last || is_label(h.words[0])))
			return banner ? SNIFF_BANNER : SNIFF_TABLE;
	}
	return 0;
}

const struct td_importer td_importer_iostat = {
	.name = "iostat",
	.desc = "iostat: rates and utilisation per disk, any options",
	.clock = TD_CLOCK_LOCAL,
	.state_size = sizeof(struct text),
	.sniff = iostat_sniff,
	.surest = SNIFF_BANNER,
	.host = td_sysstat_text_host,
	.host_marks = td_sysstat_text_host_marks,
	.begin = iostat_begin,
	.line = iostat_line,
	.takes_tail = iostat_takes_tail,
};
