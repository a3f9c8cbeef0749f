/* SPDX-License-Identifier: MIT */
/* libgcrypt, which is loaded when names are to be hashed. */
#pragma once

#include <gcrypt.h>
#include <stdbool.h>

#ifdef TD_LIBRARIES_LINKED
static inline bool td_libgcrypt_load(void)
{
	return true;
}
#else
/* Before any other function of it is called. */
bool td_libgcrypt_load(void);
#endif
