/* SPDX-License-Identifier: MIT */
/* Both sides of a ring between a CUDA program and the recorder: what one puts the other gets,
 * whatever the program does to it. */
#include <fcntl.h>

#include "collector/cuda/ring_write.h"
#include "collector/cuda/rings.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "schema/wire.h"
#include "tests/unit/check.h"

struct both {
	struct td_cuda_rings *rings; /* the recorder's side */
	struct td_cuda_ring *ring; /* the program's */
	char dir[128];
};

static void open_both(struct both *b)
{
	struct td_err err = { "" };

	TD_CHECK_INT(td_cuda_rings_new(geteuid(), getegid(), &b->rings, &err), 0);
	(void)snprintf(b->dir, sizeof(b->dir), "%s", td_cuda_rings_dir(b->rings));
	b->ring = td_ring_create(b->dir);
	TD_CHECK(b->ring != NULL);
}

static void close_both(struct both *b)
{
	td_ring_unmap(b->ring);
	td_cuda_rings_free(b->rings);
	TD_CHECK_INT(access(b->dir, F_OK), -1); /* nothing is left */
}

static bool put_op(struct both *b, uint64_t start_ns)
{
	struct td_wire_gpu_op op = { .head = { .size = sizeof(op), .kind = TD_WIRE_GPU_OP },
				     .start_ns = start_ns };

	return td_ring_put(b->ring, &op, sizeof(op));
}

/* Counts ops, which must begin in the order 1, 2, 3, ... */
static uint64_t taken;
static int take(void *arg, const void *records, size_t size)
{
	for (const char *p = records, *end = p + size; p < end;
	     p += ((const struct td_wire_head *)p)->size) {
		struct td_wire_gpu_op op;

		memcpy(&op, p, sizeof(op));
		TD_CHECK_INT(op.start_ns, ++taken);
	}
	return 0;
}

static void test_full_and_around(void)
{
	struct both b = { NULL };
	uint64_t put = 0, fits = TD_CUDA_SIZE / sizeof(struct td_wire_gpu_op);

	TD_CASE("full, and around its end");
	taken = 0;
	open_both(&b);
	while (put_op(&b, put + 1))
		put++;
	TD_CHECK_INT(put, fits);
	TD_CHECK_INT(td_cuda_rings_drain(b.rings, take, NULL),
		     (int64_t)(fits * sizeof(struct td_wire_gpu_op)));
	TD_CHECK_INT(taken, fits);
	/* the size of a record is no divisor of the ring's: one of these is in two pieces */
	for (uint64_t i = 0; i < fits; i++)
		TD_CHECK(put_op(&b, ++put));
	(void)td_cuda_rings_drain(b.rings, take, NULL);
	TD_CHECK_INT(taken, 2 * fits);
	TD_CHECK_INT(td_cuda_rings_drain(b.rings, take, NULL), 0);
	close_both(&b);
}

/* A program that spoils its ring costs itself what comes after, and nobody else anything. */
static void test_spoilt(void)
{
	static const struct {
		const char *what;
		struct td_wire_head head;
	} heads[] = {
		{ "no size", { .size = 0, .kind = TD_WIRE_GPU_OP } },
		{ "an odd size", { .size = 57, .kind = TD_WIRE_GPU_OP } },
		{ "more than there is", { .size = 65528, .kind = TD_WIRE_GPU_OP } },
		{ "a kind that is the recorder's", { .size = 8, .kind = TD_WIRE_END } },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		struct both b = { NULL };

		TD_CASE(heads[i].what);
		taken = 0;
		open_both(&b);
		TD_CHECK(put_op(&b, 1));
		TD_CHECK(td_cuda_rings_drain(b.rings, take, NULL) > 0);
		TD_CHECK(td_ring_put(b.ring, &heads[i].head, sizeof(heads[i].head)));
		TD_CHECK(put_op(&b, 2) && put_op(&b, 3));
		TD_CHECK_INT(td_cuda_rings_drain(b.rings, take, NULL), 0);
		TD_CHECK_INT(td_cuda_rings_drain(b.rings, take, NULL), 0);
		TD_CHECK_INT(taken, 1);
		close_both(&b);
	}
}

static void test_changed_head(void)
{
	struct both b = { NULL };

	TD_CASE("more was written than it holds");
	taken = 0;
	open_both(&b);
	TD_CHECK(put_op(&b, 1));
	TD_CHECK(td_cuda_rings_drain(b.rings, take, NULL) > 0);
	b.ring->written = UINT64_MAX;
	TD_CHECK_INT(td_cuda_rings_drain(b.rings, take, NULL), 0);
	TD_CHECK_INT(taken, 1);
	close_both(&b);
}

static void test_cut_file(void)
{
	struct both b = { NULL };
	char path[256];

	TD_CASE("the file was cut");
	taken = 0;
	open_both(&b);
	TD_CHECK(put_op(&b, 1));
	TD_CHECK(td_cuda_rings_drain(b.rings, take, NULL) > 0);
	(void)snprintf(path, sizeof(path), "%s/%d" TD_CUDA_SUFFIX, b.dir, (int)getpid());
	TD_CHECK(put_op(&b, 2));
	TD_CHECK_INT(truncate(path, TD_CUDA_DATA_AT), 0);
	TD_CHECK_INT(td_cuda_rings_drain(b.rings, take, NULL), 0);
	TD_CHECK_INT(taken, 1);
	close_both(&b);
}

static uint64_t generated, lost;
static int take_loss(void *arg, const void *records, size_t size)
{
	const struct td_wire_loss *l = records;

	generated += l->generated;
	lost += l->lost;
	return 0;
}

static void test_loss(void)
{
	struct both b = { NULL };

	TD_CASE("what is lost is told once");
	open_both(&b);
	b.ring->kinds[TD_CUDA_KERNELS].made = 5;
	b.ring->kinds[TD_CUDA_KERNELS].lost = 2;
	b.ring->short_calls = 9;
	b.ring->uses_cuda = 1;
	TD_CHECK_INT(td_cuda_rings_drain(b.rings, take, NULL), 0);
	TD_CHECK_INT(td_cuda_rings_loss(b.rings, take_loss, NULL), 0);
	TD_CHECK_INT(td_cuda_rings_loss(b.rings, take_loss, NULL), 0);
	TD_CHECK_INT(generated, 5);
	TD_CHECK_INT(lost, 2);
	TD_CHECK_INT(td_cuda_rings_short_calls(b.rings), 9);
	TD_CHECK_INT(td_cuda_rings_processes(b.rings), 1);
	close_both(&b);
}

static void test_other_injection(void)
{
	static char other[] = "CUDA_INJECTION64_PATH=/opt/nsys/libinject.so";
	char *const vars[] = { other, NULL };
	char *const *more = NULL;
	struct td_cuda_rings *rings = NULL;
	struct td_err err = { "" };

	const struct td_cuda_choice none = { NULL, NULL };

	TD_CASE("another library is to be injected");
	TD_CHECK_INT(td_cuda_rings_new(geteuid(), getegid(), &rings, &err), 0);
	TD_CHECK_INT(td_cuda_rings_environment(rings, vars, &none, &more, &err), -EEXIST);
	TD_CHECK_STR(err.msg, "CUDA_INJECTION64_PATH is set already, to '/opt/nsys/libinject.so', "
			      "and is kept: --cuda records nothing");
	td_cuda_rings_free(rings);
}

int main(void)
{
	test_full_and_around();
	test_spoilt();
	test_changed_head();
	test_cut_file();
	test_loss();
	test_other_injection();
	return td_check_result();
}
