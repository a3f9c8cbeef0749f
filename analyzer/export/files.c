/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/export/files.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/scan.h"
#include "common/stdfds.h"
#include "common/tmpfile.h"
#include "common/unfinished.h"
#include "common/zstd_file.h"
#include "schema/db.h"

static bool is_cut(int written, size_t size)
{
	return written < 0 || (size_t)written >= size;
}

/* The file's own name, and a hidden one in the same folder. */
static int set_names(struct td_export_output *o, const char *path)
{
	_cleanup_free_ char *tmp = td_tmpfile_name(path);

	if (!tmp)
		return -ENOMEM;
	if (is_cut(snprintf(o->path, sizeof(o->path), "%s", path), sizeof(o->path)) ||
	    is_cut(snprintf(o->tmp, sizeof(o->tmp), "%s", tmp), sizeof(o->tmp)))
		return -ENAMETOOLONG;
	return 0;
}

static int open_stdout(struct td_export_files *files, FILE **ret)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	/* one that was closed has been taken for reading (td_stdfds_take()) */
	bool is_closed = fd >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
	FILE *f = fd < 0 || is_closed ? NULL : fdopen(fd, "w");

	if (!f) {
		int r = is_closed ? -EBADF : -errno;

		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	files->outputs[files->n++].is_stdout = true;
	*ret = f;
	return 0;
}

/* f is the stream's on success, and closed on failure. */
static int pack_by_suffix(const char *path, FILE *f, FILE **ret)
{
	_cleanup_fclose_ FILE *to = f;

	if (td_str_ends((struct td_str){ path, strlen(path) }, ".zst"))
		return td_zstd_file(&to, ret);
	*ret = TAKE_PTR(to);
	return 0;
}

int td_export_open(struct td_export_files *files, const char *path, FILE **ret, struct td_err *err)
{
	struct td_export_output *o;
	FILE *f;
	int r = td_grow(&files->outputs, &files->cap, files->n);

	if (r < 0)
		return r;
	o = &files->outputs[files->n];
	o->is_made = o->is_stdout = false;
	r = set_names(o, path);
	if (r == 0 && strcmp(path, "-") == 0) {
		r = open_stdout(files, ret);
		return r < 0 ? td_err_errno(err, r, "cannot write to standard output") : 0;
	}
	if (r < 0)
		return td_err_errno(err, r, "cannot write '%s'", path);
	if (!files->force && access(path, F_OK) == 0)
		return td_err_set(err, -EEXIST, "'%s' exists; --force replaces it", path);
	r = td_db_spare(path, err);
	if (r < 0)
		return r;
	f = fopen(o->tmp, "wxe");
	if (!f)
		return td_err_errno(err, -errno, "cannot write '%s'", path);
	td_unfinished_add(o->tmp);
	o->is_made = true;
	files->n++;
	return pack_by_suffix(path, f, ret);
}

static int failed(const struct td_export_files *files, int r, struct td_err *err)
{
	const struct td_export_output *o = &files->outputs[files->n - 1];

	if (o->is_stdout)
		return td_err_errno(err, r, "cannot write to standard output");
	return td_err_errno(err, r, "cannot write '%s'", o->path);
}

int td_export_close(const struct td_export_files *files, FILE *f, struct td_err *err)
{
	int r = td_flush(f);

	if (fclose(f) != 0 && r == 0)
		r = -errno;
	return r < 0 ? failed(files, r, err) : 0;
}

int td_export_end(const struct td_export_files *files, FILE **f, int r, struct td_err *err)
{
	if (r == 0)
		return td_export_close(files, TAKE_PTR(*f), err);
	return *f && ferror(*f) && !err->msg[0] ? failed(files, r, err) : r;
}

int td_export_name(struct td_export_files *files, struct td_err *err)
{
	for (size_t i = 0; i < files->n; i++) {
		struct td_export_output *o = &files->outputs[i];

		if (o->is_stdout)
			continue;
		if (rename(o->tmp, o->path) < 0)
			return td_err_errno(err, -errno, "cannot write '%s'", o->path);
		td_unfinished_remove(o->tmp);
		o->is_made = false;
	}
	return 0;
}

void td_export_files_done(struct td_export_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		if (!files->outputs[i].is_made)
			continue;
		(void)unlink(files->outputs[i].tmp);
		td_unfinished_remove(files->outputs[i].tmp);
	}
	free(files->outputs);
	*files = (struct td_export_files){ .force = files->force };
}
