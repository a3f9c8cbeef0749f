/* SPDX-License-Identifier: MIT */
/*
 * Functions of the C library (collector/bpf/libc.bpf.c). Of what one process called one function
 * for there are TD_WIRE_SUMMARY records:
 *
 *     pthread.calls, malloc.calls  key 'PID FUNCTION': number of calls, by the time they waited (ns) or the bytes asked for,
 *                                  from low up to high; of free() without
 *     pthread.time                 ns in all
 *     malloc.bytes                 bytes in all
 */
#include <math.h>

#include "collector/samplers/emit.h"
#include "collector/sets/libc.h"
#include "collector/sets/provider.h"
#include "common/cleanup.h"

const char *const td_libc_names[TD_NLIBC] = {
	[TD_LIBC_MUTEX_LOCK] = "pthread_mutex_lock",
	[TD_LIBC_MUTEX_TIMEDLOCK] = "pthread_mutex_timedlock",
	[TD_LIBC_COND_WAIT] = "pthread_cond_wait",
	[TD_LIBC_COND_TIMEDWAIT] = "pthread_cond_timedwait",
	[TD_LIBC_COND_CLOCKWAIT] = "pthread_cond_clockwait",
	[TD_LIBC_RWLOCK_RDLOCK] = "pthread_rwlock_rdlock",
	[TD_LIBC_RWLOCK_WRLOCK] = "pthread_rwlock_wrlock",
	[TD_LIBC_BARRIER_WAIT] = "pthread_barrier_wait",
	[TD_LIBC_SEM_WAIT] = "sem_wait",
	[TD_LIBC_SEM_TIMEDWAIT] = "sem_timedwait",
	[TD_LIBC_SEM_CLOCKWAIT] = "sem_clockwait",
	[TD_LIBC_JOIN] = "pthread_join",
	[TD_LIBC_MALLOC] = "malloc",
	[TD_LIBC_CALLOC] = "calloc",
	[TD_LIBC_REALLOC] = "realloc",
	[TD_LIBC_MEMALIGN] = "memalign",
	[TD_LIBC_ALIGNED_ALLOC] = "aligned_alloc",
	[TD_LIBC_POSIX_MEMALIGN] = "posix_memalign",
	[TD_LIBC_FREE] = "free",
};

/* glibc, before 2.34 in two parts, and musl */
static const struct td_functions functions = {
	.names = td_libc_names,
	.n = TD_NLIBC,
	.libraries = { "libc.so.", "libc-", "libpthread.so.", "libpthread-", "ld-musl-" },
};

static int put_summary(const struct td_libc_key *key, struct td_emit_summary s, td_sink *sink,
		       void *arg)
{
	struct td_emit e = { .sink = sink, .arg = arg };
	char text[64];

	(void)snprintf(text, sizeof(text), "%u %s", key->pid, td_libc_names[key->function]);
	s.key = text;
	return td_emit_summary(&e, &s);
}

/* One for each bucket in which there are any. */
static int put_calls(const struct td_libc_key *key, const struct td_libc_totals *t,
		     const char *name, td_sink *sink, void *arg)
{
	int r = 0;

	for (int i = 0; r == 0 && i < TD_NBUCKETS; i++) {
		struct td_emit_summary s = { .name = name, .unit = "" };

		s.low = i ? ldexp(1, i - 1) : 0;
		s.high = ldexp(1, i);
		s.value = (double)t->buckets[i];
		if (t->buckets[i])
			r = put_summary(key, s, sink, arg);
	}
	return r;
}

static int put_totals(const struct td_libc_key *key, const struct td_libc_totals *t, td_sink *sink,
		      void *arg)
{
	bool waits = td_libc_set(key->function) == TD_SET_PTHREAD;
	const char *calls = waits ? "pthread.calls" : "malloc.calls";
	struct td_emit_summary all = { .name = calls, .unit = "", .low = NAN, .high = NAN };
	int r;

	all.value = (double)t->calls;
	if (key->function == TD_LIBC_FREE)
		return put_summary(key, all, sink, arg);
	r = put_calls(key, t, calls, sink, arg);
	if (r < 0)
		return r;
	all.name = waits ? "pthread.time" : "malloc.bytes";
	all.unit = waits ? "ns" : "bytes";
	all.value = (double)t->sum;
	return put_summary(key, all, sink, arg);
}

/* Of a process that has ended. */
static int put(const struct td_wire_head *head, td_sink *sink, void *arg)
{
	const struct td_raw_totals *raw = (const struct td_raw_totals *)head;

	return put_totals(&raw->key, &raw->totals, sink, arg);
}

/* Of those that are still there; both sets count in one map. */
static int put_locks(const void *key, const void *totals, uint64_t now_ns, td_sink *sink, void *arg)
{
	const struct td_libc_key *k = key;

	return td_libc_set(k->function) == TD_SET_PTHREAD ? put_totals(key, totals, sink, arg) : 0;
}

static int put_memory(const void *key, const void *totals, uint64_t now_ns, td_sink *sink,
		      void *arg)
{
	const struct td_libc_key *k = key;

	return td_libc_set(k->function) == TD_SET_MALLOC ? put_totals(key, totals, sink, arg) : 0;
}

static const struct td_hook locks = {
	.name = "C library: locks",
	.ways = { { TD_WAY_UPROBE, { "wait_begins", "wait_ends" } } },
	.functions = &functions,
	.functions_to = TD_LIBC_MALLOC,
	.at_end = "unfinished_waits",
};

const struct td_set_provider td_set_pthread = {
	.name = "pthread",
	.help = "mutexes, conditions, semaphores of the C library (uprobes)",
	.hooks = { &locks },
	.constant = { "count_libc", true },
	.ops = { TD_LAYER_LIBC, td_libc_names, TD_LIBC_MALLOC },
	.put = put,
	.map = "libc_totals",
	.put_entry = put_locks,
};

static const struct td_hook memory = {
	.name = "C library: memory",
	.ways = { { TD_WAY_UPROBE, { "memory_asked" } } },
	.functions = &functions,
	.functions_from = TD_LIBC_MALLOC,
	.functions_to = TD_NLIBC,
};

const struct td_set_provider td_set_malloc = {
	.name = "malloc",
	.help = "malloc and friends, counted by size (uprobes)",
	.hooks = { &memory },
	.constant = { "count_libc", true },
	.put = put,
	.map = "libc_totals",
	.put_entry = put_memory,
};
