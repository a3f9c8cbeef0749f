/* SPDX-License-Identifier: MIT */
/*
 * A program that 'uses CUDA' for layouts.py: it loads the libraries that are its arguments, begins
 * as libcuda does, and has the CUPTI that is there then, if there is one, tell of a kernel. It
 * prints the path of that CUPTI.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char **path = arg;

	(void)size;
	if (strstr(info->dlpi_name, "/libcupti.so"))
		*path = info->dlpi_name;
	return *path != NULL;
}

static int begin_cuda(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*begin)(void) = NULL;

	if (library)
		*(void **)&begin = dlsym(library, "InitializeInjection");
	return begin ? begin() : 0;
}

int main(int argc, char **argv)
{
	void (*kernel)(const char *, uint64_t, uint64_t, uint32_t, uint32_t, uint32_t) = NULL;
	uint64_t (*now)(void) = NULL;
	const char *path = NULL;
	void *cupti;

	for (int i = 1; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW))
			return 2;
	if (!begin_cuda())
		return 3;
	(void)dl_iterate_phdr(look_at, &path);
	cupti = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	printf("%s\n", path ? path : "none");
	if (!cupti)
		return 0;
	*(void **)&kernel = dlsym(cupti, "fake_kernel");
	*(void **)&now = dlsym(cupti, "fake_now");
	if (!kernel || !now)
		return 4;
	kernel("first", now(), 1000, 1, 0, 1);
	kernel("second", now(), 2000, 2, 0, 1);
	return 0;
}
