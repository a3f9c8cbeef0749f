/* SPDX-License-Identifier: MIT */
/*
 * NVTX_EVENTS, by eventType (NSYS_EVENT_TYPE):
 *     59, 70   push/pop range     span 'nvtx', args {"style":"PushPop"}
 *     60, 71   start/end range    span 'nvtx', args {"style":"StartEnd"}
 *     34       mark               mark, args {"style":"Mark"}
 *     39       name of a thread   thread.name
 *     33, 75   category, domain   "category" and "domain" in the args of the rows that refer to them
 *     76       end of a domain    nothing
 * The text of an event is in column text, or in StringIds by textId. An integer payload becomes
 * span.number or mark.value, any other payload "payload" in the args.
 */
#include "common/cleanup.h"
#include "common/json/write.h"
#include "importers/nsys/nsys.h"

enum {
	NVTX_CATEGORY = 33,
	NVTX_MARK = 34,
	NVTX_THREAD = 39,
	NVTX_PUSH_POP = 59,
	NVTX_START_END = 60,
	NVTXT_PUSH_POP = 70,
	NVTXT_START_END = 71,
	NVTX_DOMAIN_CREATE = 75,
	NVTX_DOMAIN_DESTROY = 76,
};

enum {
	NVTX_START = 1,
	NVTX_END,
	NVTX_TYPE,
	NVTX_TEXT,
	NVTX_TEXT_ID,
	NVTX_TID,
	NVTX_DOMAIN_ID,
	NVTX_CATEGORY_ID,
	NVTX_UINT64,
	NVTX_INT64,
	NVTX_UINT32,
	NVTX_INT32,
	NVTX_DOUBLE,
	NVTX_FLOAT,
	NVTX_JSON,
	NVTX_JSON_ID,
};

/* Domains and categories are numbered per process. */
struct name_key {
	int64_t pid, domain, category;
};

static struct name_key key_of(sqlite3_stmt *s, bool with_category)
{
	int64_t tid = td_nsys_i64(s, NVTX_TID), domain = td_nsys_i64(s, NVTX_DOMAIN_ID);
	int64_t category = with_category ? td_nsys_i64(s, NVTX_CATEGORY_ID) : 0;

	return (struct name_key){
		.pid = tid == TD_NULL ? 0 : td_nsys_pid(tid),
		.domain = domain == TD_NULL ? 0 : domain,
		.category = category == TD_NULL ? 0 : category,
	};
}

/* The text of the event as a string, that of '' if it has none. */
static uint32_t text_of(struct td_nsys *n, sqlite3_stmt *s)
{
	struct td_str text = td_nsys_str(s, NVTX_TEXT);
	uint32_t id = 0;

	if (text.p)
		return td_store_string(n->imp->store, text.p, text.len);
	id = td_nsys_string(n, td_nsys_i64(s, NVTX_TEXT_ID));
	return id ? id : td_store_cstr(n->imp->store, "");
}

/* --- args --- */

static void add_name(struct td_nsys *n, struct td_strbuf *b, const char *member,
		     const struct td_nsys_map *names, const struct name_key *key, int64_t number)
{
	uint32_t name = td_nsys_map_get(names, key, sizeof(*key));

	if (!number)
		return;
	td_json_add_key(b, member);
	if (name)
		td_json_add_string(b, td_store_text(n->imp->store, name));
	else
		td_strbuf_addf(b, "%lld", (long long)number);
}

/* A payload that is not an integer. */
static bool add_payload(struct td_nsys *n, struct td_strbuf *b, sqlite3_stmt *s)
{
	struct td_str text = td_nsys_str(s, NVTX_JSON);
	int number = sqlite3_column_type(s, NVTX_DOUBLE) == SQLITE_FLOAT  ? NVTX_DOUBLE
		     : sqlite3_column_type(s, NVTX_FLOAT) == SQLITE_FLOAT ? NVTX_FLOAT
									  : 0;

	if (!text.p)
		text = td_nsys_text(n, td_nsys_i64(s, NVTX_JSON_ID));
	if (!text.p && !number)
		return false;
	td_json_add_key(b, "payload");
	if (number)
		td_strbuf_addf(b, "%.17g", sqlite3_column_double(s, number));
	else
		td_json_add_string(b, text);
	return true;
}

/* Values and metadata of the row as JSON; 0 with *ret_error < 0, or the store's error. Rows without a
 * payload of their own share few texts, which are kept. */
static uint32_t args_of(struct td_nsys *n, sqlite3_stmt *s, const char *style, int *ret_error)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct name_key domain = key_of(s, false), category = key_of(s, true);
	struct {
		struct name_key names;
		int64_t style;
	} key = { category, style[0] };
	uint32_t args;

	td_strbuf_addf(&b, "{\"style\":\"%s\"", style);
	if (!add_payload(n, &b, s)) {
		args = td_nsys_map_get(&n->nvtx_args, &key, sizeof(key));
		if (args)
			return args;
	} else {
		key.style = 0;
	}
	add_name(n, &b, "domain", &n->domains, &domain, domain.domain);
	add_name(n, &b, "category", &n->categories, &category, category.category);
	td_strbuf_addc(&b, '}');
	*ret_error = td_strbuf_error(&b);
	if (*ret_error < 0)
		return 0;
	args = td_store_string(n->imp->store, b.p, b.len);
	if (key.style && args)
		*ret_error = td_nsys_map_put(&n->nvtx_args, &key, sizeof(key), args);
	return args;
}

/* --- rows --- */

/* The integer payload, TD_NULL if there is none. */
static int64_t payload(sqlite3_stmt *s)
{
	static const int columns[] = { NVTX_UINT64, NVTX_INT64, NVTX_UINT32, NVTX_INT32 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(columns); i++) {
		int64_t v = td_nsys_i64(s, columns[i]);

		if (v != TD_NULL)
			return v;
	}
	return TD_NULL;
}

static int range_row(struct td_nsys *n, sqlite3_stmt *s, const char *style)
{
	struct td_span span = TD_SPAN_INIT;
	struct td_store *st = n->imp->store;
	const char *issue = td_nsys_times(n, s, NVTX_START, NVTX_END, &span.start_ns, &span.dur_ns);
	int r = 0;

	if (issue)
		return td_nsys_reject(n, s, issue);
	span.kind_id = td_store_cstr(st, "nvtx");
	span.name_id = text_of(n, s);
	span.number = payload(s);
	span.state_id = td_store_cstr(st, span.dur_ns == TD_NULL ? "unfinished" : "complete");
	td_nsys_who(n, td_nsys_i64(s, NVTX_TID), &span.process_id, &span.thread_id);
	span.args_id = args_of(n, s, style, &r);
	if (r >= 0)
		r = td_put_span(n->imp, &span);
	return r < 0 ? r : TD_LINE_ROW;
}

static int mark_row(struct td_nsys *n, sqlite3_stmt *s)
{
	struct td_mark mark = TD_MARK_INIT;
	int64_t dur_ns, value = payload(s);
	const char *issue = td_nsys_times(n, s, NVTX_START, NVTX_END, &mark.ts_ns, &dur_ns);
	int r = 0;

	if (issue)
		return td_nsys_reject(n, s, issue);
	mark.name_id = text_of(n, s);
	if (value != TD_NULL)
		mark.value = (double)value;
	td_nsys_who(n, td_nsys_i64(s, NVTX_TID), &mark.process_id, &mark.thread_id);
	mark.args_id = args_of(n, s, "Mark", &r);
	if (r >= 0)
		r = td_put_mark(n->imp, &mark);
	return r < 0 ? r : TD_LINE_ROW;
}

static int thread_name_row(struct td_nsys *n, sqlite3_stmt *s)
{
	uint32_t process, thread;

	td_nsys_who(n, td_nsys_i64(s, NVTX_TID), &process, &thread);
	if (!thread)
		return td_nsys_reject(n, s, "no-tid");
	td_store_thread_at(n->imp->store, thread)->name_id = text_of(n, s);
	return TD_LINE_ROW;
}

static int event_row(struct td_nsys *n, sqlite3_stmt *s)
{
	switch (td_nsys_i64(s, NVTX_TYPE)) {
	case NVTX_PUSH_POP:
	case NVTXT_PUSH_POP:
		return range_row(n, s, "PushPop");
	case NVTX_START_END:
	case NVTXT_START_END:
		return range_row(n, s, "StartEnd");
	case NVTX_MARK:
		return mark_row(n, s);
	case NVTX_THREAD:
		return thread_name_row(n, s);
	case NVTX_CATEGORY:
	case NVTX_DOMAIN_CREATE:
		return TD_LINE_ROW; /* read before the others */
	case NVTX_DOMAIN_DESTROY:
		return TD_LINE_SKIPPED;
	default:
		return td_nsys_reject(n, s, "unknown-nvtx-event");
	}
}

static const char *const event_columns[] = {
	"start",        "end",         "eventType",    "?text",       "?textId",      "?globalTid",
	"?domainId",    "?category",   "?uint64Value", "?int64Value", "?uint32Value", "?int32Value",
	"?doubleValue", "?floatValue", "?jsonText",    "?jsonTextId", NULL,
};

static const struct td_nsys_table events = {
	.name = "NVTX_EVENTS",
	.what = "NVTX ranges",
	.columns = event_columns,
	.row = event_row,
};

/* Names of domains and categories: rows may refer to what comes after them. The columns are at the places
 * that key_of() and text_of() expect. */
static int read_names(struct td_nsys *n)
{
	const char *table = td_nsys_table_name(n, "NVTX_EVENTS");
	bool has_category = table && td_nsys_has_column(n, table, "category");
	bool has_text_id = table && td_nsys_has_column(n, table, "textId");
	sqlite3_stmt *s;
	char sql[256];
	int r = 0;

	if (!table)
		return 0;
	(void)snprintf(sql, sizeof(sql),
		       "SELECT 0, 0, 0, eventType, text, %s, globalTid, domainId, %s"
		       " FROM \"%.60s\" WHERE eventType IN (33, 75)",
		       has_text_id ? "textId" : "NULL", has_category ? "category" : "NULL", table);
	s = td_nsys_prepare(n, sql);
	while (r >= 0 && s && sqlite3_step(s) == SQLITE_ROW) {
		bool category = td_nsys_i64(s, NVTX_TYPE) == NVTX_CATEGORY;
		struct name_key key = key_of(s, category);

		r = td_nsys_map_put(category ? &n->categories : &n->domains, &key, sizeof(key),
				    text_of(n, s));
	}
	sqlite3_finalize(s);
	return r;
}

int td_nsys_read_nvtx(struct td_nsys *n)
{
	int r = read_names(n);

	return r < 0 ? r : td_nsys_read(n, &events, NULL);
}
