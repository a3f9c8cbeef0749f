/* SPDX-License-Identifier: MIT */
/* What the scripts print; importers/bpftrace/layouts.c reads it. The first column is the time at the END of what
 * happened, in ns since boot. */
#include <stddef.h>

#include "analyzer/export/bpftrace.h"

#define TOD "%H:%M:%S"
/* clang-format off */
#define OUTER_FIRST { "syscall", "libc", "vfs" }
#define VFS_FIRST { "vfs", "syscall", "libc" }

const struct td_export_file td_export_dgx1[] = {
	{ .name = "bio.out", .unit = "requests to disks",
	  .head = "Attaching 4 probes...\n"
		  "TIMESTAMP         TIME      PID      COMM           DONEPID  DONECOMM       DISK T "
		  "SECTOR           BYTES        LAT(ns)\n",
	  .rows = {
		{ NULL, "%-17lu " TOD "  %-8d %-14s %-8d %-14s %-4s %-1s %-16llu %-12u %d\n",
		  "pid comm donepid donecomm disk rw sector bytes? lat" } } },

	{ .name = "open.out", .unit = "opens", .verbs = " open ", .layers = OUTER_FIRST, .also = "vfs_open",
	  .head = "Attaching 6 probes...\n"
		  "TIMESTAMP         TIME      PID      COMM           FUNC         LAT(ns) FILENAME\n",
	  .rows = {
		{ " vfs_open ", "%-17lu " TOD "  %-8d %-14s %-12s %-6d %s\n", "pid comm 'vfs_open' lat name" },
		{ NULL, "%-17lu " TOD "  %-8d %-14s %-12s %-6d %s\n", "pid comm 'openat' lat path" } } },

	{ .name = "vfs_rw.out", .unit = "reads and writes", .verbs = " read write ", .layers = VFS_FIRST,
	  .head = "Attaching 6 probes...\nCapturing VFS Read and Write calls\n"
		  "TIMESTAMP         TIME      PID    COMM           R/W  LAT(ns) REQUESTED  RETURNED   "
		  "FILE\n",
	  .rows = {
		{ NULL, "%-17lu " TOD "  %-6d %-14s %-4s %-7d %-10d %-10d %s\n",
		  "pid comm rw lat asked ret name" } } },

	{ .name = NULL },
};

/* Where the file descriptor is not known, rows are those of August 2022, which have the command's name in its
 * place. The latency of unlink is no latency: both its probes are on the entry. */
const struct td_export_file td_export_split[] = {
	{ .name = "trace_bio.out", .unit = "requests to disks",
	  .head = "Attaching 4 probes...\n"
		  "TIMESTAMP         PID      COMM           DONEPID  DONECOMM       DISK T "
		  "SECTOR           BYTES        LAT(ns)\n",
	  .rows = {
		{ NULL, "%-17lu %-8d %-14s %-8d %-14s %-4s %-1s %-16llu %-12u %d\n",
		  "pid comm donepid donecomm disk rw sector bytes? lat" } } },

	{ .name = "trace_openat.out", .unit = "opens", .verbs = " open ", .layers = OUTER_FIRST,
	  .head = "Attaching 4 probes...\nTIMESTAMP         PID    FD    LAT(ns)  FULLPATH FILENAME\n",
	  .rows = {
		{ NULL, "%-17lu %-6d %-5d %-8d %s %s\n", "pid ret lat path found" },
		{ NULL, "%-17lu %-6d %s %-8d %s %s\n", "pid comm lat path found" } } },

	{ .name = "trace_read.out", .unit = "reads", .verbs = " read ", .layers = OUTER_FIRST,
	  .head = "Attaching 6 probes...\n"
		  "TIMESTAMP         PID    FD   RET (B)      LAT(ns)      FILENAME\n",
	  .rows = {
		{ NULL, "%-17lu %-6d %-4d %-12lu %-12lu %s\n", "pid fd ret lat name" },
		{ NULL, "%-17lu %-6d %s %-12lu %-12lu %s\n", "pid comm ret lat name" } } },

	{ .name = "trace_write.out", .unit = "writes", .verbs = " write ", .layers = OUTER_FIRST,
	  .head = "Attaching 6 probes...\n"
		  "TIMESTAMP         PID    FD   BUFFER ADDR   OFFSET   REQ (B)    RET (B)    LAT(ns) \n",
	  .rows = {
		{ NULL, "%-17lu %-6d %-4d 0x%-13lx %-8d %-10d %-10d %-10d %s\n",
		  "pid fd 0 offset? asked ret lat name" },
		{ NULL, "%-17lu %-6d %s 0x%-13lx %-8d %-10d %-10d %-10d %s\n",
		  "pid comm 0 offset? asked ret lat name" } } },

	{ .name = "trace_close.out", .unit = "closes", .verbs = " close ", .layers = OUTER_FIRST,
	  .head = "Attaching 4 probes...\nTIMESTAMP         PID    FD    LAT(ns)  FILENAME\n",
	  .rows = {
		{ NULL, "%-17lu %-6d %-5d %-8d %s\n", "pid fd lat name" } } },

	{ .name = "trace_create_del.out", .unit = "calls that make or remove", .verbs = " create remove ",
	  .layers = OUTER_FIRST,
	  .head = "Attaching 8 probes...\n"
		  "mkdir():\nTIMESTAMP         PID    FUNCTION   MODE     LAT(ns)  FILENAME\n"
		  "rmdir():\nTIMESTAMP         PID    FUNCTION   LAT(ns)  FILENAME\n"
		  "unlink():\nTIMESTAMP         PID    FUNCTION   LAT(ns)  FILENAME FULLPATH\n",
	  .rows = {
		{ " mkdir mkdirat ", "%-17lu %-6d %-10s %-8hu %-8d %s\n", "pid 'mkdir()' 0 lat path" },
		{ " rmdir ", "%-17lu %-6d %-10s %-8d %s\n", "pid 'rmdir()' lat path" },
		{ " unlink unlinkat ", "%-17lu %-6d %-10s %-8d %s %s\n", "pid 'unlink()' lat '' path" } } },

	{ .name = "trace_mmap.out", .unit = "calls that map or unmap", .verbs = " map unmap ",
	  .layers = OUTER_FIRST,
	  .head = "Attaching 6 probes...\n"
		  "mmap():\nTIMESTAMP         PID    FD   ADDRESS       LAT(ns)  FILENAME\n"
		  "munmap():\nTIMESTAMP         PID    ADDRESS       LEN      LAT(ns) \n",
	  .rows = {
		{ " mmap mmap2 mmap64 ", "%-17lu %-6d %-4d 0x%lx %-8d %s\n", "pid fd ret lat name" },
		{ " munmap ", "%-17lu %-6d 0x%lx %-8d %-8d\n", "pid 0 asked? lat" } } },

	{ .name = NULL },
};
/* clang-format on */
