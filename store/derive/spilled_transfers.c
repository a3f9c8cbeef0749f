/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/pio.h"
#include "common/tmpfile.h"
#include "store/derive/spilled_transfers.h"

/* What a part has in memory goes to the file when it is full. */
struct part {
	struct td_spilled_transfer items[TD_SPILL_EACH];
	size_t n;
};

struct td_spilled_transfers {
	const char *path; /* borrowed */
	int fd;
	uint8_t *
		part_of; /* owned; of what the file has of TD_SPILL_EACH each, one after the other */
	size_t nwritten, cap;
	struct part parts[TD_SPILL_PARTS];
};

int td_spilled_transfers_new(const char *path, struct td_spilled_transfers **ret)
{
	struct td_spilled_transfers *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->path = path;
	s->fd = -1;
	*ret = s;
	return 0;
}

void td_spilled_transfers_free(struct td_spilled_transfers *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		(void)close(s->fd);
	free(s->part_of);
	free(s);
}

static int write_part(struct td_spilled_transfers *s, unsigned part)
{
	struct part *p = &s->parts[part];
	int r;

	if (s->fd < 0)
		s->fd = td_tmpfile_open(s->path);
	if (s->fd < 0)
		return s->fd;
	if (td_grow(&s->part_of, &s->cap, s->nwritten) < 0)
		return -ENOMEM;
	r = td_write_at(s->fd, p->items, sizeof(p->items), s->nwritten * sizeof(p->items));
	if (r < 0)
		return r;
	s->part_of[s->nwritten++] = (uint8_t)part;
	p->n = 0;
	return 0;
}

int td_spilled_transfers_add(struct td_spilled_transfers *s, unsigned part,
			     const struct td_spilled_transfer *t)
{
	struct part *p = &s->parts[part];
	int r = p->n < TD_SPILL_EACH ? 0 : write_part(s, part);

	if (r >= 0)
		p->items[p->n++] = *t;
	return r;
}

int td_spilled_transfers_each(struct td_spilled_transfers *s, unsigned part,
			      int (*fn)(void *arg, const struct td_spilled_transfer *t, size_t n),
			      void *arg)
{
	struct td_spilled_transfer items[TD_SPILL_EACH];
	int r = 0;

	for (size_t i = 0; i < s->nwritten && r >= 0; i++) {
		if (s->part_of[i] != part)
			continue;
		r = td_read_at(s->fd, items, sizeof(items), i * sizeof(items));
		if (r >= 0)
			r = fn(arg, items, TD_SPILL_EACH);
	}
	return r < 0 ? r : fn(arg, s->parts[part].items, s->parts[part].n);
}
