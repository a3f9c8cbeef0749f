/* SPDX-License-Identifier: MIT */
/*
 * How finely calls are told apart. A run may have a million files that any of a hundred processes
 * reads, and a row for each of these is most of the file and of the memory. So the derived tables
 * may have a share of the calls. What is in them is what reports ask first; of what is not there,
 * stat_omitted says so, and it is found by looking at the calls.
 *
 * How many combos there will be is known before the first call: the staging area has counted them,
 * roughly.
 */
#include "store/derive/calls_private.h"
#include "common/array.h"

/* Combos that a family may have: one for so many calls ... */
#define CALLS_EACH 32
/* ... but always so many, and never more than that (they take some 350 bytes each). */
#define BUDGET_MIN ((size_t)20000)
#define BUDGET_MAX ((size_t)1 << 17)
/* Transfers are followed of so many processes, files and verbs (12 MiB with the free places); of so few where there are
 * more (3 MiB): the others are followed in the end. */
#define POSITIONS_MAX (((size_t)3 << 17) - 512)
#define POSITIONS_FEW (((size_t)3 << 15) - 512)

/* How many combos families would have, at most or about. */
struct counts {
	uint64_t full, files, traits_of_processes, traits;
};

bool td_family_tells(unsigned family_by, unsigned by)
{
	if (family_by & TD_BY_FILE)
		family_by |= TD_BY_TRAITS;
	if (family_by & TD_BY_TRAITS)
		family_by |= TD_BY_CLASS;
	return (by & ~family_by) == 0;
}

const struct td_family *td_budget_family(const struct td_calls *c, unsigned by)
{
	for (size_t i = 0; i < c->nfamilies; i++)
		if (td_family_tells(c->families[i].by, by))
			return &c->families[i];
	return NULL;
}

/* --- what files have in common --- */

static bool is_same(const struct td_traits *a, const struct td_traits *b)
{
	return a->template_id == b->template_id && a->directory_id == b->directory_id &&
	       a->class == b->class;
}

/* Numbers the different traits; objects[id] is the number of those of the file, as long as there are not too many. */
static int find_traits(struct td_calls *c, uint32_t *objects)
{
	_cleanup_(td_intern_done) struct td_intern known = TD_INTERN_INIT;

	for (uint32_t id = 1; id <= c->in->nfiles && c->ntraits <= c->budget; id++) {
		struct td_traits t = { .class = c->in->files[id - 1].class };
		uint32_t last = objects[id - 1];

		if (c->in->files[id - 1].merged_into)
			continue;
		t.template_id = td_store_file_template(c->st, id);
		t.directory_id = td_store_file_directory(c->st, id);
		/* mostly those of the file before */
		if (last && is_same(&c->traits[last - 1], &t)) {
			objects[id] = last;
			continue;
		}
		objects[id] = td_intern_add(&known, (const char *)&t, sizeof(t));
		if (!objects[id] || td_grow(&c->traits, &c->traits_cap, c->ntraits) < 0)
			return -ENOMEM;
		if (objects[id] > c->ntraits)
			c->traits[c->ntraits++] = t;
	}
	return td_store_error(c->st);
}

static void find_classes(const struct td_calls *c, uint32_t *objects)
{
	for (uint32_t id = 1; id <= c->in->nfiles; id++)
		objects[id] = c->in->files[id - 1].class + 1;
}

/* --- the choice --- */

static struct counts count(const struct td_calls *c)
{
	const struct td_stage *s = td_store_stage(c->st, TD_KIND_CALL);
	uint64_t nops = c->in->nops, nprocesses = c->in->nprocesses + 1, ntraits = c->ntraits + 1;
	struct counts n = {
		.full = td_stage_distinct(s, TD_DISTINCT_FULL),
		.files = td_stage_distinct(s, TD_DISTINCT_FILES),
	};

	n.traits = TD_MIN(ntraits * nops, n.files);
	n.traits_of_processes = TD_MIN(n.traits * nprocesses, n.full);
	if (c->ntraits > c->budget)
		n.traits = n.traits_of_processes = UINT64_MAX;
	return n;
}

/* objects: taken over. */
static int begin(struct td_calls *c, unsigned by, uint32_t *objects)
{
	struct td_family *f = &c->families[c->nfamilies++];

	f->objects = objects;
	return td_family_begin(f, c, by);
}

static uint32_t *new_objects(const struct td_calls *c)
{
	return calloc(c->in->nfiles + 1, sizeof(uint32_t));
}

/* Of processes first: what is counted once is counted there. */
static int begin_coarser(struct td_calls *c)
{
	_cleanup_free_ uint32_t *traits = new_objects(c), *classes = new_objects(c);
	int r = traits && classes ? find_traits(c, traits) : -ENOMEM;
	struct counts n;

	if (r < 0)
		return r;
	n = count(c);
	if (n.traits_of_processes <= c->budget) {
		r = begin(c, TD_BY_PROCESS | TD_BY_TRAITS, TAKE_PTR(traits));
	} else {
		find_classes(c, classes);
		r = begin(c, TD_BY_PROCESS | TD_BY_CLASS, TAKE_PTR(classes));
	}
	if (r >= 0 && n.files <= c->budget)
		r = begin(c, TD_BY_FILE, NULL);
	else if (r >= 0 && traits && n.traits <= c->budget)
		r = begin(c, TD_BY_TRAITS, TAKE_PTR(traits));
	return r;
}

int td_budget_choose(struct td_calls *c)
{
	const struct td_stage *s = td_store_stage(c->st, TD_KIND_CALL);
	uint64_t full = td_stage_distinct(s, TD_DISTINCT_FULL);
	int r;

	/* who transfers opens and closes, too */
	c->positions_max = full / 2 > POSITIONS_MAX ? POSITIONS_FEW : POSITIONS_MAX;
	if (c->has_budget)
		c->positions_max = c->budget;
	else
		c->budget = TD_MAX(TD_MIN(td_stage_count(s) / CALLS_EACH, BUDGET_MAX), BUDGET_MIN);
	if (full <= c->budget)
		r = begin(c, TD_BY_PROCESS | TD_BY_FILE, NULL);
	else
		r = begin_coarser(c);
	c->families[0].latencies = c->latencies;
	return r;
}
