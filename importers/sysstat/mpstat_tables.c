/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "importers/sysstat/mpstat_tables.h"

static const struct {
	const char *heading, *which;
} topology[] = { { "CORE", "core" }, { "SOCK", "socket" }, { "NODE", "node" } };

/* Which of the columns of -T it is; NULL: none. */
static const char *topology_of(struct td_str heading)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(topology); i++)
		if (td_str_eq(heading, topology[i].heading))
			return topology[i].which;
	return NULL;
}

static bool is_value(struct td_str heading)
{
	return heading.p[0] == '%' || td_str_ends(heading, "/s");
}

static struct td_str trimmed(struct td_str s)
{
	while (s.len && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t' || s.p[s.len - 1] == '\r'))
		s.len--;
	return s;
}

/* Only columns of -T, then only values, at least one. */
static bool is_head(struct td_str head)
{
	struct td_scan s = td_scan_of(head.p, head.len);
	struct td_str token;
	unsigned nvalues = 0, ntopology = 0;

	for (td_scan_blanks(&s); td_scan_token(&s, &token); td_scan_blanks(&s)) {
		if (is_value(token))
			nvalues++;
		else if (nvalues || !topology_of(token) || ++ntopology > TD_MPSTAT_TOPOLOGY_MAX)
			return false;
	}
	return nvalues > 0 && nvalues <= TD_MPSTAT_COLUMNS_MAX;
}

bool td_mpstat_scan_header(const char *line, size_t len, struct td_mpstat_header *ret)
{
	struct td_scan s = td_scan_of(line, len);
	struct td_str token;

	if (!td_find(line, len, "CPU ", 4) && !td_find(line, len, "NODE ", 5))
		return false;
	for (td_scan_blanks(&s); td_scan_token(&s, &token); td_scan_blanks(&s)) {
		bool is_node = td_str_eq(token, "NODE");

		if (!is_node && !td_str_eq(token, "CPU"))
			continue;
		ret->before = (struct td_str){ line, (size_t)(token.p - line) };
		ret->of = is_node ? TD_MPSTAT_OF_NODE : TD_MPSTAT_OF_CPU;
		ret->head = trimmed(td_scan_rest(&s));
		return is_head(ret->head);
	}
	return false;
}

/* "24/s", "NMI/s", "NET_RX/s": the names of interrupts have no small letters, which what sar counts has. */
static bool is_interrupt(struct td_str heading)
{
	if (!td_str_ends(heading, "/s") || heading.len == 2)
		return false;
	for (size_t i = 0; i + 2 < heading.len; i++)
		if (heading.p[i] >= 'a' && heading.p[i] <= 'z')
			return false;
	return true;
}

/* sar -u has the same columns in another order: there %steal follows %iowait. Without the time it is a table
 * only if it begins like one. */
bool td_mpstat_is_own_header(const struct td_mpstat_header *h)
{
	struct td_scan s = td_scan_of(h->head.p, h->head.len);
	struct td_mpstat_time time;
	bool labelled = h->before.len && !td_mpstat_scan_time(trimmed(h->before), &time);
	struct td_str token, last = { "", 0 };
	unsigned known = 0, interrupts = 0, n = 0;

	for (td_scan_blanks(&s); td_scan_token(&s, &token); td_scan_blanks(&s)) {
		if (td_str_eq(last, "%iowait") && td_str_eq(token, "%steal"))
			return false;
		if (n == 0 && labelled && !td_str_eq(token, "%usr") && !td_str_eq(token, "%user"))
			return false;
		known += td_mpstat_is_known(token);
		interrupts += is_interrupt(token);
		last = token;
		n++;
	}
	return known || (interrupts >= 4 && interrupts == n);
}

/* --- tables --- */

/* Adds the columns of the text. 0 or -ENOMEM. */
static int add_columns(struct td_import *imp, struct td_mpstat_table *t, struct td_str text)
{
	struct td_scan s = td_scan_of(text.p, text.len);
	struct td_str token;
	bool is_soft = false;

	for (td_scan_blanks(&s); td_scan_token(&s, &token); td_scan_blanks(&s)) {
		struct td_mpstat_cells *c;
		char track[TD_MPSTAT_NAME_MAX];
		const char *unit = "1/s";

		if (!is_value(token)) {
			t->topology[t->ntopology++] = topology_of(token);
			continue;
		}
		if (td_grow(&t->columns, &t->columns_cap, t->ncolumns) < 0)
			return -ENOMEM;
		/* the first line of /proc/softirqs */
		is_soft |= t->ncolumns == 0 && td_str_eq(token, "HI/s");
		if (token.p[0] == '%' || td_mpstat_is_known(token))
			unit = td_mpstat_column(t->of, token, track);
		else
			td_mpstat_interrupt(is_soft, token, track);
		c = &t->columns[t->ncolumns++];
		c->track = td_import_keep_cstr(imp, track);
		c->unit = td_import_keep_cstr(imp, unit);
	}
	return 0;
}

static void free_rows(struct td_mpstat_table *t)
{
	for (size_t i = 0; i < t->nrows; i++)
		free(t->rows[i]);
	free(t->rows);
	t->rows = NULL;
	t->nrows = 0;
}

/* The arrays that are as wide as the table. */
static int set_width(struct td_mpstat_table *t)
{
	double *values = realloc(t->values, t->ncolumns * sizeof(*values));

	if (!values)
		return -ENOMEM;
	t->values = values;
	free_rows(t);
	return 0;
}

static void table_free(struct td_mpstat_table *t)
{
	free((char *)t->head.p);
	free(t->columns);
	free(t->values);
	free_rows(t);
	free(t);
}

static struct td_mpstat_table *table_new(struct td_import *imp, const struct td_mpstat_header *h)
{
	struct td_mpstat_table *t = calloc(1, sizeof(*t));
	char *head = malloc(h->head.len);

	if (!t || !head) {
		free(t);
		free(head);
		return NULL;
	}
	t->of = h->of;
	t->head = (struct td_str){ memcpy(head, h->head.p, h->head.len), h->head.len };
	if (add_columns(imp, t, t->head) < 0 || set_width(t) < 0) {
		table_free(t);
		return NULL;
	}
	return t;
}

static bool has_head(const struct td_mpstat_table *t, const struct td_mpstat_header *h)
{
	return t->of == h->of && t->head.len == h->head.len &&
	       memcmp(t->head.p, h->head.p, h->head.len) == 0;
}

struct td_mpstat_table *td_mpstat_table_of(struct td_import *imp, struct td_mpstat_table **list,
					   const struct td_mpstat_header *h)
{
	struct td_mpstat_table **at = list, *t;
	size_t n = 0;

	while (*at && !has_head(*at, h) && ++n < TD_MPSTAT_TABLES_MAX)
		at = &(*at)->next;
	t = *at;
	if (t && !has_head(t, h)) {
		td_mpstat_tables_free(t);
		t = NULL;
	}
	*at = t ? t->next : NULL;
	if (!t)
		t = table_new(imp, h);
	if (t) {
		t->next = *list;
		*list = t;
	}
	return t;
}

bool td_mpstat_continue_header(struct td_import *imp, struct td_mpstat_table *t, const char *line,
			       size_t len)
{
	struct td_str text = trimmed((struct td_str){ line, len });
	struct td_scan s = td_scan_of(text.p, text.len);
	struct td_str token;
	size_t before = t->ncolumns;
	unsigned n = 0;

	for (td_scan_blanks(&s); td_scan_token(&s, &token); td_scan_blanks(&s)) {
		if (!is_value(token))
			return false;
		n++;
	}
	if (t->nwrapped || n == 0)
		return n > 0 && n == t->nwrapped;
	if (before + n > TD_MPSTAT_COLUMNS_MAX || add_columns(imp, t, text) < 0 || set_width(t) < 0)
		return false;
	t->nwrapped = n;
	return true;
}

static uint32_t *new_row(struct td_import *imp, const struct td_mpstat_table *t, int64_t number)
{
	uint32_t *row = calloc(t->ncolumns, sizeof(*row));
	uint32_t device_id = td_mpstat_device(imp, t->of, number);

	for (size_t i = 0; row && i < t->ncolumns; i++)
		row[i] = td_store_track(imp->store, imp->source_id, t->columns[i].track,
					t->columns[i].unit, device_id, 0);
	return row;
}

const uint32_t *td_mpstat_table_row(struct td_import *imp, struct td_mpstat_table *t,
				    int64_t number, bool *ret_is_new)
{
	size_t at = (size_t)(number + 1);

	if (at >= t->nrows) {
		size_t n = TD_MAX(at + 1, t->nrows * 2);
		uint32_t **grown = realloc(t->rows, n * sizeof(*grown));

		if (!grown)
			return NULL;
		memset(grown + t->nrows, 0, (n - t->nrows) * sizeof(*grown));
		t->rows = grown;
		t->nrows = n;
	}
	*ret_is_new = !t->rows[at];
	if (!t->rows[at])
		t->rows[at] = new_row(imp, t, number);
	return t->rows[at];
}

void td_mpstat_tables_free(struct td_mpstat_table *list)
{
	while (list) {
		struct td_mpstat_table *next = list->next;

		table_free(list);
		list = next;
	}
}
