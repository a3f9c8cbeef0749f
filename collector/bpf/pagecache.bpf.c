/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Pages that a call brings into the page cache: a read that adds none found its data there. */
#include "collector/bpf/state.h"

#define COLD_MAX 65535

/* A large folio has its size in its second page, whose layout is not always named the same. */
struct folio___before_6_15 {
	uint32_t _folio_nr_pages;
} __attribute__((preserve_access_index));

struct folio___since_6_15 {
	uint32_t _nr_pages;
} __attribute__((preserve_access_index));

static __always_inline uint32_t pages_of(struct folio *folio)
{
	const struct folio___before_6_15 *old = (const void *)folio;
	const struct folio___since_6_15 *young = (const void *)folio;
	uint64_t flags = 0;

	/* the flags come first, whatever their type is called */
	bpf_probe_read_kernel(&flags, sizeof(flags), folio);
	if (!(flags & 1ull << bpf_core_enum_value(enum pageflags, PG_head)))
		return 1;
	if (bpf_core_field_exists(young->_nr_pages))
		return BPF_CORE_READ(young, _nr_pages);
	if (bpf_core_field_exists(old->_folio_nr_pages))
		return BPF_CORE_READ(old, _folio_nr_pages);
	return 1;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int BPF_PROG(cache_btf, struct folio *folio)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct td_task *t;
	uint32_t pages;

	if (!recording)
		return 0;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (!t || !t->start_ns)
		return 0;
	pages = t->cold_pages + pages_of(folio);
	t->cold_pages = pages < COLD_MAX ? pages : COLD_MAX;
	return 0;
}
