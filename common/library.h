/* SPDX-License-Identifier: MIT */
/*
 * Shared libraries that few commands need are opened when they are needed first, as the loader
 * takes longer for them than most commands for what they do: libarchive alone brings eleven others.
 * A file has a list of the functions that it wants of one, F(type, name, (parameters),
 * (arguments)), and from it what is called by these names: common/libarchive.c. meson's option
 * lazy_libraries=false links them instead, and leaves such files out.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct td_library {
	const char *soname; /* with the number of its ABI, which its header is of */
	const char *const *names; /* of its functions; n of them */
	void **found; /* their addresses, n of them, once it is loaded */
	size_t n;
	pthread_mutex_t lock;
	bool tried, loaded;
};

#define TD_LIBRARY_INIT(so, functions, to)                                                         \
	{                                                                                          \
		.soname = (so), .names = (functions), .found = (to),                               \
		.n = sizeof(functions) / sizeof(*(functions)), .lock = PTHREAD_MUTEX_INITIALIZER   \
	}

/* For FUNCTIONS(F): what a function has as its number, as its name, and itself. */
#define TD_LIBRARY_NUMBER(type, name, parameters, arguments) NUMBER_##name,
#define TD_LIBRARY_NAME(type, name, parameters, arguments) #name,
#define TD_LIBRARY_CALL(type, name, parameters, arguments)                                         \
	type name parameters                                                                       \
	{                                                                                          \
		return ((__typeof__(name) *)found[NUMBER_##name])arguments;                        \
	}

/* On any thread. false: it is not there, or lacks one of the functions, none of which may be called then. */
bool td_library_load(struct td_library *lib);
