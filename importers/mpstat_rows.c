/* SPDX-License-Identifier: MIT */
/* From mpstat's times and values to samples on tracks 'cpu.<column>'. */
#include "common/array.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/mpstat.h"

#include <math.h>

struct td_mpstat_tracks {
	uint32_t id[TD_MPSTAT_NCOLUMNS]; /* 0: not made yet */
};

const char *const td_mpstat_names[TD_MPSTAT_NCOLUMNS] = {
	[TD_MPSTAT_USR] = "cpu.usr",     [TD_MPSTAT_NICE] = "cpu.nice",
	[TD_MPSTAT_SYS] = "cpu.sys",     [TD_MPSTAT_IOWAIT] = "cpu.iowait",
	[TD_MPSTAT_IRQ] = "cpu.irq",     [TD_MPSTAT_SOFT] = "cpu.soft",
	[TD_MPSTAT_STEAL] = "cpu.steal", [TD_MPSTAT_GUEST] = "cpu.guest",
	[TD_MPSTAT_GNICE] = "cpu.gnice", [TD_MPSTAT_IDLE] = "cpu.idle",
	[TD_MPSTAT_INTR] = "cpu.intr",
};

int td_mpstat_column(struct td_str name)
{
	if (name.len && name.p[0] == '%') {
		name.p++;
		name.len--;
	}
	if (td_str_eq(name, "user"))
		return TD_MPSTAT_USR;
	if (td_str_eq(name, "system"))
		return TD_MPSTAT_SYS;
	if (td_str_eq(name, "intr/s"))
		return TD_MPSTAT_INTR;
	for (int i = 0; i < TD_MPSTAT_NCOLUMNS; i++)
		if (td_str_eq(name, td_mpstat_names[i] + strlen("cpu.")))
			return i;
	return -1;
}

bool td_mpstat_scan_cpu(struct td_str s, int64_t *ret_cpu)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	uint64_t cpu;

	if (td_str_eq(s, "all") || td_str_eq(s, "-1")) {
		*ret_cpu = TD_MPSTAT_ALL;
		return true;
	}
	if (!td_scan_u64(&t, &cpu) || !td_scan_done(&t) || cpu > TD_MPSTAT_CPU_MAX)
		return false;
	*ret_cpu = (int64_t)cpu;
	return true;
}

void td_mpstat_init(struct td_mpstat *m)
{
	*m = (struct td_mpstat){ .prev_ns = TD_NULL, .group_ns = TD_NULL, .dur_ns = TD_NULL };
}

void td_mpstat_done(struct td_mpstat *m)
{
	free(m->tracks);
	m->tracks = NULL;
}

void td_mpstat_banner(struct td_import *imp, struct td_mpstat *m, struct td_str date)
{
	m->prev_ns = m->group_ns = m->dur_ns = TD_NULL;
	m->rebase = m->has_date = td_mpstat_scan_date(date, &m->date);
	if (!m->has_date)
		td_note(imp, "unknown-date", NULL);
}

int64_t td_mpstat_unwrap(struct td_import *imp, struct td_mpstat *m,
			 const struct td_mpstat_time *time)
{
	m->is_half_day |= time->is_half_day;
	return time->is_epoch ? time->ns : td_import_unwrap_tod(imp, time->ns);
}

/* Month before day or the other way round? Decimal commas come with the day first, and among the
 * 12-hour clocks the long year is en_US's, with the month first. Otherwise the user's --date decides,
 * or else the C locale's order is taken and noted. */
static int64_t banner_days(struct td_import *imp, const struct td_mpstat *m)
{
	const struct td_mpstat_date *d = &m->date;

	if (d->day_first_days == TD_NULL || (m->is_half_day && d->has_long_year))
		return d->days;
	if (m->has_comma)
		return d->day_first_days;
	if (imp->options->date_days != TD_NULL)
		return imp->options->date_days;
	td_note(imp, "ambiguous-date", "the banner's date was read as month/day");
	return d->days;
}

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

		m->base_ns = banner_days(imp, m) * TD_DAY_NS - first_ns / TD_DAY_NS * TD_DAY_NS;
	}
	m->rebase = false;
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
	m->dur_ns = TD_NULL;
	if (m->prev_ns != TD_NULL && ns > m->prev_ns && time->has_seconds)
		m->dur_ns = ns - m->prev_ns;
	return true;
}

static uint32_t new_track(struct td_import *imp, int64_t cpu, enum td_mpstat_column column)
{
	uint32_t device_id = 0;

	if (cpu != TD_MPSTAT_ALL) {
		char name[32];
		int n = snprintf(name, sizeof(name), "CPU %lld", (long long)cpu);

		device_id = td_store_device(imp->store, TD_DEVICE_CPU, name, (size_t)n, cpu);
	}
	return td_store_track(imp->store, imp->source_id, td_mpstat_names[column],
			      column == TD_MPSTAT_INTR ? "1/s" : "%", device_id, 0);
}

static int grow_tracks(struct td_mpstat *m, size_t n)
{
	struct td_mpstat_tracks *p = realloc(m->tracks, n * sizeof(*p));

	if (!p)
		return -ENOMEM;
	memset(p + m->ntracks, 0, (n - m->ntracks) * sizeof(*p));
	m->tracks = p;
	m->ntracks = n;
	return 0;
}

int td_mpstat_sample(struct td_import *imp, struct td_mpstat *m, int64_t cpu,
		     enum td_mpstat_column column, double value, struct td_sample *ret)
{
	size_t slot = (size_t)(cpu + 1);
	uint32_t *id;

	if (slot >= m->ntracks && grow_tracks(m, TD_MAX(slot + 1, m->ntracks * 2)) < 0)
		return -ENOMEM;
	id = &m->tracks[slot].id[column];
	if (!*id)
		*id = new_track(imp, cpu, column);
	*ret = (struct td_sample){
		.ts_ns = m->base_ns + m->group_ns,
		.dur_ns = m->dur_ns,
		.value = value,
		.track_id = *id,
	};
	return 0;
}
