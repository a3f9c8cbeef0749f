/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/cleanup.h"
#include "common/utf8.h"
#include "importers/strace/atoms.h"

/* Texts that differ in the middle only share a place, which costs a look into the table. */
static uint32_t *recent_of(struct td_strace_atoms *w, struct td_str text)
{
	uint64_t first = 0, last = 0;

	if (text.len >= sizeof(first)) {
		memcpy(&first, text.p, sizeof(first));
		memcpy(&last, text.p + text.len - sizeof(last), sizeof(last));
	} else if (text.len) {
		first = (unsigned char)text.p[0];
		last = (uint64_t)(unsigned char)text.p[text.len / 2] << 8 |
		       (unsigned char)text.p[text.len - 1];
	}
	first = (first * 31 + last + text.len) * UINT64_C(0x9e3779b97f4a7c15);
	return &w->recent[(first >> 40) % TD_STRACE_RECENT];
}

static uint32_t fail(struct td_strace_atoms *w)
{
	w->failed = true;
	return 0;
}

uint32_t td_strace_atom(struct td_strace_atoms *w, struct td_str text)
{
	uint32_t *recent = recent_of(w, text), id = *recent;
	struct td_str known;

	if (id) {
		known = td_intern_get(&w->texts, id);
		if (known.len == text.len && td_same_bytes(known.p, text.p, text.len))
			return id;
	}
	if (td_grow(&w->at, &w->cap, w->n) < 0)
		return fail(w);
	id = td_intern_add(&w->texts, text.p, text.len);
	if (!id)
		return fail(w);
	if (id > w->n)
		w->at[w->n++] = (struct td_strace_atom){ 0 };
	*recent = id;
	return id;
}

const struct td_syscall *td_strace_atom_spec(struct td_strace_atoms *w, uint32_t atom)
{
	struct td_strace_atom *at = td_strace_atom_at(w, atom);

	if (!at->spec)
		at->spec = td_syscall_find(td_strace_atom_text(w, atom));
	if (!at->spec)
		at->spec = &td_syscall_unknown;
	return at->spec;
}

bool td_strace_atom_valid(struct td_strace_atoms *w, uint32_t atom)
{
	struct td_strace_atom *at = td_strace_atom_at(w, atom);
	struct td_str text = td_strace_atom_text(w, atom);

	if (at->utf8 == TD_STRACE_UNCHECKED)
		at->utf8 = td_utf8_valid(text.p, text.len) ? TD_STRACE_VALID : TD_STRACE_INVALID;
	return at->utf8 == TD_STRACE_VALID;
}

void td_strace_atoms_clear(struct td_strace_atoms *w)
{
	td_intern_clear(&w->texts);
	w->n = 0;
	memset(w->recent, 0, sizeof(w->recent));
	memset(w->names, 0, sizeof(w->names));
	memset(w->seen, 0, sizeof(w->seen));
	w->failed = false;
}

void td_strace_atoms_done(struct td_strace_atoms *w)
{
	td_intern_done(&w->texts);
	free(w->at);
	td_strbuf_done(&w->buf);
}
