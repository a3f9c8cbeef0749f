/* SPDX-License-Identifier: MIT */
/* Where shared libraries are that no process has loaded yet. */
#pragma once

#include <stdbool.h>

struct td_functions;

/* Does the name of the file say that it is a library with these functions? path: with its end. */
bool td_library_is(const struct td_functions *functions, const char *path, int len);

/* Calls found for each such file where programs look for libraries: LD_LIBRARY_PATH, the system's
 * folders, those of CUDA, the packages of the Python that PATH or VIRTUAL_ENV name, of conda. A
 * file may be told several times. 0, -ENOMEM, or what found returned below 0, which ends it. */
int td_libraries_find(const struct td_functions *functions,
		      int (*found)(void *arg, const char *path), void *arg);
