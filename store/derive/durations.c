/* SPDX-License-Identifier: MIT */
#include "store/derive/durations_private.h"
#include "common/array.h"
#include "common/parallel.h"
#include "common/tmpfile.h"
#include "common/pio.h"

/* Chunks begin with one line and double up to a page, so that a set of one duration takes a line and no set
 * takes much more than twice what it needs. They lie in slabs, 32 MiB of which stay in memory. */
#define CHUNK_LINES_MAX 64
#define SLAB_BYTES ((size_t)1 << 20)
#define SLAB_LINES (SLAB_BYTES / TD_DURATION_LINE)
#define SLABS_MAX 32

struct td_duration_chunk {
	uint64_t before; /* durations of the set that came before */
	uint32_t set;
	uint16_t lines; /* so long it is; 0: there is none any more in the slab */
	uint16_t n; /* once it is closed */
	uint32_t values[];
};

int td_durations_new(const char *path, struct td_durations **ret)
{
	struct td_durations *d = malloc(sizeof(*d));

	if (!d)
		return -ENOMEM;
	*d = (struct td_durations){ .path = path, .fd = -1 };
	*ret = d;
	return 0;
}

static void free_slabs(struct td_durations *d)
{
	while (d->nslabs)
		free(d->slabs[--d->nslabs]);
	d->nused = 0;
}

void td_durations_free(struct td_durations *d)
{
	if (!d)
		return;
	if (d->fd >= 0)
		close(d->fd);
	free_slabs(d);
	free(d->slabs);
	free(d->larges);
	free(d->first);
	free(d->values);
	free(d->first_part);
	free(d->ends);
	free(d);
}

/* --- collecting --- */

static struct td_duration_chunk *line_of(struct td_duration_chunk *slab, size_t line)
{
	return (struct td_duration_chunk *)((char *)slab + line * TD_DURATION_LINE);
}

/* After the last chunk of the slab in use. */
static void end_slab(struct td_durations *d)
{
	if (d->nused && d->nlines < SLAB_LINES)
		memset(line_of(d->slabs[d->nused - 1], d->nlines), 0, TD_DURATION_LINE);
}

static int next_slab(struct td_durations *d)
{
	if (d->nused == SLABS_MAX)
		return 1;
	end_slab(d);
	if (d->nused == d->nslabs) {
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): the array is of pointers */
		if (td_grow(&d->slabs, &d->slabs_cap, d->nslabs) < 0)
			return -ENOMEM;
		d->slabs[d->nslabs] = aligned_alloc(TD_DURATION_LINE, SLAB_BYTES);
		if (!d->slabs[d->nslabs])
			return -ENOMEM;
		d->nslabs++;
	}
	d->nused++;
	d->nlines = 0;
	return 0;
}

static uint32_t *end_of(struct td_duration_chunk *chunk)
{
	return (uint32_t *)line_of(chunk, chunk->lines);
}

void td_durations_close(struct td_duration_list *list)
{
	if (!list->chunk)
		return;
	list->chunk->n = (uint16_t)(list->at - list->chunk->values);
	list->chunk = NULL;
	list->at = NULL;
}

/* Makes list->at a cell that is free; as td_durations_add(). */
static int make_room(struct td_durations *d, uint32_t set, struct td_duration_list *list,
		     uint64_t before)
{
	size_t lines = 1;
	int r;

	if (list->chunk) {
		if (list->at < end_of(list->chunk))
			return 0;
		lines = TD_MIN(list->chunk->lines * 2, CHUNK_LINES_MAX);
	}
	if (!d->nused || d->nlines + lines > SLAB_LINES) {
		r = next_slab(d);
		if (r)
			return r;
	}
	td_durations_close(list);
	list->chunk = line_of(d->slabs[d->nused - 1], d->nlines);
	list->chunk->before = before;
	list->chunk->set = set;
	list->chunk->lines = (uint16_t)lines;
	list->at = list->chunk->values;
	d->nlines += lines;
	return 0;
}

int td_durations_add(struct td_durations *d, uint32_t set, struct td_duration_list *list,
		     uint64_t before, int64_t dur_ns)
{
	int r = td_durations_room(list) ? 0 : make_room(d, set, list, before);

	if (r)
		return r;
	if (dur_ns >= TD_DURATION_LARGE) {
		r = td_grow(&d->larges, &d->larges_cap, d->nlarges);
		if (r < 0)
			return r;
		d->larges[d->nlarges++] = (struct td_large_duration){ set, dur_ns };
	}
	*list->at++ = dur_ns >= TD_DURATION_LARGE ? TD_DURATION_LARGE : (uint32_t)dur_ns;
	return 0;
}

int td_durations_spill(struct td_durations *d)
{
	int r = 0;

	if (d->fd < 0)
		d->fd = td_tmpfile_open(d->path);
	if (d->fd < 0)
		return d->fd;
	end_slab(d);
	for (size_t i = 0; i < d->nused && r >= 0; i++)
		r = td_write_at(d->fd, d->slabs[i], SLAB_BYTES, (d->nspilled + i) * SLAB_BYTES);
	d->nspilled += d->nused;
	d->nused = 0;
	return r;
}

/* --- set by set --- */

static void place_chunk(struct td_durations *d, const struct td_duration_chunk *chunk)
{
	uint32_t *to = d->values + d->first[chunk->set];
	uint64_t before = chunk->before;

	if (d->stride == 1) {
		memcpy(to + before, chunk->values, chunk->n * sizeof(*to));
		return;
	}
	for (uint64_t i = (d->stride - before % d->stride) % d->stride; i < chunk->n;
	     i += d->stride)
		to[(before + i) / d->stride] = chunk->values[i];
}

static void place_slab(struct td_durations *d, struct td_duration_chunk *slab)
{
	const struct td_duration_chunk *chunk;

	for (size_t line = 0; line < SLAB_LINES; line += chunk->lines) {
		chunk = line_of(slab, line);
		if (!chunk->lines)
			return;
		place_chunk(d, chunk);
	}
}

static int place_spilled(struct td_durations *d, size_t i)
{
	_cleanup_free_ char *slab = malloc(SLAB_BYTES);
	size_t have = 0;

	if (!slab)
		return -ENOMEM;
	while (have < SLAB_BYTES) {
		ssize_t n = pread(d->fd, slab + have, SLAB_BYTES - have,
				  (off_t)(i * SLAB_BYTES + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		have += (size_t)n;
	}
	place_slab(d, (struct td_duration_chunk *)slab);
	return 0;
}

static int place(void *arg, size_t i)
{
	struct td_durations *d = arg;

	if (i < d->nspilled)
		return place_spilled(d, i);
	place_slab(d, d->slabs[i - d->nspilled]);
	return 0;
}

static int by_set_and_duration(const void *a, const void *b)
{
	const struct td_large_duration *x = a, *y = b;

	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	return (x->dur_ns > y->dur_ns) - (x->dur_ns < y->dur_ns);
}

static int make_sets(struct td_durations *d, const uint64_t *counts, size_t nsets)
{
	uint64_t total = 0;

	for (size_t s = 0; s < nsets; s++)
		total += counts[s];
	d->stride = total / TD_DURATIONS_EXACT + 1;
	d->nsets = nsets;
	d->first = calloc(nsets + 1, sizeof(*d->first));
	if (!d->first)
		return -ENOMEM;
	for (size_t s = 0; s < nsets; s++)
		d->first[s + 1] = d->first[s] + (counts[s] + d->stride - 1) / d->stride;
	d->values = malloc((d->first[nsets] + 1) * sizeof(*d->values));
	return d->values ? 0 : -ENOMEM;
}

int td_durations_sort(struct td_durations *d, const uint64_t *counts, size_t nsets)
{
	int r;

	r = make_sets(d, counts, nsets);
	if (r < 0)
		return r;
	end_slab(d);
	r = td_parallel(d->nspilled + d->nused, place, d);
	if (r < 0)
		return r;
	free_slabs(d);
	if (d->nlarges)
		qsort(d->larges, d->nlarges, sizeof(*d->larges), by_set_and_duration);
	return td_durations_order(d);
}
