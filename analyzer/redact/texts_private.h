/* SPDX-License-Identifier: MIT */
/* What kinds of text share. */
#pragma once

#include "analyzer/redact/names.h"

/* Nothing but letters of ASCII, digits, '_' and the other characters. */
bool td_text_is_made_of(struct td_str text, const char *others);

/* Digits, or hexadecimal ones behind 0x. */
bool td_text_is_number(struct td_str word);

/* words: NULL-ended. */
bool td_text_is_in(struct td_str text, const char *const *words);
bool td_text_begins_with_any(struct td_str text, const char *const *words);

/* Cuts the text in front of the first of the characters off; what is left begins with that, or is empty. */
struct td_str td_text_until(struct td_str *text, const char *ends);

/* These add to ret what becomes of a text. kind: as of td_name_word(). */
void td_text_keep(struct td_str text, struct td_strbuf *ret);
void td_text_keep_or_name(struct td_names *n, char kind, bool stays, struct td_str text,
			  struct td_strbuf *ret);
void td_text_name_path(struct td_names *n, struct td_str text, struct td_strbuf *ret);
void td_text_name_command(struct td_names *n, struct td_str text, struct td_strbuf *ret);
void td_text_name_args(struct td_names *n, struct td_str text, struct td_strbuf *ret);
