/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "importers/perf/blocks.h"

#define REQUESTS_MAX 4096 /* in flight; of more the oldest are taken for lost */
#define HEADS 1024

struct td_perf_request {
	bool used, issued;
	uint16_t next; /* index + 1 of the next one with the same hash */
	uint64_t sector;
	int64_t insert_ns; /* TD_NULL: not seen */
	struct td_block row;
};

struct fields {
	struct td_str device, rwbs;
	uint64_t bytes, sector, nsectors;
};

/* "254,0 WS 184320 () 171462808 + 360 [dd]"; complete has no bytes. ioprio may follow the sectors. */
static bool scan_fields(struct td_str text, bool has_bytes, struct fields *ret)
{
	struct td_scan s = td_scan_of(text.p, text.len);
	const char *paren;

	ret->bytes = 0;
	if (!td_scan_token(&s, &ret->device) || !memchr(ret->device.p, ',', ret->device.len) ||
	    !td_scan_blanks(&s) || !td_scan_token(&s, &ret->rwbs) || !td_scan_blanks(&s) ||
	    (has_bytes && (!td_scan_u64(&s, &ret->bytes) || !td_scan_blanks(&s))) ||
	    ret->bytes > INT64_MAX || !td_scan_char(&s, '('))
		return false;
	paren = td_scan_done(&s) ? NULL : memchr(s.p, ')', (size_t)(s.end - s.p));
	if (!paren)
		return false;
	s.p = paren + 1;
	return td_scan_blanks(&s) && td_scan_u64(&s, &ret->sector) && td_scan_literal(&s, " + ") &&
	       td_scan_u64(&s, &ret->nsectors);
}

static uint32_t device_of(struct td_import *imp, struct td_str text)
{
	char name[32];
	int n = snprintf(name, sizeof(name), "%.*s", (int)TD_MIN(text.len, (size_t)31), text.p);

	for (int i = 0; i < n; i++)
		if (name[i] == ',')
			name[i] = ':';
	return td_store_device(imp->store, TD_DEVICE_DISK, name, (size_t)n, TD_NULL);
}

/* --- requests in flight --- */

static uint16_t *head_of(struct td_perf_blocks *b, uint32_t device_id, uint64_t sector)
{
	uint64_t hash = (sector ^ ((uint64_t)device_id << 56)) * UINT64_C(0x9e3779b97f4a7c15);

	return &b->heads[hash >> 54];
}

static struct td_perf_request *find(struct td_perf_blocks *b, uint32_t device_id, uint64_t sector)
{
	uint16_t i = b->heads ? *head_of(b, device_id, sector) : 0;

	while (i && (b->requests[i - 1].sector != sector ||
		     b->requests[i - 1].row.device_id != device_id))
		i = b->requests[i - 1].next;
	return i ? &b->requests[i - 1] : NULL;
}

static void drop(struct td_perf_blocks *b, struct td_perf_request *q)
{
	uint16_t *link = head_of(b, q->row.device_id, q->sector);
	uint16_t index = (uint16_t)(q - b->requests + 1);

	while (*link != index)
		link = &b->requests[*link - 1].next;
	*link = q->next;
	q->used = false;
}

/* One that did not complete is stored if it was issued. */
static int give_up(struct td_import *imp, struct td_perf_blocks *b, struct td_perf_request *q)
{
	drop(b, q);
	return q->issued ? td_put_block(imp, &q->row) : 0;
}

static int add(struct td_import *imp, struct td_perf_blocks *b, uint32_t device_id, uint64_t sector,
	       struct td_perf_request **ret)
{
	struct td_perf_request *q;
	uint16_t *head;
	int r = 0;

	if (!b->requests)
		b->requests = calloc(REQUESTS_MAX, sizeof(*b->requests));
	if (!b->heads)
		b->heads = calloc(HEADS, sizeof(*b->heads));
	if (!b->requests || !b->heads)
		return -ENOMEM;
	q = &b->requests[b->n++ % REQUESTS_MAX];
	if (q->used)
		r = give_up(imp, b, q);
	head = head_of(b, device_id, sector);
	*q = (struct td_perf_request){
		.used = true,
		.next = *head,
		.sector = sector,
		.insert_ns = TD_NULL,
		.row = TD_BLOCK_INIT,
	};
	q->row.device_id = device_id;
	*head = (uint16_t)(q - b->requests + 1);
	*ret = q;
	return r;
}

/* --- events --- */

static uint8_t direction(struct td_str rwbs)
{
	return memchr(rwbs.p, 'R', rwbs.len)   ? TD_BLOCK_READ
	       : memchr(rwbs.p, 'W', rwbs.len) ? TD_BLOCK_WRITE
					       : TD_BLOCK_OTHER;
}

static int complete(struct td_import *imp, struct td_perf_blocks *b, struct td_perf_request *q,
		    int64_t ns, uint32_t process_id)
{
	if (!q || !q->issued)
		return TD_PERF_NO_BEGIN;
	drop(b, q);
	q->row.dur_ns = ns - q->row.start_ns;
	q->row.done_process_id = process_id;
	return td_put_block(imp, &q->row);
}

int td_perf_block(struct td_import *imp, struct td_perf_blocks *b, enum td_perf_block kind,
		  struct td_str fields, int64_t ns, uint32_t process_id)
{
	struct td_perf_request *q;
	struct fields f;
	uint32_t device_id;
	int r = 0;

	if (!scan_fields(fields, kind != TD_PERF_COMPLETE, &f))
		return TD_PERF_SPOILT;
	device_id = device_of(imp, f.device);
	q = find(b, device_id, f.sector);
	if (kind == TD_PERF_COMPLETE)
		return complete(imp, b, q, ns, process_id);
	if (q && q->issued) {
		r = give_up(imp, b, q);
		q = NULL;
	}
	if (r >= 0 && !q)
		r = add(imp, b, device_id, f.sector, &q);
	if (r < 0)
		return r;
	q->row.sector = f.sector <= INT64_MAX ? (int64_t)f.sector : TD_NULL; /* a flush has none */
	q->row.bytes = (int64_t)f.bytes;
	q->row.op = direction(f.rwbs);
	if (!q->row.process_id) /* who inserts it wants it; a kernel thread may issue it */
		q->row.process_id = process_id;
	if (kind == TD_PERF_INSERT) {
		q->insert_ns = ns;
		return 0;
	}
	q->issued = true;
	q->row.start_ns = ns;
	if (q->insert_ns != TD_NULL)
		q->row.queue_ns = ns - q->insert_ns;
	return 0;
}

int td_perf_blocks_done(struct td_import *imp, struct td_perf_blocks *b)
{
	int r = 0;

	for (size_t i = 0; i < TD_MIN(b->n, (size_t)REQUESTS_MAX) && r >= 0; i++)
		if (b->requests[i].used)
			r = give_up(imp, b, &b->requests[i]);
	free(b->requests);
	free(b->heads);
	return r;
}
