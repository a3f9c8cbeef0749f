/* SPDX-License-Identifier: MIT */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/align/dates.h"

#define ISSUE "ambiguous-date"

/* A zone is at most 14 h, and a monitor may have ended some time before the rest began. */
#define SLACK_NS TD_DAY_NS

/* How a range lies to the dated ones. */
enum fit { FIT_NONE, FIT_OVERLAPS, FIT_WITHIN };

static enum fit fit_of(struct td_range r, const struct td_range *dated, size_t n)
{
	enum fit best = FIT_NONE;

	for (size_t i = 0; i < n; i++) {
		struct td_range wide = { dated[i].from - SLACK_NS, dated[i].to + SLACK_NS };

		if (r.from >= wide.from && r.to <= wide.to)
			return FIT_WITHIN;
		if (td_range_overlaps(r, wide))
			best = FIT_OVERLAPS;
	}
	return best;
}

static void choose(struct td_source *s, enum td_date_basis basis, bool day_first)
{
	s->date_basis = basis;
	s->date_shift_ns = day_first ? s->day_first_ns : 0;
}

static void decide(struct td_source *s, const struct td_clock_options *options,
		   const struct td_range *dated, size_t n)
{
	struct td_range month = { s->first_native_ns, s->last_native_ns };
	struct td_range day = td_range_shift(month, s->day_first_ns);
	enum fit month_fit = fit_of(month, dated, n), day_fit = fit_of(day, dated, n);
	int64_t given = options->date_days;

	choose(s, TD_DATE_OPEN, false);
	if (given != TD_NULL && given == td_day_of(month.from))
		choose(s, TD_DATE_BY_USER, false);
	else if (given != TD_NULL && given == td_day_of(day.from))
		choose(s, TD_DATE_BY_USER, true);
	else if (month_fit != day_fit)
		choose(s, TD_DATE_BY_SOURCES, day_fit > month_fit);
}

/* "2024-03-04 (month/day) or 2024-04-03 (day/month)" */
static const char *both_dates(const struct td_source *s, char *buf, size_t size)
{
	char month[32], day[32];

	(void)td_format_utc(month, sizeof(month), s->first_native_ns, 0);
	(void)td_format_utc(day, sizeof(day), s->first_native_ns + s->day_first_ns, 0);
	(void)snprintf(buf, size, "%.10s (month/day) or %.10s (day/month)", month, day);
	return buf;
}

static void ask(struct td_store *st, uint16_t source_id)
{
	char dates[128], text[256];
	int n;

	(void)both_dates(td_store_source_at(st, source_id), dates, sizeof(dates));
	n = snprintf(text, sizeof(text),
		     "it begins on %s: no other source of the run tells; --date YYYY-MM-DD does",
		     dates);
	td_store_issue(st, source_id, ISSUE, TD_NOTED, 0, text, (size_t)n);
}

void td_align_dates(struct td_store *st, const struct td_clock_options *options,
		    const struct td_range *dated, size_t n)
{
	td_store_drop_issues(st, ISSUE);
	for (size_t i = 1; i <= td_store_contents(st)->nsources; i++) {
		struct td_source *s = td_store_source_at(st, i);

		if (s->first_native_ns == TD_NULL || s->date_basis == TD_DATE_CLEAR ||
		    s->date_basis == TD_DATE_BY_FILE)
			continue;
		decide(s, options, dated, n);
		if (s->date_basis == TD_DATE_OPEN)
			ask(st, (uint16_t)i);
	}
}

const char *td_align_date_words(const struct td_source *s, char *buf, size_t size)
{
	static const char *const how[] = {
		[TD_DATE_BY_FILE] = "as the file shows further down",
		[TD_DATE_BY_USER] = "as --date says",
		[TD_DATE_BY_SOURCES] = "as the other sources show",
	};
	char dates[128];

	if (s->date_basis == TD_DATE_CLEAR)
		return "local time";
	if (s->date_basis == TD_DATE_OPEN)
		(void)snprintf(buf, size, "local time that begins on %s: --date says which",
			       both_dates(s, dates, sizeof(dates)));
	else
		(void)snprintf(buf, size, "local time, its dates read as %s, %s",
			       s->date_shift_ns ? "day/month" : "month/day", how[s->date_basis]);
	return buf;
}
