/* SPDX-License-Identifier: MIT */
#include "common/libarchive.h" /* first, as the header of the library uses what is banned here */

#include "common/filter.h"

struct td_filter {
	struct archive *ar; /* a "raw" one: its only member is what is compressed */
	td_filter_source *source;
	void *ctx;
	int error; /* of the source */
	bool nested;
	const char *block; /* libarchive's; not handed out yet */
	size_t len;
};

static la_ssize_t on_read(struct archive *ar, void *ctx, const void **ret)
{
	struct td_filter *f = ctx;
	ssize_t n = f->source(f->ctx, ret);

	(void)ar;
	if (n < 0)
		f->error = (int)n;
	return n < 0 ? ARCHIVE_FATAL : n;
}

int td_filter_new(int (*support)(struct archive *), td_filter_source *source, void *ctx,
		  struct td_filter **ret)
{
	_cleanup_(td_filter_freep) struct td_filter *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->source = source;
	f->ctx = ctx;
	if (!td_libarchive_load())
		return -ENOSYS;
	f->ar = archive_read_new();
	/* a filter that is another program is none: it would run on what nobody trusts */
	if (!f->ar || archive_read_support_format_raw(f->ar) != ARCHIVE_OK ||
	    support(f->ar) != ARCHIVE_OK)
		return f->ar ? -ENOSYS : -ENOMEM;
	*ret = TAKE_PTR(f);
	return 0;
}

void td_filter_free(struct td_filter *f)
{
	if (!f)
		return;
	if (f->ar)
		archive_read_free(f->ar);
	free(f);
}

static ssize_t broken(const struct td_filter *f, const char **ret_what)
{
	if (f->error || archive_errno(f->ar) == ENOMEM)
		return f->error ? f->error : -ENOMEM;
	/* libarchive keeps the block that it was filling, and its words change from version to version */
	*ret_what = f->nested ? "compressed over and over" : "and up to 64 KiB of text before that";
	return -EBADMSG;
}

/* The first bytes are looked at when they are wanted, and not before. */
static int begin(struct td_filter *f)
{
	struct archive_entry *entry;

	if (archive_format(f->ar))
		return ARCHIVE_OK;
	if (archive_read_open(f->ar, f, NULL, on_read, NULL) != ARCHIVE_OK ||
	    archive_read_next_header(f->ar, &entry) != ARCHIVE_OK)
		return ARCHIVE_FATAL;
	/* libarchive would take off the same one over and over; it counts the file itself as one */
	f->nested = archive_filter_count(f->ar) > 2;
	return f->nested ? ARCHIVE_FATAL : ARCHIVE_OK;
}

ssize_t td_filter_read(struct td_filter *f, char *to, size_t size, const char **ret_what)
{
	int status = begin(f);
	size_t n;

	while (status == ARCHIVE_OK && f->len == 0) {
		const void *p;
		la_int64_t offset;

		status = archive_read_data_block(f->ar, &p, &f->len, &offset);
		f->block = p;
	}
	if (f->len == 0)
		return status == ARCHIVE_EOF ? 0 : broken(f, ret_what);
	n = TD_MIN(size, f->len);
	memcpy(to, f->block, n);
	f->block += n;
	f->len -= n;
	return (ssize_t)n;
}
