/* SPDX-License-Identifier: MIT */
#include "common/libarchive.h"
#include "common/library.h"

#define FUNCTIONS(F)                                                                               \
	F(struct archive *, archive_read_new, (void), ())                                          \
	F(int, archive_read_free, (struct archive * a), (a))                                       \
	F(int, archive_read_support_format_raw, (struct archive * a), (a))                         \
	F(int, archive_read_support_format_tar, (struct archive * a), (a))                         \
	F(int, archive_read_support_format_zip_streamable, (struct archive * a), (a))              \
	F(int, archive_read_support_filter_xz, (struct archive * a), (a))                          \
	F(int, archive_read_support_filter_bzip2, (struct archive * a), (a))                       \
	F(int, archive_read_support_filter_lz4, (struct archive * a), (a))                         \
	F(int, archive_read_set_format_option,                                                     \
	  (struct archive * a, const char *m, const char *o, const char *v), (a, m, o, v))         \
	F(int, archive_read_open,                                                                  \
	  (struct archive * a, void *ud, archive_open_callback *open, archive_read_callback *read, \
	   archive_close_callback *close),                                                         \
	  (a, ud, open, read, close))                                                              \
	F(int, archive_read_next_header, (struct archive * a, struct archive_entry * *entry),      \
	  (a, entry))                                                                              \
	F(int, archive_read_data_block,                                                            \
	  (struct archive * a, const void **p, size_t *size, la_int64_t *offset),                  \
	  (a, p, size, offset))                                                                    \
	F(int, archive_read_data_skip, (struct archive * a), (a))                                  \
	F(int, archive_errno, (struct archive * a), (a))                                           \
	F(const char *, archive_error_string, (struct archive * a), (a))                           \
	F(int, archive_format, (struct archive * a), (a))                                          \
	F(int, archive_filter_count, (struct archive * a), (a))                                    \
	F(const char *, archive_version_details, (void), ())                                       \
	F(const char *, archive_entry_pathname, (struct archive_entry * e), (e))                   \
	F(const char *, archive_entry_pathname_utf8, (struct archive_entry * e), (e))              \
	F(const char *, archive_entry_hardlink, (struct archive_entry * e), (e))                   \
	F(__LA_MODE_T, archive_entry_filetype, (struct archive_entry * e), (e))                    \
	F(int, archive_entry_is_data_encrypted, (struct archive_entry * e), (e))

enum { FUNCTIONS(TD_LIBRARY_NUMBER) NFUNCTIONS };

static const char *const names[] = { FUNCTIONS(TD_LIBRARY_NAME) };
static void *found[NFUNCTIONS];

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the headers have others */
FUNCTIONS(TD_LIBRARY_CALL)

bool td_libarchive_load(void)
{
	static struct td_library lib = TD_LIBRARY_INIT("libarchive.so.13", names, found);

	return td_library_load(&lib);
}
