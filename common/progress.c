/* SPDX-License-Identifier: MIT */
#include <sys/ioctl.h>
#include <time.h>

#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "common/progress.h"
#include "common/units.h"

#define FIRST_NS (TD_SEC_NS / 2)
#define EVERY_NS (TD_SEC_NS / 10)

/* ECMA-48: erase from the cursor to the end of the line. */
#define ERASE "\r\033[K"

static int64_t now_ns(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * TD_SEC_NS + ts.tv_nsec;
}

static bool is_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && !(term && strcmp(term, "dumb") == 0);
}

void td_progress_init(struct td_progress *p, const char *label, int64_t total_bytes, bool quiet)
{
	*p = (struct td_progress){ .fd = -1, .total_bytes = total_bytes };
	td_progress_label(p, label);
	if (quiet || !is_terminal(STDERR_FILENO))
		return;
	p->fd = STDERR_FILENO;
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
	(void)snprintf(buf, size, "%s: %d%% of %s, %s rows/s, %s left", p->label, (int)(part * 100),
		       td_format_bytes(total, sizeof(total), p->total_bytes), rate, left);
	return buf;
}

/* Not one byte more than the terminal is wide, less one: a wrapped line cannot be erased. */
static size_t line_size(int fd, size_t max)
{
	struct winsize ws = { 0 };

	if (ioctl(fd, TIOCGWINSZ, &ws) < 0 || ws.ws_col == 0)
		ws.ws_col = 80;
	return TD_MIN(max, (size_t)ws.ws_col);
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
	p->shown = true;
	td_progress_format(text, line_size(p->fd, sizeof(text)), p, bytes, rows, now - p->start_ns);
	(void)dprintf(p->fd, ERASE "%s", text);
}

void td_progress_done(struct td_progress *p)
{
	if (p->shown)
		(void)dprintf(p->fd, ERASE);
	p->fd = -1;
	p->shown = false;
}
