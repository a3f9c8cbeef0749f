/* SPDX-License-Identifier: MIT */
/* From mpstat's columns, times and values to samples. */
#include "common/array.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/sysstat/mpstat.h"

#include <math.h>

size_t td_mpstat_strip_colours(char *line, size_t len)
{
	size_t to = 0;

	for (size_t i = 0; i < len;) {
		if (line[i] == '\033' && i + 1 < len && line[i + 1] == '[') {
			for (i += 2; i < len && (line[i] < '@' || line[i] > '~'); i++)
				;
			i++;
		} else {
			line[to++] = line[i++];
		}
	}
	line[to] = '\0';
	return to;
}

/* --- columns --- */

static const char *const known_columns[] = {
	"usr", "nice", "sys", "iowait", "irq", "soft", "steal", "guest", "gnice", "idle", "intr",
};

/* "%user", "usr", "intr/s": the name that the column has now. */
static struct td_str name_of(struct td_str heading)
{
	if (heading.len && heading.p[0] == '%') {
		heading.p++;
		heading.len--;
	}
	if (td_str_ends(heading, "/s"))
		heading.len -= 2;
	if (td_str_eq(heading, "user"))
		return (struct td_str){ "usr", 3 };
	if (td_str_eq(heading, "system"))
		return (struct td_str){ "sys", 3 };
	return heading;
}

bool td_mpstat_is_known(struct td_str heading)
{
	struct td_str name = name_of(heading);

	for (size_t i = 0; i < TD_ARRAY_SIZE(known_columns); i++)
		if (td_str_eq(name, known_columns[i]))
			return true;
	return false;
}

static void name_track(const char *prefix, struct td_str name, char ret_track[TD_MPSTAT_NAME_MAX])
{
	size_t n = strlen(prefix), len = TD_MIN(name.len, TD_MPSTAT_NAME_MAX - n - 2);

	memcpy(ret_track, prefix, n);
	ret_track[n] = '.';
	memcpy(ret_track + n + 1, name.p, len);
	ret_track[n + 1 + len] = '\0';
}

const char *td_mpstat_column(enum td_mpstat_of of, struct td_str heading,
			     char ret_track[TD_MPSTAT_NAME_MAX])
{
	struct td_str name = name_of(heading);

	name_track(of == TD_MPSTAT_OF_NODE ? "node" : "cpu", name, ret_track);
	return td_str_ends(heading, "/s") || td_str_eq(name, "intr") ? "1/s" : "%";
}

void td_mpstat_interrupt(bool is_soft, struct td_str name, char ret_track[TD_MPSTAT_NAME_MAX])
{
	if (td_str_ends(name, "/s"))
		name.len -= 2;
	name_track(is_soft ? "softirq" : "irq", name, ret_track);
}

bool td_mpstat_scan_number(struct td_str s, int64_t *ret)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	uint64_t number;

	if (td_str_eq(s, "all") || td_str_eq(s, "-1")) {
		*ret = TD_MPSTAT_ALL;
		return true;
	}
	if (!td_scan_u64(&t, &number) || !td_scan_done(&t) || number > TD_MPSTAT_NUMBER_MAX)
		return false;
	*ret = (int64_t)number;
	return true;
}

/* "CPU 3" */
static int name_device(enum td_mpstat_of of, int64_t number, char *buf, size_t size)
{
	return snprintf(buf, size, "%s %lld", of == TD_MPSTAT_OF_NODE ? "NODE" : "CPU",
			(long long)number);
}

uint32_t td_mpstat_device(struct td_import *imp, enum td_mpstat_of of, int64_t number)
{
	enum td_device_kind kind = of == TD_MPSTAT_OF_NODE ? TD_DEVICE_NODE : TD_DEVICE_CPU;
	char name[32];
	int n;

	if (number == TD_MPSTAT_ALL)
		return 0;
	n = name_device(of, number, name, sizeof(name));
	return td_store_device(imp->store, kind, name, (size_t)n, number);
}

const char *td_mpstat_key(struct td_import *imp, enum td_mpstat_of of, int64_t number)
{
	char name[32] = "all";

	if (number != TD_MPSTAT_ALL)
		(void)name_device(of, number, name, sizeof(name));
	return td_import_keep_cstr(imp, name);
}

void td_mpstat_topology(struct td_import *imp, int64_t cpu, const char *which, int64_t value)
{
	struct td_summary s = TD_SUMMARY_INIT(imp->source_id);
	char name[TD_MPSTAT_NAME_MAX];

	(void)snprintf(name, sizeof(name), "cpu.%s", which);
	s.name = td_import_keep_cstr(imp, name);
	s.key = td_mpstat_key(imp, TD_MPSTAT_OF_CPU, cpu);
	s.value = (double)value;
	td_store_summary(imp->store, &s);
}

/* --- dates --- */

void td_mpstat_init(struct td_mpstat *m)
{
	*m = (struct td_mpstat){
		.hint_days = TD_NULL,
		.last_ns = TD_NULL,
		.prev_ns = TD_NULL,
		.group_ns = TD_NULL,
		.dur_ns = TD_NULL,
	};
}

static void begin_part(struct td_mpstat *m)
{
	if (m->group_ns != TD_NULL)
		m->last_ns = m->base_ns + m->group_ns;
	m->prev_ns = m->group_ns = m->dur_ns = TD_NULL;
}

void td_mpstat_banner(struct td_import *imp, struct td_mpstat *m, struct td_str date)
{
	begin_part(m);
	m->rebase = m->has_date = td_mpstat_scan_date(date, &m->date);
	if (m->has_date)
		return;
	if (m->hint_days != TD_NULL)
		td_mpstat_begin_part(m, m->hint_days);
	else
		td_note(imp, "unknown-date", NULL);
}

void td_mpstat_begin_part(struct td_mpstat *m, int64_t days)
{
	begin_part(m);
	m->date = (struct td_mpstat_date){ .days = days, .day_first_days = TD_NULL };
	m->rebase = m->has_date = true;
	m->hint_days = days;
}

int64_t td_mpstat_unwrap(struct td_import *imp, struct td_mpstat *m,
			 const struct td_mpstat_time *time)
{
	m->is_am_pm |= time->is_am_pm;
	return time->is_epoch ? time->ns : td_import_unwrap_tod(imp, time->ns);
}

/* Is day/month what the date, the rows under it and OSWatcher's line above it suggest? Decimal commas come
 * with the day first, and of the 12-hour clocks in English the long year is en_US's, with the month first. */
static enum td_mpstat_order order_of(const struct td_mpstat *m)
{
	const struct td_mpstat_date *d = &m->date;

	if (d->order != TD_MPSTAT_UNORDERED || d->day_first_days == TD_NULL)
		return d->order;
	if (m->order != TD_MPSTAT_UNORDERED)
		return m->order;
	if (m->hint_days != TD_NULL && llabs(m->hint_days - d->days) <= 1)
		return TD_MPSTAT_MONTH_FIRST;
	if (m->hint_days != TD_NULL && llabs(m->hint_days - d->day_first_days) <= 1)
		return TD_MPSTAT_DAY_FIRST;
	if (m->has_comma)
		return TD_MPSTAT_DAY_FIRST;
	return m->is_am_pm && d->has_long_year ? TD_MPSTAT_MONTH_FIRST : TD_MPSTAT_UNORDERED;
}

/* How long after the rows before the ones of this banner come if it is of that day; INT64_MAX: before them. */
static int64_t gap_after(int64_t last_ns, int64_t days)
{
	int64_t gap_ns = (days + 1) * TD_DAY_NS - last_ns;

	return gap_ns < 0 ? INT64_MAX : gap_ns;
}

/* The order is open, and a second banner differs from the first by another number of days in the two
 * readings: one shift for the whole file cannot put that right later, so the closer one is taken now. */
static enum td_mpstat_order order_by_gap(struct td_import *imp, const struct td_mpstat *m)
{
	const struct td_mpstat_date *d = &m->date;
	int64_t other_days = d->day_first_days != TD_NULL ? d->day_first_days : d->days;
	bool day_first =
		gap_after(m->last_ns + m->open_ns, other_days) < gap_after(m->last_ns, d->days);

	td_note(imp, "guessed-date",
		day_first ? "the dates are taken to be day/month: so the parts of the file are "
			    "closer "
			    "together than with month/day"
			  : "the dates are taken to be month/day: so the parts of the file are "
			    "closer "
			    "together than with day/month");
	return day_first ? TD_MPSTAT_DAY_FIRST : TD_MPSTAT_MONTH_FIRST;
}

/* From now on the order of day and month is known: what was read before is put right. */
static void settle_order(struct td_import *imp, struct td_mpstat *m, enum td_mpstat_order order)
{
	m->order = order;
	if (!m->open_ns)
		return;
	if (order == TD_MPSTAT_DAY_FIRST)
		m->settled_ns = m->open_ns;
	td_import_set_day_first(imp, m->settled_ns, true);
	m->open_ns = 0;
}

static int64_t banner_days(struct td_import *imp, struct td_mpstat *m)
{
	const struct td_mpstat_date *d = &m->date;
	int64_t by_ns =
		d->day_first_days == TD_NULL ? 0 : (d->day_first_days - d->days) * TD_DAY_NS;
	enum td_mpstat_order order = order_of(m);

	if (order == TD_MPSTAT_UNORDERED && m->open_ns && by_ns != m->open_ns)
		order = order_by_gap(imp, m);
	if (order != TD_MPSTAT_UNORDERED) {
		settle_order(imp, m, order);
	} else if (by_ns && m->order == TD_MPSTAT_UNORDERED) {
		m->open_ns = by_ns;
		td_import_set_day_first(imp, by_ns, false);
	}
	return by_ns && m->order == TD_MPSTAT_DAY_FIRST ? d->day_first_days : d->days;
}

/* --- rows --- */

/* Settles clock and base at the first row (of a banner); it is known by then how numbers look. */
static void settle_clock(struct td_import *imp, struct td_mpstat *m, int64_t ns,
			 const struct td_mpstat_time *time)
{
	if (m->clock == TD_CLOCK_NONE) {
		m->clock = time->is_epoch ? TD_CLOCK_UTC
			   : m->has_date  ? TD_CLOCK_LOCAL
					  : TD_CLOCK_LOCAL_TOD;
		td_import_set_clock(imp, m->clock);
		if (!time->has_seconds)
			td_note(imp, "no-seconds", "times are printed without seconds");
	}
	if (m->rebase && m->clock == TD_CLOCK_LOCAL) {
		/* ns counts from midnight of the first day; the banner is of the day that ns is in,
		 * or of the day before if the rows began just after midnight */
		int64_t first_ns = m->prev_ns != TD_NULL ? m->prev_ns : ns;
		int64_t days = banner_days(imp, m);

		m->base_ns = days * TD_DAY_NS - first_ns / TD_DAY_NS * TD_DAY_NS - m->settled_ns;
	}
	m->rebase = false;
}

/* Beyond that, and so many times the period before, a gap is not believed to be one period. */
#define LEAP_MIN_NS (60 * TD_SEC_NS)
#define LEAP_FACTOR 10

/* The period since the rows before. They come in step, unless the clock was set. */
static void set_duration(struct td_import *imp, struct td_mpstat *m,
			 const struct td_mpstat_time *time)
{
	int64_t before_ns = m->dur_ns, gap_ns;

	m->dur_ns = TD_NULL;
	if (m->prev_ns == TD_NULL)
		return;
	gap_ns = m->group_ns - m->prev_ns;
	if (gap_ns <= -TD_SEC_NS) {
		m->base_ns += td_import_clock_step(imp, m->base_ns + m->group_ns,
						   m->base_ns + m->prev_ns);
		m->base_ns += before_ns == TD_NULL ? 0 : before_ns;
		m->dur_ns = before_ns;
	} else if (before_ns != TD_NULL && gap_ns > LEAP_MIN_NS &&
		   gap_ns / LEAP_FACTOR > before_ns) {
		td_note(imp, "clock-leap", NULL);
	} else if (gap_ns > 0 && time->has_seconds) {
		m->dur_ns = gap_ns;
	}
}

bool td_mpstat_begin_row(struct td_import *imp, struct td_mpstat *m, int64_t ns,
			 const struct td_mpstat_time *time)
{
	if (m->clock == TD_CLOCK_NONE || m->rebase)
		settle_clock(imp, m, ns, time);
	else if (time->is_epoch != (m->clock == TD_CLOCK_UTC))
		return false;
	if (ns == m->group_ns)
		return true;
	if (m->group_ns != TD_NULL)
		m->prev_ns = m->group_ns;
	m->group_ns = ns;
	set_duration(imp, m, time);
	return true;
}

struct td_sample td_mpstat_sample(const struct td_mpstat *m, uint32_t track_id, double value)
{
	return (struct td_sample){
		.ts_ns = m->base_ns + m->group_ns,
		.dur_ns = m->dur_ns,
		.value = value,
		.track_id = track_id,
	};
}

bool td_mpstat_is_number_end(const char *text, size_t len)
{
	return len > 3 && (text[len - 3] == '.' || text[len - 3] == ',') &&
	       td_is_digit(text[len - 2]) && td_is_digit(text[len - 1]);
}
