/* SPDX-License-Identifier: MIT */
/*
 * Rows of bpftrace text are matched twice: quickly where no text is longer than its column
 * (importers/bpftrace/exact.c), and in any case (importers/bpftrace/match.c). What the quick one finds, the other finds
 * as well, with the same values and end; and the quick one finds what it is there for.
 *
 *     matchers             layouts and rows of many seeds
 *     matchers SEED        those of one, which a failure names
 */
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "importers/bpftrace/layout.h"
#include "tests/unit/check.h"

#define SEEDS 4000
#define ROWS 60 /* of each seed's layout */
#define COLUMNS_MAX 9
#define CONSTANTS_MAX 3
/* Behind a column the quick one looks at so many bytes at a time. */
#define AHEAD 24

static uint64_t random_state;

static unsigned pick(unsigned n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(random_state >> 33) % n;
}

static bool one_in(unsigned n)
{
	return pick(n) == 0;
}

/* What came of all seeds. */
static struct {
	unsigned rows, quick, beside, hex, parted, damaged, whole_only, neither;
} seen;

/* --- layouts --- */

enum kind { NUMBER, HEX, TEXT, CONSTANT, TIME, REST };

struct column {
	enum kind kind;
	const char *word; /* its meaning */
	unsigned width;
	bool right; /* padded on the left */
	const char *literal; /* behind it */
	const char *constants[2]; /* what each of the two rows has */
	int64_t scale;
	bool small; /* an id */
};

struct columns {
	struct column items[COLUMNS_MAX];
	size_t n;
};

struct made {
	struct columns columns[2]; /* of each row */
	bool open; /* without a newline at its end */
	unsigned nrows;
	bool part; /* they differ in more than constants */
	char formats[2][256], args[2][256];
	struct td_layout_row rows[3];
};

static const char *pick_literal(void)
{
	static const char *const literals[] = { " ", " ", " ", "  ", " ", "", ", ", " (", "x" };

	return literals[pick(TD_ARRAY_SIZE(literals))];
}

static void make_number(struct column *c)
{
	static const struct {
		const char *word;
		int64_t scale;
		bool small;
	} words[] = {
		{ "pid", 1, true },     { "tid", 1, true },  { "fd", 1, true },
		{ "lat", 1, false },    { "ret", 1, false }, { "lat*1000", 1000, false },
		{ "asked", 1, false },  { "-", 1, false },   { "offset", 1, false },
		{ "bytes", 1, false },  { "=x", 1, false },  { "sector", 1, false },
		{ "donepid", 1, true },
	};
	size_t i = pick(TD_ARRAY_SIZE(words));

	c->kind = one_in(12) ? HEX : NUMBER;
	c->word = words[i].word;
	c->scale = words[i].scale;
	c->small = words[i].small;
}

static void make_text(struct column *c)
{
	static const char *const words[] = { "comm", "func", "disk",     "name",
					     "path", "rw",   "donecomm", "-" };

	c->kind = TEXT;
	c->word = words[pick(TD_ARRAY_SIZE(words))];
}

static void make_constant(struct column *c)
{
	static const char *const pairs[][2] = { { "R", "W" },
						{ "read()", "write()" },
						{ "a", "ab" },
						{ "vfs_read", "vfs_write" },
						{ "fifteen_letters", "fifteen_letter5" } };
	size_t i = pick(TD_ARRAY_SIZE(pairs));
	bool same = one_in(3);

	c->kind = CONSTANT;
	c->constants[0] = pairs[i][0];
	c->constants[1] = pairs[i][same ? 0 : 1];
}

static void make_column(struct column *c)
{
	static const unsigned widths[] = { 0, 1, 4, 6, 7, 8, 10, 12, 14, 16, 17, 20, 25 };
	unsigned kind = pick(20);

	*c = (struct column){ .literal = pick_literal(),
			      .width = widths[pick(TD_ARRAY_SIZE(widths))],
			      .right = one_in(12),
			      .scale = 1 };
	if (kind < 10)
		make_number(c);
	else if (kind < 14)
		make_text(c);
	else if (kind < 18)
		make_constant(c);
	else
		c->kind = TIME;
}

static unsigned count_kind(const struct columns *row, enum kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < row->n; i++)
		n += row->items[i].kind == kind;
	return n;
}

/* The format string and the words of a row, as scripts have them. */
static void describe(struct made *m, unsigned row)
{
	_cleanup_(td_strbuf_done) struct td_strbuf f = TD_STRBUF_INIT, a = TD_STRBUF_INIT;

	for (size_t i = 0; i < m->columns[row].n; i++) {
		const struct column *c = &m->columns[row].items[i];

		if (c->kind == TIME)
			td_strbuf_adds(&f, "%H:%M:%S");
		else if (c->width)
			td_strbuf_addf(&f, "%%%s%u%s", c->right ? "" : "-", c->width,
				       c->kind == NUMBER ? "ld"
				       : c->kind == HEX  ? "lx"
							 : "s");
		else
			td_strbuf_adds(&f, c->kind == NUMBER ? "%ld"
					   : c->kind == HEX  ? "%lx"
							     : "%s");
		td_strbuf_adds(&f, c->literal);
		if (c->kind == CONSTANT)
			td_strbuf_addf(&a, "'%s' ", c->constants[row]);
		else if (c->kind != TIME)
			td_strbuf_addf(&a, "%s ", c->word);
	}
	td_strbuf_adds(&f, m->open ? "" : "\n");
	(void)snprintf(m->formats[row], sizeof(m->formats[row]), "%s", td_strbuf_str(&f));
	(void)snprintf(m->args[row], sizeof(m->args[row]), "%s", td_strbuf_str(&a));
	m->rows[row] = (struct td_layout_row){ .format = m->formats[row],
					       .args = m->args[row],
					       .op = "op" };
}

static bool tells_apart(const struct columns *row)
{
	for (size_t i = 0; i < row->n; i++)
		if (row->items[i].kind == CONSTANT &&
		    row->items[i].constants[0] != row->items[i].constants[1])
			return true;
	return false;
}

/* More columns, behind those that there are. */
static void make_columns(struct columns *row)
{
	while (row->n < COLUMNS_MAX - 1 && (row->n < 3 || !one_in(6))) {
		make_column(&row->items[row->n++]);
		if (count_kind(row, CONSTANT) > CONSTANTS_MAX)
			row->n--;
	}
	if (!one_in(3)) {
		row->items[row->n - 1].literal = " ";
		row->items[row->n++] = (struct column){ REST, "name", 0, false, "", .scale = 1 };
	}
}

/* The second row begins as the first one does, up to a column before its constant. */
static void part_rows(struct made *m)
{
	struct columns *row = &m->columns[1];

	row->n = 1 + pick((unsigned)TD_MIN(row->n - 1, COLUMNS_MAX - 3));
	if (one_in(3))
		make_column(&row->items[row->n++]);
	else if (row->items[row->n].kind == NUMBER && !row->items[row->n].small)
		row->items[row->n++].word = pick(2) ? "ret" : "sector";
	make_constant(&row->items[row->n]);
	row->items[row->n].constants[1] = "vfs_other";
	row->items[row->n].width = 12;
	row->items[row->n++].literal = " ";
	make_columns(row);
	m->part = true;
}

static void make_layout(struct made *m)
{
	*m = (struct made){ .open = one_in(8), .nrows = 1 };
	m->columns[0].items[0] = (struct column){ NUMBER, "ts", 17, false, " ", .scale = 1 };
	m->columns[0].n = 1;
	make_columns(&m->columns[0]);
	m->columns[1] = m->columns[0];
	if (tells_apart(&m->columns[0]) && !one_in(4))
		m->nrows = 2;
	if (m->nrows == 2 && one_in(2))
		part_rows(m);
	for (unsigned row = 0; row < m->nrows; row++)
		describe(m, row);
}

/* --- rows --- */

/* What was printed, for a text whose columns all were wide enough. */
struct printed {
	struct td_strbuf text;
	bool fits;
	size_t columns_end; /* of what the quick one goes through */
};

static void printed_done(struct printed *p)
{
	td_strbuf_done(&p->text);
}

static void add_padded(struct printed *p, const struct column *c, const char *value)
{
	size_t n = strlen(value), pad = n < c->width ? c->width - n : 0;

	/* the quick one reads up to sixteen digits */
	p->fits &= c->kind == NUMBER ? n <= 16 : n <= c->width || c->kind == TIME || c->kind == HEX;
	for (size_t i = 0; c->right && i < pad; i++)
		td_strbuf_addc(&p->text, ' ');
	td_strbuf_adds(&p->text, value);
	for (size_t i = 0; !c->right && i < pad; i++)
		td_strbuf_addc(&p->text, ' ');
	td_strbuf_adds(&p->text, c->literal);
}

/* Of any number of digits. */
static void add_number(struct printed *p, const struct column *c)
{
	uint64_t v = (uint64_t)pick(1u << 31) << 31 | pick(1u << 31), limit = 10;
	char text[32];

	for (unsigned digits = pick(c->small && !one_in(9) ? 9 : 17); digits; digits--)
		limit *= 10;
	v %= limit;
	if (c->kind == HEX)
		(void)snprintf(text, sizeof(text), "%" PRIx64, v);
	else
		(void)snprintf(text, sizeof(text), "%s%" PRIu64, one_in(8) ? "-" : "", v);
	add_padded(p, c, text);
}

static void add_ts(struct printed *p, const struct column *c, int64_t ts)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRId64, ts);
	add_padded(p, c, text);
}

/* Mostly no longer than the column; few have blanks. */
static void add_text(struct printed *p, const struct column *c)
{
	static const char letters[] = "abcxyz_/.:-()019 ";
	unsigned max = c->width + (one_in(6) ? 4 : 0), n = max ? pick(max + 1) : pick(12);
	char text[64];

	if (strcmp(c->word, "rw") == 0)
		n = TD_MIN(n, 1u);
	for (unsigned i = 0; i < n; i++)
		text[i] = letters[pick(TD_ARRAY_SIZE(letters) - (one_in(8) ? 1 : 2))];
	text[n] = '\0';
	if (n && strcmp(c->word, "rw") == 0)
		text[0] = "RW1x"[pick(4)];
	add_padded(p, c, text);
}

static void add_rest(struct printed *p)
{
	p->columns_end = p->text.len;

	for (unsigned i = one_in(3) ? pick(AHEAD) : AHEAD + pick(40); i; i--)
		td_strbuf_addc(&p->text, "abcdefgh./_-123 "[pick(16)]);
}

/* mixed: constants are of any row, so that it is none. */
static void print_row(const struct made *m, unsigned row, bool mixed, int64_t ts, struct printed *p)
{
	char tod[16];

	for (size_t i = 0; i < m->columns[row].n; i++) {
		const struct column *c = &m->columns[row].items[i];

		if (i == 0)
			add_ts(p, c, ts);
		else if (c->kind == NUMBER || c->kind == HEX)
			add_number(p, c);
		else if (c->kind == TEXT)
			add_text(p, c);
		else if (c->kind == CONSTANT)
			add_padded(p, c, c->constants[mixed ? pick(m->nrows) : row]);
		else if (c->kind == REST)
			add_rest(p);
		if (c->kind != TIME)
			continue;
		(void)snprintf(tod, sizeof(tod), "%02u:%02u:%02u", pick(one_in(9) ? 26 : 24),
			       pick(one_in(9) ? 62 : 60), pick(one_in(9) ? 63 : 61));
		add_padded(p, c, tod);
	}
}

/* A byte more, less or another; or an end before its time. */
static void damage(struct td_strbuf *text)
{
	static const char bytes[] = " 0959-:aRW(,x\xc3";
	size_t at = pick((unsigned)text->len);

	switch (pick(4)) {
	case 0:
		text->p[at] = bytes[pick(sizeof(bytes) - 1)];
		break;
	case 1:
		memmove(text->p + at, text->p + at + 1, text->len - at - 1);
		text->len--;
		break;
	case 2:
		td_strbuf_addc(text, ' ');
		memmove(text->p + at + 1, text->p + at, text->len - 1 - at);
		text->p[at] = bytes[pick(sizeof(bytes) - 1)];
		break;
	default:
		text->len = at;
	}
}

/* --- the two --- */

static bool same_text(struct td_str a, struct td_str b)
{
	return a.len == b.len && (!a.len || a.p == b.p);
}

/* Of the fields that the pattern has; numbers, texts, and arguments by any name. */
static bool same_values(const struct td_pattern *pt, const struct td_layout_values *a,
			const struct td_layout_values *b)
{
	for (size_t i = 0; i < pt->nops; i++) {
		const struct td_pattern_op *op = &pt->ops[i];

		if (op->kind == TD_OP_CONSTANT || op->field == TD_FIELD_IGNORED)
			continue;
		if (op->field == TD_FIELD_EXTRA
			    ? !same_text(a->extra[op->extra], b->extra[op->extra])
		    : op->kind == TD_OP_TEXT || op->kind == TD_OP_REST
			    ? !same_text(a->text[op->field], b->text[op->field])
			    : a->num[op->field] != b->num[op->field])
			return false;
	}
	return true;
}

/* Does it have a number beside the time stamp that could be another one? */
static bool has_wide(const struct td_pattern *pt, const struct td_layout_values *v)
{
	for (size_t i = 0; i < pt->nops; i++) {
		const struct td_pattern_op *op = &pt->ops[i];

		if (op->kind == TD_OP_NUMBER && op->field != TD_FIELD_TS &&
		    op->field != TD_FIELD_EXTRA && op->field != TD_FIELD_IGNORED &&
		    v->num[op->field] > 9999999)
			return true;
	}
	return false;
}

/* Does the quick one go through a hexadecimal number? */
static bool has_hex(const struct td_pattern *pt)
{
	bool hex = false;

	for (size_t i = 0; i < pt->nexact; i++)
		hex |= pt->ops[i].hex;
	return hex;
}

/* What the quick one finds in the text the other one finds. Returns which pattern it is, or NULL. */
static const struct td_pattern *check_found(const struct td_pattern *pt, const char *p,
					    const char *end, bool sure)
{
	static struct td_layout_values quick; /* as the row before left it */
	struct td_layout_values whole = { 0 };
	const char *quick_end = NULL;
	const struct td_pattern *found =
		td_pattern_match_exact(pt, p, end, sure, &quick, &quick_end);

	if (!found)
		return NULL;
	TD_CHECK(td_pattern_match(found, p, end, sure, &whole) == quick_end);
	TD_CHECK(same_values(found, &quick, &whole));
	TD_CHECK(quick.wide || !has_wide(found, &quick));
	return found;
}

/* A row that the quick one is there for: what stands before the last column is of its kind and not longer than its
 * columns, and behind it are as many bytes as it may look at. */
static bool is_for_quick(const struct td_pattern *pt, const struct printed *p)
{
	return pt->rest && p->fits && p->text.len - p->columns_end >= AHEAD;
}

/* printed: by that pattern; the quick one begins with any that is beside it. part: it can be both, then. */
static void check_row(const struct td_pattern *pt, const struct td_pattern *printed_by, bool part,
		      const struct printed *p, bool damaged)
{
	/* of its exact size, so that reading behind it is seen */
	_cleanup_free_ char *text =
		memcpy(malloc(p->text.len + !p->text.len), p->text.p, p->text.len);
	const char *end = text + p->text.len;
	struct td_layout_values v = { 0 };
	bool sure = one_in(2), whole;
	/* one whose constant is behind what the quick one goes through has none beside it */
	bool begins = pt == printed_by || pt->first_beside || pt->next_beside;
	const struct td_pattern *found = check_found(pt, text, end, sure);

	whole = td_pattern_match(printed_by, text, end, sure, &v);
	if (!damaged && whole && is_for_quick(printed_by, p) && begins)
		TD_CHECK(part ? found != NULL : found == printed_by);
	seen.rows++;
	seen.damaged += damaged;
	seen.quick += found != NULL;
	seen.beside += found && found != pt;
	seen.hex += found && has_hex(found);
	seen.parted += part && found && found != pt;
	seen.whole_only += whole && !found;
	seen.neither += !whole && !found;
}

/* --- the whole --- */

static char case_name[1024];

/* The patterns of the rows as printed; beside each is that of its time-aligned form. */
static size_t find_patterns(const struct td_layout_set *set, const struct td_pattern *ret[2])
{
	size_t n = 0;

	for (size_t i = 0; i < set->npatterns && n < 2; i++)
		if (!set->patterns[i].iso)
			ret[n++] = &set->patterns[i];
	return n;
}

static void check_rows(const struct made *m, const struct td_pattern *const *patterns, size_t n,
		       uint64_t seed)
{
	for (unsigned i = 0; i < ROWS; i++) {
		_cleanup_(printed_done) struct printed p = { .text = TD_STRBUF_INIT, .fits = true };
		int64_t ts = INT64_C(1380360127728142) + pick(1000000);
		unsigned row = pick((unsigned)n);
		bool damaged = one_in(3), mixed = damaged && one_in(4);

		print_row(m, row, mixed, ts, &p);
		if (m->open && one_in(2))
			print_row(m, pick((unsigned)n), mixed, ts + 1000, &p);
		for (unsigned k = damaged && !mixed ? 1 + pick(2) : 0; k && p.text.len; k--)
			damage(&p.text);
		(void)snprintf(case_name, sizeof(case_name),
			       "seed %" PRIu64 ": \"%s\" \"%s\": '%s'", seed, m->formats[row],
			       m->args[row], td_strbuf_str(&p.text));
		check_row(patterns[pick((unsigned)n)], patterns[row], m->part, &p, damaged);
	}
}

static void check_seed(uint64_t seed)
{
	_cleanup_(td_layout_set_done) struct td_layout_set set = { 0 };
	const struct td_pattern *patterns[2];
	struct td_err err = { "" };
	struct td_layout layout = { .name = "made/up" };
	struct made m;

	random_state = seed;
	make_layout(&m);
	layout.rows = m.rows;
	(void)snprintf(case_name, sizeof(case_name), "seed %" PRIu64 ": \"%s\" \"%s\"", seed,
		       m.formats[0], m.args[0]);
	TD_CHECK_INT(td_layout_set_add(&set, &layout, &err), 0);
	TD_CHECK_STR(err.msg, "");
	TD_CHECK_INT(find_patterns(&set, patterns), m.nrows);
	if (set.npatterns >= m.nrows)
		check_rows(&m, patterns, m.nrows, seed);
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;

	TD_CASE(case_name);
	for (uint64_t seed = first; seed < first + (argc > 1 ? 1 : SEEDS); seed++)
		check_seed(seed);
	printf("%u rows, %u damaged: %u found by both, %u of them as another one's, %u by one, %u "
	       "by none\n",
	       seen.rows, seen.damaged, seen.quick, seen.beside, seen.whole_only, seen.neither);
	/* enough of each that it says something */
	(void)snprintf(case_name, sizeof(case_name), "all");
	TD_CHECK(argc > 1 || (seen.quick > seen.rows / 10 && seen.beside > seen.rows / 100 &&
			      seen.hex > seen.rows / 100 && seen.parted > seen.rows / 200 &&
			      seen.whole_only > seen.rows / 10 && seen.neither > seen.rows / 20));
	return td_check_result();
}
