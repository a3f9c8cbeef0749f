/* SPDX-License-Identifier: MIT */
/*
 * What a bpftrace expression is: "$now - @start[tid]" a latency, "str(args->filename)" a path. Variables
 * and maps stand for what was assigned to them. Names, of columns or maps, are asked only where the
 * expression itself does not tell.
 */
#include "importers/bpftrace/program.h"

#define MAX_DEPTH 8 /* of variables that stand for variables */

/* Variables that bpftrace knows, and return values. */
static const struct {
	const char *text;
	const char *word;
} builtins[] = {
	{ "nsecs", "ts" },   { "elapsed", "ts" }, { "pid", "pid" },    { "tid", "tid" },
	{ "comm", "comm" },  { "retval", "ret" }, { "probe", "func" }, { "func", "func" },
	{ "uid", "=uid" },   { "gid", "=gid" },   { "cpu", "=cpu" },   { "cgroup", "=cgroup" },
	{ "ppid", "=ppid" },
};

/* Members of structures and tracepoint arguments; sectors have 512 bytes. */
static const struct {
	const char *member;
	const char *word;
	int64_t scale;
} members[] = {
	{ "ret", "ret", 1 },          { "retval", "ret", 1 },        { "fd", "fd", 1 },
	{ "filename", "path", 1 },    { "pathname", "path", 1 },     { "disk_name", "disk", 1 },
	{ "count", "asked", 1 },      { "len", "asked", 1 },         { "pos", "offset", 1 },
	{ "offset", "offset", 1 },    { "f_pos", "offset", 1 },      { "sector", "sector", 1 },
	{ "__sector", "sector", 1 },  { "nr_sector", "bytes", 512 }, { "bytes", "bytes", 1 },
	{ "__data_len", "bytes", 1 }, { "rwbs", "rw", 1 },           { "comm", "comm", 1 },
	{ "tgid", "pid", 1 },         { "flags", "=flags", 1 },      { "mode", "=mode", 1 },
	{ "prot", "=prot", 1 },
};

/* Column headers and names of maps, in capitals. */
static const struct {
	const char *name;
	const char *word;
} names[] = {
	{ "TIMESTAMP", "ts" },  { "TS", "ts" },           { "NSECS", "ts" },
	{ "PID", "pid" },       { "TID", "tid" },         { "COMM", "comm" },
	{ "COMMAND", "comm" },  { "DONEPID", "donepid" }, { "DONECOMM", "donecomm" },
	{ "LAT", "lat" },       { "LATENCY", "lat" },     { "DUR", "lat" },
	{ "DURATION", "lat" },  { "QLAT", "qlat" },       { "FUNC", "func" },
	{ "FUNCTION", "func" }, { "SYSCALL", "func" },    { "T", "rw" },
	{ "R/W", "rw" },        { "RW", "rw" },           { "FD", "fd" },
	{ "FILE", "file" },     { "FILENAME", "file" },   { "FNAME", "file" },
	{ "FN", "file" },       { "PATH", "path" },       { "FULLPATH", "path" },
	{ "PATHNAME", "path" }, { "OFFSET", "offset" },   { "OFF", "offset" },
	{ "POS", "offset" },    { "REQ", "asked" },       { "REQUESTED", "asked" },
	{ "COUNT", "asked" },   { "LEN", "asked" },       { "RET", "ret" },
	{ "RETURNED", "ret" },  { "SIZE", "ret" },        { "BYTES", "bytes" },
	{ "DISK", "disk" },     { "SECTOR", "sector" },
};

static const struct {
	const char *unit;
	int64_t scale;
} units[] = {
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
};

/* Without the brackets around it, and without casts before it. */
static struct td_expr stripped(struct td_expr e)
{
	while (e.n > 2 && td_token_is(&e.t[0], "(")) {
		size_t close = td_token_close(e.t, e.n, 0);
		bool type = true;

		if (close == e.n)
			return e;
		for (size_t i = 1; i < close; i++)
			type &= e.t[i].type == TD_TOKEN_WORD || td_token_is(&e.t[i], "*");
		if (close == e.n - 1)
			e = (struct td_expr){ e.t + 1, e.n - 2 };
		else if (type && (e.t[close + 1].type != TD_TOKEN_PUNCT ||
				  td_token_is(&e.t[close + 1], "(")))
			e = (struct td_expr){ e.t + close + 1, e.n - close - 1 };
		else
			return e;
	}
	return e;
}

/* Index of the operator outside of brackets, the last one there is; n if none. */
static size_t operator_at(struct td_expr e, const char *op)
{
	size_t found = e.n;

	for (size_t i = 0; i < e.n; i++) {
		if (td_token_is(&e.t[i], "(") || td_token_is(&e.t[i], "["))
			i = td_token_close(e.t, e.n, i);
		else if (i > 0 && td_token_is(&e.t[i], op))
			found = i;
	}
	return found;
}

static bool meaning_at(const struct td_assignments *assigned, struct td_expr e, unsigned depth,
		       struct td_meaning *ret);

static bool set_word(const char *word, int64_t scale, struct td_meaning *ret)
{
	*ret = (struct td_meaning){ .word = word, .scale = scale };
	return true;
}

static bool builtin(struct td_str s, struct td_meaning *ret)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(builtins); i++) {
		if (!td_str_eq(s, builtins[i].text))
			continue;
		set_word(builtins[i].word, 1, ret);
		ret->relative = td_str_eq(s, "elapsed");
		return true;
	}
	return false;
}

/* What was assigned to a variable or map; a map that is set to 0 somewhere is only cleared there. */
static bool assigned_meaning(const struct td_assignments *assigned, struct td_str name,
			     unsigned depth, struct td_meaning *ret)
{
	for (size_t i = 0; i < assigned->n; i++)
		if (assigned->items[i].name.len == name.len &&
		    memcmp(assigned->items[i].name.p, name.p, name.len) == 0 &&
		    meaning_at(assigned, assigned->items[i].expr, depth + 1, ret))
			return true;
	return false;
}

/* "args->fd", "((struct file *)arg0)->f_path.dentry->d_name.name" */
static bool member(struct td_expr e, struct td_meaning *ret)
{
	struct td_str last = e.t[e.n - 1].s;

	if (e.n < 3 || (!td_token_is(&e.t[e.n - 2], "->") && !td_token_is(&e.t[e.n - 2], ".")))
		return false;
	if (td_str_eq(last, "name"))
		return td_token_is(&e.t[e.n - 3], "d_name") && set_word("name", 1, ret);
	for (size_t i = 0; i < TD_ARRAY_SIZE(members); i++)
		if (td_str_eq(last, members[i].member))
			return set_word(members[i].word, members[i].scale, ret);
	return false;
}

/* A time minus what must be an earlier one: from where it was queued, if that is what its name says. */
static bool difference(const struct td_assignments *assigned, struct td_expr e, size_t minus,
		       unsigned depth, struct td_meaning *ret)
{
	struct td_expr left = { e.t, minus };
	struct td_str from = e.t[minus + 1].s;

	if (!meaning_at(assigned, left, depth + 1, ret) || strcmp(ret->word, "ts") != 0)
		return false;
	return set_word(td_str_starts(from, "@q") || td_str_starts(from, "$q") ? "qlat" : "lat",
			ret->scale, ret);
}

/* A quotient by a constant: nanoseconds made micro- or milliseconds. */
static bool quotient(const struct td_assignments *assigned, struct td_expr e, size_t slash,
		     unsigned depth, struct td_meaning *ret)
{
	uint64_t by, exponent = 0;
	struct td_scan s;

	if (slash + 2 != e.n)
		return false;
	s = td_scan_of(e.t[slash + 1].s.p, e.t[slash + 1].s.len);
	if (!td_scan_u64(&s, &by) || (td_scan_char(&s, 'e') && !td_scan_u64(&s, &exponent)) ||
	    !td_scan_done(&s))
		return false;
	while (exponent-- > 0 && by <= 1000000000)
		by *= 10;
	if (by == 0 || by > 1000000000 ||
	    !meaning_at(assigned, (struct td_expr){ e.t, slash }, depth + 1, ret))
		return false;
	ret->scale *= (int64_t)by;
	return true;
}

/* cond ? "W" : "R" */
static bool direction(struct td_expr e, struct td_meaning *ret)
{
	bool r = false, w = false;

	if (operator_at(e, "?") == e.n)
		return false;
	for (size_t i = 0; i < e.n; i++) {
		r |= e.t[i].type == TD_TOKEN_STRING && td_str_eq(e.t[i].s, "R");
		w |= e.t[i].type == TD_TOKEN_STRING && td_str_eq(e.t[i].s, "W");
	}
	return r && w && set_word("rw", 1, ret);
}

static bool meaning_at(const struct td_assignments *assigned, struct td_expr e, unsigned depth,
		       struct td_meaning *ret)
{
	size_t at;

	e = stripped(e);
	if (e.n == 0 || depth > MAX_DEPTH)
		return false;
	if (e.n == 1 && builtin(e.t[0].s, ret))
		return e.t[0].type == TD_TOKEN_WORD;
	if (direction(e, ret))
		return true;
	at = operator_at(e, "/");
	if (at < e.n)
		return quotient(assigned, e, at, depth, ret);
	at = operator_at(e, "-");
	if (at < e.n - 1)
		return difference(assigned, e, at, depth, ret);
	if (member(e, ret))
		return true;
	if (e.t[0].type != TD_TOKEN_WORD)
		return false;
	at = e.n > 2 ? td_token_close(e.t, e.n, 1) : e.n;
	if (e.n == 1 || (at == e.n - 1 && td_token_is(&e.t[1], "[")))
		return assigned_meaning(assigned, e.t[0].s, depth, ret);
	if (at != e.n - 1 || !td_token_is(&e.t[1], "("))
		return false;
	if (td_str_eq(e.t[0].s, "nsecs"))
		return set_word("ts", 1, ret);
	/* str(pointer), str(pointer, length) */
	at = operator_at((struct td_expr){ e.t + 2, e.n - 3 }, ",");
	return td_str_eq(e.t[0].s, "str") &&
	       meaning_at(assigned, (struct td_expr){ e.t + 2, at }, depth + 1, ret);
}

bool td_expr_meaning(const struct td_assignments *assigned, struct td_expr e,
		     struct td_meaning *ret)
{
	return meaning_at(assigned, e, 0, ret);
}

static bool by_name(struct td_str s, struct td_meaning *ret)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		if (s.len == strlen(names[i].name) && strncasecmp(s.p, names[i].name, s.len) == 0)
			return set_word(names[i].word, 1, ret);
	return false;
}

bool td_name_meaning(struct td_str name, struct td_meaning *ret)
{
	const char *unit = name.len ? memchr(name.p, '(', name.len) : NULL, *part;
	struct td_str base = { name.p, unit ? (size_t)(unit - name.p) : name.len };

	while (base.len && (*base.p == '@' || *base.p == '$')) {
		base.p++;
		base.len--;
	}
	while (base.len && base.p[base.len - 1] == ' ')
		base.len--;
	part = base.len ? memrchr(base.p, '_', base.len) : NULL; /* @read_fd */
	if (!by_name(base, ret) &&
	    !(part &&
	      by_name((struct td_str){ part + 1, (size_t)(base.p + base.len - part - 1) }, ret)))
		return false;
	for (size_t i = 0; unit && i < TD_ARRAY_SIZE(units); i++) {
		struct td_str u = { unit + 1, (size_t)(name.p + name.len - unit - 1) };

		if (td_str_starts(u, units[i].unit) && u.len == strlen(units[i].unit) + 1)
			ret->scale = units[i].scale;
	}
	return true;
}
