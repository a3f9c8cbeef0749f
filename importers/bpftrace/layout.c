/* SPDX-License-Identifier: MIT */
/* From a row's format string and words to the operations that bpftrace/match.c carries out. */
#include <pthread.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "importers/bpftrace/layout.h"

/* A column that printf() converts. */
struct conversion {
	char type; /* d u x s ..., 'T' for time() */
	bool right, narrow;
	unsigned width;
};

static const struct {
	const char *word;
	uint8_t field;
	bool number; /* must be printed by a number conversion; else by %s */
	bool small;
	uint8_t text_max;
} words[] = {
	/* a comm has at most 15 characters, a disk name 31 */
	{ "ts", TD_FIELD_TS, .number = true },
	{ "pid", TD_FIELD_PID, .number = true, .small = true },
	{ "tid", TD_FIELD_TID, .number = true, .small = true },
	{ "donepid", TD_FIELD_DONEPID, .number = true, .small = true },
	{ "comm", TD_FIELD_COMM, .text_max = 15 },
	{ "donecomm", TD_FIELD_DONECOMM, .text_max = 15 },
	{ "func", TD_FIELD_FUNC, .text_max = 64 },
	{ "rw", TD_FIELD_RW, .text_max = 8 },
	{ "lat", TD_FIELD_LAT, .number = true },
	{ "qlat", TD_FIELD_QLAT, .number = true },
	{ "asked", TD_FIELD_ASKED, .number = true },
	{ "ret", TD_FIELD_RET, .number = true },
	{ "fd", TD_FIELD_FD, .number = true, .small = true },
	{ "offset", TD_FIELD_OFFSET, .number = true },
	{ "disk", TD_FIELD_DISK, .text_max = 31 },
	{ "sector", TD_FIELD_SECTOR, .number = true },
	{ "bytes", TD_FIELD_BYTES, .number = true },
	{ "name", TD_FIELD_NAME },
	{ "path", TD_FIELD_PATH },
	{ "file", TD_FIELD_FILE },
};

/* Reads "%-17lu" and the like; false if it is not understood. */
static bool scan_conversion(struct td_scan *s, struct conversion *ret)
{
	struct conversion c = { .right = true };
	struct td_scan t = *s;
	uint64_t width = 0;

	if (td_scan_literal(&t, "%H:%M:%S")) {
		*s = t;
		*ret = (struct conversion){ .type = 'T' };
		return true;
	}
	if (!td_scan_char(&t, '%'))
		return false;
	for (; t.p < t.end && strchr("-+ #0", *t.p); t.p++)
		if (*t.p == '-')
			c.right = false;
	(void)td_scan_u64(&t, &width);
	if (td_scan_char(&t, '.')) {
		uint64_t precision;

		(void)td_scan_u64(&t, &precision);
	}
	c.narrow = true;
	for (; t.p < t.end && strchr("hljzt", *t.p); t.p++)
		if (*t.p != 'h')
			c.narrow = false;
	if (t.p == t.end || width > UINT8_MAX || !strchr("diuxXpsc", *t.p))
		return false;
	c.type = *t.p++;
	c.width = (unsigned)width;
	*s = t;
	*ret = c;
	return true;
}

static bool is_number(const struct conversion *c)
{
	return c->type != 's' && c->type != 'c';
}

/* The next word of args; false if there is none or it makes no sense for the conversion. */
static bool scan_meaning(struct td_scan *s, const struct conversion *c, struct td_pattern_op *op)
{
	struct td_str w;

	op->scale = 1;
	(void)td_scan_blanks(s);
	if (td_scan_char(s, '\'')) {
		const char *end = memchr(s->p, '\'', (size_t)(s->end - s->p));

		if (!end || is_number(c))
			return false;
		op->kind = TD_OP_CONSTANT;
		op->text = (struct td_str){ s->p, (size_t)(end - s->p) };
		s->p = end + 1;
		return true;
	}
	if (!td_scan_token(s, &w))
		return false;
	op->kind = is_number(c) ? TD_OP_NUMBER : TD_OP_TEXT;
	if (td_str_eq(w, "-"))
		return true;
	if (w.p[0] == '=') {
		op->field = TD_FIELD_EXTRA;
		op->text = (struct td_str){ w.p + 1, w.len - 1 };
		return true;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i].word);
		struct td_scan t = td_scan_of(w.p, w.len);
		uint64_t scale = 1;

		if (!td_scan_literal(&t, words[i].word) ||
		    (td_scan_char(&t, '*') && !td_scan_u64(&t, &scale)) || !td_scan_done(&t))
			continue;
		if (words[i].field == TD_FIELD_RW)
			op->kind = TD_OP_TEXT; /* %s, or the number of the operation by %d */
		else if (words[i].number != is_number(c) || (n < w.len && !words[i].number))
			return false;
		op->field = words[i].field;
		op->small = words[i].small;
		op->text_max = words[i].text_max;
		op->scale = (int64_t)scale;
		return true;
	}
	return false;
}

/* Literal text up to the next conversion. */
static struct td_str scan_literal_text(struct td_scan *s)
{
	const char *from = s->p;
	const char *to = memchr(from, '%', (size_t)(s->end - from));

	s->p = to ? to : s->end;
	return (struct td_str){ from, (size_t)(s->p - from) };
}

/* Of the blanks that begin a literal the time-aligned form keeps one. */
static struct td_str one_blank(struct td_str s)
{
	while (s.len > 1 && s.p[0] == ' ' && s.p[1] == ' ') {
		s.p++;
		s.len--;
	}
	return s;
}

static int add_op(struct td_pattern *pt, const struct conversion *c, struct td_pattern_op op)
{
	if (pt->nops == TD_PATTERN_MAX_OPS)
		return -E2BIG;
	if (c->type == 'T') {
		op.kind = TD_OP_TIME;
		op.field = TD_FIELD_TIME;
	}
	op.right = c->right;
	op.hex = c->type == 'x' || c->type == 'X' || c->type == 'p';
	op.width = (uint8_t)c->width;
	if (pt->iso) {
		op.width = 0;
		op.right = false;
		op.loose = true;
		op.literal = one_blank(op.literal);
		if (op.field == TD_FIELD_TS)
			op.kind = TD_OP_ISO;
	}
	if (op.field == TD_FIELD_EXTRA) {
		unsigned n = 0;

		for (size_t i = 0; i < pt->nops; i++)
			n += pt->ops[i].field == TD_FIELD_EXTRA;
		if (n == TD_PATTERN_MAX_EXTRA)
			return -E2BIG;
		op.extra = (uint8_t)n;
	}
	if (op.literal.len <= sizeof(op.literal_bytes)) {
		memcpy(&op.literal_bytes, op.literal.p, op.literal.len);
		memset(&op.literal_mask, 0xff, op.literal.len);
	}
	pt->fields |= UINT32_C(1) << op.field;
	/* rows that differ only in that look the same when they are aligned */
	if (c->narrow || pt->iso)
		pt->narrow |= UINT32_C(1) << op.field;
	pt->ops[pt->nops++] = op;
	return 0;
}

/* The last column may hold blanks; so may path and name, which need to be told apart. */
static void compile_end(struct td_pattern *pt)
{
	struct td_pattern_op *last = pt->nops ? &pt->ops[pt->nops - 1] : NULL;
	struct td_pattern_op *prev = pt->nops > 1 ? last - 1 : NULL;

	if (!last || last->kind != TD_OP_TEXT || last->width || last->literal.len)
		return;
	last->kind = TD_OP_REST;
	if (prev && prev->kind == TD_OP_TEXT && !prev->width && td_str_eq(prev->literal, " ") &&
	    ((prev->field == TD_FIELD_PATH && last->field == TD_FIELD_NAME) ||
	     (prev->field == TD_FIELD_NAME && last->field == TD_FIELD_PATH))) {
		prev->kind = TD_OP_PAIR;
		prev->literal.len = 0;
		pt->nops--;
	}
}

/* Behind the last column of an event another event may follow, where there is nothing between them. */
static void find_plain(struct td_pattern *pt)
{
	for (size_t i = 0; i < pt->nops; i++) {
		struct td_pattern_op *op = &pt->ops[i];
		bool parted = op->literal.len ? op->literal_mask != 0 : i + 1 < pt->nops;

		op->plain = op->kind == TD_OP_NUMBER && op->field != TD_FIELD_EXTRA &&
			    op->scale == 1 && parted && !op->right && !op->hex && !op->loose;
	}
}

/* Of a text that is printed twice the first one is kept, which takes looking from the end. */
static bool has_text_twice(const struct td_pattern *pt)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < pt->nops; i++) {
		uint32_t bits = UINT32_C(1) << pt->ops[i].field;

		if (pt->ops[i].kind == TD_OP_PAIR)
			bits = 1u << TD_FIELD_PATH | 1u << TD_FIELD_NAME;
		else if (pt->ops[i].kind != TD_OP_TEXT && pt->ops[i].kind != TD_OP_REST)
			continue;
		if (seen & bits)
			return true;
		seen |= bits;
	}
	return false;
}

/* What a column shorter than three words looks like behind its value, if that is not longer than the column: padding,
 * then the literal; of a constant the value, too. Words as little-endian numbers. */
static void compile_cell(struct td_pattern_op *op)
{
	size_t value = op->kind == TD_OP_CONSTANT ? op->text.len : op->kind == TD_OP_TIME ? 8 : 0;
	size_t width = TD_MAX(op->width, value), step = width + op->literal.len;
	char bytes[sizeof(op->cell_bytes)], mask[sizeof(op->cell_mask)] = { 0 };

	if (step > sizeof(bytes))
		return;
	memset(bytes, ' ', sizeof(bytes));
	if (op->kind == TD_OP_CONSTANT)
		memcpy(bytes, op->text.p, op->text.len);
	memcpy(bytes + width, op->literal.p, op->literal.len);
	memset(mask, 0xff, step);
	if (op->kind == TD_OP_TIME)
		memset(mask, 0, value);
	for (size_t i = 0; i < TD_CELL_WORDS; i++) {
		memcpy(&op->cell_bytes[i], bytes + 8 * i, 8);
		memcpy(&op->cell_mask[i], mask + 8 * i, 8);
		op->cell_bytes[i] = le64toh(op->cell_bytes[i]);
		op->cell_mask[i] = le64toh(op->cell_mask[i]);
	}
	op->step = (uint8_t)step;
}

/* Behind compile_cell(), which says whether there is a step. */
static enum td_exact_kind exact_kind(const struct td_pattern_op *op)
{
	if ((op->right && op->width) || op->loose || op->field == TD_FIELD_EXTRA)
		return TD_EXACT_NOT;
	if (op->kind == TD_OP_NUMBER && op->hex)
		return op->scale == 1 && op->literal_mask ? TD_EXACT_HEX : TD_EXACT_NOT;
	if (op->right)
		return TD_EXACT_NOT;
	if (op->plain)
		return !op->step       ? TD_EXACT_NOT
		       : op->step > 16 ? TD_EXACT_LONG_NUMBER
				       : TD_EXACT_NUMBER;
	if (!op->literal_mask)
		return TD_EXACT_NOT;
	if (op->kind == TD_OP_TEXT)
		return op->width ? TD_EXACT_TEXT : TD_EXACT_NOT;
	if (op->kind == TD_OP_TIME && op->step)
		return TD_EXACT_TIME;
	return op->kind == TD_OP_CONSTANT && op->step ? TD_EXACT_CONSTANT : TD_EXACT_NOT;
}

static void compile_exact(struct td_pattern_op *op)
{
	compile_cell(op);
	op->exact = (uint8_t)exact_kind(op);
	op->width_bits = (uint16_t)(8 * op->width);
	op->any_text = op->field != TD_FIELD_RW && op->field != TD_FIELD_DISK &&
		       op->field != TD_FIELD_FUNC;
}

static void find_exact(struct td_pattern *pt)
{
	const struct td_pattern_op *next;

	for (size_t i = 0; i < pt->nops; i++)
		compile_exact(&pt->ops[i]);
	if (has_text_twice(pt))
		return;
	while (pt->nexact < pt->nops && pt->ops[pt->nexact].exact)
		pt->nexact++;
	next = &pt->ops[pt->nexact];
	pt->rest = !pt->open && pt->nexact + 1 == pt->nops && next->kind == TD_OP_REST &&
		   next->field != TD_FIELD_EXTRA;
}

/* vfs_read is a kernel function; what is not one is a system call, for all that scripts print. */
static enum td_layer layer_of(struct td_str op)
{
	return td_str_starts(op, "vfs_") || td_str_eq(op, "fp_close") || td_str_eq(op, "filp_close")
		       ? TD_LAYER_VFS
		       : TD_LAYER_SYSCALL;
}

static void compile_op(const struct td_layout_row *row, struct td_pattern *pt)
{
	const struct td_str *text = NULL;

	if (row->op)
		pt->op = (struct td_str){ row->op, strlen(row->op) };
	for (size_t i = 0; i < pt->nops && !row->op && !text; i++)
		if (pt->ops[i].kind == TD_OP_CONSTANT)
			text = &pt->ops[i].text;
	if (text) {
		pt->op = *text;
		if (td_str_ends(pt->op, "()"))
			pt->op.len -= 2;
	}
	pt->layer = row->layer ? *row->layer : layer_of(pt->op);
}

static enum td_pattern_kind kind_of(uint32_t fields)
{
	uint32_t clock = 1u << TD_FIELD_TS | 1u << TD_FIELD_TIME;

	if (!(fields >> TD_FIELD_TS & 1))
		return TD_PATTERN_NOISE;
	if (fields == clock)
		return TD_PATTERN_CLOCK;
	return fields & (1u << TD_FIELD_DISK | 1u << TD_FIELD_SECTOR) ? TD_PATTERN_BLOCK
								      : TD_PATTERN_CALL;
}

static int compile(const struct td_layout_row *row, struct td_pattern *pt, struct td_err *err)
{
	size_t len = strlen(row->format);
	struct td_scan f = td_scan_of(row->format, len),
		       a = td_scan_of(row->args, strlen(row->args));
	struct conversion c;

	pt->open = !(len && row->format[len - 1] == '\n');
	if (!pt->open)
		f.end--;
	pt->lead = scan_literal_text(&f);
	while (!td_scan_done(&f)) {
		struct td_pattern_op op = { .scale = 1 };

		if (!scan_conversion(&f, &c))
			return td_err_set(err, -EINVAL, "'%s' is not understood", f.p);
		if (c.type != 'T' && !scan_meaning(&a, &c, &op))
			return td_err_set(err, -EINVAL, "'%s' does not fit '%s'", row->args,
					  row->format);
		op.literal = scan_literal_text(&f);
		if (memchr(op.literal.p, '\n', op.literal.len))
			return td_err_set(err, -EINVAL, "more than one line in '%s'", row->format);
		if (pt->iso && c.type == 'T')
			continue;
		if (add_op(pt, &c, op) < 0)
			return td_err_set(err, -E2BIG, "too many columns in '%s'", row->format);
	}
	(void)td_scan_blanks(&a);
	if (!td_scan_done(&a))
		return td_err_set(err, -EINVAL, "'%s' has more words than '%s' conversions",
				  row->args, row->format);
	compile_end(pt);
	find_plain(pt);
	find_exact(pt);
	compile_op(row, pt);
	pt->kind = kind_of(pt->fields);
	return 0;
}

static bool same_column(const struct td_pattern_op *a, const struct td_pattern_op *b)
{
	return a->kind == b->kind && a->field == b->field && a->width == b->width &&
	       a->small == b->small && a->hex == b->hex && a->step == b->step &&
	       !memcmp(a->cell_bytes, b->cell_bytes, sizeof(a->cell_bytes)) &&
	       !memcmp(a->cell_mask, b->cell_mask, sizeof(a->cell_mask));
}

/* Columns that both begin with and td_pattern_match_exact() looks at. */
static size_t same_columns(const struct td_pattern *a, const struct td_pattern *b)
{
	size_t n = TD_MIN(a->nexact, b->nexact), i = 0;

	while (i < n && same_column(&a->ops[i], &b->ops[i]))
		i++;
	return i;
}

/* Is there a constant that td_pattern_match_exact() looks at? If not, or if a number is printed
 * twice, of which the second would stay where the pattern turns out to be another one, it has none
 * beside it. */
static bool can_be_beside(const struct td_pattern *pt)
{
	uint32_t seen = 0;
	bool constant = false;

	for (size_t i = 0; i < pt->nexact; i++) {
		const struct td_pattern_op *op = &pt->ops[i];

		constant |= op->kind == TD_OP_CONSTANT;
		if (op->kind == TD_OP_CONSTANT || op->field == TD_FIELD_IGNORED)
			continue;
		if (seen & UINT32_C(1) << op->field)
			return false;
		seen |= UINT32_C(1) << op->field;
	}
	return constant && !pt->lead.len;
}

/* Puts the set's last pattern behind those of its layout that a constant tells it from. */
static void find_beside(struct td_layout_set *set)
{
	struct td_pattern *pt = &set->patterns[set->npatterns - 1], *first = NULL, *last = pt;

	for (size_t i = 0; i <= pt->nexact; i++)
		pt->prefix[i] = (uint16_t)(set->npatterns - 1);
	if (!can_be_beside(pt))
		return;
	for (struct td_pattern *q = pt; q > set->patterns && q[-1].layout == pt->layout; q--) {
		struct td_pattern *before = q - 1;
		size_t nsame;

		if (before->iso != pt->iso || !can_be_beside(before))
			continue;
		last = first ? last : before;
		first = before;
		nsame = same_columns(before, pt);
		memcpy(pt->prefix, before->prefix, (nsame + 1) * sizeof(*pt->prefix));
	}
	if (!first)
		return;
	pt->first_beside = (int16_t)(first - pt);
	last->next_beside = (int16_t)(pt - last);
}

static void note_time(struct td_layout_set *set, const struct td_pattern_op *op)
{
	set->converts_time |= op->scale != 1 || op->hex;
	if (op->width)
		set->behind_time[' '] = true;
	if (op->literal.len)
		set->behind_time[(unsigned char)op->literal.p[0]] = true;
	else /* the next column */
		memset(set->behind_time, true, sizeof(set->behind_time));
}

/* What the time stamps of a set's rows look like, which most lines of other texts have none of. */
static void note_times(struct td_layout_set *set, const struct td_pattern *pt)
{
	for (size_t i = 0; i < pt->nops; i++)
		if (pt->ops[i].field == TD_FIELD_TS && pt->ops[i].kind == TD_OP_NUMBER)
			note_time(set, &pt->ops[i]);
}

static int add_pattern(struct td_layout_set *set, const struct td_layout_row *row, bool iso,
		       struct td_err *err)
{
	struct td_pattern pt = { .iso = iso, .layout = (uint16_t)set->nlayouts };
	int r = compile(row, &pt, err);

	if (r < 0)
		return r;
	/* the time-aligned form of a row that was nothing but a time does not exist */
	if (iso && (pt.kind == TD_PATTERN_NOISE || pt.nops < 3))
		return 0;
	r = td_grow(&set->patterns, &set->patterns_cap, set->npatterns);
	if (r < 0)
		return r;
	set->patterns[set->npatterns++] = pt;
	note_times(set, &pt);
	find_beside(set);
	return 0;
}

int td_layout_set_add(struct td_layout_set *set, const struct td_layout *layout, struct td_err *err)
{
	int r = td_grow(&set->layouts, &set->layouts_cap, set->nlayouts);

	if (r < 0)
		return r;
	for (const struct td_layout_row *row = layout->rows; row && row->format; row++) {
		r = add_pattern(set, row, false, err);
		if (r >= 0)
			r = add_pattern(set, row, true, err);
		if (r < 0)
			return r;
	}
	set->layouts[set->nlayouts++] = *layout;
	return 0;
}

/* Compiling them takes longer than reading a small file, and every file is sniffed. */
static struct td_layout_set known;
static bool is_known;

static void compile_known(void)
{
	int r = 0;

	for (const struct td_layout *l = td_layouts; l->name && r >= 0; l++)
		r = td_layout_set_add(&known, l, NULL);
	is_known = r >= 0;
}

const struct td_layout_set *td_layout_set_known(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, compile_known);
	return is_known ? &known : NULL;
}

int td_layout_set_add_set(struct td_layout_set *set, const struct td_layout_set *from)
{
	size_t first = set->nlayouts;
	int r = 0;

	set->converts_time |= from->converts_time;
	for (size_t c = 0; c < TD_ARRAY_SIZE(set->behind_time); c++)
		set->behind_time[c] |= from->behind_time[c];
	for (size_t i = 0; r >= 0 && i < from->nlayouts; i++) {
		r = td_grow(&set->layouts, &set->layouts_cap, set->nlayouts);
		if (r >= 0)
			set->layouts[set->nlayouts++] = from->layouts[i];
	}
	for (size_t i = 0; r >= 0 && i < from->npatterns; i++) {
		r = td_grow(&set->patterns, &set->patterns_cap, set->npatterns);
		if (r < 0)
			break;
		set->patterns[set->npatterns] = from->patterns[i];
		set->patterns[set->npatterns++].layout += (uint16_t)first;
	}
	return r;
}

void *td_layout_set_own(struct td_layout_set *set, void *p)
{
	if (!p)
		return NULL;
	if (td_grow(&set->owned, &set->owned_cap, set->nowned) < 0) {
		free(p);
		return NULL;
	}
	return set->owned[set->nowned++] = p;
}

void td_layout_set_done(struct td_layout_set *set)
{
	for (size_t i = 0; i < set->nowned; i++)
		free(set->owned[i]);
	free(set->owned);
	free(set->patterns);
	free(set->layouts);
	*set = (struct td_layout_set){ 0 };
}
