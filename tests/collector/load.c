/* SPDX-License-Identifier: MIT */
/*
 * As many calls as the machine makes, all of them accounted for: what the probes made is what came out of the
 * rings and what they say was lost, to the call, and the number that was made is known.
 *
 *     load [-s SECONDS] [-t THREADS] [-r RING_BYTES] [-p DRAIN_PAUSE_US] [-w] [-l]
 *
 * -w: the rings are emptied when the programs ask for it (which they do before the pause is over).
 * -l: calls must get lost (the rings are too small); without it none may. Prints rates, and what a call cost
 * with and without the probes.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "common/cleanup.h"
#include "collector/probes/probes.h"
#include "schema/wire.h"

#define THREADS_MAX 64

struct shared {
	_Atomic bool stop;
	_Atomic uint64_t calls; /* that the workers made */
};

struct counted {
	uint64_t made; /* preads, by the workers */
	uint64_t calls, preads, generated, lost, peak, bytes;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *work(void *arg)
{
	struct shared *s = arg;
	uint64_t calls = 0;
	char c;

	while (!s->stop) {
		for (int i = 0; i < 100; i++)
			syscall(SYS_pread64, 3, &c, 1, 0);
		calls += 100;
	}
	s->calls += calls;
	return NULL;
}

static int sink(void *arg, const void *records, size_t size)
{
	struct counted *n = arg;
	const char *p = records, *end = p + size;

	for (; p < end; p += ((const struct td_wire_head *)p)->size) {
		const struct td_wire_head *h = (const struct td_wire_head *)p;
		const struct td_wire_loss *l = (const struct td_wire_loss *)p;

		if (h->kind >= TD_WIRE_CALL && h->kind <= TD_WIRE_CALL_TEXT) {
			n->calls++;
			n->bytes += h->size;
		}
		if (h->kind == TD_WIRE_CALL_IO)
			n->preads += (h->flags & TD_WIRE_CALL_HAS_OFFSET) != 0;
		if (h->kind == TD_WIRE_LOSS && memcmp(l->name, "file", 5) != 0 &&
		    memcmp(l->name, "process", 7) != 0) {
			n->generated += l->generated;
			n->lost += l->lost;
			n->peak = TD_MAX(n->peak, l->ring_peak_bytes);
		}
	}
	return 0;
}

/* The child: waits, works until told to stop; ends with its parent. */
static _Noreturn void child(struct shared *s, const int go[2], long nthreads)
{
	pthread_t threads[THREADS_MAX];
	char c;

	close(go[1]);
	if (read(go[0], &c, 1) != 1)
		_exit(1);
	for (long i = 0; i < nthreads; i++)
		if (pthread_create(&threads[i], NULL, work, s))
			_exit(1);
	for (long i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

/* How long the rings are left alone; woken: unless they fill up. */
struct rest {
	useconds_t pause_us;
	bool woken;
};

static void have_rest(const struct td_probes *p, const struct rest *rest)
{
	struct pollfd wake = { .events = POLLIN };

	if (!p || !rest->woken) {
		usleep(rest->pause_us);
		return;
	}
	wake.fd = td_probes_wake_fd(p);
	if (poll(&wake, 1, (int)(rest->pause_us / 1000)) > 0)
		td_probes_woken(p);
}

static _Noreturn void fail(const char *what, const struct td_err *err)
{
	printf("%s: %s\n", what, err->msg);
	exit(1);
}

static void drain(struct td_probes *p, struct counted *n)
{
	struct td_err err = { "" };

	if (p && td_probes_drain(p, sink, NULL, n, &err) < 0)
		fail("not drained", &err);
}

/* CPU time per call, ns. */
static double run(struct td_probes *p, struct counted *n, double seconds, long nthreads,
		  const struct rest *rest)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct td_err err = { "" };
	struct rusage used;
	double began, ended, cpu_s;
	uint64_t calls;
	int go[2];
	pid_t pid;

	if (s == MAP_FAILED || pipe(go) < 0)
		return 0;
	pid = fork();
	if (pid == 0)
		child(s, go, nthreads);
	if (p && td_probes_follow(p, pid, &err) < 0)
		fail("not followed", &err);
	began = now_s();
	if (write(go[1], "", 1) != 1)
		return 0;
	while (now_s() < began + seconds) {
		have_rest(p, rest);
		drain(p, n);
	}
	ended = now_s();
	s->stop = true;
	while (wait4(pid, NULL, WNOHANG, &used) == 0) {
		usleep(1000);
		drain(p, n);
	}
	calls = s->calls;
	close(go[0]);
	close(go[1]);
	munmap(s, sizeof(*s));
	printf("%s: %.3f million calls/s in %ld threads\n", p ? "recorded" : "alone",
	       (double)calls / (ended - began) / 1e6, nthreads);
	if (n)
		n->made = calls;
	cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		(double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
	return cpu_s * 1e9 / (double)calls;
}

static int check(const struct counted *n, bool losing)
{
	int r = 0;

	printf("generated %llu = stored %llu + lost %llu; %.1f bytes a record; ring filled up to "
	       "%llu KiB\n",
	       (unsigned long long)n->generated, (unsigned long long)n->calls,
	       (unsigned long long)n->lost, (double)n->bytes / (double)n->calls,
	       (unsigned long long)n->peak >> 10);
	if (n->generated != n->calls + n->lost || !n->calls) {
		printf("these do not add up\n");
		r = 1;
	}
	if (n->preads > n->made || n->preads + n->lost < n->made) {
		printf("%llu calls were made, %llu of them recorded\n", (unsigned long long)n->made,
		       (unsigned long long)n->preads);
		r = 1;
	}
	if (losing ? !n->lost : n->lost) {
		printf(losing ? "nothing was lost\n" : "something was lost\n");
		r = 1;
	}
	return r;
}

int main(int argc, char **argv)
{
	_cleanup_(td_probes_closep) struct td_probes *p = NULL;
	struct td_probes_options o = { .sets = 1u << TD_SET_FILE_IO | 1u << TD_SET_THREAD };
	struct counted n = { 0 };
	struct td_err err = { "" };
	double seconds = 2, alone, recorded;
	long nthreads = 2;
	struct rest rest = { .pause_us = 10000 };
	bool losing = false;
	int c;

	while ((c = getopt(argc, argv, "s:t:r:p:wl")) >= 0) {
		if (c == 's')
			seconds = strtod(optarg, NULL);
		else if (c == 't')
			nthreads = TD_MIN(strtol(optarg, NULL, 10), (long)THREADS_MAX);
		else if (c == 'r')
			o.ring_bytes = strtoul(optarg, NULL, 0);
		else if (c == 'p')
			rest.pause_us = (useconds_t)strtoul(optarg, NULL, 10);
		else if (c == 'w')
			rest.woken = true;
		else if (c == 'l')
			losing = true;
		else
			return 2;
	}
	close(3);
	if (open(argc > optind ? argv[optind] : "/dev/zero", O_RDONLY) != 3)
		return 1;
	alone = run(NULL, NULL, seconds / 2, nthreads, &rest);
	if (td_probes_open(&o, &p, &err) < 0) {
		fprintf(stderr, "nothing can be recorded here: %s\n", err.msg);
		return 77;
	}
	if (td_probes_start(p, sink, &n, &err) < 0)
		fail("not started", &err);
	recorded = run(p, &n, seconds, nthreads, &rest);
	if (td_probes_stop(p, &err) < 0 || td_probes_drain(p, sink, NULL, &n, &err) < 0 ||
	    td_probes_loss(p, sink, &n, &err) < 0)
		fail("not ended", &err);
	printf("%.0f ns of CPU time a call alone, %.0f recorded\n", alone, recorded);
	return check(&n, losing);
}
