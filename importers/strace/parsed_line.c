/* SPDX-License-Identifier: MIT */
#include <fcntl.h>

#include "common/cleanup.h"
#include "importers/core/import.h"
#include "importers/strace/digits.h"
#include "importers/strace/parsed_line.h"
#include "store/store.h"

/* Does it hold the word? Looks for one letter of it, which few texts have. */
static inline __attribute__((always_inline)) bool holds(struct td_str s, const char *word,
							char letter)
{
	size_t before = (size_t)(strchr(word, letter) - word);
	const char *end = s.p + s.len;

	for (const char *p = s.p; s.len && (p = memchr(p, letter, (size_t)(end - p))); p++) {
		if ((size_t)(p - s.p) < before)
			continue;
		if (td_str_starts((struct td_str){ p - before, (size_t)(end - p) + before }, word))
			return true;
	}
	return false;
}

/* --- columns of a call --- */

static int64_t size_of(const struct td_strace_text *t, unsigned arg)
{
	struct td_str text = td_strace_arg(t, arg);
	int64_t n;
	uint64_t u;

	/* most are plain numbers, with the name of the call before them */
	if (text.len && text.len <= 8 && (*text.p != '0' || text.len == 1) &&
	    text.p + text.len - t->all.p >= 8 &&
	    td_strace_fixed(text.p + text.len, (unsigned)text.len, &u))
		return (int64_t)u;
	return text.len && td_arg_number(text, &n) && n >= 0 ? n : TD_NULL;
}

/* Bytes that a list of buffers asks for; of a message: those of its msg_iov. */
static int64_t size_of_buffers(struct td_str text)
{
	static const char iov[] = "msg_iov=";
	int64_t n;

	if (text.len && text.p[0] == '{') {
		const char *p = td_str_find(text, iov);

		if (!p)
			return TD_NULL;
		p += sizeof(iov) - 1;
		text = (struct td_str){ p, (size_t)(text.p + text.len - p) };
	}
	return td_arg_sum_lengths(text, &n) ? n : TD_NULL;
}

static void say_sizes(const struct td_syscall *spec, const struct td_strace_text *t,
		      struct td_strace_said *s)
{
	if (spec->asked)
		s->asked_bytes = size_of(t, spec->asked);
	else if (spec->buffers)
		s->asked_bytes = size_of_buffers(td_strace_arg(t, spec->buffers));
	if (td_syscall_transfers(spec) && t->ret >= 0)
		s->bytes = true;
	if (spec->offset)
		s->offset_bytes = size_of(t, spec->offset);
	if (spec->effect == TD_CALL_SEEKS && t->ret >= 0)
		s->offset_bytes = t->ret;
}

/* The arguments that no column holds. They are next to each other, so a piece of the line does. */
static struct td_str kept_args(const struct td_syscall *spec, const struct td_strace_text *t)
{
	struct td_str first = td_strace_arg(t, spec->keep_from), last;

	if (!first.len)
		return first;
	/* the offset is the result then, and in its column */
	if (spec->effect == TD_CALL_SEEKS && t->ret >= 0 &&
	    td_str_eq(td_strace_arg(t, spec->keep_to), "SEEK_SET"))
		return td_strace_arg(t, spec->keep_to);
	if (spec->keep_to == TD_CALL_REST)
		return (struct td_str){ first.p, (size_t)(t->all.p + t->all.len - first.p) };
	last = td_strace_arg(t, TD_MIN(spec->keep_to, t->nargs));
	return (struct td_str){ first.p, (size_t)(last.p + last.len - first.p) };
}

static void say_args(struct td_strace_atoms *w, const struct td_syscall *spec,
		     const struct td_strace_text *t, struct td_strace_said *ret)
{
	struct td_str s = kept_args(spec, t);

	if (!s.len)
		return;
	if (s.len > TD_STRACE_ARGS_MAX) {
		s.len = TD_STRACE_ARGS_MAX;
		while (s.len && (s.p[s.len] & 0xc0) == 0x80)
			s.len--;
	}
	ret->args = td_strace_atom(w, s);
	if (ret->args && !td_strace_atom_valid(w, ret->args))
		ret->args = 0;
}

/* The place for what the call's first argument begins with, or NULL. */
static struct td_strace_seen *seen_of(struct td_strace_atoms *w, struct td_str args, int32_t tid)
{
	return args.len && td_is_digit(*args.p) ? td_strace_seen(w, tid, *args.p) : NULL;
}

static void say_fd(struct td_strace_atoms *w, unsigned arg, const struct td_strace_text *t,
		   struct td_strace_said *ret)
{
	struct td_str text = td_strace_arg(t, arg), note;
	struct td_strace_seen *seen = NULL;
	bool deleted;

	if (arg == 1 && t->file.len && text.len == t->file.len)
		seen = td_strace_seen(w, ret->tid, *text.p);
	if (seen && t->file_again) {
		ret->fd = seen->fd;
		ret->note = seen->note;
		return;
	}
	if (!text.len || !td_arg_fd(text, &ret->fd, &note, &deleted))
		return;
	ret->note_deleted = deleted;
	if (note.p)
		ret->note = td_strace_atom(w, note);
	if (seen)
		*seen = (struct td_strace_seen){ td_strace_atom(w, text), ret->note, ret->fd };
}

static void say_path(struct td_strace_atoms *w, struct td_str text, struct td_strace_said *ret)
{
	struct td_str path;
	bool cut;

	if (!text.len || !td_arg_string(text, &w->buf, &path, &cut) || !path.len)
		return;
	ret->path = td_strace_atom(w, path);
	ret->path_cut = cut;
}

/* -X raw: all calls but memfd_create use the value of O_CLOEXEC; a larger number is an address. */
static bool is_cloexec(const struct td_strace_text *text)
{
	if (holds(text->all, "CLOEXEC", 'X'))
		return true;
	for (unsigned i = 0; i < text->nargs; i++) {
		struct td_scan s = td_scan_of(text->args[i].p, text->args[i].len);
		uint64_t flags;

		if (td_scan_literal(&s, "0x") && td_scan_hex(&s, &flags) && td_scan_done(&s) &&
		    flags <= UINT32_MAX && (flags & O_CLOEXEC))
			return true;
	}
	return false;
}

/* fstat and its like print st_mode=S_IFREG|0644: then the class is known. */
static enum td_class class_told(const struct td_strace_text *text)
{
	static const struct {
		const char *mode;
		enum td_class class;
	} modes[] = {
		{ "S_IFREG", TD_CLASS_REGULAR }, { "S_IFDIR", TD_CLASS_DIRECTORY },
		{ "S_IFCHR", TD_CLASS_DEVICE },  { "S_IFBLK", TD_CLASS_DEVICE },
		{ "S_IFIFO", TD_CLASS_PIPE },    { "S_IFSOCK", TD_CLASS_SOCKET },
	};
	const char *p = td_str_find(text->all, "_mode=S_IF");
	struct td_str rest;

	if (!p)
		return TD_CLASS_UNKNOWN;
	p += strlen("_mode=");
	rest = (struct td_str){ p, (size_t)(text->all.p + text->all.len - p) };
	for (size_t i = 0; i < TD_ARRAY_SIZE(modes); i++)
		if (td_str_starts(rest, modes[i].mode))
			return modes[i].class;
	return TD_CLASS_UNKNOWN;
}

/* What is wanted for what the call did. */
static void say_effect(struct td_strace_atoms *w, const struct td_syscall *spec,
		       const struct td_strace_text *t, struct td_strace_said *s)
{
	switch (spec->effect) {
	case TD_CALL_OPENS:
		s->directory = t->ret >= 0 && holds(t->all, "O_DIRECTORY", 'Y');
		s->unnamed = t->ret >= 0 && holds(t->all, "O_TMPFILE", 'M');
		__attribute__((fallthrough));
	case TD_CALL_DUPS:
	case TD_CALL_PAIR:
	case TD_CALL_MAKES:
	case TD_CALL_MEMFD:
		s->cloexec = t->ret >= 0 && is_cloexec(t);
		break;
	case TD_CALL_STATS:
		s->class_told = t->ret == 0 ? class_told(t) : TD_CLASS_UNKNOWN;
		break;
	default:
		break;
	}
	if (t->note.p) {
		s->made = td_strace_atom(w, t->note);
		s->made_deleted = t->deleted;
	}
}

static void say_nothing(struct td_strace_said *s)
{
	s->ret = s->dur_ns = s->asked_bytes = s->offset_bytes = TD_NULL;
	s->name = s->args = s->path = s->note = s->made = 0;
	s->fd = INT32_MIN;
	s->ago = 0;
	s->class_told = TD_CLASS_UNKNOWN;
	s->apart = s->begins = s->unfinished = s->bytes = s->note_deleted = false;
	s->made_deleted = s->path_cut = s->relative = s->tampered = s->cloexec = s->directory =
		s->unnamed = false;
}

/* What a path would be relative to is what the call is about then. */
static bool has_no_path(struct td_str arg)
{
	return td_str_eq(arg, "NULL") || td_str_eq(arg, "\"\"");
}

/* Where a relative path begins: at a descriptor, or in the working directory ("AT_FDCWD</tmp>"). */
static void say_directory(struct td_strace_atoms *w, unsigned arg, const struct td_strace_text *t,
			  struct td_strace_said *s)
{
	static const char cwd[] = "AT_FDCWD<";
	struct td_str text = td_strace_arg(t, arg), behind;
	const char *end;

	s->relative = true;
	say_fd(w, arg, t, s);
	if (s->fd != INT32_MIN)
		return;
	s->fd = AT_FDCWD;
	end = td_str_starts(text, cwd) ? memrchr(text.p, '>', text.len) : NULL;
	if (!end)
		return;
	behind = (struct td_str){ end, (size_t)(text.p + text.len - end) };
	text.p += sizeof(cwd) - 1;
	s->note = td_strace_atom(w, (struct td_str){ text.p, (size_t)(end - text.p) });
	s->note_deleted = td_str_starts(behind, ">(deleted)");
}

static bool is_relative(const struct td_strace_atoms *w, uint32_t path)
{
	return path && *td_strace_atom_text(w, path).p != '/';
}

static void say_columns(struct td_strace_atoms *w, const struct td_strace_text *t,
			struct td_strace_said *s)
{
	const struct td_syscall *spec;

	if (!s->name)
		return;
	spec = td_strace_atom_spec(w, s->name);
	if (spec->path)
		say_path(w, td_strace_arg(t, spec->path), s);
	if ((spec->fd || spec->dir) && (!spec->path || has_no_path(td_strace_arg(t, spec->path))))
		say_fd(w, spec->fd ? spec->fd : spec->dir, t, s);
	else if (is_relative(w, s->path))
		say_directory(w, spec->dir, t, s);
	if (s->begins)
		return;
	s->ret = t->ret;
	s->dur_ns = t->dur_ns;
	if (t->unfinished)
		s->unfinished = true;
	if (t->rest.len && (holds(t->rest, "(INJECTED)", 'J') || holds(t->rest, "(DELAYED)", 'Y')))
		s->tampered = true;
	say_sizes(spec, t, s);
	say_args(w, spec, t, s);
	say_effect(w, spec, t, s);
}

void td_strace_say_parts(struct td_strace_atoms *w, const struct td_strace_text *parts,
			 struct td_strace_said *ret)
{
	say_nothing(ret);
	ret->tid = TD_STRACE_NO_TID; /* what others said of the descriptor is looked up by it */
	ret->name = td_strace_atom(w, parts->name);
	ret->parts = parts;
	ret->text_len = 0;
	ret->apart = true;
	say_columns(w, parts, ret);
}

/* --- the text of a call --- */

bool td_strace_take_suffix(struct td_str *s, const char *marker)
{
	if (!s->len || s->p[s->len - 1] != '>' || !td_str_ends(*s, marker))
		return false;
	s->len -= strlen(marker);
	if (s->len && s->p[s->len - 1] == ' ')
		s->len--;
	return true;
}

/* "<pid changed to 2254 ...>": an execve by this thread goes on under another tid (-ff). */
static bool take_pid_changed(struct td_str *s)
{
	static const char marker[] = " <pid changed to ";
	const char *p = s->len && s->p[s->len - 1] == '>' ? memrchr(s->p, '<', s->len) : NULL;
	struct td_scan t;
	uint64_t tid;

	if (!p || p == s->p)
		return false;
	t = td_scan_of(p - 1, (size_t)(s->p + s->len - p + 1));
	if (!td_scan_literal(&t, marker) || !td_scan_u64(&t, &tid) ||
	    !td_scan_literal(&t, " ...>") || !td_scan_done(&t))
		return false;
	s->len = (size_t)(p - 1 - s->p);
	return true;
}

/* A name and its '('. Most names are short ones that were there before: they are found by their bytes. */
static bool say_name(struct td_strace_atoms *w, struct td_scan *s, struct td_str *ret,
		     uint32_t *ret_atom)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	struct td_strace_short *known = NULL;
	uint64_t name = 0, others, paren;

	if (s->end - s->p >= 8) {
		memcpy(&name, s->p, sizeof(name));
		name = le64toh(name);
		/* bit 7 of the first '(', and of some bytes behind it */
		others = name ^ ones * '(';
		paren = (others - ones) & ~others & ones << 7;
		name &= ((paren & -paren) >> 7) - 1;
		if (paren)
			known = &w->names[(name * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
		if (known && known->atom && known->name == name) {
			*ret = (struct td_str){ s->p, (size_t)__builtin_ctzll(paren) / 8 };
			*ret_atom = known->atom;
			s->p += ret->len + 1;
			return true;
		}
	}
	if (!td_arg_scan_call_name(s, ret))
		return false;
	*ret_atom = td_strace_atom(w, *ret);
	if (known)
		*known = (struct td_strace_short){ name, *ret_atom };
	return true;
}

enum td_strace_form td_strace_say_call(struct td_strace_atoms *w, struct td_str text,
				       struct td_strace_said *ret)
{
	struct td_str body = text;
	bool marked = td_str_ends(body, " ...>");
	bool unfinished = marked && (td_strace_take_suffix(&body, TD_STRACE_UNFINISHED) ||
				     take_pid_changed(&body));
	bool detached = marked && !unfinished && td_strace_take_suffix(&body, TD_STRACE_DETACHED);
	struct td_scan s = td_scan_of(body.p, body.len);
	const struct td_strace_seen *seen;
	struct td_strace_text parts;
	enum td_strace_form form;

	say_nothing(ret);
	ret->text = body.p;
	ret->text_len = (uint32_t)body.len;
	td_strace_text_init(&parts);
	if (!say_name(w, &s, &parts.name, &ret->name))
		return TD_STRACE_SPOILT;
	seen = seen_of(w, td_scan_rest(&s), ret->tid);
	if (seen && seen->text)
		parts.file = td_strace_atom_text(w, seen->text);
	form = td_strace_scan_call(&s, &parts);
	if (form == TD_STRACE_OPEN && (unfinished || detached))
		form = TD_STRACE_WHOLE;
	if (detached) {
		parts.ret = parts.dur_ns = TD_NULL;
		parts.unfinished = true;
	}
	if (unfinished)
		ret->begins = true;
	if (form == TD_STRACE_WHOLE)
		say_columns(w, &parts, ret);
	return form;
}

/* --- lines --- */

bool td_strace_scan_resumed(struct td_scan *s, struct td_str *ret_name)
{
	struct td_scan t = *s;

	if (!td_scan_literal(&t, "<... ") || !td_scan_token(&t, ret_name) ||
	    !td_scan_literal(&t, " resumed>"))
		return false;
	*s = t;
	return true;
}

static struct td_strace_open *open_of(struct td_strace_part *part, int64_t tid)
{
	uint64_t h = (uint64_t)tid * UINT64_C(0x9e3779b97f4a7c15);

	return &part->open[(h >> 32) % TD_STRACE_OPEN_CALLS];
}

/* Both lines of a call, which fit: the rest of a call is put together with its begin only once. */
static struct td_str join(struct td_strace_part *part, struct td_str begin, struct td_str rest)
{
	char *to = part->joined + part->joined_len;

	memcpy(to, begin.p, begin.len);
	if (rest.len)
		memcpy(to + begin.len, rest.p, rest.len);
	part->joined_len += begin.len + rest.len;
	return (struct td_str){ to, begin.len + rest.len };
}

/* The end of a call whose begin is in this part. */
static void say_resumed(struct td_strace_part *part, struct td_str event,
			struct td_strace_said *ret)
{
	struct td_scan s = td_scan_of(event.p, event.len);
	struct td_strace_open *o = open_of(part, ret->tid), begin = *o;
	struct td_str name, rest;

	if (!o->line || o->tid != ret->tid || !td_strace_scan_resumed(&s, &name))
		return;
	o->line = 0;
	rest = td_scan_rest(&s);
	if (begin.text.len <= name.len || begin.text.p[name.len] != '(' ||
	    memcmp(begin.text.p, name.p, name.len) != 0 || td_str_ends(rest, " ...>") ||
	    part->lines - begin.line > UINT16_MAX)
		return;
	if (td_strace_say_call(&part->atoms, join(part, begin.text, rest), ret) != TD_STRACE_WHOLE)
		return;
	ret->what = TD_STRACE_RESUMED;
	ret->ago = (uint16_t)(part->lines - begin.line);
}

static void say_begun_or_whole(struct td_strace_part *part, struct td_str event,
			       struct td_strace_said *ret)
{
	if (td_strace_say_call(&part->atoms, event, ret) != TD_STRACE_WHOLE)
		return;
	ret->what = TD_STRACE_CALL;
	if (ret->begins)
		*open_of(part, ret->tid) = (struct td_strace_open){ ret->tid,
								    part->lines,
								    { ret->text, ret->text_len } };
}

/* Returns the event behind it. */
static struct td_str say_prefix(struct td_strace_part *part, struct td_str line,
				struct td_strace_said *ret)
{
	struct td_scan s = td_scan_of(line.p, line.len);
	struct td_strace_prefix prefix;

	td_strace_scan_prefix(&s, &prefix);
	ret->what = TD_STRACE_OTHER;
	ret->tid = (int32_t)prefix.tid;
	ret->comm = prefix.comm.p ? td_strace_atom(&part->atoms, prefix.comm) : 0;
	ret->stamp = prefix.stamp;
	ret->stamp_ns = prefix.stamp_ns;
	ret->in_seconds = prefix.in_seconds;
	ret->event_at = (uint32_t)(s.p - line.p);
	return td_scan_rest(&s);
}

/* Does the call change no more than what is behind descriptors, by what was said of it, and is nothing noted of it? */
static bool has_usual_effect(const struct td_syscall *spec)
{
	if (spec->flags & TD_CALL_REQUESTS)
		return false;
	switch (spec->effect) {
	case TD_CALL_PLAIN:
	case TD_CALL_TRANSFERS:
	case TD_CALL_OPENS:
	case TD_CALL_CLOSES:
	case TD_CALL_MAPS:
	case TD_CALL_LOCKS:
	case TD_CALL_SEEKS:
	case TD_CALL_STATS:
		return spec != &td_syscall_unknown;
	default:
		return false;
	}
}

static bool may_be_later(struct td_strace_atoms *w, const struct td_strace_said *s)
{
	if ((s->what != TD_STRACE_CALL && s->what != TD_STRACE_RESUMED) || !s->name ||
	    s->stamp != TD_STRACE_STAMP_EPOCH || s->tid == TD_STRACE_NO_TID || s->comm ||
	    s->path_cut || !has_usual_effect(td_strace_atom_spec(w, s->name)))
		return false;
	if (s->begins)
		return s->what == TD_STRACE_CALL;
	/* what is resumed and says nothing of its duration ends when the line says */
	return !s->tampered && (s->what == TD_STRACE_CALL || s->dur_ns != TD_NULL) &&
	       (s->asked_bytes >= 0 || s->asked_bytes == TD_NULL) &&
	       td_import_takes_call(s->stamp_ns, s->dur_ns, s->bytes ? s->ret : TD_NULL);
}

int td_strace_part_line(struct td_strace_part *part, const char *line, size_t len,
			struct td_strace_said *ret)
{
	struct td_str text = { line, len }, event;

	part->lines++;
	ret->later = false;
	ret->what = TD_STRACE_COLOURED;
	if (part->coloured && memchr(line, '\033', len))
		return 0;
	td_strace_strip(&text);
	ret->what = TD_STRACE_BLANK;
	if (td_str_is_blank(text))
		return 0;
	event = say_prefix(part, text, ret);
	if (event.len && *event.p == '<')
		say_resumed(part, event, ret);
	else if (event.len && *event.p != '+' && *event.p != '-')
		say_begun_or_whole(part, event, ret);
	ret->later = may_be_later(&part->atoms, ret);
	return part->atoms.failed ? -ENOMEM : 0;
}

/* --- parts --- */

int td_strace_part_begin(struct td_strace_part *part, const char *text, size_t len)
{
	td_strace_atoms_clear(&part->atoms);
	memset(part->open, 0, sizeof(part->open));
	part->lines = 0;
	part->joined_len = 0;
	part->nlater = 0;
	part->coloured = memchr(text, '\033', len) != NULL;
	/* no line is put together twice */
	if (part->joined_cap < len) {
		free(part->joined);
		part->joined_cap = 0;
		part->joined = malloc(len);
		if (!part->joined)
			return -ENOMEM;
		part->joined_cap = len;
	}
	return 0;
}

void td_strace_part_done(struct td_strace_part *part)
{
	td_strace_atoms_done(&part->atoms);
	free(part->joined);
	free(part->later);
}
