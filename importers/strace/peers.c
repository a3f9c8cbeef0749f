/* SPDX-License-Identifier: MIT */
#include "importers/strace/peers.h"
#include "importers/core/call_args.h"

#define INET "socket->"
#define UNIX "unix:->"

/* What follows the first such text; empty: it is not there. */
static struct td_str behind(struct td_str s, const char *text)
{
	const char *p = td_str_find(s, text);

	if (!p)
		return (struct td_str){ "", 0 };
	p += strlen(text);
	return (struct td_str){ p, (size_t)(s.p + s.len - p) };
}

/* port: as it is called; host: what is before the quoted address. IPv6 addresses are put in brackets before a port. */
static bool inet_name(struct td_str address, const char *port, const char *host, bool with_port,
		      struct td_strbuf *scratch, struct td_strbuf *name)
{
	bool brackets = with_port && td_str_find(address, "AF_INET6"), cut;
	struct td_str digits = behind(address, port), text;
	struct td_scan s = td_scan_of(digits.p, digits.len);
	uint64_t number;

	if (!td_scan_u64(&s, &number) || number > UINT16_MAX ||
	    !td_arg_string(behind(address, host), scratch, &text, &cut) || cut || !text.len)
		return false;
	td_strbuf_addf(name, "%s%s%.*s%s", INET, brackets ? "[" : "", (int)text.len, text.p,
		       brackets ? "]" : "");
	if (with_port)
		td_strbuf_addf(name, ":%u", (unsigned)number);
	return true;
}

/* A name that is in no file system has an '@' before it. */
static bool unix_name(struct td_str path, struct td_strbuf *scratch, struct td_strbuf *name)
{
	struct td_str text;
	bool cut;

	if (!td_arg_string(path, scratch, &text, &cut) || cut || !text.len)
		return false;
	td_strbuf_adds(name, UNIX);
	if (path.p[0] == '@')
		td_strbuf_addc(name, '@');
	td_strbuf_add(name, text.p, text.len);
	return true;
}

bool td_strace_peer_name(struct td_str address, bool with_port, struct td_strbuf *scratch,
			 struct td_strbuf *name)
{
	td_strbuf_reset(name);
	if (td_str_starts(address, "{sa_family=AF_INET, "))
		return inet_name(address, "sin_port=htons(", "inet_addr(", with_port, scratch,
				 name);
	if (td_str_starts(address, "{sa_family=AF_INET6, "))
		return inet_name(address, "sin6_port=htons(", "inet_pton(AF_INET6, ", with_port,
				 scratch, name);
	/* before version 4.16 AF_LOCAL, long ago AF_FILE */
	if (td_str_starts(address, "{sa_family=AF_UNIX, ") ||
	    td_str_starts(address, "{sa_family=AF_LOCAL, ") ||
	    td_str_starts(address, "{sa_family=AF_FILE, "))
		return unix_name(behind(address, "path="), scratch, name);
	return false;
}

bool td_strace_is_bare_socket(struct td_str name)
{
	return td_str_eq(name, "socket") || td_str_starts(name, INET) || td_str_starts(name, UNIX);
}
