/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/status_line.h"

/* ECMA-48: erase from the cursor to the end of the line. */
#define ERASE "\r\033[K"

static bool shown;

bool td_status_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

/* One byte less than the terminal is wide: a wrapped line cannot be erased. */
static int width(void)
{
	struct winsize ws = { 0 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) < 0 || ws.ws_col == 0)
		ws.ws_col = 80;
	return ws.ws_col - 1;
}

void td_status_show(const char *text)
{
	shown = true;
	(void)dprintf(STDERR_FILENO, ERASE "%.*s", width(), text);
}

void td_status_erase(void)
{
	if (shown)
		(void)dprintf(STDERR_FILENO, ERASE);
	shown = false;
}
