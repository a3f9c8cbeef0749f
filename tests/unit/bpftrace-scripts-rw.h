/* SPDX-License-Identifier: MIT */
/* Rows of scripts[] (bpftrace-scripts.h): what scripts that trace reads and writes print. */
/* clang-format off */
	/* trace_vfs_rw 1 */
	{ "trace_vfs_rw 1",
	  { { "%-18s %-6s %-16s %-16s %-8s %-10s " "%-10s %s\n", "TIMESTAMP|PID|COMM|FUNC|LAT (ns)|REQ|BYTES|FILE" } },
	  {
		{ "kretprobe:vfs_read",
		  "%lu %d %s %s %d %d " "%d %s\n",
		  "$now|pid|comm|\"vfs_read\"|$now - @start[tid]|@req[tid]|retval|@filename[tid]" },
		{ "kretprobe:vfs_write",
		  "%lu %d %s %s %d %d " "%d %s\n",
		  "$now|pid|comm|\"vfs_write\"|$now - @wstart[tid]|@wreq[tid]|retval|@wfilename[tid]" },
	  } },
	/* trace_vfs_rw 2 */
	{ "trace_vfs_rw 2",
	  { { "%-18s %-6s %-16s %-16s %-8s %-10s " "%-10s %s\n", "TIMESTAMP|PID|COMM|FUNC|LAT (ns)|REQ|BYTES|FILE" } },
	  {
		{ "kretprobe:vfs_read",
		  "%-18lu %-6d %-16s %-16s %-8d %-10d " "%-10d %s\n",
		  "$now|pid|comm|\"vfs_read\"|$now - @start[tid]|@req[tid]|retval|@filename[tid]" },
		{ "kretprobe:vfs_write",
		  "%-18lu %-6d %-16s %-16s %-8d %-10d " "%-10d %s\n",
		  "$now|pid|comm|\"vfs_write\"|$now - @wstart[tid]|@wreq[tid]|retval|@wfilename[tid]" },
	  } },
	/* trace_vfs_rw 3 */
	{ "trace_vfs_rw 3",
	  { { "Capturing VFS Read and Write calls\n", "" },
	    { "%-17s %-9s %-6s %-14s %-4s %-7s " "%-10s %-10s %s\n", "TIMESTAMP|TIME|PID|COMM|R/W|LAT(ns)|REQUESTED|RETURNED|FILE" } },
	  {
		{ "kretprobe:vfs_read",
		  "%-17lu " "%H:%M:%S  " "%-6d %-14s %-4s %-7d %-10d " "%-10d %s\n",
		  "$now|pid|comm|\"R\"|$now - @start[tid]|@req[tid]|retval|@filename[tid]" },
		{ "kretprobe:vfs_write",
		  "%-17lu " "%H:%M:%S  " "%-6d %-14s %-4s %-7d %-10d " "%-10d %s\n",
		  "$now|pid|comm|\"W\"|$now - @wstart[tid]|@wreq[tid]|retval|@wfilename[tid]" },
	  } },
	/* trace_read_write 4 */
	{ "trace_read_write 4",
	  { { "read():\n", "" },
	    { "%-15s %-10s %-6s %-6s %-10s %-4s " "%-8s %-8s %-8s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|FD|REQ (B)|RET (B)|LAT(ns)" },
	    { "vfs_read():\n", "" },
	    { "%-15s %-10s %-6s %-6s %-10s %-12s " "%-8s %-8s %-8s %-8s %s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|ADDRESS|OFFSET|REQ (B)|REQ (B)|LAT(ns)|FILENAME" },
	    { "write():\n", "" },
	    { "%-15s %-10s %-6s %-6s %-10s %-4s " "%-8s %-8s %-8s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|FD|REQ (B)|RET (B)|LAT(ns)" },
	    { "vfs_read():\n", "" },
	    { "%-15s %-10s %-6s %-6s %-10s %-12s " "%-8s %-8s %-8s %-8s %s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|ADDRESS|OFFSET|REQ (B)|REQ (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%lu " "%H:%M:%S  " "%-6d %-6d" "%-8s %-4d %-8d %-8d %-10d\n",
		  "$now|pid|tid|\"read()\"|@sys_read_fd[tid]|@sys_read_count[tid]|args->ret|$latency" },
		{ "kretprobe:vfs_read",
		  "%-17lu " "%H:%M:%S  " "%-6d %-6d" "%-10s 0x%lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"vfs_read()\"|@vr_buf[tid]|@vr_off[tid]|@vr_req[tid]|retval|$latency|@vr_fn[tid]" },
		{ "tracepoint:syscalls:sys_exit_write",
		  "%lu " "%H:%M:%S  " "%-6d %-6d" "%-8s %-8d %-10d %-10d %-8d\n",
		  "$now|pid|tid|\"write()\"|@sys_writ_fd[tid]|@sys_writ_count[tid]|args->ret|$latency" },
		{ "kretprobe:vfs_write",
		  "%lu " "%H:%M:%S  " "%-6d %-6d" "%-10s 0x%lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"vfs_write()\"|@vw_buf[tid]|@vw_off[tid]|@vw_req[tid]|retval|$latency|@vw_fn[tid]" },
	  } },
	/* trace_read_write 5 */
	{ "trace_read_write 5",
	  { { "%-17s %-10s %-6s %-6s %-10s %-5s " "%-10s %-10s %-8s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|FD|REQ (B)|RET (B)|LAT(ns)" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu " "%H:%M:%S  " "%-6d %-6d" "%-10s %-5d 0x%lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"read()\"|@read_fd[tid]|@address[tid]|@offset[tid]|@requested[tid]|args->ret|$latency|@filename[tid]" },
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu " "%H:%M:%S  " "%-6d %-6d" "%-10s %-5d 0x%lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"write()\"|@write_fd[tid]|@write_address[tid]|@write_offset[tid]|@write_requested[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_read_write 6 */
	{ "trace_read_write 6",
	  { { "%-17s %-8s %-6s %-6s %-10s %-4s " "%-13s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|FD|BUFFER ADDR|OFFSET|REQ (B)|RET (B)|LAT(ns)" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu " "%H:%M:%S " "%-6d %-6d " "%-10s %-4d 0x%-13lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"read()\"|@read_fd[tid]|@address[tid]|@offset[tid]|@requested[tid]|args->ret|$latency|@filename[tid]" },
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu " "%H:%M:%S " "%-6d %-6d " "%-10s %-4d 0x%-13lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"write()\"|@write_fd[tid]|@write_address[tid]|@write_offset[tid]|@write_requested[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_read_write 7 */
	{ "trace_read_write 7",
	  { { "%-17s %-8s %-6s %-6s %-10s %-4s " "%-13s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|FD|BUFFER ADDRESS|OFFSET|REQ (B)|RET (B)|LAT(ns)" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu " "%H:%M:%S " "%-6d %-6d " "%-10s %-4d 0x%-13lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"read()\"|@read_fd[tid]|@address[tid]|@offset[tid]|@requested[tid]|args->ret|$latency|@filename[tid]" },
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu " "%H:%M:%S " "%-6d %-6d " "%-10s %-4d 0x%-13lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"write()\"|@write_fd[tid]|@write_address[tid]|@write_offset[tid]|@write_requested[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_read_write_old 1 */
	{ "trace_read_write_old 1",
	  { { "read():\n", "" },
	    { "%-17s %-10s %-6s %-6s %-10s %-4s " "%-8s %-8s %-8s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|FD|REQ (B)|RET (B)|LAT(ns)" },
	    { "vfs_read():\n", "" },
	    { "%-17s %-10s %-6s %-6s %-10s %-12s " "%-8s %-8s %-8s %-8s %s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|ADDRESS|OFFSET|REQ (B)|REQ (B)|LAT(ns)|FILENAME" },
	    { "write():\n", "" },
	    { "%-17s %-10s %-6s %-6s %-10s %-4s " "%-8s %-8s %-8s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|FD|REQ (B)|RET (B)|LAT(ns)" },
	    { "vfs_read():\n", "" },
	    { "%-17s %-10s %-6s %-6s %-10s %-12s " "%-8s %-8s %-8s %-8s %s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|ADDRESS|OFFSET|REQ (B)|REQ (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu " "%H:%M:%S  " "%-6d %-6d" "%-8s %-4d %-8d %-8d %-10d\n",
		  "$now|pid|tid|\"read()\"|@sys_read_fd[tid]|@sys_read_count[tid]|args->ret|$latency" },
		{ "kretprobe:vfs_read",
		  "%-17lu " "%H:%M:%S  " "%-6d %-6d" "%-10s 0x%lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"vfs_read()\"|@vr_buf[tid]|@vr_off[tid]|@vr_req[tid]|retval|$latency|@vr_fn[tid]" },
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu " "%H:%M:%S  " "%-6d %-6d" "%-8s %-8d %-10d %-10d %-8d\n",
		  "$now|pid|tid|\"write()\"|@sys_writ_fd[tid]|@sys_writ_count[tid]|args->ret|$latency" },
		{ "kretprobe:vfs_write",
		  "%-17lu " "%H:%M:%S  " "%-6d %-6d" "%-10s 0x%lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"vfs_write()\"|@vw_buf[tid]|@vw_off[tid]|@vw_req[tid]|retval|$latency|@vw_fn[tid]" },
	  } },
	/* trace_read 1 */
	{ "trace_read 1",
	  { { "%-17s %-6s %-4s " "%-10s %-10s %s\n", "TIMESTAMP|TID|FD|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %-4d %-8d %-8d %s\n",
		  "$now|tid|@read_fd[tid]|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 2 */
	{ "trace_read 2",
	  { { "%-17s %-6s %-4s " "%-10s %-10s %s\n", "TIMESTAMP|TID|FD|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %-4d %-10d %-10d %s\n",
		  "$now|tid|@read_fd[tid]|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 3 */
	{ "trace_read 3",
	  { { "%-17s %-6s %-4s %-10s %-10s %s\n", "TIMESTAMP|TID|FD|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %-4d %-10d %-10d %s\n",
		  "$now|tid|@read_fd[tid]|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 4 */
	{ "trace_read 4",
	  { { "%-17s %-6s %-4s %-10s %-10s %s\n", "TIMESTAMP|PID|FD|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %-4d %-10d %-10d %s\n",
		  "$now|pid|@read_fd[tid]|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 5 */
	{ "trace_read 5",
	  { { "%-17s %-6s %-4s %-12s %-12s %s\n", "TIMESTAMP|PID|FD|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %-4d %-12ld %-12ld %s\n",
		  "$now|pid|@read_fd[tid]|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 6 */
	{ "trace_read 6",
	  { { "%-17s %-6s %-4s %-12s %-12s %s\n", "TIMESTAMP|PID|FD|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %-4d %-12lu %-12lu %s\n",
		  "$now|pid|@read_fd[tid]|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 7 */
	{ "trace_read 7",
	  { { "%-17s %-6s %-4s %-12s %-12s %s\n", "TIMESTAMP|PID|FD|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %s %-12lu %-12lu %s\n",
		  "$now|pid|comm|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 8 */
	{ "trace_read 8",
	  { { "%-17s %-8s %-8s %-12s %-12s %s\n", "TIMESTAMP|PID|TID|COMM|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-8d %-8d %s %-12lu %s\n",
		  "$now|pid|tid|comm|$latency|@filename[tid]" },
	  } },
	/* trace_read 9 */
	{ "trace_read 9",
	  { { "%-17s %-8s %-8s %-12s %-12s %s\n", "TIMESTAMP|PID|TID|COMM|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-8d %-8d %s %-12lu %s\n",
		  "$now|pid|tid|comm|$latency|@filename[tid]" },
	  } },
	/* trace_read 10 */
	{ "trace_read 10",
	  { { "%-17s %-6s %-4s %-12s %-12s %s\n", "TIMESTAMP|PID|FD|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %s %-12lu %-12lu %s\n",
		  "$now|pid|comm|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 14 */
	{ "trace_read 14",
	  { { "%-17s %-6s %-8s %-12s %-12s %s\n", "TIMESTAMP|PID|OFFSET|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-8d 0x%-13lx %-12lu %-12lu %s\n",
		  "$now|pid|@offset[tid]|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 16 */
	{ "trace_read 16",
	  { { "%-17s %-8s %-8s %-12s %-12s %s\n", "TIMESTAMP|PID|COMM|OFFSET|RET (B)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-8d %-8s 0x%-13lx %-12lu %s\n",
		  "$now|pid|comm|@offset[tid]|args->ret|@filename[tid]" },
	  } },
	/* trace_read 17 */
	{ "trace_read 17",
	  { { "%-17s %-6s %-8s %-12s %-12s %s\n", "TIMESTAMP|PID|OFFSET|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-8d %-16llu %-12lu %-12lu %s\n",
		  "$now|pid|@offset[tid]|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 18 */
	{ "trace_read 18",
	  { { "%-17s %-6s %-8s %-12s %-12s %s\n", "TIMESTAMP|TID|OFFSET|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-8d %-16llu %-12lu %-12lu %s\n",
		  "$now|pid|@offset[tid]|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read 19 */
	{ "trace_read 19",
	  { { "%-17s %-8s %-8s %-12s %-12s %s\n", "TIMESTAMP|PID|COMM|OFFSET|RET (B)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-8d %-8s %-16llu %-12lu %s\n",
		  "$now|pid|comm|@offset[tid]|args->ret|@filename[tid]" },
	  } },
	/* trace_read 20 */
	{ "trace_read 20",
	  { { "%-17s %-6s %-8s %-12s %-12s %s\n", "TIMESTAMP|PID|OFFSET|RET (B)|LAT(ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-8d %-16llu %-16llu %-12lu %s\n",
		  "$now|pid|@offset[tid]|args->ret|$latency|@filename[tid]" },
	  } },
	/* trace_read_addr 2 */
	{ "trace_read_addr 2",
	  { { "%-17s %-6s %-4s %-13s %-8s %s", "TIMESTAMP|TID|FD|BUFFER ADDR|OFFSET|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %-4d 0x%-13lx %-8d %s",
		  "$now|tid|@read_fd[tid]|@address[tid]|@offset[tid]|@filename[tid]" },
	  } },
	/* trace_read_addr 3 */
	{ "trace_read_addr 3",
	  { { "%-17s %-6s %-4s %-13s %-8s %s\n", "TIMESTAMP|TID|FD|BUFFER ADDR|OFFSET|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %-4d 0x%-13lx %-8d %s\n",
		  "$now|tid|@read_fd[tid]|@address[tid]|@offset[tid]|@filename[tid]" },
	  } },
	/* trace_read_addr 4 */
	{ "trace_read_addr 4",
	  { { "%-17s %-6s %-4s %-13s %-8s %s\n", "TIMESTAMP|PID|FD|BUFFER ADDR|OFFSET|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_read",
		  "%-17lu %-6d %-4d 0x%-13lx %-8d %s\n",
		  "$now|pid|@read_fd[tid]|@address[tid]|@offset[tid]|@filename[tid]" },
	  } },
	/* trace_time_align 1 */
	{ "trace_time_align 1",
	  { { "%-17s %-8s\n", "TIMESTAMP|TIME" } },
	  {
		{ "tracepoint:syscalls:sys_enter_*",
		  "%-17lu " "%H:%M:%S ",
		  "$now" },
	  } },
	/* trace_time_align 2 */
	{ "trace_time_align 2",
	  { { "%-17s %-8s\n", "TIMESTAMP|TIME" } },
	  {
		{ "tracepoint:syscalls:sys_enter_*",
		  "%-17lu " "%H:%M:%S ",
		  "nsecs" },
	  } },
	/* trace_time_align 3 */
	{ "trace_time_align 3",
	  { { "%-15s %-8s\n", "TIMESTAMP|TIME" } },
	  {
		{ "tracepoint:syscalls:sys_enter_*",
		  "%-15lu " "%H:%M:%S\n",
		  "nsecs" },
	  } },
	/* trace_time_align 4 */
	{ "trace_time_align 4",
	  { { "%-15s %-8s\n", "TIMESTAMP|TIME" } },
	  {
		{ "tracepoint:syscalls:sys_enter_*",
		  "%-15lu " "%H:%M:%S\n",
		  "nsecs" },
	  } },
	/* trace_time_align 5 */
	{ "trace_time_align 5",
	  { { "%-15s %-8s\n", "TIMESTAMP|TIME" } },
	  {
		{ "tracepoint:syscalls:sys_enter_*",
		  "%-17lu " "%H:%M:%S\n",
		  "nsecs" },
	  } },
	/* trace_write 1 */
	{ "trace_write 1",
	  { { "%-17s %-8s %-6s %-6s %-10s %-4s " "%-13s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|TIME|PID|TID|FUNCTION|FD|BUFFER ADDR|OFFSET|REQ (B)|RET (B)|LAT(ns)" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu " "%H:%M:%S " "%-6d %-6d " "%-10s %-4d 0x%-13lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|tid|\"write()\"|@write_fd[tid]|@write_address[tid]|@write_offset[tid]|@write_requested[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_write 2 */
	{ "trace_write 2",
	  { { "%-17s %-6s %-4s " "%-13s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|TID|FD|BUFFER ADDR|OFFSET|REQ (B)|RET (B)|LAT(ns)" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu %-6d %-4d 0x%-13lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|tid|@write_fd[tid]|@write_address[tid]|@write_offset[tid]|@write_requested[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_write 3 */
	{ "trace_write 3",
	  { { "%-17s %-6s %-4s " "%-13s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|PID|FD|BUFFER ADDR|OFFSET|REQ (B)|RET (B)|LAT(ns)" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu %-6d %-4d 0x%-13lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|@write_fd[tid]|@write_address[tid]|@write_offset[tid]|@write_requested[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_write 4 */
	{ "trace_write 4",
	  { { "%-17s %-6s %-4s " "%-13s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|PID|FD|BUFFER ADDR|OFFSET|REQ (B)|RET (B)|LAT(ns)" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu %-6d %s 0x%-13lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|comm|@write_address[tid]|@write_offset[tid]|@write_requested[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_write 5 */
	{ "trace_write 5",
	  { { "%-17s %-8s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|PID|TID|COMM|LAT (ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu %-8d %-8d %s %-10d %s\n",
		  "$now|pid|tid|comm|$latency|@write_filename[tid]" },
	  } },
	/* trace_write 6 */
	{ "trace_write 6",
	  { { "%-17s %-8s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|PID|TID|COMM|LAT (ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu %-8d %-8d %s %-10d %s\n",
		  "$now|pid|tid|comm|$latency|@write_filename[tid]" },
	  } },
	/* trace_write 7 */
	{ "trace_write 7",
	  { { "%-17s %-6s %-4s " "%-13s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|PID|FD|BUFFER ADDR|OFFSET|REQ (B)|RET (B)|LAT(ns)" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu %-6d %s 0x%-13lx %-8d %-10d " "%-10d %-10d %s\n",
		  "$now|pid|comm|@write_address[tid]|@write_offset[tid]|@write_requested[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_write 8 */
	{ "trace_write 8",
	  { { "%-17s %-8s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|PID|OFFSET|SIZE (B)|LAT (ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu %-8d 0x%-13lx %-10d %-10d %s\n",
		  "$now|pid|@write_offset[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_write 9 */
	{ "trace_write 9",
	  { { "%-17s %-8s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|PID|OFFSET|SIZE (B)|LAT (ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu %-8d %-16llu %-10d %-10d %s\n",
		  "$now|pid|@write_offset[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_write 10 */
	{ "trace_write 10",
	  { { "%-17s %-8s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|PID|OFFSET|SIZE (B)|LAT (ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu %-8d %-16llu %-12lu %-12lu %s\n",
		  "$now|pid|@write_offset[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
	/* trace_write 11 */
	{ "trace_write 11",
	  { { "%-17s %-8s %-8s %-10s %-10s %-8s\n", "TIMESTAMP|PID|OFFSET|SIZE (B)|LAT (ns)|FILENAME" } },
	  {
		{ "tracepoint:syscalls:sys_exit_write",
		  "%-17lu %-8d %-16llu %-12lu %-12lu %s\n",
		  "$now|pid|@write_offset[tid]|args->ret|$latency|@write_filename[tid]" },
	  } },
