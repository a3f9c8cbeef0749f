/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "collector/tee/lines.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/strbuf.h"

#define LINE_MAX_BYTES ((size_t)64 * 1024) /* of a longer line the rest is not looked at */
#define FILE_MAX_BYTES ((uint64_t)16 * 1024 * 1024) /* that one stream writes */
#define MLPERF_TAG ":::ML"

struct td_tee_lines {
	int fd; /* -1: nothing is written any more */
	struct td_tee_patterns patterns;
	struct td_line_match *last; /* by pattern; name "": none */
	int64_t begin_ns; /* when the line's first byte came */
	size_t len;
	uint64_t written_bytes;
	struct td_strbuf row;
	char line[LINE_MAX_BYTES];
};

struct td_tee_lines *td_tee_lines_new(int fd, const struct td_tee_patterns *patterns)
{
	struct td_tee_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->fd = fd;
	l->patterns = *patterns;
	l->last = calloc(patterns->n + 1, sizeof(*l->last));
	if (l->last)
		return l;
	free(l);
	return NULL;
}

void td_tee_lines_free(struct td_tee_lines *l)
{
	td_strbuf_done(&l->row);
	free(l->last);
	free(l);
}

void td_tee_lines_stop(struct td_tee_lines *l)
{
	l->fd = -1;
}

/* --- what is written --- */

static void begin_row(struct td_tee_lines *l, int64_t ts_ns, const char *kind)
{
	td_strbuf_reset(&l->row);
	td_strbuf_addf(&l->row, "%" PRId64 ".%06" PRId64 "\t%s", ts_ns / TD_SEC_NS,
		       ts_ns % TD_SEC_NS / 1000, kind);
}

/* At once, so that the lines of two streams do not mix. */
static void write_row(struct td_tee_lines *l)
{
	struct td_strbuf *row = &l->row;

	td_strbuf_addc(row, '\n');
	l->written_bytes += row->len;
	if (td_strbuf_error(row) < 0 || l->written_bytes > FILE_MAX_BYTES ||
	    write(l->fd, row->p, row->len) != (ssize_t)row->len)
		td_tee_lines_stop(l);
}

static void put_event(struct td_tee_lines *l)
{
	begin_row(l, l->begin_ns, "line\t");
	for (char *nul = l->line; (nul = memchr(nul, '\0', l->len - (size_t)(nul - l->line)));)
		*nul = ' ';
	td_strbuf_add(&l->row, l->line, l->len);
	write_row(l);
}

static void put_phase(struct td_tee_lines *l, const struct td_line_match *m, const char *line)
{
	begin_row(l, l->begin_ns, "phase\t");
	if (m->has_number)
		td_strbuf_addf(&l->row, "%" PRId64, m->number);
	else
		td_strbuf_addc(&l->row, '-');
	td_strbuf_addf(&l->row, "\t%s\t%zu\t%s", m->name, m->start, line);
	write_row(l);
}

/* --- lines --- */

static bool is_same(const struct td_line_match *a, const struct td_line_match *b)
{
	return a->has_number && b->has_number && a->number == b->number && a->start == b->start &&
	       strcmp(a->name, b->name) == 0;
}

static void find_phases(struct td_tee_lines *l)
{
	char line[TD_LINE_PATTERN_MAX + 1];
	struct td_line_match m;

	(void)td_line_clean(l->line, l->len, line);
	for (size_t i = 0; i < l->patterns.n && l->fd >= 0; i++) {
		if (!td_line_pattern_match(l->patterns.items[i], line, &m) ||
		    is_same(&m, &l->last[i]))
			continue;
		l->last[i] = m;
		put_phase(l, &m, line);
	}
}

static void end_line(struct td_tee_lines *l)
{
	if (l->len && l->fd >= 0) {
		if (memmem(l->line, l->len, MLPERF_TAG, strlen(MLPERF_TAG)))
			put_event(l);
		else
			find_phases(l);
	}
	l->len = 0;
}

/* Up to the next end of a line. */
static size_t line_part(const char *p, size_t size)
{
	const char *newline = memchr(p, '\n', size);
	size_t len = newline ? (size_t)(newline - p) : size;
	const char *back = memchr(p, '\r', len);

	return back ? (size_t)(back - p) : len;
}

void td_tee_lines_feed(struct td_tee_lines *l, const char *bytes, size_t size, int64_t ts_ns)
{
	const char *p = bytes, *end = bytes + size;

	while (p < end && l->fd >= 0) {
		size_t len = line_part(p, (size_t)(end - p));
		size_t kept = TD_MIN(len, sizeof(l->line) - l->len);

		if (l->len == 0)
			l->begin_ns = ts_ns;
		memcpy(l->line + l->len, p, kept);
		l->len += kept;
		p += len;
		if (p == end)
			break;
		end_line(l);
		p++;
	}
}

void td_tee_lines_end(struct td_tee_lines *l, int64_t ts_ns)
{
	end_line(l);
	if (l->fd < 0)
		return;
	begin_row(l, ts_ns, "end");
	write_row(l);
}
