/* SPDX-License-Identifier: MIT */
/* Pages that calls bring into the page cache (collector/bpf/pagecache.bpf.c): a number in the
 * records of the calls, which say that it was counted. */
#include "collector/sets/provider.h"

static const struct td_hook page_cache = {
	.name = "page cache",
	.ways = { { TD_WAY_TP_BTF, { "cache_btf" } } },
};

const struct td_set_provider td_set_pagecache = {
	.name = "pagecache",
	.help = "pages read into the page cache, per call",
	.hooks = { &page_cache },
	.constant = { "call_flags", TD_WIRE_CALL_HAS_COLD },
};
