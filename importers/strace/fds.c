/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "importers/strace/fds.h"

struct entry {
	uint32_t file_id;
	bool cloexec;
};

struct td_strace_fds {
	unsigned refs;
	size_t n; /* entries: descriptors 0 .. n - 1 */
	struct entry *at;
};

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
	free(f->at);
	free(f);
}

TD_DEFINE_CLEANUP(struct td_strace_fds *, td_strace_fds_unref)

struct td_strace_fds *td_strace_fds_copy(const struct td_strace_fds *f)
{
	_cleanup_(td_strace_fds_unrefp) struct td_strace_fds *c = td_strace_fds_new();

	if (!c || !f->n)
		return TAKE_PTR(c);
	c->at = malloc(f->n * sizeof(*c->at));
	if (!c->at)
		return NULL;
	memcpy(c->at, f->at, f->n * sizeof(*c->at));
	c->n = f->n;
	return TAKE_PTR(c);
}

uint32_t td_strace_fds_get(const struct td_strace_fds *f, int64_t fd)
{
	return fd >= 0 && (uint64_t)fd < f->n ? f->at[fd].file_id : 0;
}

static int grow(struct td_strace_fds *f, size_t want)
{
	size_t n = f->n ? f->n : 16;
	struct entry *p;

	while (n < want)
		n *= 2;
	p = realloc(f->at, n * sizeof(*p));
	if (!p)
		return -ENOMEM;
	memset(p + f->n, 0, (n - f->n) * sizeof(*p));
	f->at = p;
	f->n = n;
	return 0;
}

int td_strace_fds_set(struct td_strace_fds *f, int64_t fd, uint32_t file_id, bool cloexec)
{
	int r;

	if (fd < 0 || fd >= TD_STRACE_FD_MAX)
		return 0;
	if ((uint64_t)fd >= f->n) {
		if (!file_id)
			return 0;
		r = grow(f, (size_t)fd + 1);
		if (r < 0)
			return r;
	}
	f->at[fd] = (struct entry){ file_id, cloexec };
	return 0;
}

void td_strace_fds_tell(struct td_strace_fds *f, int64_t fd, uint32_t file_id)
{
	if (fd >= 0 && (uint64_t)fd < f->n)
		f->at[fd].file_id = file_id;
}

void td_strace_fds_set_cloexec(struct td_strace_fds *f, int64_t fd, bool cloexec)
{
	if (fd >= 0 && (uint64_t)fd < f->n)
		f->at[fd].cloexec = cloexec;
}

void td_strace_fds_close(struct td_strace_fds *f, int64_t from, int64_t to)
{
	if (from < 0)
		return;
	for (uint64_t fd = (uint64_t)from; fd < f->n && fd <= (uint64_t)to; fd++)
		f->at[fd] = (struct entry){ 0 };
}

struct td_strace_fds *td_strace_fds_exec(struct td_strace_fds *f)
{
	struct td_strace_fds *own = f;

	if (f->refs > 1) {
		own = td_strace_fds_copy(f);
		td_strace_fds_unref(f);
	}
	for (size_t fd = 0; own && fd < own->n; fd++)
		if (own->at[fd].cloexec)
			own->at[fd] = (struct entry){ 0 };
	return own;
}

int td_strace_fds_merge(struct td_strace_fds *f, const struct td_strace_fds *other)
{
	int r = 0;

	for (size_t fd = 0; fd < other->n && r >= 0; fd++)
		if (other->at[fd].file_id && !td_strace_fds_get(f, (int64_t)fd))
			r = td_strace_fds_set(f, (int64_t)fd, other->at[fd].file_id,
					      other->at[fd].cloexec);
	return r;
}
