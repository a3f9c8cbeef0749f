/* SPDX-License-Identifier: MIT */
/* The line that 'record' shows: what it says of records, with the sums in the comments. */
#include <math.h>
#include <stdlib.h>

#include "collector/live.h"
#include "common/cleanup.h"
#include "schema/kinds.h"
#include "schema/wire.h"
#include "tests/unit/check.h"

#define SEC UINT64_C(1000000000)
#define BEGIN (100 * SEC)

static void file(struct td_live *l, uint32_t number, uint8_t class, const char *path)
{
	union {
		struct td_wire_file f;
		char bytes[256];
	} r = { .f = { .head = { .kind = TD_WIRE_FILE },
		       .file = number,
		       .class = class,
		       .path_len = (uint16_t)strlen(path) } };

	r.f.head.size = (uint16_t)(sizeof(r.f) + r.f.path_len);
	memcpy(r.f.path, path, r.f.path_len);
	td_live_look(l, &r, r.f.head.size);
}

static struct td_wire_call_io call(uint32_t number, int32_t ret, uint8_t flags)
{
	return (struct td_wire_call_io){
		.head = { .size = sizeof(struct td_wire_call_io),
			  .kind = TD_WIRE_CALL_IO,
			  .flags = flags },
		.file = number,
		.ret = ret,
		.asked_bytes = 4096,
	};
}

static void io(struct td_live *l, uint32_t number, int32_t ret)
{
	struct td_wire_call_io c = call(number, ret, TD_WIRE_CALL_HAS_ASKED);

	td_live_look(l, &c, sizeof(c));
}

static void gpu_track(struct td_live *l, uint32_t track, uint32_t pid)
{
	union {
		struct td_wire_track t;
		char bytes[64];
	} r = { .t = { .head = { .kind = TD_WIRE_TRACK },
		       .track = track,
		       .pid = pid,
		       .device_kind = TD_DEVICE_GPU,
		       .name_len = 6 } };

	memcpy(r.t.text, "gpu.sm", 6);
	r.t.head.size = (uint16_t)(sizeof(r.t) + 6);
	td_live_look(l, &r, r.t.head.size);
}

static void sample(struct td_live *l, uint32_t track, double value)
{
	struct td_wire_sample s = { .head = { .size = sizeof(s), .kind = TD_WIRE_SAMPLE },
				    .track = track,
				    .value = value };

	td_live_look(l, &s, sizeof(s));
}

static void check_line(struct td_live *l, uint64_t at_ns, uint64_t events, uint64_t lost,
		       const char *want)
{
	char buf[200];

	TD_CASE(want);
	td_live_format(l, buf, sizeof(buf), BEGIN, BEGIN + at_ns, events, lost);
	TD_CHECK_STR(buf, want);
}

static struct td_live *new_live(void)
{
	struct td_live *l = calloc(1, sizeof(*l));

	td_live_init(l, true); /* stderr may be no terminal */
	if (!l->files)
		l->files = calloc(TD_LIVE_FILES, sizeof(*l->files));
	return l;
}

static void free_live(struct td_live *l)
{
	td_live_done(l);
	free(l);
}

static void test_line(void)
{
	struct td_live *l = new_live();

	check_line(l, SEC, 2000, 0, "recording 1.00 s: 2,000 events/s, none lost");
	/* 5,000 more in 2 s */
	check_line(l, 3 * SEC, 7000, 1234, "recording 3.00 s: 2,500 events/s, 1,234 lost");
	/* (100 + 50) / 2; that of a process, and one that could not be read, are not asked */
	gpu_track(l, 7, 0);
	gpu_track(l, 8, 4711);
	sample(l, 7, 100);
	sample(l, 7, 50);
	sample(l, 7, NAN);
	sample(l, 8, 1);
	check_line(l, 4 * SEC, 7000, 0, "recording 4.00 s: 0 events/s, none lost, GPU 75 %");
	check_line(l, 65 * SEC + SEC / 2, 7000, 0, "recording 1m05s: 0 events/s, none lost");
	free_live(l);
}

static void test_busiest(void)
{
	struct td_live *l = new_live();
	struct td_wire_call_io plain = call(1, 4000, 0);

	file(l, 1, TD_CLASS_REGULAR, "/data/small");
	file(l, 2, TD_CLASS_REGULAR, "/data/la\033rge");
	file(l, 3, TD_CLASS_PIPE, "pipe:[1]");
	io(l, 1, 2000);
	io(l, 2, 1500);
	io(l, 2, 1000);
	io(l, 1, -5); /* an error */
	io(l, 3, 4096); /* waiting is not I/O */
	io(l, 4, 4096); /* not known */
	td_live_look(l, &plain, sizeof(plain)); /* its result is no number of bytes */
	check_line(l, SEC, 0, 0,
		   "recording 1.00 s: 0 events/s, none lost, busiest file /data/la\\x1brge");
	io(l, 1, 1);
	check_line(l, 2 * SEC, 0, 0,
		   "recording 2.00 s: 0 events/s, none lost, busiest file /data/small");
	/* the place of one that was in use just now is not given to another one */
	file(l, 1 + TD_LIVE_FILES, TD_CLASS_REGULAR, "/data/new");
	io(l, 1 + TD_LIVE_FILES, 4096);
	check_line(l, 3 * SEC, 0, 0, "recording 3.00 s: 0 events/s, none lost");
	file(l, 1 + TD_LIVE_FILES, TD_CLASS_REGULAR, "/data/new");
	io(l, 1 + TD_LIVE_FILES, 4096);
	check_line(l, 4 * SEC, 0, 0,
		   "recording 4.00 s: 0 events/s, none lost, busiest file /data/new");
	free_live(l);
}

/* Only the first 64 KiB of a buffer are looked at, here half of it: 100 bytes a call against 1, and 4,096 behind. */
static void test_flood(void)
{
	const size_t n = 2 * TD_LIVE_LOOK_BYTES / sizeof(struct td_wire_call_io);
	struct td_wire_call_io *many = calloc(n, sizeof(*many));
	struct td_live *l = new_live();

	file(l, 1, TD_CLASS_REGULAR, "/in/front");
	file(l, 2, TD_CLASS_REGULAR, "/behind");
	for (size_t i = 0; i < n; i++)
		many[i] = i < n / 4   ? call(1, 100, TD_WIRE_CALL_HAS_ASKED)
			  : i < n / 2 ? call(2, 1, TD_WIRE_CALL_HAS_ASKED)
				      : call(2, 4096, TD_WIRE_CALL_HAS_ASKED);
	td_live_look(l, many, n * sizeof(*many));
	check_line(l, SEC, 0, 0, "recording 1.00 s: 0 events/s, none lost, busiest file /in/front");
	free(many);
	free_live(l);
}

int main(void)
{
	test_line();
	test_busiest();
	test_flood();
	return td_check_result();
}
