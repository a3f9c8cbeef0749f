// SPDX-License-Identifier: MIT
/*
 * What sudo does to a command, for tests that run as root already: it is called 'sudo' and has the
 * caller's environment, its child has one that was reset, with NAME=value arguments, and is told
 * who the caller is (nobody).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const char *const kept[] = { "TERM", "LANG", "ASAN_OPTIONS" };
	char reset[][80] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
			     "HOME=/root", "USER=root", "SUDO_UID=65534", "SUDO_GID=65534" };
	char *env[64] = { reset[0], reset[1], reset[2], reset[3], reset[4] };
	int n = 5, first = 1, status = 0;
	pid_t pid;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		char *value = getenv(kept[i]);

		if (value)
			env[n++] = value - strlen(kept[i]) - 1;
	}
	while (first < argc && strchr(argv[first], '=') && n < 63)
		env[n++] = argv[first++];
	pid = fork();
	if (pid == 0) {
		execvpe(argv[first], argv + first, env);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
