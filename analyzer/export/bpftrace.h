/* SPDX-License-Identifier: MIT */
/* Text as the scripts of the mlperf-traces family print it, for what people have written to read that. */
#pragma once

#include "analyzer/export/export.h"

/* What a row is printed from, by these words: */
enum td_export_field {
	TD_EXPORT_PID, /* pid */
	TD_EXPORT_COMM, /* comm */
	TD_EXPORT_LAT, /* lat: duration */
	TD_EXPORT_RET, /* ret */
	TD_EXPORT_FD, /* fd */
	TD_EXPORT_ASKED, /* asked */
	TD_EXPORT_OFFSET, /* offset */
	TD_EXPORT_PATH, /* path: the name, where it is all that is known */
	TD_EXPORT_NAME, /* name */
	TD_EXPORT_FOUND, /* found: the name, unless the open failed */
	TD_EXPORT_DONEPID, /* donepid */
	TD_EXPORT_DONECOMM, /* donecomm */
	TD_EXPORT_DISK, /* disk */
	TD_EXPORT_RW, /* rw: R, W, or N for what is neither */
	TD_EXPORT_SECTOR, /* sector */
	TD_EXPORT_BYTES, /* bytes */
	TD_EXPORT_NFIELDS,
};

/* A row: the scripts' own format string, in which %H:%M:%S is the local time, and a word per conversion after the
 * first one, which is the time stamp: a field, a 'text', or 0. With '?' behind it what is not known is 0. */
struct td_export_row {
	const char *ops; /* names of operations, parted and surrounded by blanks; NULL: any */
	const char *format, *args;
};

/* A file of a layout. */
struct td_export_file {
	const char *name;
	const char *head; /* its first lines */
	const char *unit; /* what its rows are */
	/* Verbs of the calls that it is of, parted and surrounded by blanks; NULL: requests to disks. */
	const char *verbs;
	/* The calls of the first of these layers that has any; and calls of this operation beside them. */
	const char *layers[3], *also;
	/* The first one that fits the operation, and whose fields are known, is printed. A row without format
	 * ends them. */
	struct td_export_row rows[4];
};
extern const struct td_export_file td_export_dgx1[],
	td_export_split[]; /* each ended by one without name */
