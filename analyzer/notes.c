/* SPDX-License-Identifier: MIT */
#include "analyzer/notes.h"
#include "common/cleanup.h"
#include "common/log.h"

/* Where the things begin that a line lists with commas between them: "events lost: 3 in a.out, 4 in
 * b.out"; its end: nowhere. */
static const char *list_of(struct td_str line)
{
	for (const char *p = line.p + line.len; p > line.p + 1; p--)
		if (p[-2] == ':' && p[-1] == ' ')
			return p;
	return line.p + line.len;
}

/* The things of a list one after the other: takes the first one off. */
static struct td_str first_of(struct td_str *list)
{
	const char *comma = memmem(list->p, list->len, ", ", 2);
	struct td_str first = { list->p, comma ? (size_t)(comma - list->p) : list->len };
	size_t taken = first.len + (comma ? 2 : 0);

	*list = (struct td_str){ list->p + taken, list->len - taken };
	return first;
}

static bool lists(struct td_str list, struct td_str thing)
{
	while (list.len > 0) {
		struct td_str one = first_of(&list);

		if (one.len == thing.len && memcmp(one.p, thing.p, one.len) == 0)
			return true;
	}
	return false;
}

/* Is all that the line lists also in the list of the other one, of the same head? */
static bool is_within(struct td_str line, struct td_str other)
{
	size_t head = (size_t)(list_of(line) - line.p);
	struct td_str list = { line.p + head, line.len - head };
	struct td_str others = { other.p + head, other.len - head };

	if (head != (size_t)(list_of(other) - other.p) || memcmp(line.p, other.p, head) != 0)
		return false;
	while (list.len > 0)
		if (!lists(others, first_of(&list)))
			return false;
	return true;
}

/* What of the notes that are there is kept beside the line; false: one of them says all of it. */
static bool make_room(const struct td_strbuf *notes, struct td_str line, struct td_strbuf *kept)
{
	const char *end;

	for (const char *p = td_strbuf_str(notes); (end = strchr(p, '\n')); p = end + 1) {
		struct td_str have = { p, (size_t)(end - p) };

		if (is_within(line, have))
			return false;
		if (!is_within(have, line))
			td_strbuf_add(kept, p, have.len + 1);
	}
	return true;
}

void td_notes_add(struct td_strbuf *notes, const char *text)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		_cleanup_(td_strbuf_done) struct td_strbuf kept = TD_STRBUF_INIT;
		struct td_str line = { text, (size_t)(end - text) };

		if (!make_room(notes, line, &kept))
			continue;
		td_strbuf_add(&kept, text, line.len + 1);
		notes->failed |= kept.failed;
		td_strbuf_done(notes);
		*notes = kept;
		kept = (struct td_strbuf)TD_STRBUF_INIT;
	}
}

int td_notes_put(struct td_output *out, const char *path, const char *notes)
{
	if (!*notes)
		return 0;
	if (out->w->format->prose)
		return td_writer_note(out->w, notes);
	for (const char *end; (end = strchr(notes, '\n')); notes = end + 1)
		td_log_warning("%s: %.*s", path, (int)(end - notes), notes);
	return 0;
}
