/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/strbuf.h"
#include "importers/strace/heirs.h"
#include "importers/strace/prefix.h"

#define TID_MAX 4194304

struct heir {
	struct td_strace_fds *fds; /* as they were when it was made; NULL: taken */
	struct td_strace_fds *shared; /* the table itself; NULL: it has one of its own */
};

/* Kept from the file of one thread to those of the others. */
struct heirs {
	struct td_intern names; /* of their files, as strace made them; runs parallel to items */
	struct heir *items;
	size_t n, cap;
};

int64_t td_strace_tid_of_path(const char *path, size_t *ret_before)
{
	static const char *const packed[] = { ".gz", ".zst", ".xz", ".bz2", ".lz4" };
	struct td_str name = { path, strlen(path) };
	const char *dot;
	struct td_scan s;
	uint64_t tid;

	for (size_t i = 0; i < TD_ARRAY_SIZE(packed); i++) {
		if (td_str_ends(name, packed[i])) {
			name.len -= strlen(packed[i]);
			break;
		}
	}
	dot = td_str_rchr(name, '.');
	*ret_before = dot ? (size_t)(dot + 1 - path) : 0;
	s = td_scan_of(path + *ret_before, name.len - *ret_before);
	if (!dot || !td_scan_u64(&s, &tid) || !td_scan_done(&s) || tid == 0 || tid > TID_MAX)
		return TD_STRACE_NO_TID;
	return (int64_t)tid;
}

static void heir_done(struct heir *h)
{
	td_strace_fds_unref(h->fds);
	td_strace_fds_unref(h->shared);
	*h = (struct heir){ 0 };
}

static void heirs_done(void *kept)
{
	struct heirs *hs = kept;

	for (size_t i = 0; i < hs->n; i++)
		heir_done(&hs->items[i]);
	free(hs->items);
	td_intern_done(&hs->names);
}

static struct heirs *heirs_of(struct td_import *imp)
{
	return td_store_keep(imp->store, sizeof(struct heirs), heirs_done);
}

/* The file of that thread in the set that the source being read is of; tid TD_STRACE_NO_TID: the source itself. False:
 * it is of no set. */
static bool name_in_set(struct td_import *imp, int64_t tid, struct td_strbuf *ret)
{
	const char *path = td_store_source_at(imp->store, imp->source_id)->path;
	size_t before;
	int64_t own = td_strace_tid_of_path(path, &before);

	td_strbuf_add(ret, path, before);
	td_strbuf_addf(ret, "%" PRIi64, tid == TD_STRACE_NO_TID ? own : tid);
	return own != TD_STRACE_NO_TID;
}

int td_strace_heirs_add(struct td_import *imp, int64_t tid, struct td_strace_fds *fds, bool shares)
{
	_cleanup_(td_strbuf_done) struct td_strbuf name = TD_STRBUF_INIT;
	struct heirs *hs = heirs_of(imp);
	struct heir *h;
	uint32_t at;

	if (!name_in_set(imp, tid, &name))
		return 0;
	if (!hs || td_strbuf_error(&name) < 0)
		return -ENOMEM;
	at = td_intern_add(&hs->names, name.p, name.len);
	if (!at || (at > hs->n && td_grow(&hs->items, &hs->cap, hs->n) < 0))
		return -ENOMEM;
	if (at > hs->n)
		hs->items[hs->n++] = (struct heir){ 0 };
	h = &hs->items[at - 1];
	heir_done(h); /* of an earlier thread with that number */
	h->fds = td_strace_fds_copy(fds);
	h->shared = shares ? td_strace_fds_ref(fds) : NULL;
	return h->fds ? 0 : -ENOMEM;
}

struct td_strace_fds *td_strace_heirs_take(struct td_import *imp)
{
	_cleanup_(td_strbuf_done) struct td_strbuf name = TD_STRBUF_INIT;
	struct heirs *hs = heirs_of(imp);
	struct td_strace_fds *fds;
	struct heir *h;
	uint32_t at = 0;

	if (hs && name_in_set(imp, TD_STRACE_NO_TID, &name) && td_strbuf_error(&name) == 0)
		at = td_intern_find(&hs->names, name.p, name.len);
	if (!at)
		return NULL;
	h = &hs->items[at - 1];
	fds = TAKE_PTR(h->fds);
	if (fds && h->shared)
		td_strace_fds_keep_common(fds, h->shared);
	heir_done(h);
	return fds;
}
