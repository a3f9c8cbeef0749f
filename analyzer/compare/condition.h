/* SPDX-License-Identifier: MIT */
/* Conditions on a comparison: 'epoch_s > +5%', 'read_bytes > 2gb', 'gpu_busy_pct < -3%'. */
#pragma once

#include "analyzer/compare/compare.h"

enum td_condition_state {
	TD_CONDITION_NOT, /* it is not so */
	TD_CONDITION_CHANCE, /* it is, but that can be chance */
	TD_CONDITION_MET,
};

/* text: ID OPERATOR VALUE, with blanks or without. ID is that of td_compared_id(); what ends with
 * _ns can end with _us, _ms or _s instead. OPERATOR is one of > >= < <=. A VALUE with a sign or
 * with % is a change from A to B, as td_compared_pct() counts it if with %; else what B has.
 * Numbers are in the unit that ID ends with, or have one: '2gb', '500ms'. Of changes that were
 * tested only those count that are no chance; where there are too few samples for that, all.
 * ret: what is so, in words; a failure is td_strbuf_error()'s. An enum td_condition_state, or
 * -EINVAL with a message: it is no condition, or no line of the comparison is called so, or A or B
 * has no such thing. */
int td_condition_check(const char *text, const struct td_comparison *all, struct td_strbuf *ret,
		       struct td_err *err);
