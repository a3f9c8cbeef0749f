/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/stat.h>

#include "analyzer/partial/file.h"
#include "common/json/lex.h"
#include "common/json/write.h"
#include "common/unpack.h"
#include "common/zstd_file.h"
#include "schema/stat_math.h"

#define BEGIN "{\"tracedb_partial\":"
#define SIZE_MAX_BYTES ((size_t)4 << 30) /* unpacked; more is damage, or a case for --top */

/* --- writing --- */

static void add_cell(struct td_strbuf *b, int64_t v)
{
	char digits[24], *end = digits + sizeof(digits), *p = end;
	uint64_t n = v < 0 ? -(uint64_t)v : (uint64_t)v;

	td_strbuf_addc(b, ',');
	if (v == TD_NULL) {
		td_strbuf_adds(b, "null");
		return;
	}
	do {
		*--p = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	if (v < 0)
		*--p = '-';
	td_strbuf_add(b, p, (size_t)(end - p));
}

static void add_histogram(struct td_strbuf *b, const struct td_histogram *h)
{
	uint32_t before = 0;

	td_strbuf_adds(b, ",[");
	for (size_t i = 0; i < h->n; i++) {
		if (!h->items[i].count)
			continue;
		td_strbuf_addf(b, "%s%u,%llu", i ? "," : "", h->items[i].number - before,
			       (unsigned long long)h->items[i].count);
		before = h->items[i].number;
	}
	td_strbuf_addc(b, ']');
}

static void add_row(struct td_strbuf *b, const struct td_partial *p, enum td_partial_table table,
		    size_t i)
{
	int64_t cells[TD_PARTIAL_COLUMNS_MAX];

	td_partial_row(p, table, i, cells);
	td_strbuf_addf(b, "[%d", (int)table);
	for (size_t c = 0; c < td_partial_tables[table].ncolumns; c++)
		add_cell(b, cells[c]);
	td_strbuf_adds(b, "]\n");
}

static void add_group(struct td_strbuf *b, const struct td_partial *p, size_t question, size_t i)
{
	const struct td_partial_groups *g = &p->groups[question];
	struct td_str bytes = td_intern_get(&g->keys, (uint32_t)i + 1);
	int64_t key[TD_NDIMS];

	memcpy(key, bytes.p, bytes.len);
	td_strbuf_addf(b, "[%zu", TD_PARTIAL_NTABLES + question);
	for (size_t c = 0; c < bytes.len / sizeof(*key); c++)
		add_cell(b, key[c]);
	for (size_t c = 0; c < g->sums.nplaces; c++)
		add_cell(b, g->sums.rows[i * g->sums.nplaces + c]);
	if (g->durations)
		add_histogram(b, &g->durations[i]);
	if (g->sizes)
		add_histogram(b, &g->sizes[i]);
	td_strbuf_adds(b, "]\n");
}

static int write_packed(const struct td_strbuf *b, FILE *out)
{
	FILE *packed;
	int r = td_zstd_onto(out, &packed);
	bool whole;

	if (r < 0)
		return r;
	errno = 0;
	whole = fwrite(b->p, 1, b->len, packed) == b->len;
	if (fclose(packed) != 0 || !whole)
		return errno ? -errno : -EIO;
	return 0;
}

int td_partial_write(const struct td_partial *p, FILE *out)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	size_t nrows = 0;

	td_strbuf_addf(&b, "%s\n", p->head.text);
	for (uint32_t id = 1; id <= p->texts.n; id++) {
		td_json_add_string(&b, td_intern_get(&p->texts, id));
		td_strbuf_addc(&b, '\n');
	}
	for (size_t t = 0; t < TD_PARTIAL_NTABLES; t++)
		for (size_t i = 0; i < td_partial_nrows(p, (enum td_partial_table)t); i++, nrows++)
			add_row(&b, p, (enum td_partial_table)t, i);
	for (size_t q = 0; q < p->head.nquestions; q++)
		for (size_t i = 0; i < p->groups[q].keys.n; i++, nrows++)
			add_group(&b, p, q, i);
	td_strbuf_addf(&b, "{\"rows\":%zu}\n", nrows);
	return td_strbuf_error(&b) < 0 ? -ENOMEM : write_packed(&b, out);
}

/* --- reading --- */

struct reading {
	struct td_partial *p;
	uint32_t *texts; /* owned; by number in the file, from 1, the id in p */
	size_t ntexts, cap;
	size_t nrows;
	bool ended;
};

static void reading_done(struct reading *r)
{
	td_partial_free(r->p);
	free(r->texts);
}

static int read_text(struct reading *in, struct td_str line)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_str text;

	if (line.len < 2 || td_json_string_end(line.p + 1, line.p + line.len) != line.p + line.len)
		return -EBADMSG;
	text = td_json_decode((struct td_str){ line.p + 1, line.len - 2 }, &b);
	if (in->ntexts + 1 >= in->cap) {
		size_t cap = TD_MAX(in->cap * 2, (size_t)1024);
		uint32_t *grown = realloc(in->texts, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		in->texts = grown;
		in->cap = cap;
	}
	in->texts[++in->ntexts] = td_partial_text(in->p, text.p, text.len);
	return td_strbuf_error(&b) < 0 || !in->texts[in->ntexts] ? -ENOMEM : 0;
}

static bool read_cell(struct td_scan *s, int64_t *ret)
{
	if (!td_scan_char(s, ','))
		return false;
	if (td_scan_literal(s, "null"))
		*ret = TD_NULL;
	else if (!td_scan_i64(s, ret))
		return false;
	return true;
}

static bool read_text_cell(const struct reading *in, struct td_scan *s, int64_t *ret)
{
	if (!read_cell(s, ret))
		return false;
	if (*ret == TD_NULL)
		return true;
	if (*ret < 1 || (uint64_t)*ret > in->ntexts)
		return false;
	*ret = in->texts[*ret];
	return true;
}

static int read_row(struct reading *in, struct td_scan *s, enum td_partial_table table)
{
	const struct td_partial_table_info *info = &td_partial_tables[table];
	int64_t cells[TD_PARTIAL_COLUMNS_MAX];

	for (size_t c = 0; c < info->ncolumns; c++) {
		enum td_partial_cell cell = info->columns[c].cell;
		if (!(td_partial_is_text(cell) ? read_text_cell(in, s, &cells[c])
					       : read_cell(s, &cells[c])) ||
		    (c < info->nkeys && cells[c] == TD_NULL))
			return -EBADMSG;
	}
	return td_scan_char(s, ']') && td_scan_done(s) ? td_partial_add(in->p, table, cells)
						       : -EBADMSG;
}

/* Buckets ascend, as they are added to what there is. limit: of their numbers. */
static int read_histogram(struct td_scan *s, uint32_t limit, struct td_histogram *to)
{
	struct td_bucket items[TD_HISTOGRAM_BUCKETS];
	struct td_histogram h = { items, 0 };
	uint64_t number = 0, step, count;

	if (!td_scan_literal(s, ",["))
		return -EBADMSG;
	while (!td_scan_char(s, ']')) {
		if ((h.n && !td_scan_char(s, ',')) || !td_scan_u64(s, &step) ||
		    !td_scan_char(s, ',') || !td_scan_u64(s, &count))
			return -EBADMSG;
		if ((h.n && !step) || step >= limit || number + step >= limit || !count)
			return -EBADMSG;
		number += step;
		items[h.n++] = (struct td_bucket){ (uint32_t)number, count };
	}
	return h.n ? td_histogram_merge(to, &h) : 0;
}

static int read_key(const struct reading *in, struct td_scan *s, size_t question, int64_t *ret)
{
	uint8_t dims[TD_NDIMS];
	unsigned n = td_partial_question_columns(&in->p->head.questions[question], dims);

	for (unsigned d = 0; d < n; d++)
		if (!(td_partial_dim_is_text(dims[d]) ? read_text_cell(in, s, &ret[d])
						      : read_cell(s, &ret[d])))
			return -EBADMSG;
	return 0;
}

static int read_group(struct reading *in, struct td_scan *s, size_t question)
{
	struct td_partial_groups *g = &in->p->groups[question];
	struct td_group_sums sums = g->sums;
	int64_t key[TD_NDIMS], row[TD_NSUMS];
	size_t at = 0;
	int r = read_key(in, s, question, key);

	for (size_t c = 0; c < sums.nplaces && r == 0; c++)
		r = read_cell(s, &row[c]) ? 0 : -EBADMSG;
	if (r == 0)
		r = td_partial_group(in->p, question, key, &at);
	if (r < 0)
		return r;
	sums.rows = row;
	sums.n = 1;
	td_group_sums_merge(&g->sums, &sums, &(const uint32_t){ (uint32_t)at });
	if (g->durations)
		r = read_histogram(s, TD_HISTOGRAM_BUCKETS, &g->durations[at]);
	if (g->sizes && r == 0)
		r = read_histogram(s, TD_SIZE_BUCKETS, &g->sizes[at]);
	return r < 0 ? r : td_scan_char(s, ']') && td_scan_done(s) ? 0 : -EBADMSG;
}

static int read_line(struct reading *in, struct td_str line)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	uint64_t n;

	if (in->ended)
		return -EBADMSG;
	if (line.len && line.p[0] == '"')
		return in->nrows ? -EBADMSG : read_text(in, line);
	if (td_scan_literal(&s, "{\"rows\":")) {
		in->ended = true;
		return td_scan_u64(&s, &n) && td_scan_char(&s, '}') && td_scan_done(&s) &&
				       n == in->nrows
			       ? 0
			       : -EBADMSG;
	}
	in->nrows++;
	if (!td_scan_char(&s, '[') || !td_scan_u64(&s, &n))
		return -EBADMSG;
	if (n < TD_PARTIAL_NTABLES)
		return read_row(in, &s, (enum td_partial_table)n);
	n -= TD_PARTIAL_NTABLES;
	return n < in->p->head.nquestions ? read_group(in, &s, n) : -EBADMSG;
}

int td_partial_parse(const char *text, size_t len, struct td_partial **ret, struct td_err *err)
{
	_cleanup_(reading_done) struct reading in = { 0 };
	_cleanup_(td_partial_head_done) struct td_partial_head head = { 0 };
	struct td_scan s = td_scan_of(text, len);
	struct td_str line;
	size_t number = 1;
	int r;

	if (!td_scan_line(&s, true, &line) || !td_str_starts(line, BEGIN))
		return td_err_set(err, -EBADMSG,
				  "it is no partial; 'tracedb report --partial' writes them");
	r = td_partial_head_parse(line.p, line.len, &head, err);
	if (r == 0)
		r = td_partial_new(&head, &in.p);
	while (r == 0 && td_scan_line(&s, true, &line)) {
		number++;
		r = read_line(&in, line);
	}
	if (r == 0 && !in.ended)
		return td_err_set(err, -EBADMSG, "it is damaged: its end is missing");
	if (r == -EBADMSG)
		return td_err_set(err, r, "it is damaged in line %zu", number);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(in.p);
	return 0;
}

static int open_packed(const char *path, struct td_unpack **ret, struct td_err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int r;

	if (fd < 0)
		return td_err_errno(err, -errno, "it cannot be opened");
	if (fstat(fd, &st) < 0)
		return td_err_errno(err, -errno, "it cannot be read");
	if (!S_ISREG(st.st_mode))
		return td_err_set(err, -EMEDIUMTYPE, "it is not a regular file");
	r = td_unpack_new_fd(&fd, st.st_size, ret);
	return r < 0 ? td_err_errno(err, r, "it cannot be read") : 0;
}

static int read_whole(struct td_unpack *u, struct td_strbuf *to, struct td_err *err)
{
	_cleanup_free_ char *buffer = malloc(1 << 16);
	ssize_t n;

	if (!buffer)
		return -ENOMEM;
	while ((n = td_unpack_read(u, buffer, 1 << 16)) > 0) {
		td_strbuf_add(to, buffer, (size_t)n);
		if (to->len > SIZE_MAX_BYTES)
			return td_err_set(err, -EFBIG, "it is larger than %zu MiB",
					  SIZE_MAX_BYTES >> 20);
	}
	if (n < 0)
		return td_err_errno(err, (int)n, "it cannot be read");
	if (td_unpack_damage(u))
		return td_err_set(err, -EBADMSG, "it is damaged: %s", td_unpack_damage(u));
	return td_strbuf_error(to);
}

int td_partial_read(const char *path, struct td_partial **ret, struct td_err *err)
{
	_cleanup_(td_unpack_freep) struct td_unpack *u = NULL;
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	int r = open_packed(path, &u, err);

	if (r == 0)
		r = read_whole(u, &text, err);
	return r < 0 ? r : td_partial_parse(td_strbuf_str(&text), text.len, ret, err);
}

bool td_partial_is(const char *path)
{
	_cleanup_(td_unpack_freep) struct td_unpack *u = NULL;
	char begin[sizeof(BEGIN) - 1];

	return open_packed(path, &u, NULL) == 0 &&
	       td_unpack_read(u, begin, sizeof(begin)) == (ssize_t)sizeof(begin) &&
	       memcmp(begin, BEGIN, sizeof(begin)) == 0;
}
