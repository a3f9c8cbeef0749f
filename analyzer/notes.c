/* SPDX-License-Identifier: MIT */
#include "analyzer/notes.h"
#include "common/cleanup.h"
#include "common/log.h"

void td_notes_add(struct td_strbuf *notes, const char *text)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		struct td_str have = { td_strbuf_str(notes), notes->len };
		_cleanup_free_ char *line = strndup(text, (size_t)(end + 1 - text));

		if (!line)
			notes->failed = true;
		else if (!td_str_find(have, line))
			td_strbuf_adds(notes, line);
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
