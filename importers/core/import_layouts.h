/* SPDX-License-Identifier: MIT */
/*
 * --layout: what the user says of how an input was printed. Each is read once, when the command line is, by a family of
 * formats that understands it; its importers find it among the options.
 */
#pragma once

#include <stddef.h>

#include "common/err.h"

/* One way to say it: the name of a program, a command line. A family has one, which its importers share. */
struct td_layout_kind {
	/* How sure are we that the text is one of these: 0 (no) .. 100. Must be pure. */
	int (*claim)(const char *text);
	/* Reads it; *ret is for free(). Keeps nothing of the text. 0 or -errno with the reason in err. */
	int (*read)(const char *text, void **ret, struct td_err *err);
	void (*free)(void *layout);
};

struct td_import_layout {
	const struct td_layout_kind *kind;
	void *layout; /* the kind's own; owned */
};

/* As given, in that order. */
struct td_import_layouts {
	struct td_import_layout *items; /* owned */
	size_t n, cap;
};

/* Adds what the text says. 0, -ENOMEM, -EINVAL if no importer understands it, or another -errno, with the reason in
 * err; nothing is added then. */
int td_import_layouts_add(struct td_import_layouts *l, const char *text, struct td_err *err);

/* The same of a kind that another option than --layout is for. */
int td_import_layouts_add_of(struct td_import_layouts *l, const struct td_layout_kind *kind,
			     const char *text, struct td_err *err);

void td_import_layouts_done(struct td_import_layouts *l);

/* The next one of the kind from *at on, which begins with 0 and goes on behind it; NULL if there is none. l may be
 * NULL: none were given. */
const void *td_import_layouts_next(const struct td_import_layouts *l,
				   const struct td_layout_kind *kind, size_t *at);
