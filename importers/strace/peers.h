/* SPDX-License-Identifier: MIT */
/* Who is on the other side of a socket, by the address that a call names. */
#pragma once

#include <stdbool.h>

#include "common/scan.h"
#include "common/strbuf.h"

/* What a socket is called that has this peer: "socket->10.0.0.5:2049", "socket->[fd00::5]:2049", "unix:->/run/x", as of a
 * recording. address: {sa_family=AF_INET, ...} as strace prints it. with_port: false: without the port, which
 * a client has for one connection. False: it is no such address; name and scratch hold rubbish. */
bool td_strace_peer_name(struct td_str address, bool with_port, struct td_strbuf *scratch,
			 struct td_strbuf *name);

/* Is it what a socket is called of which no more is known than its peer, or not even that? */
bool td_strace_is_bare_socket(struct td_str name);
