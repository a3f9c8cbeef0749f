/* SPDX-License-Identifier: MIT */
/* Where the database goes: what may be replaced there, and what must not. */
#pragma once

#include "importers/job/read.h"

/* Where job->output leads, through links, to be freed. -EEXIST: there is something that the job does not
 * replace; nobody's file but a database of ours (or an empty one) is ever replaced. -EBUSY: all that is to be
 * imported is still being recorded. Or another -errno. */
int td_output_find(const struct td_import_job *job, char **ret, struct td_err *err);

/* -EINVAL: one of the inputs is the output, under whatever name. */
int td_output_check_inputs(const char *output, const struct td_input *inputs, size_t n,
			   struct td_err *err);
