/* SPDX-License-Identifier: MIT */
#include <sys/mman.h>

#include "store/derive/durations_private.h"
#include "common/array.h"
#include "common/parallel.h"
#include "common/tmpfile.h"
#include "common/pio.h"

/* Chunks begin with one line and double up to a page, so that a set of one duration takes a line and no set
 * takes much more than twice what it needs. They lie in slabs, 32 MiB of which stay in memory. */
#define CHUNK_LINES_MAX 64
#define SLAB_BYTES ((size_t)1 << 20)
#define SLAB_LINES (SLAB_BYTES / sizeof(struct td_duration_line))
#define SLABS_MAX 32
#define LINES_MAX (SLABS_MAX * SLAB_LINES)
#define LINES_BYTES (SLABS_MAX * SLAB_BYTES)

/* Begins at a line and ends with one. */
struct chunk {
	/* durations of the set that came before */
	_Alignas(struct td_duration_line) uint64_t before;
	uint32_t set;
	uint16_t lines; /* so long it is; 0: there is none any more in the slab */
	uint16_t n; /* once it is closed */
	uint32_t values[];
};

/* What the head of a chunk takes of its first line. */
#define HEAD_CELLS (offsetof(struct chunk, values) / sizeof(uint32_t))

_Static_assert(offsetof(struct chunk, values) % sizeof(uint32_t) == 0, "the head ends with a cell");
_Static_assert(HEAD_CELLS < TD_DURATION_CELLS, "a line has room for the head and a duration");
_Static_assert(SLAB_LINES % CHUNK_LINES_MAX == 0, "a chunk fits a slab");
_Static_assert(CHUNK_LINES_MAX - 1 <= UINT8_MAX, "td_duration_list.line_of_chunk");

/* Not from malloc(): what is not used of it is no memory yet, nor does anybody fill it or mark it as free, as sanitizers and
 * MALLOC_PERTURB_ do. */
int td_durations_new(const char *path, struct td_durations **ret)
{
	struct td_durations *d = malloc(sizeof(*d));

	if (!d)
		return -ENOMEM;
	*d = (struct td_durations){
		.path = path,
		.fd = -1,
		.lines = mmap(NULL, LINES_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	};
	if (d->lines == MAP_FAILED) {
		free(d);
		return -ENOMEM;
	}
	/* few durations take no large page */
	(void)madvise((char *)d->lines + TD_HUGE_PAGE, LINES_BYTES - TD_HUGE_PAGE, MADV_HUGEPAGE);
	*ret = d;
	return 0;
}

static void free_lines(struct td_durations *d)
{
	if (d->lines)
		(void)munmap(TAKE_PTR(d->lines), LINES_BYTES);
}

void td_durations_free(struct td_durations *d)
{
	if (!d)
		return;
	if (d->fd >= 0)
		close(d->fd);
	free_lines(d);
	free(d->larges);
	free(d->first);
	free(d->values);
	free(d->first_part);
	free(d->ends);
	free(d);
}

/* --- collecting --- */

struct td_duration_line *td_durations_lines(const struct td_durations *d)
{
	return d->lines;
}

static struct chunk *chunk_at(struct td_duration_line *line)
{
	return (struct chunk *)line;
}

static struct chunk *chunk_of(const struct td_durations *d, const struct td_duration_list *list)
{
	return chunk_at(&d->lines[list->line - list->line_of_chunk]);
}

/* How many slabs are in use. */
static size_t slabs_of(const struct td_durations *d)
{
	return (d->nlines + SLAB_LINES - 1) / SLAB_LINES;
}

/* What comes next is in the next slab: after the last chunk of this one there is none. */
static void end_slab(struct td_durations *d)
{
	size_t end = slabs_of(d) * SLAB_LINES;

	if (d->nlines < end)
		memset(&d->lines[d->nlines], 0, sizeof(*d->lines));
	d->nlines = end;
}

void td_durations_close(struct td_durations *d, struct td_duration_list *list)
{
	if (list->n)
		chunk_of(d, list)->n =
			(uint16_t)(list->line_of_chunk * TD_DURATION_CELLS + list->n - HEAD_CELLS);
	*list = (struct td_duration_list){ 0 };
}

/* Makes a cell of the list's line free; as td_durations_add(). */
static int make_room(struct td_durations *d, uint32_t set, struct td_duration_list *list,
		     uint64_t before)
{
	uint16_t lines = 1;
	struct chunk *chunk;

	if (list->n) {
		chunk = chunk_of(d, list);
		if (list->line_of_chunk + 1 < chunk->lines) {
			list->line++;
			list->line_of_chunk++;
			list->n = 0;
			return 0;
		}
		lines = (uint16_t)TD_MIN(chunk->lines * 2, CHUNK_LINES_MAX);
	}
	if (d->nlines % SLAB_LINES + lines > SLAB_LINES)
		end_slab(d);
	if (d->nlines == LINES_MAX)
		return 1;
	td_durations_close(d, list);
	chunk = chunk_at(&d->lines[d->nlines]);
	chunk->before = before;
	chunk->set = set;
	chunk->lines = lines;
	list->line = (uint32_t)d->nlines;
	list->n = HEAD_CELLS;
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
	td_durations_put(d->lines, list,
			 dur_ns >= TD_DURATION_LARGE ? TD_DURATION_LARGE : (uint32_t)dur_ns);
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
	for (size_t i = 0; i < slabs_of(d) && r >= 0; i++)
		r = td_write_at(d->fd, &d->lines[i * SLAB_LINES], SLAB_BYTES,
				(d->nspilled + i) * SLAB_BYTES);
	d->nspilled += slabs_of(d);
	d->nlines = 0;
	return r;
}

/* --- set by set --- */

static void place_chunk(struct td_durations *d, const struct chunk *chunk)
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

static void place_slab(struct td_durations *d, struct td_duration_line *slab)
{
	const struct chunk *chunk;

	for (size_t line = 0; line < SLAB_LINES; line += chunk->lines) {
		chunk = chunk_at(&slab[line]);
		if (!chunk->lines)
			return;
		place_chunk(d, chunk);
	}
}

static int place_spilled(struct td_durations *d, size_t i)
{
	_cleanup_free_ struct td_duration_line *slab =
		aligned_alloc(_Alignof(struct td_duration_line), SLAB_BYTES);
	size_t have = 0;

	if (!slab)
		return -ENOMEM;
	while (have < SLAB_BYTES) {
		ssize_t n = pread(d->fd, (char *)slab + have, SLAB_BYTES - have,
				  (off_t)(i * SLAB_BYTES + have));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		have += (size_t)n;
	}
	place_slab(d, slab);
	return 0;
}

/* A slab in memory is given back at once: the values take as much, and most of what an import takes is taken then. */
static int place(void *arg, size_t i)
{
	struct td_durations *d = arg;
	struct td_duration_line *slab;

	if (i < d->nspilled)
		return place_spilled(d, i);
	slab = &d->lines[(i - d->nspilled) * SLAB_LINES];
	place_slab(d, slab);
	(void)madvise(slab, SLAB_BYTES, MADV_DONTNEED);
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
	d->values = td_big_alloc((d->first[nsets] + 1) * sizeof(*d->values));
	return d->values ? 0 : -ENOMEM;
}

int td_durations_sort(struct td_durations *d, const uint64_t *counts, size_t nsets)
{
	int r;

	r = make_sets(d, counts, nsets);
	if (r < 0)
		return r;
	end_slab(d);
	r = td_parallel(d->nspilled + slabs_of(d), place, d);
	if (r < 0)
		return r;
	free_lines(d);
	if (d->nlarges)
		qsort(d->larges, d->nlarges, sizeof(*d->larges), by_set_and_duration);
	return td_durations_order(d);
}
