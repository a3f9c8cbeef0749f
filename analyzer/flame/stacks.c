/* SPDX-License-Identifier: MIT */
/* Stacks of the database become nodes: each of its frames is looked up once for each process that has it. */
#include "analyzer/flame/flame.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "schema/db.h"
#include "schema/stat_math.h"

/* Frames that are nodes already. */
struct stacks {
	sqlite3_stmt *frame; /* parent, symbol, module of a stack */
	struct td_intern keys; /* node of the process, stack; runs parallel to nodes */
	uint32_t *nodes;
	size_t n, cap;
};

static void stacks_done(struct stacks *s)
{
	sqlite3_finalize(s->frame);
	td_intern_done(&s->keys);
	free(s->nodes);
}

static struct td_str text_of(sqlite3_stmt *s, int column)
{
	const char *p = (const char *)sqlite3_column_text(s, column);

	return (struct td_str){ p ? p : "", p ? (size_t)sqlite3_column_bytes(s, column) : 0 };
}

struct stack_key {
	int64_t process, stack;
};

/* UINT32_MAX: it is no node yet. */
static uint32_t known(const struct stacks *s, struct stack_key key)
{
	uint32_t id = td_intern_find(&s->keys, (const char *)&key, sizeof(key));

	return id ? s->nodes[id - 1] : UINT32_MAX;
}

static int remember(struct stacks *s, struct stack_key key, uint32_t node)
{
	if (td_grow(&s->nodes, &s->cap, s->n) < 0 ||
	    !td_intern_add(&s->keys, (const char *)&key, sizeof(key)))
		return -ENOMEM;
	s->nodes[s->n++] = node;
	return 0;
}

/* Asks for a frame: 1; 0: there is no such stack; or -errno. */
static int look_up(struct stacks *s, int64_t stack, struct td_err *err)
{
	int rc;

	(void)sqlite3_reset(s->frame);
	(void)sqlite3_bind_int64(s->frame, 1, stack);
	rc = sqlite3_step(s->frame);
	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE
		       ? 0
		       : td_db_error(sqlite3_db_handle(s->frame), rc, err, "cannot read stacks");
}

/* The node of a stack below that of its process: UINT32_MAX with -errno in *r. A stack of a damaged
 * database may go in a circle, so that its length is bounded. */
static uint32_t node_of(struct td_flame *f, struct stacks *s, uint32_t process, int64_t stack,
			int *r, struct td_err *err)
{
	_cleanup_free_ int64_t *path = malloc(TD_FLAME_DEPTH_MAX * sizeof(*path));
	uint32_t node = process, child;
	size_t n = 0;

	*r = path ? 1 : -ENOMEM;
	while (*r == 1 && n < TD_FLAME_DEPTH_MAX) {
		child = known(s, (struct stack_key){ process, stack });
		if (child != UINT32_MAX) {
			node = child;
			break;
		}
		*r = look_up(s, stack, err);
		if (*r == 1)
			path[n++] = stack;
		if (*r == 1 && sqlite3_column_type(s->frame, 0) == SQLITE_NULL)
			break;
		stack = sqlite3_column_int64(s->frame, 0);
	}
	while (n > 0 && *r >= 0) {
		*r = look_up(s, path[--n], err);
		node = *r < 0 ? UINT32_MAX
			      : td_flame_child(f, node, text_of(s->frame, 1), text_of(s->frame, 2));
		if (node == UINT32_MAX && *r >= 0)
			*r = -ENOMEM;
		if (*r >= 0)
			*r = remember(s, (struct stack_key){ process, path[n] }, node);
	}
	return node;
}

enum { STACK, PROCESS, VALUE, COUNT, UNKNOWN };

static int add_stack(struct td_flame *f, struct stacks *s, sqlite3_stmt *row, struct td_err *err)
{
	const struct td_str process = text_of(row, PROCESS), none = { "", 0 };
	uint32_t node = process.len ? td_flame_child(f, 0, process, none) : 0;
	int r;

	if (node == UINT32_MAX)
		return -ENOMEM;
	node = node_of(f, s, node, sqlite3_column_int64(row, STACK), &r, err);
	if (r < 0)
		return r;
	f->nodes[node].self = td_plus(f->nodes[node].self, sqlite3_column_int64(row, VALUE));
	f->nodes[node].count = td_plus(f->nodes[node].count, sqlite3_column_int64(row, COUNT));
	return 0;
}

int td_flame_add_stacks(struct td_flame *f, sqlite3_stmt *s, int64_t *ret_unknown,
			struct td_err *err)
{
	static const char frame_sql[] =
		"SELECT parent_id, coalesce(symbol, ''), module FROM frames WHERE id = ?";
	sqlite3 *db = sqlite3_db_handle(s);
	struct stacks stacks = { 0 };
	int r = 0, rc = sqlite3_prepare_v2(db, frame_sql, -1, &stacks.frame, NULL);

	if (rc == SQLITE_OK)
		while (r >= 0 && (rc = sqlite3_step(s)) == SQLITE_ROW) {
			r = add_stack(f, &stacks, s, err);
			*ret_unknown = td_plus(*ret_unknown, sqlite3_column_int64(s, UNKNOWN));
		}
	stacks_done(&stacks);
	if (r < 0)
		return r;
	return rc == SQLITE_DONE ? 0 : td_db_error(db, rc, err, "cannot read stacks");
}
