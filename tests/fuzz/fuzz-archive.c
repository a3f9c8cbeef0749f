/* SPDX-License-Identifier: MIT */
/* Files out of an archive of arbitrary bytes, with limits that a small input can reach. */
#include <assert.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/archive.h"
#include "common/stream.h"
#include "common/utf8.h"
#include "tests/fuzz/fuzz.h"

static const struct td_archive_limits limits = {
	.total_bytes = 1 << 22,
	.ratio = 100,
	.free_bytes = 1 << 16,
	.members = 64,
	.name_len = 256,
	.depth = 16,
};

static void check_name(const char *name)
{
	assert(name[0] != '/' && name[0] != '.' && !strstr(name, "/../"));
	assert(td_utf8_valid(name, strlen(name)));
}

static void read_all(struct td_archive *a, int fd)
{
	struct td_err err = { { 0 } };
	const char *name;
	struct stat st;

	while (td_archive_next(a, &name, &err) > 0) {
		int r;

		check_name(name);
		if (ftruncate(fd, 0) < 0)
			return;
		r = td_archive_unpack(a, fd, NULL, 0, &err);
		if (r < 0 && r != -ENOTSUP)
			return;
		assert(r == 0 || err.msg[0]);
		assert(fstat(fd, &st) == 0 && st.st_size <= limits.total_bytes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	_cleanup_(td_archive_closep) struct td_archive *a = NULL;
	_cleanup_close_ int fd = memfd_create("member", MFD_CLOEXEC);
	struct td_err err = { { 0 } };
	const char *head;
	size_t len;

	if (fd < 0 || td_stream_open_mem((const char *)data, size, &in) < 0 ||
	    td_stream_peek(in, &head, &len) < 0)
		return 0;
	(void)td_archive_is(head, len);
	if (td_archive_open(in, &limits, &a, &err) == 0)
		read_all(a, fd);
	return 0;
}
