/* SPDX-License-Identifier: MIT */
#include "analyzer/redact/libgcrypt.h" /* first, as the header of the library uses what is banned here */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>

#include "analyzer/redact/names.h"

#define LETTERS 16
#define DIGITS 12
#define ENDING_MAX 4 /* letters and digits of an ending that is not in the list */
#define KEY_LEAST 16
#define KEY_MOST 4096

struct td_names {
	gcry_md_hd_t hash; /* owned */
	unsigned char key[TD_REDACT_KEY_BYTES];
};

void td_names_free(struct td_names *n)
{
	if (!n)
		return;
	gcry_md_close(n->hash);
	explicit_bzero(n->key, sizeof(n->key));
	free(n);
}

static bool library_is_there(void)
{
	if (!td_libgcrypt_load() || !gcry_check_version(NULL))
		return false;
	(void)gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	(void)gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	return true;
}

int td_names_new(const unsigned char *key, struct td_names **ret)
{
	_cleanup_(td_names_freep) struct td_names *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	if (!library_is_there() || gcry_md_open(&n->hash, GCRY_MD_BLAKE2B_256, 0) ||
	    gcry_md_setkey(n->hash, key, TD_REDACT_KEY_BYTES))
		return -EOPNOTSUPP;
	memcpy(n->key, key, sizeof(n->key));
	*ret = TAKE_PTR(n);
	return 0;
}

static int read_key(const char *path, unsigned char *buf, size_t *ret_len, struct td_err *err)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	if (!f)
		return td_err_errno(err, -errno, "cannot read the key '%s'", path);
	*ret_len = fread(buf, 1, KEY_MOST + 1, f);
	if (ferror(f))
		return td_err_errno(err, -EIO, "cannot read the key '%s'", path);
	if (*ret_len < KEY_LEAST || *ret_len > KEY_MOST)
		return td_err_set(err, -EINVAL, "a key has %d to %d bytes, which '%s' has not",
				  KEY_LEAST, KEY_MOST, path);
	return 0;
}

int td_redact_key(const char *path, unsigned char ret[TD_REDACT_KEY_BYTES], struct td_err *err)
{
	unsigned char buf[KEY_MOST + 1];
	size_t len = 0;
	int r = 0;

	if (!path)
		return getrandom(ret, TD_REDACT_KEY_BYTES, 0) == TD_REDACT_KEY_BYTES
			       ? 0
			       : td_err_errno(err, -errno, "cannot make a key");
	r = read_key(path, buf, &len, err);
	if (r < 0)
		return r;
	if (!library_is_there())
		return td_err_set(err, -EOPNOTSUPP,
				  "libgcrypt.so.20 cannot be used: its package is libgcrypt20");
	gcry_md_hash_buffer(GCRY_MD_BLAKE2B_256, ret, buf, len);
	return 0;
}

/* Until the next call. gcry_md_reset() would forget the key; that a key is set did not fail when
 * td_names_new() did it. */
static const unsigned char *hash(struct td_names *n, char kind, struct td_str text)
{
	(void)gcry_md_setkey(n->hash, n->key, sizeof(n->key)); /* begins anew */
	gcry_md_write(n->hash, &kind, 1);
	gcry_md_write(n->hash, text.p, text.len);
	return gcry_md_read(n->hash, GCRY_MD_BLAKE2B_256);
}

void td_name_word(struct td_names *n, char kind, struct td_str text, struct td_strbuf *ret)
{
	const unsigned char *h = hash(n, kind, text);

	for (int i = 0; i < LETTERS; i++)
		td_strbuf_addc(ret, (char)('g' + (h[i / 2] >> (i % 2 ? 4 : 0)) % 16));
}

int64_t td_name_number(struct td_names *n, char kind, int64_t number)
{
	const unsigned char *h =
		hash(n, kind, (struct td_str){ (const char *)&number, sizeof(number) });
	uint64_t v;

	memcpy(&v, h, sizeof(v));
	return (int64_t)(v >> 11);
}

static void add_digits(struct td_names *n, struct td_str text, struct td_strbuf *ret)
{
	const unsigned char *h = hash(n, 'n', text);

	for (int i = 0; i < DIGITS; i++)
		td_strbuf_addc(ret, (char)('0' + h[i] % 10));
}

/* Templates of components that say nothing of whose machine it is; what reports know devices,
 * sockets and nameless files by. */
static const char *const common_words[] = {
	"",
	".",
	"..",
	"bin",
	"boot",
	"dev",
	"etc",
	"home",
	"lib",
	"lib64",
	"lib{}",
	"media",
	"mnt",
	"opt",
	"proc",
	"root",
	"run",
	"sbin",
	"self",
	"shm",
	"srv",
	"sys",
	"tmp",
	"usr",
	"var",
	"local",
	"share",
	"include",
	"cache",
	"log",
	"null",
	"zero",
	"full",
	"random",
	"urandom",
	"tty",
	"tty{}",
	"ptmx",
	"pts",
	"console",
	"nvidia{}",
	"nvidiactl",
	"nvidia-uvm",
	"nvidia-uvm-tools",
	"nvidia-caps",
	"nvidia-modeset",
	"kfd",
	"dri",
	"infiniband",
	"bus",
	"usb",
	"snd",
	"input",
	"uinput",
	"fuse",
	"sda",
	"sd{}",
	"nvme{}",
	"mapper",
	"fd",
	"task",
	"stat",
	"status",
	"maps",
	"meminfo",
	"cpuinfo",
	"mounts",
	"cmdline",
	"stdin",
	"stdout",
	"stderr",
	"nfs",
	"lustre",
	"gpfs",
	"beegfs",
	"fsx",
	"efs",
	"afs",
	"cephfs",
	"panfs",
	"weka",
	"pipe",
	"socket",
	"eventfd",
	"eventpoll",
	"timerfd",
	"signalfd",
	"inotify",
	"io_uring",
	"anon_inode",
	"[eventfd]",
	"[eventpoll]",
	"[timerfd]",
	"[signalfd]",
	"[io_uring]",
	"anon_inode:[eventfd]",
	"anon_inode:[eventpoll]",
	"anon_inode:[timerfd]",
	"anon_inode:[signalfd]",
	"anon_inode:[io_uring]",
	"anon_inode:inotify",
};

/* {} for each run of digits. */
static void add_template(struct td_str text, struct td_strbuf *ret)
{
	for (size_t i = 0; i < text.len; i++)
		if (!td_is_digit(text.p[i]))
			td_strbuf_addc(ret, text.p[i]);
		else if (i == 0 || !td_is_digit(text.p[i - 1]))
			td_strbuf_adds(ret, "{}");
}

/* Of the name itself: what a template has {} for may be anything. */
static bool is_common(struct td_str name)
{
	_cleanup_(td_strbuf_done) struct td_strbuf templ = TD_STRBUF_INIT;
	struct td_str t;

	add_template(name, &templ);
	t = (struct td_str){ td_strbuf_str(&templ), templ.len };
	for (size_t i = 0; i < TD_ARRAY_SIZE(common_words) && !templ.failed; i++)
		if (td_str_eq(t, common_words[i]))
			return true;
	return false;
}

/* '.npy' at the end of a name that has something before it: what kind of file it is. */
static struct td_str ending_of(struct td_str name)
{
	static const char *const longer[] = {
		".arrow",  ".distcp",      ".jsonl",    ".keras", ".parquet",
		".pickle", ".safetensors", ".tfrecord", ".index",
	};
	const char *dot = td_str_rchr(name, '.'), *end = name.p + name.len;
	struct td_str none = { name.p, 0 }, ending;

	if (!dot || dot == name.p || end - dot < 2)
		return none;
	ending = (struct td_str){ dot, (size_t)(end - dot) };
	for (size_t i = 0; i < TD_ARRAY_SIZE(longer); i++)
		if (td_str_eq(ending, longer[i]))
			return ending;
	if (ending.len > ENDING_MAX + 1)
		return none;
	for (const char *p = dot + 1; p < end; p++)
		if (!((*p | 32) >= 'a' && (*p | 32) <= 'z') && !(td_is_digit(*p) && p > dot + 1))
			return none;
	return ending;
}

/* What reports know checkpoints and logs by, wherever it stands in a name. */
static void add_marker(struct td_str templ, struct td_strbuf *ret)
{
	static const char *const markers[] = { "ckpt", "checkpoint", "events.out.tfevents" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(markers); i++)
		if (td_str_find(templ, markers[i]))
			td_strbuf_addf(ret, "_%s", markers[i]);
	if (td_str_find(templ, ".log."))
		td_strbuf_adds(ret, ".log.");
}

static void add_component(struct td_names *n, struct td_str name, struct td_str templ,
			  struct td_strbuf *ret)
{
	struct td_str ending = ending_of(templ);

	if (is_common(name)) {
		td_strbuf_add(ret, name.p, name.len);
		return;
	}
	if (!td_str_eq(templ, "{}")) {
		td_name_word(n, 'f', templ, ret);
		add_marker(templ, ret);
		if (td_str_find(templ, "{}"))
			td_strbuf_addc(ret, '_');
	}
	if (name.len != templ.len || memcmp(name.p, templ.p, name.len) != 0)
		add_digits(n, name, ret);
	else if (td_str_find(templ, "{}"))
		td_strbuf_adds(ret, "{}");
	td_strbuf_add(ret, ending.p, ending.len);
}

/* Cuts the next component off; false: it is the last one. */
static bool next(struct td_str *path, struct td_str *ret)
{
	const char *slash = path->len ? memchr(path->p, '/', path->len) : NULL;

	*ret = (struct td_str){ path->p, slash ? (size_t)(slash - path->p) : path->len };
	path->p += ret->len + (slash != NULL);
	path->len -= ret->len + (slash != NULL);
	return slash != NULL;
}

static size_t slashes(struct td_str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.p[i] == '/';
	return n;
}

void td_name_path(struct td_names *n, struct td_str path, struct td_str templ,
		  struct td_strbuf *ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf own = TD_STRBUF_INIT;
	struct td_str name, of;
	bool more;

	if (!templ.p || slashes(path) > slashes(templ)) {
		add_template(path, &own);
		templ = (struct td_str){ td_strbuf_str(&own), own.len };
	}
	if (td_strbuf_error(&own) < 0)
		ret->failed = true;
	do {
		more = next(&path, &name);
		(void)next(&templ, &of);
		add_component(n, name, of, ret);
		if (more)
			td_strbuf_addc(ret, '/');
	} while (more && !ret->failed);
}
