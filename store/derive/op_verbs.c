/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "schema/ops.h"
#include "store/derive/op_verbs.h"

int td_op_verbs_load(const struct td_contents *in, struct td_op_verbs *ret)
{
	ret->ops = calloc(in->nops + 1, sizeof(*ret->ops));
	ret->names = calloc(in->nops + 1, sizeof(*ret->names));
	ret->n = 0;
	if (!ret->ops || !ret->names)
		return -ENOMEM;
	for (size_t op = 0; op < in->nops; op++) {
		const struct td_op_info *info = in->ops[op].info;
		size_t v = 0;

		while (v < ret->n && strcmp(ret->names[v], info->verb) != 0)
			v++;
		ret->names[v] = info->verb;
		ret->n = TD_MAX(ret->n, v + 1);
		ret->ops[op + 1] = (struct td_op_verb){ (uint8_t)v, strcmp(info->kind, "io") == 0 };
	}
	return 0;
}

void td_op_verbs_done(struct td_op_verbs *v)
{
	free(v->ops);
	free(v->names);
}
