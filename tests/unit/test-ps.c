/* SPDX-License-Identifier: MIT */
#include "importers/core/importers.h"
#include "tests/unit/samplers.h"

/* "pid/parent user name role: command line [tids]", one line per process. */
static void add_processes(struct td_strbuf *b, const struct td_imported *in)
{
	for (size_t i = 0; i < in->has->nprocesses; i++) {
		const struct td_process *p = &in->has->processes[i];

		td_strbuf_addf(b, "%lld", (long long)p->pid);
		if (p->parent_pid != TD_NULL)
			td_strbuf_addf(b, "/%lld", (long long)p->parent_pid);
		td_strbuf_addf(b, " %s %s %s: %s", td_text_of(in, p->user_id),
			       td_text_of(in, p->name_id), p->role ? p->role : "-",
			       td_text_of(in, p->command_line_id));
		for (size_t k = 0; k < in->has->nthreads; k++)
			if (in->has->threads[k].process_id == i + 1)
				td_strbuf_addf(b, " [%lld]", (long long)in->has->threads[k].tid);
		td_strbuf_addc(b, '\n');
	}
}

static const struct {
	const char *name, *text, *want;
	uint64_t skipped, issues;
} cases[] = {
	{ "aux: header, kernel threads, names",
	  "USER        PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
	  "root          1  0.0  0.1 128068  6676 ?        Ss   Oct25   0:03 "
	  "/usr/lib/systemd/systemd --system\n"
	  "root          2  0.0  0.0      0     0 ?        S    Oct25   0:00 [kthreadd]\n"
	  "root          4  0.0  0.0      0     0 ?        I<   Oct25   0:00 "
	  "[kworker/0:0H-kblockd]\n"
	  "systemd+    700  0.0  0.0  70000  5000 ?        Ss   Oct25   0:00 sshd: user [priv]\n"
	  "message+    701  0.0  0.0  70000  5000 tty1     Ss+  Oct25  12:34 -bash\n"
	  "root        702  0.0  0.0      0     0 pts/0    Z    10:25   0:00 [python] <defunct>\n"
	  "root        703  0.0  0.0  70000     0 pts/0    S    10:25   0:00 [swapped]\n",
	  "1 root systemd -: /usr/lib/systemd/systemd --system\n"
	  "2 root kthreadd kernel: [kthreadd]\n"
	  "4 root kworker/0:0H-kb kernel: [kworker/0:0H-kblockd]\n"
	  "700 systemd+ sshd -: sshd: user [priv]\n"
	  "701 message+ bash -: -bash\n"
	  "702 root python -: [python] <defunct>\n"
	  "703 root swapped -: [swapped]\n",
	  1, 0 },
	{ "auxm: threads below their process, of which ps prints no number",
	  "USER        PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
	  "root         10  0.3  0.0  44792 14980 ?        -    09:35   1:36 python train.py\n"
	  "root          -  0.3    -      -     - -        SLl  09:35   1:36 -\n"
	  "root          -  0.0    -      -     - -        SLl  09:35   0:00 -\n",
	  "10 root python -: python train.py\n", 3, 0 },
	{ "-o lstart: a date of five words; also in another language",
	  "  PID                  STARTED CMD\n"
	  "    1 Fri Nov 20 09:35:46 2026 /sbin/init\n  704 Do 3 Sep 10:00:00 2026 sleep 5\n",
	  "1  init -: /sbin/init\n704  sleep -: sleep 5\n", 1, 0 },
	{ "-o start: one word or two",
	  "  PID  STARTED     TIME CMD\n"
	  "    1   Nov 20 00:00:53 /sbin/init\n  705 10:10:00 00:00:01 sleep 2026\n"
	  "  706  12:10PM  7:53.61 sleep 5\n  707   Nov  2 00:00:00 sleep 2026\n",
	  "1  init -: /sbin/init\n705  sleep -: sleep 2026\n706  sleep -: sleep 5\n"
	  "707  sleep -: sleep 2026\n",
	  1, 0 },
	{ "axjf: the tree is not part of the command",
	  " PPID   PID  PGID   SID TTY      TPGID STAT   UID   TIME COMMAND\n"
	  "    0     2     0     0 ?           -1 S        0   0:00 [kthreadd]\n"
	  "    2     3     0     0 ?           -1 S        0   0:00  \\_ [rcu_gp]\n"
	  "    1   706   706   706 ?           -1 S        0   0:00  |   \\_ sh -c a | b\n",
	  "2/0 0 kthreadd kernel: [kthreadd]\n3/2 0 rcu_gp kernel: [rcu_gp]\n"
	  "706/1 0 sh -: sh -c a | b\n",
	  1, 0 },
	{ "macOS",
	  "USER               PID  %CPU %MEM      VSZ    RSS   TT  STAT STARTED      TIME COMMAND\n"
	  "me                1046   3.7  3.0  6595412 498788   ??  S    12:10PM   7:53.61 "
	  "com.docker.hyperkit -A\n"
	  "_hidd              112   1.7  0.1  4382500   9940 s001  Ss    3:35PM   2:47.17 "
	  "/usr/libexec/hidd\n",
	  "1046 me com.docker.hype -: com.docker.hyperkit -A\n"
	  "112 _hidd hidd -: /usr/libexec/hidd\n",
	  1, 0 },
	{ "-ef, then again: the header is printed again",
	  "UID         PID   PPID  C STIME TTY          TIME CMD\n"
	  "root          2      0  0 Oct25 ?        00:00:00 [kthreadd]\n"
	  "root          3      2  0 Oct25 ?        00:00:00 [ksoftirqd/0]\n\n"
	  "UID         PID   PPID  C STIME TTY          TIME CMD\n"
	  "me         4771   4720  0 10:25 pts/0    2-00:00:00 sleep 14\n",
	  "2/0 root kthreadd kernel: [kthreadd]\n3/2 root ksoftirqd/0 kernel: [ksoftirqd/0]\n"
	  "4771/4720 me sleep -: sleep 14\n",
	  3, 0 },
	{ "-eLf",
	  "UID         PID   PPID    LWP  C NLWP STIME TTY          TIME CMD\n"
	  "me           10      1     10  0    2 10:25 ?        00:00:00 python3 a.py\n"
	  "me           10      1     11  0    2 10:25 ?        00:00:00 python3 a.py\n",
	  "10/1 me python3 -: python3 a.py [10] [11]\n", 1, 0 },
	{ "columns of one's own",
	  "    PID USER     ELAPSED COMMAND\n     12 me         01:02 x y z\n",
	  "12 me x -: x y z\n", 1, 0 },
	{ "no header, of grep; a line that is none, a cut one",
	  "root     2083041  0.1  0.2 38122076 3120044 pts/0  Sl+  00:16   0:41 "
	  "/opt/conda/bin/python -u main.py --local_rank 0\n"
	  "root     2083050  0.0  0.0   6176   844 pts/1  S+   00:16   0:00 grep --color=auto "
	  "python\n"
	  "Connection closed.\n"
	  "root     2083",
	  "2083041 root python -: /opt/conda/bin/python -u main.py --local_rank 0\n"
	  "2083050 root grep tracer: grep --color=auto python\n",
	  0, 2 },
	{ "roles",
	  "PID TTY TIME CMD\n"
	  "1 ? 00:00:00 python -m torch.distributed.launch --nproc_per_node 8 main.py\n"
	  "2 ? 00:00:00 /opt/conda/bin/python /opt/conda/bin/torchrun main.py\n"
	  "3 ? 00:00:00 mpirun -np 8 python main.py\n"
	  "4 ? 00:00:00 python -c from multiprocessing.resource_tracker import main;main(11)\n"
	  "5 ? 00:00:00 python -c from multiprocessing.spawn import spawn_main; "
	  "spawn_main(tracker_fd=5)\n"
	  "6 ? 00:00:00 sudo bpftrace trace_read.bt\n"
	  "7 ? 00:00:00 nvidia-smi pmon -s um -o DT\n"
	  "8 ? 00:00:00 mpstat -P ALL 1\n"
	  "9 ? 00:00:00 strace -f -p 1\n"
	  "10 ? 00:00:00 python train.py --note mpirun\n",
	  "1  python launcher: python -m torch.distributed.launch --nproc_per_node 8 main.py\n"
	  "2  python launcher: /opt/conda/bin/python /opt/conda/bin/torchrun main.py\n"
	  "3  mpirun launcher: mpirun -np 8 python main.py\n"
	  "4  python resource-tracker: python -c from multiprocessing.resource_tracker import "
	  "main;main(11)\n"
	  "5  python spawned: python -c from multiprocessing.spawn import spawn_main; "
	  "spawn_main(tracker_fd=5)\n"
	  "6  sudo tracer: sudo bpftrace trace_read.bt\n"
	  "7  nvidia-smi tracer: nvidia-smi pmon -s um -o DT\n"
	  "8  mpstat tracer: mpstat -P ALL 1\n"
	  "9  strace tracer: strace -f -p 1\n"
	  "10  python -: python train.py --note mpirun\n",
	  1, 0 },
};

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		_cleanup_(td_strbuf_done) struct td_strbuf got = TD_STRBUF_INIT;

		TD_CASE(cases[i].name);
		td_import_text(&in, &td_importer_ps, cases[i].text, NULL);
		add_processes(&got, &in);
		TD_CHECK_STR(td_strbuf_str(&got), cases[i].want);
		TD_CHECK_INT(in.source->skipped, cases[i].skipped);
		TD_CHECK_INT(in.source->issues, cases[i].issues);
		TD_CHECK_INT(in.source->clock, TD_CLOCK_NONE);
	}
}

/* The recordings show seven processes with these roles (tests/data/ps/record.sh). */
static void test_recordings(void)
{
	static const char *const files[] = { "aux.txt", "aux_grep.txt", "auxT.txt", "ef.txt" };
	static const char *const roles[] = { "launcher", "launcher", NULL,    "resource-tracker",
					     "spawned",  "tracer",   "tracer" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++) {
		_cleanup_(td_imported_done) struct td_imported in = { 0 };
		char path[4096];

		TD_CASE(files[i]);
		(void)snprintf(path, sizeof(path), TD_TEST_DATA "/ps/%s", files[i]);
		TD_CHECK(td_import_path(&in, path, NULL));
		TD_CHECK_STR(in.source->importer, "ps");
		TD_CHECK_INT(in.source->issues, 0);
		TD_CHECK_INT(in.has->nprocesses, TD_ARRAY_SIZE(roles));
		for (size_t k = 0; k < in.has->nprocesses && k < TD_ARRAY_SIZE(roles); k++)
			TD_CHECK_STR(in.has->processes[k].role ? in.has->processes[k].role : "",
				     roles[k] ? roles[k] : "");
		TD_CHECK_STR(td_text_of(&in, in.has->processes[1].command_line_id),
			     "./python3 -m torch.distributed.launch --nproc_per_node=2 main.py "
			     "--data_dir /data/with blank");
		/* each has two threads */
		TD_CHECK_INT(in.has->nthreads, strcmp(files[i], "auxT.txt") == 0 ? 14 : 0);
	}
}

static const struct {
	const char *text;
	bool ps;
} heads[] = {
	{ "UID PID PPID C STIME TTY TIME CMD\nroot 1 0 0 Oct26 ? 00:00:10 /sbin/init\n", true },
	{ "$ ps aux\nUSER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\n"
	  "root 1 0.0 0.1 128068 6676 ? Ss Oct25 0:03 init\n",
	  true },
	{ "root 1 0.0 0.1 128068 6676 ? Ss Oct25 0:03 init", true },
	{ "root 1 0.0 0.1 128068 6676 ? Ss Oct25 0:03 init\nroot 2 0.0 0", true },
	/* look-alikes */
	{ "", false },
	{ "UID PID PPID C STIME TTY TIME CMD\n", false },
	{ "PCOMM            PID    PPID   RET ARGS\nls  1 2 0 /bin/ls\n", false },
	{ "PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND\n1 root 20 0 1 1 1 S 0 0 0:00 x\n",
	  false },
	{ "# gpu        pid  type    sm   mem   enc   dec   command\n    0       1234     C    1   "
	  "  1     -     -   python\n",
	  false },
	{ "TIME(s) PID COMM\n0.1 12 python\n", false },
	{ "root 1 0.0 0.1 128068 6676 ? Ss Oct25 0:03 init\nsomething else\n", false },
};

static void test_sniff(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		TD_CASE(heads[i].text);
		TD_CHECK_INT(td_importer_ps.sniff(heads[i].text, strlen(heads[i].text)) > 0,
			     heads[i].ps);
	}
}

static void corpus_file(const char *path, const char *name)
{
	_cleanup_(td_imported_done) struct td_imported in = { 0 };

	if (!strstr(path, "/ps/") && strcmp(name, "pids.out") != 0)
		return;
	TD_CHECK(td_import_path(&in, path, NULL));
	td_print_source(&in, path);
	TD_CHECK_STR(in.source->importer ? in.source->importer : "", "ps");
	TD_CHECK_INT(in.source->issues, 0);
	TD_CHECK_INT(in.has->nprocesses, in.source->rows);
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "ps", "runs/unet3d_4gpu_split",
					       "runs/unet3d_8gpu_dgx1v2" };

	if (argc > 1)
		return td_run_corpus(folders, TD_ARRAY_SIZE(folders), corpus_file);
	test_cases();
	test_recordings();
	test_sniff();
	return td_check_result();
}
