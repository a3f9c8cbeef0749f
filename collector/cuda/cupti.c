/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/cuda/cupti_abi.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- what the process has loaded --- */

struct wanted {
	const char *name; /* of a file, its begin */
	char *path;
	size_t size;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct wanted *w = arg;
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!slash || strncmp(slash + 1, w->name, strlen(w->name)) != 0)
		return 0;
	return (size_t)snprintf(w->path, w->size, "%s", info->dlpi_name) < w->size;
}

static int find_loaded(const char *name, char *path, size_t size)
{
	struct wanted w = { name, path, size };

	return dl_iterate_phdr(look_at, &w);
}

static void *open_loaded(void)
{
	char path[PATH_MAX];

	return find_loaded("libcupti.so", path, sizeof(path))
		       ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD)
		       : NULL;
}

void *td_cupti_loaded_function(const char *name)
{
	void *library = open_loaded();

	return library ? dlsym(library, name) : NULL;
}

/* --- where it can be --- */

/* The newest first: a CUPTI is for its toolkit and older ones. */
static const char *const names[] = { "libcupti.so.13",   "libcupti.so.12",   "libcupti.so.11.8",
				     "libcupti.so.11.7", "libcupti.so.11.6", "libcupti.so" };

static void *open_in(const char *dir)
{
	char path[PATH_MAX];
	void *library = NULL;

	for (size_t i = 0; i < COUNT(names) && !library; i++)
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, names[i]) < sizeof(path))
			library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	return library;
}

/* Beside the CUDA runtime that the process uses: of pip's packages, of conda's, of a toolkit. */
static void *open_beside_runtime(void)
{
	static const char *const places[] = { ".", "../../cuda_cupti/lib", "../extras/CUPTI/lib64",
					      "../../../extras/CUPTI/lib64" };
	char runtime[PATH_MAX], dir[PATH_MAX];
	void *library = NULL;

	if (!find_loaded("libcudart.so", runtime, sizeof(runtime)))
		return NULL;
	*strrchr(runtime, '/') = '\0';
	for (size_t i = 0; i < COUNT(places) && !library; i++)
		if ((size_t)snprintf(dir, sizeof(dir), "%s/%s", runtime, places[i]) < sizeof(dir))
			library = open_in(dir);
	return library;
}

/* Of the toolkit that a variable names. */
static void *open_of_home(void)
{
	static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH" };
	static const char *const places[] = { "extras/CUPTI/lib64", "lib64" };
	char dir[PATH_MAX];
	void *library = NULL;

	for (size_t i = 0; i < COUNT(variables) * COUNT(places) && !library; i++) {
		const char *home = getenv(variables[i / COUNT(places)]);

		if (home && *home &&
		    (size_t)snprintf(dir, sizeof(dir), "%s/%s", home, places[i % COUNT(places)]) <
			    sizeof(dir))
			library = open_in(dir);
	}
	return library;
}

static void *open_of_toolkit(void)
{
	static const char *const dirs[] = { "/usr/local/cuda/extras/CUPTI/lib64",
					    "/usr/local/cuda/lib64" };
	void *library = open_of_home();

	for (size_t i = 0; i < COUNT(names) && !library; i++)
		library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
	for (size_t i = 0; i < COUNT(dirs) && !library; i++)
		library = open_in(dirs[i]);
	return library;
}

/* --- its functions --- */

#define FUNCTION(name, optional)                                                                   \
	{                                                                                          \
		"cupti" #name, offsetof(struct td_cupti, name), optional                           \
	}
static const struct {
	const char *name;
	size_t at;
	int optional;
} functions[] = {
	FUNCTION(GetVersion, 0),
	FUNCTION(Subscribe, 0),
	FUNCTION(Unsubscribe, 0),
	FUNCTION(ActivityRegisterCallbacks, 0),
	FUNCTION(ActivityEnable, 0),
	FUNCTION(ActivityDisable, 0),
	FUNCTION(ActivityFlushAll, 0),
	FUNCTION(ActivityGetNextRecord, 0),
	FUNCTION(ActivityGetNumDroppedRecords, 0),
	FUNCTION(GetCallbackName, 0),
	FUNCTION(GetTimestamp, 0),
	FUNCTION(SetThreadIdType, 1),
	FUNCTION(ActivityRegisterTimestampCallback, 1),
	FUNCTION(ActivityEnableRuntimeApi, 1),
	FUNCTION(ActivityEnableDriverApi, 1),
};

int td_cupti_load(const char *wanted, struct td_cupti *ret, char *why, size_t size)
{
	void *library = wanted ? dlopen(wanted, RTLD_LAZY | RTLD_LOCAL) : open_loaded();

	if (!library && wanted) {
		(void)snprintf(why, size, "%s", dlerror());
		return -ENOENT;
	}
	if (!library)
		library = open_beside_runtime();
	if (!library)
		library = open_of_toolkit();
	if (!library) {
		(void)snprintf(why, size,
			       "there is no CUPTI (libcupti.so) beside the CUDA runtime "
			       "or in a toolkit: --cupti says where it is");
		return -ENOENT;
	}
	for (size_t i = 0; i < COUNT(functions); i++) {
		void *f = dlsym(library, functions[i].name);

		if (!f && !functions[i].optional) {
			(void)snprintf(why, size, "CUPTI is too old: it has no %s()",
				       functions[i].name);
			return -ENOSYS;
		}
		memcpy((char *)ret + functions[i].at, &f, sizeof(f));
	}
	return 0;
}
