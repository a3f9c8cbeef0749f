/* SPDX-License-Identifier: MIT */
/* TD_SANITIZED: whether AddressSanitizer watches what is compiled, 0 or 1. */
#pragma once

#ifdef __has_feature /* clang's */
#define TD_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__) /* gcc's */
#define TD_SANITIZED 1
#else
#define TD_SANITIZED 0
#endif
