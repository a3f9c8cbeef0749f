/* SPDX-License-Identifier: MIT */
#include "importers/core/phase_pattern.h"
#include "common/cleanup.h"

static int claim(const char *text)
{
	(void)text;
	return 0; /* no --layout: any text can be an expression */
}

static int read_pattern(const char *text, void **ret, struct td_err *err)
{
	regex_t *re = malloc(sizeof(*re));
	int r = re ? td_line_pattern_compile(re, text, err) : -ENOMEM;

	if (r < 0)
		free(re);
	else
		*ret = re;
	return r;
}

static void free_pattern(void *layout)
{
	regfree(layout);
	free(layout);
}

static const struct td_layout_kind kind = {
	.claim = claim,
	.read = read_pattern,
	.free = free_pattern,
};

int td_import_phase_pattern_add(struct td_import_layouts *l, const char *regex, struct td_err *err)
{
	return td_import_layouts_add_of(l, &kind, regex, err);
}

const regex_t *td_import_phase_pattern_next(const struct td_import_layouts *l, size_t *at)
{
	return td_import_layouts_next(l, &kind, at);
}
