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
