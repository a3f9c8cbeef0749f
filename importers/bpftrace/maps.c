/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "common/cleanup.h"
#include "importers/bpftrace/maps.h"

#define KEY_MAX                                                                                    \
	32768 /* of a key that spans lines: a stack of 127 frames, and C++'s names are long */

static const struct td_str no_text = { NULL, 0 };

void td_maps_done(struct td_maps *m)
{
	td_strbuf_done(&m->long_key);
}

void td_maps_summary(struct td_import *imp, struct td_str name, struct td_str key, const char *unit,
		     double low, double high, double value)
{
	struct td_summary s = {
		.source_id = imp->source_id,
		.name = td_import_keep(imp, name).p,
		.key = key.p ? td_import_keep(imp, key).p : NULL,
		.unit = unit,
		.low = low,
		.high = high,
		.value = value,
	};

	td_store_summary(imp->store, &s);
}

/* --- buckets --- */

/* A bound: "512", "4K", "-3", "..." */
static bool scan_bound(struct td_scan *s, double *ret)
{
	static const char suffixes[] = "KMGTPE";
	int64_t n;
	const char *suffix;

	if (td_scan_literal(s, "...")) {
		*ret = NAN;
		return true;
	}
	if (!td_scan_i64(s, &n))
		return false;
	*ret = (double)n;
	suffix = td_scan_done(s) || !*s->p ? NULL : strchr(suffixes, *s->p);
	for (const char *p = suffixes; suffix && p <= suffix; p++)
		*ret *= 1024;
	s->p += suffix != NULL;
	return true;
}

/* "  12 |@@@@   |" */
static bool scan_bar(struct td_scan *s, double *ret)
{
	return td_scan_blanks(s) && td_scan_double(s, ret) && td_scan_blanks(s) &&
	       td_scan_char(s, '|') && s->p < s->end && memchr(s->p, '|', (size_t)(s->end - s->p));
}

/* "[256, 512)  2 |@@@|", "(..., 0)  1 |@|", "[0]  4 |@|" */
static bool scan_bucket(struct td_str line, double *ret_low, double *ret_high, double *ret_count)
{
	struct td_scan s = td_scan_of(line.p, line.len);

	if (!td_scan_char(&s, '[') && !td_scan_char(&s, '('))
		return false;
	if (!scan_bound(&s, ret_low))
		return false;
	*ret_high = *ret_low + 1;
	if (!td_scan_char(&s, ']') && (!td_scan_char(&s, ',') || !td_scan_blanks(&s) ||
				       !scan_bound(&s, ret_high) || !td_scan_char(&s, ')')))
		return false;
	return scan_bar(&s, ret_count);
}

/* "   2 -> 3   : 12   |****  |", "  7   : 12  |**  |" (linear); both bounds inclusive */
static bool scan_bcc_bucket(struct td_str line, double *ret_low, double *ret_high,
			    double *ret_count)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	uint64_t low, high;

	if (!td_scan_blanks(&s) || !td_scan_u64(&s, &low))
		return false;
	high = low;
	td_scan_blanks(&s);
	if (td_scan_literal(&s, "->")) {
		td_scan_blanks(&s);
		if (!td_scan_u64(&s, &high))
			return false;
		td_scan_blanks(&s);
	}
	if (!td_scan_char(&s, ':') || high < low)
		return false;
	*ret_low = (double)low;
	*ret_high = (double)high + 1;
	return scan_bar(&s, ret_count);
}

static struct td_str text_of(struct td_import *imp, uint32_t id)
{
	return id ? td_store_text(imp->store, id) : no_text;
}

static int bucket(struct td_import *imp, struct td_maps *m, double low, double high, double count)
{
	if (!m->name)
		return TD_MAPS_NOT;
	td_maps_summary(imp, text_of(imp, m->name), text_of(imp, m->key), "count", low, high,
			count);
	return TD_MAPS_ROW;
}

/* --- time series --- */

/* "10:00:00.500 |   *   | 9": the value is behind the last bar; none where nothing was recorded. */
static int tseries_line(struct td_import *imp, const struct td_maps *m, struct td_str line)
{
	const char *bar = memchr(line.p, '|', line.len), *last = td_str_rchr(line, '|');
	struct td_str label = { line.p, bar ? (size_t)(bar - line.p) : 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf key = TD_STRBUF_INIT;
	struct td_scan s;
	double value;

	while (label.len && label.p[label.len - 1] == ' ')
		label.len--;
	if (!bar)
		return TD_MAPS_TITLE; /* the scale below and above */
	if (!label.len || memchr(label.p, ' ', label.len) || bar == last)
		return TD_MAPS_NOT;
	s = td_scan_of(last + 1, (size_t)(line.p + line.len - last - 1));
	td_scan_blanks(&s);
	if (!td_scan_double(&s, &value))
		return td_scan_done(&s) ? TD_MAPS_TITLE : TD_MAPS_NOT;
	if (m->key) {
		struct td_str of_map = text_of(imp, m->key);

		td_strbuf_add(&key, of_map.p, of_map.len);
		td_strbuf_adds(&key, ", ");
	}
	td_strbuf_add(&key, label.p, label.len);
	if (td_strbuf_error(&key) < 0)
		return -ENOMEM;
	td_maps_summary(imp, text_of(imp, m->name), (struct td_str){ key.p, key.len }, NULL, NAN,
			NAN, value);
	return TD_MAPS_ROW;
}

/* --- entries --- */

/* "@name[key]: value" into its parts; the last "]: " ends the key, which may hold anything. */
static bool split_entry(struct td_str line, struct td_maps_value *ret, struct td_str *ret_value)
{
	const char *end = line.p + line.len, *p = line.p + 1, *colon;

	if (line.len < 2 || line.p[0] != '@')
		return false;
	while (p < end && ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			   td_is_digit(*p) || *p == '_'))
		p++;
	ret->name = (struct td_str){ line.p, (size_t)(p - line.p) };
	ret->key = no_text;
	colon = p;
	if (p < end && *p == '[') {
		struct td_str rest = { p + 1, (size_t)(end - p - 1) };
		const char *close = NULL;

		for (const char *q = td_str_find(rest, "]:"); q;
		     q = td_str_find((struct td_str){ q + 1, (size_t)(end - q - 1) }, "]:"))
			if (q + 2 == end || q[2] == ' ')
				close = q;
		if (!close)
			return false;
		ret->key = (struct td_str){ rest.p, (size_t)(close - rest.p) };
		colon = close + 1;
	}
	if (colon == end || *colon != ':')
		return false;
	ret->label = (struct td_str){ line.p, (size_t)(colon - line.p) };
	for (colon++; colon < end && *colon == ' '; colon++)
		;
	*ret_value = (struct td_str){ colon, (size_t)(end - colon) };
	while (ret_value->len && ret_value->p[ret_value->len - 1] == ' ')
		ret_value->len--;
	return true;
}

bool td_maps_is_entry(struct td_str line)
{
	struct td_maps_value v;
	struct td_str value;
	struct td_scan s;
	double n;

	if (!split_entry(line, &v, &value) || !value.len)
		return false;
	s = td_scan_of(value.p, value.len);
	return td_str_starts(value, "count ") || (td_scan_double(&s, &n) && td_scan_done(&s));
}

/* "count 3601, average 4665, total 16801773" */
static bool scan_stats(struct td_str value, double ret[3])
{
	struct td_scan s = td_scan_of(value.p, value.len);

	return td_scan_literal(&s, "count ") && td_scan_double(&s, &ret[0]) &&
	       td_scan_literal(&s, ", average ") && td_scan_double(&s, &ret[1]) &&
	       td_scan_literal(&s, ", total ") && td_scan_double(&s, &ret[2]) && td_scan_done(&s);
}

static int entry(struct td_import *imp, struct td_maps *m, struct td_str line,
		 struct td_maps_value *ret)
{
	struct td_str value;
	struct td_scan s;
	double stats[3];

	if (!split_entry(line, ret, &value))
		return TD_MAPS_NOT;
	m->name = 0;
	m->is_tseries = false;
	if (!value.len) {
		m->name = td_store_string(imp->store, ret->name.p, ret->name.len);
		m->key = ret->key.p ? td_store_string(imp->store, ret->key.p, ret->key.len) : 0;
		return TD_MAPS_TITLE;
	}
	if (scan_stats(value, stats)) {
		td_maps_summary(imp, ret->name, ret->key, "count", NAN, NAN, stats[0]);
		td_maps_summary(imp, ret->name, ret->key, "average", NAN, NAN, stats[1]);
		td_maps_summary(imp, ret->name, ret->key, "total", NAN, NAN, stats[2]);
		return TD_MAPS_ROW;
	}
	s = td_scan_of(value.p, value.len);
	return td_scan_double(&s, &ret->value) && td_scan_done(&s) ? TD_MAPS_VALUE : TD_MAPS_TEXT;
}

/* A key that spans lines, as a stack does: from "@[" to "]: 12". */
static int long_key_line(struct td_import *imp, struct td_maps *m, struct td_str line,
			 struct td_maps_value *ret)
{
	int r;

	if (m->long_key.len)
		td_strbuf_addc(&m->long_key, '\n');
	td_strbuf_add(&m->long_key, line.p, line.len);
	if (td_strbuf_error(&m->long_key) < 0)
		return -ENOMEM;
	r = entry(imp, m, (struct td_str){ m->long_key.p, m->long_key.len }, ret);
	m->in_key = r == TD_MAPS_NOT && line.len && m->long_key.len < KEY_MAX;
	return m->in_key ? TD_MAPS_TITLE : r;
}

/* --- bcc --- */

/* "     usecs               : count     distribution", "     query latency (ms)  : count ..." */
static bool scan_bcc_title(struct td_str line, struct td_str *ret)
{
	const char *colon = memchr(line.p, ':', line.len);
	struct td_scan s = td_scan_of(line.p, line.len);
	bool ok;

	if (!colon || !td_scan_blanks(&s) || s.p >= colon)
		return false;
	*ret = (struct td_str){ s.p, (size_t)(colon - s.p) };
	while (ret->len && ret->p[ret->len - 1] == ' ')
		ret->len--;
	s.p = colon + 1;
	ok = td_scan_blanks(&s) && td_scan_literal(&s, "count") && td_scan_blanks(&s) &&
	     td_scan_literal(&s, "distribution");

	td_scan_blanks(&s);
	return ok && td_scan_done(&s);
}

/* "disk = 'xvdb'", "pid = 1234 bash" */
static bool is_bcc_key(struct td_str line)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	struct td_str word;

	return line.len < 128 && td_scan_token(&s, &word) && td_scan_literal(&s, " = ") &&
	       !td_scan_done(&s);
}

static int bcc_line(struct td_import *imp, struct td_maps *m, struct td_str line)
{
	struct td_str name;
	double low, high, count;

	if (scan_bcc_title(line, &name)) {
		m->name = td_store_string(imp->store, name.p, name.len);
		m->key = m->bcc_key;
		m->bcc_key = 0;
		m->is_tseries = false;
		return TD_MAPS_TITLE;
	}
	if (scan_bcc_bucket(line, &low, &high, &count))
		return bucket(imp, m, low, high, count);
	m->bcc_key = 0;
	if (is_bcc_key(line)) {
		m->bcc_key = td_store_string(imp->store, line.p, line.len);
		return TD_MAPS_TITLE;
	}
	return TD_MAPS_NOT;
}

bool td_maps_is_title(struct td_str line)
{
	struct td_str name;

	return scan_bcc_title(line, &name) || td_str_starts(line, "hh:mm:ss.ms  |");
}

bool td_maps_is_bucket(struct td_str line)
{
	double low, high, count;

	return scan_bucket(line, &low, &high, &count);
}

int td_maps_line(struct td_import *imp, struct td_maps *m, struct td_str line,
		 struct td_maps_value *ret)
{
	double low, high, count;

	/* no frame of a stack looks like that: what seemed to be a key was a spoilt title */
	m->in_key =
		m->in_key && !td_str_starts(line, "@") && !scan_bucket(line, &low, &high, &count);
	if (m->in_key)
		return long_key_line(imp, m, line, ret);
	if (line.len && line.p[0] == '@') {
		int r = entry(imp, m, line, ret);

		if (r != TD_MAPS_NOT || !memchr(line.p, '[', line.len))
			return r;
		td_strbuf_reset(&m->long_key);
		return long_key_line(imp, m, line, ret);
	}
	if (scan_bucket(line, &low, &high, &count))
		return bucket(imp, m, low, high, count);
	if (m->name && td_str_starts(line, "hh:mm:ss")) {
		m->is_tseries = true;
		return TD_MAPS_TITLE;
	}
	if (m->is_tseries && line.len)
		return tseries_line(imp, m, line);
	if (!line.len) {
		m->is_tseries = false;
		return TD_MAPS_NOT;
	}
	return bcc_line(imp, m, line);
}
