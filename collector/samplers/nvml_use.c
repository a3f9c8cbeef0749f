/* SPDX-License-Identifier: MIT */
/*
 * How the driver tells utilisation (seen with 580.159 on an H200, and as the reference guide has it):
 *
 *     nvmlDeviceGetUtilizationRates     a number that is up to one sampling period old; asked ten times a second it
 *                                       makes stairs that lag behind
 *     nvmlDeviceGetSamples              the driver's own samples of some 200 ms each, with the wall clock's time at
 *                                       their end, the last 14 s of them: what is used where it is there
 *     nvmlDeviceGetProcessUtilization   per process the mean over all samples since a given time. A sample belongs
 *                                       to one process; those that had none since then are not listed: 0
 */
#include "collector/samplers/nvml_private.h"

#define SAMPLE_MAX_NS                                                                              \
	UINT64_C(1000000000) /* a sampling period is no longer; else there was a pause */
#define LATE_US UINT64_C(100000) /* by which a sample may show up late; seen were 20 ms */
#define MAX_LIST 65536u /* of samples or processes */

static uint64_t to_boot(struct td_nvml_now now, uint64_t utc_us)
{
	uint64_t ago = now.utc_ns - TD_MIN(utc_us * 1000, now.utc_ns);

	return now.boot_ns - TD_MIN(ago, now.boot_ns);
}

static int make_room(struct td_nvml_list *l, unsigned int want, size_t size)
{
	void *p;

	want = TD_MIN(want, MAX_LIST);
	if (want <= l->cap)
		return 0;
	p = realloc(l->p, want * size);
	if (!p)
		return -ENOMEM;
	l->p = p;
	l->cap = want;
	return 0;
}

/* Puts the driver's samples behind what was taken before. 0, -ENOMEM, or a positive enum td_nvml_error. */
static int take_samples(const struct td_nvml_reading *rd, int type, enum td_nvml_metric metric)
{
	uint64_t *newest = &rd->g->samples_us[metric == TD_NVML_MEM];
	uint64_t now_us = rd->now.utc_ns / 1000;
	bool first = !*newest;
	const struct td_nvml_sample *s;
	unsigned int n = 0;
	int value_type = 0, e, r;

	e = TD_NVML_CALL(rd->n, samples, rd->g->device, type, 0, &value_type, &n, NULL);
	if (e == TD_NVML_OK) {
		r = make_room(&rd->n->samples, n + 16, sizeof(*s));
		if (r < 0)
			return r;
		n = rd->n->samples.cap;
		e = TD_NVML_CALL(rd->n, samples, rd->g->device, type,
				 first ? now_us - TD_MIN(now_us, SAMPLE_MAX_NS / 1000) : *newest,
				 &value_type, &n, rd->n->samples.p);
	}
	if (e)
		return e == TD_NVML_NOT_FOUND ? 0 : e;
	s = rd->n->samples.p;
	for (unsigned int i = 0; i < n; i++) {
		uint64_t dur_ns = (s[i].time_us - *newest) * 1000;

		if (s[i].time_us <= *newest || s[i].time_us > now_us)
			continue;
		r = first ? 0
			  : td_nvml_put(rd, metric, 0, to_boot(rd->now, s[i].time_us),
					TD_MIN(dur_ns, SAMPLE_MAX_NS),
					td_nvml_percent(s[i].value.u));
		if (r < 0)
			return r;
		*newest = s[i].time_us;
	}
	rd->g->known |= 1u << metric;
	return 0;
}

/* Where there are no samples. */
static int read_rates(const struct td_nvml_reading *rd)
{
	struct td_nvml_rates rates = { 0 };
	int e = TD_NVML_CALL(rd->n, rates, rd->g->device, &rates), r = 0;
	double sm = td_nvml_percent(rates.gpu), mem = td_nvml_percent(rates.memory);
	uint64_t dur_ns = rd->now.boot_ns - rd->g->slow_ns;

	if (td_nvml_answered(rd->g, TD_NVML_SM, e, &sm) && rd->g->slow_ns)
		r = td_nvml_put(rd, TD_NVML_SM, 0, rd->now.boot_ns, dur_ns, sm);
	if (r == 0 && td_nvml_answered(rd->g, TD_NVML_MEM, e, &mem) && rd->g->slow_ns)
		r = td_nvml_put(rd, TD_NVML_MEM, 0, rd->now.boot_ns, dur_ns, mem);
	return r;
}

static int read_utilisation(const struct td_nvml_reading *rd)
{
	int r = take_samples(rd, TD_NVML_SAMPLES_GPU, TD_NVML_SM);

	if (r == 0)
		r = take_samples(rd, TD_NVML_SAMPLES_MEMORY, TD_NVML_MEM);
	if (r <= 0 || td_nvml_is_missing(rd->g, TD_NVML_SM))
		return TD_MIN(r, 0);
	return read_rates(rd);
}

/* --- processes --- */

#define UNTOUCHED 0xa5
#define PROCESS_SIZE_MAX 32

/* How far apart are the processes in the buffer? Two layouts have the same function; the longer one's last entry
 * reaches further. */
static size_t process_size(const struct td_nvml *n, unsigned int count)
{
	const unsigned char *p = n->processes.p;

	for (size_t i = (size_t)count * 24; i < (size_t)count * 32; i++)
		if (p[i] != UNTOUCHED)
			return 32;
	return 24;
}

/* The number of processes in n->processes; 0 if that cannot be had; or -ENOMEM. */
static int list_processes(const struct td_nvml_reading *rd, int which)
{
	struct td_nvml *n = rd->n;
	unsigned int count = 64;
	int e = TD_NVML_INSUFFICIENT_SIZE;

	for (int tries = 0; e == TD_NVML_INSUFFICIENT_SIZE && tries < 3; tries++) {
		int r = make_room(&n->processes, count + 16, PROCESS_SIZE_MAX);

		if (r < 0)
			return r;
		count = n->processes.cap;
		memset(n->processes.p, UNTOUCHED, (size_t)n->processes.cap * PROCESS_SIZE_MAX);
		e = TD_NVML_CALL(n, processes[which], rd->g->device, &count, n->processes.p);
	}
	if (e || count > n->processes.cap)
		return 0;
	if (count && !n->process_size)
		n->process_size = process_size(n, count);
	return (int)count;
}

static bool was_sampled(const struct td_nvml_process_sample *s, unsigned int n, unsigned int pid)
{
	for (unsigned int i = 0; i < n; i++)
		if (s[i].pid == pid)
			return true;
	return false;
}

/* Samples of processes since the last time, in n->process_samples: their number, 0 if there are none, or
 * -ENOMEM. */
static int list_process_samples(const struct td_nvml_reading *rd)
{
	struct td_nvml *n = rd->n;
	uint64_t now_us = rd->now.utc_ns / 1000;
	uint64_t since = rd->g->processes_us;
	unsigned int count = 128;
	int e = TD_NVML_INSUFFICIENT_SIZE;

	if (!since)
		since = rd->g->processes_us = now_us;
	for (int tries = 0; e == TD_NVML_INSUFFICIENT_SIZE && tries < 3; tries++) {
		int r = make_room(&n->process_samples, count,
				  sizeof(struct td_nvml_process_sample));

		if (r < 0)
			return r;
		count = n->process_samples.cap;
		e = TD_NVML_CALL(n, process_samples, rd->g->device, n->process_samples.p, &count,
				 since);
	}
	/* nobody had any: what comes later is not of this time. One of just now may not be there yet. */
	if (e == TD_NVML_NOT_FOUND)
		rd->g->processes_us = TD_MAX(since, now_us - TD_MIN(now_us, LATE_US));
	return e ? 0 : (int)TD_MIN(count, n->process_samples.cap);
}

static int put_process_sample(const struct td_nvml_reading *rd,
			      const struct td_nvml_process_sample *s, uint64_t time_ns,
			      uint64_t dur_ns)
{
	const struct {
		enum td_nvml_metric metric;
		unsigned int value;
		bool always;
	} columns[] = {
		{ TD_NVML_SM, s->sm, true },
		{ TD_NVML_MEM, s->mem, true },
		{ TD_NVML_ENC, s->enc, false },
		{ TD_NVML_DEC, s->dec, false },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < TD_ARRAY_SIZE(columns); i++)
		if (columns[i].always || columns[i].value)
			r = td_nvml_put(rd, columns[i].metric, (pid_t)s->pid, time_ns, dur_ns,
					td_nvml_percent(columns[i].value));
	return r;
}

/* The time that the samples end at: that of the newest one of any process. */
static uint64_t newest_us(const struct td_nvml_process_sample *s, unsigned int n)
{
	uint64_t newest = 0;

	for (unsigned int i = 0; i < n; i++)
		newest = TD_MAX(newest, (uint64_t)s[i].time_us);
	return newest;
}

/* One that both computes and draws is in both lists. */
static bool is_listed(const struct td_nvml_values *v, size_t from, pid_t pid)
{
	for (size_t i = from; i < v->n; i++)
		if (v->items[i].metric == TD_NVML_FB && v->items[i].pid == pid)
			return true;
	return false;
}

static int put_running(const struct td_nvml_reading *rd, const struct td_nvml_process *p)
{
	uint64_t since_ns = rd->g->slow_ns;
	double used = p->used_bytes == UINT64_MAX ? NAN : (double)p->used_bytes;

	return since_ns ? td_nvml_put(rd, TD_NVML_FB, (pid_t)p->pid, rd->now.boot_ns,
				      rd->now.boot_ns - since_ns, used)
			: 0;
}

/* time_ns, dur_ns: what the samples of processes cover; dur_ns 0: there are none. Processes that are on the GPU and
 * had none of its samples had 0 of it. */
static int read_running(const struct td_nvml_reading *rd, unsigned int nsamples, uint64_t time_ns,
			uint64_t dur_ns)
{
	const struct td_nvml_process_sample *samples = rd->n->process_samples.p;
	size_t from = rd->values->n;

	for (int which = 0; which < 2; which++) {
		int n = list_processes(rd, which), r = TD_MIN(n, 0);

		for (int i = 0; r == 0 && i < n; i++) {
			size_t at = (size_t)i * rd->n->process_size;
			struct td_nvml_process p;

			memcpy(&p, (const char *)rd->n->processes.p + at, sizeof(p));
			if (is_listed(rd->values, from, (pid_t)p.pid))
				continue;
			r = put_running(rd, &p);
			if (r == 0 && dur_ns && !was_sampled(samples, nsamples, p.pid))
				r = put_process_sample(
					rd, &(struct td_nvml_process_sample){ .pid = p.pid },
					time_ns, dur_ns);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_processes(const struct td_nvml_reading *rd)
{
	const struct td_nvml_process_sample *s;
	uint64_t time_ns = rd->now.boot_ns, dur_ns = 0;
	int n = list_process_samples(rd), r = 0;

	if (n < 0)
		return n;
	s = rd->n->process_samples.p;
	if (n) {
		uint64_t newest = newest_us(s, (unsigned)n);

		if (newest > rd->g->processes_us) {
			dur_ns = (newest - rd->g->processes_us) * 1000;
			/* beside the rates, which are of now */
			if (rd->g->samples_us[0])
				time_ns = to_boot(rd->now, newest);
			rd->g->processes_us = newest;
		}
	}
	for (int i = 0; r == 0 && dur_ns && i < n; i++)
		r = put_process_sample(rd, &s[i], time_ns, dur_ns);
	return r < 0 ? r : read_running(rd, (unsigned)n, time_ns, dur_ns);
}

int td_nvml_read_use(const struct td_nvml_reading *rd)
{
	/* first the processes: their newest sample is then among those of the GPU */
	int r = read_processes(rd);

	return r < 0 ? r : read_utilisation(rd);
}
