/* SPDX-License-Identifier: MIT */
/* What files are called and of which class they are, from what the kernel's side knows of them. */
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
