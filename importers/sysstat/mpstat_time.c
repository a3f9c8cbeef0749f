/* SPDX-License-Identifier: MIT */
/* mpstat prints times and dates as strftime's %X and %x, so each locale has its own shape of them. */
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/utf8.h"
#include "importers/sysstat/mpstat.h"

/* The numbers of a text, with what stands behind each. */
struct numbers {
	struct {
		uint64_t value;
		size_t digits;
		const char *begin;
		bool is_signed;
		struct td_str behind; /* up to the next number */
	} n[8];
	size_t count;
	bool is_western; /* the digits are 0 to 9 */
};

/* Words for the halves of a day, from the locales of glibc 2.36 that print them (LC_TIME: am_pm). */
static const struct {
	const char *am, *pm;
} half_days[] = {
	{ "AM", "PM" },
	{ "am", "pm" },
	{ "a.m.", "p.m." },
	{ "A.M.", "P.M." },
	{ "ص", "م" }, /* Arabic */
	{ "पूर्वाह्न", "अपराह्न" }, /* Hindi, Nepali and others */
	{ "म.पू.", "म.नं." }, /* Marathi, Konkani, Sindhi */
	{ "बिहिनियाँ", "मंझनियाँ" }, /* Chhattisgarhi */
	{ "सञं", "सबेर" }, /* Dogri */
	{ "फुं.", "बेलासे." }, /* Bodo */
	{ "পূর্বাহ্ণ", "অপরাহ্ণ" }, /* Bengali */
	{ "এ.ম.", "প.ম." }, /* Manipuri */
	{ "পূৰ্ব্বাহ্ন", "অপৰাহ্ন" }, /* Assamese */
	{ "ਸਵੇਰੇ", "\u0a36\u0a3e\u0a2e" }, /* Punjabi */
	{ "સવારે", "સાંજે" }, /* Gujarati */
	{ "ಪೂರ್ವಾಹ್ನ", "ಅಪರಾಹ್ನ" }, /* Kannada */
	{ "ಕಾಂಡೆ", "ಬಯ್ಯ" }, /* Tulu */
	{ "രാവിലെ", "വൈകു" }, /* Malayalam */
	{ "காலை", "மாலை" }, /* Tamil */
	{ "ఉ.", "సా." }, /* Telugu */
	{ "دوپھربرونھ", "دوپھرپتھ" }, /* Kashmiri */
	{ "پن", "دن" }, /* Kurdish */
	{ "πμ", "μμ" }, /* Greek */
	{ "နံနက်", "ညနေ" }, /* Burmese */
	{ "ဂယး", "တ္ၚဲစေၚ်" }, /* Mon */
	{ "ပွတ်းၼႂ်", "ဝၢႆးဝၼ်း" }, /* Shan */
	{ "上午", "下午" }, /* Chinese */
	{ "午前", "午後" }, /* Japanese */
	{ "오전", "오후" }, /* Korean */
	{ "PD", "MD" }, /* Albanian */
	{ "AN", "EW" }, /* Akan */
	{ "WD", "WB" }, /* Oromo */
	{ "N.U.", "N.H." }, /* Filipino */
	{ "m", "f" }, /* Scottish Gaelic */
	{ "saaku", "carra" }, /* Afar */
	{ "subaxnimo", "galabnimo" }, /* Somali */
	{ "soodo", "hawwaro" }, /* Sidamo */
	{ "asubuhi", "alasiri" }, /* Swahili */
	{ "biknait", "apinun" }, /* Tok Pisin */
	{ "Purvahan", "Aparaahna" }, /* Fiji Hindi */
	{ "hengihengi", "efiafi" }, /* Tongan */
	{ "téng-po͘", "ē-po͘" }, /* Min Nan */
	{ "ᏌᎾᎴ", "ᏒᎯᏱᎢᏗᏢ" }, /* Cherokee */
	{ "ጡዋት", "ከሰዓት" }, /* Amharic */
	{ "ማለዶ", "ቃማ" }, /* Wolaytta */
	{ "ንጉሆ", "ድሕር" }, /* Tigrinya */
	{ "ቀደም", "ሓቆ" }, /* Tigre */
	{ "ፋዱስ ጃብ", "ፋዱስ ደምቢ" }, /* Blin */
	{ "ጽባሕ", "ምሴት" }, /* Geez */
};

/* Beginnings that tell the months apart, in the languages whose short date spells them. */
static const struct {
	const char *text;
	int month;
} months[] = {
	{ "jan", 1 },  { "feb", 2 },  { "mar", 3 },  { "mär", 3 },  { "apr", 4 },  { "may", 5 },
	{ "mai", 5 },  { "maj", 5 },  { "jun", 6 },  { "jul", 7 },  { "aug", 8 },  { "sep", 9 },
	{ "oct", 10 }, { "okt", 10 }, { "nov", 11 }, { "dec", 12 }, { "des", 12 }, { "dez", 12 },
	{ "nóv", 11 }, { "ينا", 1 },  { "فبر", 2 },  { "مار", 3 },  { "أبر", 4 },  { "ماي", 5 },
	{ "يون", 6 },  { "يول", 7 },  { "أغس", 8 },  { "سبت", 9 },  { "أكت", 10 }, { "نوف", 11 },
	{ "ديس", 12 },
};

/* The zeros of decimal digits in use: %OH and the like print those of the locale. */
static const uint32_t zeros[] = {
	0x660, /* Arabic */
	0x6f0, /* Persian */
	0x966, /* Devanagari, and so on in steps of 0x80 */
	0x9e6,  0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, /* Thai */
	0xed0, /* Lao */
	0x1040, /* Burmese */
	0x1090, /* Shan */
};

/* Takes a decimal digit of any script; -1: there is none. */
static int scan_digit(struct td_scan *s)
{
	uint32_t c;
	size_t n;

	if (td_scan_done(s))
		return -1;
	if ((unsigned char)*s->p < 0x80)
		return td_is_digit(*s->p) ? *s->p++ - '0' : -1;
	n = td_utf8_decode(s->p, (size_t)(s->end - s->p), &c);
	for (size_t i = 0; n && i < TD_ARRAY_SIZE(zeros); i++) {
		if (c >= zeros[i] && c < zeros[i] + 10) {
			s->p += n;
			return (int)(c - zeros[i]);
		}
	}
	return -1;
}

static bool scan_numbers(struct td_str s, struct numbers *ret)
{
	struct td_scan t = td_scan_of(s.p, s.len);

	*ret = (struct numbers){ .is_western = true };
	while (!td_scan_done(&t)) {
		const char *from = t.p;
		int digit = scan_digit(&t);

		if (digit < 0) {
			t.p++;
			continue;
		}
		if (ret->count == TD_ARRAY_SIZE(ret->n))
			return false;
		ret->n[ret->count].begin = from;
		ret->is_western &= (unsigned char)*from < 0x80;
		ret->n[ret->count].is_signed = from > s.p && (from[-1] == '+' || from[-1] == '-');
		for (; digit >= 0; digit = scan_digit(&t)) {
			if (++ret->n[ret->count].digits > 18)
				return false;
			ret->n[ret->count].value = ret->n[ret->count].value * 10 + (uint64_t)digit;
		}
		ret->n[ret->count++].behind = td_scan_rest(&t);
	}
	for (size_t i = 0; i + 1 < ret->count; i++) /* up to the next number */
		ret->n[i].behind.len = (size_t)(ret->n[i + 1].begin - ret->n[i].behind.p);
	return true;
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Is the word a word of the text, or, being of a script that needs no blanks, any part of it? */
static bool has_word(struct td_str s, const char *word)
{
	const char *at = td_str_find(s, word), *end = s.p + s.len;
	size_t n = strlen(word);

	if (!at || (unsigned char)word[0] >= 0x80)
		return at != NULL;
	return (at == s.p || !is_letter(at[-1])) && (at + n == end || !is_letter(at[n]));
}

/* Most times have nothing but digits, colons and blanks. */
static bool has_words(struct td_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (is_letter(s.p[i]) || (unsigned char)s.p[i] >= 0x80)
			return true;
	return false;
}

static uint64_t hour_of_day(struct td_str s, uint64_t hour, bool *ret_is_am_pm)
{
	*ret_is_am_pm = false;
	if (hour > 12 || !has_words(s))
		return hour;
	for (size_t i = 0; i < TD_ARRAY_SIZE(half_days); i++) {
		bool pm = has_word(s, half_days[i].pm);

		if (!pm && !has_word(s, half_days[i].am))
			continue;
		*ret_is_am_pm = i == 0;
		return hour % 12 + (pm ? 12 : 0);
	}
	return hour;
}

/* The year 2096: what is later is no time. */
#define EPOCH_MAX_S UINT64_C(4000000000)

bool td_mpstat_scan_time(struct td_str s, struct td_mpstat_time *ret)
{
	struct numbers all;
	uint64_t hour, minute, second;

	if (!scan_numbers(s, &all))
		return false;
	if (all.count && all.n[0].is_signed) /* the zone: "+03 04:17:57 م" */
		memmove(&all.n[0], &all.n[1], --all.count * sizeof(all.n[0]));
	if (all.count == 0)
		return false;
	*ret = (struct td_mpstat_time){ .has_seconds = true };
	if (all.n[0].digits >= 9 && all.n[0].digits <= 10) {
		if (all.n[0].value > EPOCH_MAX_S)
			return false;
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
	hour = hour_of_day(s, hour, &ret->is_am_pm);
	ret->ns = (int64_t)(hour * 3600 + minute * 60 + second) * TD_SEC_NS;
	return true;
}

/* TD_NULL: no such date. */
static int64_t days_of(uint64_t year, uint64_t month, uint64_t day)
{
	if (year < 100)
		year += year < 90 ? 2000 : 1900;
	/* other calendars count other years: Thailand's 2569 is 2026 */
	if (year > 2055)
		return TD_NULL;
	if (year < 1990 || !td_date_valid((int)year, (int)month, (int)day))
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

/* The date, read with the day first so far, has slashes between its numbers: both orders are in use. */
static void read_slashes(struct td_mpstat_date *d, int64_t month_first_days)
{
	int64_t day_first_days = d->days;

	if (month_first_days == TD_NULL)
		return;
	d->days = month_first_days;
	d->order = TD_MPSTAT_UNORDERED;
	if (day_first_days == TD_NULL)
		d->order = TD_MPSTAT_MONTH_FIRST;
	else if (day_first_days != month_first_days)
		d->day_first_days = day_first_days;
}

/* Nothing but ". / -" between the numbers: no name of a month, which could have a digit in it. */
static bool is_numeric_date(const struct numbers *all)
{
	return strspn(all->n[0].behind.p, " ./-") >= all->n[0].behind.len &&
	       strspn(all->n[1].behind.p, " ./-") >= all->n[1].behind.len;
}

bool td_mpstat_scan_date(struct td_str s, struct td_mpstat_date *ret)
{
	struct numbers all;
	uint64_t a, b, c;

	*ret = (struct td_mpstat_date){ .days = TD_NULL, .day_first_days = TD_NULL };
	/* with other digits the order is another, too: Persian has the year first, in two digits */
	if (!scan_numbers(s, &all) || !all.is_western || all.count < 2 || all.count > 3)
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
	if (!is_numeric_date(&all))
		return false;
	ret->has_long_year = all.n[2].digits == 4;
	ret->days = days_of(c, b, a);
	ret->order = TD_MPSTAT_DAY_FIRST;
	/* '.' and '-' are only used with the day first */
	if (all.n[0].behind.p[0] == '/' && all.n[1].behind.p[0] == '/')
		read_slashes(ret, days_of(c, a, b));
	return ret->days != TD_NULL;
}

static bool is_month_word(struct td_str s, uint64_t *ret)
{
	return s.len == 3 && scan_month(s, ret);
}

bool td_mpstat_scan_zzz(struct td_str s, int64_t *ret_days)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	struct td_str weekday, first, second, token;
	struct numbers numbers;
	uint64_t month, year = 0;

	if (!td_scan_literal(&t, "zzz ***") || !td_scan_token(&t, &weekday) || weekday.len != 3 ||
	    !td_scan_blanks(&t) || !td_scan_token(&t, &first) || !td_scan_blanks(&t) ||
	    !td_scan_token(&t, &second))
		return false;
	if (!is_month_word(first, &month)) {
		token = first;
		first = second;
		second = token;
	}
	if (!is_month_word(first, &month) || !scan_numbers(second, &numbers) || numbers.count != 1)
		return false;
	for (td_scan_blanks(&t); !year && td_scan_token(&t, &token); td_scan_blanks(&t)) {
		struct td_scan u = td_scan_of(token.p, token.len);

		if (token.len != 4 || !td_scan_u64(&u, &year) || !td_scan_done(&u))
			year = 0;
	}
	*ret_days = year ? days_of(year, month, numbers.n[0].value) : TD_NULL;
	return *ret_days != TD_NULL;
}
