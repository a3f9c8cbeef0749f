/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "common/cleanup.h"
#include "common/caldate.h"

bool td_date_valid(int year, int month, int day)
{
	static const int len[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return year >= 1970 && year <= 2200 && month >= 1 && month <= 12 && day >= 1 &&
	       day <= len[month - 1] + (month == 2 && leap ? 1 : 0);
}

/* Years start in March, so that the leap day is the last day of a year; 400-year eras of 146097
 * days (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
int64_t td_days_from_date(int year, int month, int day)
{
	int64_t y = (int64_t)year - (month <= 2);
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t yoe = y - era * 400;
	int64_t doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

void td_date_from_days(int64_t days, int *ret_year, int *ret_month, int *ret_day)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;

	*ret_day = (int)(doy - (153 * mp + 2) / 5 + 1);
	*ret_month = (int)(mp < 10 ? mp + 3 : mp - 9);
	*ret_year = (int)(yoe + era * 400 + (*ret_month <= 2));
}

char *td_format_utc(char *buf, size_t size, int64_t ns, int digits)
{
	int64_t days = ns / TD_DAY_NS - (ns % TD_DAY_NS < 0);
	int64_t tod = ns - days * TD_DAY_NS, frac = tod % TD_SEC_NS;
	int year, month, day, sec = (int)(tod / TD_SEC_NS);
	int n;

	td_date_from_days(days, &year, &month, &day);
	n = snprintf(buf, size, "%04d-%02d-%02dT%02d:%02d:%02d", year, month, day, sec / 3600,
		     sec / 60 % 60, sec % 60);
	if (digits > 0 && n > 0 && (size_t)n < size) {
		for (int i = digits; i < 9; i++)
			frac /= 10;
		n += snprintf(buf + n, size - (size_t)n, ".%0*lld", digits, (long long)frac);
	}
	if (n > 0 && (size_t)n < size)
		(void)snprintf(buf + n, size - (size_t)n, "Z");
	return buf;
}
