/* SPDX-License-Identifier: MIT */
/*
 * Layouts of bpftrace text: what the printf() and time() calls of a script print, as data, and the
 * matching of a line against it. A row is described by the very format string of the script and one
 * word per conversion that says what the argument means:
 *
 *     { "%-17lu %H:%M:%S  %-6d %-14s %-4s %-7d %-10d %-10d %s\n",
 *       "ts pid comm 'R' lat asked ret name", "vfs_read" }
 *
 * %H:%M:%S stands for time() and has no word. The words:
 *
 *     ts          end of the event, ns               lat qlat       ns; from issue, from queueing
 *     pid tid donepid comm donecomm                  asked ret      bytes asked for; return value
 *     func rw     what was done (rw: R W RA 0 1)     fd offset      (offset in bytes)
 *     name path   file: last component, full path    disk sector bytes
 *     file        either; a '/' makes it a path      'text'         always this text
 *     =name       kept as an argument called name    -              of no use
 *
 * A number may have '*N': what is printed is to be multiplied by N (a latency in us: lat*1000).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/scan.h"
#include "store/store.h"

enum td_layout_field {
	TD_FIELD_IGNORED,
	TD_FIELD_TS,
	TD_FIELD_TIME, /* ns since midnight */
	TD_FIELD_PID,
	TD_FIELD_TID,
	TD_FIELD_DONEPID,
	TD_FIELD_COMM,
	TD_FIELD_DONECOMM,
	TD_FIELD_FUNC,
	TD_FIELD_RW,
	TD_FIELD_LAT,
	TD_FIELD_QLAT,
	TD_FIELD_ASKED,
	TD_FIELD_RET,
	TD_FIELD_FD,
	TD_FIELD_OFFSET,
	TD_FIELD_DISK,
	TD_FIELD_SECTOR,
	TD_FIELD_BYTES,
	TD_FIELD_NAME,
	TD_FIELD_PATH,
	TD_FIELD_FILE,
	TD_FIELD_EXTRA,
	TD_NFIELDS,
};

struct td_layout_row {
	const char *format; /* without '\n' at its end: the next event follows on the same line */
	const char *args;
	const char *op; /* the operation; NULL: the 'text' without "()", or none (block requests) */
	const enum td_layer *layer; /* of the operation; NULL: by its name */
};

struct td_layout {
	const char *name; /* "where/script": stored in source.layout */
	const char *const *headers; /* NULL-ended; blanks collapsed to one */
	const struct td_layout_row *rows; /* ended by a row without format */
	enum td_clock clock; /* of ts; TD_CLOCK_NONE: boot */
};

extern const struct td_layout td_layouts[]; /* ended by one without name */

#define TD_PATTERN_MAX_OPS 20
#define TD_PATTERN_MAX_EXTRA 8

enum td_pattern_kind {
	TD_PATTERN_CALL,
	TD_PATTERN_BLOCK,
	TD_PATTERN_CLOCK, /* a time stamp and the time of day, nothing else */
	TD_PATTERN_NOISE, /* no time stamp */
};

enum td_op_kind {
	TD_OP_NUMBER,
	TD_OP_TEXT, /* ends where the rest of the row matches */
	TD_OP_CONSTANT,
	TD_OP_TIME,
	TD_OP_ISO,
	TD_OP_REST, /* text up to the end of the event */
	TD_OP_PAIR, /* the same, path and name in the order that field begins with */
};

#define TD_CELL_WORDS 3

/* How td_pattern_match_exact() reads a column. */
enum td_exact_kind {
	TD_EXACT_NOT, /* and what follows it: the end of the columns that it reads */
	TD_EXACT_NUMBER, /* with the literal behind it, not longer than two words */
	TD_EXACT_LONG_NUMBER,
	TD_EXACT_HEX,
	TD_EXACT_TEXT,
	TD_EXACT_TIME,
	TD_EXACT_CONSTANT,
};

/* One conversion and the literal text behind it. */
struct td_pattern_op {
	uint8_t kind; /* enum td_op_kind */
	uint8_t field; /* enum td_layout_field */
	uint8_t width;
	uint8_t extra; /* index into td_layout_values.extra */
	bool right; /* padded on the left */
	bool hex;
	bool small; /* an id: beyond 31 bits it is something else */
	bool loose; /* one blank or more wherever the format has or pads with blanks */
	bool plain; /* a number as most are: see td_match_plain() */
	uint8_t text_max; /* longest text it can be; 0: any */
	uint8_t step; /* width of the column and the literal behind it */
	uint8_t exact; /* enum td_exact_kind */
	bool any_text; /* see td_match_can_be() */
	uint16_t width_bits; /* of the column, without the literal: 8 for each character */
	uint64_t cell_bytes[TD_CELL_WORDS], cell_mask[TD_CELL_WORDS]; /* see compile_cell() */
	struct td_str literal;
	uint64_t literal_bytes,
		literal_mask; /* the same, if it has 8 bytes or less, as in memory */
	struct td_str text; /* of a constant; name of an extra */
	int64_t scale;
};

struct td_pattern {
	enum td_pattern_kind kind;
	bool iso; /* time-aligned form: begins with an ISO date, no TIME column, single blanks */
	bool open; /* another event may follow on the line */
	uint16_t layout; /* index into the set's layouts */
	/* from here to patterns of the layout that a constant tells it from; 0: none */
	int16_t first_beside, next_beside;
	uint32_t fields; /* bit per enum td_layout_field */
	uint32_t narrow; /* of these, what was printed from 32 bits */
	struct td_str op; /* name of the operation; empty: in the row, or none */
	enum td_layer layer;
	struct td_str lead; /* literal before the first conversion */
	size_t nops;
	size_t nexact; /* of these, at the beginning, what td_pattern_match_exact() can do */
	/* per column: the first pattern beside it whose columns before that one are the same */
	uint16_t prefix[TD_PATTERN_MAX_OPS + 1];
	bool rest; /* and what follows them is text up to the end of the line */
	struct td_pattern_op ops[TD_PATTERN_MAX_OPS + 1]; /* the last one is none */
};

static inline bool td_pattern_has(const struct td_pattern *pt, enum td_layout_field f)
{
	return pt->fields >> f & 1;
}

/* What a row holds; only the members that pattern->fields names are set. Texts point into the line. */
struct td_layout_values {
	int64_t num[TD_NFIELDS];
	struct td_str text[TD_NFIELDS];
	struct td_str extra[TD_PATTERN_MAX_EXTRA];
	uint64_t time_text; /* that was printed last, and what it says: most rows repeat it */
	int64_t time_ns;
	bool wide; /* a number other than TS may have more than seven digits */
};

/* Compiled layouts. */
struct td_layout_set {
	struct td_layout *layouts; /* owned array of borrowed members, except 'owned' */
	size_t nlayouts, layouts_cap;
	struct td_pattern *patterns;
	size_t npatterns, patterns_cap;
	bool converts_time; /* a row's time stamp may have fewer digits than it has ns */
	bool behind_time[256]; /* the characters that may follow its digits */
	void **owned; /* what the members of layouts that were read from programs point to */
	size_t nowned, owned_cap;
};

/* Adds a layout and compiles its rows, each also in its time-aligned form. 0, -ENOMEM, or -EINVAL with
 * the reason in err if a row makes no sense. */
int td_layout_set_add(struct td_layout_set *set, const struct td_layout *layout,
		      struct td_err *err);
/* Adds those of another set, compiled as they are; it keeps what they point to. 0 or -ENOMEM. */
int td_layout_set_add_set(struct td_layout_set *set, const struct td_layout_set *from);
/* td_layouts[], compiled by the first call; for all threads, until the process ends. NULL if there was no
 * memory for it. */
const struct td_layout_set *td_layout_set_known(void);
/* The set frees p with itself, at once if there is no memory to remember it: returns p or NULL. */
void *td_layout_set_own(struct td_layout_set *set, void *p);
void td_layout_set_done(struct td_layout_set *set);

/* Matches one event at p. Returns where it ends (end, unless the pattern is open), NULL if it is no such
 * row. sure: a path and a name must fit each other, for lines whose layout is not known. */
const char *td_pattern_match(const struct td_pattern *pt, const char *p, const char *end, bool sure,
			     struct td_layout_values *v);

/* The same at less cost, only for events whose texts are not longer than their columns, and also
 * for the patterns beside
 * it: returns which one it is, NULL if it is none of them, which says nothing of other events, and
 * some patterns cannot be matched so at all. */
const struct td_pattern *td_pattern_match_exact(const struct td_pattern *pt, const char *p,
						const char *end, bool sure,
						struct td_layout_values *v, const char **ret_next);

/* As td_pattern_match(), but columns end at white space of any kind and length: for files that went through
 * programs that change it. Not for patterns that begin with a text. */
const char *td_pattern_match_spaced(const struct td_pattern *pt, const char *p, const char *end,
				    struct td_layout_values *v);

/* Is the text what is left of such a row when its first columns went to another line? Only for lines
 * that match nothing. */
bool td_pattern_match_tail(const struct td_pattern *pt, const char *p, const char *end);

/* Does the line begin as time-aligned ones do, with a date of this century and a T? */
static inline bool td_layout_is_iso(const char *p, const char *end)
{
	return end - p >= 19 && p[4] == '-' && p[0] == '2' && p[1] == '0' && p[7] == '-' &&
	       p[10] == 'T';
}

/* Could the number be the time stamp of another event than the one at ts? Those that interleaved lines hold
 * are at most a day apart, and on a freshly booted machine, where a day would take in every number, much
 * less. ts 0: not known, what matters is the length of an uptime of days or weeks. */
bool td_layout_near(uint64_t v, int64_t ts);

/* The first such number in the text; empty if there is none. */
struct td_str td_layout_find_time(struct td_str s, int64_t ts);

/* Does the line begin with this header? Blanks count as one. Returns the rest of the line, NULL if not. */
const char *td_layout_header_match(const char *header, const char *p, const char *end);

/* Reads a bpftrace program and adds the layout that its printf() calls describe, named "user:my.bt".
 * -errno with the file, the line and what was not understood in err. */
int td_bpftrace_program(const char *path, struct td_layout_set *set, struct td_err *err);
/* The same from memory. name: for the messages and the layout's name. */
int td_bpftrace_program_text(const char *name, const char *text, size_t len,
			     struct td_layout_set *set, struct td_err *err);
