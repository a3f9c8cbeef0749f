/* SPDX-License-Identifier: MIT */
/*
 * ps: one process (or, with -T and -L, thread) per line, the command line last.
 *
 *     USER        PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND            ps aux
 *     root          1  0.0  0.1 128068  6676 ?        Ss   Oct25   0:03 /sbin/init splash
 *     USER               PID  %CPU %MEM      VSZ    RSS   TT  STAT STARTED      TIME COMMAND   macOS
 *     UID         PID   PPID  C STIME TTY          TIME CMD                                ps -ef
 *     UID         PID   PPID    LWP  C NLWP STIME TTY          TIME CMD                    ps -eLf
 *     USER        PID   SPID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND     ps auxT
 *
 * The header names the columns; every cell but the last is one word, or five: "Fri Nov 20 09:35:46 2026" of
 * -o lstart. 'ps aux | grep python' has no header: then the first line whose cells look like one of the common
 * layouts decides. The lines that -f and --forest draw before the command are left out.
 *
 * process: pid, user, command_line, parent_pid, name (of the program, if no tracer told the real one),
 * role where the command line tells it; thread from SPID, LWP or TID. ps has no clock.
 */
#include "common/cleanup.h"
#include "common/utf8.h"
#include "importers/core/command_line.h"
#include "importers/core/importers.h"

#define MAX_COLUMNS 32

enum column { OTHER, USER, PID, PPID, TID, VSZ, STARTED, COMMAND };

struct layout {
	unsigned n; /* 0: not known yet */
	enum column columns[MAX_COLUMNS]; /* the last one is COMMAND */
};

struct ps {
	struct layout layout;
};

/* --- layouts --- */

static const struct {
	const char *header;
	enum column column;
} headers[] = {
	{ "USER", USER },     { "UID", USER },        { "RUSER", USER },      { "EUSER", USER },
	{ "PID", PID },       { "PPID", PPID },       { "SPID", TID },        { "LWP", TID },
	{ "TID", TID },       { "VSZ", VSZ },         { "COMMAND", COMMAND }, { "CMD", COMMAND },
	{ "ARGS", COMMAND },  { "%CPU", OTHER },      { "%MEM", OTHER },      { "RSS", OTHER },
	{ "TTY", OTHER },     { "TT", OTHER },        { "STAT", OTHER },      { "S", OTHER },
	{ "START", OTHER },   { "STARTED", STARTED }, { "STIME", OTHER },     { "TIME", OTHER },
	{ "ELAPSED", OTHER }, { "C", OTHER },         { "NLWP", OTHER },      { "NI", OTHER },
	{ "PRI", OTHER },     { "F", OTHER },         { "SZ", OTHER },        { "ADDR", OTHER },
	{ "WCHAN", OTHER },   { "PGID", OTHER },      { "SID", OTHER },       { "PSR", OTHER },
	{ "CLS", OTHER },     { "GROUP", OTHER },     { "RTPRIO", OTHER },    { "TPGID", OTHER },
	{ "SESS", OTHER },    { "LABEL", OTHER },     { "PENDING", OTHER },   { "BLOCKED", OTHER },
	{ "IGNORED", OTHER }, { "CAUGHT", OTHER },    { "MAJFL", OTHER },     { "MINFL", OTHER },
	{ "TRS", OTHER },     { "DRS", OTHER },       { "SIZE", OTHER },      { "POL", OTHER },
};

static int column_of(struct td_str header)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(headers); i++)
		if (td_str_eq(header, headers[i].header))
			return (int)headers[i].column;
	return -1;
}

/* A header has only known names, PID among them, and the command last. */
static bool read_header(struct td_str line, struct layout *ret)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	struct layout l = { 0 };
	struct td_str token;
	bool pid = false;

	for ((void)td_scan_blanks(&s); td_scan_token(&s, &token); (void)td_scan_blanks(&s)) {
		int c = column_of(token);

		if (c < 0 || l.n == MAX_COLUMNS || (l.n && l.columns[l.n - 1] == COMMAND))
			return false;
		pid |= c == PID;
		l.columns[l.n++] = (enum column)c;
	}
	if (!pid || l.n < 3 || l.columns[l.n - 1] != COMMAND)
		return false;
	*ret = l;
	return true;
}

/* Shapes of cells, for lines without a header. */
static bool is_number(struct td_str s)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	uint64_t v;

	return td_scan_u64(&t, &v) && td_scan_done(&t);
}

static bool is_percent(struct td_str s)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	double v;

	return td_scan_double(&t, &v) && td_scan_done(&t) && v >= 0;
}

static bool is_word(struct td_str s)
{
	return s.len > 0 && ((s.p[0] >= 'a' && s.p[0] <= 'z') || s.p[0] == '_' ||
			     (s.p[0] >= 'A' && s.p[0] <= 'Z') || td_is_digit(s.p[0]));
}

static bool is_tty(struct td_str s)
{
	return td_str_eq(s, "?") || td_str_eq(s, "??") || td_str_starts(s, "pts/") ||
	       td_str_starts(s, "tty") || td_str_eq(s, "-") ||
	       (s.len == 4 && s.p[0] == 's' && is_number((struct td_str){ s.p + 1, 3 }));
}

/* "Ss", "R+", "I<", "Sl+". */
static bool is_stat(struct td_str s)
{
	return s.len > 0 && s.len <= 6 && memchr("RSDTtZXIWUP", s.p[0], 11);
}

/* "Oct25", "11:39", "12:10PM", "2021". */
static bool is_start(struct td_str s)
{
	return s.len >= 4 && s.len <= 8 && is_word(s);
}

/* "0:03", "00:00:03", "7:53.61", "2-03:04:05". */
static bool is_time(struct td_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!td_is_digit(s.p[i]) && !memchr(":.-", s.p[i], 3))
			return false;
	return s.len > 3 && memchr(s.p, ':', s.len);
}

struct cell {
	enum column column;
	bool (*fits)(struct td_str s);
};

/* clang-format off */
static const struct {
	unsigned n; /* cells before the command */
	struct cell cells[11];
} shapes[] = {
	{ 10, { { USER, is_word }, { PID, is_number }, { OTHER, is_percent }, { OTHER, is_percent },
		{ VSZ, is_number }, { OTHER, is_number }, { OTHER, is_tty }, { OTHER, is_stat },
		{ OTHER, is_start }, { OTHER, is_time } } },
	{ 11, { { USER, is_word }, { PID, is_number }, { TID, is_number }, { OTHER, is_percent },
		{ OTHER, is_percent }, { VSZ, is_number }, { OTHER, is_number }, { OTHER, is_tty },
		{ OTHER, is_stat }, { OTHER, is_start }, { OTHER, is_time } } },
	{ 7, { { USER, is_word }, { PID, is_number }, { PPID, is_number }, { OTHER, is_number },
	       { OTHER, is_start }, { OTHER, is_tty }, { OTHER, is_time } } },
	{ 9, { { USER, is_word }, { PID, is_number }, { PPID, is_number }, { TID, is_number },
	       { OTHER, is_number }, { OTHER, is_number }, { OTHER, is_start }, { OTHER, is_tty },
	       { OTHER, is_time } } },
};
/* clang-format on */

static bool has_shape(struct td_str line, unsigned shape)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	struct td_str token;

	for (unsigned c = 0; c < shapes[shape].n; c++) {
		(void)td_scan_blanks(&s);
		if (!td_scan_token(&s, &token) || !shapes[shape].cells[c].fits(token))
			return false;
	}
	return td_scan_blanks(&s) > 0 && !td_scan_done(&s);
}

static bool read_shape(struct td_str line, struct layout *ret)
{
	for (unsigned i = 0; i < TD_ARRAY_SIZE(shapes); i++) {
		if (!has_shape(line, i))
			continue;
		ret->n = shapes[i].n + 1;
		for (unsigned c = 0; c < shapes[i].n; c++)
			ret->columns[c] = shapes[i].cells[c].column;
		ret->columns[shapes[i].n] = COMMAND;
		return true;
	}
	return false;
}

/* --- rows --- */

struct row {
	struct td_str user, command;
	int64_t pid, ppid, tid; /* TD_NULL: no such column */
	bool no_memory; /* VSZ 0: a kernel thread */
	bool is_thread; /* of the process above it (m): nothing of it has a name or number */
};

static bool read_number(struct td_str s, int64_t *ret)
{
	struct td_scan t = td_scan_of(s.p, s.len);

	return td_scan_i64(&t, ret) && td_scan_done(&t) && *ret >= 0 && *ret <= INT32_MAX;
}

static bool is_tod(struct td_str s)
{
	struct td_scan t = td_scan_of(s.p, s.len);
	int64_t ns;

	return td_scan_tod(&t, &ns) && td_scan_done(&t);
}

/* What follows the first word of a start that has several: "Nov 20" (-o start), "Fri Nov 20 09:35:46 2026"
 * (-o lstart; day and month the other way round in some languages). */
static void skip_rest_of_start(struct td_str first, struct td_scan *s)
{
	struct td_scan t = *s, second = *s;
	struct td_str words[4];
	size_t n = 0;

	if (td_is_digit(first.p[0]))
		return;
	for (; n < TD_ARRAY_SIZE(words); n++) {
		(void)td_scan_blanks(&t);
		if (!td_scan_token(&t, &words[n]))
			break;
		if (n == 0)
			second = t;
	}
	if (n == 4 && is_tod(words[2]) && words[3].len == 4 && is_number(words[3]))
		*s = t;
	else if (n > 0 && words[0].len <= 2 && is_number(words[0]))
		*s = second;
}

/* "\_ sleep", " |   \_ sleep": the tree of -f in front of a command. */
static struct td_str without_tree(struct td_str command)
{
	size_t n = 0;

	while (n < command.len && (command.p[n] == ' ' || command.p[n] == '|'))
		n++;
	if (n + 3 < command.len && memcmp(command.p + n, "\\_ ", 3) == 0)
		return (struct td_str){ command.p + n + 3, command.len - n - 3 };
	return command;
}

static bool read_row(const struct layout *l, struct td_str line, struct row *ret)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	struct td_str token;
	bool ok = true;

	*ret = (struct row){ .pid = TD_NULL, .ppid = TD_NULL, .tid = TD_NULL };
	for (unsigned c = 0; c + 1 < l->n && ok; c++) {
		(void)td_scan_blanks(&s);
		ok = td_scan_token(&s, &token);
		if (!ok)
			break;
		switch (l->columns[c]) {
		case USER:
			ret->user = token;
			break;
		case PID:
			ok = read_number(token, &ret->pid);
			ret->is_thread = td_str_eq(token, "-");
			break;
		case PPID:
			ok = read_number(token, &ret->ppid);
			break;
		case TID:
			ok = read_number(token, &ret->tid);
			break;
		case VSZ:
			ret->no_memory = td_str_eq(token, "0");
			break;
		case STARTED:
			skip_rest_of_start(token, &s);
			break;
		default:
			break;
		}
	}
	(void)td_scan_blanks(&s);
	ret->command = without_tree(td_scan_rest(&s));
	while (ret->command.len && ret->command.p[ret->command.len - 1] == ' ')
		ret->command.len--;
	return ok && ret->pid != TD_NULL && ret->command.len;
}

/* --- rows --- */

/* ps prints a command line that it cannot read as "[name]": kernel threads, and zombies with
 * "<defunct>" behind. */
static bool is_kernel_thread(const struct row *r)
{
	return r->command.p[0] == '[' && r->command.p[r->command.len - 1] == ']' &&
	       (r->no_memory || r->pid == 2 || r->ppid == 2);
}

static void store_row(struct td_import *imp, const struct row *r)
{
	struct td_store *st = imp->store;
	uint32_t id = td_store_process(st, r->pid, "", 0);
	struct td_process *p = td_store_process_at(st, id);
	struct td_str program = td_command_program(r->command);

	if (!p)
		return;
	p->command_line_id = td_store_string(st, r->command.p, r->command.len);
	if (r->user.len)
		p->user_id = td_store_string(st, r->user.p, r->user.len);
	if (r->ppid != TD_NULL)
		p->parent_pid = r->ppid;
	/* a tracer prints the name that the kernel knows, which a program can set; this is a guess */
	program.len = TD_MIN(program.len, (size_t)15);
	if (!p->name_id && program.len && td_utf8_valid(program.p, program.len))
		p->name_id = td_store_string(st, program.p, program.len);
	p->role = is_kernel_thread(r) ? "kernel" : td_command_role(r->command);
	p->role_basis = p->role ? "command-line" : NULL;
	if (r->tid != TD_NULL)
		td_store_thread(st, r->tid, id);
}

static int ps_line(struct td_import *imp, char *line, size_t len)
{
	struct ps *ps = imp->state;
	struct td_str text = { line, len };
	struct row row;

	if (td_str_is_blank(text) || read_header(text, &ps->layout))
		return TD_LINE_SKIPPED;
	if (!td_utf8_valid(line, len))
		return td_reject(imp, "spoilt-line");
	if (!ps->layout.n && !read_shape(text, &ps->layout))
		return td_reject(imp, "spoilt-line");
	if (!read_row(&ps->layout, text, &row))
		return row.is_thread ? TD_LINE_SKIPPED : td_reject(imp, "spoilt-line");
	store_row(imp, &row);
	return TD_LINE_ROW;
}

#define SNIFF_HEADERS 5 /* lines that may be one */

/* A header with a row below, or nothing but rows of one of the common shapes. Only whole lines count; a small file
 * may end in one without newline. */
static int ps_sniff(const char *head, size_t len)
{
	struct td_scan s = td_scan_of(head, len);
	unsigned lines = 0, shaped = 0;
	struct layout header = { 0 }, shape;
	struct td_str line;
	struct row row;

	while (lines < 100 && td_scan_line(&s, len < 65536, &line)) {
		bool cut = td_scan_done(&s) && head[len - 1] != '\n';

		if (td_str_is_blank(line))
			continue;
		if (header.n && read_row(&header, line, &row))
			return 90;
		header.n = 0;
		if (lines++ < SNIFF_HEADERS)
			(void)read_header(line, &header);
		else if (shaped + 1 < lines)
			return 0; /* nothing that follows could make it ps */
		if (shaped + 1 == lines && read_shape(line, &shape))
			shaped++;
		else if (cut)
			lines--; /* and may have been a row */
	}
	return shaped > 0 && shaped == lines ? 85 : 0;
}

const struct td_importer td_importer_ps = {
	.name = "ps",
	.desc = "ps: aux, -ef, with -T or -L; also piped through grep",
	.clock = TD_CLOCK_NONE,
	.state_size = sizeof(struct ps),
	.sniff = ps_sniff,
	.surest = 90,
	.line = ps_line,
};
