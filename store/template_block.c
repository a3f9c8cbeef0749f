/* SPDX-License-Identifier: MIT */
#include "common/cleanup.h"
#include "common/parallel.h"
#include "store/template.h"
#include "store/template_block.h"

/* Names that differ in digits only have one template: such ones are looked for among the last of so many lengths. */
#define RECENT_LENGTHS 16

/* Files of a piece, which one CPU does, and pieces of a block. */
#define PIECE ((size_t)1024)
#define PIECES ((size_t)64)
#define BLOCK (PIECE * PIECES)

struct piece {
	char *texts; /* one behind the other; owned */
	size_t cap;
	size_t ends[PIECE]; /* of each */
	bool again[PIECE]; /* it is the same as the one before */
};

struct td_template_block {
	const struct td_file *files; /* borrowed while the pieces are made */
	size_t nfiles;
	size_t number; /* of the block that is there, from 1; 0: none */
	struct piece pieces[PIECES];
};

static size_t begin_of(const struct piece *p, size_t k)
{
	return k ? p->ends[k - 1] : 0;
}

/* The last text of a length in a piece, and which template is its own. */
struct recent {
	struct td_str text; /* .p NULL: there is none */
	size_t k;
};

/* Adds the template of the text behind the first len bytes: how many there are then, or -ENOMEM. */
static ssize_t add_template(struct piece *p, size_t len, struct td_str text,
			    const struct recent *recent)
{
	size_t want = len + TD_TEMPLATE_ROOM(text.len);

	if (want > p->cap) {
		size_t cap = TD_MAX(want, p->cap * 2);
		char *grown = realloc(p->texts, cap);

		if (!grown)
			return -ENOMEM;
		p->texts = grown;
		p->cap = cap;
	}
	if (recent->text.p && td_template_is_same(recent->text, text)) {
		size_t begin = begin_of(p, recent->k), n = p->ends[recent->k] - begin;

		memcpy(p->texts + len, p->texts + begin, n);
		return (ssize_t)(len + n);
	}
	return (ssize_t)(len + td_template_of(text, p->texts + len));
}

/* Of most files the last template is that of the one before, which is looked at while both are in a cache. */
static bool is_again(const struct piece *p, size_t k)
{
	size_t begin, end, len;

	if (k == 0)
		return false;
	begin = begin_of(p, k - 1);
	end = p->ends[k - 1];
	len = p->ends[k] - end;
	return len == end - begin &&
	       (len == 0 || memcmp(p->texts + begin, p->texts + end, len) == 0);
}

static int make_piece(void *arg, size_t i)
{
	struct td_template_block *b = arg;
	struct piece *p = &b->pieces[i];
	size_t first = (b->number - 1) * BLOCK + i * PIECE;
	struct recent recents[RECENT_LENGTHS] = { 0 };
	ssize_t len = 0;

	for (size_t k = 0; k < PIECE && first + k < b->nfiles; k++) {
		const struct td_file *f = &b->files[first + k];

		struct td_str text = f->path.p ? f->path : f->name;
		struct recent *recent = &recents[text.len % RECENT_LENGTHS];

		len = add_template(p, (size_t)len, text, recent);
		if (len < 0)
			return (int)len;
		*recent = (struct recent){ text, k };
		p->ends[k] = (size_t)len;
		p->again[k] = is_again(p, k);
	}
	return 0;
}

static int make_block(struct td_template_block *b, const struct td_file *files, size_t nfiles,
		      size_t number)
{
	int r;

	b->files = files;
	b->nfiles = nfiles;
	b->number = number;
	r = td_parallel(PIECES, make_piece, b);
	if (r < 0)
		b->number = 0;
	return r;
}

/* Is the block of the file there, or can it be made? */
static bool has_block(struct td_template_block **block, const struct td_file *files, size_t nfiles,
		      uint32_t id)
{
	size_t number = (id - 1) / BLOCK + 1;

	if (*block && (*block)->number == number)
		return true;
	/* once at most, then, in whatever order files are asked for */
	if ((id - 1) % BLOCK != 0 || nfiles <= BLOCK)
		return false;
	if (!*block)
		*block = calloc(1, sizeof(**block));
	return *block && make_block(*block, files, nfiles, number) >= 0;
}

struct td_str td_template_block_get(struct td_template_block **block, const struct td_file *files,
				    size_t nfiles, uint32_t id, bool *ret_again)
{
	size_t at = (id - 1) % BLOCK, begin;
	const struct piece *p;

	*ret_again = false;
	if (!has_block(block, files, nfiles, id))
		return (struct td_str){ NULL, 0 };
	p = &(*block)->pieces[at / PIECE];
	begin = begin_of(p, at % PIECE);
	*ret_again = p->again[at % PIECE];
	return (struct td_str){ p->texts ? p->texts + begin : "", p->ends[at % PIECE] - begin };
}

void td_template_block_free(struct td_template_block *block)
{
	if (!block)
		return;
	for (size_t i = 0; i < PIECES; i++)
		free(block->pieces[i].texts);
	free(block);
}
