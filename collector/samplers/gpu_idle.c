/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "collector/samplers/gpu_idle.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/scan.h"
#include "common/units.h"

#define PAUSE_NS UINT64_C(1000000000) /* so long without a sample is no idling that was seen */
#define GPUS_MAX 4096

/* --- words --- */

bool td_gpu_idle_is(const char *text)
{
	return strncmp(text, "gpu", 3) == 0;
}

/* The text behind '>', or NULL. */
static const char *scan_condition(const char *text, int *ret_gpu)
{
	struct td_scan s = td_scan_of(text, strlen(text));
	uint64_t number;

	if (!td_scan_literal(&s, "gpu") || !td_scan_blanks(&s))
		return NULL;
	if (td_scan_u64(&s, &number)) {
		if (number >= GPUS_MAX || !td_scan_blanks(&s))
			return NULL;
		*ret_gpu = (int)number;
	}
	if (!td_scan_literal(&s, "idle"))
		return NULL;
	td_scan_blanks(&s);
	if (!td_scan_char(&s, '>'))
		return NULL;
	td_scan_blanks(&s);
	return s.p;
}

int td_gpu_idle_parse(const char *text, struct td_gpu_idle *ret, struct td_err *err)
{
	struct td_gpu_idle t = { .gpu = TD_GPU_IDLE_ANY };
	const char *time = scan_condition(text, &t.gpu);

	if (!time)
		return td_err_set(err, -EINVAL,
				  "'%s': expected 'gpu idle > TIME', or of one GPU 'gpu 0 idle > "
				  "TIME'",
				  text);
	if (td_parse_duration(time, TD_SEC_NS, &t.longer_than_ns) < 0 || t.longer_than_ns <= 0)
		return td_err_set(err, -EINVAL, "'%s': expected a time like 2s or 500ms behind '>'",
				  text);
	td_gpu_idle_done(ret);
	*ret = t;
	return 0;
}

void td_gpu_idle_done(struct td_gpu_idle *t)
{
	free(t->states);
	t->states = NULL;
	t->nstates = 0;
}

/* --- samples --- */

static struct td_gpu_idle_state *state_of(struct td_gpu_idle *t, unsigned gpu)
{
	struct td_gpu_idle_state *p;

	if (gpu < t->nstates)
		return &t->states[gpu];
	p = realloc(t->states, (gpu + 1) * sizeof(*p));
	if (!p)
		return NULL;
	memset(p + t->nstates, 0, (gpu + 1 - t->nstates) * sizeof(*p));
	t->states = p;
	t->nstates = gpu + 1;
	return &p[gpu];
}

int td_gpu_idle_add(struct td_gpu_idle *t, unsigned gpu, uint64_t time_ns, uint64_t dur_ns,
		    double percent)
{
	uint64_t from_ns = time_ns - TD_MIN(dur_ns, time_ns);
	struct td_gpu_idle_state *s;

	if (!t->longer_than_ns || gpu >= GPUS_MAX ||
	    (t->gpu != TD_GPU_IDLE_ANY && (unsigned)t->gpu != gpu))
		return 0;
	s = state_of(t, gpu);
	if (!s)
		return -ENOMEM;
	if (isnan(percent) || percent > 0) {
		s->to_ns = 0;
		s->told &= isnan(percent);
		return 0;
	}
	if (!s->to_ns || from_ns > s->to_ns + PAUSE_NS)
		s->from_ns = from_ns;
	s->to_ns = time_ns;
	if (s->told || s->to_ns - s->from_ns <= (uint64_t)t->longer_than_ns)
		return 0;
	s->told = t->has_come = true;
	return 0;
}

bool td_gpu_idle_take(struct td_gpu_idle *t)
{
	bool has_come = t->has_come;

	t->has_come = false;
	return has_come;
}
