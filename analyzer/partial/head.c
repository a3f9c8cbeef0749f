/* SPDX-License-Identifier: MIT */
/*
 * The first line of a partial, here over several:
 *
 *     {"tracedb_partial":3,"schema":9,"reports":["file_io"],"args":["by","template"],"top":20000,"tables":["database", ...],
 *      "histogram_bits":6,"questions":[{"relation":"io_stat","by":["template","verb"],"measures":573,"given":["since"]}, ...],
 *      "texts":["5e0c...", ...]}
 *
 * texts are hashes of the SQL of the reports. What says the same is the same, byte by byte.
 */
#include <xxhash.h>

#include "analyzer/scan/stat_table.h"
#include "analyzer/partial/partial.h"
#include "common/array.h"
#include "common/json/text.h"
#include "common/json/write.h"
#include "schema/db.h"

#define VERSION 3 /* any change of what a partial holds, or of what that means, raises it */
#define LIST_MAX 1000 /* reports, arguments, questions; more is damage */

static const struct {
	enum td_partial_filter filter;
	const char *name;
} filters[] = {
	{ TD_FILTER_SINCE, "since" },     { TD_FILTER_UNTIL, "until" },
	{ TD_FILTER_PHASE, "phase" },     { TD_FILTER_PID, "pid" },
	{ TD_FILTER_PROCESS, "process" },
};

static void add_text(struct td_strbuf *b, const char *text)
{
	td_json_add_string(b, (struct td_str){ text, strlen(text) });
}

static void add_list(struct td_strbuf *b, const char *key, char **items, size_t n)
{
	td_json_add_key(b, key);
	td_strbuf_addc(b, '[');
	for (size_t i = 0; i < n; i++) {
		td_strbuf_adds(b, i ? "," : "");
		add_text(b, items[i]);
	}
	td_strbuf_addc(b, ']');
}

static void add_question(struct td_strbuf *b, const struct td_partial_question *q)
{
	const char *sep = "";

	td_strbuf_adds(b, "{\"relation\":");
	add_text(b, q->relation->name);
	td_strbuf_adds(b, ",\"by\":[");
	for (unsigned d = 0; d < TD_NDIMS; d++)
		if (q->dims & 1u << d) {
			td_strbuf_adds(b, sep);
			add_text(b, td_dim_name(q->relation, (enum td_dim)d));
			sep = ",";
		}
	td_strbuf_addf(b, "],\"measures\":%u,\"given\":[", q->measures);
	sep = "";
	for (size_t i = 0; i < TD_ARRAY_SIZE(filters); i++)
		if (q->given & filters[i].filter) {
			td_strbuf_adds(b, sep);
			add_text(b, filters[i].name);
			sep = ",";
		}
	td_strbuf_adds(b, q->busiest ? "],\"busiest\":true" : "]");
	if (q->file) {
		td_json_add_key(b, "file");
		add_text(b, q->file);
	}
	if (q->during) {
		td_json_add_key(b, "during");
		add_text(b, q->during);
	}
	td_strbuf_addc(b, '}');
}

int td_partial_head_write(struct td_partial_head *h)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	const char *sep = "";

	td_strbuf_addf(&b, "{\"tracedb_partial\":%d,\"schema\":%d", VERSION, TD_SCHEMA_VERSION);
	add_list(&b, "reports", h->reports, h->nreports);
	add_list(&b, "texts", h->texts, h->nreports);
	add_list(&b, "args", h->args, 2 * h->nargs);
	td_strbuf_addf(&b, ",\"top\":%zu,\"histogram_bits\":%d,\"tables\":[", h->top,
		       TD_HISTOGRAM_BITS);
	for (size_t t = 0; t < TD_PARTIAL_NTABLES; t++)
		if (h->tables & 1u << t) {
			td_strbuf_adds(&b, sep);
			add_text(&b, td_partial_tables[t].name);
			sep = ",";
		}
	td_strbuf_adds(&b, "],\"questions\":[");
	for (size_t i = 0; i < h->nquestions; i++) {
		td_strbuf_adds(&b, i ? "," : "");
		add_question(&b, &h->questions[i]);
	}
	td_strbuf_adds(&b, "]}");
	if (td_strbuf_error(&b) < 0)
		return -ENOMEM;
	free(h->text);
	h->text = TAKE_PTR(b.p);
	return 0;
}

/* --- reading --- */

static char *decoded(struct td_str value)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;

	td_strbuf_adds(&b, "");
	td_json_add_decoded(&b, td_json_bare(value));
	return td_strbuf_error(&b) < 0 ? NULL : strdup(td_strbuf_str(&b));
}

/* The next value of an array, s being behind what begins it or behind another value: 1, 0 at the end, -EBADMSG. */
static int next_value(struct td_scan *s, struct td_str *ret)
{
	const char *p = td_json_blanks(s->p, s->end), *end;

	if (p < s->end && *p == ',')
		p = td_json_blanks(p + 1, s->end);
	if (p < s->end && *p == ']') {
		s->p = p + 1;
		return 0;
	}
	end = p < s->end ? td_json_end(p, s->end) : NULL;
	if (!end || end == p)
		return -EBADMSG;
	*ret = (struct td_str){ p, (size_t)(end - p) };
	s->p = end;
	return 1;
}

static int open_array(struct td_str object, const char *key, struct td_scan *ret)
{
	struct td_str value = td_json_get(object, key);

	if (!value.p || value.len < 2 || value.p[0] != '[')
		return -EBADMSG;
	*ret = td_scan_of(value.p + 1, value.len - 1);
	return 0;
}

static int read_number(struct td_str object, const char *key, int64_t max, int64_t *ret)
{
	struct td_str value = td_json_get(object, key);
	struct td_scan s = td_scan_of(value.p, value.len);
	int64_t v;

	if (!value.p || !td_scan_i64(&s, &v) || !td_scan_done(&s) || v < 0 || v > max)
		return -EBADMSG;
	*ret = v;
	return 0;
}

static int read_list(struct td_str object, const char *key, char ***ret, size_t *ret_n)
{
	struct td_scan s;
	struct td_str value;
	size_t cap = 0;
	int r = open_array(object, key, &s);

	while (r == 0 && (r = next_value(&s, &value)) > 0) {
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
		if (*ret_n >= LIST_MAX || td_grow(ret, &cap, *ret_n) < 0)
			return -ENOMEM;
		(*ret)[*ret_n] = decoded(value);
		if (!(*ret)[(*ret_n)++])
			return -ENOMEM;
		r = 0;
	}
	return r;
}

/* Names of a list as bits; those that are NULL are of none. */
static int read_bits(struct td_str object, const char *key, unsigned n,
		     const char *(*name)(unsigned i), unsigned *ret)
{
	struct td_scan s;
	struct td_str value;
	int r = open_array(object, key, &s);

	while (r == 0 && (r = next_value(&s, &value)) > 0) {
		unsigned i = 0;

		while (i < n && !(name(i) && td_str_eq(td_json_bare(value), name(i))))
			i++;
		if (i == n)
			return -EBADMSG;
		*ret |= 1u << i;
		r = 0;
	}
	return r;
}

/* Both relations of calls have the same. */
static const char *name_of_dim(unsigned i)
{
	return td_dim_name(td_relation_find("call_stat"), (enum td_dim)i);
}

static const char *name_of_filter(unsigned i)
{
	return filters[i].name;
}

static const char *name_of_table(unsigned i)
{
	return td_partial_tables[i].name;
}

static int read_optional(struct td_str object, const char *key, char **ret)
{
	struct td_str value = td_json_get(object, key);

	if (!value.p)
		return 0;
	*ret = decoded(value);
	return *ret ? 0 : -ENOMEM;
}

static int read_question(struct td_str object, struct td_partial_question *q)
{
	struct td_str relation = td_json_bare(td_json_get(object, "relation"));
	int64_t measures = 0;
	int r;

	q->relation = NULL;
	for (size_t i = 0; i < td_nrelations; i++)
		if (td_partial_has_relation(&td_relations[i]) &&
		    td_str_eq(relation, td_relations[i].name))
			q->relation = &td_relations[i];
	if (!q->relation)
		return -EBADMSG;
	r = read_bits(object, "by", TD_NDIMS, name_of_dim, &q->dims);
	if (r == 0)
		r = read_bits(object, "given", TD_ARRAY_SIZE(filters), name_of_filter, &q->given);
	if (r == 0)
		r = read_number(object, "measures", (1 << TD_NMEASURES) - 1, &measures);
	q->measures = (unsigned)measures;
	q->busiest = td_str_eq(td_json_get(object, "busiest"), "true");
	if (q->busiest && !(q->dims & 1u << TD_DIM_FILE))
		r = -EBADMSG;
	if (r == 0)
		r = read_optional(object, "file", &q->file);
	return r < 0 ? r : read_optional(object, "during", &q->during);
}

static int read_questions(struct td_str object, struct td_partial_head *h)
{
	struct td_scan s;
	struct td_str value;
	size_t cap = 0;
	int r = open_array(object, "questions", &s);

	while (r == 0 && (r = next_value(&s, &value)) > 0) {
		if (h->nquestions >= LIST_MAX || td_grow(&h->questions, &cap, h->nquestions) < 0)
			return -ENOMEM;
		h->questions[h->nquestions] = (struct td_partial_question){ 0 };
		r = read_question(value, &h->questions[h->nquestions++]);
	}
	return r;
}

static int read_versions(struct td_str object, struct td_err *err)
{
	int64_t version = 0, schema = 0, bits = 0;

	if (read_number(object, "tracedb_partial", INT64_MAX, &version) < 0)
		return -EBADMSG;
	if (version != VERSION || read_number(object, "schema", INT64_MAX, &schema) < 0 ||
	    schema != TD_SCHEMA_VERSION ||
	    read_number(object, "histogram_bits", INT64_MAX, &bits) < 0 ||
	    bits != TD_HISTOGRAM_BITS)
		return td_err_set(err, -EPROTONOSUPPORT,
				  "it is a partial of another version of tracedb (%lld of schema "
				  "%lld; this one's are %d of"
				  " schema %d): make it again",
				  (long long)version, (long long)schema, VERSION,
				  TD_SCHEMA_VERSION);
	return 0;
}

int td_partial_head_parse(const char *text, size_t len, struct td_partial_head *ret,
			  struct td_err *err)
{
	_cleanup_(td_partial_head_done) struct td_partial_head h = { 0 };
	struct td_str object = { text, len };
	size_t ntexts = 0, nargs = 0;
	int64_t top = 0;
	int r = read_versions(object, err);

	if (r == 0)
		r = read_list(object, "reports", &h.reports, &h.nreports);
	if (r == 0)
		r = read_list(object, "texts", &h.texts, &ntexts);
	h.ntexts = ntexts;
	if (r == 0)
		r = read_list(object, "args", &h.args, &nargs);
	h.nargs = nargs / 2;
	h.odd_args = nargs % 2;
	if (r == 0 && (h.odd_args || ntexts != h.nreports))
		r = -EBADMSG;
	if (r == 0)
		r = read_number(object, "top", INT32_MAX, &top);
	h.top = (size_t)top;
	if (r == 0)
		r = read_bits(object, "tables", TD_PARTIAL_NTABLES, name_of_table, &h.tables);
	if (r == 0)
		r = read_questions(object, &h);
	if (r == 0)
		r = td_partial_head_write(&h);
	if (r < 0)
		return r;
	*ret = h;
	h = (struct td_partial_head){ 0 };
	return 0;
}

static void list_done(char **items, size_t n)
{
	for (size_t i = 0; items && i < n; i++)
		free(items[i]);
	free(items);
}

void td_partial_head_done(struct td_partial_head *h)
{
	for (size_t i = 0; i < h->nquestions; i++) {
		free(h->questions[i].file);
		free(h->questions[i].during);
	}
	free(h->questions);
	list_done(h->reports, h->nreports);
	list_done(h->texts, h->ntexts);
	list_done(h->args, 2 * h->nargs + h->odd_args);
	free(h->text);
	*h = (struct td_partial_head){ 0 };
}

int td_partial_head_copy(const struct td_partial_head *from, struct td_partial_head *ret)
{
	return td_partial_head_parse(from->text, strlen(from->text), ret, NULL);
}

void td_partial_hash(const char *text, char ret_hex[17])
{
	(void)snprintf(ret_hex, 17, "%016llx", (unsigned long long)XXH3_64bits(text, strlen(text)));
}
