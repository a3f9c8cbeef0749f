/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>
#include <sys/stat.h>

#define TD_FIRST_PID_NAMESPACE 0xEFFFFFFC /* PROC_PID_INIT_INO of include/linux/proc_ns.h */

/* The number by which /proc of the caller has a process: pid in the first pid namespace, number in its own one, whose
 * inode is 'namespace'. 0: the caller is in another one, where who has these numbers is somebody else. */
static inline uint32_t td_pid_here(uint32_t pid, uint32_t namespace, uint32_t number)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == TD_FIRST_PID_NAMESPACE)
		return pid;
	return st.st_ino == namespace ? number : 0;
}
