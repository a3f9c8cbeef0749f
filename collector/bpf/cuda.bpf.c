/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Functions of the CUDA driver and of NCCL, by uprobes: when a thread asked for work, and how long
 * it waited. Launches are counted and, if that is asked for, recorded if they take long; the others
 * are recorded. Two programs serve all of them: which function it is comes with the attachment (its
 * cookie).
 */
#include "collector/bpf/call.h"
#include "collector/bpf/cuda.h"
#include "collector/bpf/totals.h"

#define COMMS_AT_ONCE 16 /* of ncclCommInitAll(), whose ranks are known */

const volatile uint64_t cuda_threshold_ns =
	0; /* launches that take less are only counted; 0: all are */
const volatile bool count_cuda = false; /* there may be totals */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct td_libc_key);
	__type(value, struct td_libc_totals);
} cuda_totals SEC(".maps");

struct comm {
	uint64_t address;
	uint32_t pid;
	uint32_t pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct comm);
	__type(value, uint32_t);
} comm_ranks SEC(".maps");

struct function {
	uint8_t what, bytes, shift, type, comm, pad[3];
};
#define FUNCTION(name, w, b, s, t, c) { .what = w, .bytes = b, .shift = s, .type = t, .comm = c },
static const struct function functions[64] = { TD_CUDA_FUNCTIONS(FUNCTION) };

/* By ncclDataType_t: int8, uint8, int32, uint32, int64, uint64, float16, float32, float64, bfloat16, float8 twice. */
static const uint8_t type_sizes[16] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1 };

static __always_inline uint64_t argument(struct pt_regs *ctx, uint32_t n)
{
	uint64_t v = 0;

	switch (n) {
	case 1:
		return PT_REGS_PARM1(ctx);
	case 2:
		return PT_REGS_PARM2(ctx);
	case 3:
		return PT_REGS_PARM3(ctx);
	case 4:
		return PT_REGS_PARM4(ctx);
	case 5:
		return PT_REGS_PARM5(ctx);
#if defined(__TARGET_ARCH_x86)
	case 6:
		return ctx->r9;
	case 7: /* above the return address */
		bpf_probe_read_user(&v, sizeof(v), (void *)(PT_REGS_SP(ctx) + 8));
		return v;
#else
	case 6:
		return ctx->regs[5];
	case 7:
		return ctx->regs[6];
#endif
	}
	return v;
}

#if defined(__TARGET_ARCH_x86)
#define RANK_ARGUMENT 3
#else
#define RANK_ARGUMENT 4 /* a struct of 128 bytes is passed by its address */
#endif

/* functions[number] is constant for the verifier, but the compiler must not see that. */
static __always_inline const struct function *function_at(uint32_t number)
{
	const struct function *f = functions;

	barrier_var(f);
	return &f[number & 63];
}

static __always_inline uint64_t bytes_of(struct pt_regs *ctx, const struct function *f)
{
	uint64_t n = argument(ctx, f->bytes);
	const uint8_t *sizes = type_sizes;

	barrier_var(sizes);
	if (f->type)
		n *= sizes[argument(ctx, f->type) & 15];
	return n << (f->shift & 7);
}

SEC("uprobe")
int cuda_begins(struct pt_regs *ctx)
{
	struct td_task *t = current_recorded();
	uint32_t number = bpf_get_attach_cookie(ctx);
	const struct function *f = function_at(number);
	struct td_entered *e;

	if (!t)
		return 0;
	if (f->what == TD_CUDA_LAUNCH && !cuda_threshold_ns) {
		if (!add_to_map(&cuda_totals, bpf_get_current_pid_tgid() >> 32, number, 0))
			count_event(TD_SET_CUDA, false);
		return 0;
	}
	e = number >= TD_NCCL_FROM ? &t->nccl : &t->cuda;
	e->function = number;
	e->bytes = f->bytes ? bytes_of(ctx, f) : 0;
	e->comm = f->comm ? argument(ctx, f->comm) : 0;
	e->rank = f->what == TD_NCCL_INIT
			  ? argument(ctx,
				     number == TD_FN_ncclCommInitRankScalable ? 3 : RANK_ARGUMENT)
			  : 0;
	e->start_ns = bpf_ktime_get_boot_ns();
	return 0;
}

/* --- communicators --- */

static __always_inline void learn_rank(uint32_t pid, uint64_t where, uint32_t rank)
{
	struct comm key = { .pid = pid };

	if (bpf_probe_read_user(&key.address, sizeof(key.address), (void *)where) == 0 &&
	    key.address)
		bpf_map_update_elem(&comm_ranks, &key, &rank, BPF_ANY);
}

static __always_inline void learn_ranks(uint32_t pid, const struct td_entered *e, uint32_t what)
{
	if (what == TD_NCCL_INIT)
		learn_rank(pid, e->comm, e->rank);
	if (what != TD_NCCL_INIT_ALL)
		return;
	for (uint32_t i = 0; i < COMMS_AT_ONCE && i < e->bytes; i++)
		learn_rank(pid, e->comm + i * sizeof(uint64_t), i);
}

static __always_inline uint64_t comm_with_rank(uint32_t pid, uint64_t address)
{
	struct comm key = { .address = address, .pid = pid };
	uint32_t *rank = bpf_map_lookup_elem(&comm_ranks, &key);

	address &= (1ULL << TD_COMM_RANK_SHIFT) - 1;
	return rank ? address | (uint64_t)(*rank + 1) << TD_COMM_RANK_SHIFT : address;
}

/* --- the end of a call --- */

/* ids: pid above tid, as the kernel gives them */
static __always_inline int put_entered(struct td_entered *e, uint64_t ids, int64_t ret,
				       uint64_t dur_ns, uint32_t flags)
{
	const struct function *f;
	struct draft d = {
		.pid = ids >> 32, .tid = ids, .fd = NO_FD, .ret = ret, .dur_ns = dur_ns
	};

	if (!e)
		return 0;
	f = function_at(e->function);
	d.start_ns = e->start_ns;
	d.op = TD_OPS_OF_SET(TD_SET_CUDA) + e->function;
	d.flags = flags;
	if (f->bytes && f->what != TD_NCCL_INIT_ALL) {
		d.flags |= TD_WIRE_CALL_HAS_ASKED;
		d.asked = e->bytes;
	}
	if (f->what == TD_NCCL_COLLECTIVE) {
		d.flags |= TD_WIRE_CALL_COMM;
		d.offset = comm_with_rank(d.pid, e->comm);
	}
	count_event(TD_SET_CUDA, put_call(&d) == 0);
	return 0;
}

SEC("uretprobe")
int cuda_ends(struct pt_regs *ctx)
{
	struct td_task *t = current_recorded();
	uint32_t number = bpf_get_attach_cookie(ctx);
	uint64_t ids = bpf_get_current_pid_tgid(), dur_ns;
	int32_t ret = PT_REGS_RC(ctx);
	uint32_t what = function_at(number)->what;
	struct td_entered *e;

	if (!t)
		return 0;
	e = number >= TD_NCCL_FROM ? &t->nccl : &t->cuda;
	/* that of another one: it was called by that, in whose time its own is */
	if (!e->start_ns || e->function != number)
		return 0;
	dur_ns = bpf_ktime_get_boot_ns() - e->start_ns;
	if (ret == 0)
		learn_ranks(ids >> 32, e, what);
	if (what == TD_CUDA_LAUNCH && !add_to_map(&cuda_totals, ids >> 32, number, dur_ns))
		count_event(TD_SET_CUDA, false);
	if (what != TD_CUDA_LAUNCH || dur_ns >= cuda_threshold_ns || ret)
		put_entered(e, ids, -(int64_t)ret, dur_ns, 0);
	e->start_ns = 0;
	return 0;
}

static __always_inline void put_unfinished(struct td_entered *e, uint32_t pid, uint32_t tid)
{
	if (!e->start_ns)
		return;
	put_entered(e, (uint64_t)pid << 32 | tid, 0, bpf_ktime_get_boot_ns() - e->start_ns,
		    TD_WIRE_CALL_NO_RETURN);
	e->start_ns = 0;
}

int td_cuda_unfinished(struct td_task *t, uint32_t pid, uint32_t tid)
{
	if (!t)
		return 0;
	put_unfinished(&t->cuda, pid, tid);
	put_unfinished(&t->nccl, pid, tid);
	return 0;
}

/* At the end: who still waits. */
SEC("iter/task")
int unfinished_cuda(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct td_task *t;

	if (!task)
		return 0;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (t && t->watched == TD_WATCHED)
		td_cuda_unfinished(t, task->tgid, task->pid);
	return 0;
}

int td_cuda_process_ends(uint32_t pid)
{
	struct td_libc_key key = { .pid = pid };

	if (!count_cuda)
		return 0;
	for (uint32_t i = 0; i < TD_CUDA_NLAUNCHES; i++) {
		struct td_libc_totals *t;

		key.function = i;
		t = bpf_map_lookup_elem(&cuda_totals, &key);
		if (t) {
			put_totals(TD_SET_CUDA, &key, t);
			bpf_map_delete_elem(&cuda_totals, &key);
		}
	}
	return 0;
}
