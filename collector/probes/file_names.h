/* SPDX-License-Identifier: MIT */
/* Records of the kernel's side that get their final form here: names and classes of files, command lines. */
#pragma once

#include "collector/bpf/shared.h"

/* Large enough for any. */
union td_file_record {
	struct td_wire_file file;
	char bytes[sizeof(struct td_wire_file) + TD_TEXT_MAX + 256];
};

/* The path is as /proc/PID/fd would show it, except that deleted files keep their name (a flag says so), and
 * that sockets are named by protocol and addresses: 'tcp:1.2.3.4:80->5.6.7.8:90', 'unix:/run/x',
 * 'unix:->/run/x' for the end without a name. The class is what the file is; that it was deleted is in the
 * flags. */
void td_file_record(const struct td_raw_file *raw, union td_file_record *ret);

union td_process_record {
	struct td_wire_process process;
	char bytes[sizeof(struct td_wire_process) + 16 + TD_TEXT_MAX + 8];
};

/* With the words of the command line parted by blanks; that of a process that was found, which the kernel's
 * side cannot read, comes from /proc. */
void td_process_record(const struct td_wire_process *raw, union td_process_record *ret);
