/* SPDX-License-Identifier: MIT */
/*
 * Files: identity, class, and the matching of bare names with paths. bpftrace scripts print only
 * the last component for reads and writes (dentry->d_name) but the path for openat; the two are the
 * same file when exactly one path in the run has that name.
 */
#include "common/array.h"
#include "common/parallel.h"
#include "store/store_private.h"
#include "store/template.h"
#include "store/template_block.h"

/* Files whose classes one thread finds at a time. */
#define CLASS_FILES ((size_t)8192)

static uint32_t fail(struct td_store *st)
{
	if (!st->error)
		st->error = -ENOMEM;
	return 0;
}

static struct td_str basename_of(struct td_str path)
{
	const char *slash = td_str_rchr(path, '/');

	if (!slash)
		return path;
	return (struct td_str){ slash + 1, (size_t)(path.p + path.len - slash - 1) };
}

static bool is_same(struct td_str a, struct td_str b)
{
	return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

/* What a file is known by: its path, its name alone, a path that was cut and the name that was printed beside it, as
 * many files share what is left of their paths, or a path and the root that it begins at. */
enum known_by { BY_PATH = 'p', BY_NAME = 'n', BY_CUT_PATH = 'c', BY_ROOT = 'r' };

static bool has_two_texts(enum known_by by)
{
	return by == BY_CUT_PATH || by == BY_ROOT;
}

/* What stands behind a key's first byte are the texts of the file. */
static struct td_file file_of_texts(enum known_by by, struct td_str path, struct td_str name)
{
	struct td_file f = { .path = path, .name = name, .device = TD_NULL, .inode = TD_NULL };

	if (by == BY_PATH || by == BY_ROOT)
		f.name = basename_of(path);
	else if (by == BY_NAME)
		f.path = (struct td_str){ NULL, 0 };
	return f;
}

/* The file with this key, made at first sight: path is empty BY_NAME, name BY_PATH and BY_ROOT the root. */
static uint32_t file_of_key(struct td_store *st, enum known_by by, struct td_str path,
			    struct td_str name, bool *ret_new)
{
	char small[512];
	_cleanup_free_ char *large = NULL;
	char *key = small;
	size_t name_at = 1 + path.len + has_two_texts(by); /* a NUL between them */
	size_t len = name_at + name.len;
	uint32_t id;

	if (len > sizeof(small)) {
		key = large = malloc(len);
		if (!key)
			return fail(st);
	}
	key[0] = (char)by;
	if (path.len)
		memcpy(key + 1, path.p, path.len);
	if (has_two_texts(by))
		key[name_at - 1] = '\0';
	if (name.len)
		memcpy(key + name_at, name.p, name.len);
	id = td_intern_add(&st->file_keys, key, len);
	if (!id)
		return fail(st);
	*ret_new = id > st->in.nfiles;
	if (*ret_new) {
		const char *own = td_intern_get(&st->file_keys, id).p;

		if (td_grow(&st->in.files, &st->files_cap, st->in.nfiles) < 0)
			return fail(st);
		st->in.files[st->in.nfiles++] =
			file_of_texts(by, (struct td_str){ own + 1, path.len },
				      (struct td_str){ own + name_at, name.len });
		st->npaths += by != BY_NAME;
	}
	return id;
}

static void set_truncated(struct td_store *st, uint32_t id, bool truncated)
{
	st->in.files[id - 1].truncated = truncated;
	st->any_truncated |= truncated;
}

void td_store_name_file(struct td_store *st, uint32_t id, struct td_str name)
{
	struct td_file *f = &st->in.files[id - 1];
	uint32_t name_id;

	/* the path may have none ("/", "..") */
	if (!name.len || f->name.len)
		return;
	name_id = td_store_string(st, name.p, name.len);
	if (name_id)
		f->name = td_store_text(st, name_id);
}

uint32_t td_store_file_from(struct td_store *st, const struct td_store *part, uint32_t id)
{
	const struct td_file *f = &part->in.files[id - 1];
	uint32_t to = td_intern_add_from(&st->file_keys, &part->file_keys, id);
	struct td_str key;
	size_t name_at;

	if (!to ||
	    (to > st->in.nfiles && td_grow(&st->in.files, &st->files_cap, st->in.nfiles) < 0))
		return fail(st);
	if (to <= st->in.nfiles)
		return to;
	key = td_intern_get(&st->file_keys, to);
	name_at = 1 + f->path.len + has_two_texts((enum known_by)key.p[0]);
	st->in.files[st->in.nfiles] =
		file_of_texts((enum known_by)key.p[0], (struct td_str){ key.p + 1, f->path.len },
			      (struct td_str){ key.p + name_at, key.len - name_at });
	st->npaths += key.p[0] != BY_NAME;
	set_truncated(st, (uint32_t)++st->in.nfiles, f->truncated);
	return to;
}

uint32_t td_store_file_path(struct td_store *st, struct td_str path, struct td_str name,
			    bool truncated)
{
	static const struct td_str none = { "", 0 };
	bool by_both = truncated && name.len && !is_same(name, basename_of(path)), is_new;
	uint32_t id = by_both ? file_of_key(st, BY_CUT_PATH, path, name, &is_new)
			      : file_of_key(st, BY_PATH, path, none, &is_new);

	if (!id || !is_new)
		return id;
	set_truncated(st, id, truncated);
	td_store_name_file(st, id, name);
	return id;
}

uint32_t td_store_file_in_root(struct td_store *st, struct td_str path, uint32_t root_id,
			       bool truncated)
{
	bool is_new;
	uint32_t id = file_of_key(st, BY_ROOT, path, td_store_text(st, root_id), &is_new);

	if (id && is_new) {
		st->in.files[id - 1].root_id = root_id;
		set_truncated(st, id, truncated);
	}
	return id;
}

uint32_t td_store_file_name(struct td_store *st, struct td_str name, bool truncated)
{
	bool is_new;
	uint32_t id = file_of_key(st, BY_NAME, (struct td_str){ "", 0 }, name, &is_new);

	if (id && is_new)
		set_truncated(st, id, truncated);
	return id;
}

struct td_file *td_store_file_at(struct td_store *st, uint32_t id)
{
	return id ? &st->in.files[id - 1] : NULL;
}

/* --- class --- */

static bool all_digits(struct td_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.len > 0;
}

/* What a name or path says about the file. The first match wins; a prefix is compared with the path
 * or, where there is none, with the name. What only a convention suggests is not known. */
static const struct {
	const char *prefix;
	enum td_class class;
	bool known; /* the kernel prints this for nothing else */
} prefixes[] = {
	{ "[eventfd]", TD_CLASS_EVENTFD, true },
	{ "[eventpoll]", TD_CLASS_ANON_INODE, true },
	{ "[timerfd]", TD_CLASS_ANON_INODE, true },
	{ "[signalfd]", TD_CLASS_ANON_INODE, true },
	{ "[io_uring]", TD_CLASS_ANON_INODE, true },
	{ "[perf_event]", TD_CLASS_ANON_INODE, true },
	{ "[userfaultfd]", TD_CLASS_ANON_INODE, true },
	{ "inotify", TD_CLASS_ANON_INODE, false },
	{ "anon_inode:[eventfd]", TD_CLASS_EVENTFD, true },
	{ "anon_inode:", TD_CLASS_ANON_INODE, true },
	{ "pipe:[", TD_CLASS_PIPE, true },
	{ "socket:[", TD_CLASS_SOCKET, true },
	{ "/memfd:", TD_CLASS_MEMFD, true },
	{ "memfd:", TD_CLASS_MEMFD, true },
	{ "/dev/shm/", TD_CLASS_SHM, true },
	{ "/dev/", TD_CLASS_DEVICE, true }, /* is_terminal() */
	{ "/proc/", TD_CLASS_PROC_SYS, true },
	{ "/sys/", TD_CLASS_PROC_SYS, true },
};

/* Names under /dev/shm by convention: PyTorch's file_system sharing, POSIX semaphores, Python's
 * multiprocessing, NCCL. Only for bare names: a path would tell. */
static const char *const shm_names[] = { "torch_", "sem.", "psm_", "nccl-" };

/* "tty", "tty1". A serial port (ttyUSB0, ttyS0) is no terminal: what hangs on it is a device mostly. */
static bool is_tty(struct td_str name)
{
	static const char tty[] = "tty";
	size_t len = sizeof(tty) - 1;

	return td_str_starts(name, tty) &&
	       (name.len == len || all_digits((struct td_str){ name.p + len, name.len - len }));
}

/* Is what has this name, and no path that is known, below /dev/pts, or a terminal in /dev? */
static bool is_terminal_name(struct td_str name)
{
	return all_digits(name) || td_str_eq(name, "ptmx") || is_tty(name);
}

/* Is a device of this path, or of this name where no path is known, a terminal? */
static bool is_terminal(struct td_str text)
{
	static const char dev[] = "/dev/";
	size_t len = sizeof(dev) - 1;

	if (!td_str_starts(text, dev))
		return is_terminal_name(text);
	text = (struct td_str){ text.p + len, text.len - len };
	return td_str_starts(text, "pts/") || td_str_eq(text, "console") ||
	       td_str_eq(text, "ptmx") || is_tty(text);
}

/* Of a million names hardly one begins so: its first byte says that without a call. */
static bool begins_with(struct td_str text, const char *prefix)
{
	return text.p[0] == prefix[0] && td_str_starts(text, prefix);
}

static void infer_class(struct td_file *f)
{
	struct td_str text = f->path.p ? f->path : f->name;

	if (f->class != TD_CLASS_UNKNOWN)
		return;
	if (!text.len) {
		/* the dentry of a pipe, a socket or a memfd has no name, nor has that of O_TMPFILE; an
		 * empty path is only what a program passed, or what the tracer could not read */
		f->class = f->path.p ? TD_CLASS_UNKNOWN : TD_CLASS_UNNAMED;
		f->class_known = !f->path.p;
		return;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(prefixes); i++) {
		if (begins_with(text, prefixes[i].prefix)) {
			f->class = prefixes[i].class;
			f->class_known = prefixes[i].known;
			return;
		}
	}
	if (text.p[text.len - 1] == ')' && td_str_ends(text, " (deleted)"))
		f->class = TD_CLASS_DELETED;
	else if (text.p[text.len - 1] == '/')
		f->class = TD_CLASS_DIRECTORY;
	else if (f->path.p)
		f->class = TD_CLASS_REGULAR;
	else if (is_terminal_name(text))
		f->class = TD_CLASS_TERMINAL;
	for (size_t i = 0; !f->path.p && i < TD_ARRAY_SIZE(shm_names); i++)
		if (begins_with(text, shm_names[i]))
			f->class = TD_CLASS_SHM;
	if (f->class == TD_CLASS_UNKNOWN && memchr(text.p, '.', text.len))
		f->class = TD_CLASS_REGULAR; /* a name with an extension */
}

/* --- bare names and paths --- */

/* For every name, the only path that ends in it: 0 none, UINT32_MAX several. */
static uint32_t *paths_by_name(struct td_store *st, struct td_intern *names)
{
	uint32_t *only = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t id = 1; id <= st->in.nfiles; id++) {
		const struct td_file *f = &st->in.files[id - 1];
		uint32_t at;

		if (!f->path.len || !f->name.len)
			continue;
		/* the last component of a cut path is no name; one that was printed beside it is */
		if (f->truncated && f->name.p < f->path.p + f->path.len)
			continue;
		at = td_intern_add(names, f->name.p, f->name.len);
		if (!at || (at > n && td_grow(&only, &cap, n) < 0)) {
			free(only);
			return NULL;
		}
		if (at > n)
			only[n++] = id;
		else
			only[at - 1] = UINT32_MAX;
	}
	return only;
}

static int find_classes(void *arg, size_t piece)
{
	struct td_store *st = arg;
	size_t end = TD_MIN((piece + 1) * CLASS_FILES, st->in.nfiles);

	for (struct td_file *f = st->in.files + piece * CLASS_FILES; f < st->in.files + end; f++) {
		infer_class(f);
		if (f->class == TD_CLASS_DEVICE && is_terminal(f->path.len ? f->path : f->name))
			f->class = TD_CLASS_TERMINAL;
	}
	return 0;
}

/* Each file of which only the name is known with the only path that has it. */
static void match_names(struct td_store *st)
{
	_cleanup_(td_intern_done) struct td_intern names = TD_INTERN_INIT;
	_cleanup_free_ uint32_t *only = paths_by_name(st, &names);

	for (uint32_t id = 1; id <= st->in.nfiles && only; id++) {
		struct td_file *f = &st->in.files[id - 1];
		uint32_t at;

		if (f->path.p || !f->name.len || f->truncated)
			continue;
		at = td_intern_find(&names, f->name.p, f->name.len);
		if (!at || only[at - 1] == UINT32_MAX)
			continue;
		f->merged_into = only[at - 1];
		st->in.files[only[at - 1] - 1].path_matched = true;
	}
	if (names.n && !only)
		fail(st);
}

void td_store_resolve_files(struct td_store *st)
{
	(void)td_parallel((st->in.nfiles + CLASS_FILES - 1) / CLASS_FILES, find_classes, st);
	/* of a million names without any path nothing is looked for, one after the other */
	if (st->npaths)
		match_names(st);
}

void td_store_forget_file_keys(struct td_store *st)
{
	td_intern_close(&st->file_keys);
}

/* --- directories and templates --- */

static uint32_t find_directory(struct td_store *st, uint32_t id)
{
	struct td_str path = st->in.files[id - 1].path;
	const char *slash = td_str_rchr(path, '/');

	if (!slash)
		return 0;
	return td_store_string(st, path.p, slash == path.p ? 1 : (size_t)(slash - path.p));
}

static uint32_t find_template(struct td_store *st, uint32_t id)
{
	const struct td_file *f = &st->in.files[id - 1];
	struct td_str text = f->path.p ? f->path : f->name;
	bool again;
	struct td_str ready =
		td_template_block_get(&st->templates, st->in.files, st->in.nfiles, id, &again);
	char small[512];
	_cleanup_free_ char *large = NULL;
	char *out = small;

	if (again && st->file_names[id - 2].template_id)
		return st->file_names[id - 2].template_id;
	if (ready.p)
		return td_store_string(st, ready.p, ready.len);
	if (TD_TEMPLATE_ROOM(text.len) > sizeof(small)) {
		out = large = malloc(TD_TEMPLATE_ROOM(text.len));
		if (!out)
			return fail(st);
	}
	return td_store_string(st, out, td_template_of(text, out));
}

/* Both, which are asked for more than once, by then for good. */
static const struct td_file_names *names_of(struct td_store *st, uint32_t id)
{
	static const struct td_file_names none;
	struct td_file_names *n;

	if (id > st->nfile_names) {
		size_t more = st->in.nfiles;

		n = td_big_realloc(st->file_names, st->nfile_names * sizeof(*n), more * sizeof(*n));
		if (!n) {
			fail(st);
			return &none;
		}
		memset(n + st->nfile_names, 0, (more - st->nfile_names) * sizeof(*n));
		st->file_names = n;
		st->nfile_names = more;
	}
	n = &st->file_names[id - 1];
	if (!n->template_id) {
		n->template_id = find_template(st, id);
		n->directory_id = find_directory(st, id);
	}
	return n;
}

uint32_t td_store_file_directory(struct td_store *st, uint32_t id)
{
	return names_of(st, id)->directory_id;
}

uint32_t td_store_file_template(struct td_store *st, uint32_t id)
{
	return names_of(st, id)->template_id;
}
