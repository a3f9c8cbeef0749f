/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>

#include "collector/probes/libraries.h"
#include "collector/sets/provider.h"
#include "common/array.h"
#include "common/cleanup.h"

static const char *const folders[] = {
	"/lib/*-linux-gnu",
	"/usr/lib/*-linux-gnu",
	"/usr/lib64",
	"/usr/lib",
	"/usr/local/lib",
	"/usr/local/nvidia/lib64",
	"/usr/local/cuda/lib64",
	"/usr/local/cuda-*/lib64",
	"/usr/lib/wsl/lib",
	"/run/opengl-driver/lib",
};

/* What lies below a folder that a variable names, or several with ':' between them. */
static const struct {
	const char *variable, *below;
} named[] = {
	{ "LD_LIBRARY_PATH", "" },
	{ "CONDA_PREFIX", "/lib" },
	{ "CONDA_PREFIX", "/lib/python3*/*-packages/nvidia/*/lib" },
	{ "VIRTUAL_ENV", "/lib/python3*/*-packages/nvidia/*/lib" },
	{ "VIRTUAL_ENV", "/lib/python3*/*-packages/torch/lib" },
	/* of the programs in bin/, of which Python is one */
	{ "PATH", "/../lib/python3*/*-packages/nvidia/*/lib" },
	{ "PATH", "/../lib/python3*/*-packages/torch/lib" },
};

bool td_library_is(const struct td_functions *functions, const char *path, int len)
{
	const char *slash = memrchr(path, '/', (size_t)len);
	const char *name = slash ? slash + 1 : path;
	size_t n = (size_t)(path + len - name);

	for (size_t i = 0; i < TD_ARRAY_SIZE(functions->libraries); i++) {
		const char *begin = functions->libraries[i];

		if (begin && n >= strlen(begin) && memcmp(name, begin, strlen(begin)) == 0)
			return true;
	}
	return false;
}

struct search {
	const struct td_functions *functions;
	int (*found)(void *arg, const char *path);
	void *arg;
};

static int find_pattern(const struct search *s, const char *folder, const char *library)
{
	char pattern[PATH_MAX];
	glob_t g = { 0 };
	int r;

	if ((size_t)snprintf(pattern, sizeof(pattern), "%s/%s*", folder, library) >=
	    sizeof(pattern))
		return 0;
	r = glob(pattern, GLOB_NOSORT, NULL, &g);
	r = r == GLOB_NOSPACE ? -ENOMEM : 0;
	for (size_t i = 0; i < g.gl_pathc && r == 0; i++)
		r = s->found(s->arg, g.gl_pathv[i]);
	globfree(&g);
	return r;
}

static int find_in(const struct search *s, const char *folder)
{
	int r = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(s->functions->libraries) && r == 0; i++)
		if (s->functions->libraries[i])
			r = find_pattern(s, folder, s->functions->libraries[i]);
	return r;
}

static int find_named(const struct search *s, const char *list, const char *below)
{
	char folder[PATH_MAX];
	int r = 0;

	while (r == 0 && *list) {
		size_t n = strcspn(list, ":");

		/* the current one is not looked at: it need not be that of the programs */
		if (*list == '/' && (size_t)snprintf(folder, sizeof(folder), "%.*s%s", (int)n, list,
						     below) < sizeof(folder))
			r = find_in(s, folder);
		list += n + (list[n] == ':');
	}
	return r;
}

int td_libraries_find(const struct td_functions *functions,
		      int (*found)(void *arg, const char *path), void *arg)
{
	const struct search s = { functions, found, arg };
	int r = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(named) && r == 0; i++) {
		const char *list = getenv(named[i].variable);

		r = list ? find_named(&s, list, named[i].below) : 0;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(folders) && r == 0; i++)
		r = find_in(&s, folders[i]);
	return r;
}
