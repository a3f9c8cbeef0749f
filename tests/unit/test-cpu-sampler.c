/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <time.h>

#include "collector/samplers/cpu.h"
#include "common/scan.h"
#include "tests/unit/wire.h"

#define MS UINT64_C(1000000)

static void put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	TD_CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

/* One CPU; readings of a made-up /proc/stat and what they come to. Tracks are numbered in the order in which
 * they are first needed; 'all' stands before CPU 0. */
static const struct {
	const char *name;
	unsigned ms;
	const char *text, *want;
} readings[] = {
	{ "the first one only shows where the counters stand", 1000,
	  "cpu  100 10 50 1000 5 1 2 3 0 0\ncpu0 100 10 50 1000 5 1 2 3 0 0\nintr 5\n", "" },
	/* together 3 + 1 + 2 + 10 + 1 + 1 + 1 + 1 = 20 ticks: 15 5 10 50 5 5 5 5 % */
	{ "every counter grows", 1100, "cpu  103 11 52 1010 6 2 3 4 0 0\nintr 5\n",
	  "track 1 cpu.usr (%) kind 255 number 0 ''\ncpu.usr  @1100+100 = 15\n"
	  "track 2 cpu.nice (%) kind 255 number 0 ''\ncpu.nice  @1100+100 = 5\n"
	  "track 3 cpu.sys (%) kind 255 number 0 ''\ncpu.sys  @1100+100 = 10\n"
	  "track 4 cpu.idle (%) kind 255 number 0 ''\ncpu.idle  @1100+100 = 50\n"
	  "track 5 cpu.iowait (%) kind 255 number 0 ''\ncpu.iowait  @1100+100 = 5\n"
	  "track 6 cpu.irq (%) kind 255 number 0 ''\ncpu.irq  @1100+100 = 5\n"
	  "track 7 cpu.soft (%) kind 255 number 0 ''\ncpu.soft  @1100+100 = 5\n"
	  "track 8 cpu.steal (%) kind 255 number 0 ''\ncpu.steal  @1100+100 = 5\n" },
	/* user 8 of which guest 6, nice 2 of which guest_nice 1; 8 + 2 = 10 ticks in all */
	{ "guests are contained in user and nice", 1200,
	  "cpu  111 13 52 1010 6 2 3 4 6 1\nintr 5\n",
	  "cpu.usr  @1200+100 = 20\ncpu.nice  @1200+100 = 10\ncpu.sys  @1200+100 = 0\n"
	  "cpu.idle  @1200+100 = 0\ncpu.iowait  @1200+100 = 0\ncpu.irq  @1200+100 = 0\n"
	  "cpu.soft  @1200+100 = 0\ncpu.steal  @1200+100 = 0\n"
	  "track 9 cpu.guest (%) kind 255 number 0 ''\ncpu.guest  @1200+100 = 60\n"
	  "track 10 cpu.gnice (%) kind 255 number 0 ''\ncpu.gnice  @1200+100 = 10\n" },
	{ "no tick at all in 50 ms: wait", 1250, "cpu  111 13 52 1010 6 2 3 4 6 1\nintr 5\n", "" },
	/* user 3, sys 1 since 1200 */
	{ "the longer period", 1300, "cpu  114 13 53 1010 6 2 3 4 6 1\nintr 5\n",
	  "cpu.usr  @1300+100 = 75\ncpu.nice  @1300+100 = 0\ncpu.sys  @1300+100 = 25\n"
	  "cpu.idle  @1300+100 = 0\ncpu.iowait  @1300+100 = 0\ncpu.irq  @1300+100 = 0\n"
	  "cpu.soft  @1300+100 = 0\ncpu.steal  @1300+100 = 0\ncpu.guest  @1300+100 = 0\n"
	  "cpu.gnice  @1300+100 = 0\n" },
	/* user 2, idle -10 counts as 0, iowait -1 too */
	{ "idle and iowait step back", 1400, "cpu  116 13 53 1000 5 2 3 4 6 1\nintr 5\n",
	  "cpu.usr  @1400+100 = 100\ncpu.nice  @1400+100 = 0\ncpu.sys  @1400+100 = 0\n"
	  "cpu.idle  @1400+100 = 0\ncpu.iowait  @1400+100 = 0\ncpu.irq  @1400+100 = 0\n"
	  "cpu.soft  @1400+100 = 0\ncpu.steal  @1400+100 = 0\ncpu.guest  @1400+100 = 0\n"
	  "cpu.gnice  @1400+100 = 0\n" },
	{ "a step back and no tick: not known, count from here", 1500,
	  "cpu  116 13 53 990 5 2 3 4 6 1\nintr 5\n", "" },
	/* 4 idle of 4, since 1500 */
	{ "after it", 1600, "cpu  116 13 53 994 5 2 3 4 6 1\nintr 5\n",
	  "cpu.usr  @1600+100 = 0\ncpu.nice  @1600+100 = 0\ncpu.sys  @1600+100 = 0\n"
	  "cpu.idle  @1600+100 = 100\ncpu.iowait  @1600+100 = 0\ncpu.irq  @1600+100 = 0\n"
	  "cpu.soft  @1600+100 = 0\ncpu.steal  @1600+100 = 0\ncpu.guest  @1600+100 = 0\n"
	  "cpu.gnice  @1600+100 = 0\n" },
	{ "no tick for a second: idle", 2600, "cpu  116 13 53 994 5 2 3 4 6 1\nintr 5\n",
	  "cpu.usr  @2600+1000 = 0\ncpu.nice  @2600+1000 = 0\ncpu.sys  @2600+1000 = 0\n"
	  "cpu.idle  @2600+1000 = 100\ncpu.iowait  @2600+1000 = 0\ncpu.irq  @2600+1000 = 0\n"
	  "cpu.soft  @2600+1000 = 0\ncpu.steal  @2600+1000 = 0\ncpu.guest  @2600+1000 = 0\n"
	  "cpu.gnice  @2600+1000 = 0\n" },
};

static void run_readings(const char *path)
{
	_cleanup_(td_cpu_sampler_freep) struct td_cpu_sampler *s = NULL;
	struct td_wire_lines w = { 0 };
	struct td_emit emit = { .sink = td_wire_sink, .arg = &w };
	struct td_err err = { 0 };

	/* CPU 0's line of the first reading has nothing to be compared with later: it went offline */
	for (size_t i = 0; i < TD_ARRAY_SIZE(readings); i++) {
		TD_CASE(readings[i].name);
		put_text(path, readings[i].text);
		if (!s)
			TD_CHECK_INT(td_cpu_sampler_new(&(struct td_cpu_options){ .path = path },
							&emit, &s, &err),
				     0);
		TD_CHECK_INT(td_cpu_sampler_take(s, readings[i].ms * MS), 0);
		td_wire_check(&w, readings[i].want);
	}
	td_strbuf_done(&w.text);
}

/* Only user and idle, so that few lines say it: what of them is shown. */
static void check_cpu1(struct td_wire_lines *w, const char *want_usr)
{
	const char *at = strstr(td_strbuf_str(&w->text), "cpu.usr CPU 1 @");

	TD_CHECK((at != NULL) == (want_usr != NULL));
	if (at && want_usr)
		TD_CHECK(td_str_starts((struct td_str){ at, strlen(at) }, want_usr));
	td_strbuf_reset(&w->text);
}

static void run_hotplug(const char *path)
{
	static const struct {
		unsigned ms;
		const char *cpu1, *want_usr;
	} steps[] = {
		{ 1000, "cpu1 10 0 0 90 0 0 0 0 0 0\n", NULL },
		{ 1100, "cpu1 15 0 0 95 0 0 0 0 0 0\n", "cpu.usr CPU 1 @1100+100 = 50\n" },
		{ 1200, "", NULL }, /* offline */
		{ 1300, "", NULL },
		/* back: what grew while it was away is of no known period, and its counters began anew */
		{ 1400, "cpu1 1 0 0 3 0 0 0 0 0 0\n", NULL },
		{ 1500, "cpu1 2 0 0 6 0 0 0 0 0 0\n", "cpu.usr CPU 1 @1500+100 = 25\n" },
	};
	_cleanup_(td_cpu_sampler_freep) struct td_cpu_sampler *s = NULL;
	struct td_wire_lines w = { 0 };
	struct td_emit emit = { .sink = td_wire_sink, .arg = &w };
	char text[256];

	TD_CASE("a CPU goes offline and comes back");
	put_text(path, "");
	TD_CHECK_INT(td_cpu_sampler_new(&(struct td_cpu_options){ .path = path }, &emit, &s, NULL),
		     0);
	for (size_t i = 0; i < TD_ARRAY_SIZE(steps); i++) {
		/* CPU 0 has a tick each time */
		(void)snprintf(text, sizeof(text),
			       "cpu  %zu 0 0 0 0 0 0 0 0 0\n"
			       "cpu0 %zu 0 0 0 0 0 0 0 0 0\n%sintr 5\n",
			       i, i, steps[i].cpu1);
		put_text(path, text);
		TD_CHECK_INT(td_cpu_sampler_take(s, steps[i].ms * MS), 0);
		TD_CHECK((strstr(td_strbuf_str(&w.text), "cpu.usr CPU 0 @") != NULL) == (i > 0));
		check_cpu1(&w, steps[i].want_usr);
	}
	td_strbuf_done(&w.text);
}

/* A machine with more CPUs than fit into the first buffer: 1000 lines of about 40 bytes. */
static void run_many(const char *path)
{
	_cleanup_(td_cpu_sampler_freep) struct td_cpu_sampler *s = NULL;
	struct td_wire_lines w = { 0 };
	struct td_emit emit = { .sink = td_wire_sink, .arg = &w };

	TD_CASE("a thousand CPUs");
	for (unsigned round = 0; round < 2; round++) {
		struct td_strbuf text = TD_STRBUF_INIT;

		for (unsigned cpu = 0; cpu < 1000; cpu++)
			td_strbuf_addf(&text, "cpu%u %u 0 0 1000000000 0 0 0 0 0 0\n", cpu,
				       1000 + round * (cpu + 1));
		td_strbuf_adds(&text, "intr 5\n");
		put_text(path, td_strbuf_str(&text));
		td_strbuf_done(&text);
		if (!s)
			TD_CHECK_INT(td_cpu_sampler_new(&(struct td_cpu_options){ .path = path },
							&emit, &s, NULL),
				     0);
		TD_CHECK_INT(td_cpu_sampler_take(s, (1 + round) * 100 * MS), 0);
	}
	TD_CHECK_INT(emit.ntracks, 8 * 1000);
	TD_CHECK(strstr(td_strbuf_str(&w.text), "cpu.usr (%) kind 2 number 999 'CPU 999'\n") !=
		 NULL);
	td_strbuf_done(&w.text);
}

static void run_beat(const char *path)
{
	_cleanup_(td_cpu_sampler_freep) struct td_cpu_sampler *s = NULL;
	struct td_wire_lines w = { 0 };
	struct td_emit emit = { .sink = td_wire_sink, .arg = &w };
	struct td_cpu_options options = { .path = path, .interval_ns = 20 * MS };
	struct td_err err = { 0 };

	TD_CASE("when samples are due");
	put_text(path, "cpu  1 0 0 0\nintr 5\n"); /* four columns, as long ago */
	TD_CHECK_INT(td_cpu_sampler_new(&options, &emit, &s, NULL), 0);
	TD_CHECK_INT(td_cpu_sampler_due_ns(s), 0);
	TD_CHECK_INT(td_cpu_sampler_poll(s, 1000 * MS), 0);
	TD_CHECK_INT(td_cpu_sampler_due_ns(s), 1020 * MS);
	put_text(path, "cpu  2 0 0 0\nintr 5\n");
	TD_CHECK_INT(td_cpu_sampler_poll(s, 1019 * MS), 0);
	TD_CHECK_INT(emit.ntracks, 0);
	TD_CHECK_INT(td_cpu_sampler_poll(s, 1023 * MS), 0);
	TD_CHECK_INT(emit.ntracks, 8);
	TD_CHECK_INT(td_cpu_sampler_due_ns(s), 1040 * MS); /* a late one does not shift the beat */
	TD_CHECK_INT(td_cpu_sampler_poll(s, 1075 * MS), 0);
	TD_CHECK_INT(td_cpu_sampler_due_ns(s), 1095 * MS); /* unless one was missed */
	td_strbuf_done(&w.text);

	TD_CASE("what cannot be");
	options.interval_ns = 9 * MS;
	TD_CHECK_INT(td_cpu_sampler_new(&options, &emit, &s, &err), -EINVAL);
	options.path = "/nonexistent/stat";
	TD_CHECK_INT(td_cpu_sampler_new(&options, &emit, &s, &err), -ENOENT);
	TD_CHECK_STR(err.msg, "cannot open '/nonexistent/stat': No such file or directory");
}

static void run_unreadable(void)
{
	_cleanup_(td_cpu_sampler_freep) struct td_cpu_sampler *s = NULL;
	struct td_wire_lines w = { 0 };
	struct td_emit emit = { .sink = td_wire_sink, .arg = &w };

	TD_CASE("reading fails: said once");
	TD_CHECK_INT(td_cpu_sampler_new(&(struct td_cpu_options){ .path = "/" }, &emit, &s, NULL),
		     0);
	TD_CHECK_INT(td_cpu_sampler_take(s, 100 * MS), 0);
	td_wire_check(&w, "note cpu-unreadable: CPU utilisation ends: reading failed (Is a "
			  "directory)\n");
	TD_CHECK_INT(td_cpu_sampler_take(s, 200 * MS), 0);
	td_wire_check(&w, "");
	td_strbuf_done(&w.text);
}

/* --- against mpstat --- */

static uint64_t boot_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* "Average:  all  1.00 ..." in the order usr nice sys iowait irq soft steal guest gnice idle, by the name of
 * our tracks. */
static bool find_in_mpstat(const char *mpstat, const char *cpu, unsigned column, double *ret)
{
	const char *at = mpstat;
	struct td_str word;

	while ((at = strstr(at, "Average:"))) {
		struct td_scan t = td_scan_of(at, strcspn(at, "\n"));

		at++;
		(void)td_scan_literal(&t, "Average:");
		td_scan_blanks(&t);
		if (!td_scan_token(&t, &word) || !td_str_eq(word, cpu))
			continue;
		for (unsigned i = 0; i <= column; i++)
			if (td_scan_blanks(&t) == 0 || !td_scan_double(&t, ret))
				return false;
		return true;
	}
	return false;
}

static void compare(const char *ours, const char *mpstat)
{
	static const char *const columns[] = { "usr",  "nice",  "sys",   "iowait", "irq",
					       "soft", "steal", "guest", "gnice",  "idle" };
	unsigned compared = 0;

	for (unsigned i = 0; i < TD_ARRAY_SIZE(columns); i++) {
		for (int cpu = -1; cpu < 4; cpu++) {
			char name[16] = "all", line[64];
			const char *at;
			double want, got = 0;

			(void)snprintf(line, sizeof(line), "\ncpu.%s  @", columns[i]);
			if (cpu >= 0) {
				(void)snprintf(name, sizeof(name), "%d", cpu);
				(void)snprintf(line, sizeof(line), "\ncpu.%s CPU %d @", columns[i],
					       cpu);
			}
			if (!find_in_mpstat(mpstat, name, i, &want))
				continue;
			TD_CASE(line + 1);
			at = strstr(ours, line);
			if (at) {
				at = strstr(at, "= ") + 2;
				got = strtod(at, NULL);
			}
			/* the periods differ by the start of mpstat, on a busy machine a tenth of 2 s */
			TD_CHECK(fabs(got - want) <= 10);
			if (fabs(got - want) > 10)
				fprintf(stderr, "%s: %g, mpstat %g\n", line + 1, got, want);
			compared++;
		}
	}
	TD_CHECK(compared >= 20);
}

static int run_mpstat(void)
{
	_cleanup_(td_cpu_sampler_freep) struct td_cpu_sampler *s = NULL;
	struct td_wire_lines w = { 0 };
	struct td_emit emit = { .sink = td_wire_sink, .arg = &w };
	char text[16384] = "";
	size_t n;
	FILE *f;

	if (system("mpstat -V >/dev/null 2>&1") != 0) {
		printf("no mpstat (sysstat is not installed)\n");
		return TD_TEST_SKIP;
	}
	TD_CHECK_INT(td_cpu_sampler_new(&(struct td_cpu_options){ 0 }, &emit, &s, NULL), 0);
	f = popen("LC_ALL=C exec mpstat -P ALL 2 1", "r");
	if (!f)
		return 1;
	TD_CHECK_INT(td_cpu_sampler_take(s, boot_ns()), 0);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	TD_CHECK_INT(td_cpu_sampler_take(s, boot_ns()), 0);
	TD_CHECK_INT(pclose(f), 0);
	compare(td_strbuf_str(&w.text), text);
	td_strbuf_done(&w.text);
	return td_check_result();
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/test-cpu-sampler-XXXXXX";
	int fd;

	if (argc > 1 && strcmp(argv[1], "mpstat") == 0)
		return run_mpstat();
	fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	run_readings(path);
	run_hotplug(path);
	run_many(path);
	run_beat(path);
	run_unreadable();
	(void)unlink(path);
	return td_check_result();
}
