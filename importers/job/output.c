/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "common/cleanup.h"
#include "importers/job/output.h"
#include "schema/db.h"

/* st: of what is there, which is to be replaced or added to. */
static int check_existing(const struct td_import_job *job, const struct stat *st,
			  struct td_err *err)
{
	const char *path = job->output;

	if (!S_ISREG(st->st_mode))
		return td_err_set(
			err, -EEXIST,
			"'%s' is no regular file, so no database can take its place: name "
			"another with -o",
			path);
	if (job->if_exists == TD_EXISTS_REFUSE)
		return td_err_set(err, -EEXIST,
				  "'%s' exists: --force replaces it, --append adds to it, "
				  "-o names another",
				  path);
	if (job->if_exists == TD_EXISTS_REPLACE && st->st_size > 0 &&
	    td_db_kind_of(path) != TD_DB_OURS)
		return td_err_set(
			err, -EEXIST,
			"'%s' is not a database of tracedb, and --force replaces only those: "
			"remove it yourself, or name another with -o",
			path);
	return 0;
}

/* Whether there is a database in the way does not matter to who asks too early. */
static int check_over(const struct td_import_job *job, struct td_err *err)
{
	size_t n = 0;

	while (n < job->npaths && td_is_recorded_to(job->paths[n]))
		n++;
	if (n == 0 || n < job->npaths)
		return 0;
	return td_err_set(err, -EBUSY, "'%s': " TD_STILL_RECORDING, job->paths[0]);
}

int td_output_find(const struct td_import_job *job, char **ret, struct td_err *err)
{
	const char *path = job->output;
	struct stat st;
	char *found;
	int r = check_over(job, err);

	if (r < 0)
		return r;
	if (stat(path, &st) == 0) {
		r = check_existing(job, &st, err);
		found = r < 0 ? NULL : realpath(path, NULL);
	} else if (lstat(path, &st) == 0) {
		return td_err_set(err, -EEXIST, "'%s' is a link to nothing: name another with -o",
				  path);
	} else {
		r = errno == ENOENT ? 0 : td_err_errno(err, -errno, "cannot write '%s'", path);
		found = r < 0 ? NULL : strdup(path);
	}
	if (!found)
		return r < 0 ? r : td_err_errno(err, -errno, "cannot write '%s'", path);
	*ret = found;
	return 0;
}

int td_output_check_inputs(const char *output, const struct td_input *inputs, size_t n,
			   struct td_err *err)
{
	struct stat out, in;

	if (stat(output, &out) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		bool is_stdin = strcmp(inputs[i].path, "-") == 0;
		int r = is_stdin ? fstat(STDIN_FILENO, &in) : stat(inputs[i].path, &in);

		if (r == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return td_err_set(err, -EINVAL,
					  "'%s' is to be read and to be written: name another file "
					  "with -o",
					  is_stdin ? inputs[i].name : inputs[i].path);
	}
	return 0;
}
