/* SPDX-License-Identifier: MIT */
/* tracedb-record looks, this shows: its lines are WHAT <tab> STATE <tab> FOUND <tab> REMEDY. */
#include <limits.h>
#include <spawn.h>
#include <sys/wait.h>

#include "cli/cli.h"
#include "analyzer/format/output.h"
#include "collector/record_program.h"
#include "common/array.h"
#include "common/scan.h"
#include "common/strbuf.h"

enum { WHAT, STATE, FOUND, REMEDY, NCELLS };

struct row {
	char *line; /* owned; the cells point into it */
	struct td_str cells[NCELLS];
};

struct rows {
	struct row *items;
	size_t n, cap;
};

static void rows_done(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->items[i].line);
	free(rows->items);
}

/* Takes the line, whatever happens. */
static int add_row(struct rows *rows, char *line)
{
	_cleanup_free_ char *owned = line;
	struct row row = { .line = line };
	int r = td_grow(&rows->items, &rows->cap, rows->n);

	if (r < 0)
		return r;
	for (int i = 0; i < NCELLS; i++) {
		size_t len = strcspn(line, "\t\n");

		row.cells[i] = (struct td_str){ line, len };
		line += line[len] ? len + 1 : len;
	}
	rows->items[rows->n++] = row;
	owned = NULL;
	return 0;
}

static int read_rows(FILE *in, struct rows *rows)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int r = 0;

	while (r == 0 && getline(&line, &size, in) > 0) {
		r = add_row(rows, TAKE_PTR(line));
		size = 0;
	}
	return r;
}

/* Starts it with its output in a pipe. */
static int start(char *const argv[], pid_t *ret_pid, FILE **ret_out, struct td_err *err)
{
	posix_spawn_file_actions_t actions;
	int fds[2], e;

	if (pipe(fds) < 0)
		return td_err_errno(err, -errno, "cannot make a pipe");
	e = posix_spawn_file_actions_init(&actions);
	if (e == 0) {
		(void)posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
		(void)posix_spawn_file_actions_addclose(&actions, fds[0]);
		(void)posix_spawn_file_actions_addclose(&actions, fds[1]);
		e = posix_spawn(ret_pid, argv[0], &actions, NULL, argv, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	close(fds[1]);
	if (e == 0)
		*ret_out = fdopen(fds[0], "r");
	if (e || !*ret_out)
		close(fds[0]);
	return e ? td_err_errno(err, -e, "cannot execute '%s'", argv[0]) : *ret_out ? 0 : -ENOMEM;
}

static int ask(char *const argv[], struct rows *rows, struct td_err *err)
{
	_cleanup_fclose_ FILE *out = NULL;
	pid_t pid = 0;
	int status = 0, r = start(argv, &pid, &out, err);

	if (r == 0)
		r = read_rows(out, rows);
	if (pid > 0 && waitpid(pid, &status, 0) < 0)
		return -errno;
	if (r == 0 && (status || !rows->n))
		return td_err_set(err, -EIO, "'%s' failed (%s %d)", argv[0],
				  WIFSIGNALED(status) ? "signal" : "exit status",
				  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return r;
}

/* Without the collector there is one thing to say. */
static int collect(char *dir, struct rows *rows, struct td_err *err)
{
	char program[PATH_MAX];
	struct td_err why = { 0 };
	char *line = NULL;

	if (td_record_program(program, sizeof(program), &why) == 0)
		return ask((char *const[]){ program, (char[]){ "--check" }, dir, NULL }, rows, err);
	if (asprintf(&line, "collector\tmissing\tnot there\t%s", why.msg) < 0)
		return -ENOMEM;
	return add_row(rows, line);
}

/* --- showing it --- */

static bool is_missing(const struct row *row)
{
	return td_str_eq(row->cells[STATE], "missing");
}

static int write_rows(const struct td_output *out, const struct rows *rows, bool prose)
{
	static const struct td_report_column columns[NCELLS] = {
		[WHAT] = { "what", "", TD_UNIT_TEXT },
		[STATE] = { "state", "", TD_UNIT_TEXT },
		[FOUND] = { "found", "", TD_UNIT_TEXT },
		[REMEDY] = { "todo", "", TD_UNIT_TEXT },
	};
	/* for people what there is to do stands below, since it does not fit beside */
	struct td_table_head head = { .columns = columns, .ncolumns = prose ? REMEDY : NCELLS };
	int r = td_writer_table(out->w, &head);

	for (size_t i = 0; r == 0 && i < rows->n; i++) {
		struct td_cell values[NCELLS];

		for (int c = 0; c < NCELLS; c++)
			values[c] = (struct td_cell){
				.type = rows->items[i].cells[c].len ? TD_VALUE_TEXT : TD_VALUE_NULL,
				.text = rows->items[i].cells[c],
			};
		r = td_writer_row(out->w, values);
	}
	return r == 0 ? td_writer_table_end(out->w) : r;
}

static int write_advice(const struct td_output *out, const struct rows *rows)
{
	_cleanup_(td_strbuf_done) struct td_strbuf text = TD_STRBUF_INIT;

	for (size_t i = 0; i < rows->n; i++) {
		const struct td_str *c = rows->items[i].cells;

		if (c[REMEDY].len)
			td_strbuf_addf(&text, "%.*s: %.*s\n", (int)c[WHAT].len, c[WHAT].p,
				       (int)c[REMEDY].len, c[REMEDY].p);
	}
	if (td_strbuf_error(&text) < 0)
		return -ENOMEM;
	return text.len ? td_writer_note(out->w, text.p) : 0;
}

static int show(const struct td_output_args *args, const struct rows *rows, struct td_err *err)
{
	_cleanup_(td_output_done) struct td_output out = { 0 };
	struct td_writer_options shape = { 0 };
	int r = td_output_open(args, &shape, &out, err);

	if (r == 0)
		r = write_rows(&out, rows, out.w->format->prose);
	if (r == 0)
		r = write_advice(&out, rows);
	return r == 0 ? td_output_close(&out, err) : r;
}

static int run(const struct td_command *self, int argc, char **argv)
{
	_cleanup_(rows_done) struct rows rows = { 0 };
	struct td_output_args output = { 0 };
	bool help = false, missing = false;
	const struct td_option options[] = {
		TD_OPTIONS_OUTPUT(&output),
		TD_OPTION_HELP(&help),
		{ 0 },
	};
	struct td_err err = { 0 };
	int first = 0, r = td_options_parse(options, argc, argv, &first, &err);

	if (r == 0 && help) {
		td_options_help(self, options, stdout);
		return TD_EXIT_OK;
	}
	if (r == 0 && argc - first > 1)
		r = td_err_set(&err, -EINVAL, "more than one folder");
	if (r < 0)
		return td_usage_error(self, &err);
	r = collect(first < argc ? argv[first] : NULL, &rows, &err);
	if (r == 0)
		r = show(&output, &rows, &err);
	if (r < 0)
		return td_log_err(TD_EXIT_INPUT, &err);
	for (size_t i = 0; i < rows.n; i++)
		missing |= is_missing(&rows.items[i]);
	return missing ? TD_EXIT_FINDING : TD_EXIT_OK;
}

const struct td_command td_cmd_check = {
	.name = "check",
	.args = "[FOLDER]",
	.help = "tell what this machine can record, and what to do about what it cannot",
	.run = run,
};
