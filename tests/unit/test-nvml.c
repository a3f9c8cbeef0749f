/* SPDX-License-Identifier: MIT */
/* Against the libraries of tests/fake-nvml/, whose paths are the arguments: as of today, old, with long entries. */
#include <dlfcn.h>
#include <math.h>

#include "collector/samplers/nvml.h"
#include "common/strbuf.h"
#include "tests/fake-nvml/fake-nvml.h"
#include "tests/unit/check.h"

#define SEC_NS UINT64_C(1000000000)
#define SEC_US UINT64_C(1000000)
/* An even multiple of 200 ms of the wall clock, at which the boot clock showed 10 s. */
#define UTC_US (UINT64_C(1700000000) * SEC_US)

static struct td_nvml_now at_ms(uint64_t ms)
{
	return (struct td_nvml_now){
		.boot_ns = 10 * SEC_NS + ms * 1000000,
		.utc_ns = UTC_US * 1000 + ms * 1000000,
	};
}

/* "gpu.sm 0 [pid 7] @1200+200 = 100 %": ms since 10 s after boot. */
static void check_values(struct td_nvml_values *v, const char *want)
{
	struct td_strbuf text = TD_STRBUF_INIT;

	for (size_t i = 0; i < v->n; i++) {
		const struct td_nvml_value *x = &v->items[i];
		const struct td_nvml_track *t = &td_nvml_tracks[x->metric];

		td_strbuf_addf(&text, "%s %u ", t->name, x->gpu);
		if (x->pid)
			td_strbuf_addf(&text, "pid %d ", (int)x->pid);
		td_strbuf_addf(&text, "@%g+%g = ", (double)x->time_ns / 1e6 - 10000,
			       (double)x->dur_ns / 1e6);
		if (isnan(x->value))
			td_strbuf_adds(&text, "-\n");
		else
			td_strbuf_addf(&text, "%.12g %s\n", x->value, t->unit);
	}
	TD_CHECK_STR(td_strbuf_str(&text), want);
	td_strbuf_done(&text);
	v->n = 0;
}

/* The same library as the test has, in the state that it has when loaded. */
static struct td_fake_nvml *fake_of(const char *path, void **ret_library)
{
	struct td_fake_nvml *fake;

	*ret_library = dlopen(path, RTLD_NOW);
	fake = *ret_library ? dlsym(*ret_library, "td_fake_nvml") : NULL;
	if (!fake) {
		fprintf(stderr, "'%s': %s\n", path, dlerror());
		exit(1);
	}
	return fake;
}

static void run_open(const char *path)
{
	void *library;
	struct td_fake_nvml *fake = fake_of(path, &library);
	struct td_nvml *n = NULL;
	struct td_err err;

	TD_CASE("no library");
	TD_CHECK_INT(td_nvml_open("/nonexistent/libnvidia-ml.so.1", &n, &err), -ENOENT);
	TD_CHECK(strstr(err.msg, "no NVIDIA driver: /nonexistent/libnvidia-ml.so.1: cannot open"));

	TD_CASE("a library without driver");
	fake->init_error = 9;
	TD_CHECK_INT(td_nvml_open(path, &n, &err), -ENODEV);
	TD_CHECK_STR(err.msg, "NVML cannot be used: Driver Not Loaded");
	TD_CHECK_INT(fake->shutdowns, 0);
	fake->init_error = 0;

	TD_CASE("no GPU");
	fake->ngpus = 0;
	TD_CHECK_INT(td_nvml_open(path, &n, &err), -ENODEV);
	TD_CHECK_STR(err.msg, "no GPU: the driver knows none");
	TD_CHECK_INT(fake->shutdowns, 1);
	fake->ngpus = 1;

	TD_CASE("what it says of itself");
	TD_CHECK_INT(td_nvml_open(path, &n, &err), 0);
	TD_CHECK_INT(td_nvml_ngpus(n), 1);
	TD_CHECK_STR(td_nvml_gpu_name(n, 0), "Fake GPU");
	TD_CHECK_STR(td_nvml_driver(n), "580.0-fake");
	td_nvml_close(n);
	TD_CHECK_INT(fake->shutdowns, 2);
	(void)dlclose(library);
}

static void run_numbers(const char *path)
{
	void *library;
	struct td_fake_nvml *fake = fake_of(path, &library);
	struct td_fake_gpu *g = &fake->gpus[0];
	_cleanup_(td_nvml_closep) struct td_nvml *n = NULL;
	struct td_nvml_values v = { 0 };

	fake->ngpus = 2;
	fake->gpus[1].error = 15; /* lost: it has no handle */
	TD_CHECK_INT(td_nvml_open(path, &n, NULL), 0);
	TD_CHECK_INT(td_nvml_ngpus(n), 2);

	TD_CASE("the first time shows where the counters stand");
	g->received = UINT32_MAX - 999;
	g->sent = 5000;
	TD_CHECK_INT(td_nvml_read_fast(n, at_ms(0), &v), 0);
	check_values(&v, "");
	TD_CHECK_INT(td_nvml_missing(n, 0), 1u << TD_NVML_RXNVL | 1u << TD_NVML_TXNVL);

	/* 3 GiB; 10 MB in 100 ms are 100 MB/s, over the counter's end; 250 kB are 2.5 MB/s */
	TD_CASE("what changes quickly");
	g->received = 9999000;
	g->sent = 255000;
	TD_CHECK_INT(td_nvml_read_fast(n, at_ms(100), &v), 0);
	check_values(&v,
		     "gpu.fb 0 @100+100 = 3221225472 bytes\ngpu.pwr 0 @100+100 = 250 W\n"
		     "gpu.mclk 0 @100+100 = 2600 MHz\ngpu.pclk 0 @100+100 = 1500 MHz\n"
		     "gpu.throttle_power 0 @100+100 = 0 %\ngpu.throttle_thermal 0 @100+100 = 0 %\n"
		     "gpu.throttle_hw 0 @100+100 = 0 %\n"
		     "gpu.rxpci 0 @100+100 = 100 MB/s\ngpu.txpci 0 @100+100 = 2.5 MB/s\n");
	TD_CHECK_INT(fake->pcie_watches, 0);

	TD_CASE("counters of 64 bits, and a failure: not known, but asked again");
	g->counter_type = 3;
	g->received = UINT64_C(10009999000); /* 10 GB in 1 s */
	TD_CHECK_INT(td_nvml_read_fast(n, at_ms(1100), &v), 0);
	TD_CHECK(v.n == 9 && v.items[7].value == 10000);
	v.n = 0;
	g->error = 999;
	TD_CHECK_INT(td_nvml_read_fast(n, at_ms(1200), &v), 0);
	check_values(&v, "gpu.fb 0 @1200+100 = -\ngpu.pwr 0 @1200+100 = -\n"
			 "gpu.mclk 0 @1200+100 = -\ngpu.pclk 0 @1200+100 = -\n"
			 "gpu.throttle_power 0 @1200+100 = -\n"
			 "gpu.throttle_thermal 0 @1200+100 = -\n"
			 "gpu.throttle_hw 0 @1200+100 = -\n");
	g->error = 0;

	TD_CASE("what this one does not have is asked once");
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(1200), &v), 0);
	check_values(&v, "");
	TD_CHECK_INT(td_nvml_missing(n, 0), 1u << TD_NVML_DEC | 1u << TD_NVML_JPG |
						    1u << TD_NVML_OFA | 1u << TD_NVML_BAR1 |
						    1u << TD_NVML_MTEMP | 1u << TD_NVML_RXNVL |
						    1u << TD_NVML_TXNVL);
	TD_CHECK_INT(td_nvml_missing(n, 1), 0);
	free(v.items);
	td_nvml_close(TAKE_PTR(n));
	(void)dlclose(library);
}

static void run_samples(const char *path)
{
	void *library;
	struct td_fake_nvml *fake = fake_of(path, &library);
	struct td_fake_gpu *g = &fake->gpus[0];
	struct td_nvml *n = NULL;
	struct td_nvml_values v = { 0 };

	g->enc = 3;
	g->last_us = UTC_US;
	TD_CHECK_INT(td_nvml_open(path, &n, NULL), 0);
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(50), &v), 0);
	check_values(&v, "");

	/* odd multiples of 200 ms are busy; one process had all of it, the other nothing; the one that draws
	 * computes, too */
	TD_CASE("samples of the driver and of processes");
	g->last_us = UTC_US + 600000;
	g->nprocesses = 3;
	g->ndrawing = 1;
	g->processes[0] = (struct td_nvml_process){ 7, 1ULL << 30 };
	g->processes[1] = (struct td_nvml_process){ 8, ~0ULL };
	g->processes[2] = (struct td_nvml_process){ 7, 1ULL << 30 };
	g->nprocess_samples = 1;
	g->process_samples[0] = (struct td_nvml_process_sample){
		.pid = 7, .time_us = UTC_US + 600000, .sm = 67, .mem = 27, .dec = 2
	};
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(700), &v), 0);
	/* 50 is when they were asked for first */
	check_values(&v, "gpu.sm 0 pid 7 @600+550 = 67 %\ngpu.mem 0 pid 7 @600+550 = 27 %\n"
			 "gpu.dec 0 pid 7 @600+550 = 2 %\n"
			 "gpu.fb 0 pid 7 @700+650 = 1073741824 bytes\n"
			 "gpu.fb 0 pid 8 @700+650 = -\n"
			 "gpu.sm 0 pid 8 @600+550 = 0 %\ngpu.mem 0 pid 8 @600+550 = 0 %\n"
			 "gpu.sm 0 @200+200 = 100 %\ngpu.sm 0 @400+200 = 0 %\n"
			 "gpu.sm 0 @600+200 = 100 %\n"
			 "gpu.mem 0 @200+200 = 40 %\ngpu.mem 0 @400+200 = 0 %\n"
			 "gpu.mem 0 @600+200 = 40 %\n"
			 "gpu.enc 0 @700+650 = 3 %\ngpu.gtemp 0 @700+650 = 50 C\n"
			 "gpu.sbecc 0 @700+650 = 0 errs\ngpu.dbecc 0 @700+650 = 0 errs\n");

	TD_CASE("a pause of the driver is not a sampling period");
	g->nprocesses = g->ndrawing = g->nprocess_samples = 0;
	g->first_us = UTC_US + 5000000;
	g->last_us = UTC_US + 5000000; /* 25 periods: busy */
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(5100), &v), 0);
	check_values(&v, "gpu.sm 0 @5000+1000 = 100 %\ngpu.mem 0 @5000+1000 = 40 %\n"
			 "gpu.enc 0 @5100+4400 = 3 %\ngpu.gtemp 0 @5100+4400 = 50 C\n"
			 "gpu.sbecc 0 @5100+4400 = 0 errs\ngpu.dbecc 0 @5100+4400 = 0 errs\n");

	TD_CASE("a sample from the future waits, nonsense is not known");
	g->last_us = UTC_US + 5400000;
	g->sm = 4000000;
	g->enc = 101;
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(5200), &v), 0);
	check_values(&v, "gpu.sm 0 @5200+200 = 0 %\ngpu.mem 0 @5200+200 = 0 %\n"
			 "gpu.enc 0 @5200+100 = -\ngpu.gtemp 0 @5200+100 = 50 C\n"
			 "gpu.sbecc 0 @5200+100 = 0 errs\ngpu.dbecc 0 @5200+100 = 0 errs\n");
	/* the time in which nobody had a sample, as seen at 5200, is not this process's: less 100 ms, in which one
	 * may still have come */
	g->nprocess_samples = 1;
	g->process_samples[0] =
		(struct td_nvml_process_sample){ .pid = 7, .time_us = UTC_US + 5400000, .sm = 90 };
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(5400), &v), 0);
	check_values(&v, "gpu.sm 0 pid 7 @5400+300 = 90 %\ngpu.mem 0 pid 7 @5400+300 = 0 %\n"
			 "gpu.sm 0 @5400+200 = -\ngpu.mem 0 @5400+200 = 40 %\n"
			 "gpu.enc 0 @5400+200 = -\ngpu.gtemp 0 @5400+200 = 50 C\n"
			 "gpu.sbecc 0 @5400+200 = 0 errs\ngpu.dbecc 0 @5400+200 = 0 errs\n");

	TD_CASE("the GPU is lost: not known from now on");
	g->error = 15;
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(6400), &v), 0);
	check_values(&v, "gpu.sm 0 @6400+1000 = -\ngpu.mem 0 @6400+1000 = -\n"
			 "gpu.enc 0 @6400+1000 = -\ngpu.gtemp 0 @6400+1000 = -\n"
			 "gpu.sbecc 0 @6400+1000 = -\ngpu.dbecc 0 @6400+1000 = -\n");
	free(v.items);
	td_nvml_close(n);
	(void)dlclose(library);
}

/* Of what a GPU suffers from, and what it is a part of. */
static void run_health(const char *path)
{
	void *library;
	struct td_fake_nvml *fake = fake_of(path, &library);
	struct td_fake_gpu *g = &fake->gpus[0];
	struct td_nvml *n = NULL;
	struct td_nvml_values v = { 0 };
	struct td_err text;

	TD_CHECK_INT(td_nvml_open(path, &n, NULL), 0);
	TD_CHECK_INT(fake->event_sets, 1);
	g->has_nvlink = true;
	g->counter_type = 3;
	TD_CHECK_INT(td_nvml_read_fast(n, at_ms(0), &v), 0);
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(0), &v), 0);
	v.n = 0;

	/* 1,000,000 KiB in 100 ms are 1,024 MB in 0.1 s; the hardware slows down because the power supply says so */
	TD_CASE("NVLink and the power supply");
	g->link_received = 1000000;
	g->link_sent = 500000;
	g->reasons = 0x8 | 0x80 | 0x1;
	TD_CHECK_INT(td_nvml_read_fast(n, at_ms(100), &v), 0);
	check_values(&v, "gpu.fb 0 @100+100 = 3221225472 bytes\ngpu.pwr 0 @100+100 = 250 W\n"
			 "gpu.mclk 0 @100+100 = 2600 MHz\ngpu.pclk 0 @100+100 = 1500 MHz\n"
			 "gpu.throttle_power 0 @100+100 = 100 %\n"
			 "gpu.throttle_thermal 0 @100+100 = 0 %\n"
			 "gpu.throttle_hw 0 @100+100 = 0 %\n"
			 "gpu.rxpci 0 @100+100 = 0 MB/s\ngpu.txpci 0 @100+100 = 0 MB/s\n"
			 "gpu.rxnvl 0 @100+100 = 10240 MB/s\ngpu.txnvl 0 @100+100 = 5120 MB/s\n");
	TD_CASE("heat, the power limit, and the hardware for no reason that it tells");
	g->reasons = 0x20;
	TD_CHECK_INT(td_nvml_read_fast(n, at_ms(200), &v), 0);
	TD_CHECK(v.items[4].value == 0 && v.items[5].value == 100 && v.items[6].value == 0);
	v.n = 0;
	g->reasons = 0x4 | 0x8;
	TD_CHECK_INT(td_nvml_read_fast(n, at_ms(300), &v), 0);
	TD_CHECK(v.items[4].value == 100 && v.items[5].value == 0 && v.items[6].value == 100);
	v.n = 0;

	TD_CASE("errors of memory, and an error that is told once");
	g->last_us = 0;
	g->ecc[0] = 7;
	g->ecc[1] = 1;
	g->xid = 79;
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(1000), &v), 0);
	check_values(&v, "gpu.enc 0 @1000+1000 = 0 %\ngpu.gtemp 0 @1000+1000 = 50 C\n"
			 "gpu.sbecc 0 @1000+1000 = 7 errs\ngpu.dbecc 0 @1000+1000 = 1 errs\n"
			 "gpu.xid 0 @1000+0 = 79 \n");
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(2000), &v), 0);
	TD_CHECK_INT(v.n, 4);

	TD_CASE("MIG and vGPU are named");
	TD_CHECK_INT(td_nvml_caveat(n, 0, &text), 0);
	g->ninstances = 2;
	TD_CHECK_INT(td_nvml_caveat(n, 0, &text), 1);
	TD_CHECK_STR(text.msg,
		     "GPU 0 is divided by MIG (Fake GPU, Fake GPU): power, clocks and memory are "
		     "those of the whole, how busy an instance is the driver does not tell");
	g->ninstances = 0;
	g->virtual_mode = 2;
	TD_CHECK_INT(td_nvml_caveat(n, 0, &text), 1);
	TD_CHECK(strstr(text.msg,
			"GPU 0 is a virtual one (vGPU): others may use the same hardware"));
	g->virtual_mode = 3;
	TD_CHECK_INT(td_nvml_caveat(n, 0, &text), 1);
	TD_CHECK(strstr(text.msg, "GPU 0 is shared by virtual machines (vGPU)"));
	g->virtual_mode = 1; /* passed through: all of it is ours */
	TD_CHECK_INT(td_nvml_caveat(n, 0, &text), 0);
	free(v.items);
	td_nvml_close(n);
	TD_CHECK_INT(fake->event_sets, 0);
	(void)dlclose(library);
}

static void run_old(const char *path)
{
	void *library;
	struct td_fake_nvml *fake = fake_of(path, &library);
	struct td_fake_gpu *g = &fake->gpus[0];
	struct td_nvml *n = NULL;
	struct td_nvml_values v = { 0 };

	TD_CASE("an old driver: one direction of PCIe at a time, memory with the driver's own");
	g->pcie_kb_per_s = 4000;
	TD_CHECK_INT(td_nvml_open(path, &n, NULL), 0);
	TD_CHECK_INT(td_nvml_read_fast(n, at_ms(0), &v), 0);
	check_values(&v, "gpu.rxpci 0 @20+20 = 4 MB/s\n");
	TD_CHECK_INT(td_nvml_read_fast(n, at_ms(100), &v), 0);
	/* 3 GiB + 512 MiB */
	check_values(&v, "gpu.fb 0 @100+100 = 3758096384 bytes\ngpu.pwr 0 @100+100 = 250 W\n"
			 "gpu.mclk 0 @100+100 = 2600 MHz\ngpu.pclk 0 @100+100 = 1500 MHz\n"
			 "gpu.txpci 0 @120+20 = 5 MB/s\n");

	TD_CASE("an old driver: rates, short entries of processes");
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(100), &v), 0);
	check_values(&v, "");
	g->nprocesses = 2;
	g->processes[0] = (struct td_nvml_process){ 7, 1000 };
	g->processes[1] = (struct td_nvml_process){ 8, 2000 };
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(200), &v), 0);
	check_values(&v,
		     "gpu.fb 0 pid 7 @200+100 = 1000 bytes\ngpu.fb 0 pid 8 @200+100 = 2000 bytes\n"
		     "gpu.sm 0 @200+100 = 100 %\ngpu.mem 0 @200+100 = 40 %\n"
		     "gpu.gtemp 0 @200+100 = 50 C\n");
	free(v.items);
	td_nvml_close(n);
	(void)dlclose(library);
}

/* 200 processes do not fit into the first buffer. */
static void run_processes(const char *path, const char *name)
{
	void *library;
	struct td_fake_nvml *fake = fake_of(path, &library);
	struct td_fake_gpu *g = &fake->gpus[0];
	struct td_nvml *n = NULL;
	struct td_nvml_values v = { 0 };
	unsigned found = 0;

	TD_CASE(name);
	g->last_us = 0;
	TD_CHECK_INT(td_nvml_open(path, &n, NULL), 0);
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(0), &v), 0);
	g->nprocesses = 200;
	for (unsigned i = 0; i < 200; i++)
		g->processes[i] = (struct td_nvml_process){ 1000 + i, 1 + i };
	TD_CHECK_INT(td_nvml_read_slow(n, at_ms(1000), &v), 0);
	for (size_t i = 0; i < v.n; i++)
		found += v.items[i].metric == TD_NVML_FB &&
			 v.items[i].pid == (pid_t)(1000 + found) && v.items[i].value == 1 + found;
	TD_CHECK_INT(found, 200);
	free(v.items);
	td_nvml_close(n);
	(void)dlclose(library);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 1;
	run_open(argv[1]);
	run_numbers(argv[1]);
	run_samples(argv[1]);
	run_health(argv[1]);
	run_old(argv[2]);
	run_processes(argv[1], "many processes");
	run_processes(argv[3],
		      "many processes, in entries that are longer than their function's name says");
	return td_check_result();
}
