/* SPDX-License-Identifier: MIT */
/* Dates of the proleptic Gregorian calendar, without the C library's zones and static buffers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_SEC_NS INT64_C(1000000000)
#define TD_DAY_NS (86400 * TD_SEC_NS)

/* March 1973. A time stamp before it is no date but counts from something else: nothing was traced then. */
#define TD_EARLIEST_NS INT64_C(100000000000000000)

/* Of the calendar, and of the years 1970 to 2200: nanoseconds since 1970, and what lies between any two such
 * times, fit into int64_t. */
bool td_date_valid(int year, int month, int day);

/* Days since 1970-01-01; month 1..12, day 1..31. */
int64_t td_days_from_date(int year, int month, int day);

void td_date_from_days(int64_t days, int *ret_year, int *ret_month, int *ret_day);

/* "2022-08-28T05:16:14.740000000Z" with the given number of fraction digits (0..9). Returns buf. */
char *td_format_utc(char *buf, size_t size, int64_t ns, int digits);
