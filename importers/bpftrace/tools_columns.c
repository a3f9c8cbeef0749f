/* SPDX-License-Identifier: MIT */
/* What the tools call their columns, and which columns make which tool. */
#include <pthread.h>

#include "common/cleanup.h"
#include "importers/bpftrace/tools_table.h"

static const struct td_tool_heading headings[] = {
	{ "TIME", TD_TOOL_TOD, TD_TOOL_CLOCK, 1, NULL, NULL },
	{ "TIME(s)", TD_TOOL_SINCE, TD_TOOL_NS, 1, NULL, NULL },
	{ "TIME(ms)", TD_TOOL_SINCE, TD_TOOL_NS, 1000, NULL, NULL },
	{ "TIME(us)", TD_TOOL_SINCE, TD_TOOL_NS, 1000000, NULL, NULL },
	{ "ENDTIME_us", TD_TOOL_BOOT, TD_TOOL_NS, 1000000, NULL, NULL },
	{ "PID", TD_TOOL_PID, TD_TOOL_INT, 1, NULL, NULL },
	{ "TID", TD_TOOL_TID, TD_TOOL_INT, 1, NULL, NULL },
	{ "PPID", TD_TOOL_PPID, TD_TOOL_INT, 1, NULL, NULL },
	{ "UID", TD_TOOL_UID, TD_TOOL_WORD, 1, NULL, NULL },
	{ "COMM", TD_TOOL_COMM, TD_TOOL_NAME, 1, NULL, NULL },
	{ "PCOMM", TD_TOOL_COMM, TD_TOOL_NAME, 1, NULL, NULL },
	{ "TASK", TD_TOOL_COMM, TD_TOOL_NAME, 1, NULL, NULL },
	{ "FD", TD_TOOL_FD, TD_TOOL_INT, 1, NULL, NULL },
	{ "ERR", TD_TOOL_ERR, TD_TOOL_INT, 1, NULL, NULL },
	{ "RET", TD_TOOL_RET, TD_TOOL_INT, 1, NULL, NULL },
	{ "RESULT", TD_TOOL_RET, TD_TOOL_INT, 1, NULL, NULL },
	{ "PATH", TD_TOOL_PATH, TD_TOOL_REST, 1, NULL, NULL },
	{ "FILENAME", TD_TOOL_PATH, TD_TOOL_REST, 1, NULL, NULL },
	{ "FILE", TD_TOOL_PATH, TD_TOOL_REST, 1, NULL, NULL },
	{ "FLAGS", TD_TOOL_FLAGS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "MODE", TD_TOOL_MODE, TD_TOOL_WORD, 1, NULL, NULL },
	{ "SYSCALL", TD_TOOL_FUNC, TD_TOOL_WORD, 1, NULL, NULL },
	{ "FUNC", TD_TOOL_FUNC, TD_TOOL_WORD, 1, NULL, NULL },
	{ "ADDR", TD_TOOL_ADDR, TD_TOOL_WORD, 1, NULL, NULL },
	{ "DISK", TD_TOOL_DISK, TD_TOOL_WORD, 1, NULL, NULL },
	{ "DISK ID", TD_TOOL_DEVNO, TD_TOOL_TWO_INTS, 1, NULL, NULL },
	{ "T", TD_TOOL_OP, TD_TOOL_WORD, 1, NULL, NULL },
	{ "D", TD_TOOL_OP, TD_TOOL_WORD, 1, NULL, NULL },
	{ "TYPE", TD_TOOL_OP, TD_TOOL_WORD, 1, NULL, NULL },
	{ "SECTOR", TD_TOOL_SECTOR, TD_TOOL_INT, 1, NULL, NULL },
	{ "BYTES", TD_TOOL_BYTES, TD_TOOL_INT, 1, NULL, NULL },
	{ "P", TD_TOOL_PATTERN, TD_TOOL_WORD, 1, NULL, NULL },
	{ "QUE(ms)", TD_TOOL_QUEUE, TD_TOOL_NS, 1000, NULL, NULL },
	{ "LAT(ms)", TD_TOOL_LAT, TD_TOOL_NS, 1000, NULL, NULL },
	{ "LAT(us)", TD_TOOL_LAT, TD_TOOL_NS, 1000000, NULL, NULL },
	{ "LATENCY_us", TD_TOOL_LAT, TD_TOOL_NS, 1000000, NULL, NULL },
	{ "OFF_KB", TD_TOOL_OFFSET, TD_TOOL_INT, 1024, NULL, NULL },
	{ "OFFSET_b", TD_TOOL_OFFSET, TD_TOOL_INT, 1, NULL, NULL },
	{ "ARGS", TD_TOOL_ARGS, TD_TOOL_REST, 1, NULL, NULL },
	{ "EVENT", TD_TOOL_EVENT, TD_TOOL_WORD, 1, NULL, NULL },
	{ "CALL", TD_TOOL_EVENT, TD_TOOL_REST, 1, NULL, NULL },
	{ "SIG", TD_TOOL_SIG, TD_TOOL_WORD, 1, NULL, NULL },
	{ "TPID", TD_TOOL_TPID, TD_TOOL_INT, 1, NULL, NULL },
	{ "COUNT", TD_TOOL_COUNT, TD_TOOL_INT, 1, NULL, NULL },
	{ "TIME (us)", TD_TOOL_TOTAL, TD_TOOL_VALUE, 1, "time", "us" },
	{ "TIME (ms)", TD_TOOL_TOTAL, TD_TOOL_VALUE, 1000, "time", "us" },
	{ "HITS", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "page_cache.hits", "" },
	{ "MISSES", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "page_cache.misses", "" },
	{ "DIRTIES", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "page_cache.dirties", "" },
	{ "TOTAL", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "page_cache.total", "" },
	{ "HITRATIO", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "page_cache.hit_ratio", "%" },
	{ "READ_HIT%", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "page_cache.read_hit_ratio", "%" },
	{ "WRITE_HIT%", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "page_cache.write_hit_ratio", "%" },
	{ "BUFFERS_MB", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1 << 20, "page_cache.buffers", "bytes" },
	{ "CACHED_MB", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1 << 20, "page_cache.cached", "bytes" },
	{ "READ/s", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "vfs.read", "1/s" },
	{ "WRITE/s", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "vfs.write", "1/s" },
	{ "FSYNC/s", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "vfs.fsync", "1/s" },
	{ "OPEN/s", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "vfs.open", "1/s" },
	{ "CREATE/s", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "vfs.create", "1/s" },
	{ "UNLINK/s", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "vfs.unlink", "1/s" },
	{ "MKDIR/s", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "vfs.mkdir", "1/s" },
	{ "RMDIR/s", TD_TOOL_SAMPLE, TD_TOOL_VALUE, 1, "vfs.rmdir", "1/s" },
	{ "TIMESTAMP", TD_TOOL_TOD, TD_TOOL_CLOCK, 1, NULL, NULL },
	{ "TIME-UTC", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "MS", TD_TOOL_LAT, TD_TOOL_NS, 1000, NULL, NULL },
	{ "LATms", TD_TOOL_LAT, TD_TOOL_NS, 1000, NULL, NULL },
	{ "ms", TD_TOOL_LAT, TD_TOOL_NS, 1000, NULL, NULL },
	{ "AGE(s)", TD_TOOL_LAT, TD_TOOL_NS, 1, NULL, NULL },
	{ "IP", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "PROT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "PROTO", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "RADDR", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "LADDR", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "SADDR", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "DADDR", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "LADDR6", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "RADDR6", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "PORT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "LPORT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "RPORT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "SPORT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "DPORT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "BL", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "OPTS", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "IF", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "LADDR:LPORT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "RADDR:RPORT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "SADDR:SPORT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "DADDR:DPORT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "T>", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "SKADDR", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "OLDSTATE", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "NEWSTATE", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "STATUS", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "STATE", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "SEQ", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "NETNS", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "MNT_NS", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "ZONE", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "ORDER", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "CAP", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "AUDIT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "INSETID", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "VERDICT", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "ACTION", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "LABEL", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "DEVICE", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "REASON", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "CPU", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "RVAL", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "LEN", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "SIZE", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "CACHE", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "HARDIRQ", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "SOFTIRQ", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "KVM_EXIT_REASON", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "TIDS", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "MAJ", TD_TOOL_NOTHING, TD_TOOL_WORD, 1, NULL, NULL },
	{ "MIN", TD_TOOL_NOTHING, TD_TOOL_WORD, 1, NULL, NULL },
	{ "Driver", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "Device", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "VQ Name", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "Caller", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "NODE", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "BACKLOG", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "STATE (FLAGS)", TD_TOOL_WORDS, TD_TOOL_FLAGGED, 1, NULL, NULL },
	{ "REASON (CODE)", TD_TOOL_WORDS, TD_TOOL_FLAGGED, 1, NULL, NULL },
	{ "->", TD_TOOL_NOTHING, TD_TOOL_WORD, 1, NULL, NULL },
	{ ">", TD_TOOL_NOTHING, TD_TOOL_WORD, 1, NULL, NULL },
	{ "QUERY", TD_TOOL_WORDS, TD_TOOL_REST, 1, NULL, NULL },
	{ "HOST", TD_TOOL_WORDS, TD_TOOL_REST, 1, NULL, NULL },
	{ "COMMAND", TD_TOOL_WORDS, TD_TOOL_REST, 1, NULL, NULL },
	{ "EXIT_CODE", TD_TOOL_WORDS, TD_TOOL_REST, 1, NULL, NULL },
	{ "ARGs", TD_TOOL_WORDS, TD_TOOL_REST, 1, NULL, NULL },
	{ "DATA", TD_TOOL_WORDS, TD_TOOL_REST, 1, NULL, NULL },
	{ "-", TD_TOOL_WORDS, TD_TOOL_REST, 1, NULL, NULL },
	{ "ARGS (RET)", TD_TOOL_ARGS, TD_TOOL_REST, 1, NULL, NULL },
	{ "SYS", TD_TOOL_FUNC, TD_TOOL_WORD, 1, NULL, NULL },
	{ "C-COMM", TD_TOOL_COMM, TD_TOOL_NAME, 1, NULL, NULL },
	{ "TCOMM", TD_TOOL_WORDS, TD_TOOL_NAME, 1, NULL, NULL },
	{ "PREV COMM", TD_TOOL_WORDS, TD_TOOL_NAME, 1, NULL, NULL },
	{ "NAME", TD_TOOL_WORDS, TD_TOOL_NAME, 1, NULL, NULL },
	{ "CMD", TD_TOOL_COMM, TD_TOOL_NAME, 1, NULL, NULL },
	{ "C-PID", TD_TOOL_PID, TD_TOOL_INT, 1, NULL, NULL },
	{ "PREV TID", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "GC TIME", TD_TOOL_LAT, TD_TOOL_NS, 1000000, NULL, NULL },
	{ "PAGES", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "FREE(KB)", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1024, "free_bytes", "bytes" },
	{ "TX_KB", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1024, "tx_bytes", "bytes" },
	{ "RX_KB", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1024, "rx_bytes", "bytes" },
	{ "FRAGIDX", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "LOW", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "HIGH", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "FREE", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "SECONDS", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "s" },
	{ "REFS/s", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "refs", "1/s" },
	{ "SLOW/s", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "slow", "1/s" },
	{ "MISS/s", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "miss", "1/s" },
	{ "HIT%", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "hit_ratio", "%" },
	{ "%RND", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "random", "%" },
	{ "%SEQ", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "sequential", "%" },
	{ "KBYTES", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1024, "bytes", "bytes" },
	{ "I/O", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "requests", "" },
	{ "Kbytes", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1024, "bytes", "bytes" },
	{ "AVGms", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "average", "ms" },
	{ "READS", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "WRITES", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "R_Kb", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1024, "read_bytes", "bytes" },
	{ "W_Kb", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1024, "written_bytes", "bytes" },
	{ "ALLOCS", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "REFERENCE", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "MISS", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "TOTAL_usecs", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "total", "us" },
	{ "TOTAL_nsecs", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "total", "ns" },
	{ "TOTAL_count", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "MAX_usecs", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "max", "us" },
	{ "MAX_nsecs", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "max", "ns" },
	{ "CONNECTS", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "RETRANSMITS", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "Avg Spin", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "ns" },
	{ "Max spin", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "ns" },
	{ "Total spin", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "ns" },
	{ "Avg Hold", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "ns" },
	{ "Max hold", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "ns" },
	{ "Total hold", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "ns" },
	{ "Count", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "In SGs", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "Out SGs", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "In BW", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "in_bytes", "bytes" },
	{ "Out BW", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "out_bytes", "bytes" },
	{ "NUMA_migrations", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "migrations", "" },
	{ "NUMA_migrations_ms", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "time", "ms" },
	{ "SRC_NID", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "DST_NID", TD_TOOL_WORDS, TD_TOOL_ARROW_WORD, 1, NULL, NULL },
	{ "STAGE", TD_TOOL_WORDS, TD_TOOL_NAME, 1, NULL, NULL },
	{ "SOCKET", TD_TOOL_WORDS, TD_TOOL_NAME, 1, NULL, NULL },
	{ "Timestamp", TD_TOOL_TOD, TD_TOOL_CLOCK, 1, NULL, NULL },
	{ "Event", TD_TOOL_WORDS, TD_TOOL_NAME, 1, NULL, NULL },
	{ "Family", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "Local", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "Remote", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "START", TD_TOOL_SINCE, TD_TOOL_NS, 1, NULL, NULL },
	{ "ID", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "DESCRIPTION", TD_TOOL_WORDS, TD_TOOL_REST, 1, NULL, NULL },
	{ "METHOD", TD_TOOL_WORDS, TD_TOOL_WORD, 1, NULL, NULL },
	{ "# CALLS", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "NAME/TYPE", TD_TOOL_WORDS, TD_TOOL_NAME, 1, NULL, NULL },
	{ "# ALLOCS", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "" },
	{ "# BYTES", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, NULL, "bytes" },
	{ "CMDLINE", TD_TOOL_COMM, TD_TOOL_NAME, 1, NULL, NULL },
	{ "METHOD/s", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "method", "1/s" },
	{ "GC/s", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "gc", "1/s" },
	{ "OBJNEW/s", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "objnew", "1/s" },
	{ "CLOAD/s", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "cload", "1/s" },
	{ "EXC/s", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "exc", "1/s" },
	{ "THR/s", TD_TOOL_NUMBER, TD_TOOL_VALUE, 1, "thr", "1/s" },
};

#define BIT(f) TD_TOOL_BIT(f)

/* The tools that have a meaning of their own, by what their columns are: the first whose fields are all there. */
static const struct {
	enum td_tool tool;
	uint64_t fields;
} by_fields[] = {
	{ TD_TOOL_SLOWER, BIT(TD_TOOL_OP) | BIT(TD_TOOL_BYTES) | BIT(TD_TOOL_LAT) |
				  BIT(TD_TOOL_PATH) | BIT(TD_TOOL_COMM) },
	{ TD_TOOL_BIOSNOOP,
	  BIT(TD_TOOL_SINCE) | BIT(TD_TOOL_DISK) | BIT(TD_TOOL_PID) | BIT(TD_TOOL_LAT) },
	{ TD_TOOL_BIOSNOOP,
	  BIT(TD_TOOL_SINCE) | BIT(TD_TOOL_DEVNO) | BIT(TD_TOOL_PID) | BIT(TD_TOOL_LAT) },
	{ TD_TOOL_BIOSNOOP,
	  BIT(TD_TOOL_SINCE) | BIT(TD_TOOL_COMM) | BIT(TD_TOOL_PID) | BIT(TD_TOOL_LAT) },
	{ TD_TOOL_KILLSNOOP,
	  BIT(TD_TOOL_PID) | BIT(TD_TOOL_SIG) | BIT(TD_TOOL_TPID) | BIT(TD_TOOL_RET) },
	{ TD_TOOL_SYNCSNOOP, BIT(TD_TOOL_TOD) | BIT(TD_TOOL_PID) | BIT(TD_TOOL_EVENT) },
	{ TD_TOOL_SYNCSNOOP, BIT(TD_TOOL_SINCE) | BIT(TD_TOOL_EVENT) },
	{ TD_TOOL_EXECSNOOP, BIT(TD_TOOL_PID) | BIT(TD_TOOL_ARGS) },
	{ TD_TOOL_OPENSNOOP,
	  BIT(TD_TOOL_PID) | BIT(TD_TOOL_FD) | BIT(TD_TOOL_ERR) | BIT(TD_TOOL_PATH) },
	{ TD_TOOL_STATSNOOP, BIT(TD_TOOL_PID) | BIT(TD_TOOL_ERR) | BIT(TD_TOOL_PATH) },
	{ TD_TOOL_COUNTS, BIT(TD_TOOL_FUNC) | BIT(TD_TOOL_COUNT) },
	{ TD_TOOL_COUNTS, BIT(TD_TOOL_PID) | BIT(TD_TOOL_COMM) | BIT(TD_TOOL_COUNT) },
	{ TD_TOOL_SAMPLES, BIT(TD_TOOL_SAMPLE) },
};

/* The others, by the headings that they print: all of the first list, any of the second, and those that any
 * tool may have. '|' stands between headings. */
static const struct {
	const char *name;
	enum td_tool tool;
	const char *columns, *optional;
} by_headings[] = {
	{ "argdist", TD_TOOL_VALUES, "COUNT|EVENT", "" },
	{ "bashreadline", TD_TOOL_MARK, "TIME|PID|COMMAND", "" },
	{ "bindsnoop", TD_TOOL_MARK, "PID|COMM|PORT|OPTS|IF", "PROT|PROTO|ADDR|RET" },
	{ "biopattern", TD_TOOL_VALUES, "DISK|%RND|%SEQ|COUNT|KBYTES", "" },
	{ "biotop", TD_TOOL_VALUES, "PID|COMM|D|MAJ|MIN|DISK|I/O|Kbytes|AVGms", "" },
	{ "bpflist", TD_TOOL_VALUES, "PID|COMM|TYPE|COUNT", "" },
	{ "cachetop", TD_TOOL_VALUES, "PID|UID|CMD|HITS|MISSES|DIRTIES", "READ_HIT%|WRITE_HIT%" },
	{ "capable", TD_TOOL_MARK, "UID|PID|COMM|CAP|NAME|AUDIT", "INSETID|VERDICT" },
	{ "compactsnoop", TD_TOOL_SPAN, "COMM|PID|NODE|ZONE|ORDER|MODE|LAT(ms)|STATUS",
	  "FRAGIDX|MIN|LOW|HIGH|FREE" },
	{ "dbslower", TD_TOOL_SPAN, "PID|MS|QUERY", "" },
	{ "dcsnoop", TD_TOOL_MARK, "PID|COMM|T|FILE", "" },
	{ "dcstat", TD_TOOL_VALUES, "TIME|REFS/s|SLOW/s|MISS/s|HIT%", "" },
	{ "dirtop", TD_TOOL_VALUES, "READS|WRITES|R_Kb|W_Kb|PATH", "" },
	{ "drsnoop", TD_TOOL_SPAN, "COMM|PID|LAT(ms)|PAGES", "FREE(KB)" },
	{ "exit", TD_TOOL_MARK, "PCOMM|PID|PPID|TID|AGE(s)|EXIT_CODE", "TIME-UTC|LABEL" },
	{ "filegone", TD_TOOL_MARK, "PID|COMM|ACTION|FILE", "" },
	{ "filelife", TD_TOOL_SPAN, "PID|COMM|AGE(s)|FILE", "" },
	{ "filetop", TD_TOOL_VALUES, "COMM|READS|WRITES|R_Kb|W_Kb|T|FILE", "PID" },
	{ "funcslower", TD_TOOL_SPAN, "COMM|PID|RVAL|FUNC", "LAT(us)|LAT(ms)|ARGS" },
	{ "gethostlatency", TD_TOOL_SPAN, "PID|COMM|HOST", "LATms|LAT(ms)" },
	{ "hardirqs", TD_TOOL_VALUES, "HARDIRQ",
	  "TOTAL_usecs|TOTAL_nsecs|TOTAL_count|MAX_usecs|MAX_nsecs" },
	{ "javagc", TD_TOOL_SPAN, "TIME|CPU|PID|GC TIME", "" },
	{ "klockstat", TD_TOOL_VALUES, "Caller|Count",
	  "Avg Spin|Max spin|Total spin|Avg Hold|Max hold|Total hold" },
	{ "kvmexit", TD_TOOL_VALUES, "KVM_EXIT_REASON|COUNT", "PID|TIDS" },
	{ "llcstat", TD_TOOL_VALUES, "PID|NAME|CPU|REFERENCE|MISS|HIT%", "" },
	{ "mdflush", TD_TOOL_MARK, "PID|COMM|DEVICE", "" },
	{ "mountsnoop", TD_TOOL_MARK, "COMM|PID|TID|MNT_NS|CALL", "PCOMM|PPID" },
	{ "naptime", TD_TOOL_MARK, "PPID|PCOMM|PID|COMM|SECONDS", "" },
	{ "numamove", TD_TOOL_VALUES, "TIME|NUMA_migrations|NUMA_migrations_ms", "" },
	{ "numasched", TD_TOOL_MARK, "TIME|PID|TID|SRC_NID|DST_NID|COMM", "" },
	{ "rdmaucma", TD_TOOL_MARK, "Timestamp|Event|Family|Local|Remote", "" },
	{ "runqslower", TD_TOOL_WAIT, "COMM|TID|LAT(us)", "PREV COMM|PREV TID" },
	{ "setuids", TD_TOOL_CALL, "PID|COMM|UID|SYSCALL|ARGS (RET)", "" },
	{ "shmsnoop", TD_TOOL_CALL, "PID|COMM|SYS|RET|ARGs", "" },
	{ "sigsnoop", TD_TOOL_MARK, "PID|COMM|SIG|TPID|TCOMM|RESULT", "" },
	{ "slabratetop", TD_TOOL_VALUES, "CACHE|ALLOCS|BYTES", "" },
	{ "softirqs", TD_TOOL_VALUES, "SOFTIRQ", "TOTAL_usecs|TOTAL_nsecs|TOTAL_count" },
	{ "softirqslower", TD_TOOL_SPAN, "STAGE|SOFTIRQ|LAT(us)|CPU|COMM", "" },
	{ "sofdsnoop", TD_TOOL_MARK, "ACTION|TID|COMM|SOCKET|FD|NAME", "" },
	{ "solisten", TD_TOOL_MARK, "PID|COMM|PROTO|BACKLOG|PORT|ADDR", "NETNS|RET" },
	{ "sslsniff", TD_TOOL_MARK, "FUNC|COMM|PID|LEN", "LAT(ms)" },
	{ "sslsnoop", TD_TOOL_SPAN, "TID|COMM|LAT(us)|RET|FUNC", "" },
	{ "tcpaccept", TD_TOOL_MARK, "PID|COMM|RADDR|RPORT|LADDR|LPORT", "IP|BL" },
	{ "tcpconnect", TD_TOOL_MARK, "PID|COMM|SADDR|DADDR|DPORT", "IP|SPORT|LPORT|QUERY" },
	{ "tcpconnect", TD_TOOL_VALUES, "LADDR|RADDR|RPORT|CONNECTS", "LPORT" },
	{ "tcpconnlat", TD_TOOL_SPAN, "PID|COMM|IP|SADDR|DADDR|DPORT|LAT(ms)", "LPORT" },
	{ "tcpdrop", TD_TOOL_MARK, "PID|IP|SADDR:SPORT|>|DADDR:DPORT|STATE (FLAGS)",
	  "REASON (CODE)" },
	{ "tcpdrop", TD_TOOL_MARK, "PID|COMM|SADDR:SPORT|DADDR:DPORT|STATE", "" },
	{ "tcplife", TD_TOOL_SPAN, "PID|COMM|LADDR|LPORT|RADDR|RPORT|TX_KB|RX_KB|MS", "IP" },
	{ "tcppktlat", TD_TOOL_SPAN, "PID|COMM|LADDR|LPORT|RADDR|RPORT|MS", "" },
	{ "tcpretrans", TD_TOOL_MARK, "PID|LADDR:LPORT|RADDR:RPORT|STATE", "IP|T>|SEQ" },
	{ "tcpretrans", TD_TOOL_VALUES, "LADDR:LPORT|RADDR:RPORT|RETRANSMITS", "" },
	{ "tcpstates", TD_TOOL_SPAN,
	  "SKADDR|C-PID|C-COMM|LADDR|LPORT|RADDR|RPORT|OLDSTATE|NEWSTATE|MS", "IP|->" },
	{ "tcptop", TD_TOOL_VALUES, "PID|COMM|RX_KB|TX_KB", "LADDR|RADDR|LADDR6|RADDR6" },
	{ "tcptracer", TD_TOOL_MARK, "T|PID|COMM|IP|SADDR|DADDR|SPORT|DPORT", "NETNS" },
	{ "threadsnoop", TD_TOOL_MARK, "PID|COMM|FUNC", "" },
	{ "trace", TD_TOOL_MARK, "PID|COMM|FUNC|-", "CPU" },
	{ "ucalls", TD_TOOL_VALUES, "METHOD|# CALLS", "TIME (us)|TIME (ms)" },
	{ "uflow", TD_TOOL_MARK, "CPU|PID|TID|TIME(us)|METHOD", "" },
	{ "ugc", TD_TOOL_SPAN, "START|DESCRIPTION", "TIME (us)|TIME (ms)" },
	{ "undump", TD_TOOL_MARK, "COMM|PID|SIZE|DATA", "" },
	{ "uobjnew", TD_TOOL_VALUES, "NAME/TYPE|# ALLOCS|# BYTES", "" },
	{ "ustat", TD_TOOL_VALUES, "PID|CMDLINE|METHOD/s|GC/s|OBJNEW/s|CLOAD/s|EXC/s|THR/s", "" },
	{ "uthreads", TD_TOOL_MARK, "TIME|ID|TYPE|DESCRIPTION", "" },
	{ "virtiostat", TD_TOOL_VALUES, "Driver|Device|VQ Name|In SGs|Out SGs|In BW|Out BW", "" },
	{ "writeback", TD_TOOL_SPAN, "TIME|DEVICE|PAGES|REASON|ms", "" },
};

static const char any_tool[] = "TIME|TIME(s)|TIME(ms)|TIME(us)|TID|UID";

/* Headings by their first character, in the order of the table: lists of places in it, plus one; 0 ends them. */
static uint16_t first_of[256], next_of_it[TD_ARRAY_SIZE(headings)];

static void index_headings(void)
{
	for (size_t i = TD_ARRAY_SIZE(headings); i-- > 0;) {
		uint16_t *first = &first_of[(unsigned char)headings[i].text[0]];

		next_of_it[i] = *first;
		*first = (uint16_t)(i + 1);
	}
}

/* The first place of its list. */
static size_t first_with(char c)
{
	static pthread_once_t indexed = PTHREAD_ONCE_INIT;

	(void)pthread_once(&indexed, index_headings);
	return first_of[(unsigned char)c];
}

bool td_tool_heading_begins(char c)
{
	return first_with(c) != 0;
}

const struct td_tool_heading *td_tool_heading_at(struct td_scan *s, char separator)
{
	const struct td_tool_heading *best = NULL;
	size_t left = (size_t)(s->end - s->p), best_len = 0;

	for (size_t i = left ? first_with(*s->p) : 0; i; i = next_of_it[i - 1]) {
		const char *text = headings[i - 1].text;
		size_t n = strlen(text);

		if (n <= best_len || n > left || memcmp(s->p, text, n) != 0 ||
		    (n < left && s->p[n] != separator && s->p[n] != ' ' && s->p[n] != '\t'))
			continue;
		best = &headings[i - 1];
		best_len = n;
	}
	s->p += best_len;
	return best;
}

/* The next of a list; false at its end. */
static bool next_of(const char **list, struct td_str *ret)
{
	const char *end = strchrnul(*list, '|');

	*ret = (struct td_str){ *list, (size_t)(end - *list) };
	*list = *end ? end + 1 : end;
	return ret->len > 0;
}

/* one: not empty */
static bool is_heading(struct td_str one, const char *heading)
{
	return one.p[0] == heading[0] && td_str_eq(one, heading);
}

static bool is_in(const char *list, const char *heading)
{
	struct td_str one;

	while (next_of(&list, &one))
		if (is_heading(one, heading))
			return true;
	return false;
}

static bool has_all(const struct td_tool_table *t, const char *list)
{
	struct td_str one;
	unsigned found = 0, n = 0;

	for (; next_of(&list, &one); n++)
		for (unsigned i = 0; i < t->ncolumns; i++)
			found += is_heading(one, t->columns[i].heading->text);
	return found == n;
}

static bool has_others(const struct td_tool_table *t, const char *columns, const char *optional)
{
	for (unsigned i = 0; i < t->ncolumns; i++) {
		const char *text = t->columns[i].heading->text;

		if (!is_in(columns, text) && !is_in(optional, text) && !is_in(any_tool, text))
			return true;
	}
	return false;
}

void td_tool_identify(struct td_tool_table *t)
{
	t->tool = TD_TOOL_NONE;
	for (size_t i = 0; i < TD_ARRAY_SIZE(by_headings); i++) {
		if (t->ncolumns < 2 || !has_all(t, by_headings[i].columns) ||
		    has_others(t, by_headings[i].columns, by_headings[i].optional))
			continue;
		t->tool = by_headings[i].tool;
		t->name = by_headings[i].name;
		return;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(by_fields) && t->ncolumns > 1; i++) {
		if ((t->fields & by_fields[i].fields) != by_fields[i].fields)
			continue;
		t->tool = by_fields[i].tool;
		return;
	}
}
