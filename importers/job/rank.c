/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "common/job_rank.h"
#include "importers/job/rank.h"

static void set(struct td_source *s, int32_t rank, const char *basis)
{
	s->rank = rank;
	s->rank_basis = basis;
}

void td_rank_of_source(struct td_source *s, const char *path,
		       const struct td_import_options *options)
{
	int32_t rank;

	if (!s->importer)
		return;
	if (options->rank_given)
		set(s, options->rank, "given");
	if (s->rank != TD_NULL)
		return;
	rank = td_rank_of_path(path);
	if (rank >= 0) {
		set(s, rank, "name");
		return;
	}
	rank = td_rank_of_environment(environ);
	if (rank >= 0)
		set(s, rank, "environment");
}
