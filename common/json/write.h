/* SPDX-License-Identifier: MIT */
/*
 * JSON that is printed: the one place that knows how, whoever prints it. What comes out is strict (RFC 8259) and
 * valid UTF-8, whatever went in. A buffer that cannot grow remembers it: td_strbuf_error().
 */
#pragma once

#include "common/scan.h"
#include "common/strbuf.h"

/* Adds any text as a string. Bytes that are no UTF-8 become U+FFFD each. */
void td_json_add_string(struct td_strbuf *b, struct td_str text);

/* Adds the key of an object's next member and its colon; and the comma before it, if this is not the first one. */
void td_json_add_key(struct td_strbuf *b, const char *key);

/* Adds a value that is JSON already (common/json/text.h) without the blanks in it, its numbers as they are; NaN and
 * the like, which only some programs know, become null. */
void td_json_add(struct td_strbuf *b, struct td_str value);
