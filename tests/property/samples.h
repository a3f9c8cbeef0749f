/* SPDX-License-Identifier: MIT */
/*
 * All files that tests of properties look at, and which importer is to read each: written down here, never
 * asked of the code. A file that no rule names fails the test, so a new sample gets a rule with it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct td_sample_rule {
	const char
		*files; /* fnmatch() pattern of the path below the root; '*' takes slashes, too */
	const char *importer; /* NULL: none may take it */
	bool maybe; /* or none: that output is not read yet, or too short to be sure */
	bool late; /* its first rows do not show what it is, something below them does */
	bool any; /* or any: a log lies in it between lines of another kind */
	const char *also; /* one that may claim it less surely: of what else is in the file */
};

struct td_sample_file {
	const char *path; /* to open */
	const char *name; /* below the root */
	const struct td_sample_rule *rule;
};

/* tests/data and examples below the root of the sources. */
int td_samples_own(const char *root, void (*each)(void *ctx, const struct td_sample_file *s),
		   void *ctx);
/* Text of other kinds: sources, documentation, reports, expected output. */
int td_samples_tree(const char *root, void (*each)(void *ctx, const struct td_sample_file *s),
		    void *ctx);
/* A folder of made nsys exports. */
int td_samples_nsys(const char *root, void (*each)(void *ctx, const struct td_sample_file *s),
		    void *ctx);
/* The corpus. */
int td_samples_corpus(const char *root, void (*each)(void *ctx, const struct td_sample_file *s),
		      void *ctx);
/* All of them call each() for every file, in order of their names, and return how many there were. */
