/* SPDX-License-Identifier: MIT */
/*
 * The importer core. An importer is a static const struct td_importer in importers/<family>/ and one
 * line in the table of registry.c. The core owns the file, decompression, line splitting, limits,
 * line numbers and counters; an importer turns one line into zero or more rows. docs/HOWTO-importer.md
 * is the recipe.
 */
#pragma once

#include "common/err.h"
#include "common/scan.h"
#include "common/stream.h"
#include "importers/align/align.h"
#include "importers/core/import_layouts.h"
#include "store/store.h"

/* What became of a line. Every line is exactly one of the three, which the core counts and checks:
 * lines = rows + skipped + issues. */
enum td_verdict {
	TD_LINE_SKIPPED, /* known to carry no data: header, banner, blank */
	TD_LINE_ROW, /* its data is in the store now, or will be with a later line that completes it */
	TD_LINE_ISSUE, /* could not be used: return td_reject(imp, "kind") */
	TD_LINE_OPEN, /* it goes on in the next line: td_import_close_lines() says what became of it */
};

/* It is not of the importer's format after all, which the head did not show; nothing was put. */
#define TD_FILE_FOREIGN 1

/* What the user said about all inputs; strings borrowed. */
struct td_import_options {
	const char *format; /* name of the importer to use, or NULL */
	const struct td_import_layouts *layouts; /* --layout; NULL: none */
	struct td_clock_options clocks;
	const char *host; /* --host: of files that name none; NULL: not given */
	bool rank_given;
	int32_t rank; /* --rank, if given */
	unsigned threads; /* --threads: at most; 0: as many as there are CPUs */
	/* for tests */
	size_t part_bytes; /* of text that each takes at a time, up to TD_LINE_MAX; 0: what is best */
	struct td_speculation_count {
		size_t joined, again; /* parts of all files that were taken, and read again */
	} * speculated; /* NULL: not counted */
};

/* One source being read: what an importer's functions get. */
struct td_import {
	void *state; /* importer's own, state_size bytes, zeroed; freed by the core */
	struct td_store *store;
	uint16_t source_id;
	uint64_t line_no; /* of the line (or row) being read, from 1; 0: of none */
	bool line_unterminated; /* it is the last line and has no newline; see takes_tail() */
	const struct td_import_options *options;
	/* td_importer_preparse: the line taken apart, and the part of the text that it is in. NULL: it was not */
	const void *preparsed_line;
	void *preparsed_part;
	struct td_import_core *core; /* the core's own */
};

/* An importer whose lines (or elements of an array) stand alone, but for a state that follows from
 * those just before, can be given parts of the text out of turn. A part is begun with a guess of
 * the state: that of the lines read in turn so far, after a few lines before the part. When the
 * part's turn comes, what it came to is taken if the state is the one guessed, and if nothing was
 * done in it that is not for a part: td_import_set_clock() and the like, td_import_unwrap_tod(),
 * TD_LINE_OPEN, rows that td_id_map_knows() does not. Else it is read again, in turn. line() must
 * leave its text as it is, ask the store for no ids but those of store/store_join.h, and change
 * nothing of what td_store_..._at() returns. */
struct td_importer_speculation {
	/* Makes a copy (zeroed at first, then again and again) of a state: it forgets all ids of
	 * the store, and what does not change after begin() may be shared. 0 or -ENOMEM. */
	int (*copy)(void *to, const void *from);
	/* Would both read any text in the same way? */
	bool (*same)(const void *a, const void *b);
	/* What the state is behind a part, at whose begin it was the same as the one guessed. 0 or -ENOMEM. */
	int (*take)(void *to, const void *part);
	/* Frees what a copy owns. */
	void (*done)(void *copy);
};

/* An importer whose lines mean what those before make of them, but can be taken apart without: part by part, before
 * line() gets them, on other threads if there are any. line() finds what came of it in td_import.preparsed_line, or
 * nothing if the line is longer than a part. */
struct td_importer_preparse {
	size_t part_size,
		line_size; /* of what is kept of a part (zeroed at first) and of each of its lines */
	/* Begins a part, which forgets the one before. The text stays until then. 0 or -errno. */
	int (*begin)(void *part, const char *text, size_t len);
	/* Takes apart its next line, which is neither terminated nor may be written to. 0 or -errno. */
	int (*line)(void *part, const char *line, size_t len, void *ret_line);
	/* optional, both, for parts that are read on several threads: what the first of the next n lines, perhaps all of
	 * them, come to with no more than what they were taken apart into. Each counts as a row; of the calls among
	 * them, which td_import_defer_calls() is told, row() makes the rows. td_import.line_no is that of the first
	 * line. How many lines it read (line() gets the one behind them), or -errno. */
	ssize_t (*settle)(struct td_import *imp, void *part, const void *lines, size_t n);
	/* On any thread, once the part is read: the i-th of these rows. */
	void (*row)(const void *part, size_t i, struct td_call *ret);
	/* Frees what the part owns. */
	void (*done)(void *part);
};

/* An importer of records, most of which are calls that follow from the record and from a few
 * numbers that only the records before it tell. Threads look through parts of the text; in its turn
 * only what those numbers mean is asked for each part, and what is no such call is read; threads
 * then make the rows. */
struct td_importer_deferral {
	size_t part_size; /* of what is kept of a part, zeroed at first */
	/* How many of the bytes are whole records: of td_stream_pieces(). */
	size_t (*whole)(const char *text, size_t len);
	/* On any thread: begins a part, which forgets the one before: its whole records, *ret_used
	 * bytes. The text stays until then. 0 or -errno. */
	int (*look)(void *part, const char *text, size_t len, size_t *ret_used);
	/* In the order of the text: says how many of the records are rows that row() makes, by
	 * td_import_defer_rows(), and reads the others where they stand between these. 0, 1 if nothing more is to be
	 * read, or -errno. */
	int (*settle)(struct td_import *imp, void *part);
	/* On any thread: the i-th of these rows, of which td_import_takes_call() is true. */
	void (*row)(const void *part, size_t i, struct td_call *ret);
	/* Frees what the part owns. */
	void (*done)(void *part);
};

struct td_json_object; /* common/json/text.h */
struct td_json_stream; /* common/json/stream.h */

struct td_importer {
	const char *name; /* stable: stored in source.importer */
	const char *desc; /* one line for 'tracedb formats' */
	enum td_clock clock; /* clock of its native times; td_import_set_clock() can change it */
	size_t state_size;
	/* How sure are we that a text which begins like this is of the format: 0 (no) .. 100. head is
	 * at most 64 KiB, not NUL-terminated, may end within a line. Must be pure. A tie between two
	 * importers is an error, so 0 unless something is found that only this format has. */
	int (*sniff)(const char *head, size_t len);
	/* The most that sniff() says of any text, 1 .. 100: it is not called where another importer
	 * is surer than that. */
	int surest;
	/* optional: as sniff(), of at most TD_PEEK_FAR bytes of a text that nobody claims by its head, for formats that
	 * begin somewhere behind what other programs print. */
	int (*sniff_far)(const char *text, size_t len);
	/* optional: how the user can say what texts look like that do not show it */
	const struct td_layout_kind *layout;
	/* optional, with layout: as sniff(), of a head that nobody claims, by what the user said. */
	int (*sniff_with)(const char *head, size_t len, const struct td_import_layouts *layouts);
	/* optional: could a text that nobody claims be of the format, but for what it lacks? Says in *why how the
	 * user can help then, knowing what was said already. */
	bool (*explain)(const char *head, size_t len, const struct td_import_layouts *layouts,
			struct td_err *why);
	/* optional: the machine of a source that begins like this, as td_import_set_tool() will be told when it is
	 * read. path: as of file(), or NULL. Cut to the size. */
	bool (*host)(const char *head, size_t len, const char *path, char *ret, size_t size);
	/* with host, NULL-ended: such a text holds one of these in its first TD_HOST_HEAD bytes */
	const char *const *host_marks;
	/* How a source is read: exactly one of line, data and file is set. */
	/* line[len] is NUL and may be written to, as may the line. An enum td_verdict or -errno. */
	int (*line)(struct td_import *imp, char *line, size_t len);
	/* optional, with line only. The text ends like this (tail[len] is NUL, len not 0), without
	 * a newline: is that surely a whole line, or is line() able to use what is whole of it? If
	 * not, as without this function, the line counts as a cut-line: a number may have had more
	 * digits, a path more components. Must be pure. */
	bool (*takes_tail)(const char *tail, size_t len);
	/* optional, with line or element only: large files can be read on several threads */
	const struct td_importer_speculation *speculation;
	/* optional, with line only and without speculation: its lines are taken apart before their turn */
	const struct td_importer_preparse *preparse;
	/* The whole text, unpacked as it is read, for what is text but not lines (common/json/stream.h). Its
	 * elements take the place of lines, as the rows of file() do. 0 or -errno. */
	int (*data)(struct td_import *imp, struct td_stream *in, struct td_err *err);
	/* optional, with data only: large texts can be read in parts, for which data() calls td_import_defer() */
	const struct td_importer_deferral *deferral;
	/* optional, with data only: an element of the array that td_import_elements() goes through,
	 * which must stay as it is. An enum td_verdict, -EBADMSG if it makes no sense as it is,
	 * -EAGAIN if it has to be read in turn (both before anything is done with it), or -errno.
	 * object: its members, if it has been taken apart. */
	int (*element)(struct td_import *imp, struct td_str text,
		       const struct td_json_object *object);
	/* The whole file, for what is not text. path: a file on disk, unpacked; when it is open,
	 * td_import_opened() says so, as a copy should not be seen longer. Its rows take the place of
	 * lines: td_import_row() before each, td_import_row_done() after it. 0, TD_FILE_FOREIGN or -errno. */
	int (*file)(struct td_import *imp, const char *path, struct td_err *err);
	/* optional, with line only; before the first line */
	int (*begin)(struct td_import *imp, struct td_err *err);
	/* optional; after the last line (or data(), file()), also when the source is cut: close open pairs, free what
	 * state owns */
	int (*end)(struct td_import *imp);
};

/* --- for importers --- */

/* Counts the current line under kind (static string, kebab-case) and returns TD_LINE_ISSUE. */
int td_reject(struct td_import *imp, const char *kind);
/* The current line is used but with a value repaired; count it under kind. */
void td_repair(struct td_import *imp, const char *kind);
/* Something about the current line, or (line 0) the whole source, that the user should know; the
 * line is used unchanged. text: words, may be NULL for the line itself. */
void td_note(struct td_import *imp, const char *kind, const char *text);

/* The kind of issue of calls that ask for reads and writes which are no calls themselves (TD_CALL_REQUESTS). */
#define TD_ISSUE_REQUESTS "requests-unseen"
/* The tool says that it lost n events. */
void td_lost(struct td_import *imp, uint64_t n);

/* All lines that were TD_LINE_OPEN are rows, or, unless kind is NULL, issues of that kind; text: of all of them. To be
 * called before the last line or in end() at the latest. */
void td_import_close_lines(struct td_import *imp, const char *kind, const char *text, size_t len);

void td_import_set_clock(struct td_import *imp, enum td_clock clock);
/* The times of this source (clock UTC) count from base_ns since the epoch. May come after the rows. */
void td_import_set_base(struct td_import *imp, int64_t base_ns);
/* Its dates (clock LOCAL) can be read as month/day, as was done for the rows put, or as day/month: then
 * their times are by_ns later. The aligner asks the other sources of the run. settled: the file has told in
 * the meantime that it is day/month; by_ns is for all its rows then, also those to come. by_ns 0: it is month/day. */
void td_import_set_day_first(struct td_import *imp, int64_t by_ns, bool settled);
void td_import_set_layout(struct td_import *imp, const char *layout);
void td_import_set_tool(struct td_import *imp, const char *tool, const char *version,
			const char *host);
/* All of it is of this rank of a job. basis: static, as source.rank_basis. */
void td_import_set_rank(struct td_import *imp, int64_t rank, const char *basis);

/* The wall clock was seen to read wall_ns at native time native_ns or just before it (the reading was
 * taken at or after the event). The core keeps the useful ones: those around a tick of resolution_ns.
 * LOCAL_TOD readings are ns since midnight. */
void td_import_clock_reading(struct td_import *imp, int64_t native_ns, enum td_clock wall,
			     int64_t wall_ns, int64_t resolution_ns);

/* For sources with a time of day only (clock LOCAL_TOD, or a local date given in a banner): continues
 * across midnight. Call once per line, in order; returns ns since the midnight of the first line's day.
 * A step back of up to 12 h is disorder, a larger one the next day; a larger one forward is a line of the
 * day before that came late. */
int64_t td_import_unwrap_tod(struct td_import *imp, int64_t tod_ns);

/* All its time stamps are whole seconds ("whole-seconds"): its clock is known to one. */
void td_import_note_seconds(struct td_import *imp);

/* They are printed with a fraction, be it 0: needed only where few of them may be all that there is, as every row that
 * begins at no whole second tells it. */
void td_import_has_fractions(struct td_import *imp);

/* Something was seen then, of which no row tells: the source has that time, too. */
void td_import_seen(struct td_import *imp, int64_t native_ns);

/* The latest native time of the rows so far; TD_NULL: there is none. */
int64_t td_import_latest(const struct td_import *imp);

/* The wall clock was set back: the line says native_ns, and the one before it, by the same writer,
 * was of last_ns. What to add to this time and all that follow so that they go on at the latest
 * time that there is in the source: how much time passed is not known, and at least that. The line
 * counts as repaired. Of importers that know their writer: lines of several, or logs one behind the
 * other, go back without any clock being set. */
#define TD_CLOCK_STEP_MIN_NS                                                                       \
	INT64_C(100000000) /* NTP sets what is off by 128 ms, and slews what is less */
int64_t td_import_clock_step(struct td_import *imp, int64_t native_ns, int64_t last_ns);

/* Adds to a time what those steps come to, which importers keep. false: there cannot be such a
 * time: it is left as it is and the line an issue, whatever the importer makes of it. */
bool td_import_add_steps(struct td_import *imp, int64_t steps_ns, int64_t *native_ns);

/* For importers with data() or file(): a row begins, and what became of it (an enum td_verdict or -errno, which is
 * returned as it is). 0 or -errno. */
void td_import_row(struct td_import *imp);
int td_import_row_done(struct td_import *imp, int verdict);
/* Is it a part of the text that is read out of its turn? */
bool td_import_is_part(const struct td_import *imp);

/* What the row is, in words, for td_reject() and the like; borrowed until the row is done. */
void td_import_row_text(struct td_import *imp, const char *text, size_t len);

/* For data() of importers with element(): all elements of the array that was entered, each a row.
 * What is no element, does not end, or makes no sense is an issue, "spoilt-event" or "cut-event".
 * TD_JSON_CLOSED behind the array, TD_JSON_CUT or -errno. */
int td_import_elements(struct td_import *imp, struct td_json_stream *js);

/* For data() of importers with deferral, between two records: reads what comes next in parts if it
 * pays, up to where it is to be read in turn. 0 or -errno. */
int td_import_defer(struct td_import *imp, struct td_err *err);
/* Bytes that are read in turn before that is asked again. */
size_t td_import_bytes_in_turn(const struct td_import *imp);
/* For settle(): the next n records are rows that row() makes. */
void td_import_defer_rows(struct td_import *imp, size_t n);
/* For settle() of lines that were taken apart ahead: the next n rows are calls, of that time, that row() makes. */
void td_import_defer_calls(struct td_import *imp, size_t n, int64_t first_ns, int64_t last_ns);
/* Would td_put_call() store a call of that begin, duration (TD_NULL: unknown) and number of bytes as it is? */
bool td_import_takes_call(int64_t start_ns, int64_t dur_ns, int64_t done_bytes);

/* Whole files: the file is open. */
void td_import_opened(struct td_import *imp);

/* The source ends before its time; detail: in words. A rejected last line without newline needs no call. */
void td_import_set_cut(struct td_import *imp, const char *detail);

/* Keeps a text as long as the store, once however often it comes: the copy, which is terminated; "" if there is no
 * memory for it, which the core finds out by itself. */
struct td_str td_import_keep(struct td_import *imp, struct td_str text);
const char *td_import_keep_cstr(struct td_import *imp, const char *text);

/* Rows: source_id is filled in, the native time range of the source is kept. Durations and sizes that
 * cannot be become NULL, which counts as a repair; a row with a time that cannot be is not stored, and
 * the line becomes an issue. 0 or -errno. */
int td_put_call(struct td_import *imp, struct td_call *row);
int td_put_block(struct td_import *imp, struct td_block *row);
int td_put_gpu_op(struct td_import *imp, struct td_gpu_op *row);
int td_put_sched(struct td_import *imp, struct td_sched *row);
int td_put_sample(struct td_import *imp, struct td_sample *row);
int td_put_span(struct td_import *imp, struct td_span *row);
int td_put_mark(struct td_import *imp, struct td_mark *row);
int td_put_stack(struct td_import *imp, struct td_stack_sample *row);

/* The row of the side that a copying call writes to (TD_CALL_OUT in schema/calls.h), made of the call's own, of which
 * the name is given. Descriptor, file and offset are the caller's to fill in. */
struct td_call td_call_out(struct td_import *imp, const struct td_call *row, const char *name);

/* --- for the registry, the command and tests --- */

extern const struct td_importer *const td_importers[]; /* NULL-ended, sorted by name */
#define TD_IMPORTERS_MAX 64

/* The importer that is surest of the text; NULL if none claims it. -EEXIST on a tie (both are named in
 * err). */
int td_sniff(const char *head, size_t len, const struct td_importer **ret, struct td_err *err);

/* Reads one file ("-": stdin) into the store as a new source. name: what source.path gets. progress may
 * be NULL. Bad content is not an error. -errno: unreadable, out of memory, disk full; the source is then
 * in the store with state 'failed'. */
struct td_progress;
int td_import_file(struct td_store *st, const char *path, const char *name,
		   const struct td_import_options *options, struct td_progress *progress,
		   struct td_err *err);

/* Would an importer read what comes next in the stream, of which nothing is consumed? */
bool td_import_claims(struct td_stream *in, const struct td_import_options *options);

/* Can td_import_host() find a machine in a file that begins like this? By a few searches: it is asked about all files
 * of an import, most of which may be none of ours. head: the first TD_HOST_HEAD bytes, or all. */
#define TD_HOST_HEAD ((size_t)4096)
bool td_import_may_name_host(const char *head, size_t len);

/* The machine that what comes next in the stream says it is of; nothing is consumed. path: of the same bytes on disk,
 * or NULL. */
#define TD_HOST_SIZE 256
bool td_import_host(struct td_stream *in, const char *path, const struct td_import_options *options,
		    char *ret, size_t size);

/* Where a source comes from. */
struct td_origin {
	struct td_stream *in; /* nothing was taken of it yet */
	const char *path; /* of the same bytes on disk; NULL: they are not there */
	const struct td_import_options *options;
	struct td_progress *progress; /* NULL: none */
	struct td_stream_limits others; /* what counts with it: of its archive */
};

/* As td_import_file() from a stream that is open. */
int td_import_stream(struct td_store *st, const struct td_origin *from, const char *name,
		     struct td_err *err);

/* As td_import_file() from memory, with a given importer or NULL to sniff; for tests and fuzzing. */
int td_import_mem(struct td_store *st, const char *data, size_t len, const char *name,
		  const struct td_importer *importer, const struct td_import_options *options,
		  struct td_err *err);
