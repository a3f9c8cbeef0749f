/* SPDX-License-Identifier: MIT */
#pragma once

#include "analyzer/parquet/chunk_private.h"

struct td_parquet_group {
	struct td_chunk *chunks; /* [n], owned */
	size_t n;
	struct td_scratch scratch;
};
