/* SPDX-License-Identifier: MIT */
/* For tests: records of schema/wire.h made by hand, one behind the other. */
#pragma once

#include "common/cleanup.h"
#include "common/strbuf.h"
#include "schema/wire.h"

/* Adds the record with its text (NULL: none) behind it, padded; sets head.size and head.kind. */
static inline void td_wire_add(struct td_strbuf *b, enum td_wire_kind kind, void *record,
			       size_t size, const char *text)
{
	static const char zeros[8];
	size_t len = text ? strlen(text) : 0, all = (size + len + 7) / 8 * 8;
	struct td_wire_head *head = record;

	head->kind = (uint8_t)kind;
	head->size = (uint16_t)all;
	td_strbuf_add(b, record, size);
	td_strbuf_add(b, text, len);
	td_strbuf_add(b, zeros, all - size - len);
}

/* A call of 1 us at start_ns. */
static inline void td_wire_add_call(struct td_strbuf *b, uint32_t tid, uint64_t start_ns,
				    uint16_t op, uint32_t file)
{
	struct td_wire_call c = { .head = { .tid = tid },
				  .start_ns = start_ns,
				  .dur_ns = 1000,
				  .pid = tid,
				  .file = file,
				  .fd = 3,
				  .op = op };

	td_wire_add(b, TD_WIRE_CALL, &c, sizeof(c), NULL);
}

static inline void td_wire_add_file(struct td_strbuf *b, uint32_t id, const char *path)
{
	struct td_wire_file f = { .file = id, .mode = 0100644, .path_len = (uint16_t)strlen(path) };

	td_wire_add(b, TD_WIRE_FILE, &f, offsetof(struct td_wire_file, path), path);
}
