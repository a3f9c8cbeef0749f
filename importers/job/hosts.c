/* SPDX-License-Identifier: MIT */
#include <fcntl.h>

#include "importers/job/hosts.h"
#include "common/archive.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/stream.h"
#include "common/unpack.h"
#include "common/utf8.h"

/* A file that names its machine. */
struct named {
	char *folder; /* owned, as all; with '/' at its end */
	char *host;
	uint32_t host_id; /* string; 0 if there is one machine only */
};

struct td_hosts {
	struct td_store *st; /* borrowed */
	struct named *named;
	size_t n, cap;
	const char *given; /* by the user, for files that name none; NULL: not. Borrowed */
	bool several;
	uint32_t given_id; /* string; 0 if there is one machine only */
	uint32_t folder_host_id; /* of the source being read, by its folder; 0: none */
	uint64_t of_machines; /* of the store when it began */
};

void td_hosts_free(struct td_hosts *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n; i++) {
		free(h->named[i].folder);
		free(h->named[i].host);
	}
	free(h->named);
	free(h);
}

/* Length of the part of a path that is its folder, with the '/' at its end. */
static size_t folder_len(const char *path, size_t len)
{
	while (len && path[len - 1] != '/')
		len--;
	return len;
}

/* --- who names a machine --- */

static int add(struct td_hosts *h, const char *path, const char *host)
{
	struct named named = {
		.folder = strndup(path, folder_len(path, strlen(path))),
		.host = td_utf8_dup(host, strlen(host)), /* as source.host */
	};

	if (!named.folder || !named.host || td_grow(&h->named, &h->cap, h->n) < 0) {
		free(named.folder);
		free(named.host);
		return -ENOMEM;
	}
	h->several |= h->n && strcmp(h->named[0].host, named.host) != 0;
	h->named[h->n++] = named;
	return 0;
}

/* on_disk: the text lies at that path, if it is not packed. */
static int look_at_text(struct td_hosts *h, struct td_stream *in, const char *path, bool on_disk,
			const struct td_import_options *options)
{
	char host[TD_HOST_SIZE];

	on_disk &= strcmp(td_stream_codec(in), "plain") == 0;
	if (!td_import_host(in, on_disk ? path : NULL, options, host, sizeof(host)))
		return 0;
	return add(h, path, host);
}

static int look_at_member(struct td_hosts *h, struct td_archive *a, const char *archive,
			  const char *name, const struct td_import_options *options)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	_cleanup_free_ char *path = NULL, *head = malloc(TD_PEEK_MAX);
	int r;

	if (asprintf(&path, "%s/%s", archive, name) < 0)
		path = NULL;
	if (!path || !head)
		return -ENOMEM;
	r = td_stream_open_mem(head, td_archive_head(a, head, TD_PEEK_MAX), &in);
	return r < 0 ? r : look_at_text(h, in, path, false, options);
}

/* What is wrong with it is said when it is read. */
static int look_at_archive(struct td_hosts *h, struct td_stream *in, const char *path,
			   const struct td_import_options *options)
{
	_cleanup_(td_archive_closep) struct td_archive *a = NULL;
	struct td_err err;
	const char *name;
	int r = td_archive_open(in, NULL, &a, &err);

	while (r == 0 && td_archive_next(a, &name, &err) > 0)
		r = look_at_member(h, a, path, name, options);
	return r == -ENOMEM ? r : 0;
}

/* Most of a folder may be a data set: these files are not opened as streams. */
static bool may_name_host(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[TD_HOST_HEAD];
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));

	return n > 0 && (td_unpack_is_packed(head, (size_t)n) || td_archive_is(head, (size_t)n) ||
			 td_import_may_name_host(head, (size_t)n));
}

static int look_at_input(struct td_hosts *h, const struct td_input *input,
			 const struct td_import_options *options)
{
	_cleanup_(td_stream_closep) struct td_stream *in = NULL;
	struct td_err err;

	/* what is no file can be read once */
	if (input->size_bytes <= 0 || !may_name_host(input->path) ||
	    td_stream_open(input->path, &in, &err) < 0)
		return 0;
	return td_is_archive(input->path, input->named, in)
		       ? look_at_archive(h, in, input->path, options)
		       : look_at_text(h, in, input->path, true, options);
}

/* The only machine that the sources of the database that is appended to name; NULL: none, or
 * several, which is noted. */
static const char *look_at_loaded(struct td_hosts *h)
{
	const struct td_contents *in = td_store_contents(h->st);
	const char *only = NULL;

	for (size_t i = 0; i < in->nsources; i++) {
		const char *host = in->sources[i].host;

		if (host && only && strcmp(only, host) != 0) {
			h->several = true;
			return NULL;
		}
		only = host ? host : only;
	}
	return only;
}

/* There are several machines: what is of none yet is of the only one that there was. */
static int tell_apart(struct td_hosts *h, const char *only)
{
	td_store_set_several_hosts(h->st);
	for (size_t i = 0; i < h->n; i++)
		h->named[i].host_id = td_store_cstr(h->st, h->named[i].host);
	if (h->given)
		h->given_id = td_store_cstr(h->st, h->given);
	if (only)
		td_store_name_host(h->st, td_store_cstr(h->st, only));
	return td_store_error(h->st);
}

int td_hosts_new(struct td_store *st, const struct td_input *inputs, size_t n,
		 const struct td_import_options *options, struct td_hosts **ret)
{
	_cleanup_(td_hosts_freep) struct td_hosts *h = calloc(1, sizeof(*h));
	const char *only;
	int r = 0;

	if (!h)
		return -ENOMEM;
	h->st = st;
	h->given = options->host;
	for (size_t i = 0; i < n && r >= 0; i++)
		r = look_at_input(h, &inputs[i], options);
	if (r < 0)
		return r;
	only = look_at_loaded(h);
	h->several |= only && h->given && strcmp(h->given, only) != 0;
	for (size_t i = 0; i < h->n; i++) {
		h->several |= only && strcmp(h->named[i].host, only) != 0;
		h->several |= h->given && strcmp(h->named[i].host, h->given) != 0;
	}
	r = h->several ? tell_apart(h, only) : 0;
	if (r >= 0)
		*ret = TAKE_PTR(h);
	return r;
}

/* --- of which a source is --- */

/* The only machine that files in or below the folder name; 0: none, and *ret_any tells whether any is named. */
static uint32_t only_host_below(const struct td_hosts *h, const char *folder, size_t len,
				bool *ret_any)
{
	uint32_t only = 0;

	*ret_any = false;
	for (size_t i = 0; i < h->n; i++) {
		if (strncmp(h->named[i].folder, folder, len) != 0)
			continue;
		if (*ret_any && h->named[i].host_id != only)
			return 0;
		*ret_any = true;
		only = h->named[i].host_id;
	}
	return only;
}

static uint32_t host_of_folder(const struct td_hosts *h, const char *path)
{
	size_t len = strlen(path);
	bool any = false;
	uint32_t id = 0;

	while (len && !any) {
		len = folder_len(path, len);
		id = only_host_below(h, path, len, &any);
		len -= len > 0; /* the '/' */
	}
	return id;
}

void td_hosts_begin(struct td_hosts *h, const char *path)
{
	if (!h->several)
		return;
	h->folder_host_id = h->given ? h->given_id : host_of_folder(h, path);
	h->of_machines = td_store_contents(h->st)->of_machines;
	td_store_on_host(h->st, h->folder_host_id);
}

int td_hosts_end(struct td_hosts *h)
{
	static const char unknown[] =
		"the files are of several machines, and nothing says of which this one is: it "
		"would be of the one that a file in its folder names";
	const struct td_contents *in = td_store_contents(h->st);
	uint16_t id = (uint16_t)in->nsources;
	struct td_source *s = td_store_source_at(h->st, id);

	if (h->given && s && !s->host && s->importer) {
		s->host_basis = "given";
		return td_utf8_set(&s->host, h->given);
	}
	if (!h->several || !s || s->host || in->of_machines == h->of_machines)
		return 0;
	if (!h->folder_host_id) {
		td_store_issue(h->st, id, "unknown-host", TD_NOTED, 0, unknown, strlen(unknown));
		return td_store_error(h->st);
	}
	s->host_basis = "folder";
	return td_utf8_set(&s->host, td_store_text(h->st, h->folder_host_id).p);
}
