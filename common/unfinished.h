/* SPDX-License-Identifier: MIT */
/*
 * Files that are not complete: should a signal end the program, they are removed first. Only SIGKILL leaves them, and
 * crashes. Not for several threads at a time.
 */
#pragma once

/* From now on. path: of a file that this program made. What is too long for a path, or one too many, is passed over. */
void td_unfinished_add(const char *path);

/* It is complete, or was removed. Signals do what they did before when it was the last one. NULL is fine. */
void td_unfinished_remove(const char *path);
