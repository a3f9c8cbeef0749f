/* SPDX-License-Identifier: MIT */
/*
 * Files that are gone when the program ends, however it ends, because they have no name. Where the file
 * system knows no such files they have one for a while, and only td_tmpfile_remove_leftovers() finds what
 * a program that was killed in that while has left.
 */
#pragma once

#include "common/err.h"

/* Opens an empty one for reading and writing on the disk that path is on. path: the name that it may need
 * for a moment; nothing must be there. The descriptor, or -errno. */
int td_tmpfile_open(const char *path);

/* The same for a file that gets the name path later, by td_tmpfile_give_name(), and may need it from the
 * beginning. Whoever opens it removes that. */
int td_tmpfile_open_nameable(const char *path);

/* 0 or -errno. */
int td_tmpfile_give_name(int fd, const char *path);

/* Names beside path that nobody else gives to a file: ".NAME.tracedb-RANDOM.tmp" is another one each time and can be
 * continued with '-'; ".NAME.tracedb.lock" is always the same. The caller frees them; NULL when out of memory. */
char *td_tmpfile_name(const char *path);
char *td_tmpfile_lock_name(const char *path);

/* Removes files that td_tmpfile_name(path) named, and those whose name continues theirs, as far as it can: who has
 * the lock knows that nobody is at work on them. */
void td_tmpfile_remove_leftovers(const char *path);
