/* SPDX-License-Identifier: MIT */
/*
 * The first report of iostat is of the time since boot, unless -y was given: its values become summaries.
 * Those of the others are samples on tracks 'disk.<column>' per device, in bytes where iostat has kB, MB
 * or sectors of 512 bytes, and 'cpu.<column>' as mpstat's.
 */
#include <math.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "importers/sysstat/iostat.h"

#define KB 1024.0
#define MB (1024.0 * 1024)
#define SECTOR 512.0
#define TIME_MAX_LEN 128 /* of a report's time, in any language */

static const struct td_iostat_column columns[] = {
	{ "r/s", "disk.r_s", "1/s", 1 },
	{ "w/s", "disk.w_s", "1/s", 1 },
	{ "d/s", "disk.d_s", "1/s", 1 },
	{ "f/s", "disk.f_s", "1/s", 1 },
	{ "tps", "disk.tps", "1/s", 1 },
	{ "rrqm/s", "disk.rrqm_s", "1/s", 1 },
	{ "wrqm/s", "disk.wrqm_s", "1/s", 1 },
	{ "drqm/s", "disk.drqm_s", "1/s", 1 },
	{ "rqm/s", "disk.rqm_s", "1/s", 1 },
	{ "rrqm", "disk.rrqm", "%", 1 },
	{ "wrqm", "disk.wrqm", "%", 1 },
	{ "drqm", "disk.drqm", "%", 1 },
	{ "rkB/s", "disk.r_bytes_s", "bytes/s", KB },
	{ "rMB/s", "disk.r_bytes_s", "bytes/s", MB },
	{ "rsec/s", "disk.r_bytes_s", "bytes/s", SECTOR },
	{ "kB_read/s", "disk.r_bytes_s", "bytes/s", KB },
	{ "MB_read/s", "disk.r_bytes_s", "bytes/s", MB },
	{ "Blk_read/s", "disk.r_bytes_s", "bytes/s", SECTOR },
	{ "wkB/s", "disk.w_bytes_s", "bytes/s", KB },
	{ "wMB/s", "disk.w_bytes_s", "bytes/s", MB },
	{ "wsec/s", "disk.w_bytes_s", "bytes/s", SECTOR },
	{ "kB_wrtn/s", "disk.w_bytes_s", "bytes/s", KB },
	{ "MB_wrtn/s", "disk.w_bytes_s", "bytes/s", MB },
	{ "Blk_wrtn/s", "disk.w_bytes_s", "bytes/s", SECTOR },
	{ "dkB/s", "disk.d_bytes_s", "bytes/s", KB },
	{ "dMB/s", "disk.d_bytes_s", "bytes/s", MB },
	{ "dsec/s", "disk.d_bytes_s", "bytes/s", SECTOR },
	{ "kB_dscd/s", "disk.d_bytes_s", "bytes/s", KB },
	{ "MB_dscd/s", "disk.d_bytes_s", "bytes/s", MB },
	{ "Blk_dscd/s", "disk.d_bytes_s", "bytes/s", SECTOR },
	{ "kB/s", "disk.bytes_s", "bytes/s", KB },
	{ "MB/s", "disk.bytes_s", "bytes/s", MB },
	{ "sec/s", "disk.bytes_s", "bytes/s", SECTOR },
	{ "r_await", "disk.r_await", "ms", 1 },
	{ "w_await", "disk.w_await", "ms", 1 },
	{ "d_await", "disk.d_await", "ms", 1 },
	{ "f_await", "disk.f_await", "ms", 1 },
	{ "await", "disk.await", "ms", 1 },
	{ "svctm", "disk.svctm", "ms", 1 },
	{ "rareq-sz", "disk.r_size", "bytes", KB },
	{ "wareq-sz", "disk.w_size", "bytes", KB },
	{ "dareq-sz", "disk.d_size", "bytes", KB },
	{ "areq-sz", "disk.size", "bytes", KB },
	{ "avgrq-sz", "disk.size", "bytes", SECTOR },
	{ "aqu-sz", "disk.queue", "", 1 },
	{ "avgqu-sz", "disk.queue", "", 1 },
	{ "util", "disk.util", "%", 1 },
	/* what was transferred in the interval: the rates times its length */
	{ "kB_read", NULL, NULL, 1 },
	{ "MB_read", NULL, NULL, 1 },
	{ "Blk_read", NULL, NULL, 1 },
	{ "kB_wrtn", NULL, NULL, 1 },
	{ "MB_wrtn", NULL, NULL, 1 },
	{ "Blk_wrtn", NULL, NULL, 1 },
	{ "kB_dscd", NULL, NULL, 1 },
	{ "MB_dscd", NULL, NULL, 1 },
	{ "Blk_dscd", NULL, NULL, 1 },
};
_Static_assert(TD_ARRAY_SIZE(columns) <= 64, "td_iostat.seen has a bit per column");

int td_iostat_column_of(struct td_str name)
{
	if (name.len && name.p[0] == '%') {
		name.p++;
		name.len--;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(columns) && name.len; i++)
		if (name.p[0] == columns[i].name[0] && td_str_eq(name, columns[i].name))
			return (int)i;
	return -1;
}

void td_iostat_init(struct td_iostat *io)
{
	*io = (struct td_iostat){ .in_report = false };
	td_mpstat_init(&io->m);
}

void td_iostat_banner(struct td_iostat *io)
{
	io->in_report = io->omits_first = io->is_timed = false;
	io->nreports = 0;
	io->m.has_date = false;
	io->m.prev_ns = io->m.group_ns = io->m.dur_ns = TD_NULL;
}

/* --- time --- */

/* "+0000", "-0530", "Z" behind an ISO time: what to subtract. */
static bool scan_zone(struct td_scan *s, int64_t *ret_ns)
{
	bool west = td_scan_char(s, '-');
	uint64_t hhmm;

	*ret_ns = 0;
	if (td_scan_done(s))
		return !west;
	if ((!west && !td_scan_char(s, '+')) || !td_scan_u64(s, &hhmm) || hhmm > 2400)
		return false;
	*ret_ns = (int64_t)(hhmm / 100 * 3600 + hhmm % 100 * 60) * (west ? -TD_SEC_NS : TD_SEC_NS);
	return td_scan_done(s);
}

/* Either part may have blanks in it: the first split of which both make sense. */
static bool split_time(struct td_str text, struct td_str *ret_date, struct td_mpstat_time *ret)
{
	struct td_mpstat_date unused;

	if (text.len > TIME_MAX_LEN)
		return false;
	for (size_t i = 1; i + 1 < text.len; i++) {
		*ret_date = (struct td_str){ text.p, i };
		if (text.p[i] == ' ' && td_mpstat_scan_date(*ret_date, &unused) &&
		    td_mpstat_scan_time((struct td_str){ text.p + i + 1, text.len - i - 1 }, ret) &&
		    !ret->is_epoch)
			return true;
	}
	return false;
}

static void begin_report(struct td_iostat *io)
{
	io->in_report = true;
	io->since_boot = io->nreports++ == 0 && !io->omits_first;
	io->seen_cpu = false;
	io->seen = 0;
}

bool td_iostat_time(struct td_import *imp, struct td_iostat *io, struct td_str text)
{
	struct td_scan s = td_scan_of(text.p, text.len);
	struct td_mpstat_time time;
	struct td_str date;
	int64_t zone_ns, ns;

	if (td_scan_iso(&s, &ns) && scan_zone(&s, &zone_ns)) {
		time = (struct td_mpstat_time){ .ns = ns - zone_ns,
						.is_epoch = true,
						.has_seconds = true };
	} else {
		if (!split_time(text, &date, &time))
			return false;
		if (!io->m.has_date)
			td_mpstat_banner(imp, &io->m, date);
	}
	begin_report(io);
	io->is_timed = true;
	ns = td_mpstat_unwrap(imp, &io->m, &time);
	if (!td_mpstat_begin_row(imp, &io->m, ns, &time))
		td_note(imp, "clock-changed", NULL);
	return true;
}

void td_iostat_untimed_report(struct td_import *imp, struct td_iostat *io)
{
	begin_report(io);
	if (io->nreports > 1)
		return;
	td_import_set_clock(imp, TD_CLOCK_RELATIVE);
	td_note(imp, "no-time-stamps", "the reports bear no time (-t): only their order is kept");
}

void td_iostat_table(struct td_import *imp, struct td_iostat *io, uint64_t table_columns)
{
	bool again = table_columns ? (io->seen & table_columns) != 0 : io->seen_cpu;

	if (io->is_timed)
		return;
	if (!io->in_report || again)
		td_iostat_untimed_report(imp, io);
	io->seen |= table_columns;
	io->seen_cpu |= !table_columns;
}

/* --- values --- */

/* A column of a version yet to come is kept under its own name: "x/s" as disk.x_s in 1/s. */
static struct td_iostat_column unknown_column(struct td_str name, char buf[64])
{
	bool is_percent = name.len && name.p[0] == '%';
	int n = snprintf(buf, 64, "disk.%.*s", (int)TD_MIN(name.len - is_percent, (size_t)50),
			 name.p + is_percent);

	for (int i = 0; i < n; i++)
		if (buf[i] == '/' || buf[i] == '-')
			buf[i] = '_';
	return (struct td_iostat_column){
		.track = buf,
		.unit = is_percent                ? "%"
			: td_str_ends(name, "/s") ? "1/s"
						  : "",
		.scale = 1,
	};
}

static void put_summary(struct td_import *imp, struct td_iostat *io, const char *track,
			const char *unit, struct td_str key, double value)
{
	struct td_summary s = TD_SUMMARY_INIT(imp->source_id);
	char text[64];

	(void)snprintf(text, sizeof(text), "%s since boot", unit);
	if (!io->noted_since_boot)
		td_note(imp, "since-boot",
			"the first report is of the time since boot (-y leaves it out): kept as a "
			"summary, not as samples");
	io->noted_since_boot = true;
	s.name = td_import_keep_cstr(imp, track);
	s.key = td_import_keep(imp, key).p;
	s.unit = unit[0] ? td_import_keep_cstr(imp, text) : "since boot";
	s.value = value;
	td_store_summary(imp->store, &s);
}

static int put_sample(struct td_import *imp, const struct td_iostat *io, uint32_t track_id,
		      double value)
{
	struct td_sample s = TD_SAMPLE_INIT;

	s.ts_ns = io->is_timed ? io->m.base_ns + io->m.group_ns : io->nreports;
	s.dur_ns = io->is_timed ? io->m.dur_ns : TD_NULL;
	s.track_id = track_id;
	s.value = value;
	return td_put_sample(imp, &s);
}

int td_iostat_disk(struct td_import *imp, struct td_iostat *io, struct td_str device,
		   struct td_str name, double value, char suffix)
{
	static const char suffixes[] = "BkMGTPE"; /* of bytes */
	int known = td_iostat_column_of(name);
	struct td_iostat_column c;
	const char *power = suffix ? strchr(suffixes, suffix) : NULL;
	uint32_t device_id;
	char buf[64];

	c = known >= 0 ? columns[known] : unknown_column(name, buf);
	if (!c.track)
		return 0;
	if (power && td_str_starts((struct td_str){ c.unit, strlen(c.unit) }, "bytes"))
		c.scale = (double)(INT64_C(1) << (10 * (power - suffixes)));
	value *= c.scale;
	if (io->since_boot) {
		put_summary(imp, io, c.track, c.unit, device, value);
		return 0;
	}
	device_id = td_store_device(imp->store, TD_DEVICE_DISK, device.p, device.len, TD_NULL);
	return put_sample(imp, io,
			  td_store_track(imp->store, imp->source_id, c.track, c.unit, device_id, 0),
			  value);
}

int td_iostat_cpu(struct td_import *imp, struct td_iostat *io, struct td_str name, double value)
{
	char track[TD_MPSTAT_NAME_MAX];
	const char *unit = td_mpstat_column(TD_MPSTAT_OF_CPU, name, track);

	if (io->since_boot) {
		put_summary(imp, io, track, unit, (struct td_str){ "all", 3 }, value);
		return 0;
	}
	return put_sample(imp, io, td_store_track(imp->store, imp->source_id, track, unit, 0, 0),
			  value);
}
