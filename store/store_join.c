/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "store/store_join.h"
#include "store/store_private.h"

/* What a file takes, about: its struct, its key and where that is found. */
#define FILE_BYTES (sizeof(struct td_file) + 56)

/* Files are asked for so many ahead. */
#define AHEAD_FILES 16

/* --- would the whole have read it in the same way? --- */

/* Was the name printed beside the path? It is among the strings then. */
static bool has_name_apart(const struct td_file *f)
{
	return f->path.p && f->name.p &&
	       !(f->name.p >= f->path.p && f->name.p <= f->path.p + f->path.len);
}

/* What is known of a file is what it was first seen with: may that be another thing than here? */
static bool may_differ(const struct td_store *to, const struct td_store *part,
		       const struct td_file *f)
{
	return to->any_truncated || part->any_truncated || has_name_apart(f);
}

static bool is_seen_alike(const struct td_file *known, const struct td_file *f)
{
	if (known->truncated != f->truncated)
		return false;
	if (!has_name_apart(f))
		return true;
	return has_name_apart(known) && known->name.len == f->name.len &&
	       memcmp(known->name.p, f->name.p, f->name.len) == 0;
}

/* Looks up the files, which leaves 0 in the map for those that are new. Among many files what is
 * known of each is in no cache: mostly nobody has to look at it. */
static bool files_depend(const struct td_store *to, const struct td_store *part, uint32_t *map)
{
	td_intern_find_all_from(&to->file_keys, &part->file_keys, map);
	for (uint32_t id = 1; id <= part->in.nfiles; id++) {
		const struct td_file *f = &part->in.files[id - 1];
		uint32_t ahead = id + AHEAD_FILES;

		if (ahead <= part->in.nfiles && map[ahead] && may_differ(to, part, &f[AHEAD_FILES]))
			__builtin_prefetch(&to->in.files[map[ahead] - 1]);
		if (map[id] && may_differ(to, part, f) &&
		    !is_seen_alike(&to->in.files[map[id] - 1], f))
			return true;
	}
	return false;
}

/* Which thread a tid is depends on the order in which it comes with several processes, if one of them has ended. */
static bool threads_depend(const struct td_store *to, const struct td_store *part)
{
	for (size_t i = 0; i < part->in.nthreads; i++)
		if (td_store_thread_over(to, part->in.threads[i].tid))
			return true;
	for (size_t i = 0; part->in.nthreads && i < part->in.nprocesses; i++)
		if (td_store_process_over(to, part->in.processes[i].pid))
			return true;
	return false;
}

static bool depends(const struct td_store *to, const struct td_store *part,
		    const struct td_id_map *map)
{
	bool unknown = part->in.nstacks || part->in.nanchors || part->in.nsummaries ||
		       part->in.nlosses || part->in.nlog_runs;

	return unknown || to->in.nops + part->in.nops > TD_OPS_MAX || threads_depend(to, part) ||
	       files_depend(to, part, map->to[TD_ID_FILE]);
}

/* --- ids --- */

static int make_room(struct td_id_map *map, const struct td_store *part)
{
	const size_t n[TD_NIDS] = {
		[TD_ID_STRING] = part->in.strings.n,   [TD_ID_OP] = part->in.nops,
		[TD_ID_PROCESS] = part->in.nprocesses, [TD_ID_THREAD] = part->in.nthreads,
		[TD_ID_FILE] = part->in.nfiles,        [TD_ID_DEVICE] = part->in.ndevices,
		[TD_ID_TRACK] = part->in.ntracks,
	};

	for (unsigned i = 0; i < TD_NIDS; i++) {
		while (map->cap[i] <= n[i])
			if (td_grow(&map->to[i], &map->cap[i], map->cap[i]) < 0)
				return -ENOMEM;
		map->to[i][0] = 0;
	}
	return 0;
}

static void join_strings(struct td_store *to, const struct td_store *part, uint32_t *map)
{
	for (uint32_t id = 1; id <= part->in.strings.n; id++) {
		map[id] = td_intern_add_from(&to->in.strings, &part->in.strings, id);
		if (!map[id] && !to->error)
			to->error = -ENOMEM;
	}
}

static void join_ops(struct td_store *to, const struct td_store *part, uint32_t *map)
{
	for (uint32_t id = 1; id <= part->in.nops; id++) {
		struct td_str key = td_intern_get(&part->op_names, id);

		map[id] = td_store_op(to, key.p + 1, key.len - 1, part->in.ops[id - 1].layer);
	}
}

static void join_processes(struct td_store *to, const struct td_store *part, struct td_id_map *map)
{
	for (uint32_t id = 1; id <= part->in.nprocesses; id++) {
		const struct td_process *p = &part->in.processes[id - 1];
		struct td_str name = { NULL, 0 };

		if (p->name_id)
			name = td_store_text(part, p->name_id);
		map->to[TD_ID_PROCESS][id] = td_store_process(to, p->pid, name.p, name.len);
	}
	for (uint32_t id = 1; id <= part->in.nthreads; id++) {
		const struct td_thread *t = &part->in.threads[id - 1];

		map->to[TD_ID_THREAD][id] =
			td_store_thread(to, t->tid, map->to[TD_ID_PROCESS][t->process_id]);
	}
}

static void join_files(struct td_store *to, const struct td_store *part, uint32_t *map,
		       const uint32_t *strings)
{
	for (uint32_t id = 1; id <= part->in.nfiles; id++) {
		const struct td_file *f = &part->in.files[id - 1];
		struct td_str name = { NULL, 0 };

		if (id + AHEAD_FILES <= part->in.nfiles && !map[id + AHEAD_FILES])
			td_intern_ahead_from(&to->file_keys, &part->file_keys, id + AHEAD_FILES);
		if (map[id])
			continue;
		if (has_name_apart(f))
			name = f->name;
		map[id] = td_store_file_from(to, part, id);
		if (!map[id])
			return;
		/* strings of the whole */
		to->in.files[map[id] - 1].root_id = strings[f->root_id];
		if (name.len)
			td_store_name_file(to, map[id], name);
	}
}

static void join_devices(struct td_store *to, const struct td_store *part, uint32_t *map)
{
	for (uint32_t id = 1; id <= part->in.ndevices; id++) {
		const struct td_device *d = &part->in.devices[id - 1];
		struct td_str key = td_intern_get(&part->device_keys, id);

		map[id] = td_store_device(to, d->kind, key.p + 1, key.len - 1, d->number);
	}
}

static void join_tracks(struct td_store *to, const struct td_store *part, struct td_id_map *map)
{
	for (uint32_t id = 1; id <= part->in.ntracks; id++) {
		const struct td_track *t = &part->in.tracks[id - 1];

		map->to[TD_ID_TRACK][id] = td_store_track(to, t->source_id, t->name, t->unit,
							  map->to[TD_ID_DEVICE][t->device_id],
							  map->to[TD_ID_PROCESS][t->process_id]);
	}
}

/* --- issues --- */

static void join_counts(struct td_store *to, const struct td_store *part, uint64_t lines)
{
	for (size_t i = 0; i < part->in.nissue_counts; i++) {
		const struct td_issue_count *from = &part->in.issue_counts[i];
		struct td_issue_count *c =
			td_store_issue_count(to, from->source_id, from->kind, from->effect);

		if (!c)
			return;
		if (c->count == 0)
			c->first_line = lines + from->first_line;
		c->count += from->count;
	}
}

static void join_issues(struct td_store *to, struct td_store *part, uint64_t lines)
{
	join_counts(to, part, lines);
	for (size_t i = 0; i < part->in.nissues && !to->error; i++) {
		struct td_issue *from = &part->in.issues[i];
		struct td_issue_count *c =
			td_store_issue_count(to, from->source_id, from->kind, TD_NOTED);

		if (c->kept >= TD_ISSUES_KEPT)
			continue;
		if (td_grow(&to->in.issues, &to->issues_cap, to->in.nissues) < 0) {
			to->error = -ENOMEM;
			return;
		}
		c->kept++;
		to->in.issues[to->in.nissues++] = (struct td_issue){
			.source_id = from->source_id,
			.kind = c->kind,
			.line = lines + from->line,
			.text = TAKE_PTR(from->text),
		};
	}
}

/* --- */

int td_store_join(struct td_store *to, struct td_store *part, uint64_t lines, struct td_id_map *map)
{
	int r = part->error ? part->error : make_room(map, part);

	if (r < 0)
		return r;
	if (depends(to, part, map))
		return TD_PART_DEPENDS;
	join_strings(to, part, map->to[TD_ID_STRING]);
	join_ops(to, part, map->to[TD_ID_OP]);
	join_processes(to, part, map);
	join_files(to, part, map->to[TD_ID_FILE], map->to[TD_ID_STRING]);
	join_devices(to, part, map->to[TD_ID_DEVICE]);
	join_tracks(to, part, map);
	join_issues(to, part, lines);
	td_stage_leave_room(to->in.nfiles * FILE_BYTES);
	return to->error;
}

/* --- rows --- */

static void map_call(const struct td_id_map *map, void *row)
{
	struct td_call *c = row;

	c->op_id = (uint16_t)map->to[TD_ID_OP][c->op_id];
	c->process_id = map->to[TD_ID_PROCESS][c->process_id];
	c->thread_id = map->to[TD_ID_THREAD][c->thread_id];
	c->file_id = map->to[TD_ID_FILE][c->file_id];
	c->args_id = map->to[TD_ID_STRING][c->args_id];
}

static void map_block(const struct td_id_map *map, void *row)
{
	struct td_block *b = row;

	b->device_id = map->to[TD_ID_DEVICE][b->device_id];
	b->process_id = map->to[TD_ID_PROCESS][b->process_id];
	b->done_process_id = map->to[TD_ID_PROCESS][b->done_process_id];
}

static void map_gpu_op(const struct td_id_map *map, void *row)
{
	struct td_gpu_op *g = row;

	g->device_id = map->to[TD_ID_DEVICE][g->device_id];
	g->kind_id = map->to[TD_ID_STRING][g->kind_id];
	g->name_id = map->to[TD_ID_STRING][g->name_id];
	g->process_id = map->to[TD_ID_PROCESS][g->process_id];
}

static void map_sample(const struct td_id_map *map, void *row)
{
	struct td_sample *s = row;

	s->track_id = map->to[TD_ID_TRACK][s->track_id];
}

static void map_span(const struct td_id_map *map, void *row)
{
	struct td_span *s = row;

	s->kind_id = map->to[TD_ID_STRING][s->kind_id];
	s->name_id = map->to[TD_ID_STRING][s->name_id];
	s->state_id = map->to[TD_ID_STRING][s->state_id];
	s->process_id = map->to[TD_ID_PROCESS][s->process_id];
	s->thread_id = map->to[TD_ID_THREAD][s->thread_id];
	s->args_id = map->to[TD_ID_STRING][s->args_id];
}

static void map_mark(const struct td_id_map *map, void *row)
{
	struct td_mark *m = row;

	m->name_id = map->to[TD_ID_STRING][m->name_id];
	m->process_id = map->to[TD_ID_PROCESS][m->process_id];
	m->thread_id = map->to[TD_ID_THREAD][m->thread_id];
	m->args_id = map->to[TD_ID_STRING][m->args_id];
}

static void (*const map_rows[TD_NKINDS])(const struct td_id_map *map, void *row) = {
	[TD_KIND_CALL] = map_call,     [TD_KIND_BLOCK] = map_block, [TD_KIND_GPU_OP] = map_gpu_op,
	[TD_KIND_SAMPLE] = map_sample, [TD_KIND_SPAN] = map_span,   [TD_KIND_MARK] = map_mark,
};

bool td_id_map_knows(enum td_kind kind)
{
	return map_rows[kind] != NULL;
}

void td_id_map_row(const struct td_id_map *map, enum td_kind kind, void *row)
{
	map_rows[kind](map, row);
}

void td_id_map_done(struct td_id_map *map)
{
	for (unsigned i = 0; i < TD_NIDS; i++)
		free(map->to[i]);
	*map = (struct td_id_map)TD_ID_MAP_INIT;
}

void td_store_clear(struct td_store *part)
{
	td_intern_clear(&part->in.strings);
	td_intern_clear(&part->op_names);
	td_intern_clear(&part->pids);
	td_intern_clear(&part->tids);
	td_intern_clear(&part->file_keys);
	td_intern_clear(&part->device_keys);
	td_intern_clear(&part->track_keys);
	td_intern_clear(&part->stack_keys);
	td_intern_clear(&part->log_run_keys);
	for (size_t i = 0; i < part->in.nissues; i++)
		free(part->in.issues[i].text);
	part->in.nops = part->npids = part->in.nprocesses = part->ntids = part->in.nthreads = 0;
	part->in.nfiles = part->in.ndevices = part->in.ntracks = part->in.nanchors = 0;
	part->in.nissue_counts = part->in.nissues = part->in.nsummaries = part->in.nlosses = 0;
	part->in.nstacks = part->in.nstack_totals = part->in.nlog_runs = 0;
	part->last_process = 0;
	memset(part->recent_tids, 0, sizeof(part->recent_tids));
	part->any_truncated = false;
	part->npaths = 0;
	part->error = 0;
}
