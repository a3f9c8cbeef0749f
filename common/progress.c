/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/progress.h"
#include "common/status_line.h"
#include "common/units.h"

#define FIRST_NS (TD_SEC_NS / 2)
#define EVERY_NS (TD_SEC_NS / 10)

static int64_t now_ns(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * TD_SEC_NS + ts.tv_nsec;
}

void td_progress_init(struct td_progress *p, const char *label, int64_t total_bytes, bool quiet)
{
	*p = (struct td_progress){ .on = !quiet && td_status_possible(),
				   .total_bytes = total_bytes };
	td_progress_label(p, label);
	if (!p->on)
		return;
	p->start_ns = now_ns();
	p->next_ns = p->start_ns + FIRST_NS;
}

/* A file name may hold anything, even what a terminal takes as a command. */
void td_progress_label(struct td_progress *p, const char *label)
{
	_cleanup_(td_strbuf_done) struct td_strbuf clean = TD_STRBUF_INIT;

	td_printable(&clean, label, strlen(label));
	(void)snprintf(p->label, sizeof(p->label), "%s", td_strbuf_str(&clean));
}

static void format_left(char *buf, size_t size, int64_t left_ns)
{
	if (left_ns < 60 * TD_SEC_NS)
		(void)snprintf(buf, size, "%d s", (int)((left_ns + TD_SEC_NS - 1) / TD_SEC_NS));
	else
		(void)td_format_dur(buf, size, left_ns);
}

char *td_progress_format(char *buf, size_t size, const struct td_progress *p, int64_t bytes,
			 int64_t rows, int64_t elapsed_ns)
{
	char total[TD_UNITS_BUF], rate[TD_UNITS_BUF], left[TD_UNITS_BUF];
	double part = (double)bytes / (double)p->total_bytes;

	td_format_count(rate, sizeof(rate), (int64_t)((double)rows * 1e9 / (double)elapsed_ns));
	if (bytes <= 0 || bytes > p->total_bytes) {
		(void)snprintf(buf, size, "%s: %s, %s rows/s", p->label,
			       td_format_bytes(total, sizeof(total), bytes), rate);
		return buf;
	}
	format_left(left, sizeof(left), (int64_t)((double)elapsed_ns * (1 - part) / part));
	if (p->things) {
		(void)snprintf(buf, size, "%s: %d%% of %s %s, %s left", p->label, (int)(part * 100),
			       td_format_count(total, sizeof(total), p->total_bytes), p->things,
			       left);
		return buf;
	}
	(void)snprintf(buf, size, "%s: %d%% of %s, %s rows/s, %s left", p->label, (int)(part * 100),
		       td_format_bytes(total, sizeof(total), p->total_bytes), rate, left);
	return buf;
}

void td_progress_show(struct td_progress *p, int64_t bytes, int64_t rows)
{
	int64_t now = now_ns();
	char text[256];

	p->calls = 0;
	p->bytes = bytes;
	if (now < p->next_ns)
		return;
	p->next_ns = now + EVERY_NS;
	td_status_show(td_progress_format(text, sizeof(text), p, bytes, rows, now - p->start_ns));
}

void td_progress_done(struct td_progress *p)
{
	if (p->on)
		td_status_erase();
	p->on = false;
}
