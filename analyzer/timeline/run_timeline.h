/* SPDX-License-Identifier: MIT */
/* Loads runs and draws them: what 'timeline' does. */
#pragma once

#include "analyzer/timeline/render.h"

struct td_run_timeline {
	struct td_timeline_request
		request; /* of the first run; what the renderer wants is filled in */
	const char *compare; /* another database, drawn below; NULL: none */
	const char *output; /* NULL or "-": stdout, as a terminal shows it */
};

/* Notes about the data are logged. 0; -EINVAL with a message for what cannot be asked; or another -errno. */
int td_run_timeline(const struct td_run_timeline *run, struct td_err *err);

/* What follows td_timeline_page[0] and tables in the page of the run; its output counts for
 * nothing. *ret: the caller's. As td_run_timeline(); -EINVAL, too, in a program that was built
 * without the page. */
int td_timeline_rest(const struct td_run_timeline *run, char **ret, struct td_err *err);
