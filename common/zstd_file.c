/* SPDX-License-Identifier: MIT */
#include <zstd.h>

#include "common/cleanup.h"
#include "common/zstd_file.h"

#define LEVEL 3 /* of the zstd program */
#define BUFFER_BYTES ((size_t)1 << 17)

struct packer {
	FILE *to;
	bool owned; /* to */
	ZSTD_CStream *zstd; /* owned */
	char out[BUFFER_BYTES];
};

static void packer_free(struct packer *p)
{
	if (!p)
		return;
	if (p->to && p->owned)
		(void)fclose(p->to);
	ZSTD_freeCStream(p->zstd);
	free(p);
}
TD_DEFINE_CLEANUP(struct packer *, packer_free)

/* Packs what there is; ZSTD_e_end: all of it. 0, or -1 with errno. */
static int pack(struct packer *p, ZSTD_inBuffer *in, ZSTD_EndDirective how)
{
	size_t left;

	do {
		ZSTD_outBuffer out = { p->out, sizeof(p->out), 0 };

		left = ZSTD_compressStream2(p->zstd, &out, in, how);
		if (ZSTD_isError(left)) {
			errno = ENOMEM;
			return -1;
		}
		if (fwrite(p->out, 1, out.pos, p->to) != out.pos)
			return -1;
	} while (how == ZSTD_e_end ? left > 0 : in->pos < in->size);
	return 0;
}

static ssize_t write_cookie(void *cookie, const char *buf, size_t size)
{
	ZSTD_inBuffer in = { buf, size, 0 };

	return pack(cookie, &in, ZSTD_e_continue) < 0 ? 0 : (ssize_t)size;
}

static int close_cookie(void *cookie)
{
	_cleanup_(packer_freep) struct packer *p = cookie;
	ZSTD_inBuffer in = { "", 0, 0 };
	int r = pack(p, &in, ZSTD_e_end);
	FILE *to = TAKE_PTR(p->to);

	return (p->owned ? fclose(to) : fflush(to)) == 0 ? r : -1;
}

static int open_packer(FILE *to, bool owned, FILE **ret)
{
	_cleanup_(packer_freep) struct packer *p = calloc(1, sizeof(*p));
	FILE *f;

	if (!p)
		return -ENOMEM;
	p->zstd = ZSTD_createCStream();
	if (!p->zstd ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1)))
		return -ENOMEM;
	f = fopencookie(p, "w",
			(cookie_io_functions_t){ .write = write_cookie, .close = close_cookie });
	if (!f)
		return -ENOMEM;
	(void)setvbuf(f, NULL, _IOFBF, BUFFER_BYTES);
	p->to = to;
	p->owned = owned;
	(void)TAKE_PTR(p);
	*ret = f;
	return 0;
}

int td_zstd_file(FILE **to, FILE **ret)
{
	int r = open_packer(*to, true, ret);

	if (r == 0)
		*to = NULL;
	return r;
}

int td_zstd_onto(FILE *to, FILE **ret)
{
	return open_packer(to, false, ret);
}
