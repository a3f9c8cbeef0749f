/* SPDX-License-Identifier: MIT */
#include <fcntl.h>

#include "collector/trigger.h"
#include "common/cleanup.h"
#include "common/scan.h"

#define TRIGGER_SIGNAL (SIGRTMAX - 3)
#define TRIGGER_WORD 0x74647472 /* "tdtr" */

int td_trigger_parse(const char *name, int *ret, struct td_err *err)
{
	struct td_scan s = td_scan_of(name, strlen(name));
	int64_t number = 0;

	if (!td_scan_i64(&s, &number) || !td_scan_done(&s))
		number = 0;
	if (strncmp(name, "SIG", 3) == 0)
		name += 3;
	for (int sig = 1; sig < NSIG; sig++) {
		const char *abbreviation = sigabbrev_np(sig);

		if (sig == SIGKILL || sig == SIGSTOP)
			continue;
		if (number != sig && (!abbreviation || strcmp(abbreviation, name) != 0))
			continue;
		*ret = sig;
		return 0;
	}
	return td_err_set(err, -EINVAL,
			  "'%s': expected the name of a signal, like USR2, or a "
			  "condition, like 'gpu idle > 2s'",
			  name);
}

bool td_trigger_is(const struct signalfd_siginfo *info, int chosen)
{
	return (chosen && (int)info->ssi_signo == chosen) ||
	       ((int)info->ssi_signo == TRIGGER_SIGNAL && info->ssi_code == SI_QUEUE &&
		info->ssi_int == TRIGGER_WORD);
}

/* --- who can be triggered: a lock that tells whose it is, beside the one of common/lock.h, which does not --- */

void td_trigger_wait_for(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	(void)fcntl(fd, F_SETLK,
		    &lock); /* no file system without locks: there is but the user's signal then */
}

int td_trigger_send(const char *spool, struct td_err *err)
{
	_cleanup_close_ int fd = open(spool, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	const union sigval word = { .sival_int = TRIGGER_WORD };

	if (fd < 0 && errno != ENOENT)
		return td_err_errno(err, -errno, "cannot open '%s'", spool);
	if (fd < 0 || fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK || lock.l_pid <= 0)
		return td_err_set(err, -ENOENT, "no flight recorder is recording to '%s'", spool);
	if (sigqueue(lock.l_pid, TRIGGER_SIGNAL, word) < 0)
		return td_err_errno(err, -errno, "cannot trigger process %d", (int)lock.l_pid);
	return 0;
}

/* --- names --- */

static bool is_taken(const char *name)
{
	_cleanup_free_ char *spool = NULL;

	if (asprintf(&spool, "%s.spool", name) < 0)
		spool = NULL;
	return access(name, F_OK) == 0 || (spool && access(spool, F_OK) == 0);
}

char *td_trigger_part_name(const char *output)
{
	size_t len = strlen(output);
	const char *ending = len > 3 && strcmp(output + len - 3, ".db") == 0 ? ".db" : "";

	len -= strlen(ending);
	for (unsigned n = 1;; n++) {
		char *name;

		if (asprintf(&name, "%.*s-%u%s", (int)len, output, n, ending) < 0)
			return NULL;
		if (!is_taken(name))
			return name;
		free(name);
	}
}
