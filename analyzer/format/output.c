/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/stat.h>

#include "common/scan.h"
#include "common/stdfds.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/tmpfile.h"
#include "common/unfinished.h"
#include "analyzer/format/formats.h"
#include "analyzer/format/output.h"
#include "schema/db.h"

#define ROWS_SHOWN 20 /* of a table on a terminal */

int td_set_format(void *target, char *value, struct td_err *err)
{
	struct td_output_args *args = target;
	_cleanup_(td_strbuf_done) struct td_strbuf names = TD_STRBUF_INIT;

	args->format = td_format_find(value);
	if (args->format)
		return 0;
	for (size_t i = 0; td_formats[i]; i++)
		td_strbuf_addf(&names, "%s%s", i ? ", " : "", td_formats[i]->name);
	return td_err_set(err, -EINVAL, "unknown format '%s'; there are %s", value,
			  td_strbuf_str(&names));
}

int td_set_timeunit(void *target, char *value, struct td_err *err)
{
	struct td_output_args *args = target;

	for (enum td_timeunit u = TD_TIMEUNIT_NS; u < TD_NTIMEUNITS; u++)
		if (strcmp(td_timeunit_names[u], value) == 0) {
			args->timeunit = u;
			return 0;
		}
	return td_err_set(err, -EINVAL, "unknown unit of time '%s'; there are ns, us, ms and s",
			  value);
}

bool td_output_colour(FILE *f)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(f)) && (!no_color || !*no_color) && term && strcmp(term, "dumb") != 0;
}

/* As setlocale(3) looks for it. */
bool td_output_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (size_t i = 0; i < TD_ARRAY_SIZE(names) && (!value || !*value); i++)
		value = getenv(names[i]);
	return value && (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
}

/* A device or pipe is written to as it is: renaming would put a file in its place. */
static int open_file(struct td_output *out, struct td_err *err)
{
	struct stat st;
	int r;

	r = td_db_spare(out->path, err);
	if (r < 0)
		return r;
	if (stat(out->path, &st) < 0 || S_ISREG(st.st_mode)) {
		out->tmp_path = td_tmpfile_name(out->path);
		if (!out->tmp_path)
			return -ENOMEM;
	}
	out->f = fopen(out->tmp_path ? out->tmp_path : out->path, out->tmp_path ? "wxe" : "we");
	if (out->f) {
		if (out->tmp_path)
			td_unfinished_add(out->tmp_path);
		return 0;
	}
	r = -errno;
	free(TAKE_PTR(out->tmp_path)); /* not ours to remove */
	return td_err_errno(err, r, "cannot write '%s'", out->path);
}

bool td_output_is_page(const struct td_output_args *args)
{
	if (args->format)
		return args->format == &td_format_html;
	return args->path &&
	       td_str_ends((struct td_str){ args->path, strlen(args->path) }, ".html");
}

static const struct td_format *format_of(const struct td_output_args *args)
{
	if (args->format)
		return args->format;
	return td_output_is_page(args) ? &td_format_html : td_formats[0];
}

int td_output_open(const struct td_output_args *args, const struct td_writer_options *options,
		   struct td_output *ret, struct td_err *err)
{
	_cleanup_(td_output_done) struct td_output out = { .f = stdout };
	const struct td_format *format = format_of(args);
	struct td_writer_options o = *options;
	int r = 0;

	if (args->timeunit != TD_TIMEUNIT_AUTO && !format->prose)
		return td_err_set(err, -EINVAL,
				  "--timeunit is for the formats table, md and html; the times of "
				  "%s are in ns",
				  format->name);
	if (args->safe_csv && format != &td_format_csv && format != &td_format_tsv)
		return td_err_set(err, -EINVAL, "--safe-csv is for the formats csv and tsv, not %s",
				  format->name);
	if (args->path && strcmp(args->path, "-") != 0) {
		out.path = args->path;
		out.f = NULL;
		r = open_file(&out, err);
	}
	if (r < 0)
		return r;
	o.timeunit = args->timeunit;
	o.width = args->wide ? 0 : td_terminal_width(out.f);
	o.fits = args->fits && o.width && !args->columns;
	o.max_rows = args->fits && !args->all && isatty(fileno(out.f)) ? ROWS_SHOWN : 0;
	o.colour = td_output_colour(out.f);
	o.columns = args->columns;
	o.frame = args->frame;
	o.utc = args->utc;
	o.terminal = isatty(fileno(out.f));
	o.safe_csv = args->safe_csv;
	r = td_writer_new(format, out.f, &o, &out.w);
	if (r < 0)
		return r;
	*ret = out;
	out = (struct td_output){ 0 };
	return 0;
}

int td_output_open_file(const char *path, struct td_output *ret, struct td_err *err)
{
	_cleanup_(td_output_done) struct td_output out = { .f = stdout };
	int r = 0;

	if (path && strcmp(path, "-") != 0) {
		out.path = path;
		out.f = NULL;
		r = open_file(&out, err);
	}
	if (r < 0)
		return r;
	*ret = out;
	out = (struct td_output){ 0 };
	return 0;
}

int td_output_failed(struct td_output *out, int r, struct td_err *err)
{
	if (out->path)
		return td_err_errno(err, r, "cannot write '%s'", out->path);
	(void)td_flush(out->f);
	clearerr(out->f); /* it is said here, and not once more at the end of the program */
	return td_err_errno(err, r, "cannot write to standard output");
}

int td_output_close(struct td_output *out, struct td_err *err)
{
	int r = out->w ? td_writer_end(out->w) : td_flush(out->f);

	if (r < 0)
		return td_output_failed(out, r, err);
	if (!out->path)
		return 0;
	r = fclose(TAKE_PTR(out->f)) == 0 ? 0 : -errno;
	if (r == 0 && out->tmp_path && rename(out->tmp_path, out->path) < 0)
		r = -errno;
	if (r < 0)
		return td_output_failed(out, r, err);
	td_unfinished_remove(out->tmp_path);
	free(TAKE_PTR(out->tmp_path));
	return 0;
}

void td_output_done(struct td_output *out)
{
	td_writer_free(out->w);
	if (out->f && out->path)
		(void)fclose(out->f);
	if (out->tmp_path)
		(void)unlink(out->tmp_path);
	td_unfinished_remove(out->tmp_path);
	free(out->tmp_path);
	*out = (struct td_output){ 0 };
}
