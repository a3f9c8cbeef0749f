/* SPDX-License-Identifier: MIT */
/*
 * The environment in which sudo was called. sudo resets most of it, and with it a virtual
 * environment, CUDA_VISIBLE_DEVICES and PATH, by which another python is found. It gives root's
 * programs nothing that they could be misled by, but the command is the caller's again, and is to
 * be what it would be without sudo.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct td_caller_env {
	char *text; /* "NAME=value", each with its NUL */
	char **vars; /* of text and of our own environment, NULL-ended; NULL: sudo was not called */
};

void td_caller_env_done(struct td_caller_env *e);

/* If sudo has executed this program, or, by_tracedb, the tracedb that did: what sudo was given, and
 * what is set here beside, as by 'sudo NAME=value tracedb', but nothing that sudo sets itself.
 * Takes root. 0, or -errno if it cannot be had. */
int td_caller_env_read(bool by_tracedb, struct td_caller_env *ret);

/* The same for a text like that of /proc/PID/environ, which it takes over, and for own instead of our environment. */
int td_caller_env_merge(char *text, size_t size, char *const own[], struct td_caller_env *ret);
