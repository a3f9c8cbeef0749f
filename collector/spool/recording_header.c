/* SPDX-License-Identifier: MIT */
#include <sys/resource.h>
#include <sys/utsname.h>

#include "collector/spool/recording_header.h"
#include "collector/spool/clocks.h"
#include "common/caldate.h"
#include "common/cleanup.h"
#include "common/strbuf.h"

#define TEXT_MAX 32768 /* a command line can be of 2 MiB, a record not */

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Emits the record with the text behind the first size bytes of it. */
static int emit(struct td_emit *e, struct td_strbuf *b, enum td_wire_kind kind)
{
	static const char zeros[8];
	size_t size = b->len;
	struct td_wire_head *head;

	td_strbuf_add(b, zeros, padded(size) - size);
	if (td_strbuf_error(b) < 0)
		return -ENOMEM;
	head = (struct td_wire_head *)b->p;
	head->kind = (uint8_t)kind;
	head->size = (uint16_t)b->len;
	return e->sink(e->arg, b->p, b->len);
}

/* Words parted by blanks, as ps shows them. */
static void join(struct td_strbuf *b, char *const args[])
{
	for (size_t i = 0; args[i]; i++) {
		if (i)
			td_strbuf_addc(b, ' ');
		td_strbuf_adds(b, args[i]);
	}
}

int td_recording_header(struct td_emit *e, char *const args[])
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT, command = TD_STRBUF_INIT;
	struct td_wire_header h = {
		.byte_order = 0x01020304,
		.version = TD_WIRE_VERSION,
		.start_ns = td_boot_ns(),
		.cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
		.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE),
		.tool_len = sizeof(TRACEDB_VERSION) - 1,
	};
	struct utsname name = { .nodename = "" };

	(void)uname(&name);
	join(&command, args);
	memcpy(h.magic, TD_WIRE_MAGIC, sizeof(h.magic));
	h.host_len = (uint16_t)strlen(name.nodename);
	h.release_len = (uint16_t)strlen(name.release);
	h.args_len = (uint16_t)strnlen(td_strbuf_str(&command), TEXT_MAX);
	td_strbuf_add(&b, (const char *)&h, sizeof(h));
	td_strbuf_add(&b, name.nodename, h.host_len);
	td_strbuf_add(&b, name.release, h.release_len);
	td_strbuf_add(&b, TRACEDB_VERSION, h.tool_len);
	td_strbuf_add(&b, td_strbuf_str(&command), h.args_len);
	return emit(e, &b, TD_WIRE_HEADER);
}

int td_recording_rank(struct td_emit *e, uint32_t rank)
{
	struct td_wire_rank w = { .head = { .size = sizeof(w), .kind = TD_WIRE_RANK },
				  .rank = rank };

	return e->sink(e->arg, &w, sizeof(w));
}

int td_recording_anchor(struct td_emit *e)
{
	struct td_wire_anchor a = td_read_anchor();

	return e->sink(e->arg, &a, sizeof(a));
}

int td_recording_name(struct td_emit *e, enum td_wire_name_of what, uint64_t number,
		      const char *name)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_name w = { .head = { .flags = (uint8_t)what },
				  .number = number,
				  .name_len = (uint16_t)strnlen(name, TEXT_MAX) };

	td_strbuf_add(&b, (const char *)&w, offsetof(struct td_wire_name, name));
	td_strbuf_add(&b, name, w.name_len);
	return emit(e, &b, TD_WIRE_NAME);
}

int td_recording_lost(struct td_emit *e, uint64_t from_ns, uint64_t events, uint64_t lost)
{
	static const char name[] = "spool";
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_loss w = { .from_ns = from_ns,
				  .to_ns = td_boot_ns(),
				  .generated = events,
				  .lost = lost,
				  .name_len = sizeof(name) - 1 };

	td_strbuf_add(&b, (const char *)&w, offsetof(struct td_wire_loss, name));
	td_strbuf_add(&b, name, w.name_len);
	return emit(e, &b, TD_WIRE_LOSS);
}

uint64_t td_own_cpu_ns(void)
{
	struct rusage u = { 0 };
	int64_t s, us;

	(void)getrusage(RUSAGE_SELF, &u);
	s = u.ru_utime.tv_sec + u.ru_stime.tv_sec;
	us = u.ru_utime.tv_usec + u.ru_stime.tv_usec;
	return (uint64_t)(s * TD_SEC_NS + us * 1000);
}

int td_recording_cost(struct td_emit *e, uint64_t cpu_ns)
{
	static const char name[] = "tracedb-record";
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	struct td_wire_cost w = { .cpu_ns = cpu_ns, .name_len = sizeof(name) - 1 };

	td_strbuf_add(&b, (const char *)&w, offsetof(struct td_wire_cost, name));
	td_strbuf_add(&b, name, w.name_len);
	return emit(e, &b, TD_WIRE_COST);
}

int td_recording_end(struct td_emit *e, uint64_t records, int status, enum td_wire_why why)
{
	struct td_wire_end w = { .head = { .size = sizeof(w), .kind = TD_WIRE_END },
				 .time_ns = td_boot_ns(),
				 .records = records,
				 .status = status,
				 .why = why };

	return e->sink(e->arg, &w, sizeof(w));
}
