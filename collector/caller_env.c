/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <fcntl.h>
#include <limits.h>

#include "collector/caller_env.h"
#include "collector/samplers/proc.h"
#include "common/array.h"
#include "common/cleanup.h"

#define TEXT_MAX ((size_t)8 << 20) /* the kernel allows a quarter of the stack, 2 MiB by default */

void td_caller_env_done(struct td_caller_env *e)
{
	free(e->vars);
	free(e->text);
	*e = (struct td_caller_env){ 0 };
}

/* --- two environments --- */

/* Those that sudo sets for the user that it becomes, whatever they were. */
static bool is_set_by_sudo(const char *var)
{
	static const char *const names[] = { "HOME",  "LOGNAME", "MAIL",    "PATH",
					     "SHELL", "USER",    "USERNAME" };

	if (strncmp(var, "SUDO_", 5) == 0)
		return true;
	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		if (strncmp(var, names[i], strlen(names[i])) == 0 && var[strlen(names[i])] == '=')
			return true;
	return false;
}

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return strncmp(a, b, len) == 0 && b[len] == '=';
}

/* Of equal names the later one holds. */
static void set(char **vars, size_t *n, char *var)
{
	for (size_t i = 0; i < *n; i++) {
		if (!same_name(var, vars[i]))
			continue;
		vars[i] = var;
		return;
	}
	vars[(*n)++] = var;
}

int td_caller_env_merge(char *text, size_t size, char *const own[], struct td_caller_env *ret)
{
	size_t max = 1, n = 0;

	assert(text || !size);
	for (size_t i = 0; i < size; i++)
		max += text[i] == '\0';
	for (char *const *var = own; *var; var++)
		max++;
	ret->vars = calloc(max, sizeof(*ret->vars));
	ret->text = text;
	if (!ret->vars)
		return -ENOMEM;
	for (char *var = text; var < text + size; var += strlen(var) + 1)
		if (strchr(var, '='))
			set(ret->vars, &n, var);
	for (char *const *var = own; *var; var++)
		if (strchr(*var, '=') && !is_set_by_sudo(*var))
			set(ret->vars, &n, *var);
	return 0;
}

/* --- that of sudo --- */

static bool is_sudo(pid_t pid)
{
	char link[64], path[PATH_MAX];
	const char *name;
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, path, sizeof(path) - 1);
	path[TD_MAX(n, (ssize_t)0)] = '\0';
	name = strrchr(path, '/');
	return name && (strcmp(name, "/sudo") == 0 || strcmp(name, "/sudo-rs") == 0);
}

/* All of a file of which the size is not known before, with a NUL behind it. The number of bytes, or -errno. */
static ssize_t read_all(const char *path, char **ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	size_t size = 0, cap = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && size < TEXT_MAX) {
		int r = td_grow(&text, &cap, size + 1);

		if (r < 0)
			return r;
		n = read(fd, text + size, cap - size - 1);
		size += (size_t)TD_MAX(n, (ssize_t)0);
	}
	if (n < 0)
		return -errno;
	text[size] = '\0';
	*ret = TAKE_PTR(text);
	return (ssize_t)size;
}

int td_caller_env_read(bool by_tracedb, struct td_caller_env *ret)
{
	struct td_proc parent = { .parent = getppid() };
	char path[64], *text = NULL;
	ssize_t size;

	if (!getenv("SUDO_UID") || (by_tracedb && td_proc_read(getppid(), &parent) < 0) ||
	    !is_sudo(parent.parent))
		return 0;
	(void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)parent.parent);
	size = read_all(path, &text);
	return size < 0 ? (int)size : td_caller_env_merge(text, (size_t)size, environ, ret);
}
