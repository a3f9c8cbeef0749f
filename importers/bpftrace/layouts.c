/* SPDX-License-Identifier: MIT */
/*
 * What the mlperf-traces scripts and their successors printed, from January 2022 to March 2023. Format
 * strings are those of the scripts, the printf() and time() calls of an event joined; versions that
 * differ only in what a parser cannot see (%d or %u, %lu or %ld) share a row.
 *
 * Headers choose the candidates and lie: they say FD over a command name, TID over a pid, TIME over no
 * time, and forget the FILENAME. So layouts that share a header all stay candidates, and the rows
 * decide. Where rows cannot either, the order here does: the layout that was in use for longer is first.
 *
 * Not here are the versions that bpftrace refuses, of which no output can exist: too few or too many
 * arguments (trace_mmap of 2022-04-25 with "%-17lu %-4d 0x%lx %-8d %-8d %s\n", trace_mmap_old,
 * trace_close 1, trace_open_close 2), %s for an integer or %d for a string (trace_read 11, 12, 13 and 15,
 * trace_openat 6, trace_create_del 1, trace_read_write 1 to 3), a sigil or a comma missing or a full stop in
 * its place (cd 4 and 6, trace_read_addr 1).
 */
#include "importers/bpftrace/layout.h"

#define TOD "%H:%M:%S"
#define HEADERS(...)                                                                               \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}
#define ROWS(...)                                                                                  \
	(const struct td_layout_row[])                                                             \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			NULL, NULL, NULL                                                           \
		}                                                                                  \
	}

/* clang-format off */

/* First columns of a row, as cd.bt and the scripts of 2022-04-25 begin all of theirs. Without a blank
 * behind the last one the column that follows touches it: "1313403 1313403mkdir()". */
#define CD1  "%-17lu " TOD "  %-8d %-8d "
#define CD1G "%-17lu " TOD "  %-8d%-8d "
#define CD2  "%-17lu " TOD "  %-8d %-8d"
#define TIDL "%lu " TOD "  %-6d %-6d"
#define TID2 "%-17lu " TOD "  %-6d %-6d"
#define TID1 "%-17lu " TOD " %-6d %-6d "

const struct td_layout td_layouts[] = {
	/* --- dgx1_v2: bio.out, open.out, vfs_rw.out --- */

	{ .name = "dgx1_v2/bio", .headers = HEADERS(
		"TIMESTAMP TIME PID COMM DONEPID DONECOMM DISK T SECTOR BYTES LAT(ns)"),
	  .rows = ROWS(
		{ "%-17lu " TOD "  %-8d %-14s %-8d %-14s %-4s %-1s %-16llu %-12u %d\n",
		  "ts pid comm donepid donecomm disk rw sector bytes lat" }) },

	{ .name = "dgx1_v2/open", .headers = HEADERS(
		"TIMESTAMP TIME PID COMM FUNC LAT(ns) FILENAME"),
	  .rows = ROWS(
		{ "%-17lu " TOD "  %-8d %-14s %-12s %-6d %s\n", "ts pid comm 'openat' lat path" },
		{ "%-17lu " TOD "  %-8d %-14s %-12s %-6d %s\n", "ts pid comm 'vfs_open' lat name" }) },

	{ .name = "dgx1_v2/vfs_rw", .headers = HEADERS(
		"TIMESTAMP TIME PID COMM R/W LAT(ns) REQUESTED RETURNED FILE"),
	  .rows = ROWS(
		{ "%-17lu " TOD "  %-6d %-14s %-4s %-7d %-10d %-10d %s\n",
		  "ts pid comm 'R' lat asked ret name", "vfs_read" },
		{ "%-17lu " TOD "  %-6d %-14s %-4s %-7d %-10d %-10d %s\n",
		  "ts pid comm 'W' lat asked ret name", "vfs_write" }) },

	/* --- v1: the first scripts, 2022-01-27 to 2022-02-02, and the dgx1 branch --- */

	{ .name = "v1/bio", .headers = HEADERS(
		"TIMESTAMP COMM PID CALLER? CALLING PID DISK T SECTOR BYTES LAT(ns)",
		"TIMESTAMP COMM PID CALLER? CALLPID DISK T SECTOR BYTES LAT(ns)"),
	  .rows = ROWS(
		{ "%-17lu %-16s %-8d %-16s %-8d %-8s %-1d %-12llu %-12u %d\n",
		  "ts comm pid donecomm donepid disk rw sector bytes lat" },
		{ "%-17lu %-16s %-8d %-16s %-8d %-8s %-12d %-12llu %-12u %d\n",
		  "ts comm pid donecomm donepid disk rw sector bytes lat" },
		{ "%-18lu %-16s %-8d %-16s %-8d %-8s %-1s %-12llu %u %d\n",
		  "ts comm pid donecomm donepid disk rw sector bytes lat" },
		{ "%lu %s %d %s %d %s %s %llu %u %d\n",
		  "ts comm pid donecomm donepid disk rw sector bytes lat" }) },

	{ .name = "v1/open", .headers = HEADERS(
		"TIMESTAMP PID COMM FUNC LAT (ns) FILE"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-12s %-12s %-6d %s\n", "ts pid comm 'openat' lat path" },
		{ "%-17lu %-8d %-12s %-12s %-6d %s\n", "ts pid comm 'vfs_open' lat name" },
		{ "%-17lu %-8d %-16s %-12s %-6d %s\n", "ts pid comm 'openat' lat path" },
		{ "%-17lu %-8d %-16s %-12s %-6d %s\n", "ts pid comm 'vfs_open' lat name" },
		{ "%lu %d %s %s %d %s\n", "ts pid comm 'openat' lat path" },
		{ "%lu %d %s %s %d %s\n", "ts pid comm 'vfs_open' lat name" }) },

	{ .name = "v1/vfs_rw", .headers = HEADERS(
		"TIMESTAMP PID COMM FUNC LAT (ns) REQ BYTES FILE"),
	  .rows = ROWS(
		{ "%-18lu %-6d %-16s %-16s %-8d %-10d %-10d %s\n",
		  "ts pid comm 'vfs_read' lat asked ret name" },
		{ "%-18lu %-6d %-16s %-16s %-8d %-10d %-10d %s\n",
		  "ts pid comm 'vfs_write' lat asked ret name" },
		{ "%lu %d %s %s %d %d %d %s\n", "ts pid comm 'vfs_read' lat asked ret name" },
		{ "%lu %d %s %s %d %d %d %s\n", "ts pid comm 'vfs_write' lat asked ret name" }) },

	/* --- split: one script per system call, from 2022-04-28 --- */

	{ .name = "split/bio", .headers = HEADERS(
		"TIMESTAMP PID COMM DONEPID DONECOMM DISK T SECTOR BYTES LAT(ns)",
		"TIMESTAMP PID COMM DONEPID DONECOMM DISK T BYTES LAT(ns)"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-14s %-8d %-14s %-4s %-1s %-12lu %lu\n",
		  "ts pid comm donepid donecomm disk rw bytes lat" },
		{ "%-17lu %-8d %-14s %-8d %-14s %-4s %-1s %-16llu %-12u %d\n",
		  "ts pid comm donepid donecomm disk rw sector bytes lat" }) },

	/* the header's FD is the command name from 2022-08-04 to 2022-09-20 */
	{ .name = "split/read", .headers = HEADERS(
		"TIMESTAMP PID FD RET (B) LAT(ns) FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-4d %-12lu %-12lu %s\n", "ts pid fd ret lat name", "read" },
		{ "%-17lu %-6d %-4d %-10d %-10d %s\n", "ts pid fd ret lat name", "read" },
		{ "%-17lu %-6d %s %-12lu %-12lu %s\n", "ts pid comm ret lat name", "read" }) },

	{ .name = "split/write", .headers = HEADERS(
		"TIMESTAMP PID FD BUFFER ADDR OFFSET REQ (B) RET (B) LAT(ns)"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-4d 0x%-13lx %-8d %-10d %-10d %-10d %s\n",
		  "ts pid fd - offset asked ret lat name", "write" },
		{ "%-17lu %-6d %s 0x%-13lx %-8d %-10d %-10d %-10d %s\n",
		  "ts pid comm - offset asked ret lat name", "write" }) },

	{ .name = "split/openat", .headers = HEADERS(
		"TIMESTAMP PID FD LAT(ns) FULLPATH FILENAME",
		"TIMESTAMP PID COMM LAT(ns) FULLPATH FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-5d %-8d %s %s\n", "ts pid ret lat path name", "openat" },
		{ "%-17lu %-6d %s %-8d %s %s\n", "ts pid comm lat path name", "openat" }) },

	/* its header has no newline: the first event stands on the header's line */
	{ .name = "split/openat-name-first", .headers = HEADERS(
		"TIMESTAMP PID FD LAT(ns) FILENAME FULLPATH"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-5d %-8d %s %s\n", "ts pid ret lat name path", "openat" }) },

	{ .name = "split/close", .headers = HEADERS(
		"TIMESTAMP PID FD LAT(ns) FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-5d %-8d %s\n", "ts pid fd lat name", "close" }) },

	/* reads as trace_read has them, without return value and time, printed at the end of the read */
	{ .name = "split/read_addr", .headers = HEADERS(
		"TIMESTAMP PID FD BUFFER ADDR OFFSET FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-4d 0x%-13lx %-8d %s\n", "ts pid fd - offset name", "read" }) },

	{ .name = "split/mmap", .headers = HEADERS(
		"TIMESTAMP PID FD ADDRESS LAT(ns) FILENAME",
		"TIMESTAMP PID ADDRESS LEN LAT(ns)"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-4d 0x%lx %-8d %s\n", "ts pid fd ret lat name", "mmap" },
		{ "%-17lu %-6d 0x%lx %-8d %-8d\n", "ts pid - asked lat", "munmap" }) },

	/* Both probes of unlink are on its entry: the latency is the distance of two probes, the file name
	 * always empty. create() is sys_enter_creat. The headers of 2022-04-28 still say TIME and TID. */
	{ .name = "split/create_del", .headers = HEADERS(
		"TIMESTAMP PID FUNCTION MODE LAT(ns) FILENAME",
		"TIMESTAMP PID FUNCTION LAT(ns) FILENAME",
		"TIMESTAMP PID FUNCTION LAT(ns) FILENAME FULLPATH",
		"TIMESTAMP TIME PID TID FUNCTION MODE LAT(ns) FILENAME",
		"TIMESTAMP TIME PID TID FUNCTION LAT(ns) FILENAME",
		"TIMESTAMP TIME PID TID FUNCTION LAT(ns) FILENAME FULLPATH"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-10s %-8hu %-8d %s\n", "ts pid 'mkdir()' =mode lat path" },
		{ "%-17lu %-6d %-10s %-8d %s\n", "ts pid 'rmdir()' lat path" },
		{ "%-17lu %-6d %-10s %-8d %s %s\n", "ts pid 'unlink()' - name path" },
		{ "%-17lu %-6d %-6d %-10s %-5hu %s\n", "ts pid tid 'create()' =mode path", "creat" }) },

	/* time() runs when the event is read, a little after nsecs was taken */
	{ .name = "split/time_align", .headers = HEADERS(
		"TIMESTAMP TIME"),
	  .rows = ROWS(
		{ "%-17lu " TOD "\n", "ts" },
		{ "%-15lu " TOD "\n", "ts" },
		{ "%-17lu " TOD " ", "ts" }) },

	/* --- tid: awsvm_tid_traces, 2022-04-25 to 2022-04-28 --- */

	{ .name = "tid/read", .headers = HEADERS(
		"TIMESTAMP TID FD RET (B) LAT(ns) FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-4d %-10d %-10d %s\n", "ts tid fd ret lat name", "read" },
		{ "%-17lu %-6d %-4d %-8d %-8d %s\n", "ts tid fd ret lat name", "read" }) },

	{ .name = "tid/write", .headers = HEADERS(
		"TIMESTAMP TID FD BUFFER ADDR OFFSET REQ (B) RET (B) LAT(ns)"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-4d 0x%-13lx %-8d %-10d %-10d %-10d %s\n",
		  "ts tid fd - offset asked ret lat name", "write" }) },

	/* the first one lacks the newline, as does its header */
	{ .name = "tid/read_addr", .headers = HEADERS(
		"TIMESTAMP TID FD BUFFER ADDR OFFSET FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-4d 0x%-13lx %-8d %s", "ts tid fd - offset name", "read" },
		{ "%-17lu %-6d %-4d 0x%-13lx %-8d %s\n", "ts tid fd - offset name", "read" }) },

	/* the version of 2022-04-28 prints the pid under TID, which cannot be told from the tid */
	{ .name = "tid/mmap", .headers = HEADERS(
		"TIMESTAMP TID FD ADDRESS LAT(ns) FILENAME",
		"TIMESTAMP TID ADDRESS LEN LAT(ns)"),
	  .rows = ROWS(
		{ "%-17lu %-6d %-4d 0x%lx %-8d %s\n", "ts tid fd ret lat name", "mmap" },
		{ "%-17lu %-6d 0x%lx %-8d %-8d\n", "ts tid - asked lat", "munmap" }) },

	/* in one version %x prints half of each address, which cannot be told from whole ones */
	{ .name = "tid/mmap-time", .headers = HEADERS(
		"TIMESTAMP TIME PID TID FUNCTION ADDRESS LEN PROT FLAGS LAT(ns) FILENAME",
		"TIMESTAMP TIME PID TID FUNCTION FD ADDRESS HINT ADDR LEN PROT FLAGS LAT(ns) FILENAME",
		"TIMESTAMP TIME PID TID FUNCTION ADDRESS LEN LAT(ns)"),
	  .rows = ROWS(
		{ TID1 "%-10s %-4d 0x%-13lx 0x%-13lx %-8d 0x%-4x 0x%-4x %-8d %s\n",
		  "ts pid tid 'mmap()' fd - - asked =prot =flags lat name" },
		{ TID1 "%-10s 0x%-13lx %-8d %-8d\n", "ts pid tid 'munmap()' - asked lat" },
		{ TIDL "%-10s 0x%-12x %-8d 0x%-4x 0x%-4x %-8d %s\n",
		  "ts pid tid 'mmap()' - asked =prot =flags lat name" },
		{ TIDL "%-10s 0x%lx %-8d %-8d\n", "ts pid tid 'munmap()' - asked lat" }) },

	{ .name = "tid/open_close", .headers = HEADERS(
		"TIMESTAMP TIME PID TID FUNCTION FD FLAGS MODE LAT(ns) FILENAME FULLPATH",
		"TIMESTAMP TIME PID TID FUNCTION FD LAT(ns) FILENAME",
		"TIMESTAMP TIME PID TID FUNCTION FD FLAGS LAT(ns) FILENAME",
		"TIMESTAMP TIME PID TID FUNCTION LAT(ns) FILENAME",
		"TIMESTAMP TIME PID TID FUNCTION FD LAT(ns)"),
	  .rows = ROWS(
		{ TID1 "%-10s %-5d %-8x %-8hu %-8d %s %s\n",
		  "ts pid tid 'openat()' ret =flags =mode lat name path" },
		{ TID1 "%-10s %-5d %-8d %-17s %s\n", "ts pid tid 'close()' fd lat ' ' name" },
		{ TID1 "%-10s %-4d %-8x %-8hu %-8d %s %s\n",
		  "ts pid tid 'openat()' ret =flags =mode lat name path" },
		{ TID1 "%-10s %-5d %-8d %s\n", "ts pid tid 'close()' fd lat name" },
		{ TID2 "%-10s %-4d %-8x %-8d %s\n", "ts pid tid 'openat()' ret =flags lat path" },
		{ TID2 "%-10s %-8d %s\n", "ts pid tid 'vfs_open()' lat name" },
		{ TID2 "%-10s %-8d %-8d %s\n", "ts pid tid 'fp_close()' fd lat name" },
		{ TID2 "%-10s %-8d %-8d\n", "ts pid tid 'close()' fd lat" }) },

	{ .name = "tid/read_write", .headers = HEADERS(
		"TIMESTAMP TIME PID TID FUNCTION FD BUFFER ADDR OFFSET REQ (B) RET (B) LAT(ns)",
		"TIMESTAMP TIME PID TID FUNCTION FD BUFFER ADDRESS OFFSET REQ (B) RET (B) LAT(ns)",
		"TIMESTAMP TIME PID TID FUNCTION FD REQ (B) RET (B) LAT(ns)",
		"TIMESTAMP TIME PID TID FUNCTION ADDRESS OFFSET REQ (B) REQ (B) LAT(ns) FILENAME"),
	  .rows = ROWS(
		{ TID1 "%-10s %-4d 0x%-13lx %-8d %-10d %-10d %-10d %s\n",
		  "ts pid tid 'read()' fd - offset asked ret lat name" },
		{ TID1 "%-10s %-4d 0x%-13lx %-8d %-10d %-10d %-10d %s\n",
		  "ts pid tid 'write()' fd - offset asked ret lat name" },
		{ TID2 "%-10s %-5d 0x%lx %-8d %-10d %-10d %-10d %s\n",
		  "ts pid tid 'read()' fd - offset asked ret lat name" },
		{ TID2 "%-10s %-5d 0x%lx %-8d %-10d %-10d %-10d %s\n",
		  "ts pid tid 'write()' fd - offset asked ret lat name" },
		{ TID2 "%-8s %-4d %-8d %-8d %-10d\n", "ts pid tid 'read()' fd asked ret lat" },
		{ TID2 "%-10s 0x%lx %-8d %-10d %-10d %-10d %s\n",
		  "ts pid tid 'vfs_read()' - offset asked ret lat name" },
		{ TID2 "%-8s %-8d %-10d %-10d %-8d\n", "ts pid tid 'write()' fd asked ret lat" },
		{ TID2 "%-10s 0x%lx %-8d %-10d %-10d %-10d %s\n",
		  "ts pid tid 'vfs_write()' - offset asked ret lat name" },
		{ TIDL "%-8s %-4d %-8d %-8d %-10d\n", "ts pid tid 'read()' fd asked ret lat" },
		{ TIDL "%-8s %-8d %-10d %-10d %-8d\n", "ts pid tid 'write()' fd asked ret lat" },
		{ TIDL "%-10s 0x%lx %-8d %-10d %-10d %-10d %s\n",
		  "ts pid tid 'vfs_write()' - offset asked ret lat name" }) },

	/* unlink: see split/create_del */
	{ .name = "tid/create_del", .headers = HEADERS(
		"TIMESTAMP TIME PID TID FUNCTION MODE LAT(ns) FILENAME",
		"TIMESTAMP TIME PID TID FUNCTION LAT(ns) FILENAME",
		"TIMESTAMP TIME PID TID FUNCTION LAT(ns) FILENAME FULLPATH",
		"TIMESTAMP TIME PID TID FUNCTION MODE FILENAME",
		"TIMESTAMP TIME PID TID FUNCTION MODE RET LAT(ns) FILENAME"),
	  .rows = ROWS(
		{ TID1 "%-10s %-8hu %-8d %s\n", "ts pid tid 'mkdir()' =mode lat path" },
		{ "%-17lu " TOD " %-6d %-6d%-10s %-8d %s %s\n", "ts pid tid 'unlink()' - name path" },
		{ TIDL "%-10s %-8hu %-8d %s\n", "ts pid tid 'mkdir()' =mode lat path" },
		{ TIDL "%-10s %-8hu %-10d %s\n", "ts pid tid 'vfs_mkdir()' =mode lat name" },
		{ TIDL "%-10s %-8d %s\n", "ts pid tid 'rmdir()' lat path" },
		{ TIDL "%-12s %-8d %s\n", "ts pid tid 'vfs_rmdir()' lat name" },
		{ TIDL "%-10s %-5hu %s\n", "ts pid tid 'create()' =mode path", "creat" },
		{ TIDL "%-10s %-8d %-4d %-8d %s\n", "ts pid tid 'vfs_create' =mode ret lat name" },
		{ TIDL "%-10s %-8d %s\n", "ts pid tid 'unlink()' - path" },
		{ TIDL "%-10s %-8d %s\n", "ts pid tid 'vfs_unlink' lat name" }) },

	/* --- tools: tracing_tools, 2022-09-11 to 2023-03-13 --- */

	{ .name = "tools/bio", .headers = HEADERS(
		"TIMESTAMP PID COMM DISK T BYTES SECTOR LAT(ns)"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-14s %-4s %-1s %-12lu %-12llu %lu\n",
		  "ts pid comm disk rw bytes sector lat" }) },

	/* QLAT is queueing to completion, LAT issue to completion */
	{ .name = "tools/bio-qlat", .headers = HEADERS(
		"TIMESTAMP PID COMM DISK T BYTES QLAT(ns) LAT(ns)"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-14s %-4s %-1s %-12lu %lu %lu\n",
		  "ts pid comm disk rw bytes qlat lat" }) },

	{ .name = "tools/bio-tid", .headers = HEADERS(
		"TIMESTAMP PID TID COMM DISK T BYTES LAT(ns)"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-8d %-14s %-4s %-1s %-12lu %lu\n",
		  "ts pid tid comm disk rw bytes lat" }) },

	/* read and pread64 in one; TID in the header of one of them is the pid in its rows */
	{ .name = "tools/read", .headers = HEADERS(
		"TIMESTAMP PID OFFSET RET (B) LAT(ns) FILENAME",
		"TIMESTAMP TID OFFSET RET (B) LAT(ns) FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-16llu %-12lu %-12lu %s\n", "ts pid offset ret lat name", "read" },
		{ "%-17lu %-8d %-16llu %-16llu %-12lu %s\n", "ts pid offset ret lat name", "read" },
		{ "%-17lu %-8d 0x%-13lx %-12lu %-12lu %s\n", "ts pid offset ret lat name", "read" }) },

	{ .name = "tools/read-comm", .headers = HEADERS(
		"TIMESTAMP PID COMM OFFSET RET (B) FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-8s %-16llu %-12lu %s\n", "ts pid comm offset ret name", "read" },
		{ "%-17lu %-8d %-8s 0x%-13lx %-12lu %s\n", "ts pid comm offset ret name", "read" }) },

	{ .name = "tools/read-tid", .headers = HEADERS(
		"TIMESTAMP PID TID COMM LAT(ns) FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-8d %s %-12lu %s\n", "ts pid tid comm lat name", "read" }) },

	/* write, pwrite64 and, in one version, writev */
	{ .name = "tools/write", .headers = HEADERS(
		"TIMESTAMP PID OFFSET SIZE (B) LAT (ns) FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-16llu %-12lu %-12lu %s\n", "ts pid offset ret lat name", "write" },
		{ "%-17lu %-8d %-16llu %-10d %-10d %s\n", "ts pid offset ret lat name", "write" },
		{ "%-17lu %-8d 0x%-13lx %-10d %-10d %s\n", "ts pid offset ret lat name", "write" }) },

	{ .name = "tools/write-tid", .headers = HEADERS(
		"TIMESTAMP PID TID COMM LAT (ns) FILENAME"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-8d %s %-10d %s\n", "ts pid tid comm lat name", "write" }) },

	{ .name = "tools/openat-tid", .headers = HEADERS(
		"TIMESTAMP PID TID COMM LAT(ns) FULLPATH"),
	  .rows = ROWS(
		{ "%-17lu %-8d %-8d %s %-8d %s\n", "ts pid tid comm lat path", "openat" }) },

	/* prints nothing but the header and, at its end, a map */
	{ .name = "tools/syscalls", .headers = HEADERS(
		"TIMESTAMP PID COMMAND SYSCALL") },

	/* --- v3/cd: everything in one file, 2022-04-22 --- */

	{ .name = "v3/cd", .headers = HEADERS(
		"TIMESTAMP TIME PID COMM TYPE FILE"),
	  .rows = ROWS(
		/* the last version; close() has no newline, so the next event follows on its line */
		{ CD2 "%-8s %-10s 0x%lx %-10d %-8d %-10d %-10d %s\n",
		  "ts pid tid comm 'vfs_read' - asked offset ret lat name" },
		{ CD2 "%-8s %-10s 0x%lx %-10d %-8d %-10d %-10d %s\n",
		  "ts pid tid comm 'vfs_write' - asked offset ret lat name" },
		{ CD2 "%-8s %-8s %-4d %-8x %-8d %s\n", "ts pid tid comm 'openat()' ret =flags lat path" },
		{ CD2 "%-14s %-12s %-8d %s\n", "ts pid tid comm 'vfs_open' lat name" },
		{ CD2 "%-8s %-10s %-8d %-8d", "ts pid tid comm 'close()' fd lat" },
		{ CD2 "%-8s %-12s %-8d %-8d %s\n", "ts pid tid comm 'fp_close' fd lat name" },
		{ CD2 "%-8s %-5s %-8d 0x%-4x 0x%-4x 0x%-12x %-10d %s\n",
		  "ts pid tid comm 'mmap' asked =prot =flags - lat name" },
		/* the length stands in decimal digits behind a 0x */
		{ CD2 "%-8s %-10s 0x%lx 0x%-8d %-10d\n", "ts pid tid comm 'munmap' - asked lat" },
		{ CD2 "%-8s %-10s %-10d %s\n", "ts pid tid comm 'mkdir()' lat path" },
		{ CD2 "%-8s %-12s %-8lu %-10d %s\n", "ts pid tid comm 'vfs_mkdir' =mode lat name" },
		{ CD2 "%-8s %-12s %-8lu %-10d %s\n", "ts pid tid comm 'vfs_rmdir' =mode lat name" },
		{ CD2 "%-16s %-5s %-5hu %s\n", "ts pid tid comm 'creat' =mode path" },
		{ CD2 "%-8s %-4s %-7d %-4d %-8d %s\n",
		  "ts pid tid comm 'vfs_create' =mode ret lat name" },
		{ CD2 "%-8s %-10s %-8d %s\n", "ts pid tid comm 'unlink()' - path" },
		{ CD2 "%-8s %-10s %-8d %s\n", "ts pid tid comm 'vfs_unlink' lat name" },

		/* before that: a version without latencies */
		{ CD2 "%-8s %-10s %-8d 0x%-4x 0x%-4x 0x%lx %s\n",
		  "ts pid tid comm 'mmap' asked =prot =flags ret name" },
		{ CD2 "%-8s %-10s %-4d %-8x %s\n", "ts pid tid comm 'openat' ret =flags path" },
		{ CD2 "%-8s %-10s 0x%lx %-10d %-8d %-10d %s\n",
		  "ts pid tid comm 'vfs_read' - asked offset ret name" },
		{ CD2 "%-8s %-10s 0x%lx %-10d %-8d %-10d %s\n",
		  "ts pid tid comm 'vfs_write' - asked offset ret name" },
		{ CD2 "%-8s %-10s %-8d %s\n", "ts pid tid comm 'fp_close' fd name" },
		{ CD2 "%-8s %-4s %-7d %-10d %s\n", "ts pid tid comm 'vfs_create' =mode ret name" },
		{ CD2 "%-8s %-12s %-10d %-8lu %s\n", "ts pid tid comm 'vfs_mkdir' lat =mode name" },
		{ CD2 "%-8s %-12s %-10d %-8lu %s\n", "ts pid tid comm 'vfs_rmdir' lat =mode name" },
		{ CD2 "%-8s %-10s %-5hu %s\n", "ts pid tid comm 'unlinkat' - path" },
		{ CD2 "%-8s %-8s %s\n", "ts pid tid comm 'unlink' path" },
		{ CD2 "%-8s %-10s %s\n", "ts pid tid comm 'vfs_unlink' name" },

		/* two before that: of vfs_write one prints buffer, buffer and size, the other buffer,
		 * offset and size */
		{ CD2 "%-8s %-5s %-8d 0x%x 0x%x 0x%-12x %s\n",
		  "ts pid tid comm 'mmap' asked =prot =flags - name" },
		{ CD2 "%-8s %-5s %-4d %-8x %s\n", "ts pid tid comm 'openat' ret =flags path" },
		{ CD2 "%-14s %-10s 0x%-12x %-10d %-8d %-10d %s\n",
		  "ts pid tid comm 'vfs_read' - asked offset ret name" },
		{ CD2 "%-14s %-10s 0x%-12x %-10d %-8d %-10d %s\n",
		  "ts pid tid comm 'vfs_write' - - asked ret name" },
		{ CD2 "%-8s close(fd=%d)\n", "ts pid tid comm fd", "close" },
		{ CD2 "%-8s %-12s %s\n", "ts pid tid comm 'fp_close' name" },

		/* the first version */
		{ CD1G "%-8s %-12s %-10d %-8lu %s\n", "ts pid tid comm 'vfs_mkdir' lat =mode name" },
		{ CD1G "%-8s %-12s %-10d %-8lu %s\n", "ts pid tid comm 'vfs_rmdir' lat =mode name" },
		{ CD1 "%-8s %-5s %-8d 0x%x 0x%x 0x%x %s\n",
		  "ts pid tid comm 'mmap' asked =prot =flags - name" },
		{ CD1 "%-8s %-5s %-4d %-8x %s\n", "ts pid tid comm 'openat' ret =flags path" },
		{ "%-17lu " TOD "  %-8d%-6d %-16s %-5s %-5hu %s\n", "ts pid tid comm 'creat' =mode path" },
		{ CD1 "%-8s %-12s %s\n", "ts pid tid comm 'fp_close' name" },
		{ CD1G "%-8s %-4s %-7d %-10d %s\n", "ts pid tid comm 'C' lat ret name", "vfs_create" },
		{ CD1G "%-8s %-10s %-5hu %s\n", "ts pid tid comm 'unlinkat' - path" },
		{ CD1 "%-8s %-8s %s\n", "ts pid tid comm 'unlink' path" },
		{ CD1 "%-8s %-10s %s\n", "ts pid tid comm 'vfs_unlink' name" }) },

	{ .name = NULL },
};
/* clang-format on */
