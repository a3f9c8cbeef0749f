/* SPDX-License-Identifier: MIT */
/* The sampler's thread, against the library of tests/fake-nvml/ that is the first argument. What is read how is
 * tested in test-nvml.c. */
#include <dlfcn.h>
#include <time.h>

#include "collector/samplers/gpu.h"
#include "tests/fake-nvml/fake-nvml.h"
#include "tests/unit/wire.h"

#define MS UINT64_C(1000000)

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static const char *text_of(const struct td_wire_lines *w)
{
	return td_strbuf_str(&w->text);
}

static unsigned count_of(const struct td_wire_lines *w, const char *what)
{
	unsigned n = 0;

	for (const char *p = text_of(w); (p = strstr(p, what)); p++)
		n++;
	return n;
}

/* Polls as the main loop does until the text is there, or 20 s. */
static void poll_until(struct td_gpu_sampler *s, struct td_wire_lines *w, const char *what,
		       unsigned times)
{
	for (int i = 0; i < 2000 && count_of(w, what) < times; i++) {
		TD_CHECK_INT(td_gpu_sampler_poll(s), 0);
		(void)usleep(10000);
	}
	TD_CHECK(count_of(w, what) >= times);
}

static void run_nothing(void)
{
	struct td_gpu_options options = { .library = "/nonexistent/libnvidia-ml.so.1" };
	_cleanup_(td_gpu_sampler_freep) struct td_gpu_sampler *s = NULL;
	struct td_wire_lines w = { 0 };
	struct td_emit emit = { .sink = td_wire_sink, .arg = &w };
	struct td_err err;

	TD_CASE("no NVML: said once");
	TD_CHECK_INT(td_gpu_sampler_new(&options, &emit, &s, &err), 0);
	poll_until(s, &w, "note", 1);
	TD_CHECK_INT(td_gpu_sampler_finish(s), 0);
	TD_CHECK_INT(count_of(&w, "\n"), 1);
	TD_CHECK(strstr(text_of(&w), "note no-gpu: GPUs are not sampled: no NVIDIA driver: ") ==
		 text_of(&w));
	td_strbuf_done(&w.text);

	TD_CASE("too often");
	options.interval_ns = 9 * MS;
	TD_CHECK_INT(td_gpu_sampler_new(&options, &emit, &s, &err), -EINVAL);
}

/* Our own process, and init, which is another user's unless we are root. */
static void set_processes(struct td_fake_gpu *g)
{
	g->nprocesses = 2;
	g->processes[0] = (struct td_nvml_process){ (unsigned)getpid(), 1000 };
	g->processes[1] = (struct td_nvml_process){ 1, 2000 };
}

static void run_samples(const char *library, struct td_fake_nvml *fake)
{
	struct td_gpu_options options = { .interval_ns = 20 * MS, .library = library };
	_cleanup_(td_gpu_sampler_freep) struct td_gpu_sampler *s = NULL;
	struct td_wire_lines w = { 0 };
	struct td_emit emit = { .sink = td_wire_sink, .arg = &w, .ntracks = 10 };
	uint64_t from_ns = now_ns(CLOCK_BOOTTIME);
	char line[128];
	double at, dur;

	TD_CASE("records of a GPU and of a process");
	set_processes(&fake->gpus[0]);
	options.uid = geteuid();
	TD_CHECK_INT(td_gpu_sampler_new(&options, &emit, &s, NULL), 0);
	poll_until(s, &w, "gpu.sm GPU 0 @", 3);
	TD_CHECK_INT(td_gpu_sampler_finish(s), 0);

	/* numbers of tracks go on from those of others */
	TD_CHECK(strstr(text_of(&w), "track 11 gpu.fb (bytes) kind 1 number 0 'GPU 0'\n"));
	TD_CHECK_INT(count_of(&w, "track 11 "), 1);
	TD_CHECK_INT(count_of(&w, "gpu-missing: GPU 0 (Fake GPU) does not tell gpu.dec gpu.jpg "
				  "gpu.ofa gpu.bar1 gpu.mtemp gpu.rxnvl gpu.txnvl\n"),
		     1);
	(void)snprintf(line, sizeof(line), "process %d found of %d 'test-gpu-sample' '", getpid(),
		       (int)geteuid());
	TD_CHECK_INT(count_of(&w, line), 1);
	(void)snprintf(line, sizeof(line), "(bytes) kind 1 number 0 'GPU 0' pid %d\n", getpid());
	TD_CHECK_INT(count_of(&w, line), 1);
	TD_CHECK(count_of(&w, "gpu.fb of a process GPU 0 @") > 0);

	/* times are the boot clock's; samples of every other 200 ms are 100 % */
	TD_CHECK(strstr(text_of(&w), "+200 = 100\n") && strstr(text_of(&w), "+200 = 0\n"));
	at = strtod(strstr(text_of(&w), "\ngpu.sm GPU 0 @") + strlen("\ngpu.sm GPU 0 @"), NULL);
	TD_CHECK(at * 1e6 > (double)from_ns - 1e9 && at * 1e6 < (double)now_ns(CLOCK_BOOTTIME));
	dur = strtod(strchr(strstr(text_of(&w), "\ngpu.pwr GPU 0 @"), '+'), NULL);
	TD_CHECK(dur >= 5 && dur < 1000);
	td_strbuf_done(&w.text);
}

static void run_users(const char *library, struct td_fake_nvml *fake)
{
	struct td_gpu_options options = { .library = library, .uid = geteuid() + 1 };

	set_processes(&fake->gpus[0]);
	for (int any = 0; any < 2; any++) {
		_cleanup_(td_gpu_sampler_freep) struct td_gpu_sampler *s = NULL;
		struct td_wire_lines w = { 0 };
		struct td_emit emit = { .sink = td_wire_sink, .arg = &w };

		TD_CASE(any ? "processes of all users" : "only the user's processes");
		options.any_user = any;
		TD_CHECK_INT(td_gpu_sampler_new(&options, &emit, &s, NULL), 0);
		poll_until(s, &w, "gpu.gtemp GPU 0 @", 1);
		TD_CHECK_INT(td_gpu_sampler_finish(s), 0);
		TD_CHECK_INT(count_of(&w, "\nprocess "), any ? 2 : 0);
		TD_CHECK((count_of(&w, "of a process") > 0) == any);
		td_strbuf_done(&w.text);
	}
}

static void run_hang(const char *library, struct td_fake_nvml *fake)
{
	struct td_gpu_options options = { .library = library };
	static struct td_gpu_sampler *s; /* left to the thread, and no leak */
	struct td_wire_lines w = { 0 };
	struct td_emit emit = { .sink = td_wire_sink, .arg = &w };
	uint64_t begun_ns;

	TD_CASE("a driver that hangs holds up nobody");
	fake->sleep_ms = 4000;
	TD_CHECK_INT(td_gpu_sampler_new(&options, &emit, &s, NULL), 0);
	(void)usleep(100000);
	begun_ns = now_ns(CLOCK_MONOTONIC);
	TD_CHECK_INT(td_gpu_sampler_poll(s), 0);
	TD_CHECK(now_ns(CLOCK_MONOTONIC) - begun_ns < 1000 * MS);
	TD_CHECK_INT(td_gpu_sampler_finish(s), 0);
	TD_CHECK(now_ns(CLOCK_MONOTONIC) - begun_ns < 3500 * MS);
	TD_CHECK_INT(count_of(&w, "note gpu-hangs: "), 1);
	td_gpu_sampler_free(s);
	td_strbuf_done(&w.text);
	(void)usleep(4500000); /* it ends by itself; the sanitizer need not find it alive */
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	struct td_fake_nvml *fake = library ? dlsym(library, "td_fake_nvml") : NULL;

	if (!fake)
		return 1;
	run_nothing();
	run_samples(argv[1], fake);
	run_users(argv[1], fake);
	run_hang(argv[1], fake);
	return td_check_result();
}
