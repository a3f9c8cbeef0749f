/* SPDX-License-Identifier: MIT */
#include "common/libarchive.h" /* first, as the header of the library uses what is banned here */
#include <locale.h>
#include <stdarg.h>
#include <unistd.h>

#include "common/archive.h"
#include "common/progress.h"
#include "common/stream.h"
#include "common/unpack.h"
#include "common/pio.h"

#define TAR_BLOCK 512

/* What is read to find the next file, but for zeros, which are padding. libarchive keeps what it finds there
 * (names, the map of a sparse file), so this bounds its memory. */
#define HEADER_MAX ((size_t)4 * 1024 * 1024)

/* gzip packs at most 1032 to 1, text of the most monotonous tracer about 100 to 1. A store holds 65535
 * sources (store/store.c). */
const struct td_archive_limits td_archive_default_limits = {
	.total_bytes = INT64_C(1) << 40,
	.ratio = 500,
	.free_bytes = INT64_C(256) << 20,
	.members = 50000,
	.name_len = 4096,
	.depth = 64,
};

struct td_archive {
	struct archive *ar;
	locale_t utf8; /* libarchive converts names to the locale; 0: there is no such one */
	struct td_stream *in; /* borrowed */
	const struct td_archive_limits *limits; /* borrowed */
	struct archive_entry *entry; /* current one, libarchive's; NULL: none */
	char *name; /* of the current one */
	unsigned nmembers, nleft_out;
	int64_t unpacked_bytes;
	bool in_header;
	size_t header_bytes; /* read since in_header was set, but for zeros */
	size_t zeros; /* that end what was read */
	bool ended;
	int error; /* after which there is nothing more; why says what is wrong */
	struct td_err why;
	struct td_err damage; /* the first that could be skipped; none: empty */
};

/* --- what is wrong with it --- */

static int fail(struct td_archive *a, int r, const char *what)
{
	(void)td_err_set(&a->why, 0, "%s", what);
	return a->error = r;
}

__attribute__((format(printf, 2, 3))) static int too_big(struct td_archive *a, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	a->error = -E2BIG;
	return td_err_set(&a->why, -E2BIG,
			  "refused: %s; if you trust it, unpack it and import the folder", what);
}

static int hand_over(const struct td_archive *a, int r, struct td_err *err)
{
	return td_err_set(err, r, "%s", a->why.msg);
}

/* What libarchive says, which need not be anything. */
static const char *reason(const struct td_archive *a)
{
	const char *what = archive_error_string(a->ar);

	return what ? what : "no reason given";
}

static int cut_or_damaged(struct td_archive *a)
{
	struct td_err text;

	if (td_stream_truncated(a->in))
		return fail(a, -EBADMSG, td_stream_truncated(a->in));
	(void)td_err_set(&text, 0, "cut or damaged (%s)", reason(a));
	return fail(a, -EBADMSG, text.msg);
}

/* What a call of libarchive that failed for good came to. */
static int broken(struct td_archive *a)
{
	if (a->error) /* its cause is in on_read() */
		return a->error;
	if (archive_errno(a->ar) == ENOMEM)
		return fail(a, -ENOMEM, "out of memory");
	return cut_or_damaged(a);
}

/* How much there is unpacked: of a zip its files, of a tar all of it. */
static int check_size(struct td_archive *a)
{
	const struct td_archive_limits *l = a->limits;
	int64_t unpacked = TD_MAX(a->unpacked_bytes, td_stream_text_bytes(a->in));
	int64_t packed = TD_MAX(td_stream_disk_bytes(a->in), 1);

	if (unpacked > l->total_bytes)
		return too_big(a, "more than %lld bytes when it is unpacked",
			       (long long)l->total_bytes);
	if (unpacked > l->free_bytes && unpacked / l->ratio > packed)
		return too_big(a, "more than %lld times its size when it is unpacked",
			       (long long)l->ratio);
	return 0;
}

/* --- open and close --- */

static la_ssize_t read_packed(struct td_archive *a, const void **ret)
{
	struct td_err err = { "" };
	const char *p;
	size_t len;
	int r = td_stream_bytes(a->in, &p, &len, &err);

	if (r < 0) {
		(void)fail(a, r, err.msg);
		return ARCHIVE_FATAL;
	}
	*ret = p;
	return (la_ssize_t)len;
}

/* Counts what the reader of the archive gets. */
static la_ssize_t on_read(struct archive *ar, void *ctx, const void **ret)
{
	struct td_archive *a = ctx;
	size_t zeros = 0;
	la_ssize_t len;
	const char *p;

	*ret = NULL;
	(void)ar;
	len = read_packed(a, ret);
	if (len < 0)
		return len;
	p = *ret;
	while (zeros < (size_t)len && !p[(size_t)len - 1 - zeros])
		zeros++;
	a->zeros = zeros == (size_t)len ? a->zeros + zeros : zeros;
	a->header_bytes += zeros == (size_t)len ? 0 : (size_t)len;
	if (a->in_header && a->header_bytes > HEADER_MAX)
		(void)too_big(a, "a header of more than %zu bytes", HEADER_MAX);
	else
		(void)check_size(a);
	return a->error ? ARCHIVE_FATAL : len;
}

static int lacking(struct td_archive *a)
{
	return fail(a, -ENOSYS, "this libarchive cannot read what is needed");
}

/* Zip in the order of the file: its directory at the end, which a cut archive lacks, need not be held in
 * memory. Tars that were put one behind the other are all read. */
static int set_up(struct td_archive *a)
{
	struct archive *ar;

	if (!td_libarchive_load())
		return fail(a, -ENOSYS, TD_UNPACK_LACKS);
	ar = a->ar = archive_read_new();
	if (!ar)
		return fail(a, -ENOMEM, "out of memory");
	if (archive_read_support_format_tar(ar) != ARCHIVE_OK ||
	    archive_read_support_format_zip_streamable(ar) != ARCHIVE_OK ||
	    archive_read_set_format_option(ar, "tar", "read_concatenated_archives", "1") !=
		    ARCHIVE_OK)
		return lacking(a);
	return archive_read_open(ar, a, NULL, on_read, NULL) != ARCHIVE_OK ? broken(a) : 0;
}

int td_archive_open(struct td_stream *in, const struct td_archive_limits *limits,
		    struct td_archive **ret, struct td_err *err)
{
	_cleanup_(td_archive_closep) struct td_archive *a = calloc(1, sizeof(*a));
	int r;

	if (!a)
		return -ENOMEM;
	a->in = in;
	a->limits = limits ? limits : &td_archive_default_limits;
	a->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	r = set_up(a);
	if (r < 0)
		return hand_over(a, r, err);
	*ret = TAKE_PTR(a);
	return 0;
}

void td_archive_close(struct td_archive *a)
{
	if (!a)
		return;
	if (a->ar)
		archive_read_free(a->ar);
	if (a->utf8)
		freelocale(a->utf8);
	free(a->name);
	free(a);
}

unsigned td_archive_left_out(const struct td_archive *a)
{
	return a->nleft_out;
}

/* --- members --- */

/* Does any of the names in the path begin with a dot? */
static bool is_hidden(const char *name)
{
	return name[0] == '.' || strstr(name, "/.") != NULL;
}

static unsigned count_folders(const char *name)
{
	unsigned n = 0;

	for (; *name; name++)
		n += *name == '/';
	return n;
}

/* The name as stored: UTF-8 where the archive says so, else the bytes. */
static const char *stored_name(struct archive_entry *entry)
{
	const char *name = archive_entry_pathname_utf8(entry);

	if (!name)
		name = archive_entry_pathname(entry);
	return name ? name : "";
}

/* Is the current member one to deliver? 1 or 0. */
static int take_member(struct td_archive *a)
{
	const struct td_archive_limits *l = a->limits;
	const char *stored = stored_name(a->entry);

	if (++a->nmembers > l->members)
		return too_big(a, "more than %u members", l->members);
	if (strlen(stored) > l->name_len)
		return too_big(a, "a name of more than %u bytes", l->name_len);
	if (count_folders(stored) > l->depth)
		return too_big(a, "folders more than %u deep", l->depth);
	if (archive_entry_filetype(a->entry) == AE_IFDIR)
		return 0;
	free(a->name);
	a->name = td_archive_clean_name(stored);
	if (!a->name)
		return fail(a, -ENOMEM, "out of memory");
	if (archive_entry_filetype(a->entry) == AE_IFREG && !archive_entry_hardlink(a->entry) &&
	    !is_hidden(a->name))
		return 1;
	a->nleft_out++;
	return 0;
}

/* Damage between the files: the last one before it says where. */
static void describe(const struct td_archive *a, const char *what, struct td_err *ret)
{
	(void)td_err_set(ret, 0, "%s, %s%s%s", what, a->name ? "behind '" : "at its begin",
			 a->name ? a->name : "", a->name ? "'" : "");
}

static int fail_behind(struct td_archive *a, const char *what)
{
	struct td_err text;

	describe(a, what, &text);
	return fail(a, -EBADMSG, text.msg);
}

/* Is it whole, now that no more members come? */
static int check_end(struct td_archive *a)
{
	bool is_tar = (archive_format(a->ar) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;

	a->ended = true;
	if (td_stream_truncated(a->in))
		return fail_behind(a, td_stream_truncated(a->in));
	if (is_tar && a->zeros < TAR_BLOCK)
		return fail_behind(a, "cut, or without an end-of-archive mark");
	return a->damage.msg[0] ? fail(a, -EBADMSG, a->damage.msg) : 0;
}

/* What is left of the current member. libarchive would skip it as a part of the next header. */
static int skip_rest(struct td_archive *a)
{
	int status = a->entry ? archive_read_data_skip(a->ar) : ARCHIVE_OK;

	a->entry = NULL;
	return status < ARCHIVE_WARN ? broken(a) : check_size(a);
}

/* Sets a->entry: 1, 0 at the end. */
static int next_header(struct td_archive *a)
{
	int status;

	do {
		a->in_header = true;
		a->header_bytes = 0;
		status = archive_read_next_header(a->ar, &a->entry);
		a->in_header = false;
		/* of a tar: what is here is no header, the next block may be one */
		if (status == ARCHIVE_RETRY && !a->damage.msg[0])
			describe(a, reason(a), &a->damage);
	} while (status == ARCHIVE_RETRY);
	/* a warning is about what is not used: owners, dates, the encoding of names */
	if (status == ARCHIVE_OK || status == ARCHIVE_WARN)
		return 1;
	a->entry = NULL;
	if (status == ARCHIVE_EOF)
		return check_end(a);
	return broken(a) == -EBADMSG ? fail_behind(a, a->why.msg) : a->error;
}

/* 1, 0 at the end. */
static int next_member(struct td_archive *a)
{
	int r = a->error;

	while (r == 0 && !a->ended) {
		r = skip_rest(a);
		if (r == 0)
			r = next_header(a);
		if (r > 0)
			r = take_member(a);
	}
	return r;
}

int td_archive_next(struct td_archive *a, const char **ret_name, struct td_err *err)
{
	locale_t before = uselocale(a->utf8);
	int r = next_member(a);

	(void)uselocale(before);
	if (r < 0)
		return hand_over(a, r, err);
	if (r > 0)
		*ret_name = a->name;
	return r;
}

/* --- unpacking --- */

/* What has been unpacked of a member. */
struct unpacked {
	int fd; /* borrowed */
	int64_t end; /* of sparse files the holes count too */
	bool damaged;
};

static int system_error(struct td_archive *a, int r)
{
	struct td_err text;

	(void)td_err_errno(&text, r, "cannot unpack '%s'", a->name);
	return fail(a, r, text.msg);
}

/* A block that is to be written at offset; len 0: only the hole before it. */
static int take_block(struct td_archive *a, struct unpacked *u, const void *p, size_t len,
		      int64_t offset)
{
	int r;

	if (offset < u->end || offset > INT64_MAX / 2)
		return fail(a, -EBADMSG, "a map of a sparse file that cannot be");
	a->unpacked_bytes += offset - u->end + (int64_t)len;
	r = check_size(a);
	if (r < 0)
		return r;
	r = len                            ? td_write_at(u->fd, p, len, (uint64_t)offset)
	    : ftruncate(u->fd, offset) < 0 ? -errno
					   : 0;
	u->end = offset + (int64_t)len;
	return r < 0 ? system_error(a, r) : 0;
}

/* What it comes to that no more blocks come. */
static int end_of_data(struct td_archive *a, struct unpacked *u, int status, int64_t offset,
		       struct td_err *err)
{
	if (status == ARCHIVE_EOF)
		return offset > u->end ? take_block(a, u, NULL, 0, offset) : 0;
	if (status == ARCHIVE_FATAL)
		return broken(a);
	if (u->end == 0)
		return td_err_set(err, -ENOTSUP, "%s",
				  archive_entry_is_data_encrypted(a->entry)
					  ? "encrypted: unpack it and import the folder"
					  : reason(a));
	(void)td_err_set(err, 0, "%s", reason(a));
	u->damaged = true;
	return 0;
}

/* Block by block, since archive_read_data() gives nothing of what it has when damage follows. */
int td_archive_unpack(struct td_archive *a, int fd, struct td_progress *progress, int64_t rows,
		      struct td_err *err)
{
	struct unpacked u = { .fd = fd };
	int64_t offset = 0;
	const void *p;
	size_t len;
	int status, r = 0;

	for (;;) {
		status = archive_read_data_block(a->ar, &p, &len, &offset);
		if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
			break;
		if (status == ARCHIVE_WARN) { /* a wrong check sum or size, at the end */
			(void)td_err_set(err, 0, "%s", reason(a));
			u.damaged = true;
		}
		r = take_block(a, &u, p, len, offset);
		if (r < 0)
			break;
		if (progress)
			td_progress_update(progress, td_stream_disk_bytes(a->in), rows);
	}
	if (r == 0)
		r = end_of_data(a, &u, status, offset, err);
	if (r == -EBADMSG) {
		(void)hand_over(a, 0, err);
		return 1;
	}
	if (r < 0 && r != -ENOTSUP)
		return hand_over(a, r, err);
	return r < 0 ? r : u.damaged;
}

size_t td_archive_head(struct td_archive *a, char *to, size_t size)
{
	size_t n = 0, len;
	int64_t offset;
	const void *p;

	while (n < size) {
		int status = archive_read_data_block(a->ar, &p, &len, &offset);

		if ((status != ARCHIVE_OK && status != ARCHIVE_WARN) || offset != (int64_t)n)
			break;
		len = TD_MIN(len, size - n);
		if (len) /* else p may be NULL */
			memcpy(to + n, p, len);
		n += len;
	}
	return n;
}

const char *td_archive_libraries(void)
{
	return td_libarchive_load() ? archive_version_details() : "no libarchive";
}
