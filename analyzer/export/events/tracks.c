/* SPDX-License-Identifier: MIT */
/* Tracks: one for each process, thread, stream of a GPU, disk, counter, ..., and more of the same
 * name for what overlaps. */
#include "analyzer/export/events/events_private.h"
#include "common/array.h"
#include "schema/db.h"

#define LANES_MAX 1000 /* of a group: each new slice looks through them */
#define PID_BITS 22 /* Linux's largest (PID_MAX_LIMIT) */
#define PIDS_MAX 512 /* viewers know 31 bits */
#define LIFETIMES 16

/* ?1 to ?3 are a, b and c of the key. Columns: name, kind and a of the parent, unit, then of a
 * process and a thread: pid, tid, command line, lifetime, host. */
static const struct {
	int type;
	const char *sql;
} makers[TD_GROUP_LOSS + 1] = {
	[TD_GROUP_PROCESS] = { TD_EVENT_TRACK_PROCESS,
			       "SELECT coalesce(name, '?'), NULL, NULL, NULL, pid, NULL,"
			       " command_line, lifetime, host FROM process WHERE id = ?1" },
	[TD_GROUP_THREAD] = { TD_EVENT_TRACK_THREAD,
			      "SELECT coalesce(t.name, p.name, '?'), 0, p.id, NULL, p.pid, t.tid,"
			      " NULL, p.lifetime, p.host FROM thread AS t"
			      " LEFT JOIN process AS p ON p.id = t.process_id WHERE t.id = ?1" },
	[TD_GROUP_CALLS] = { TD_EVENT_TRACK_PLAIN, "SELECT 'calls', 0, ?1" },
	[TD_GROUP_DEVICE] = { TD_EVENT_TRACK_PLAIN,
			      "SELECT name || coalesce(' of ' || host, ''), NULL, NULL"
			      " FROM device WHERE id = ?1" },
	[TD_GROUP_REQUESTS] = { TD_EVENT_TRACK_PLAIN, "SELECT 'requests', 3, ?1" },
	[TD_GROUP_STREAM] = { TD_EVENT_TRACK_PLAIN, "SELECT coalesce('stream ' || ?2, 'GPU work'),"
						    " 3, ?1" },
	[TD_GROUP_SLICES] = { TD_EVENT_TRACK_PLAIN, "SELECT 'CPU', 1, ?1" },
	[TD_GROUP_SPANS] = { TD_EVENT_TRACK_PLAIN,
			     "SELECT text || coalesce(' of rank ' || ?2, ''), 0, ?3 FROM string"
			     " WHERE id = ?1" },
	[TD_GROUP_MARKS] = { TD_EVENT_TRACK_PLAIN, "SELECT 'marks', 0, ?1" },
	[TD_GROUP_COUNTER] = { TD_EVENT_TRACK_COUNTER,
			       "SELECT CASE WHEN t.process_id IS NOT NULL AND d.id IS NOT NULL"
			       " THEN t.name || ' of ' || d.name ELSE t.name END,"
			       " CASE WHEN t.process_id IS NULL THEN 3 ELSE 0 END,"
			       " coalesce(t.process_id, t.device_id), t.unit FROM track AS t"
			       " LEFT JOIN device AS d ON d.id = t.device_id WHERE t.id = ?1" },
	[TD_GROUP_FINDINGS] = { TD_EVENT_TRACK_PLAIN, "SELECT 'findings', NULL, NULL" },
	[TD_GROUP_LOSS] = { TD_EVENT_TRACK_PLAIN, "SELECT 'lost events', NULL, NULL" },
};

/* Without p where it is NULL, or the maker has no such column. */
static struct td_str text_of(sqlite3_stmt *s, int column)
{
	const char *p = column < sqlite3_column_count(s)
				? (const char *)sqlite3_column_text(s, column)
				: NULL;

	return (struct td_str){ p, p ? (size_t)sqlite3_column_bytes(s, column) : 0 };
}

/* Numbers that programs gave their threads themselves are larger, and do not come twice. */
static int64_t other_number(int64_t n, int64_t before)
{
	return n < 1 << PID_BITS ? n + (before << PID_BITS) : n;
}

/* Viewers tell processes by their pids alone: a later one of the same pid, or one of another
 * machine, gets a number that none has, and its own one as a label. */
static int set_pid(struct td_walk *w, sqlite3_stmt *s, struct td_event_track *t, char *label,
		   size_t label_size)
{
	struct td_str host = text_of(s, 8);
	uint32_t machine = host.p ? td_intern_add(&w->hosts, host.p, host.len) : 1;
	int64_t lifetime = sqlite3_column_int64(s, 7), before;

	if (!machine)
		return -ENOMEM;
	before = ((lifetime - 1) % LIFETIMES + (int64_t)(machine - 1) * LIFETIMES) % PIDS_MAX;
	t->pid = sqlite3_column_int64(s, 4) & INT32_MAX;
	t->tid = sqlite3_column_int64(s, 5) & INT32_MAX;
	if (before > 0 && t->type == TD_EVENT_TRACK_PROCESS) {
		int n = snprintf(label, label_size, "pid %lld%s%.*s", (long long)t->pid,
				 host.p ? " of " : "", (int)TD_MIN(host.len, 200),
				 host.p ? host.p : "");

		t->label = (struct td_str){ label, (size_t)n };
	}
	if (before > 0) {
		t->pid = other_number(t->pid, before);
		t->tid = other_number(t->tid, before);
	}
	return 0;
}

/* Runs the maker of the key: SQLITE_ROW, or something else. */
static int describe(struct td_walk *w, const struct td_group_key *key, sqlite3_stmt **ret)
{
	const int64_t values[] = { key->a, key->b, key->c };
	sqlite3_stmt **s = &w->makers[key->kind];
	int rc = SQLITE_OK;

	if (!*s)
		rc = sqlite3_prepare_v2(w->db, makers[key->kind].sql, -1, s, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_reset(*s);
	for (int i = 0; i < 3 && i < sqlite3_bind_parameter_count(*s) && rc == SQLITE_OK; i++)
		rc = values[i] == TD_GROUP_NONE ? sqlite3_bind_null(*s, i + 1)
						: sqlite3_bind_int64(*s, i + 1, values[i]);
	*ret = *s;
	return rc == SQLITE_OK ? sqlite3_step(*s) : rc;
}

/* Its parent is made before, if it has one. */
static int find_parent(struct td_walk *w, const struct td_group_key *key, uint32_t *ret)
{
	sqlite3_stmt *s;
	int rc = describe(w, key, &s), r;
	struct td_group_key parent = { .b = TD_GROUP_NONE, .c = TD_GROUP_NONE };
	uint32_t group;

	if (rc != SQLITE_ROW || sqlite3_column_type(s, 1) == SQLITE_NULL ||
	    sqlite3_column_type(s, 2) == SQLITE_NULL) {
		*ret = 0;
		return rc == SQLITE_ROW || rc == SQLITE_DONE
			       ? 0
			       : td_db_error(w->db, rc, w->err, "cannot read the names of tracks");
	}
	parent.kind = sqlite3_column_int64(s, 1);
	parent.a = sqlite3_column_int64(s, 2);
	r = td_walk_group(w, &parent, &group);
	if (r == 0)
		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): a group has a lane from its making on */
		*ret = w->groups[group].lanes[0].track;
	return r;
}

static int add_lane(struct td_walk *w, uint32_t group, const struct td_group_key *key)
{
	struct td_group *g = &w->groups[group];
	struct td_event_track t = { .id = (uint32_t)w->counts->tracks + 1, .parent = g->parent };
	char label[256];
	sqlite3_stmt *s;
	int rc = describe(w, key, &s), r = 0;

	if (td_grow(&g->lanes, &g->cap, g->n) < 0)
		return -ENOMEM;
	if (rc == SQLITE_ROW) {
		t.type = makers[key->kind].type;
		t.name = text_of(s, 0);
		t.unit = text_of(s, 3);
		t.command_line = text_of(s, 6);
	} else if (rc != SQLITE_DONE) {
		return td_db_error(w->db, rc, w->err, "cannot read the names of tracks");
	}
	if (t.type == TD_EVENT_TRACK_THREAD && !t.parent)
		t.type = TD_EVENT_TRACK_PLAIN; /* of a process that is not known */
	if (g->n && t.type != TD_EVENT_TRACK_COUNTER) {
		t.type = TD_EVENT_TRACK_PLAIN; /* beside the first one */
		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): g->n lanes are there */
		t.parent = key->kind == TD_GROUP_THREAD ? g->lanes[0].track : g->parent;
	}
	if (t.type == TD_EVENT_TRACK_PROCESS || t.type == TD_EVENT_TRACK_THREAD)
		r = set_pid(w, s, &t, label, sizeof(label));
	if (r == 0)
		r = w->sink->track(w->sink->self, &t);
	if (r < 0)
		return r;
	w->counts->tracks++;
	g->lanes[g->n++] = (struct td_lane){ .track = t.id };
	return 0;
}

int td_walk_group(struct td_walk *w, const struct td_group_key *key, uint32_t *ret)
{
	size_t n = w->keys.n;
	uint32_t parent = 0, id = td_intern_find(&w->keys, (const char *)key, sizeof(*key));
	int r;

	if (id) {
		*ret = id - 1;
		return 0;
	}
	r = find_parent(w, key, &parent);
	if (r < 0)
		return r;
	n = w->keys.n; /* the parent may be new, too */
	if (td_grow(&w->groups, &w->groups_cap, n) < 0 ||
	    !td_intern_add(&w->keys, (const char *)key, sizeof(*key)))
		return -ENOMEM;
	w->groups[n] = (struct td_group){ .parent = parent };
	r = add_lane(w, (uint32_t)n, key);
	*ret = (uint32_t)n;
	return r;
}

/* Does it lie within what is open, after what is over is closed? */
static bool has_room(struct td_lane *l, int64_t start_ns, int64_t end_ns)
{
	while (l->n && l->ends[l->n - 1] <= start_ns)
		l->n--;
	return !l->n || l->ends[l->n - 1] >= end_ns;
}

static int take_lane(struct td_lane *l, struct td_event *e)
{
	if (td_grow(&l->ends, &l->cap, l->n) < 0)
		return -ENOMEM;
	l->ends[l->n++] = e->start_ns + e->dur_ns;
	e->track = l->track;
	return 0;
}

int td_walk_lane(struct td_walk *w, uint32_t group, struct td_event *e)
{
	struct td_group *g = &w->groups[group];
	struct td_group_key key;
	int r;

	for (size_t i = 0; i < g->n; i++)
		if (has_room(&g->lanes[i], e->start_ns, e->start_ns + e->dur_ns))
			return take_lane(&g->lanes[i], e);
	if (g->n == LANES_MAX) {
		e->type = TD_EVENT_INSTANT;
		e->track = g->lanes[0].track;
		w->counts->crowded++;
		return 0;
	}
	memcpy(&key, td_intern_get(&w->keys, group + 1).p, sizeof(key));
	r = add_lane(w, group, &key);
	return r == 0 ? take_lane(&g->lanes[g->n - 1], e) : r;
}

void td_walk_tracks_done(struct td_walk *w)
{
	for (size_t i = 0; i < w->keys.n; i++) {
		for (size_t j = 0; j < w->groups[i].n; j++)
			free(w->groups[i].lanes[j].ends);
		free(w->groups[i].lanes);
	}
	free(w->groups);
	td_intern_done(&w->keys);
	td_intern_done(&w->hosts);
	for (size_t i = 0; i < TD_ARRAY_SIZE(w->makers); i++)
		sqlite3_finalize(w->makers[i]);
}
