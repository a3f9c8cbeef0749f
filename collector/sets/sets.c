/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/scan.h"
#include "common/suggest.h"
#include "collector/sets/provider.h"

#define NAME_MAX_LEN 32

#define TD_SET_ENTRY(number, name) [TD_SET_##number] = &td_set_##name,
const struct td_set_provider *const td_sets[TD_NSETS] = { TD_SETS(TD_SET_ENTRY) };

static const char *const all = "all";

static int unknown_set(struct td_str name, struct td_err *err)
{
	char text[NAME_MAX_LEN + 1] = "";
	struct td_suggest near = { .wanted = text };

	memcpy(text, name.p, TD_MIN(name.len, (size_t)NAME_MAX_LEN));
	td_suggest_offer(&near, all);
	for (size_t i = 0; i < TD_NSETS; i++)
		td_suggest_offer(&near, td_sets[i]->name);
	return td_err_set(err, -EINVAL,
			  near.best ? "no event set is called '%s'; did you mean '%s'?"
				    : "no event set is called '%s'",
			  text, near.best);
}

/* One word: a set, 'all', or either with 'no-' before it. */
static int parse_word(struct td_str word, uint32_t *sets, struct td_err *err)
{
	bool no = word.len > 3 && memcmp(word.p, "no-", 3) == 0;
	uint32_t these = 0;

	if (no)
		word = (struct td_str){ word.p + 3, word.len - 3 };
	if (td_str_eq(word, all))
		these = (UINT32_C(1) << TD_NSETS) - 1;
	for (size_t i = 0; i < TD_NSETS; i++)
		if (td_str_eq(word, td_sets[i]->name))
			these = UINT32_C(1) << i;
	if (!these)
		return unknown_set(word, err);
	*sets = no ? *sets & ~these : *sets | these;
	return 0;
}

uint32_t td_sets_default(void)
{
	uint32_t sets = 0;

	for (size_t i = 0; i < TD_NSETS; i++)
		sets |= (uint32_t)td_sets[i]->on_by_default << i;
	return sets;
}

int td_sets_parse(const char *text, uint32_t *ret, struct td_err *err)
{
	/* 'no-x' alone takes away from what is on by default */
	uint32_t sets =
		memcmp(text, "no-", TD_MIN(strlen(text), (size_t)3)) == 0 ? td_sets_default() : 0;
	int r;

	for (;;) {
		const char *end = strchrnul(text, ',');

		r = parse_word((struct td_str){ text, (size_t)(end - text) }, &sets, err);
		if (r < 0)
			return r;
		if (!*end)
			break;
		text = end + 1;
	}
	if (!sets)
		return td_err_set(err, -EINVAL, "no event set is left to record");
	*ret = sets;
	return 0;
}
