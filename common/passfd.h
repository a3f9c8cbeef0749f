/* SPDX-License-Identifier: MIT */
/* A byte, and perhaps an open file, from one process to another through a socket of AF_UNIX. */
#pragma once

/* fd: -1: none; the receiver has it under a number of its own. 0 or -errno. */
int td_passfd_send(int socket, char byte, int fd);

/* Waits. 1 with *ret_fd, which the caller closes, -1: none came; 0: the other end is closed; or -errno. */
int td_passfd_receive(int socket, char *ret_byte, int *ret_fd);
