/* SPDX-License-Identifier: MIT */
/* Spans of a thread stand within each other: what is open when one begins is what it is within. */
#include "analyzer/flame/flame.h"
#include "common/array.h"
#include "schema/db.h"
#include "schema/stat_math.h"

struct open_span {
	int64_t end_ns;
	uint32_t node;
};

/* The spans of a thread that have not ended. */
struct open_spans {
	struct open_span *items;
	size_t n, cap;
};

struct threads {
	struct td_intern keys; /* process and thread; runs parallel to items */
	struct open_spans *items;
	size_t n, cap;
};

enum { START, END, NAME, PROCESS_ID, THREAD_ID, PROCESS };

static void threads_done(struct threads *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->items[i].items);
	free(t->items);
	td_intern_done(&t->keys);
}

static struct td_str text_of(sqlite3_stmt *s, int column)
{
	const char *p = (const char *)sqlite3_column_text(s, column);

	return (struct td_str){ p ? p : "", p ? (size_t)sqlite3_column_bytes(s, column) : 0 };
}

/* NULL: out of memory. */
static struct open_spans *thread_of(struct threads *t, sqlite3_stmt *s)
{
	int64_t key[] = { sqlite3_column_int64(s, PROCESS_ID), sqlite3_column_int64(s, THREAD_ID) };
	uint32_t id = td_intern_add(&t->keys, (const char *)key, sizeof(key));

	if (!id)
		return NULL;
	if (id > t->n) {
		if (td_grow(&t->items, &t->cap, t->n) < 0)
			return NULL;
		t->items[t->n++] = (struct open_spans){ 0 };
	}
	return &t->items[id - 1];
}

/* The node that a span is below, with its end cut to that of what it is within. */
static uint32_t within(struct td_flame *f, struct open_spans *open, sqlite3_stmt *s,
		       int64_t start_ns, int64_t *end_ns, int64_t *cut)
{
	const struct td_str none = { "", 0 };

	while (open->n && open->items[open->n - 1].end_ns <= start_ns)
		open->n--;
	if (!open->n)
		return td_flame_child(f, 0, text_of(s, PROCESS), none);
	if (*end_ns > open->items[open->n - 1].end_ns) {
		*end_ns = open->items[open->n - 1].end_ns;
		++*cut;
	}
	return open->items[open->n - 1].node;
}

static int add_span(struct td_flame *f, struct threads *threads, sqlite3_stmt *s, bool count,
		    int64_t *cut)
{
	int64_t start_ns = sqlite3_column_int64(s, START), end_ns = sqlite3_column_int64(s, END);
	struct open_spans *open = thread_of(threads, s);
	uint32_t parent, node;
	int64_t dur_ns;

	if (!open)
		return -ENOMEM;
	parent = within(f, open, s, start_ns, &end_ns, cut);
	node = parent == UINT32_MAX
		       ? parent
		       : td_flame_child(f, parent, text_of(s, NAME), (struct td_str){ "", 0 });
	if (node == UINT32_MAX || td_grow(&open->items, &open->cap, open->n) < 0)
		return -ENOMEM;
	f->nodes[node].count++;
	if (__builtin_sub_overflow(end_ns, start_ns, &dur_ns))
		dur_ns = 0; /* of a damaged database */
	f->nodes[node].self = td_plus(f->nodes[node].self, count ? 1 : dur_ns);
	if (!count && open->n)
		f->nodes[parent].self = td_plus(f->nodes[parent].self, -dur_ns);
	if (open->n < TD_FLAME_DEPTH_MAX)
		open->items[open->n++] = (struct open_span){ end_ns, node };
	return 0;
}

int td_flame_add_spans(struct td_flame *f, sqlite3_stmt *s, bool count, int64_t *ret_cut,
		       struct td_err *err)
{
	struct threads threads = { 0 };
	int rc, r = 0;

	while ((rc = sqlite3_step(s)) == SQLITE_ROW && r == 0)
		r = add_span(f, &threads, s, count, ret_cut);
	threads_done(&threads);
	if (r < 0)
		return r;
	return rc == SQLITE_DONE ? 0
				 : td_db_error(sqlite3_db_handle(s), rc, err, "cannot read spans");
}
