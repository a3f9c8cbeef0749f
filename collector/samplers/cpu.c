/* SPDX-License-Identifier: MIT */
/*
 *     cpu  10132153 290696 3084719 46828483 16683 0 25195 0 175628 0
 *     cpu0 1393280 32966 572056 13343292 6130 0 17875 0 23933 0
 *     intr ...
 *
 * Ticks since boot: user nice system idle iowait irq softirq steal guest guest_nice; user contains guest, nice
 * contains guest_nice. A share is the growth of one counter by the growth of all (without the two that are
 * contained), as mpstat has it; so the shares of a CPU add up to 100 whatever a tick is.
 *
 * Idle and iowait may step back a little (proc(5)): that is no growth. A CPU that is offline has no line. In a
 * short period a CPU may have no tick at all, which says nothing: the period is made longer. Without one for a
 * second it was idle: then the kernel has stopped its tick.
 */
#include "collector/samplers/cpu.h"
#include "common/scan.h"

#include <fcntl.h>

#define QUIET_NS UINT64_C(1000000000)
#define READ_MAX ((size_t)8 << 20)

enum counter {
	USER,
	NICE,
	SYSTEM,
	IDLE,
	IOWAIT,
	IRQ,
	SOFTIRQ,
	STEAL,
	GUEST,
	GUEST_NICE,
	NCOUNTERS,
};

/* Names and unit as importers/sysstat/mpstat_rows.c has them. */
static const char *const track_names[NCOUNTERS] = {
	[USER] = "cpu.usr",         [NICE] = "cpu.nice",     [SYSTEM] = "cpu.sys",
	[IDLE] = "cpu.idle",        [IOWAIT] = "cpu.iowait", [IRQ] = "cpu.irq",
	[SOFTIRQ] = "cpu.soft",     [STEAL] = "cpu.steal",   [GUEST] = "cpu.guest",
	[GUEST_NICE] = "cpu.gnice",
};

struct cpu {
	uint64_t ticks[NCOUNTERS]; /* at since_ns */
	uint64_t since_ns; /* 0: it had no line */
	uint64_t reading; /* in which it was seen last */
	uint32_t tracks[NCOUNTERS]; /* 0: none yet */
};

struct td_cpu_sampler {
	struct td_emit *emit; /* borrowed */
	int fd;
	uint64_t interval_ns, due_ns;
	uint64_t readings;
	char *text;
	size_t text_size;
	struct cpu *cpus; /* all together, CPU 0, CPU 1, ... */
	size_t ncpus;
};

int td_cpu_sampler_new(const struct td_cpu_options *options, struct td_emit *emit,
		       struct td_cpu_sampler **ret, struct td_err *err)
{
	const char *path = options->path ? options->path : "/proc/stat";
	_cleanup_(td_cpu_sampler_freep) struct td_cpu_sampler *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->emit = emit;
	s->fd = -1;
	s->interval_ns = options->interval_ns ? options->interval_ns : TD_CPU_INTERVAL_NS;
	s->text_size = 16384;
	s->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0)
		return td_err_errno(err, -errno, "cannot open '%s'", path);
	if (s->interval_ns < TD_CPU_INTERVAL_MIN_NS)
		return td_err_set(err, -EINVAL,
				  "CPUs cannot be sampled more often than 100 times a second");
	s->text = malloc(s->text_size);
	if (!s->text)
		return -ENOMEM;
	*ret = TAKE_PTR(s);
	return 0;
}

void td_cpu_sampler_free(struct td_cpu_sampler *s)
{
	if (!s)
		return;
	td_closep(&s->fd);
	free(s->text);
	free(s->cpus);
	free(s);
}

uint64_t td_cpu_sampler_due_ns(const struct td_cpu_sampler *s)
{
	return s->due_ns;
}

/* --- reading --- */

/* Do the lines of the CPUs, which come first, end within the text? */
static bool has_all_cpus(const char *text, size_t len)
{
	const char *end = text + len;

	for (const char *p = text, *newline; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			return false;
		if (!td_str_starts((struct td_str){ p, (size_t)(newline - p) }, "cpu"))
			return true;
	}
	return false;
}

/* The length of what was read, or -errno. */
static ssize_t read_text(struct td_cpu_sampler *s)
{
	for (;;) {
		ssize_t n = pread(s->fd, s->text, s->text_size, 0);
		char *p;

		if (n < 0)
			return -errno;
		if ((size_t)n < s->text_size || has_all_cpus(s->text, (size_t)n))
			return n;
		if (s->text_size >= READ_MAX)
			return -EFBIG;
		p = realloc(s->text, s->text_size * 2);
		if (!p)
			return -ENOMEM;
		s->text = p;
		s->text_size *= 2;
	}
}

/* "cpu" or "cpu12" and the ticks; kernels before 2.6.33 have fewer columns. */
static bool scan_line(struct td_scan t, size_t *ret_slot, uint64_t ticks[NCOUNTERS])
{
	uint64_t number;

	memset(ticks, 0, NCOUNTERS * sizeof(*ticks));
	if (!td_scan_literal(&t, "cpu"))
		return false;
	*ret_slot = 0;
	if (td_scan_u64(&t, &number)) {
		if (number > INT16_MAX)
			return false;
		*ret_slot = (size_t)number + 1;
	}
	for (int i = 0; i < NCOUNTERS; i++)
		if (td_scan_blanks(&t) == 0 || !td_scan_u64(&t, &ticks[i]))
			return i > IDLE;
	return true;
}

static int make_room(struct td_cpu_sampler *s, size_t slot)
{
	size_t n = TD_MAX(slot + 1, s->ncpus * 2);
	struct cpu *p;

	if (slot < s->ncpus)
		return 0;
	p = realloc(s->cpus, n * sizeof(*p));
	if (!p)
		return -ENOMEM;
	memset(p + s->ncpus, 0, (n - s->ncpus) * sizeof(*p));
	s->cpus = p;
	s->ncpus = n;
	return 0;
}

/* --- samples --- */

static int put(struct td_cpu_sampler *s, size_t slot, enum counter counter, uint64_t now_ns,
	       double value)
{
	struct cpu *c = &s->cpus[slot];
	char device[32];

	if (!c->tracks[counter]) {
		struct td_emit_track track = {
			.name = track_names[counter],
			.unit = "%",
			.device_kind = TD_EMIT_NO_DEVICE,
		};
		int r;

		if (slot) {
			(void)snprintf(device, sizeof(device), "CPU %zu", slot - 1);
			track.device_kind = TD_DEVICE_CPU;
			track.device_number = (int16_t)(slot - 1);
			track.device = device;
		}
		r = td_emit_track(s->emit, &track, &c->tracks[counter]);
		if (r < 0)
			return r;
	}
	return td_emit_sample(s->emit, c->tracks[counter], now_ns, now_ns - c->since_ns, value);
}

/* grown: by how much each counter grew, together total. */
static int put_shares(struct td_cpu_sampler *s, size_t slot, uint64_t now_ns,
		      uint64_t grown[NCOUNTERS], uint64_t total)
{
	const struct cpu *c = &s->cpus[slot];

	/* guest time may be counted a moment before the time that contains it */
	grown[USER] -= TD_MIN(grown[GUEST], grown[USER]);
	grown[NICE] -= TD_MIN(grown[GUEST_NICE], grown[NICE]);
	for (int i = 0; i < NCOUNTERS; i++) {
		double share = total       ? 100.0 * (double)grown[i] / (double)total
			       : i == IDLE ? 100
					   : 0;
		int r;

		if (i >= GUEST && !c->ticks[i] && !grown[i])
			continue;
		r = put(s, slot, (enum counter)i, now_ns, share);
		if (r < 0)
			return r;
	}
	return 0;
}

static int count(struct td_cpu_sampler *s, size_t slot, uint64_t now_ns,
		 const uint64_t ticks[NCOUNTERS])
{
	struct cpu *c = &s->cpus[slot];
	bool was_there = c->since_ns && c->reading + 1 == s->readings;
	bool stepped_back = false;
	uint64_t grown[NCOUNTERS], total = 0;
	int r = 0;

	c->reading = s->readings;
	for (int i = 0; i < NCOUNTERS; i++) {
		stepped_back |= ticks[i] < c->ticks[i];
		grown[i] = ticks[i] > c->ticks[i] ? ticks[i] - c->ticks[i] : 0;
		total += i < GUEST ? grown[i] : 0;
	}
	if (was_there && !total && !stepped_back && now_ns - c->since_ns < QUIET_NS)
		return 0;
	if (was_there && now_ns > c->since_ns && (total || !stepped_back))
		r = put_shares(s, slot, now_ns, grown, total);
	c->since_ns = now_ns;
	memcpy(c->ticks, ticks, sizeof(c->ticks));
	return r;
}

int td_cpu_sampler_take(struct td_cpu_sampler *s, uint64_t now_ns)
{
	ssize_t len;
	const char *end, *newline;

	if (s->fd < 0)
		return 0;
	len = read_text(s);
	if (len < 0) {
		td_closep(&s->fd);
		s->fd = -1;
		return len == -ENOMEM ? -ENOMEM
				      : td_emit_note(s->emit, "cpu-unreadable",
						     "CPU utilisation ends: reading failed (%s)",
						     strerror((int)-len));
	}
	s->readings++;
	end = s->text + len;
	for (const char *p = s->text; p < end; p = newline + 1) {
		uint64_t ticks[NCOUNTERS];
		size_t slot;
		int r;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline || !scan_line((struct td_scan){ p, newline }, &slot, ticks))
			break;
		r = make_room(s, slot);
		if (r == 0)
			r = count(s, slot, now_ns, ticks);
		if (r < 0)
			return r;
	}
	return 0;
}

int td_cpu_sampler_poll(struct td_cpu_sampler *s, uint64_t now_ns)
{
	if (now_ns < s->due_ns)
		return 0;
	/* on the beat, unless a beat or more was missed */
	s->due_ns = s->due_ns && now_ns - s->due_ns < s->interval_ns ? s->due_ns + s->interval_ns
								     : now_ns + s->interval_ns;
	return td_cpu_sampler_take(s, now_ns);
}
