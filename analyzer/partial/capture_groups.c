/* SPDX-License-Identifier: MIT */
/* What the reports ask of the calls, as groups whose keys are texts. */
#include "analyzer/partial/capture_private.h"
#include "analyzer/partial/held.h"
#include "analyzer/partial/of_files.h"
#include "analyzer/partial/plan.h"
#include "analyzer/scan/filter.h"
#include "analyzer/scan/stat.h"
#include "common/array.h"
#include "schema/stat_math.h"

#define OTHERS "(others)"

static int label_text(struct capture *c, const char *label, int64_t *ret)
{
	uint32_t id = td_partial_text(c->p, label, strlen(label));

	*ret = id;
	return id ? 0 : -ENOMEM;
}

/* A cell of the key of a group, from what the scan numbers it by. */
static int key_cell(struct capture *c, const struct td_stat *stat, enum td_dim dim, uint64_t key,
		    int64_t *ret, struct td_err *err)
{
	uint32_t text = 0;
	int r = 0;

	*ret = TD_NULL;
	if (td_dim_has_zero(dim)) {
		*ret = (int64_t)key;
		return 0;
	}
	if (key == 0)
		return 0;
	switch (dim) {
	case TD_DIM_FILE:
		r = td_capture_row_text(c, MAP_FILE, c->file, (int64_t)key, &text, err);
		break;
	case TD_DIM_TEMPLATE:
	case TD_DIM_DIRECTORY:
		r = td_capture_row_text(c, MAP_STRING, c->string, (int64_t)key, &text, err);
		break;
	case TD_DIM_PROCESS:
		r = td_capture_row_text(c, MAP_PROCESS, NULL, (int64_t)key, &text, err);
		break;
	case TD_DIM_OP:
		r = td_capture_row_text(c, MAP_OP, NULL, (int64_t)key, &text, err);
		break;
	case TD_DIM_LATENCY:
	case TD_DIM_SIZE:
		*ret = (int64_t)key - 1; /* the number of the bucket */
		return 0;
	default:
		return label_text(c, stat->dims.labels[dim].items[key - 1], ret);
	}
	if (r == 0 && text)
		*ret = text;
	return r;
}

/* Dims of which there may be many. */
#define MANY_DIMS (1u << TD_DIM_FILE | 1u << TD_DIM_PROCESS)

/* What stands for a file among the others: reports choose by the class of a file, so those of each have a row. */
static int other_file(struct capture *c, int64_t id, int64_t *ret, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf key = TD_STRBUF_INIT;
	int64_t cells[TD_PARTIAL_COLUMNS_MAX], class = 0, name = 0;
	int rc = sqlite3_bind_int64(c->class, 1, id), r = 0;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(c->class);
	if (rc != SQLITE_ROW)
		return td_capture_fail(c, rc, err);
	r = td_capture_text(c->p, c->class, 0, &class);
	(void)sqlite3_reset(c->class);
	*ret = td_capture_known(c, MAP_OTHERS, class);
	if (r < 0 || *ret)
		return r;
	r = label_text(c, OTHERS, &name);
	if (r < 0)
		return r;
	td_strbuf_addf(&key, OTHERS ":%s", td_intern_get(&c->p->texts, (uint32_t) class).p);
	r = td_strbuf_error(&key);
	if (r == 0)
		r = label_text(c, td_strbuf_str(&key), ret);
	for (size_t i = 0; i < TD_PARTIAL_COLUMNS_MAX; i++)
		cells[i] = TD_NULL;
	cells[0] = *ret;
	cells[2] = cells[7] = name; /* template, too */
	cells[4] = class;
	cells[5] = cells[8] = 0; /* class_known, truncated */
	if (r == 0)
		r = td_capture_add(c, TD_PARTIAL_FILE, cells);
	return r < 0 ? r : td_capture_know(c, MAP_OTHERS, class, (uint32_t)*ret);
}

static int other_process(struct capture *c, int64_t *ret)
{
	int64_t cells[TD_PARTIAL_COLUMNS_MAX];
	int r;

	*ret = td_capture_known(c, MAP_OTHERS, OTHER_PROCESSES);
	if (*ret)
		return 0;
	r = label_text(c, OTHERS, ret);
	for (size_t i = 0; i < TD_PARTIAL_COLUMNS_MAX; i++)
		cells[i] = TD_NULL;
	cells[0] = cells[2] = *ret; /* id, name */
	cells[1] = 0; /* pid */
	cells[11] = 1; /* lifetime */
	if (r == 0)
		r = td_capture_add(c, TD_PARTIAL_PROCESS, cells);
	return r < 0 ? r : td_capture_know(c, MAP_OTHERS, OTHER_PROCESSES, (uint32_t)*ret);
}

static int other_cell(struct capture *c, enum td_dim dim, uint64_t key, int64_t *ret,
		      struct td_err *err)
{
	*ret = TD_NULL;
	if (key == 0)
		return 0;
	return dim == TD_DIM_FILE ? other_file(c, (int64_t)key, ret, err) : other_process(c, ret);
}

struct weighed {
	int64_t weight;
	uint32_t group;
};

static int heaviest_first(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->group > y->group) - (x->group < y->group);
}

/* Which groups are among the others; *ret is by group, NULL: none. */
static int choose(struct capture *c, size_t question, const struct td_stat *stat, bool **ret)
{
	size_t n = stat->keys.n, top = c->p->head.top;
	_cleanup_free_ struct weighed *order = NULL;
	int64_t question_cell = (int64_t)question;
	_cleanup_free_ bool *others = NULL;

	if (!top || n <= top || !(c->p->head.questions[question].dims & MANY_DIMS))
		return 0;
	order = malloc(n * sizeof(*order));
	others = calloc(n, sizeof(*others));
	if (!order || !others)
		return -ENOMEM;
	for (size_t g = 0; g < n; g++)
		order[g] = (struct weighed){ td_group_sums_get(&stat->sums, g, TD_SUM_TOTAL),
					     (uint32_t)g };
	qsort(order, n, sizeof(*order), heaviest_first);
	for (size_t i = top; i < n; i++)
		others[order[i].group] = true;
	*ret = TAKE_PTR(others);
	return td_capture_add(
		c, TD_PARTIAL_DROPPED,
		(int64_t[]){ question_cell, (int64_t)(n - top), TD_MAX(order[top].weight, 0) });
}

struct adding {
	size_t question;
	const char *phase; /* NULL: not grouped by it */
	const struct td_stat *stat;
	const bool *others; /* NULL: none */
	uint8_t dims[TD_NDIMS]; /* the cells of a key */
	unsigned ndims;
};

static int find_key(struct capture *c, const struct adding *a, size_t group, int64_t *ret,
		    struct td_err *err)
{
	int r = 0;

	for (unsigned d = 0; d < a->ndims && r == 0; d++) {
		enum td_dim dim = (enum td_dim)a->dims[d];

		uint64_t part = dim == TD_DIM_PHASE ? 0
						    : td_dims_part(&a->stat->dims, dim,
								   a->stat->keys.items[group]);

		if (dim == TD_DIM_PHASE)
			r = label_text(c, a->phase, &ret[d]);
		else if (a->others && a->others[group] && MANY_DIMS & 1u << dim)
			r = other_cell(c, dim, part, &ret[d], err);
		else
			r = key_cell(c, a->stat, dim, part, &ret[d], err);
	}
	return r;
}

/* Calls that are nested have groups of their own in the scan, and none in the question: they are counted. */
static bool is_folded(const struct capture *c, const struct adding *a, size_t group)
{
	return a->stat->dims.which & ~c->p->head.questions[a->question].dims &
		       1u << TD_DIM_NESTED &&
	       td_dims_part(&a->stat->dims, TD_DIM_NESTED, a->stat->keys.items[group]);
}

#define FILES_MAX (1 << 24) /* ids are dense; what a file says may be anything */
#define FILES_MANY 4 /* one of so many is wanted: then a look at all of them is shorter */

/* The greatest id of the files of groups that are not among the others, and how many have one;
 * marks them where there is room. */
static size_t mark_files(const struct capture *c, const struct adding *a, bool *wanted,
			 uint64_t *ret_last)
{
	size_t n = 0;

	*ret_last = 0;
	for (size_t g = 0; g < a->stat->keys.n; g++) {
		uint64_t id = td_dims_part(&a->stat->dims, TD_DIM_FILE, a->stat->keys.items[g]);

		if (!id || (a->others && a->others[g]) || is_folded(c, a, g))
			continue; /* of those that are folded one by one, if at all */
		n++;
		*ret_last = TD_MAX(*ret_last, id);
		if (wanted)
			wanted[id] = true;
	}
	return n;
}

/* Files that groups are of are read together where that is shorter. */
static int read_files(struct capture *c, const struct adding *a, struct td_err *err)
{
	_cleanup_free_ bool *wanted = NULL;
	uint64_t last;

	if (!(c->p->head.questions[a->question].dims & 1u << TD_DIM_FILE) ||
	    mark_files(c, a, NULL, &last) < last / FILES_MANY || last >= FILES_MAX)
		return 0;
	wanted = calloc(last + 1, sizeof(*wanted));
	if (!wanted)
		return -ENOMEM;
	(void)mark_files(c, a, wanted, &last);
	return td_capture_files(c, wanted, last + 1, err);
}

/* As td_partial_fold() looks for the busiest file. */
static bool has_file(const struct td_stat *stat, size_t group)
{
	return td_dims_part(&stat->dims, TD_DIM_FILE, stat->keys.items[group]) &&
	       td_group_sums_get(&stat->sums, group, TD_SUM_CALLS) > 0;
}

/* The same groups with no more files than a question has that is of the busiest ones; *ret takes the dims of stat. */
static int leave_busiest(struct td_stat *stat, struct td_stat *ret)
{
	_cleanup_(td_keys_done) struct td_keys rests = { 0 };
	size_t n = stat->keys.n;
	_cleanup_free_ uint32_t *rest_of = malloc((n + 1) * sizeof(*rest_of));
	_cleanup_free_ int64_t *most = malloc((n + 1) * sizeof(*most));

	if (!rest_of || !most || td_keys_reserve(&rests, n) < 0 ||
	    td_keys_reserve(&ret->keys, n) < 0)
		return -ENOMEM;
	for (size_t g = 0; g < n; g++)
		most[g] = TD_NULL; /* less than any time */
	for (size_t g = 0; g < n; g++) {
		int64_t *ns;

		rest_of[g] = td_keys_add(
			&rests, td_dims_without(&stat->dims, TD_DIM_FILE, stat->keys.items[g]));
		ns = &most[rest_of[g]];
		if (has_file(stat, g))
			*ns = TD_MAX(*ns, td_group_sums_get(&stat->sums, g, TD_SUM_TOTAL));
	}
	for (size_t g = 0; g < n; g++) {
		bool stays = has_file(stat, g) &&
			     td_group_sums_get(&stat->sums, g, TD_SUM_TOTAL) == most[rest_of[g]];

		rest_of[g] = td_keys_add(&ret->keys,
					 stays ? stat->keys.items[g] : rests.items[rest_of[g]]);
	}
	ret->dims = stat->dims;
	stat->dims = (struct td_dims){ 0 };
	if (td_group_sums_resize(&ret->sums, ret->keys.n) < 0)
		return -ENOMEM;
	td_group_sums_merge(&ret->sums, &stat->sums, rest_of);
	return 0;
}

/* from: none from now on, if nobody needs it any more. */
static int add_histogram(struct td_histogram *to, struct td_histogram *from, bool last)
{
	if (!last || to->n)
		return td_histogram_merge(to, from);
	td_histogram_done(to);
	*to = *from;
	*from = (struct td_histogram){ 0 };
	return 0;
}

/* Those that are bytes. */
static int add_packed(struct td_partial_groups *to, const struct td_packed_histograms *packed,
		      const uint32_t *groups)
{
	int r = 0;

	for (size_t i = 0; i < packed->n && r == 0; i++) {
		const struct td_packed_histogram *p = &packed->items[i];
		uint32_t group = groups[p->group];

		if (group == TD_NO_GROUP)
			continue;
		if (to->durations)
			r = td_histogram_merge_packed(&to->durations[group], p->bytes,
						      p->durations_len);
		if (to->sizes && r == 0)
			r = td_histogram_merge_packed(&to->sizes[group],
						      p->bytes + p->durations_len, p->sizes_len);
	}
	return r;
}

/* Distributions of the groups; last: no other question needs them. */
static int add_histograms(struct td_partial_groups *to, struct td_stat *stat,
			  const uint32_t *groups, bool last)
{
	int r = 0;

	if (stat->packed.n)
		return add_packed(to, &stat->packed, groups);
	for (size_t g = 0; g < stat->keys.n && r == 0; g++) {
		if (groups[g] == TD_NO_GROUP)
			continue;
		if (to->durations && stat->durations)
			r = add_histogram(&to->durations[groups[g]], &stat->durations[g], last);
		if (to->sizes && stat->sizes && r == 0)
			r = add_histogram(&to->sizes[groups[g]], &stat->sizes[g], last);
	}
	return r;
}

/* In which group of the partial each one is; TD_NO_GROUP: it only counts as nested. */
static int find_groups(struct td_partial *p, const struct staged *s, uint32_t *ret)
{
	struct td_group_sums *to = &p->groups[s->question].sums;
	unsigned ndims = (unsigned)__builtin_popcount(p->head.questions[s->question].dims);
	int r = 0;

	for (size_t g = 0; g < s->stat->keys.n && r == 0; g++) {
		size_t at = 0;

		ret[g] = TD_NO_GROUP;
		if (s->folded[g] && to->place[TD_SUM_NESTED] < 0)
			continue;
		r = td_partial_group(p, s->question, &s->keys[g * ndims], &at);
		if (r == 0 && s->folded[g])
			td_group_sums_count(to, at, TD_SUM_NESTED,
					    td_group_sums_get(&s->stat->sums, g, TD_SUM_CALLS));
		else
			ret[g] = (uint32_t)at;
	}
	return r;
}

static int add_staged(struct td_partial *p, const struct staged *s)
{
	struct td_partial_groups *to = &p->groups[s->question];
	_cleanup_free_ uint32_t *groups = calloc(s->stat->keys.n + 1, sizeof(*groups));
	int r = groups ? find_groups(p, s, groups) : -ENOMEM;

	if (r < 0)
		return r;
	td_group_sums_merge(&to->sums, &s->stat->sums, groups);
	return add_histograms(to, s->stat, groups, s->last);
}

int td_capture_add_groups(struct capture *c)
{
	int r = 0;

	for (size_t i = 0; i < c->nstaged && r == 0; i++)
		r = add_staged(c->p, &c->staged[i]);
	return r;
}

static void stat_free(struct td_stat *s)
{
	if (!s)
		return;
	td_stat_done(s);
	free(s);
}
TD_DEFINE_CLEANUP(struct td_stat *, stat_free)

static void staged_done(struct staged *s)
{
	free(s->keys);
	free(s->folded);
	if (s->last)
		stat_free(s->stat);
}

void td_capture_groups_done(struct capture *c)
{
	for (size_t i = 0; i < c->nstaged; i++)
		staged_done(&c->staged[i]);
	free(c->staged);
}

/* Keeps the groups until all has been read, and with the last question that they are for the
 * statistics, which are no more the caller's then. */
static int stage(struct capture *c, size_t question, const char *phase, struct td_stat **stat,
		 bool last, struct td_err *err)
{
	size_t n = (*stat)->keys.n;
	_cleanup_free_ bool *others = NULL;
	struct adding a = { .question = question, .phase = phase, .stat = *stat };
	struct staged *s;
	int r = choose(c, question, *stat, &others);

	a.others = others;
	a.ndims = td_partial_question_columns(&c->p->head.questions[question], a.dims);
	if (r == 0)
		r = read_files(c, &a, err);
	if (r == 0)
		r = td_grow(&c->staged, &c->staged_cap, c->nstaged);
	if (r < 0)
		return r;
	s = &c->staged[c->nstaged++];
	*s = (struct staged){ .question = question,
			      .stat = *stat,
			      .folded = malloc((n + 1) * sizeof(*s->folded)),
			      .keys = malloc((n * a.ndims + 1) * sizeof(*s->keys)) };
	if (!s->folded || !s->keys)
		return -ENOMEM;
	for (size_t g = 0; g < n && r == 0; g++) {
		s->folded[g] = is_folded(c, &a, g);
		r = find_key(c, &a, g, &s->keys[g * a.ndims], err);
	}
	if (r < 0 || !last)
		return r;
	td_dims_done(&(*stat)->dims); /* which may be of every file and process */
	s->last = true;
	*stat = NULL;
	return 0;
}

/* As stage(), of the busiest files alone. */
static int stage_busiest(struct capture *c, size_t question, const char *phase,
			 struct td_stat *stat, struct td_err *err)
{
	_cleanup_(stat_freep) struct td_stat *left = calloc(1, sizeof(*left));
	int r;

	if (!left)
		return -ENOMEM;
	td_group_sums_init(&left->sums, c->p->head.questions[question].measures);
	r = leave_busiest(stat, left);
	return r < 0 ? r : stage(c, question, phase, &left, true, err);
}

/* Questions that one look at the calls answers. */
struct asking {
	const size_t *questions;
	size_t n;
};

/* What is asked of nested calls apart: 1 << enum td_measure. */
static unsigned of_nested(const struct capture *c, const struct asking *a)
{
	unsigned measures = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct td_partial_question *q = &c->p->head.questions[a->questions[i]];

		measures |= q->dims & 1u << TD_DIM_NESTED ? q->measures : 0;
	}
	return measures;
}

/* Of nested calls apart less is held than of the others. */
static bool may_be_held(const struct capture *c, const struct asking *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (c->p->head.questions[a->questions[i]].during)
			return false;
	return !(of_nested(c, a) & ~td_held_of_nested);
}

/* By the clock that all are shown by. */
static void move_times(struct td_group_sums *s, int64_t shift_ns)
{
	static const enum td_sum times[] = { TD_SUM_FIRST, TD_SUM_LAST };

	for (size_t i = 0; i < TD_ARRAY_SIZE(times) && shift_ns; i++)
		for (size_t g = 0; g < s->n && s->place[times[i]] >= 0; g++) {
			int64_t *at = &s->rows[g * s->nplaces + (size_t)s->place[times[i]]];

			*at = *at == TD_NULL ? TD_NULL : td_plus(*at, shift_ns);
		}
}

static int scan(struct capture *c, const struct asking *a, struct td_stat_request *req,
		const char *phase, struct td_err *err)
{
	_cleanup_(stat_freep) struct td_stat *stat = calloc(1, sizeof(*stat));
	bool held = may_be_held(c, a);
	int r = stat ? 0 : -ENOMEM;

	if (r == 0 && held)
		r = td_held_stat(c->db, req, of_nested(c, a), stat, err);
	if (r == 0 && held)
		r = td_held_rows(c->db, req, stat, err);
	if (r == 0 && held)
		r = td_held_buckets(c->db, req, stat, err);
	if (r == 0)
		r = td_stat_scan(c->db, req, stat, err);
	else if (r > 0)
		r = 0;
	if (r == 0)
		move_times(&stat->sums, c->shift_ns);
	for (size_t i = 0; i < a->n && r == 0; i++)
		r = c->p->head.questions[a->questions[i]].busiest
			    ? stage_busiest(c, a->questions[i], phase, stat, err)
			    : stage(c, a->questions[i], phase, &stat, i + 1 == a->n, err);
	return r;
}

/* Of each phase, where calls are grouped by them. */
static int scan_phases(struct capture *c, const struct asking *a, struct td_stat_request *req,
		       struct td_err *err)
{
	_cleanup_(td_labels_done) struct td_labels phases = { 0 };
	const char *asked = req->phase;
	int r = td_stat_phases(c->db, &phases, err);

	for (size_t i = 0; i < phases.n && r == 0; i++) {
		req->phase = phases.items[i];
		if (!asked || sqlite3_stricmp(asked, req->phase) == 0)
			r = scan(c, a, req, req->phase, err);
	}
	return r;
}

static void condition_done(struct td_filter_condition *c)
{
	td_key_map_done(&c->ids);
}

static int ask(struct capture *c, const struct asking *a, struct td_err *err)
{
	const struct td_partial_question *q = &c->head->questions[a->questions[0]];
	_cleanup_(td_during_done) struct td_during during = { 0 };
	_cleanup_(condition_done) struct td_filter_condition of_files = { TD_ROW_OBJECT };
	struct td_stat_request req = {
		.relation = q->relation,
		.busiest = q->busiest,
		.histograms = true,
		.since_ns = q->given & TD_FILTER_SINCE ? c->since_ns : TD_NULL,
		.until_ns = q->given & TD_FILTER_UNTIL ? c->until_ns : TD_NULL,
		.phase = q->given & TD_FILTER_PHASE ? td_capture_arg(c, "phase") : NULL,
		.pid = q->given & TD_FILTER_PID ? c->pid : TD_NULL,
		.process = q->given & TD_FILTER_PROCESS ? td_capture_arg(c, "process") : NULL,
		.file = q->file,
		.also = &of_files,
		.nalso = q->of_files != NULL,
		.bin_width_ns = TD_NULL,
		.during = &during,
	};
	int r = q->during ? td_during_load(c->db, q->during, &during, err) : 0;

	if (r == 0 && q->of_files)
		r = td_partial_of_files(c->db, q->of_files, c->args, c->nargs, &of_files.ids, err);
	if (r == 0 && q->of_files && !of_files.ids.n)
		return 0; /* none of them is there */
	for (size_t i = 0; i < a->n; i++) {
		req.dims |= c->p->head.questions[a->questions[i]].dims & ~(1u << TD_DIM_PHASE);
		req.measures |= c->p->head.questions[a->questions[i]].measures;
	}
	if (r < 0)
		return r;
	return q->dims & 1u << TD_DIM_PHASE ? scan_phases(c, a, &req, err)
					    : scan(c, a, &req, NULL, err);
}

/* Do the questions differ in nothing but that one has nested calls apart? Which of many rows are
 * kept, and which call came before, is another matter with them. */
static bool are_one(const struct td_partial_question *a, const struct td_partial_question *b)
{
	struct td_partial_question same = *a;

	same.dims = b->dims;
	return (a->dims ^ b->dims) == 1u << TD_DIM_NESTED && !(a->dims & MANY_DIMS) &&
	       !((a->measures | b->measures) & TD_MEASURES_PATTERN) &&
	       td_partial_same_question(&same, b);
}

int td_capture_groups(struct capture *c, struct td_err *err)
{
	const struct td_partial_head *h = &c->p->head;
	_cleanup_free_ bool *asked = calloc(h->nquestions + 1, sizeof(*asked));
	int r = asked ? 0 : -ENOMEM;

	for (size_t q = 0; q < h->nquestions && r == 0; q++) {
		size_t both[2] = { q, q };

		if (asked[q])
			continue;
		for (size_t i = q + 1; i < h->nquestions && both[1] == q; i++)
			if (are_one(&h->questions[q], &h->questions[i]))
				both[1] = i;
		asked[both[1]] = true;
		r = ask(c, &(struct asking){ both, both[1] == q ? 1 : 2 }, err);
	}
	return r;
}
