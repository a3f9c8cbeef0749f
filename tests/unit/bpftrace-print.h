/* SPDX-License-Identifier: MIT */
/* Prints the rows of bpftrace-scripts.h, with known values, by printf(). For test-bpftrace-layouts.c. */
#pragma once

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "tests/unit/bpftrace-scripts.h"
#include "tests/unit/check.h"

/* What happened, three times: plain; with blanks in names and values beyond 31 bits; failed and nameless. */
static const struct sample {
	int64_t pid, tid, lat, ret, asked, offset, fd, sector, bytes;
	const char *comm, *name, *path, *rw;
	int rw_number;
} samples[] = {
	{ 2083041, 2083999, 7230, 832, 1024, 0, 3, 1997239337, 4096, "python", "libpthread-2.27.so",
	  "/opt/conda/lib/libpthread-2.27.so", "R", 0 },
	{ 999, 1001, 2500000000, 3000000000, 3000000001, 65536, 12345, 3719474521, 262144,
	  "Web Content", "my file (1).npy", "/data/my dir/my file (1).npy", "W", 1 },
	{ 4194304, 4194303, 5, -2, 0, 3500000000, -1, -1, 0, "C2 CompilerThre", "",
	  "/nonexistent/x", "R", 0 },
};
#define QLAT_MORE 1000 /* ns in the queue */
#define FIRST_TS INT64_C(1380360127728142)
#define FIRST_UTC INT64_C(1644092866077425393)
#define TS_STEP 1000003
#define FLAGS 0x80241
#define MODE 420
#define PROT 0x3

static struct {
	const struct script_event *event;
	const struct sample *sample;
	int64_t ts;
} printed[128];
static size_t nprinted;

/* --- expressions --- */

static bool mentions(struct td_str e, const char *what)
{
	return td_str_find(e, what) != NULL;
}

static bool is_latency(struct td_str e)
{
	return mentions(e, "$latency") || mentions(e, "nsecs -") || mentions(e, "$now -");
}

/* The i-th of the expressions; .p NULL: there is none. */
static struct td_str expression(const char *exprs, size_t i)
{
	const char *p = exprs, *end;

	while (i-- > 0 && p)
		p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL;
	if (!p || !*p)
		return (struct td_str){ NULL, 0 };
	end = strchrnul(p, '|');
	return (struct td_str){ p, (size_t)(end - p) };
}

/* Does one of the expressions mention that? */
static bool prints(const struct script_event *e, const char *what)
{
	return strstr(e->exprs, what) != NULL;
}

/* Block requests print who issued them, then who was there at the end. */
static bool is_block(const struct script_event *e)
{
	return prints(e, "@disk");
}

static bool takes_path(const struct script_event *e)
{
	static const char *const calls[] = { "openat", "mkdir", "rmdir", "unlink", "creat" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(calls); i++)
		if (strstr(e->probe, "syscalls") && strstr(e->probe, calls[i]))
			return true;
	return false;
}

/* Is the expression the file's path, or only its name? */
static bool is_path(const struct script_event *e, struct td_str x)
{
	return takes_path(e) && (mentions(x, "path") || !prints(e, "fullpath"));
}

static bool is_file(struct td_str x)
{
	static const char *const names[] = { "filename", "name", "path", "_fn[", "@fn[", "cfn[" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		if (mentions(x, names[i]))
			return true;
	return false;
}

static const char *text_of(const struct script_event *e, struct td_str x, const struct sample *s)
{
	if (mentions(x, "iocomm") || (td_str_eq(x, "comm") && !is_block(e)))
		return s->comm;
	if (td_str_eq(x, "comm"))
		return prints(e, "@iocomm") ? "swapper/15" : s->comm;
	if (mentions(x, "@func"))
		return "openat";
	if (mentions(x, "@disk"))
		return "sda";
	if (mentions(x, "@rw"))
		return s->rw;
	TD_CHECK(is_file(x));
	return is_path(e, x) ? s->path : s->name;
}

static int64_t number_of(const struct script_event *e, struct td_str x, const struct sample *s,
			 int64_t ts)
{
	static const struct {
		const char *part;
		size_t offset;
	} parts[] = {
		{ "iopid", offsetof(struct sample, pid) },
		{ "iotid", offsetof(struct sample, tid) },
		{ "retval", offsetof(struct sample, ret) },
		{ "args->ret", offsetof(struct sample, ret) },
		{ "$addr", offsetof(struct sample, ret) },
		{ "mm_addr", offsetof(struct sample, ret) },
		{ "req", offsetof(struct sample, asked) },
		{ "count", offsetof(struct sample, asked) },
		{ "_len", offsetof(struct sample, asked) },
		{ "off", offsetof(struct sample, offset) },
		{ "fd[", offsetof(struct sample, fd) },
		{ "args->fd", offsetof(struct sample, fd) },
		{ "sector", offsetof(struct sample, sector) },
		{ "@len", offsetof(struct sample, bytes) },
	};

	if (is_latency(x))
		return mentions(x, "qstart") ? s->lat + QLAT_MORE : s->lat;
	if (td_str_eq(x, "$now") || td_str_eq(x, "nsecs"))
		return ts;
	if (td_str_eq(x, "pid"))
		return is_block(e) ? 0 : s->pid;
	if (td_str_eq(x, "tid"))
		return s->tid;
	if (mentions(x, "@rw"))
		return s->rw_number;
	for (size_t i = 0; i < TD_ARRAY_SIZE(parts); i++)
		if (mentions(x, parts[i].part))
			return *(const int64_t *)((const char *)s + parts[i].offset);
	if (mentions(x, "flag"))
		return FLAGS;
	if (mentions(x, "mod"))
		return MODE;
	if (mentions(x, "prot"))
		return PROT;
	return INT64_C(0x7f21a4c00123); /* an address, or a directory */
}

/* --- printing --- */

/* the formats are those of the scripts */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* One conversion, by printf(): bpftrace hands it 64 bits and the conversion takes what it takes. */
static void print_number(struct td_strbuf *out, const char *spec, int64_t v)
{
	char buf[64];

	if (strstr(spec, "ll"))
		(void)snprintf(buf, sizeof(buf), spec, (long long)v);
	else if (strchr(spec, 'l'))
		(void)snprintf(buf, sizeof(buf), spec, (long)v);
	else
		(void)snprintf(buf, sizeof(buf), spec, (int)(uint32_t)v);
	td_strbuf_adds(out, buf);
}

static void print_text(struct td_strbuf *out, const char *spec, const char *text)
{
	char buf[512];

	(void)snprintf(buf, sizeof(buf), spec, text);
	td_strbuf_adds(out, buf);
}

/* Goes through a format; each conversion's text is printed by print(ud, spec, index). */
static void print_format(struct td_strbuf *out, const char *format,
			 void (*print)(void *ud, struct td_strbuf *out, const char *spec, size_t i),
			 void *ud)
{
	size_t n = 0;

	for (const char *p = format; *p;) {
		const char *from = p;
		char spec[16];

		if (strncmp(p, "%H:%M:%S", 8) == 0) {
			td_strbuf_adds(out, "00:16:13");
			p += 8;
			continue;
		}
		if (*p != '%') {
			td_strbuf_addc(out, *p++);
			continue;
		}
		while (!strchr("duxs", *p))
			p++;
		p++;
		(void)snprintf(spec, sizeof(spec), "%.*s", (int)(p - from), from);
		print(ud, out, spec, n++);
	}
}

static void print_name(void *ud, struct td_strbuf *out, const char *spec, size_t i)
{
	struct td_str x = expression(ud, i);
	char name[32];

	(void)snprintf(name, sizeof(name), "%.*s", (int)x.len, x.p);
	print_text(out, spec, name);
}

static void print_headers(struct td_strbuf *out, const struct script *s)
{
	for (size_t i = 0; s->headers[i].format; i++)
		print_format(out, s->headers[i].format, print_name, (void *)s->headers[i].names);
}

struct printing {
	const struct script_event *event;
	const struct sample *sample;
	int64_t ts;
};

static void print_column(void *ud, struct td_strbuf *out, const char *spec, size_t i)
{
	const struct printing *p = ud;
	struct td_str x = expression(p->event->exprs, i);
	char constant[32];

	if (x.len && x.p[0] == '"') {
		(void)snprintf(constant, sizeof(constant), "%.*s", (int)x.len - 2, x.p + 1);
		print_text(out, spec, constant);
	} else if (strchr(spec, 's')) {
		print_text(out, spec, text_of(p->event, x, p->sample));
	} else {
		print_number(out, spec, number_of(p->event, x, p->sample, p->ts));
	}
}

/* The time-aligned form of a row: UTC, no TIME, one blank between columns. */
static void align(struct td_strbuf *out, const char *row, int64_t utc_ns)
{
	char utc[40];

	td_format_utc(utc, sizeof(utc), utc_ns, 9);
	td_strbuf_add(out, utc, strlen(utc) - 1); /* without the Z */
	for (const char *p = row + strcspn(row, " "); *p && *p != '\n'; p++) {
		if (strncmp(p, " 00:16:13 ", 10) == 0)
			p += 9;
		if (*p != ' ' || !strchr(" \n", p[1]))
			td_strbuf_addc(out, *p);
	}
	td_strbuf_addc(out, '\n');
}

static bool is_timed(const struct script_event *e)
{
	return prints(e, "nsecs") || prints(e, "$now");
}

/* Prints all rows of the script and remembers them; aligned: those that have a time-aligned form, in it. */
static void print_rows(struct td_strbuf *out, const struct script *s, bool aligned)
{
	int64_t ts = aligned ? FIRST_UTC : FIRST_TS;

	nprinted = 0;
	for (const struct script_event *e = s->events; e->format; e++) {
		for (size_t i = 0; i < TD_ARRAY_SIZE(samples); i++) {
			_cleanup_(td_strbuf_done) struct td_strbuf row = TD_STRBUF_INIT;
			struct printing p = { e, &samples[i], ts += TS_STEP };

			print_format(&row, e->format, print_column, &p);
			if (aligned &&
			    (!is_timed(e) || !strchr(e->format, '\n') || !strchr(e->exprs, '|')))
				continue;
			if (aligned)
				align(out, row.p, ts);
			else
				td_strbuf_adds(out, row.p);
			if (!is_timed(e))
				continue;
			printed[nprinted].event = e;
			printed[nprinted].sample = &samples[i];
			printed[nprinted++].ts = ts;
		}
	}
}
