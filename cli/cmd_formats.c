/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "analyzer/format/output.h"
#include "importers/core/import.h"

static int write_table(const struct td_output_args *args, struct td_err *err)
{
	static const struct td_report_column columns[] = {
		{ "name", "", TD_UNIT_TEXT },
		{ "description", "", TD_UNIT_TEXT },
	};
	struct td_table_head head = { .columns = columns, .ncolumns = TD_ARRAY_SIZE(columns) };
	struct td_writer_options shape = { 0 };
	_cleanup_(td_output_done) struct td_output out = { 0 };
	int r = td_output_open(args, &shape, &out, err);

	if (r == 0)
		r = td_writer_table(out.w, &head);
	for (size_t i = 0; td_importers[i] && r == 0; i++) {
		const struct td_importer *imp = td_importers[i];

		r = td_writer_row(
			out.w,
			(struct td_cell[]){
				{ .type = TD_VALUE_TEXT, .text = { imp->name, strlen(imp->name) } },
				{ .type = TD_VALUE_TEXT, .text = { imp->desc, strlen(imp->desc) } },
			});
	}
	if (r == 0)
		r = td_writer_table_end(out.w);
	return r == 0 ? td_output_close(&out, err) : r;
}

static int run(const struct td_command *self, int argc, char **argv)
{
	struct td_output_args output = { 0 };
	bool help = false;
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
	if (r == 0 && first < argc)
		r = td_err_set(&err, -EINVAL, "there is nothing that '%s' could mean here",
			       argv[first]);
	if (r == 0)
		r = write_table(&output, &err);
	if (r == 0 || r == -EINVAL)
		return r < 0 ? td_usage_error(self, &err) : TD_EXIT_OK;
	td_log_err(r, &err);
	return TD_EXIT_INPUT;
}

const struct td_command td_cmd_formats = {
	.name = "formats",
	.args = "",
	.help = "list the formats that can be imported",
	.run = run,
};
