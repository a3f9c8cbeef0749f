/* SPDX-License-Identifier: MIT */
/* Sockets whose calls name the other side: 'udp:0.0.0.0:68->10.0.0.1:67', as a socket is called that is connected. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "importers/recording/recording.h"

#define PEER_MAX 160 /* a path of sockaddr_un, or an address and a port */

/* The text of a struct sockaddr of the recording machine; its length, 0: it is of no family that is
 * known here, or cut. */
static int print_peer(struct td_str address, char *to, size_t size)
{
	union {
		sa_family_t family;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
	} a = { 0 };
	char text[INET6_ADDRSTRLEN];
	size_t len = TD_MIN(address.len, sizeof(a));

	memcpy(&a, address.p, len);
	if (len >= sizeof(a.in) && a.family == AF_INET)
		return snprintf(to, size, "%s:%u",
				inet_ntop(AF_INET, &a.in.sin_addr, text, sizeof(text)),
				ntohs(a.in.sin_port));
	if (len >= offsetof(struct sockaddr_in6, sin6_scope_id) && a.family == AF_INET6)
		return snprintf(to, size, "[%s]:%u",
				inet_ntop(AF_INET6, &a.in6.sin6_addr, text, sizeof(text)),
				ntohs(a.in6.sin6_port));
	if (len <= offsetof(struct sockaddr_un, sun_path) || a.family != AF_UNIX)
		return 0;
	len -= offsetof(struct sockaddr_un, sun_path);
	/* names that are in no file system begin with a NUL, which tools show as '@', and may hold others */
	if (!a.un.sun_path[0])
		return snprintf(to, size, "@%.*s", (int)len - 1, a.un.sun_path + 1);
	return snprintf(to, size, "%.*s", (int)len, a.un.sun_path);
}

uint32_t td_record_peer_file(struct td_import *imp, uint32_t socket_id, struct td_str address)
{
	struct td_record *rd = imp->state;
	const struct td_file *f = td_store_file_at(imp->store, socket_id);
	struct td_str own = f ? (f->path.p ? f->path : f->name) : (struct td_str){ "socket", 6 };
	char peer[PEER_MAX];
	int n = print_peer(address, peer, sizeof(peer));
	struct td_file *whole;
	uint32_t id;

	if (n <= 0)
		return socket_id;
	/* 'unix:->/run/x' is what a client without a name is called */
	if (td_str_starts(own, "unix:["))
		own.len = strlen("unix:");
	for (size_t i = 0; i + 1 < own.len; i++)
		if (own.p[i] == '-' && own.p[i + 1] == '>')
			own.len = i;
	td_strbuf_reset(&rd->path);
	td_strbuf_add(&rd->path, own.p, own.len);
	td_strbuf_adds(&rd->path, "->");
	td_strbuf_add(&rd->path, peer, TD_MIN((size_t)n, sizeof(peer) - 1));
	if (td_strbuf_error(&rd->path) < 0)
		return socket_id;
	id = td_store_file_name(imp->store, (struct td_str){ rd->path.p, rd->path.len }, false);
	whole = td_store_file_at(imp->store, id);
	if (!whole)
		return socket_id;
	whole->class = TD_CLASS_SOCKET;
	whole->class_known = true;
	return id;
}
