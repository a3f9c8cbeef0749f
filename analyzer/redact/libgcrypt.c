/* SPDX-License-Identifier: MIT */
#include "analyzer/redact/libgcrypt.h"
#include "common/library.h"

#define FUNCTIONS(F)                                                                               \
	F(const char *, gcry_check_version, (const char *wanted), (wanted))                        \
	F(gcry_error_t, gcry_md_open, (gcry_md_hd_t * h, int algo, unsigned flags),                \
	  (h, algo, flags))                                                                        \
	F(void, gcry_md_close, (gcry_md_hd_t h), (h))                                              \
	F(gcry_error_t, gcry_md_setkey, (gcry_md_hd_t h, const void *key, size_t len),             \
	  (h, key, len))                                                                           \
	F(void, gcry_md_hash_buffer, (int algo, void *to, const void *p, size_t len),              \
	  (algo, to, p, len))                                                                      \
	F(void, gcry_md_write, (gcry_md_hd_t h, const void *p, size_t len), (h, p, len))           \
	F(unsigned char *, gcry_md_read, (gcry_md_hd_t h, int algo), (h, algo))

enum { FUNCTIONS(TD_LIBRARY_NUMBER) NUMBER_gcry_control, NFUNCTIONS };

static const char *const names[] = { FUNCTIONS(TD_LIBRARY_NAME) "gcry_control" };
static void *found[NFUNCTIONS];

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the headers have others */
FUNCTIONS(TD_LIBRARY_CALL)

/* Only with commands that take an int. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
gcry_error_t gcry_control(enum gcry_ctl_cmds command, ...)
{
	va_list ap;
	int value;

	va_start(ap, command);
	value = va_arg(ap, int);
	va_end(ap);
	return ((__typeof__(gcry_control) *)found[NUMBER_gcry_control])(command, value);
}

bool td_libgcrypt_load(void)
{
	static struct td_library lib = TD_LIBRARY_INIT("libgcrypt.so.20", names, found);

	return td_library_load(&lib);
}
