/* SPDX-License-Identifier: MIT */
#include "collector/check.h"
#include "collector/probes/probes.h"

#define FOUND_SIZE 384

/* With what must be known of it. */
static const char *found_as(const char *way, const struct td_set_provider *set,
			    char found[FOUND_SIZE])
{
	(void)snprintf(found, FOUND_SIZE, "%s%s%s", way, set->caveat ? "; " : "",
		       set->caveat ? set->caveat : "");
	return found;
}

/* How a part of a set is hooked, or why it cannot be. */
static void add_status(struct td_strbuf *rows, const struct td_set_status *s)
{
	static const char *const ways[TD_NWAYS] = {
		[TD_WAY_TP_BTF] = "typed tracepoints",
		[TD_WAY_FENTRY] = "functions (fentry)",
		[TD_WAY_KPROBE] = "functions (kprobe)",
		[TD_WAY_TRACEPOINT] = "tracepoints",
		[TD_WAY_UPROBE] = "functions of libraries (uprobe)",
	};
	const struct td_set_provider *set = td_sets[s->set];
	char what[64], way[128], found[FOUND_SIZE];

	(void)snprintf(what, sizeof(what), "events: %s", set->name);
	switch (s->state) {
	case TD_SET_OFF:
		return;
	case TD_SET_WORKS:
		td_check_add(rows, what, TD_CHECK_OK, found_as(ways[s->way], set, found), "");
		return;
	case TD_SET_FALLBACK:
		(void)snprintf(way, sizeof(way), "falls back to %s", ways[s->way]);
		(void)found_as(way, set, found);
		td_check_add(rows, what, TD_CHECK_LIMITED, found, s->why);
		return;
	case TD_SET_IMPOSSIBLE:
		td_check_add(rows, what, set->on_by_default ? TD_CHECK_MISSING : TD_CHECK_ABSENT,
			     "not possible here", s->why);
		return;
	}
}

int td_check_sets(struct td_strbuf *rows)
{
	_cleanup_(td_probes_closep) struct td_probes *p = NULL;
	const struct td_probes_options options = { .sets = (UINT32_C(1) << TD_NSETS) - 1 };
	const struct td_set_status *status;
	struct td_err err = { 0 };
	size_t n;
	int r = td_probes_open(&options, &p, &err);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		td_check_add(rows, "events", TD_CHECK_MISSING, "not possible here",
			     err.msg[0] ? err.msg : strerror(-r));
		return td_strbuf_error(rows);
	}
	status = td_probes_status(p, &n);
	for (size_t i = 0; i < n; i++)
		add_status(rows, &status[i]);
	return td_strbuf_error(rows);
}
