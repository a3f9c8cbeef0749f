/* SPDX-License-Identifier: MIT */
/*
 * GPUs of which every kernel and copy is known. What a GPU idles for is the first cause that is in
 * progress, so the share of cause k is what is covered by work or causes up to k, less what is
 * covered without k. GPUs that were sampled: gpu_samples.c.
 */
#include <math.h>

#include "analyzer/timeline/timeline_private.h"

#define GPUS                                                                                       \
	"SELECT id, number, host, name FROM device WHERE kind = 'gpu' ORDER BY host, number, id"

#define LOOKED                                                                                     \
	"SELECT s.start_ns, s.start_ns + s.dur_ns FROM gpu_segment AS g"                           \
	" JOIN segment AS s ON s.start_ns = g.start_ns WHERE g.device_id = ?1"                     \
	" AND g.basis = 'exact' ORDER BY 1"

#define WORK                                                                                       \
	"SELECT start_ns, start_ns + dur_ns, kind_id IN (SELECT id FROM string WHERE text = "      \
	"'kernel')"                                                                                \
	" FROM gpu_op WHERE device_id = ?1 AND dur_ns > 0"                                         \
	" AND kind_id NOT IN (SELECT id FROM string WHERE text = 'sync') ORDER BY id"

const struct td_idle_cause_info td_idle_causes[TD_NIDLE_CAUSES] = {
	[TD_IDLE_DISK_READ] = { TD_HUE_DISK_READ, "idle: disk read" },
	[TD_IDLE_FILE_READ] = { TD_HUE_FILE_READ, "idle: file read" },
	[TD_IDLE_FILE_WRITE] = { TD_HUE_FILE_WRITE, "idle: file write" },
	[TD_IDLE_FILE_OTHER] = { TD_HUE_FILE_OTHER, "idle: other file I/O" },
};

struct gpu {
	struct td_during looked, kernels, work;
};

static void gpu_done(struct gpu *g)
{
	td_during_done(&g->looked);
	td_during_done(&g->kernels);
	td_during_done(&g->work);
}

static int load_work(struct td_filling *f, int64_t device_id, struct gpu *g, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = td_filling_prepare(f, WORK, &stmt, err);

	if (r == 0)
		(void)sqlite3_bind_int64(stmt, 1, device_id);
	while (r == 0 && (r = td_filling_step(f, stmt, err)) == 1) {
		int64_t start_ns = sqlite3_column_int64(stmt, 0);
		int64_t end_ns = sqlite3_column_int64(stmt, 1);

		r = td_cover_add(&g->work, start_ns, end_ns);
		if (r == 0 && sqlite3_column_int(stmt, 2))
			r = td_cover_add(&g->kernels, start_ns, end_ns);
	}
	return r;
}

static int load_looked(struct td_filling *f, int64_t device_id, struct td_during *ret,
		       struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = td_filling_prepare(f, LOOKED, &stmt, err);

	if (r == 0)
		(void)sqlite3_bind_int64(stmt, 1, device_id);
	while (r == 0 && (r = td_filling_step(f, stmt, err)) == 1)
		r = td_cover_add(ret, sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1));
	return r;
}

/* values: what is covered by what, less what without has; then what becomes without. 0 or -ENOMEM. */
static int add_share(struct td_filling *f, struct td_lane *lane, enum td_hue hue, const char *name,
		     const struct td_during *what, double *without)
{
	const struct td_grids *g = &f->t->grids;
	double *values = td_filling_series(f, lane, hue, name);

	if (!values)
		return -ENOMEM;
	td_grids_cover(g, what, values);
	for (size_t i = 0; i < g->total; i++) {
		double covered = values[i];

		values[i] = TD_MAX(covered - without[i], 0);
		without[i] = covered;
	}
	td_grids_per_width(g, 1, values);
	return 0;
}

/* The causes one after the other on top of what is in base, and then what none of them is. */
static int add_causes(struct td_filling *f, struct td_lane *lane, const struct td_during *causes,
		      const struct td_during *base, double *without)
{
	_cleanup_(td_during_done) struct td_during so_far = { 0 }, all = { 0 };
	int r = td_cover_unite(base, &(struct td_during){ 0 }, &so_far);

	for (size_t k = 0; k < TD_NIDLE_CAUSES && r == 0; k++) {
		struct td_during next = { 0 };

		if (!causes[k].n)
			continue;
		r = td_cover_unite(&so_far, &causes[k], &next);
		td_during_done(&so_far);
		so_far = next;
		if (r == 0)
			r = add_share(f, lane, td_idle_causes[k].hue, td_idle_causes[k].name,
				      &so_far, without);
	}
	if (r == 0)
		r = td_cover_add(&all, f->t->start_ns, f->t->end_ns);
	return r < 0 ? r
		     : add_share(f, lane, TD_HUE_UNEXPLAINED, "idle: no file I/O", &all, without);
}

static int add_exact(struct td_filling *f, struct td_lane *lane, const struct td_during *causes,
		     struct gpu *g)
{
	const struct td_grids *grids = &f->t->grids;
	_cleanup_(td_during_done) struct td_during unseen = { 0 }, base = { 0 };
	_cleanup_free_ double *without = calloc(grids->total + 1, sizeof(*without));
	int r = without ? 0 : -ENOMEM;

	if (r == 0)
		r = add_share(f, lane, TD_HUE_KERNEL, "kernels", &g->kernels, without);
	if (r == 0)
		r = add_share(f, lane, TD_HUE_COPY, "copies and sets alone", &g->work, without);
	/* what was not looked at is neither work nor idle */
	if (r == 0)
		r = td_cover_others(&g->looked, f->t->start_ns, f->t->end_ns, &unseen);
	if (r == 0)
		r = td_cover_unite(&g->work, &unseen, &base);
	if (r < 0)
		return r;
	memset(without, 0, grids->total * sizeof(*without));
	td_grids_cover(grids, &base, without);
	r = add_causes(f, lane, causes, &base, without);
	return r < 0 ? r : td_filling_gaps(f, lane, &g->looked);
}

static int add_gpu(struct td_filling *f, int64_t device_id, const char *name, const char *id,
		   struct td_err *err)
{
	_cleanup_(gpu_done) struct gpu g = { 0 };
	struct td_lane *lane;
	int r = load_looked(f, device_id, &g.looked, err);

	if (r < 0 || !g.looked.n)
		return r;
	lane = td_filling_lane(f, "gpu", id, name, TD_LANE_SHARES, TD_LANE_SHARE);
	r = lane ? load_work(f, device_id, &g, err) : -ENOMEM;
	return r < 0 ? r : add_exact(f, lane, td_filling_causes_of_gpu(f, device_id), &g);
}

/* One that was traced for a while and sampled all the time has lanes of both. */
static int add_lanes(struct td_filling *f, sqlite3_stmt *gpu, struct td_err *err)
{
	const char *host = (const char *)sqlite3_column_text(gpu, 2);
	const char *given = (const char *)sqlite3_column_text(gpu, 3);
	int64_t device_id = sqlite3_column_int64(gpu, 0);
	_cleanup_free_ char *name = NULL;
	char id[48], title[192];
	int r;

	(void)snprintf(title, sizeof(title), "%.80s%s%.80s", given ? given : "GPU",
		       host ? " on " : "", host ? host : "");
	(void)snprintf(id, sizeof(id), "gpu.%lld", (long long)device_id);
	name = td_timeline_name(title, strlen(title));
	r = name ? add_gpu(f, device_id, name, id, err) : -ENOMEM;
	return r < 0 ? r : td_fill_gpu_samples(f, device_id, name, id, err);
}

int td_fill_gpu(struct td_filling *f, struct td_err *err)
{
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *stmt = NULL;
	int r = td_filling_prepare(f, GPUS, &stmt, err);

	while (r == 0 && (r = td_filling_step(f, stmt, err)) == 1)
		r = add_lanes(f, stmt, err);
	return r;
}
