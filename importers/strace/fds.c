/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "importers/strace/fds.h"

/* A table is a tree, of which a copy has all until one of the two changes: then the way to what changes is copied. A
 * program that has many descriptors and forks as often as not never touches them in its children. */
#define BITS 4
#define FAN (1U << BITS)

struct entry {
	uint32_t file_id;
	bool cloexec;
};

struct node {
	unsigned refs;
	union {
		struct node *below[FAN]; /* NULL: nothing is known of those */
		struct entry at[FAN]; /* of a leaf, at level 0 */
	};
};

struct td_strace_fds {
	unsigned refs;
	unsigned level; /* of the root */
	size_t n; /* descriptors 0 .. n - 1 can be in it */
	struct node *root; /* NULL: nothing is known */
	uint32_t cwd; /* file id; 0: unknown */
	bool failed; /* there was no memory for a change */
};

/* --- the tree --- */

static void node_unref(struct node *node, unsigned level)
{
	if (!node || --node->refs > 0)
		return;
	for (unsigned i = 0; level > 0 && i < FAN; i++)
		node_unref(node->below[i], level - 1);
	free(node);
}

/* Makes *at a node that nobody else has: 0 or -ENOMEM. */
static int node_own(struct node **at, unsigned level)
{
	struct node *old = *at, *own;

	if (old && old->refs == 1)
		return 0;
	own = calloc(1, sizeof(*own));
	if (!own)
		return -ENOMEM;
	if (old) {
		*own = *old;
		old->refs--;
	}
	own->refs = 1;
	for (unsigned i = 0; old && level > 0 && i < FAN; i++)
		if (own->below[i])
			own->below[i]->refs++;
	*at = own;
	return 0;
}

static unsigned place(uint64_t fd, unsigned level)
{
	return fd >> (BITS * level) & (FAN - 1);
}

/* NULL: nothing is known of it. */
static const struct entry *find(const struct td_strace_fds *f, int64_t fd)
{
	const struct node *node = f->root;

	if (fd < 0 || (uint64_t)fd >= f->n)
		return NULL;
	for (unsigned level = f->level; node && level > 0; level--)
		node = node->below[place((uint64_t)fd, level)];
	return node ? &node->at[place((uint64_t)fd, 0)] : NULL;
}

/* fd is below n. 0 or -ENOMEM. */
static int put(struct td_strace_fds *f, int64_t fd, struct entry e)
{
	const struct entry *old = find(f, fd);
	struct node **at = &f->root;

	if (old ? old->file_id == e.file_id && old->cloexec == e.cloexec : !e.file_id && !e.cloexec)
		return 0;
	for (unsigned level = f->level;; level--) {
		if (node_own(at, level) < 0)
			return -ENOMEM;
		if (level == 0)
			break;
		at = &(*at)->below[place((uint64_t)fd, level)];
	}
	(*at)->at[place((uint64_t)fd, 0)] = e;
	return 0;
}

/* --- tables --- */

struct td_strace_fds *td_strace_fds_new(void)
{
	struct td_strace_fds *f = calloc(1, sizeof(*f));

	if (f)
		f->refs = 1;
	return f;
}

struct td_strace_fds *td_strace_fds_ref(struct td_strace_fds *f)
{
	f->refs++;
	return f;
}

void td_strace_fds_unref(struct td_strace_fds *f)
{
	if (!f || --f->refs > 0)
		return;
	node_unref(f->root, f->level);
	free(f);
}

struct td_strace_fds *td_strace_fds_copy(const struct td_strace_fds *f)
{
	struct td_strace_fds *c = td_strace_fds_new();

	if (!c)
		return NULL;
	*c = *f;
	c->refs = 1;
	if (c->root)
		c->root->refs++;
	return c;
}

uint32_t td_strace_fds_get(const struct td_strace_fds *f, int64_t fd)
{
	const struct entry *e = find(f, fd);

	return e ? e->file_id : 0;
}

uint32_t td_strace_fds_cwd(const struct td_strace_fds *f)
{
	return f->cwd;
}

void td_strace_fds_chdir(struct td_strace_fds *f, uint32_t file_id)
{
	f->cwd = file_id;
}

/* Makes room for so many descriptors. */
static int grow(struct td_strace_fds *f, size_t want)
{
	size_t n = f->n ? f->n : FAN;

	while (n < want)
		n *= 2;
	while (n > (size_t)FAN << (BITS * f->level)) {
		struct node *root = NULL;

		if (f->root && node_own(&root, 0) < 0)
			return -ENOMEM;
		if (root)
			root->below[0] = f->root;
		f->root = root;
		f->level++;
	}
	f->n = n;
	return 0;
}

int td_strace_fds_set(struct td_strace_fds *f, int64_t fd, uint32_t file_id, bool cloexec)
{
	int r;

	if (f->failed)
		return -ENOMEM;
	if (fd < 0 || fd >= TD_STRACE_FD_MAX)
		return 0;
	if ((uint64_t)fd >= f->n) {
		if (!file_id)
			return 0;
		r = grow(f, (size_t)fd + 1);
		if (r < 0)
			return r;
	}
	return put(f, fd, (struct entry){ file_id, cloexec });
}

void td_strace_fds_tell(struct td_strace_fds *f, int64_t fd, uint32_t file_id)
{
	const struct entry *old = find(f, fd);

	if (fd >= 0 && (uint64_t)fd < f->n)
		f->failed |= put(f, fd, (struct entry){ file_id, old && old->cloexec }) < 0;
}

void td_strace_fds_set_cloexec(struct td_strace_fds *f, int64_t fd, bool cloexec)
{
	const struct entry *old = find(f, fd);

	if (fd >= 0 && (uint64_t)fd < f->n)
		f->failed |= put(f, fd, (struct entry){ old ? old->file_id : 0, cloexec }) < 0;
}

/* Forgets from .. to of the node, whose first descriptor is first. */
static int cut(struct node **at, unsigned level, uint64_t first, uint64_t from, uint64_t to)
{
	uint64_t width = UINT64_C(1) << (BITS * level);
	int r = 0;

	if (!*at || from > first + width * FAN - 1 || to < first)
		return 0;
	if (from <= first && to >= first + width * FAN - 1) {
		node_unref(*at, level);
		*at = NULL;
		return 0;
	}
	if (node_own(at, level) < 0)
		return -ENOMEM;
	for (unsigned i = 0; i < FAN && r == 0; i++, first += width) {
		if (level > 0)
			r = cut(&(*at)->below[i], level - 1, first, from, to);
		else if (first >= from && first <= to)
			(*at)->at[i] = (struct entry){ 0 };
	}
	return r;
}

void td_strace_fds_close(struct td_strace_fds *f, int64_t from, int64_t to)
{
	/* most are one, and mostly nobody else has the table */
	if (from == to && find(f, from))
		f->failed |= put(f, from, (struct entry){ 0 }) < 0;
	else if (from >= 0 && from < to)
		f->failed |= cut(&f->root, f->level, 0, (uint64_t)from, (uint64_t)to) < 0;
}

static bool has_cloexec(const struct node *node, unsigned level)
{
	for (unsigned i = 0; i < FAN; i++) {
		if (level == 0 ? node->at[i].cloexec
			       : node->below[i] && has_cloexec(node->below[i], level - 1))
			return true;
	}
	return false;
}

/* Forgets those that exec closes. */
static int cut_cloexec(struct node **at, unsigned level)
{
	int r = 0;

	if (!*at || !has_cloexec(*at, level))
		return 0;
	if (node_own(at, level) < 0)
		return -ENOMEM;
	for (unsigned i = 0; i < FAN && r == 0; i++) {
		if (level > 0)
			r = cut_cloexec(&(*at)->below[i], level - 1);
		else if ((*at)->at[i].cloexec)
			(*at)->at[i] = (struct entry){ 0 };
	}
	return r;
}

struct td_strace_fds *td_strace_fds_exec(struct td_strace_fds *f)
{
	struct td_strace_fds *own = f;

	if (f->refs > 1) {
		own = td_strace_fds_copy(f);
		td_strace_fds_unref(f);
	}
	if (own && cut_cloexec(&own->root, own->level) < 0) {
		td_strace_fds_unref(own);
		return NULL;
	}
	return own;
}

/* Forgets what of the node, whose first descriptor is first, is another file in the other table. */
static int keep_common(struct node **at, unsigned level, int64_t first,
		       const struct td_strace_fds *other)
{
	int r = 0;

	for (unsigned i = 0; *at && i < FAN && r == 0; i++) {
		int64_t fd = first + ((int64_t)i << (BITS * level));
		bool differs;

		if (level == 0) {
			differs = (*at)->at[i].file_id != td_strace_fds_get(other, fd);
			r = differs ? node_own(at, level) : 0;
			if (differs && r == 0)
				(*at)->at[i] = (struct entry){ 0 };
		} else if ((*at)->below[i]) {
			r = node_own(at, level);
			if (r == 0)
				r = keep_common(&(*at)->below[i], level - 1, fd, other);
		}
	}
	return r;
}

void td_strace_fds_keep_common(struct td_strace_fds *f, const struct td_strace_fds *other)
{
	if (f->cwd != other->cwd)
		f->cwd = 0;
	if (f->root != other->root)
		f->failed |= keep_common(&f->root, f->level, 0, other) < 0;
}

/* What the node, whose first descriptor is first, has besides. */
static int merge(struct td_strace_fds *f, const struct node *node, unsigned level, int64_t first)
{
	int r = 0;

	for (unsigned i = 0; node && i < FAN && r == 0; i++) {
		int64_t fd = first + ((int64_t)i << (BITS * level));

		if (level > 0)
			r = merge(f, node->below[i], level - 1, fd);
		else if (node->at[i].file_id && !td_strace_fds_get(f, fd))
			r = td_strace_fds_set(f, fd, node->at[i].file_id, node->at[i].cloexec);
	}
	return r;
}

int td_strace_fds_merge(struct td_strace_fds *f, const struct td_strace_fds *other)
{
	if (!f->cwd)
		f->cwd = other->cwd;
	return f->root == other->root ? 0 : merge(f, other->root, other->level, 0);
}
