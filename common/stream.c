/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/stat.h>

#include "common/readahead.h"
#include "common/stream.h"
#include "common/unpack.h"

/* Fits the second-level cache; only a file with a line longer than this makes it grow, once, to hold
 * the longest line with its "\r\n" and some more. */
#define BUF_SIZE ((size_t)256 * 1024)
#define BUF_SIZE_MIN ((size_t)4 * 1024)
#define BUF_SIZE_LONG (TD_LINE_MAX + (size_t)64 * 1024)

/* Text after which a thread begins to read ahead: most files are read before it would have started. */
#define AHEAD_AFTER ((int64_t)1024 * 1024)

struct td_stream {
	struct td_unpack *unpack;
	struct td_readahead *ahead; /* has unpack while it is there */
	char *name;
	int64_t disk_size;
	int64_t text_bytes;
	uint64_t line_no;

	char *buf; /* cap + 1 bytes: the last line needs room for its NUL */
	size_t cap;
	size_t pos, len; /* not consumed: buf[pos, len) */
	bool in_cut_line; /* what follows up to the next newline belongs to a line already given */
	bool begun; /* something was looked at */
	bool in_blocks; /* td_stream_lines() takes it */
	bool end; /* nothing left to read, buf may still hold text */
	bool limited;
	struct td_stream_limits others;
	const char *refused; /* why nothing more is unpacked, or NULL */
	int error; /* of reading, returned ever after */
	char hash[33];
};

/* Makes room behind the text by moving it to the front, or by growing if it is at the front. */
static int grow(struct td_stream *s, size_t cap)
{
	char *p = realloc(s->buf, cap + 1);

	if (!p)
		return -ENOMEM;
	s->buf = p;
	s->cap = cap;
	return 0;
}

static int make_room(struct td_stream *s)
{
	if (s->pos > 0) {
		memmove(s->buf, s->buf + s->pos, s->len - s->pos);
		s->len -= s->pos;
		s->pos = 0;
	}
	if (s->len < s->cap)
		return 0;
	return grow(s, s->cap < BUF_SIZE ? BUF_SIZE : TD_MAX(BUF_SIZE_LONG, s->cap + s->cap / 2));
}

/* Not from what may make the thread wait until somebody types; nor plain text that has somebody who does nothing but
 * take it: that is read to where it is wanted. */
static bool can_read_ahead(const struct td_stream *s)
{
	bool pays = !s->in_blocks || strcmp(td_unpack_codec(s->unpack), "plain") != 0;

	return pays && s->text_bytes >= AHEAD_AFTER && s->disk_size >= 0;
}

static ssize_t read_text(struct td_stream *s, char *to, size_t size)
{
	/* without a thread it goes on as before */
	if (!s->ahead && can_read_ahead(s))
		(void)td_readahead_start(s->unpack, &s->ahead);
	return s->ahead ? td_readahead_read(s->ahead, to, size)
			: td_unpack_read(s->unpack, to, size);
}

static void stop_reading_ahead(struct td_stream *s)
{
	td_readahead_stop(TAKE_PTR(s->ahead));
}

void td_stream_limit(struct td_stream *s, const struct td_stream_limits *others)
{
	s->limited = strcmp(td_unpack_codec(s->unpack), "plain") != 0;
	s->others = *others;
}

/* gzip packs at most 1032 to 1, text of the most monotonous tracer about 100 to 1. */
static void check_limits(struct td_stream *s)
{
	int64_t text = s->others.text_bytes + s->text_bytes;
	int64_t packed = TD_MAX(s->others.packed_bytes + td_stream_disk_bytes(s), 1);

	if (!s->limited)
		return;
	if (text > INT64_C(1) << 40)
		s->refused = "refused: more than 1099511627776 bytes when it is unpacked; if you "
			     "trust it, unpack it and import that";
	else if (text > INT64_C(256) << 20 && text / 500 > packed)
		s->refused = "refused: more than 500 times its size when it is unpacked; if you "
			     "trust it, unpack it and import that";
	s->end = s->refused != NULL;
}

/* The text that comes next: > 0 how many bytes, 0 at the end, -errno. */
static ssize_t more_text(struct td_stream *s, char *to, size_t size)
{
	ssize_t n;

	if (s->error < 0)
		return s->error;
	if (s->end)
		return 0;
	n = read_text(s, to, size);
	if (n <= 0)
		stop_reading_ahead(s);
	if (n < 0)
		return s->error = (int)n;
	s->text_bytes += n;
	s->end = n == 0;
	if (n > 0)
		check_limits(s);
	if (s->refused)
		stop_reading_ahead(s);
	return n;
}

/* Reads more text behind what is there: 1, 0 at the end, -errno. */
static int refill(struct td_stream *s)
{
	ssize_t n;

	if (!s->end && s->error == 0)
		s->error = make_room(s);
	n = more_text(s, s->buf + s->len, s->cap - s->len);
	if (n < 0)
		return (int)n;
	s->len += (size_t)n;
	return n > 0;
}

/* Before anything is taken of the text. */
static int begin(struct td_stream *s)
{
	static const char mark[] = "\xef\xbb\xbf";
	int r = 1;

	if (s->begun)
		return 0;
	s->begun = true;
	while (r > 0 && s->len < strlen(mark))
		r = refill(s);
	if (r >= 0 && s->len >= strlen(mark) && memcmp(s->buf, mark, strlen(mark)) == 0)
		s->pos = strlen(mark);
	return r < 0 ? r : 0;
}

static int read_error(const struct td_stream *s, int r, struct td_err *err)
{
	return td_err_errno(err, r, "cannot read '%s'", s->name);
}

/* Drops text up to and including the next newline. */
static int skip_cut_line(struct td_stream *s)
{
	int r = 1;

	while (r > 0) {
		char *nl = memchr(s->buf + s->pos, '\n', s->len - s->pos);

		s->pos = nl ? (size_t)(nl + 1 - s->buf) : s->len;
		if (nl)
			break;
		r = refill(s);
	}
	s->in_cut_line = false;
	return r < 0 ? r : 0;
}

/* Delivers buf[pos, pos + len), whose terminator, if any, takes eol bytes of text. */
static int deliver(struct td_stream *s, struct td_line *ret, size_t len, size_t eol)
{
	char *p = s->buf + s->pos;
	bool cut;

	s->pos += len + eol;
	if (eol && len && p[len - 1] == '\r')
		len--;
	cut = len > TD_LINE_MAX;
	if (cut)
		len = TD_LINE_MAX;
	p[len] = '\0';
	*ret = (struct td_line){ p, len, ++s->line_no, cut, !eol && !cut };
	return 1;
}

int td_stream_line(struct td_stream *s, struct td_line *ret, struct td_err *err)
{
	size_t seen = 0; /* bytes from pos on that hold no newline */
	int r = s->in_cut_line ? skip_cut_line(s) : begin(s);

	while (r >= 0) {
		char *p = s->buf + s->pos;
		char *nl = memchr(p + seen, '\n', s->len - s->pos - seen);

		if (nl)
			return deliver(s, ret, (size_t)(nl - p), 1);
		seen = s->len - s->pos;
		s->in_cut_line = seen > TD_LINE_MAX + 1; /* the last of them could be the '\r' */
		if (s->in_cut_line)
			return deliver(s, ret, seen, 0);
		r = refill(s);
		if (r == 0)
			return seen ? deliver(s, ret, seen, 0) : 0;
	}
	return read_error(s, r, err);
}

/* Takes back the last n bytes of what td_stream_lines() took, of which the buffer held the first 'of_buf'. */
static int put_back(struct td_stream *s, const char *p, size_t n, size_t of_buf, size_t taken)
{
	if (of_buf == taken) {
		s->pos -= n;
		return 0;
	}
	s->pos = s->len = 0; /* it was read behind all that was in the buffer */
	while (n > s->cap) {
		s->len = s->cap; /* full */
		if (make_room(s) < 0)
			return s->error = -ENOMEM;
	}
	memcpy(s->buf, p, n);
	s->len = n;
	return 0;
}

size_t td_stream_whole_lines(const char *text, size_t len)
{
	const char *nl = memrchr(text, '\n', len);

	return nl ? (size_t)(nl + 1 - text) : 0;
}

int td_stream_lines(struct td_stream *s, char *to, size_t size, size_t *ret_len, struct td_err *err)
{
	return td_stream_pieces(s, td_stream_whole_lines, to, size, ret_len, err);
}

int td_stream_pieces(struct td_stream *s, size_t (*whole_of)(const char *text, size_t len),
		     char *to, size_t size, size_t *ret_len, struct td_err *err)
{
	int r = s->in_cut_line ? skip_cut_line(s) : begin(s);
	size_t of_buf = TD_MIN(s->len - s->pos, size), n = of_buf, whole;
	ssize_t more = 1;

	if (r < 0)
		return read_error(s, r, err);
	s->in_blocks = true;
	memcpy(to, s->buf + s->pos, of_buf);
	s->pos += of_buf;
	while (n < size && (more = more_text(s, to + n, size - n)) > 0)
		n += (size_t)more;
	whole = more == 0 || n == 0 ? n : whole_of(to, n);
	if (more < 0 && whole == 0)
		return read_error(s, (int)more, err);
	r = put_back(s, to + whole, n - whole, of_buf, n);
	if (r < 0)
		return read_error(s, r, err);
	*ret_len = whole;
	return n > 0;
}

bool td_stream_place(const struct td_stream *s, struct td_stream_place *ret)
{
	ret->end = s->disk_size;
	return s->in_blocks && !s->in_cut_line && s->disk_size >= 0 && !s->ahead && !s->end &&
	       !s->error && td_unpack_place(s->unpack, &ret->fd, &ret->at);
}

int td_stream_block(struct td_stream *s, size_t (*whole_of)(const char *text, size_t len),
		    char *block, size_t len, size_t room, char **ret, size_t *ret_len,
		    struct td_err *err)
{
	size_t left = s->len - s->pos, whole = 0, rest;
	char *text = block - left;

	if (left <= room) {
		memcpy(text, s->buf + s->pos, left);
		whole = whole_of(text, left + len);
	}
	if (!whole)
		return 0;
	rest = left + len - whole;
	if (s->cap < rest)
		s->error = grow(s, rest);
	if (!s->error)
		s->error = td_unpack_take(s->unpack, block, len);
	if (s->error)
		return read_error(s, s->error, err);
	s->text_bytes += (int64_t)len;
	s->pos = 0;
	s->len = rest;
	memcpy(s->buf, text + whole, rest);
	*ret = text;
	*ret_len = whole;
	return 1;
}

int td_stream_put_back(struct td_stream *s, const char *text, size_t len)
{
	size_t rest = s->len - s->pos;

	if (s->cap < len + rest && grow(s, len + rest) < 0)
		return s->error = -ENOMEM;
	memmove(s->buf + len, s->buf + s->pos, rest);
	memcpy(s->buf, text, len);
	s->pos = 0;
	s->len = len + rest;
	s->in_blocks = false;
	return 0;
}

static int peek(struct td_stream *s, size_t max, const char **ret, size_t *ret_len)
{
	int r = begin(s);

	for (r = r < 0 ? r : 1; r > 0 && s->len - s->pos < max;)
		r = refill(s);
	if (r < 0)
		return r;
	*ret = s->buf + s->pos;
	*ret_len = TD_MIN(s->len - s->pos, max);
	return 0;
}

int td_stream_peek(struct td_stream *s, const char **ret, size_t *ret_len)
{
	return peek(s, TD_PEEK_MAX, ret, ret_len);
}

int td_stream_peek_far(struct td_stream *s, const char **ret, size_t *ret_len)
{
	if (s->cap < TD_PEEK_FAR && grow(s, TD_PEEK_FAR) < 0)
		return -ENOMEM;
	return peek(s, TD_PEEK_FAR, ret, ret_len);
}

int td_stream_bytes(struct td_stream *s, const char **ret, size_t *ret_len, struct td_err *err)
{
	int r = s->pos < s->len ? 1 : refill(s);

	s->begun = true;
	if (r < 0)
		return read_error(s, r, err);
	*ret = s->buf + s->pos;
	*ret_len = s->len - s->pos;
	s->pos = s->len;
	return r;
}

int td_stream_window(struct td_stream *s, size_t min, const char **ret, size_t *ret_len,
		     struct td_err *err)
{
	int r = begin(s);

	for (r = r < 0 ? r : 1; r > 0 && s->len - s->pos < min;)
		r = refill(s);
	if (r < 0)
		return read_error(s, r, err);
	*ret = s->buf + s->pos;
	*ret_len = s->len - s->pos;
	return 0;
}

void td_stream_consume(struct td_stream *s, size_t n)
{
	s->pos += n;
}

int td_stream_skip_rest(struct td_stream *s, struct td_err *err)
{
	int r;

	stop_reading_ahead(s);
	r = s->error ? s->error : td_unpack_skip_rest(s->unpack);
	if (r < 0)
		return read_error(s, s->error = r, err);
	s->pos = s->len = 0;
	s->in_cut_line = false;
	s->end = true;
	return 0;
}

int td_stream_read_rest(struct td_stream *s, struct td_err *err)
{
	const char *p;
	size_t len;
	int r;

	do
		r = td_stream_bytes(s, &p, &len, err);
	while (r > 0);
	s->in_cut_line = false;
	return r;
}

/* A stream without its source yet. */
static int new_stream(const char *name, struct td_stream **ret)
{
	_cleanup_(td_stream_closep) struct td_stream *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->name = strdup(name);
	s->disk_size = -1;
	if (!s->name)
		return -ENOMEM;
	*ret = TAKE_PTR(s);
	return 0;
}

/* As much as is there, and one byte for the read that finds the end: a folder may hold many small files. What is packed
 * becomes larger, nobody knows by how much. What does not fit makes the buffer grow. */
static int make_buf(struct td_stream *s)
{
	bool packed = strcmp(td_unpack_codec(s->unpack), "plain") != 0;
	uint64_t size = BUF_SIZE;

	if (s->disk_size >= 0 && s->disk_size < (int64_t)BUF_SIZE)
		size = (uint64_t)s->disk_size * (packed ? 16 : 1) + 1;
	return grow(s, TD_MIN(TD_MAX(size, BUF_SIZE_MIN), BUF_SIZE));
}

/* On success the stream owns *fd. */
static int use_fd(struct td_stream *s, int *fd)
{
	struct stat st;

	if (fstat(*fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (S_ISREG(st.st_mode))
		s->disk_size = st.st_size;
	return td_unpack_new_fd(fd, s->disk_size, &s->unpack);
}

int td_stream_open_fd(int *fd, const char *name, struct td_stream **ret, struct td_err *err)
{
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	int r = new_stream(name, &s);

	if (r == 0)
		r = use_fd(s, fd);
	if (r == 0)
		r = make_buf(s);
	if (r == -ENOSYS)
		return td_err_set(err, r, "cannot open '%s': " TD_UNPACK_LACKS, name);
	if (r < 0)
		return td_err_errno(err, r, "cannot open '%s'", name);
	*ret = TAKE_PTR(s);
	return 0;
}

int td_stream_open(const char *path, struct td_stream **ret, struct td_err *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "stdin" : path;
	_cleanup_close_ int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
					  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return td_err_errno(err, -errno, "cannot open '%s'", name);
	return td_stream_open_fd(&fd, name, ret, err);
}

int td_stream_open_mem(const char *data, size_t len, struct td_stream **ret)
{
	_cleanup_(td_stream_closep) struct td_stream *s = NULL;
	int r = new_stream("memory", &s);

	if (r == 0)
		r = td_unpack_new_mem(data, len, &s->unpack);
	if (r < 0)
		return r;
	s->disk_size = (int64_t)len;
	r = make_buf(s);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(s);
	return 0;
}

void td_stream_close(struct td_stream *s)
{
	if (!s)
		return;
	stop_reading_ahead(s);
	td_unpack_free(s->unpack);
	free(s->name);
	free(s->buf);
	free(s);
}

const char *td_stream_truncated(const struct td_stream *s)
{
	return s->refused ? s->refused : s->ahead ? NULL : td_unpack_damage(s->unpack);
}

const char *td_stream_hash(struct td_stream *s)
{
	bool whole = s->end && !s->refused;

	return whole && td_unpack_text_hash(s->unpack, s->hash) ? s->hash : NULL;
}

const struct td_beginnings *td_stream_beginnings(const struct td_stream *s)
{
	return s->end && !s->refused ? td_unpack_beginnings(s->unpack) : NULL;
}

const char *td_stream_disk_hash(struct td_stream *s)
{
	if (!s->end)
		return NULL;
	td_unpack_disk_hash(s->unpack, s->hash);
	return s->hash;
}

const char *td_stream_codec(const struct td_stream *s)
{
	return td_unpack_codec(s->unpack);
}

int64_t td_stream_disk_bytes(const struct td_stream *s)
{
	return s->ahead ? td_readahead_raw_bytes(s->ahead) : td_unpack_raw_bytes(s->unpack);
}

int64_t td_stream_disk_size(const struct td_stream *s)
{
	return s->disk_size;
}

int64_t td_stream_text_bytes(const struct td_stream *s)
{
	return s->text_bytes;
}

int64_t td_stream_taken_bytes(const struct td_stream *s)
{
	return s->text_bytes - (int64_t)(s->len - s->pos);
}

int64_t td_stream_length(const struct td_stream *s)
{
	bool plain = strcmp(td_stream_codec(s), "plain") == 0;

	return plain ? td_stream_disk_bytes(s) : s->text_bytes;
}
