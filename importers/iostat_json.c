/* SPDX-License-Identifier: MIT */
/*
 * iostat -o JSON, which prints one object per line:
 *
 *     {"sysstat": {
 *         "hosts": [ { "nodename": "box", ..., "date": "11/20/26", "statistics": [
 *                         (a blank line if -y was given)
 *             { "timestamp": "11/20/26 11:26:34",
 *               "avg-cpu":  {"user": 54.43, "nice": 0.00, ..., "idle": 39.22},
 *               "disk": [
 *                   {"disk_device": "vda", "r/s": 43.22, "w/s": 56.17, ..., "util": 0.77}
 *
 * or anything that is cut into lines at other places between these objects. What is made of them: as
 * in iostat.c. An iostat that was killed leaves the JSON open: all that is in it is read, and the source
 * is cut.
 */
#include "common/cleanup.h"
#include "importers/importers.h"
#include "importers/iostat.h"
#include "importers/json_text.h"

struct json {
	struct td_iostat io;
	bool began; /* the line before was the begin of the statistics */
	int64_t depth; /* of braces and brackets */
};

enum key { KEY_TIME, KEY_CPU, KEY_TABLE, KEY_DISK, KEY_HOST, KEY_STATISTICS, NKEYS };

static const char *const keys[NKEYS] = {
	[KEY_TIME] = "\"timestamp\"", [KEY_CPU] = "\"avg-cpu\"",
	[KEY_TABLE] = "\"disk\"",     [KEY_DISK] = "\"disk_device\"",
	[KEY_HOST] = "\"nodename\"",  [KEY_STATISTICS] = "\"statistics\"",
};

/* The next of the keys in the text, NKEYS if there is none. */
static enum key next_key(struct td_str s, const char **ret)
{
	enum key best = NKEYS;

	*ret = NULL;
	for (int i = 0; i < NKEYS; i++) {
		const char *at = td_str_find(s, keys[i]);

		if (at && (!*ret || at < *ret)) {
			*ret = at;
			best = (enum key)i;
		}
	}
	return best;
}

static int put_disk(struct td_import *imp, struct json *j, struct td_str object)
{
	struct td_scan s = td_scan_of(object.p, object.len);
	struct td_str key, value, device;
	int r = 0;

	if (!td_json_string(td_json_get(object, "disk_device"), &device))
		return td_reject(imp, "spoilt-line");
	while (r >= 0 && td_json_next(&s, &key, &value)) {
		double n;

		if (td_json_number(value, &n))
			r = td_iostat_disk(imp, &j->io, device, key, n, 0);
	}
	return r < 0 ? r : TD_LINE_ROW;
}

static int put_cpu(struct td_import *imp, struct json *j, struct td_str object)
{
	struct td_scan s = td_scan_of(object.p, object.len);
	struct td_str key, value;
	int r = 0;

	if (!td_json_is_object(object))
		return td_reject(imp, "spoilt-line");
	td_iostat_table(imp, &j->io, 0);
	while (r >= 0 && td_json_next(&s, &key, &value)) {
		int column = td_mpstat_column(key);
		double n;

		if (column >= 0 && td_json_number(value, &n))
			r = td_iostat_cpu(imp, &j->io, (enum td_mpstat_column)column, n);
	}
	return r < 0 ? r : TD_LINE_ROW;
}

/* The value of the key that the scan stands at. */
static bool scan_member(struct td_scan *s, const char *key, struct td_str *ret)
{
	(void)td_scan_literal(s, key);
	td_scan_blanks(s);
	if (!td_scan_char(s, ':'))
		return false;
	td_scan_blanks(s);
	return td_json_value(s, ret);
}

static int text_member(struct td_import *imp, struct json *j, enum key key, struct td_str value)
{
	char host[256];

	if (!td_json_string(value, &value))
		return td_reject(imp, "spoilt-line");
	if (key == KEY_TIME)
		return td_iostat_time(imp, &j->io, value) ? TD_LINE_SKIPPED
							  : td_reject(imp, "spoilt-line");
	(void)snprintf(host, sizeof(host), "%.*s", (int)TD_MIN(value.len, (size_t)255), value.p);
	td_import_set_tool(imp, "iostat", NULL, host);
	td_iostat_banner(&j->io);
	return TD_LINE_SKIPPED;
}

/* The member that the key at 'at' begins; the scan stands behind it then. A verdict. */
static int member(struct td_import *imp, struct json *j, struct td_scan *s, enum key key,
		  const char *at)
{
	struct td_str value;

	if (key == KEY_STATISTICS || key == KEY_TABLE) {
		s->p = at + strlen(keys[key]);
		j->began = key == KEY_STATISTICS;
		if (key == KEY_TABLE)
			td_iostat_table(imp, &j->io, 1);
		return TD_LINE_SKIPPED;
	}
	if (key == KEY_DISK) {
		const char *open = memrchr(s->p, '{', (size_t)(at - s->p));

		s->p = open ? open : at;
		if (!open || !td_json_value(s, &value)) {
			s->p = s->end;
			return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
		}
		return put_disk(imp, j, value);
	}
	s->p = at;
	if (!scan_member(s, keys[key], &value)) {
		s->p = s->end;
		return td_reject(imp, imp->line_unterminated ? "cut-line" : "spoilt-line");
	}
	return key == KEY_CPU ? put_cpu(imp, j, value) : text_member(imp, j, key, value);
}

static void count_depth(struct json *j, const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		j->depth += (line[i] == '{' || line[i] == '[') - (line[i] == '}' || line[i] == ']');
}

static int iostat_json_line(struct td_import *imp, char *line, size_t len)
{
	struct json *j = imp->state;
	struct td_scan s = td_scan_of(line, len);
	int verdict = TD_LINE_SKIPPED;
	enum key key;
	const char *at;

	td_scan_blanks(&s);
	if (td_scan_done(&s) && j->began)
		j->io.omits_first = true;
	j->began = false;
	count_depth(j, line, len);
	while (verdict != TD_LINE_ISSUE && (key = next_key(td_scan_rest(&s), &at)) != NKEYS) {
		int r = member(imp, j, &s, key, at);

		if (r < 0)
			return r;
		verdict = TD_MAX(verdict, r);
	}
	return verdict;
}

static int iostat_json_begin(struct td_import *imp, struct td_err *err)
{
	struct json *j = imp->state;

	(void)err;
	td_iostat_init(&j->io);
	return 0;
}

static int iostat_json_end(struct td_import *imp)
{
	struct json *j = imp->state;

	if (j->depth > 0) { /* iostat closes it when interrupted, but not when killed */
		td_note(imp, "unclosed", "the JSON ends before its time");
		td_store_source_at(imp->store, imp->source_id)->state = TD_STATE_CUT;
	}
	td_iostat_done(&j->io);
	return 0;
}

static int iostat_json_sniff(const char *head, size_t len)
{
	struct td_str s = { head, len };

	if (!td_json_begins(head, len, "sysstat") || !td_str_find(s, "\"statistics\""))
		return 0;
	return td_str_find(s, "\"disk_device\"") || td_str_find(s, "\"avg-cpu\"") ? 88 : 0;
}

const struct td_importer td_importer_iostat_json = {
	.name = "iostat-json",
	.desc = "iostat -o JSON: rates and utilisation per disk",
	.clock = TD_CLOCK_LOCAL,
	.state_size = sizeof(struct json),
	.sniff = iostat_json_sniff,
	.begin = iostat_json_begin,
	.line = iostat_json_line,
	.end = iostat_json_end,
};
