/* SPDX-License-Identifier: MIT */
/*
 * Every row of every version of every script (bpftrace-scripts.h), printed by printf() itself, through the
 * importer and back. What the columns mean is read here from the expressions that the scripts print, not
 * from the layouts that are tested.
 */
#include "importers/bpftrace/layout.h"
#include "importers/core/importers.h"
#include "tests/unit/bpftrace-print.h"
#include "tests/unit/import.h"

/* --- checking --- */

/* Who a row is about cannot always be seen. */
enum who {
	AS_PRINTED,
	PID_UNDER_TID, /* trace_mmap 6: the header says TID, the rows hold the pid */
	TID_TAKEN_FOR_PID, /* without a header, rows that have the tid only look like those with the pid */
};

static bool prints_latency(const struct script_event *e)
{
	return prints(e, "$latency") || prints(e, "nsecs - ") || prints(e, "$now - ");
}

/* Both probes of unlink are on its entry, so what it prints is no latency. */
static int64_t want_dur(const struct script_event *e, const struct sample *s)
{
	return prints_latency(e) && !strstr(e->probe, "sys_enter_unlink") ? s->lat : TD_NULL;
}

/* The name that the script prints, or that its probe has. */
static struct td_str want_op(const struct script_event *e)
{
	struct td_str s;

	for (size_t i = 0; (s = expression(e->exprs, i)).p; i++) {
		if (s.p[0] != '"' || s.len <= 3)
			continue;
		s = (struct td_str){ s.p + 1, s.len - 2 };
		if (td_str_ends(s, "()"))
			s.len -= 2;
		return td_str_eq(s, "create") ? (struct td_str){ "creat", 5 } : s;
	}
	if (prints(e, "@func"))
		return (struct td_str){ "openat", 6 };
	s.p = strrchr(e->probe, ':') + 1;
	if (strncmp(s.p, "sys_e", 5) == 0)
		s.p = strchr(s.p + 4, '_') + 1;
	s.len = strlen(s.p);
	return s;
}

static void check_file(const struct td_imported *in, const struct td_call *c,
		       const struct script_event *e, const struct sample *s)
{
	struct td_file *f = td_store_file_at(in->st, c->file_id);
	bool path = false, name = false;
	struct td_str x;

	for (size_t i = 0; (x = expression(e->exprs, i)).p; i++) {
		bool file = x.p[0] != '"' && is_file(x) && !mentions(x, "iocomm");

		path |= file && is_path(e, x);
		name |= file && !is_path(e, x);
	}
	TD_CHECK((f != NULL) == (path || name));
	if (path && f)
		TD_CHECK_STR(f->path.p, s->path);
	else if (f)
		TD_CHECK(!f->path.p && td_str_eq(f->name, s->name));
}

static void check_bytes(const struct td_call *c, const struct script_event *e,
			const struct sample *s)
{
	struct td_str op = want_op(e);
	bool moves = td_str_ends(op, "read") || td_str_ends(op, "write");
	/* the address that mmap returned is printed as a whole by %lx only */
	bool ret = prints(e, "args->ret") ||
		   (prints(e, "retval") && !strstr(e->probe, "do_mmap")) || prints(e, "@mm_addr") ||
		   (prints(e, "retval") && strstr(e->format, "0x%lx %s"));

	TD_CHECK_INT(c->ret, ret ? s->ret : TD_NULL);
	TD_CHECK_INT(c->done_bytes, moves && ret && s->ret >= 0 ? s->ret : TD_NULL);
	TD_CHECK_INT(c->asked_bytes, prints(e, "req") || prints(e, "count") || prints(e, "_len")
					     ? s->asked
					     : TD_NULL);
	if (!prints(e, "@wbuf[tid]|@woff"))
		TD_CHECK_INT(c->offset_bytes, prints(e, "off") ? s->offset : TD_NULL);
	TD_CHECK_INT(c->fd,
		     (prints(e, "fd[") || prints(e, "args->fd")) && s->fd >= 0 ? s->fd : INT32_MIN);
}

static void check_args(const struct td_imported *in, const struct td_call *c,
		       const struct script_event *e)
{
	const char *args = td_text_of(in, c->args_id);
	bool mode = prints(e, "mode") || prints(e, "@cmod");

	TD_CHECK((strstr(args, "mode=420") != NULL) == mode);
	TD_CHECK((strstr(args, "flags=0x80241") != NULL) == (prints(e, "flag") != 0));
	TD_CHECK((strstr(args, "prot=0x3") != NULL) == (prints(e, "prot") != 0));
}

static void check_who(const struct td_imported *in, const struct td_call *c,
		      const struct script_event *e, const struct sample *s, enum who who)
{
	const struct td_process *p = td_process_of(in, c->process_id);
	const struct td_thread *t = td_store_thread_at(in->st, c->thread_id);

	bool pid = prints(e, "|pid|"), tid = prints(e, "|tid|");
	int64_t want_pid = pid ? s->pid : 0, want_tid = tid ? s->tid : 0;

	if (who == PID_UNDER_TID) {
		want_tid = want_pid;
		want_pid = 0;
	} else if (who == TID_TAKEN_FOR_PID && !pid) {
		want_pid = want_tid;
		want_tid = 0;
	}
	TD_CHECK_INT(p ? p->pid : 0, want_pid);
	TD_CHECK_INT(t ? t->tid : 0, want_tid);
	if (prints(e, "|comm|") && p)
		TD_CHECK_STR(td_text_of(in, p->name_id), s->comm);
}

static void check_call(const struct td_imported *in, const struct script_event *e,
		       const struct sample *s, int64_t ts, enum who who)
{
	struct td_str op = want_op(e);
	int64_t dur = want_dur(e, s);
	const struct td_call *c = NULL;

	for (size_t i = 0; i < in->ncalls && !c; i++)
		if (in->calls[i].start_ns == ts - (dur == TD_NULL ? 0 : dur))
			c = &in->calls[i];
	TD_CHECK(c);
	if (!c)
		return;
	TD_CHECK_INT(c->dur_ns, dur);
	TD_CHECK(td_str_eq(op, td_op_name_of(in, c)));
	TD_CHECK_INT(in->has->ops[c->op_id - 1].layer,
		     td_str_starts(op, "vfs_") || td_str_eq(op, "fp_close") ? TD_LAYER_VFS
									    : TD_LAYER_SYSCALL);
	check_file(in, c, e, s);
	check_bytes(c, e, s);
	check_args(in, c, e);
	check_who(in, c, e, s, who);
}

static void check_block(const struct td_imported *in, const struct script_event *e,
			const struct sample *s, int64_t ts)
{
	const struct td_block *b = NULL;

	for (size_t i = 0; i < in->nblocks && !b; i++)
		if (in->blocks[i].start_ns == ts - s->lat)
			b = &in->blocks[i];
	TD_CHECK(b);
	if (!b)
		return;
	TD_CHECK_INT(b->dur_ns, s->lat);
	TD_CHECK_INT(b->queue_ns, prints(e, "qstart") ? QLAT_MORE : TD_NULL);
	TD_CHECK_INT(b->op, s->rw_number);
	TD_CHECK_INT(b->bytes, s->bytes);
	TD_CHECK_INT(b->sector, prints(e, "@sector") && s->sector >= 0 ? s->sector : TD_NULL);
	TD_CHECK_STR(in->has->devices[b->device_id - 1].name, "sda");
	TD_CHECK_INT(td_process_of(in, b->process_id)->pid, s->pid);
	TD_CHECK_STR(td_text_of(in, td_process_of(in, b->process_id)->name_id), s->comm);
	if (prints(e, "|pid|")) {
		TD_CHECK_INT(td_process_of(in, b->done_process_id)->pid, 0);
		TD_CHECK_STR(td_text_of(in, td_process_of(in, b->done_process_id)->name_id),
			     "swapper");
	}
}

static void check_rows(const struct td_imported *in, enum who who)
{
	size_t calls = 0, blocks = 0;

	TD_CHECK_INT(in->source->issues, 0);
	for (size_t i = 0; i < nprinted; i++) {
		const struct script_event *e = printed[i].event;

		if (strcmp(e->probe, "tracepoint:syscalls:sys_enter_*") == 0)
			continue;
		if (is_block(e)) {
			check_block(in, e, printed[i].sample, printed[i].ts);
			blocks++;
		} else {
			check_call(in, e, printed[i].sample, printed[i].ts, who);
			calls++;
		}
	}
	TD_CHECK_INT(in->ncalls, calls);
	TD_CHECK_INT(in->nblocks, blocks);
}

static void test_script(const struct script *s)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	TD_CASE(s->name);
	td_strbuf_adds(&text, "Attaching 4 probes...\n");
	print_headers(&text, s);
	print_rows(&text, s, false);
	if (text.p[text.len - 1] != '\n')
		td_strbuf_addc(&text, '\n');
	td_import_bytes(&in, NULL, text.p, text.len, NULL);
	TD_CHECK_STR(in.source->importer, "bpftrace");
	check_rows(&in, strcmp(s->name, "trace_mmap 6") == 0 ? PID_UNDER_TID : AS_PRINTED);
}

/* Without its header, as grep leaves it; the file has the script's name. */
static void test_without_header(const struct script *s)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;
	char name[64];

	(void)snprintf(name, sizeof(name), "run/%.*s.out", (int)strcspn(s->name, " "), s->name);
	print_rows(&text, s, false);
	if (!nprinted)
		return;
	if (text.p[text.len - 1] != '\n')
		td_strbuf_addc(&text, '\n');
	td_make_store(&in);
	TD_CHECK_INT(td_import_mem(in.st, text.p, text.len, name, NULL, &td_no_options, &in.err),
		     0);
	in.source = td_store_source_at(in.st, 1);
	td_collect_rows(&in);
	TD_CHECK_STR(in.source->importer, "bpftrace");
	/* two rows only scripts that print the tid have */
	if (strcmp(s->name, "trace_read 1") == 0 || strcmp(s->name, "trace_read_addr 2") == 0)
		check_rows(&in, AS_PRINTED);
	else
		check_rows(&in, TID_TAKEN_FOR_PID);
}

/* With its header, as other scripts' rows look the same without their widths. Of cd.bt and one version of
 * trace_create_del the rows of one and the same file do, so they are left out. */
static void test_aligned(const struct script *s)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	print_headers(&text, s);
	print_rows(&text, s, true);
	if (!nprinted || strncmp(s->name, "cd ", 3) == 0 ||
	    strcmp(s->name, "trace_create_del 2") == 0)
		return;
	td_import_bytes(&in, NULL, text.p, text.len, NULL);
	TD_CHECK_INT(in.source->clock, TD_CLOCK_UTC);
	check_rows(&in, strcmp(s->name, "trace_mmap 6") == 0 ? PID_UNDER_TID : AS_PRINTED);
}

/* Every row of the table is printed by some script. */
static void test_table(void)
{
	_cleanup_(td_layout_set_done) struct td_layout_set set = { 0 };
	_cleanup_free_ bool *used = NULL;

	TD_CHECK_INT(td_layout_set_add_set(&set, td_layout_set_known()), 0);
	used = calloc(set.npatterns, sizeof(*used));
	for (size_t i = 0; used && i < TD_ARRAY_SIZE(scripts); i++) {
		for (const struct script_event *e = scripts[i].events; e->format; e++) {
			_cleanup_(td_strbuf_done) struct td_strbuf line = TD_STRBUF_INIT;
			struct printing p = { e, &samples[0], FIRST_TS };
			struct td_layout_values v;

			print_format(&line, e->format, print_column, &p);
			while (line.p[line.len - 1] == '\n')
				line.len--;
			for (size_t k = 0; k < set.npatterns; k++)
				if (td_pattern_match(&set.patterns[k], line.p, line.p + line.len,
						     true, &v) == line.p + line.len)
					used[k] = true;
		}
	}
	for (size_t k = 0; used && k < set.npatterns; k++) {
		TD_CASE(set.layouts[set.patterns[k].layout].name);
		TD_CHECK(used[k] || set.patterns[k].iso);
	}
}

static bool same_values(const struct td_pattern *pt, const struct td_layout_values *a,
			const struct td_layout_values *b)
{
	for (size_t i = 0; i < pt->nops; i++) {
		enum td_layout_field f = pt->ops[i].field;
		bool text = pt->ops[i].kind == TD_OP_TEXT || pt->ops[i].kind == TD_OP_REST;

		if (f == TD_FIELD_IGNORED || f == TD_FIELD_EXTRA || pt->ops[i].kind == TD_OP_PAIR ||
		    pt->ops[i].kind == TD_OP_CONSTANT)
			continue;
		if (text ? a->text[f].p != b->text[f].p || a->text[f].len != b->text[f].len
			 : a->num[f] != b->num[f])
			return false;
	}
	return true;
}

/* What is matched exactly is what any match gives. true: it is matched so. */
static bool check_exact(const struct td_pattern *pt, const char *p, const char *end)
{
	struct td_layout_values exact = { 0 }, any;
	const char *to = NULL;

	pt = td_pattern_match_exact(pt, p, end, true, &exact, &to);
	if (!pt)
		return false;
	TD_CHECK(td_pattern_match(pt, p, end, true, &any) == to);
	TD_CHECK(same_values(pt, &exact, &any));
	return true;
}

/* The line cut anywhere, in memory of its own so that reading beyond its end is seen, and with each of its
 * characters replaced. */
static void check_spoilt(const struct td_pattern *pt, const struct td_strbuf *line)
{
	static const char others[] = " 0:9-x";

	for (size_t n = 0; n < line->len; n++) {
		_cleanup_free_ char *copy = malloc(line->len);

		if (!copy)
			return;
		memcpy(copy, line->p, line->len);
		for (const char *c = others; *c; c++) {
			copy[n] = *c;
			(void)check_exact(pt, copy, copy + line->len);
		}
		(void)check_exact(pt, line->p + line->len - n, line->p + line->len);
		memcpy(copy + line->len - n, line->p, n);
		(void)check_exact(pt, copy + line->len - n, copy + line->len);
	}
}

static void test_exact(void)
{
	const struct td_layout_set *set = td_layout_set_known();
	size_t n = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(scripts) * TD_ARRAY_SIZE(samples); i++) {
		const struct script *s = &scripts[i / TD_ARRAY_SIZE(samples)];

		TD_CASE(s->name);
		for (const struct script_event *e = s->events; e->format; e++) {
			_cleanup_(td_strbuf_done) struct td_strbuf line = TD_STRBUF_INIT;
			struct printing p = { e, &samples[i % TD_ARRAY_SIZE(samples)], FIRST_TS };

			print_format(&line, e->format, print_column, &p);
			while (line.p[line.len - 1] == '\n')
				line.len--;
			for (size_t k = 0; k < set->npatterns; k++) {
				if (!check_exact(&set->patterns[k], line.p, line.p + line.len))
					continue;
				check_spoilt(&set->patterns[k], &line);
				n++;
			}
		}
	}
	/* not for nothing: most rows have widths */
	TD_CHECK(n > TD_ARRAY_SIZE(scripts));
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(scripts); i++) {
		TD_CASE(scripts[i].name);
		test_script(&scripts[i]);
		test_without_header(&scripts[i]);
		test_aligned(&scripts[i]);
	}
	test_table();
	test_exact();
	return td_check_result();
}
