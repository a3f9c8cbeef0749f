/* SPDX-License-Identifier: MIT */
/* What belongs to bpftrace text, and what text is bpftrace's. */
#include "common/cleanup.h"
#include "importers/bpftrace/bpftrace.h"

/* A program has any name, so what nobody else knows is one. */
static int claim_layout(const char *text)
{
	return *text ? 1 : 0;
}

static void free_layout(void *layout)
{
	td_layout_set_done(layout);
	free(layout);
}

static int read_layout(const char *text, void **ret, struct td_err *err)
{
	struct td_layout_set *set = calloc(1, sizeof(*set));
	int r = set ? td_bpftrace_program(text, set, err) : -ENOMEM;

	if (r < 0 && set)
		free_layout(set);
	if (r >= 0)
		*ret = set;
	return r;
}

const struct td_layout_kind td_bpftrace_layout = {
	.claim = claim_layout,
	.read = read_layout,
	.free = free_layout,
};

int td_bpftrace_layouts(const struct td_import_layouts *given, struct td_layout_set *own,
			const struct td_layout_set **ret)
{
	const struct td_layout_set *known = td_layout_set_known(), *program;
	size_t at = 0;
	int r = known ? 0 : -ENOMEM;

	while (r >= 0 && (program = td_import_layouts_next(given, &td_bpftrace_layout, &at)))
		r = td_layout_set_add_set(own, program);
	if (r >= 0 && own->nlayouts)
		r = td_layout_set_add_set(own, known);
	if (r >= 0)
		*ret = own->nlayouts ? own : known;
	return r;
}

static bool is_sound(const struct td_pattern *pt, const struct td_layout_values *v)
{
	return !td_pattern_has(pt, TD_FIELD_TS) ||
	       (v->num[TD_FIELD_TS] > 0 && !td_bpftrace_spoilt(pt, v));
}

const char *td_bpftrace_match(const struct td_pattern *pt, const char *p, const char *end,
			      bool sure, struct td_layout_values *v)
{
	const char *next = td_pattern_match(pt, p, end, sure, v);

	return next && is_sound(pt, v) ? next : NULL;
}

const char *td_bpftrace_match_spaced(const struct td_pattern *pt, const char *p, const char *end,
				     struct td_layout_values *v)
{
	const char *next = td_pattern_match_spaced(pt, p, end, v);

	return next && is_sound(pt, v) ? next : NULL;
}

const struct td_pattern *td_bpftrace_match_exact(const struct td_pattern *pt, const char *p,
						 const char *end, bool sure,
						 struct td_layout_values *v, const char **ret_next)
{
	pt = td_pattern_match_exact(pt, p, end, sure, v, ret_next);
	return pt && is_sound(pt, v) ? pt : NULL;
}

const struct td_pattern *td_bpftrace_match_any(const struct td_layout_set *set,
					       const uint16_t *order, bool clock_too, const char *p,
					       const char *end, struct td_layout_values *v,
					       const char **ret_next)
{
	bool iso = td_layout_is_iso(p, end);

	for (size_t i = 0; i < set->npatterns; i++) {
		const struct td_pattern *pt = &set->patterns[order ? order[i] : i];

		if (pt->iso != iso || (pt->kind == TD_PATTERN_CLOCK && !clock_too))
			continue;
		if ((*ret_next = td_bpftrace_match(pt, p, end, true, v)))
			return pt;
	}
	return NULL;
}

/* "mmap():", "mkdir() and vfs_mkdir():" */
static bool is_banner(struct td_str s)
{
	return td_str_ends(s, "():") && s.len < 64 && !memchr(s.p, '/', s.len);
}

bool td_bpftrace_is_noise(struct td_str s)
{
	static const char *const begins[] = {
		"@", /* a map */
		"Attaching",   "Attached", "Capturing",
		"ERROR:",      "WARNING:", "TIMESTAMP", /* a header that no layout knows */
		"enter_mkdir", /* cd.bt: the events follow */
		"exit_mkdir",
	};

	while (s.len && s.p[s.len - 1] == ' ')
		s.len--;
	for (size_t i = 0; i < TD_ARRAY_SIZE(begins) && s.len; i++)
		if (begins[i][0] == s.p[0] && td_str_starts(s, begins[i]))
			return true;
	return !s.len || is_banner(s);
}

#define SNIFF_LINES 400
#define SNIFF_HEADER 95
#define SNIFF_ROWS 85
#define SNIFF_MIN_TS INT64_C(1000000000) /* one second after boot */
#define SNIFF_TS_DIGITS 10

/* What the lines of a head are. */
struct sniffed_lines {
	bool header; /* there is one: the rest is not counted */
	size_t numbers; /* begin with a digit, as every row does */
	size_t others; /* neither that nor known noise */
	const char *end; /* of those that were looked at */
};

/* The characters that a header begins with: most lines are no header by their first one. */
static void find_begins(const struct td_layout_set *set, bool ret[static 256])
{
	for (size_t l = 0; l < set->nlayouts; l++)
		for (const char *const *h = set->layouts[l].headers; h && *h; h++)
			ret[(unsigned char)**h] = true;
}

static bool is_header(const struct td_layout_set *set, const bool *begins, const char *p,
		      const char *end)
{
	const char *word = p;

	while (word < end && td_is_blank(*word))
		word++;
	if (word == end || !begins[(unsigned char)*word])
		return false;
	for (size_t l = 0; l < set->nlayouts; l++) {
		for (const char *const *h = set->layouts[l].headers; h && *h; h++) {
			const char *next = td_layout_header_match(*h, p, end);

			if (next && (next == end || td_is_digit(*next)))
				return true;
		}
	}
	return false;
}

/* The next line of the text, without its end; false: there is no whole one. */
static bool next_line(const char **p, const char *end, struct td_str *ret)
{
	const char *nl = memchr(*p, '\n', (size_t)(end - *p));

	if (!nl)
		return false;
	*ret = (struct td_str){ *p, (size_t)(nl - *p) - (nl > *p && nl[-1] == '\r') };
	*p = nl + 1;
	return true;
}

static struct sniffed_lines count_lines(const struct td_layout_set *set, const char *head,
					size_t len)
{
	struct sniffed_lines n = { .end = head };
	bool begins[256] = { false };
	struct td_str line;

	find_begins(set, begins);
	for (size_t i = 0; i < SNIFF_LINES && next_line(&n.end, head + len, &line); i++) {
		if (line.len && td_is_digit(line.p[0]))
			n.numbers++;
		else if ((n.header = is_header(set, begins, line.p, line.p + line.len)))
			break;
		else if (!td_bpftrace_is_noise(line))
			n.others++;
	}
	return n;
}

/* Where the digits end that the place is among. */
static size_t digits_end(struct td_str line, size_t at)
{
	while (at < line.len && td_is_digit(line.p[at]))
		at++;
	return at;
}

/* Has the line a number of n digits or more, with one of these characters behind it, or nothing? A character that is no
 * digit rules out all places before it. */
static bool has_digits(struct td_str line, size_t n, const bool behind[static 256])
{
	for (size_t end = n; end <= line.len;) {
		size_t found = 0;

		while (found < n && td_is_digit(line.p[end - 1 - found]))
			found++;
		if (found < n) {
			end += n - found;
			continue;
		}
		end = digits_end(line, end);
		if (end == line.len || behind[(unsigned char)line.p[end]])
			return true;
		end += n;
	}
	return false;
}

/* To match a line is dear, and most of those that begin with a number have none that is a time stamp. */
static bool may_have_time(const struct td_layout_set *set, struct td_str line)
{
	return set->converts_time || td_layout_is_iso(line.p, line.p + line.len) ||
	       has_digits(line, SNIFF_TS_DIGITS, set->behind_time);
}

static bool is_row(const struct td_layout_set *set, struct td_str line)
{
	struct td_layout_values v = { 0 };
	const char *next;

	return may_have_time(set, line) &&
	       td_bpftrace_match_any(set, NULL, true, line.p, line.p + line.len, &v, &next) &&
	       v.num[TD_FIELD_TS] >= SNIFF_MIN_TS;
}

/* Are more of the lines rows than what is neither row nor noise? To match a line is dear, so this ends where the lines
 * that are left cannot change the answer. */
static bool most_are_rows(const struct td_layout_set *set, const char *head,
			  const struct sniffed_lines *n)
{
	size_t rows = 0, others = n->others, left = n->numbers;
	struct td_str line;

	while (rows <= others + left && rows + left > others && next_line(&head, n->end, &line)) {
		if (!line.len || !td_is_digit(line.p[0]))
			continue;
		left--;
		if (is_row(set, line))
			rows++;
		else if (!td_bpftrace_is_noise(line))
			others++;
	}
	return rows > others;
}

/* Headers are unmistakable. Without one, most lines that are not known noise must be rows, to the blank:
 * other scripts print time stamps and process ids, too. */
static int sniff_set(const struct td_layout_set *set, const char *head, size_t len)
{
	struct sniffed_lines n = count_lines(set, head, len);

	return n.header ? SNIFF_HEADER : most_are_rows(set, head, &n) ? SNIFF_ROWS : 0;
}

int td_bpftrace_sniff_with(const char *head, size_t len, const struct td_import_layouts *layouts)
{
	_cleanup_(td_layout_set_done) struct td_layout_set own = { 0 };
	const struct td_layout_set *set;

	return td_bpftrace_layouts(layouts, &own, &set) < 0 ? 0 : sniff_set(set, head, len);
}

int td_bpftrace_sniff(const char *head, size_t len)
{
	return td_bpftrace_sniff_with(head, len, NULL);
}
