/* SPDX-License-Identifier: MIT */
/* mpstat prints times and dates as strftime's %X and %x, so each locale has its own shape of them. */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "importers/mpstat.h"

/* The numbers of a text, with what stands behind each. */
struct numbers {
	struct {
		uint64_t value;
		size_t digits;
		struct td_str behind; /* up to the next number */
	} n[8];
	size_t count;
};

static const struct {
	const char *text;
	bool after_noon;
} half_days[] = {
	{ "AM", false },     { "PM", true },     { "am", false }, { "pm", true },
	{ "a.m.", false },   { "p.m.", true },   { "ص", false },  { "م", true }, /* Arabic */
	{ "पूर्वाह्न", false }, { "अपराह्न", true }, /* Hindi */
	{ "πμ", false },     { "μμ", true }, /* Greek */
	{ "上午", false },   { "下午", true }, /* Chinese */
	{ "午前", false },   { "午後", true }, /* Japanese */
	{ "오전", false },   { "오후", true }, /* Korean */
};

/* Beginnings that tell the months apart, in the languages whose short date spells them. */
static const struct {
	const char *text;
	int month;
} months[] = {
	{ "jan", 1 },  { "feb", 2 },  { "mar", 3 },  { "mär", 3 },  { "apr", 4 },  { "may", 5 },
	{ "mai", 5 },  { "maj", 5 },  { "jun", 6 },  { "jul", 7 },  { "aug", 8 },  { "sep", 9 },
	{ "oct", 10 }, { "okt", 10 }, { "nov", 11 }, { "dec", 12 }, { "des", 12 }, { "dez", 12 },
	{ "ينا", 1 },  { "فبر", 2 },  { "مار", 3 },  { "أبر", 4 },  { "ماي", 5 },  { "يون", 6 },
	{ "يول", 7 },  { "أغس", 8 },  { "سبت", 9 },  { "أكت", 10 }, { "نوف", 11 }, { "ديس", 12 },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool scan_numbers(struct td_str s, struct numbers *ret)
{
	struct td_scan t = td_scan_of(s.p, s.len);

	ret->count = 0;
	while (t.p < t.end) {
		const char *from = t.p;

		if (!is_digit(*t.p)) {
			t.p++;
			continue;
		}
		if (ret->count == TD_ARRAY_SIZE(ret->n) ||
		    !td_scan_u64(&t, &ret->n[ret->count].value))
			return false;
		ret->n[ret->count].digits = (size_t)(t.p - from);
		ret->n[ret->count].behind.p = t.p;
		for (from = t.p; t.p < t.end && !is_digit(*t.p); t.p++)
			;
		ret->n[ret->count++].behind.len = (size_t)(t.p - from);
	}
	return true;
}

/* Is the word a token of the text, or, being of a script that needs no blanks, any part of it? */
static bool has_word(struct td_str s, const char *word)
{
	const char *at = td_str_find(s, word);
	size_t n = strlen(word), offset;

	if (!at || (unsigned char)word[0] >= 0x80)
		return at != NULL;
	offset = (size_t)(at - s.p);
	return (offset == 0 || at[-1] == ' ') && (offset + n == s.len || at[n] == ' ');
}

static uint64_t hour_of_day(struct td_str s, uint64_t hour, bool *ret_is_half_day)
{
	*ret_is_half_day = false;
	if (hour > 12)
		return hour;
	for (size_t i = 0; i < TD_ARRAY_SIZE(half_days); i++) {
		if (has_word(s, half_days[i].text)) {
			*ret_is_half_day = true;
			return hour % 12 + (half_days[i].after_noon ? 12 : 0);
		}
	}
	return hour;
}

bool td_mpstat_scan_time(struct td_str s, struct td_mpstat_time *ret)
{
	struct numbers all;
	uint64_t hour, minute, second;

	if (!scan_numbers(s, &all) || all.count == 0)
		return false;
	*ret = (struct td_mpstat_time){ .has_seconds = true };
	if (all.n[0].digits >= 9 && all.n[0].digits <= 10) {
		ret->is_epoch = true;
		ret->ns = (int64_t)all.n[0].value * TD_SEC_NS;
		return true;
	}
	if (all.count < 2 || all.n[0].digits > 2 || all.n[1].digits != 2)
		return false;
	hour = all.n[0].value;
	minute = all.n[1].value;
	ret->has_seconds = all.count > 2 && all.n[2].digits == 2; /* else it is the zone: +0000 */
	second = ret->has_seconds ? all.n[2].value : 0;
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	hour = hour_of_day(s, hour, &ret->is_half_day);
	ret->ns = (int64_t)(hour * 3600 + minute * 60 + second) * TD_SEC_NS;
	return true;
}

/* TD_NULL: no such date. */
static int64_t days_of(uint64_t year, uint64_t month, uint64_t day)
{
	if (year < 100) /* as POSIX reads %y */
		year += year < 69 ? 2000 : 1900;
	/* other calendars count other years */
	if (year < 1990 || year > 2100 || !td_date_valid((int)year, (int)month, (int)day))
		return TD_NULL;
	return td_days_from_date((int)year, (int)month, (int)day);
}

static bool scan_month(struct td_str s, uint64_t *ret)
{
	for (size_t i = 0; i < s.len; i++) {
		for (size_t m = 0; m < TD_ARRAY_SIZE(months); m++) {
			size_t n = strlen(months[m].text);

			if (s.len - i >= n && strncasecmp(s.p + i, months[m].text, n) == 0) {
				*ret = (uint64_t)months[m].month;
				return true;
			}
		}
	}
	return false;
}

/* "20. nov. 2026", "Friday, 20 November, 2026" */
static int64_t spelled_date(struct td_str s, const struct numbers *all)
{
	uint64_t month, day = all->n[0].value, year = all->n[1].value;

	if (!scan_month(s, &month))
		return TD_NULL;
	return all->n[0].digits == 4 ? days_of(day, month, year) : days_of(year, month, day);
}

bool td_mpstat_scan_date(struct td_str s, struct td_mpstat_date *ret)
{
	struct numbers all;
	uint64_t a, b, c;
	int64_t month_first;

	*ret = (struct td_mpstat_date){ .days = TD_NULL, .day_first_days = TD_NULL };
	if (!scan_numbers(s, &all) || all.count < 2 || all.count > 3)
		return false;
	if (all.count == 2) {
		ret->days = spelled_date(s, &all);
		return ret->days != TD_NULL;
	}
	a = all.n[0].value;
	b = all.n[1].value;
	c = all.n[2].value;
	if (all.n[0].digits == 4 || td_str_starts(all.n[0].behind, "年") ||
	    td_str_starts(all.n[0].behind, "년")) {
		ret->days = days_of(a, b, c);
		return ret->days != TD_NULL;
	}
	ret->has_long_year = all.n[2].digits == 4;
	ret->days = days_of(c, b, a);
	month_first = days_of(c, a, b);
	/* '.' and '-' are only used with the day first */
	if (all.n[0].behind.p[0] == '/' && month_first != TD_NULL && month_first != ret->days) {
		ret->day_first_days = ret->days;
		ret->days = month_first;
	}
	return ret->days != TD_NULL;
}
