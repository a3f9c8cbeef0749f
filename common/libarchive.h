/* SPDX-License-Identifier: MIT */
/* libarchive, which is opened when the first archive, or the first xz, bzip2 or lz4, is met (library.h). */
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>

#ifdef TD_LIBRARIES_LINKED
static inline bool td_libarchive_load(void)
{
	return true;
}
#else
/* Before any other function of it is called. false: TD_UNPACK_LACKS (common/unpack.h). */
bool td_libarchive_load(void);
#endif
