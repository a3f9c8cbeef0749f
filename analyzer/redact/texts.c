/* SPDX-License-Identifier: MIT */
#include "analyzer/redact/texts.h"
#include "analyzer/redact/texts_private.h"
#include "common/cleanup.h"
#include "schema/calls.h"
#include "schema/collectives.h"
#include "schema/ops.h"

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool is_word(char c)
{
	return is_letter(c) || td_is_digit(c) || c == '_';
}

bool td_text_is_made_of(struct td_str text, const char *others)
{
	for (size_t i = 0; i < text.len; i++)
		if (!is_word(text.p[i]) && !strchr(others, text.p[i]))
			return false;
	return !memchr(text.p, '\0', text.len);
}

bool td_text_is_in(struct td_str text, const char *const *words)
{
	for (; *words; words++)
		if (td_str_eq(text, *words))
			return true;
	return false;
}

bool td_text_begins_with_any(struct td_str text, const char *const *words)
{
	for (; *words; words++)
		if (td_str_starts(text, *words))
			return true;
	return false;
}

void td_text_keep(struct td_str text, struct td_strbuf *ret)
{
	td_strbuf_add(ret, text.p, text.len);
}

void td_text_keep_or_name(struct td_names *n, char kind, bool stays, struct td_str text,
			  struct td_strbuf *ret)
{
	if (stays || text.len == 0)
		td_text_keep(text, ret);
	else
		td_name_word(n, kind, text, ret);
}

struct td_str td_text_until(struct td_str *text, const char *ends)
{
	size_t len = 0;
	struct td_str head;

	while (len < text->len && !strchr(ends, text->p[len]))
		len++;
	head = (struct td_str){ text->p, len };
	text->p += len;
	text->len -= len;
	return head;
}

static struct td_str without_digits_behind(struct td_str text)
{
	while (text.len && td_is_digit(text.p[text.len - 1]))
		text.len--;
	return text;
}

void td_text_name_path(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	td_name_path(n, text, (struct td_str){ NULL, 0 }, ret);
}

/* 'TCP:10.0.0.1:4000->10.0.0.2:80', 'TCP:[10.0.0.1:4000->10.0.0.2:80]', 'socket:[1234]', 'unix:/run/x' */
static void name_peers(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	static const char *const protocols[] = {
		"socket", "tcp",  "TCP", "tcp6", "TCPv6",  "udp",     "UDP",     "udp6", "UDPv6",
		"unix",   "UNIX", "raw", "RAW",  "packet", "netlink", "NETLINK", NULL,
	};
	struct td_str rest = text, head = td_text_until(&rest, ":");

	if (td_text_is_in(head, protocols)) {
		td_text_keep(head, ret);
		text = rest;
	}
	while (text.len) {
		struct td_str peer = td_text_until(&text, ">[]{}");
		bool arrow = text.len && *text.p == '>' && peer.len && peer.p[peer.len - 1] == '-';

		if (peer.len && *peer.p == ':') {
			td_strbuf_addc(ret, ':');
			peer.p++;
			peer.len--;
		}
		peer.len -= arrow && peer.len;
		if (peer.len)
			td_name_word(n, 'p', peer, ret);
		if (arrow)
			td_strbuf_addc(ret, '-');
		if (text.len) {
			td_strbuf_addc(ret, *text.p);
			text.p++;
			text.len--;
		}
	}
}

static void name_comm(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	static const char *const common[] = {
		"-",
		"awk",
		"bash",
		"bpftrace",
		"cat",
		"cp",
		"cuda-EvtHandlr",
		"dash",
		"date",
		"dd",
		"find",
		"grep",
		"iostat",
		"java",
		"kthreadd",
		"ls",
		"mpiexec",
		"mpirun",
		"mpstat",
		"nvidia-smi",
		"orted",
		"perf",
		"ps",
		"pt_autograd_",
		"pt_data_pin",
		"pt_data_worker",
		"pt_main_thread",
		"pt_nccl_watchdg",
		"python",
		"rsync",
		"sed",
		"sh",
		"sleep",
		"srun",
		"ssh",
		"sshd",
		"strace",
		"sudo",
		"sync",
		"systemd",
		"tar",
		"torchrun",
		"tracedb",
		"tracedb-record",
		NULL,
	};
	static const char *const kernel[] = { "jbd2/",      "kswapd", "kworker/", "ksoftirqd/",
					      "migration/", "rcu_",   "swapper",  NULL };
	struct td_str stem = without_digits_behind(text);

	/* 'python3.12' */
	if (stem.len && stem.p[stem.len - 1] == '.')
		stem = without_digits_behind((struct td_str){ stem.p, stem.len - 1 });
	td_text_keep_or_name(n, 'c',
			     td_text_is_in(text, common) || td_text_is_in(stem, common) ||
				     (td_text_begins_with_any(text, kernel) &&
				      td_text_is_made_of(text, "/:.-+")),
			     text, ret);
}

/* 'epoch 3' as the label of a phase is 'epoch' as the name of a span. */
static void name_label(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	static const char *const common[] = {
		"(run)",
		"backward",
		"block",
		"checkpoint",
		"compile",
		"complete",
		"data",
		"epoch",
		"eval",
		"eval_accuracy",
		"exit",
		"forward",
		"global_batch_size",
		"init",
		"iteration",
		"load",
		"record-start",
		"record-end",
		"optimizer",
		"run",
		"save",
		"signal",
		"step",
		"submission_benchmark",
		"submission_division",
		"submission_org",
		"submission_platform",
		"submission_status",
		"target_accuracy",
		"test",
		"throughput",
		"tracked_stats",
		"train",
		"training",
		"validation",
		"warmup",
		"Record Window End",
		"Iteration Start: PyTorch Profiler",
		NULL,
	};
	static const char *const libraries[] = { "aten::", "c10d::", "nccl:", NULL };
	static const char *const beginnings[] = { "ProfilerStep#", "Optimizer.step#",
						  "enumerate(DataLoader)#", "PyTorch Profiler (" };
	struct td_str stem = without_digits_behind(text);

	if (stem.len < text.len && stem.len > 1 && stem.p[stem.len - 1] == ' ')
		stem.len--;
	else
		stem = text;
	for (size_t i = 0; i < TD_ARRAY_SIZE(beginnings); i++) {
		size_t len = strlen(beginnings[i]);
		struct td_str rest = { text.p + len, text.len - len };

		if (!td_str_starts(text, beginnings[i]))
			continue;
		td_strbuf_adds(ret, beginnings[i]);
		td_text_keep_or_name(n, 'l', td_text_is_number(rest), rest, ret);
		return;
	}
	td_text_keep_or_name(n, 'l',
			     td_text_is_in(stem, common) ||
				     (td_text_begins_with_any(text, libraries) &&
				      td_text_is_made_of(text, ":.")),
			     stem, ret);
	td_strbuf_add(ret, stem.p + stem.len, text.len - stem.len);
}

static void name_gpu_work(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	static const char *const words[] = {
		"Array",    "Device", "DtoA", "DtoD",    "DtoH",    "Host",
		"HtoA",     "HtoD",   "HtoH", "Managed", "Memcpy",  "Memset",
		"Pageable", "Pinned", "PtoP", "Unified", "Unknown", NULL,
	};
	struct td_str rest = text, word;
	struct td_str collective = td_collective_name(text);
	bool stays = collective.p && collective.p + collective.len == text.p + text.len &&
		     td_text_is_made_of(collective, "");

	if (!stays) {
		for (stays = true; stays && rest.len; rest.p++, rest.len--) {
			word = td_text_until(&rest, " ()->,");
			stays = !word.len || td_text_is_in(word, words);
			if (!rest.len)
				break;
		}
	}
	td_text_keep_or_name(n, 'g', stays, text, ret);
}

static void name_track(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	static const char *const groups[] = { "cpu.", "disk.", "faults.", "gpu.", "nvlink.", NULL };

	td_text_keep_or_name(n, 't',
			     td_text_begins_with_any(text, groups) && td_text_is_made_of(text, "."),
			     text, ret);
}

static void name_unit(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	static const char *const units[] = { "%",     "1/s",     "B/s", "C",  "MHz", "MB/s", "W",
					     "bytes", "bytes/s", "ms",  "ns", "s",   "us",   NULL };

	td_text_keep_or_name(n, 'u', td_text_is_in(text, units), text, ret);
}

/* 'sda', 'nvme0n1p2', 'dm-3', 'GPU 3': at most two letters behind what it begins with */
static void name_device(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	static const char *const beginnings[] = { "CPU ",  "GPU ", "dm-", "loop", "md", "mmcblk",
						  "node ", "nvme", "sd",  "sr",   "vd", "xvd" };
	bool stays = false;

	for (size_t i = 0; i < TD_ARRAY_SIZE(beginnings) && !stays; i++) {
		size_t letters = 0;

		if (!td_str_starts(text, beginnings[i]) || text.len > 16)
			continue;
		for (size_t k = strlen(beginnings[i]); k < text.len; k++)
			letters += td_is_digit(text.p[k]) ? 0 : is_letter(text.p[k]) ? 1 : text.len;
		stays = letters <= 2;
	}
	td_text_keep_or_name(n, 'd', stays, text, ret);
}

static void name_op(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	static const char *const cuda[] = { "cu", "nccl", NULL };
	struct td_str name = text;

	if (td_str_ends(name, TD_CALL_OUT))
		name.len -= strlen(TD_CALL_OUT);
	td_text_keep_or_name(
		n, 'o',
		strcmp(td_op_lookup(name.p, name.len)->kind, "other") != 0 ||
			strcmp(td_op_lookup(name.p, name.len)->verb, "other") != 0 ||
			td_syscall_find(name) ||
			(td_text_begins_with_any(name, cuda) && td_text_is_made_of(name, "")),
		text, ret);
}

static void name_ident(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	static const char *const kept[] = {
		"PyTorch Kineto",
		"bpftrace",
		"iostat",
		"mpstat",
		"nsys",
		"nvidia-smi",
		"perf",
		"ps",
		"strace",
		"tracedb-record", /* tools */
		"cpu-op",
		"annotation",
		"gpu-annotation",
		"nvtx",
		"overhead",
		"phase",
		"profiler",
		"python",
		"tool",
		"unrecorded",
		"complete",
		"unfinished",
		"no-start", /* spans */
		"call",
		"cpu", /* stacks */
		"kernel",
		"copy",
		"set",
		"sync",
		"graph", /* work of GPUs */
		"running",
		"runnable",
		"sleeping",
		"blocked",
		"preempted",
		"dead",
		"stopped", /* slices */
		"regular",
		"directory",
		"shm",
		"memfd",
		"pipe",
		"socket",
		"eventfd",
		"anon-inode",
		"device",
		"terminal",
		"proc-sys",
		"deleted",
		"unnamed",
		"unknown", /* classes of files */
		"cuda.launches",
		"cuda.launch_time",
		"malloc.calls",
		"malloc.bytes",
		"gpu.memory", /* summaries */
		NULL,
	};

	if (td_text_is_in(text, kept))
		td_text_keep(text, ret);
	else
		name_op(n, text, ret); /* why a thread left its CPU: a call */
}

static void name_version(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	bool stays = text.len < 20;

	for (size_t i = 0; i < text.len; i++)
		stays = stays && (td_is_digit(text.p[i]) || text.p[i] == '.');
	td_text_keep_or_name(n, 'r', stays, text, ret);
}

static void name_layout(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	if (!td_str_starts(text, "user:")) {
		td_text_keep_or_name(n, 'y', td_text_is_made_of(text, "/:.-+ ") && text.len < 40,
				     text, ret);
		return;
	}
	td_strbuf_adds(ret, "user:");
	td_name_word(n, 'y', text, ret);
}

static void name_user(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	td_text_keep_or_name(n, 'a', td_str_eq(text, "root"), text, ret);
}

static void name_any(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	td_text_keep_or_name(n, 'w', false, text, ret);
}

static void note(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	td_strbuf_adds(ret, "(redacted)");
}

static void keep_text(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	td_text_keep(text, ret);
}

void td_redact_text(struct td_names *n, enum td_text_kind kind, struct td_str text,
		    struct td_strbuf *ret)
{
	static void (*const kinds[])(struct td_names *, struct td_str, struct td_strbuf *) = {
		[TD_TEXT_KEEP] = keep_text,         [TD_TEXT_NOTE] = note,
		[TD_TEXT_NAME] = name_any,          [TD_TEXT_LAYOUT] = name_layout,
		[TD_TEXT_IDENT] = name_ident,       [TD_TEXT_VERSION] = name_version,
		[TD_TEXT_PATH] = td_text_name_path, [TD_TEXT_PEERS] = name_peers,
		[TD_TEXT_COMM] = name_comm,         [TD_TEXT_COMMAND] = td_text_name_command,
		[TD_TEXT_USER] = name_user,         [TD_TEXT_LABEL] = name_label,
		[TD_TEXT_GPU] = name_gpu_work,      [TD_TEXT_ARGS] = td_text_name_args,
		[TD_TEXT_TRACK] = name_track,       [TD_TEXT_UNIT] = name_unit,
		[TD_TEXT_DEVICE] = name_device,     [TD_TEXT_OP] = name_op,
	};

	kinds[kind](n, text, ret);
}
