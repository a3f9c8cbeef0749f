/* SPDX-License-Identifier: MIT */
/*
 * What is used of NVTX 3: its headers are compiled into each library that has ranges, which then
 * looks for the library that NVTX_INJECTION64_PATH names and calls its InitializeInjectionNvtx2(),
 * once for each such library. NVTX 2, which was a library, did the same. None of it has changed
 * since; new functions get numbers behind the known ones.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* What the table of tables gives, by number. */
#define TD_NVTX_TABLE_CALLBACKS 1
#define TD_NVTX_TABLE_VERSION 3

typedef const void *td_nvtx_get_table(uint32_t table);

typedef void (*td_nvtx_function)(void); /* of any type */

/* Where functions can be put: places are pointers to the pointers by which the program calls. 1: all is well. */
struct td_nvtx_callbacks {
	size_t size; /* of the struct */
	int (*get_places)(int module, td_nvtx_function ***ret_places, unsigned *ret_count);
};

struct td_nvtx_version {
	size_t size;
	uint32_t version, pad;
	void (*set_version)(uint32_t version); /* of NVTX, which this library was made for */
};

#define TD_NVTX_VERSION 3

enum td_nvtx_module {
	TD_NVTX_CORE = 1,
	TD_NVTX_CORE2 = 5,
};

enum td_nvtx_core {
	TD_NVTX_MARK_EX = 1,
	TD_NVTX_MARK_A,
	TD_NVTX_MARK_W,
	TD_NVTX_RANGE_START_EX,
	TD_NVTX_RANGE_START_A,
	TD_NVTX_RANGE_START_W,
	TD_NVTX_RANGE_END,
	TD_NVTX_RANGE_PUSH_EX,
	TD_NVTX_RANGE_PUSH_A,
	TD_NVTX_RANGE_PUSH_W,
	TD_NVTX_RANGE_POP,
	TD_NVTX_NAME_CATEGORY_A,
	TD_NVTX_NAME_CATEGORY_W,
	TD_NVTX_NAME_THREAD_A,
	TD_NVTX_NAME_THREAD_W,
};

enum td_nvtx_core2 {
	TD_NVTX_DOMAIN_MARK_EX = 1,
	TD_NVTX_DOMAIN_RANGE_START_EX = 2,
	TD_NVTX_DOMAIN_RANGE_END = 3,
	TD_NVTX_DOMAIN_RANGE_PUSH_EX = 4,
	TD_NVTX_DOMAIN_RANGE_POP = 5,
	TD_NVTX_DOMAIN_NAME_CATEGORY_A = 8,
	TD_NVTX_DOMAIN_NAME_CATEGORY_W = 9,
	TD_NVTX_DOMAIN_REGISTER_STRING_A = 10,
	TD_NVTX_DOMAIN_REGISTER_STRING_W = 11,
	TD_NVTX_DOMAIN_CREATE_A = 12,
	TD_NVTX_DOMAIN_CREATE_W = 13,
};

enum td_nvtx_message {
	TD_NVTX_ASCII = 1, /* UTF-8, as a rule */
	TD_NVTX_UNICODE = 2,
	TD_NVTX_REGISTERED = 3,
};

/* The numbers of payload_type are those of enum td_wire_nvtx_payload. */
struct td_nvtx_attributes {
	uint16_t version;
	uint16_t size; /* of the struct that the program has */
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t reserved;
	uint64_t payload; /* its first 4 bytes, where the type has 32 bits */
	int32_t message_type; /* enum td_nvtx_message */
	union {
		const char *ascii;
		const wchar_t *unicode;
		void *registered;
	} message;
};
_Static_assert(offsetof(struct td_nvtx_attributes, payload) == 24, "as nvtxEventAttributes_v2");
_Static_assert(offsetof(struct td_nvtx_attributes, message) == 40, "as nvtxEventAttributes_v2");
_Static_assert(sizeof(struct td_nvtx_attributes) == 48, "as nvtxEventAttributes_v2");
