/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>

#include "common/library.h"

/* It stays open until the process ends. */
static bool load(struct td_library *lib)
{
	void *handle = dlopen(lib->soname, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; handle && i < lib->n; i++) {
		lib->found[i] = dlsym(handle, lib->names[i]);
		if (!lib->found[i])
			return false;
	}
	return handle != NULL;
}

bool td_library_load(struct td_library *lib)
{
	bool loaded;

	pthread_mutex_lock(&lib->lock);
	if (!lib->tried)
		lib->loaded = load(lib);
	lib->tried = true;
	loaded = lib->loaded;
	pthread_mutex_unlock(&lib->lock);
	return loaded;
}
