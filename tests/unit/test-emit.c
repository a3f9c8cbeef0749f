/* SPDX-License-Identifier: MIT */
#include "common/scan.h"
#include "tests/unit/wire.h"

/* Texts of every length up to beyond what has room: td_wire_sink() checks sizes, this the padding. */
struct padding {
	unsigned records;
	size_t longest;
};

static int check_padding(void *arg, const void *record, size_t size)
{
	const struct td_wire_note *n = record;
	size_t text = offsetof(struct td_wire_note, text) + n->kind_len + n->text_len;
	struct padding *p = arg;

	TD_CHECK(n->head.size == size && size % 8 == 0 && text <= size && size - text < 8);
	for (size_t i = text; i < size; i++)
		TD_CHECK(((const char *)record)[i] == 0);
	p->records++;
	p->longest = TD_MAX(p->longest, n->text_len);
	return 0;
}

static int fails(void *arg, const void *record, size_t size)
{
	(void)arg;
	(void)record;
	(void)size;
	return -ENOSPC;
}

int main(void)
{
	struct padding padding = { 0 };
	struct td_emit e = { .sink = check_padding, .arg = &padding };
	struct td_wire_lines w = { 0 };
	char word[1200], name[300];
	uint32_t track = 77;

	TD_CASE("notes of any length");
	memset(word, 'x', sizeof(word));
	for (int len = 0; len < (int)sizeof(word); len++)
		TD_CHECK_INT(td_emit_note(&e, "a-kind", "%.*s", len, word), 0);
	TD_CHECK_INT(padding.records, sizeof(word));
	TD_CHECK_INT(padding.longest, 1016); /* 1024 less what may be needed to fill up to 8 */

	TD_CASE("a name longer than its length can say");
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	e = (struct td_emit){ .sink = td_wire_sink, .arg = &w };
	TD_CHECK_INT(td_emit_track(&e,
				   &(struct td_emit_track){ .name = name, .unit = "W", .pid = 7 },
				   &track),
		     0);
	TD_CHECK_INT(track, 1);
	TD_CHECK_INT(strspn(td_strbuf_str(&w.text) + strlen("track 1 "), "n"), 255);
	TD_CHECK(td_str_ends((struct td_str){ w.text.p, w.text.len },
			     "n (W) kind 0 number 0 '' pid 7\n"));

	TD_CASE("the sink's error is the result, and the number is not used up");
	e.sink = fails;
	TD_CHECK_INT(td_emit_track(&e, &(struct td_emit_track){ .name = "a", .unit = "" }, &track),
		     -ENOSPC);
	TD_CHECK_INT(e.ntracks, 1);
	TD_CHECK_INT(td_emit_sample(&e, 1, 2, 1, 0.5), -ENOSPC);
	TD_CHECK_INT(td_emit_note(&e, "a", "b"), -ENOSPC);
	td_strbuf_done(&w.text);
	return td_check_result();
}
