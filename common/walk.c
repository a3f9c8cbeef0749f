/* SPDX-License-Identifier: MIT */
#include <dirent.h>

#include "common/cleanup.h"
#include "common/walk.h"

struct walk {
	const struct td_walk_fn *fn;
	void *ctx;
};

/* A directory being walked; symlinks make a loop when they lead to one of these. */
struct level {
	const struct level *up; /* NULL: the path the walk began with */
	unsigned depth;
	dev_t dev;
	ino_t ino;
};

struct names {
	struct dirent **v;
	int n;
};

static void names_done(struct names *names)
{
	for (int i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
}

static int not_hidden(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static const char *kind_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFIFO:
		return "fifo";
	case S_IFSOCK:
		return "socket";
	default:
		return "device";
	}
}

static bool is_loop(const struct level *level, const struct stat *st)
{
	for (; level; level = level->up)
		if (level->dev == st->st_dev && level->ino == st->st_ino)
			return true;
	return false;
}

/* The reason why a directory entry is passed over, or 0. */
static int judge(const char *path, const struct stat *st, const struct level *up,
		 struct td_err *err)
{
	if (S_ISREG(st->st_mode))
		return 0;
	if (!S_ISDIR(st->st_mode))
		return td_err_set(err, -EINVAL, "'%s' is a %s, not a regular file", path,
				  kind_name(st->st_mode));
	if (is_loop(up, st))
		return td_err_set(err, -ELOOP, "'%s' leads back to a directory above it", path);
	if (up->depth == TD_WALK_DEPTH_MAX)
		return td_err_set(err, -ENAMETOOLONG, "'%s' is more than %d directories deep", path,
				  TD_WALK_DEPTH_MAX);
	return 0;
}

static int visit(const struct walk *w, const char *path, const struct level *up);

static int visit_names(const struct walk *w, const char *path, const struct names *names,
		       const struct level *level)
{
	const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
	int r = 0;

	for (int i = 0; i < names->n && r == 0; i++) {
		_cleanup_free_ char *child = NULL;

		if (asprintf(&child, "%s%s%s", path, slash, names->v[i]->d_name) < 0) {
			child = NULL;
			return -ENOMEM;
		}
		r = visit(w, child, level);
	}
	return r;
}

static int read_names(const char *path, struct names *ret, struct td_err *err)
{
	/* not alphasort(), which obeys the locale and has name.1000 before name.999: who comes first may tell of the other */
	int n = scandir(path, &ret->v, not_hidden, versionsort);

	if (n < 0)
		return td_err_errno(err, -errno, "cannot read directory '%s'", path);
	ret->n = n;
	return 0;
}

static int visit(const struct walk *w, const char *path, const struct level *up)
{
	_cleanup_(names_done) struct names names = { NULL };
	struct td_err err = { "" };
	struct level level;
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		r = td_err_errno(&err, -errno, "cannot read '%s'", path);
	else
		r = judge(path, &st, up, &err);
	if (r == 0 && S_ISREG(st.st_mode))
		return w->fn->file(w->ctx, path, &st);
	if (r == 0)
		r = read_names(path, &names, &err);
	if (r < 0)
		return r == -ENOMEM ? r : w->fn->problem(w->ctx, path, r, err.msg);
	level = (struct level){ up, up->depth + 1, st.st_dev, st.st_ino };
	return visit_names(w, path, &names, &level);
}

int td_walk(const char *path, const struct td_walk_fn *fn, void *ctx, struct td_err *err)
{
	_cleanup_(names_done) struct names names = { NULL };
	struct walk w = { fn, ctx };
	struct level level = { NULL };
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return td_err_errno(err, -errno, "cannot read '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return fn->file(ctx, path, &st);
	r = read_names(path, &names, err);
	if (r < 0)
		return r;
	level.dev = st.st_dev;
	level.ino = st.st_ino;
	return visit_names(&w, path, &names, &level);
}
