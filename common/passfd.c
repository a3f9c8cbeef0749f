/* SPDX-License-Identifier: MIT */
#include <sys/socket.h>

#include "common/cleanup.h"
#include "common/passfd.h"

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int td_passfd_send(int socket, char byte, int fd)
{
	union control control = { .bytes = { 0 } };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = sizeof(control.bytes);
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(fd)),
						 .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	do
		n = sendmsg(socket, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int td_passfd_receive(int socket, char *ret_byte, int *ret_fd)
{
	union control control = { .bytes = { 0 } };
	struct iovec iov = { ret_byte, 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };
	const struct cmsghdr *head;
	ssize_t n;

	do
		n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : 0;
	*ret_fd = -1;
	head = CMSG_FIRSTHDR(&msg);
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(head), sizeof(*ret_fd));
	return 1;
}
