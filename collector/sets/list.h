/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The list of the event sets. Also compiled into the BPF object. */
#pragma once

/* For each set its number, enum td_set, and its provider, td_set_NAME (collector/sets/provider.h). */
#define TD_SETS(SET)                                                                               \
	SET(FILE_IO, file_io)                                                                      \
	SET(MEMORY, memory)                                                                        \
	SET(FAULTS, faults)                                                                        \
	SET(MALLOC, malloc)                                                                        \
	SET(THREAD, thread)                                                                        \
	SET(SYNC, sync)                                                                            \
	SET(PTHREAD, pthread)                                                                      \
	SET(WAIT, wait)                                                                            \
	SET(SOCKET_IO, socket_io)                                                                  \
	SET(SCHED, sched)                                                                          \
	SET(BLOCK, block)                                                                          \
	SET(PAGECACHE, pagecache)                                                                  \
	SET(VFS, vfs)                                                                              \
	SET(IO_URING, io_uring)                                                                    \
	SET(CUDA, cuda)

#define TD_SET_NUMBER(number, name) TD_SET_##number,
enum td_set { TD_SETS(TD_SET_NUMBER) TD_NSETS };
#undef TD_SET_NUMBER
