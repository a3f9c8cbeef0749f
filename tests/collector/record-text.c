/* SPDX-License-Identifier: MIT */
/*
 * For the tests of the probes: runs a command under them and prints each record as one line of JSON, in the
 * order in which they came.
 *
 *     record-text [-e SETS] [-w WAYS] [-r RING_BYTES] [-t LOCK_THRESHOLD_NS] -- COMMAND [ARG...]
 *
 * -w: bits of enum td_way that are not to be used. The exit status is 77 with the reason on stderr where
 * nothing can be recorded here, else that of the command.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <sys/wait.h>

#include "common/cleanup.h"
#include "collector/probes/probes.h"
#include "store/store.h"
#include "schema/wire.h"

#define OPS 2048 /* a power of two, above all numbers */
static char op_names[OPS][UINT8_MAX + 1];

static void print_text(const char *key, const char *text, size_t len)
{
	printf(",\"%s\":\"", key);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' || c == '"' || c == '\\' || c > '~')
			printf("\\u%04x", c); /* bytes as Latin-1 */
		else
			putchar(c);
	}
	putchar('"');
}

static void print_call_common(const char *form, const struct td_wire_call *c)
{
	printf("{\"kind\":\"call\",\"form\":\"%s\",\"tid\":%u,\"pid\":%u,\"op\":\"%s\",\"start\":%"
	       "llu,"
	       "\"dur\":%llu,\"file\":%u",
	       form, c->head.tid, c->pid, op_names[c->op % OPS], (unsigned long long)c->start_ns,
	       (unsigned long long)c->dur_ns, c->file);
	if (c->fd != INT32_MIN)
		printf(",\"fd\":%d", c->fd);
	if (c->head.flags & TD_WIRE_CALL_HAS_COLD)
		printf(",\"cold\":%u", c->cold_pages);
	if (c->head.flags & TD_WIRE_CALL_NO_RETURN)
		printf(",\"no_return\":true");
}

static void print_bytes(uint8_t flags, uint64_t asked, uint64_t offset)
{
	if (flags & TD_WIRE_CALL_HAS_ASKED)
		printf(",\"asked\":%llu", (unsigned long long)asked);
	if (flags & (TD_WIRE_CALL_HAS_OFFSET | TD_WIRE_CALL_COMM))
		printf(",\"offset\":%lld", (long long)offset);
	if (flags & TD_WIRE_CALL_HAS_ADDRESS)
		printf(",\"address\":%llu", (unsigned long long)offset);
}

static void print_call(const struct td_wire_head *h)
{
	const struct td_wire_call *c = (const struct td_wire_call *)h;
	const struct td_wire_call_io *io = (const struct td_wire_call_io *)h;
	const struct td_wire_call_wide *wide = (const struct td_wire_call_wide *)h;
	const struct td_wire_call_text *text = (const struct td_wire_call_text *)h;

	if (h->kind == TD_WIRE_CALL_IO) {
		print_call_common("io", c);
		printf(",\"ret\":%d", io->ret);
		print_bytes(h->flags, io->asked_bytes, io->offset_bytes);
		return;
	}
	print_call_common(h->kind == TD_WIRE_CALL_WIDE   ? "wide"
			  : h->kind == TD_WIRE_CALL_TEXT ? "text"
							 : "plain",
			  c);
	printf(",\"ret\":%lld", (long long)c->ret);
	if (h->kind == TD_WIRE_CALL)
		return;
	print_bytes(h->flags, wide->asked_bytes, wide->offset_bytes);
	if (h->kind == TD_WIRE_CALL_TEXT) {
		printf(",\"file2\":%u", text->file2);
		print_text("text", text->text, text->text_len);
		print_text("text2", text->text + text->text_len, text->text2_len);
	}
}

static void print_process(const struct td_wire_process *p)
{
	printf("{\"kind\":\"process\",\"pid\":%u,\"time\":%llu,\"flags\":%u,\"parent\":%u,\"uid\":%"
	       "u,"
	       "\"cgroup\":%llu,\"pid_namespace\":%u,\"namespace_pid\":%u",
	       p->head.tid, (unsigned long long)p->time_ns, p->head.flags, p->parent_pid, p->uid,
	       (unsigned long long)p->cgroup, p->pid_namespace, p->namespace_pid);
	print_text("comm", p->text, p->comm_len);
	print_text("args", p->text + p->comm_len, p->args_len);
}

static void print_file(const struct td_wire_file *f)
{
	printf("{\"kind\":\"%s\",\"file\":%u,\"device\":%u,\"inode\":%llu,\"mode\":%u,\"class\":"
	       "\"%s\","
	       "\"flags\":%u,\"root\":%u",
	       f->head.flags & TD_WIRE_FILE_ROOT ? "root" : "file", f->file, f->device,
	       (unsigned long long)f->inode, f->mode, td_class_names[f->class], f->head.flags,
	       f->root);
	print_text("path", f->path, f->path_len);
}

static void print_sched(const struct td_wire_sched *s)
{
	printf("{\"kind\":\"sched\",\"tid\":%u,\"pid\":%u,\"off\":%llu,\"wake\":%llu,\"on\":%llu,"
	       "\"out\":%llu,\"waker\":%u,\"cpu\":%u,\"from_cpu\":%u,\"state\":%u,\"off_op\":\"%"
	       "s\"",
	       s->head.tid, s->pid, (unsigned long long)s->off_ns, (unsigned long long)s->wake_ns,
	       (unsigned long long)s->on_ns, (unsigned long long)s->out_ns, s->waker_tid, s->cpu,
	       s->from_cpu, s->off_state, op_names[s->off_op % OPS]);
}

static void print_block(const struct td_wire_block *b)
{
	printf("{\"kind\":\"block\",\"tid\":%u,\"pid\":%u,\"insert\":%llu,\"issue\":%llu,"
	       "\"done\":%llu,\"sector\":%llu,\"bytes\":%u,\"device\":%u,\"done_pid\":%u,"
	       "\"flags\":%u,\"error\":%d",
	       b->head.tid, b->pid, (unsigned long long)b->insert_ns,
	       (unsigned long long)b->issue_ns, (unsigned long long)b->done_ns,
	       (unsigned long long)b->sector, b->bytes, b->device, b->done_pid, b->cmd_flags,
	       b->error);
}

static void print_track(const struct td_wire_track *t)
{
	printf("{\"kind\":\"track\",\"track\":%u,\"pid\":%u", t->track, t->pid);
	print_text("name", t->text, t->name_len);
	print_text("unit", t->text + t->name_len, t->unit_len);
}

static void print_sample(const struct td_wire_sample *s)
{
	printf("{\"kind\":\"sample\",\"track\":%u,\"time\":%llu,\"dur\":%llu,\"value\":%.17g",
	       s->track, (unsigned long long)s->time_ns, (unsigned long long)s->dur_ns, s->value);
}

static void print_number(const char *key, double value)
{
	if (value == value)
		printf(",\"%s\":%.17g", key, value);
}

static void print_summary(const struct td_wire_summary *s)
{
	printf("{\"kind\":\"summary\"");
	print_number("low", s->low);
	print_number("high", s->high);
	print_number("value", s->value);
	print_text("name", s->text, s->name_len);
	print_text("key", s->text + s->name_len, s->key_len);
	print_text("unit", s->text + s->name_len + s->key_len, s->unit_len);
}

static void print_loss(const struct td_wire_loss *l)
{
	printf("{\"kind\":\"loss\",\"ring\":%u,\"generated\":%llu,\"lost\":%llu,\"peak\":%u,"
	       "\"size\":%u",
	       l->ring, (unsigned long long)l->generated, (unsigned long long)l->lost,
	       l->ring_peak_bytes, l->ring_size_bytes);
	print_text("set", l->name, l->name_len);
}

static void print_usage(const struct td_wire_usage *u)
{
	printf("{\"kind\":\"usage\",\"tid\":%u,\"pid\":%u,\"from\":%llu,\"to\":%llu,\"runtime\":%"
	       "llu,"
	       "\"user\":%llu,\"system\":%llu,\"voluntary\":%u,\"involuntary\":%u,\"max_rss\":%llu",
	       u->head.tid, u->pid, (unsigned long long)u->from_ns, (unsigned long long)u->to_ns,
	       (unsigned long long)u->runtime_ns, (unsigned long long)u->user_ns,
	       (unsigned long long)u->system_ns, u->voluntary, u->involuntary,
	       (unsigned long long)u->max_rss_pages);
}

static void print_record(const struct td_wire_head *h)
{
	const struct td_wire_op *op = (const struct td_wire_op *)h;
	const struct td_wire_thread *thread = (const struct td_wire_thread *)h;
	const struct td_wire_exit *ex = (const struct td_wire_exit *)h;
	const struct td_wire_cost *cost = (const struct td_wire_cost *)h;

	switch (h->kind) {
	case TD_WIRE_OP:
		(void)snprintf(op_names[op->op % OPS], sizeof(op_names[0]), "%.*s", op->name_len,
			       op->name);
		return;
	case TD_WIRE_CALL:
	case TD_WIRE_CALL_IO:
	case TD_WIRE_CALL_WIDE:
	case TD_WIRE_CALL_TEXT:
		print_call(h);
		break;
	case TD_WIRE_PROCESS:
		print_process((const struct td_wire_process *)h);
		break;
	case TD_WIRE_THREAD:
		printf("{\"kind\":\"thread\",\"tid\":%u,\"pid\":%u,\"time\":%llu", h->tid,
		       thread->pid, (unsigned long long)thread->time_ns);
		print_text("comm", thread->comm, thread->comm_len);
		break;
	case TD_WIRE_EXIT:
		printf("{\"kind\":\"exit\",\"tid\":%u,\"pid\":%u,\"time\":%llu,\"status\":%d,"
		       "\"group\":%d",
		       h->tid, ex->pid, (unsigned long long)ex->time_ns, ex->status,
		       h->flags & TD_WIRE_EXIT_GROUP);
		break;
	case TD_WIRE_FILE:
		print_file((const struct td_wire_file *)h);
		break;
	case TD_WIRE_SCHED:
		print_sched((const struct td_wire_sched *)h);
		break;
	case TD_WIRE_BLOCK:
		print_block((const struct td_wire_block *)h);
		break;
	case TD_WIRE_TRACK:
		print_track((const struct td_wire_track *)h);
		break;
	case TD_WIRE_SAMPLE:
		print_sample((const struct td_wire_sample *)h);
		break;
	case TD_WIRE_SUMMARY:
		print_summary((const struct td_wire_summary *)h);
		break;
	case TD_WIRE_LOSS:
		print_loss((const struct td_wire_loss *)h);
		break;
	case TD_WIRE_USAGE:
		print_usage((const struct td_wire_usage *)h);
		break;
	case TD_WIRE_COST:
		printf("{\"kind\":\"cost\",\"runs\":%llu,\"cpu_ns\":%llu",
		       (unsigned long long)cost->runs, (unsigned long long)cost->cpu_ns);
		print_text("name", cost->name, cost->name_len);
		break;
	default:
		printf("{\"kind\":%u", h->kind);
	}
	printf("}\n");
}

static int sink(void *arg, const void *records, size_t size)
{
	const char *p = records;

	while (size) {
		const struct td_wire_head *h = (const struct td_wire_head *)p;

		if (size < sizeof(*h) || h->size < sizeof(*h) || h->size % 8 || h->size > size) {
			fprintf(stderr, "record-text: bad record of %u bytes, kind %u\n", h->size,
				h->kind);
			return -EBADMSG;
		}
		print_record(h);
		p += h->size;
		size -= h->size;
	}
	return 0;
}

static void print_status(const struct td_probes *p)
{
	static const char *const states[] = {
		[TD_SET_OFF] = "off",
		[TD_SET_WORKS] = "works",
		[TD_SET_FALLBACK] = "fallback",
		[TD_SET_IMPOSSIBLE] = "impossible",
	};
	static const char *const ways[TD_NWAYS] = {
		[TD_WAY_TP_BTF] = "tp_btf", [TD_WAY_FENTRY] = "fentry",
		[TD_WAY_KPROBE] = "kprobe", [TD_WAY_TRACEPOINT] = "tracepoint",
		[TD_WAY_UPROBE] = "uprobe", [TD_WAY_ITER] = "iter",
	};
	const struct td_set_status *s;
	size_t n;

	s = td_probes_status(p, &n);
	for (size_t i = 0; i < n; i++) {
		printf("{\"kind\":\"status\",\"set\":\"%s\",\"state\":\"%s\",\"way\":\"%s\"",
		       td_sets[s[i].set]->name, states[s[i].state], ways[s[i].way]);
		print_text("why", s[i].why, strlen(s[i].why));
		printf("}\n");
	}
}

/* A child that executes argv when it is let go (something is written to *ret_go). */
static pid_t spawn(char **argv, int *ret_go)
{
	int go[2];
	pid_t pid;
	char c;

	if (pipe(go) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &c, 1) == 1) {
			close(go[0]);
			execvp(argv[0], argv);
		}
		_exit(127);
	}
	close(go[0]);
	*ret_go = go[1];
	return pid;
}

static int record(struct td_probes *p, char **argv, struct td_err *err)
{
	_cleanup_close_ int go = -1;
	pid_t pid = spawn(argv, &go);
	int status = 0, r;

	r = td_probes_start(p, sink, NULL, err);
	if (r < 0)
		return r;
	r = td_probes_follow(p, pid, err);
	if (r < 0)
		return r;
	if (write(go, "", 1) != 1)
		return -errno;
	while (waitpid(pid, &status, WNOHANG) == 0 || td_probes_any_left(p)) {
		usleep(10000);
		r = (int)td_probes_drain(p, sink, NULL, NULL, err);
		if (r < 0)
			return r;
	}
	r = td_probes_stop(p, err);
	if (r < 0)
		return r;
	r = (int)td_probes_drain(p, sink, NULL, NULL, err);
	if (r < 0)
		return r;
	r = td_probes_loss(p, sink, NULL, err);
	if (r < 0)
		return r;
	r = td_probes_totals(p, sink, NULL, err);
	if (r < 0)
		return r;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	_cleanup_(td_probes_closep) struct td_probes *p = NULL;
	struct td_probes_options o = { .sets = td_sets_default(), .count_cost = true };
	struct td_err err = { "" };
	int c, r;

	while ((c = getopt(argc, argv, "+e:w:r:t:")) >= 0) {
		if (c == 'e' && td_sets_parse(optarg, &o.sets, &err) < 0) {
			fprintf(stderr, "record-text: %s\n", err.msg);
			return 2;
		}
		if (c == 'w')
			o.without = (uint32_t)strtoul(optarg, NULL, 0);
		if (c == 't')
			o.lock_threshold_ns = o.cuda_threshold_ns = strtoul(optarg, NULL, 0);
		if (c == 'r')
			o.ring_bytes = strtoul(optarg, NULL, 0);
	}
	r = td_probes_open(&o, &p, &err);
	if (r < 0) {
		fprintf(stderr, "nothing can be recorded here: %s\n", err.msg);
		return 77;
	}
	print_status(p);
	r = record(p, argv + optind, &err);
	if (r < 0)
		fprintf(stderr, "record-text: %s\n", err.msg[0] ? err.msg : strerror(-r));
	return r < 0 ? 1 : r;
}
