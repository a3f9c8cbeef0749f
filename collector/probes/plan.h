/* SPDX-License-Identifier: MIT */
/*
 * Which BPF programs are loaded for the sets that are asked for: those of one way of each hook, and
 * where a way turns out not to work here, those of the next one. Knows nothing of libbpf.
 */
#pragma once

#include "collector/probes/probes.h"

/* Beside those of the sets there are two that all need. */
#define TD_PLAN_HOOKS_MAX (TD_NSETS * TD_SET_HOOKS_MAX + 2)

struct td_plan {
	uint32_t sets; /* that are asked for */
	uint32_t without; /* bits of enum td_way that are not to be tried */
	struct td_planned_hook {
		const struct td_hook *hook;
		unsigned way; /* index of the one to use; TD_WAYS_MAX: none is left */
		char why[120]; /* why not those before it; "": it is the first */
	} hooks[TD_PLAN_HOOKS_MAX];
	size_t nhooks;
};

void td_plan_make(struct td_plan *p, uint32_t sets, uint32_t without);

/* Programs of the way to use, and the one for the end; NULL beyond the last one. */
const char *td_plan_program(const struct td_planned_hook *h, size_t i);

/* Whose program that is, or NULL. */
struct td_planned_hook *td_plan_find(struct td_plan *p, const char *program);

/* The way does not go, for this errno. */
void td_plan_failed(struct td_plan *p, struct td_planned_hook *h, int error);

/* Will a set get all that it needs? */
bool td_plan_has(const struct td_plan *p, enum td_set set);

/* What becomes of each set that is asked for, in the order of their numbers; the number of them. */
size_t td_plan_status(const struct td_plan *p, struct td_set_status ret[TD_NSETS]);
