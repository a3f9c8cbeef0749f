/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/walk.h"
#include "tests/property/samples.h"

/* Of the rules that match a file the first one counts. */
static const struct td_sample_rule own[] = {
	{ .files = "tests/data/none/*" },
	{ .files = "*/record.sh" },
	{ .files = "*/prog.c" },
	{ .files = "*.bt" },
	{ .files = "tests/data/stream/*" },
	{ .files = "tests/data/frames/*" },
	{ .files = "tests/data/btree/*" },
	{ .files = "tests/data/archive/*" }, /* opened before anybody is asked */
	{ .files =
		  "tests/data/nsys/*.sql" }, /* a database is made of each, see td_samples_nsys() */
	{ .files = "tests/data/bpftrace/fsync.out" }, /* by its --layout only */
	{ .files = "tests/data/bpftrace/vfs_rw.out",
	  .importer = "bpftrace",
	  .also = "bpftrace-tools" },
	{ .files = "tests/data/bpftrace/*", .importer = "bpftrace" },
	{ .files = "tests/data/bpftrace_json/*", .importer = "bpftrace-json" },
	{ .files = "tests/data/bpftrace_tools/*", .importer = "bpftrace-tools" },
	{ .files = "tests/data/dlio/*", .importer = "dlio" },
	/* until a block or a metric comes, it is anybody's JSON */
	{ .files = "tests/data/dlio_json/*", .importer = "dlio-json", .late = true },
	{ .files = "tests/data/folded/*", .importer = "folded" },
	{ .files = "tests/data/iostat/*", .importer = "iostat" },
	{ .files = "tests/data/iostat_json/*", .importer = "iostat-json" },
	{ .files = "tests/data/kineto/*", .importer = "kineto" },
	{ .files = "tests/data/mllog/*", .importer = "mllog" },
	{ .files = "tests/data/mpstat/*", .importer = "mpstat" },
	{ .files = "tests/data/mpstat_json/*", .importer = "mpstat-json" },
	{ .files = "tests/data/nvidia-command/*" }, /* by their --layout only */
	{ .files = "tests/data/partial/*" }, /* of 'tracedb merge' */
	{ .files = "tests/data/template/*" }, /* names of files, for the fuzz target of templates */
	{ .files = "tests/data/nvidia_query/*", .importer = "nvidia-query" },
	{ .files = "tests/data/nvidia_smi/*", .importer = "nvidia-smi" },
	{ .files = "tests/data/output/*", .importer = "output" },
	{ .files = "tests/data/perf_script/*", .importer = "perf-script" },
	{ .files = "tests/data/perf_trace/*", .importer = "perf-trace" },
	{ .files = "tests/data/phase-pattern/*" }, /* by --phase-pattern only */
	{ .files = "tests/data/ps/*", .importer = "ps" },
	{ .files = "tests/data/record/*.spool", .importer = "record" },
	{ .files = "tests/data/strace/*", .importer = "strace" },
	{ .files = "examples/*/run/cpu.out", .importer = "mpstat" },
	{ .files = "examples/*/run/gpu.out", .importer = "nvidia-smi" },
	{ .files = "examples/*/run/pids.out", .importer = "ps" },
	{ .files = "examples/*/run/train.log", .importer = "mllog" },
	{ .files = "examples/*/run/*.out", .importer = "bpftrace" },
	{ .files = "examples/*" }, /* README.md, generators, truth.json */
	{ .files = NULL },
};

static const struct td_sample_rule tree[] = {
	{ .files = "tests/cli/*.sh", .any = true },
	/* whole events stand in their first comments, and an event may begin anywhere in a line */
	{ .files = "importers/mllog/mllog.c", .importer = "mllog" },
	{ .files = "importers/mllog/scan.c", .importer = "mllog" },
	/* traces that were printed back as text */
	{ .files = "tests/cli/export-bpftrace*.out", .importer = "bpftrace", .maybe = true },
	{ .files = "*" },
	{ .files = NULL },
};

static const struct td_sample_rule nsys[] = {
	{ .files = "*.sqlite", .importer = "nsys" },
	{ .files = NULL },
};

/* By the folders of the corpus and what its MANIFEST.tsv says of single files. */
static const struct td_sample_rule corpus[] = {
	{ .files = "MANIFEST.tsv" },
	{ .files = "*/oracle.json" },

	/* tables of tools that FORMATS.md does not list */
	{ .files = "bpftrace/bcc_filetop*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bcc_llcstat*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bcc_mdflush*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bcc_memleak*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bcc_mountsnoop*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bcc_offcputime*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bcc_profile*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bcc_stackcount*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bcc_tcplife*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bcc_trace_*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bt_capable*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bt_gethostlatency*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bt_loads*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bt_mdflush*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bt_naptime*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bt_setuids*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bt_sslsnoop*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bt_tcpdrop*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bt_tcplife*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bt_threadsnoop*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace/bcc_biosnoop*", .importer = "bpftrace-tools", .also = "iostat" },
	{ .files = "bpftrace/*", .importer = "bpftrace-tools" },

	{ .files = "bpftrace_local/*.err" }, /* messages of the compiler */
	{ .files = "bpftrace_local/*.json.out", .importer = "bpftrace-json" },
	{ .files = "bpftrace_local/highrate_lost*" }, /* one-liners: by a --layout only */
	{ .files = "bpftrace_local/sigkill_truncated*" },
	{ .files = "bpftrace_local/strftime*" },
	{ .files = "bpftrace_local/runql*" }, /* no bytes at all */
	{ .files = "bpftrace_local/threadsnoop*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace_local/writeback*", .importer = "bpftrace-tools", .maybe = true },
	{ .files = "bpftrace_local/*", .importer = "bpftrace-tools" },

	{ .files = "kineto/*memory_timeline.raw*" }, /* an array of arrays */
	{ .files = "kineto/*rocprof*" },
	{ .files = "kineto/*.tar.gz" }, /* its members are to be read, not the archive */
	{ .files = "kineto/*", .importer = "kineto" },

	{ .files = "mlperf-dgx1/gpu.out", .importer = "nvidia-smi" },
	{ .files = "mlperf*", .importer = "mllog" },

	{ .files = "mpstat/*solaris*" },
	{ .files = "mpstat/*-V-env*" },
	{ .files = "mpstat/*IST_suffix*", .importer = "mpstat", .maybe = true }, /* two rows */
	{ .files = "mpstat/paste_zh_CN_mixed*", .importer = "mpstat", .late = true },
	{ .files = "mpstat/paste_zh_CN_sigint*", .importer = "mpstat", .late = true },
	{ .files = "mpstat*json*", .importer = "mpstat-json" },
	{ .files = "mpstat*JSON*", .importer = "mpstat-json" },
	{ .files = "mpstat*", .importer = "mpstat" },

	{ .files = "nsys/*.txt" }, /* reports */
	{ .files = "nsys/*.sqlite", .importer = "nsys" },

	{ .files = "nvidia-smi/4179e1_dmon.csv" }, /* DCGM's */
	{ .files = "nvidia-smi/*ppu-smi*" },
	{ .files = "nvidia-smi/*", .importer = "nvidia-smi" },

	{ .files = "ps/*", .importer = "ps" },
	{ .files = "runs/*/cpu.out", .importer = "mpstat" },
	{ .files = "runs/*/gpu.out", .importer = "nvidia-smi" },
	{ .files = "runs/*/pids.out", .importer = "ps" },
	{ .files = "runs/*/unet3d.log", .importer = "mllog" },
	{ .files = "runs/*.out", .importer = "bpftrace" },
	{ .files = "strace/paste_r_relative*", .importer = "strace", .late = true },
	{ .files = "strace/paste_segv*", .importer = "strace", .late = true },
	{ .files = "strace*", .importer = "strace" },
	{ .files = NULL },
};

struct walk {
	size_t root_len;
	const struct td_sample_rule *rules;
	void (*each)(void *ctx, const struct td_sample_file *s);
	void *ctx;
	int n;
};

static int on_file(void *ctx, const char *path, const struct stat *st)
{
	static const struct td_sample_rule unknown = { .importer = "(no rule names it)" };
	struct walk *w = ctx;
	struct td_sample_file s = { path, path + w->root_len, w->rules };

	(void)st;
	s.name += strspn(s.name, "./");
	while (s.rule->files && fnmatch(s.rule->files, s.name, 0) != 0)
		s.rule++;
	if (!s.rule->files)
		s.rule = &unknown;
	w->each(w->ctx, &s);
	w->n++;
	return 0;
}

static int on_problem(void *ctx, const char *path, int r, const char *msg)
{
	(void)ctx;
	(void)path;
	fprintf(stderr, "%s\n", msg);
	return r;
}

/* below: folders and files to look at, NULL-ended. */
static int each_below(const char *root, const char *const *below, struct walk *w)
{
	static const struct td_walk_fn fn = { on_file, on_problem };

	w->root_len = strlen(root);
	for (; *below; below++) {
		char path[4096];
		struct td_err err = { "" };

		(void)snprintf(path, sizeof(path), "%s/%s", root, *below);
		if (td_walk(path, &fn, w, &err) < 0)
			fprintf(stderr, "%s\n", err.msg);
	}
	return w->n;
}

int td_samples_own(const char *root, void (*each)(void *ctx, const struct td_sample_file *s),
		   void *ctx)
{
	static const char *const below[] = { "tests/data", "examples", NULL };
	struct walk w = { .rules = own, .each = each, .ctx = ctx };

	return each_below(root, below, &w);
}

int td_samples_tree(const char *root, void (*each)(void *ctx, const struct td_sample_file *s),
		    void *ctx)
{
	/* bench/data is what 'run bench' generated: run folders like any other */
	static const char *const below[] = {
		"README.md",
		"CHANGELOG.md",
		"LICENSE",
		"meson.build",
		"run",
		"docs",
		"common",
		"schema",
		"store",
		"importers",
		"collector",
		"analyzer",
		"cli",
		"queries",
		"bench/bench.py",
		"bench/generate.c",
		"bench/README.md",
		"completion",
		"tests/cli",
		"tests/collector",
		"tests/fuzz",
		"tests/unit",
		NULL,
	};
	struct walk w = { .rules = tree, .each = each, .ctx = ctx };

	return each_below(root, below, &w);
}

int td_samples_nsys(const char *root, void (*each)(void *ctx, const struct td_sample_file *s),
		    void *ctx)
{
	static const char *const below[] = { ".", NULL };
	struct walk w = { .rules = nsys, .each = each, .ctx = ctx };

	return each_below(root, below, &w);
}

int td_samples_corpus(const char *root, void (*each)(void *ctx, const struct td_sample_file *s),
		      void *ctx)
{
	static const char *const below[] = { ".", NULL };
	struct walk w = { .rules = corpus, .each = each, .ctx = ctx };

	return each_below(root, below, &w);
}
