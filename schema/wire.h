/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the collector writes and importers/recording/recording.c reads: the records of BPF programs
 * and of tracedb-record itself, one after the other. The same header is compiled into the BPF
 * object, so it uses nothing but fixed-size integers (the includer defines them: <stdint.h> here,
 * the kernel's types there).
 *
 * A record begins with struct td_wire_head; size covers the whole record and is a multiple of 8, so
 * a reader can pass over kinds it does not know. Numbers are of the recording machine's byte order
 * (the header record tells). Text is UTF-8 or whatever the program used, not NUL-terminated, its
 * length stands before it; the rest up to size is zeros. All times are ns of CLOCK_BOOTTIME.
 *
 * On disk the stream is a sequence of independent zstd frames with checksums, each of whole records
 * (collector/spool/spool.h), behind a mark that says so (common/frames.h), which is to say an
 * ordinary .zst file: a frame that was cut by a crash or is damaged costs only itself.
 *
 * Order: what a record refers to (op, process, file, track) was written before it. Records of calls
 * are in the order in which the calls returned on each CPU; those of different CPUs, and so those
 * of a thread that moved, are out of order by some tens of milliseconds at most.
 */
#pragma once

#define TD_WIRE_MAGIC "tracedb" /* with its NUL: 8 bytes */
#define TD_WIRE_VERSION 1

enum td_wire_kind {
	TD_WIRE_HEADER = 1, /* first record of the stream */
	TD_WIRE_ANCHOR,
	TD_WIRE_OP,
	TD_WIRE_PROCESS,
	TD_WIRE_THREAD,
	TD_WIRE_EXIT,
	TD_WIRE_FILE,
	TD_WIRE_CALL,
	TD_WIRE_CALL_IO,
	TD_WIRE_CALL_WIDE,
	TD_WIRE_CALL_TEXT,
	TD_WIRE_SCHED,
	TD_WIRE_BLOCK,
	TD_WIRE_TRACK,
	TD_WIRE_SAMPLE,
	TD_WIRE_SUMMARY,
	TD_WIRE_LOSS,
	TD_WIRE_COST,
	TD_WIRE_NOTE,
	TD_WIRE_END, /* last record of a recording that ended in order */
	TD_WIRE_NAME,
	TD_WIRE_USAGE,
	TD_WIRE_SIGNAL,
	TD_WIRE_GPU_NAME,
	TD_WIRE_GPU_OP,
	TD_WIRE_GPU_CALL,
	TD_WIRE_NVTX,
	TD_WIRE_NVTX_END,
	TD_WIRE_GPU_MEMORY,
	TD_WIRE_GPU_UNSEEN,
	TD_WIRE_RANK,
	TD_WIRE_PROCESS_RANK,
};

struct td_wire_head {
	uint16_t size;
	uint8_t kind; /* enum td_wire_kind */
	uint8_t flags; /* by kind */
	uint32_t tid; /* the thread, where the kind has one */
};

struct td_wire_header {
	struct td_wire_head head;
	char magic[8];
	uint32_t byte_order; /* 0x01020304 as the writer has it */
	uint32_t version; /* TD_WIRE_VERSION */
	uint64_t start_ns;
	uint32_t cpus;
	uint16_t host_len, release_len, tool_len, args_len;
	uint32_t page_bytes; /* size of a page */
	char text[]; /* host, kernel release, tracedb version, command line as given to record */
};

/* Which process of its job the recording is of, as the environment in which it was begun says. */
struct td_wire_rank {
	struct td_wire_head head;
	uint32_t rank;
	uint32_t pad;
};

/* Which process of its job a process is, as its own environment says when it begins to use CUDA. */
struct td_wire_process_rank {
	struct td_wire_head head; /* tid: the pid */
	uint64_t time_ns;
	uint32_t rank;
	uint32_t pad;
};

/* The wall clock was read between two readings of the boot clock. */
struct td_wire_anchor {
	struct td_wire_head head;
	uint64_t before_ns, after_ns;
	int64_t utc_ns;
};

/* Operation: what the op of a call stands for. */
struct td_wire_op {
	struct td_wire_head head;
	uint16_t op; /* from 1 */
	uint8_t layer; /* enum td_layer */
	uint8_t name_len;
	uint32_t pad;
	char name[];
};

/* A process began or executed another program; or (flag) was there when the recording began. */
#define TD_WIRE_PROCESS_FOUND 1
#define TD_WIRE_PROCESS_EXEC 2
struct td_wire_process {
	struct td_wire_head head; /* tid: its pid */
	uint64_t time_ns; /* start, or the exec */
	uint64_t cgroup; /* id */
	uint32_t parent_pid, uid;
	uint32_t pid_namespace; /* inode */
	uint32_t namespace_pid; /* what it sees itself as */
	uint16_t comm_len, args_len; /* args: command line, words parted by a blank */
	uint32_t pad;
	char text[];
};

struct td_wire_thread {
	struct td_wire_head head;
	uint64_t time_ns;
	uint32_t pid;
	uint32_t comm_len;
	char comm[];
};

/* A thread ended; with flag GROUP the last one of the process; with OUT_OF_MEMORY the kernel has killed it for that. */
#define TD_WIRE_EXIT_GROUP 1
#define TD_WIRE_EXIT_OUT_OF_MEMORY 2
struct td_wire_exit {
	struct td_wire_head head;
	uint64_t time_ns;
	uint32_t pid;
	int32_t status; /* exit status, negative: killed by that signal */
};

/* What a thread used from from_ns to to_ns, as the kernel counts it for getrusage(): the sum of a
 * thread's records is all that it used while it was recorded. */
struct td_wire_usage {
	struct td_wire_head head;
	uint64_t from_ns, to_ns;
	uint64_t runtime_ns; /* on a CPU */
	uint64_t user_ns,
		system_ns; /* where the kernel's ticks found it: only their ratio counts */
	uint64_t max_rss_pages; /* of its process, at any time since that began; 0: not known */
	uint32_t voluntary, involuntary; /* context switches */
	uint32_t pid;
	uint32_t pad;
};

/* A signal that does not come from a recorded process, of which there is a call. */
#define TD_WIRE_SIGNAL_KERNEL 1 /* no process has sent it */
#define TD_WIRE_SIGNAL_IGNORED 2 /* it has no effect */
#define TD_WIRE_SIGNAL_OUTSIDE 4 /* the recorder's pid namespace does not have who has sent it */
struct td_wire_signal {
	struct td_wire_head head; /* tid: who gets it */
	uint64_t time_ns;
	uint32_t pid; /* the process of that */
	int32_t signal;
	int32_t code; /* si_code of sigaction(2) */
	uint32_t from_pid, from_uid; /* of the sender */
	uint32_t pad;
	char from_comm[16]; /* its name, with NULs behind */
};

/* What a file id stands for. There is one record for each id; a file that was removed (flag), of
 * which the path has changed (itself or a directory above it was renamed) or, if it is a socket,
 * that was connected has from then on another id, with the same device and inode. So has one that
 * is reached by another mount. */
#define TD_WIRE_FILE_DELETED 1
#define TD_WIRE_FILE_CUT                                                                           \
	2 /* the path is longer than what could be read: these are its last components */
/* A root directory, with a number among those: what lies below it has paths that begin there, and
 * is described after it. Its own path is the one in its mount namespace, behind 'mnt:[INODE]' where
 * paths are others there than the recorder's. */
#define TD_WIRE_FILE_ROOT 4
struct td_wire_file {
	struct td_wire_head head;
	uint32_t file; /* from 1 */
	uint32_t device; /* major << 20 | minor */
	uint64_t inode;
	uint16_t mode; /* S_IFMT and permissions */
	uint8_t class; /* enum td_class */
	uint8_t pad;
	uint16_t
		root; /* number of the one that the path begins at; 0: that of the recorder's mount namespace */
	uint16_t path_len;
	char path
		[]; /* absolute path, or 'pipe:[123]', 'memfd:name', 'eventfd', 'tcp:1.2.3.4:80->5.6.7.8:90', ... */
};

/*
 * A call that returned (or, flag, did not: exit_group, or one that was still under way at the end). Four
 * forms, so that most cost little: CALL has no bytes asked and no offset; CALL_IO has them, with a return value and
 * a size below 2 GiB; CALL_WIDE where they are larger; CALL_TEXT carries text (the path argument of a call
 * on a file that has no id): as the program gave it, and if that is a relative path, the file is the
 * directory that it starts from; if it is an absolute one, the number of the root, or 0 as above.
 */
#define TD_WIRE_CALL_NO_RETURN 1
#define TD_WIRE_CALL_HAS_ASKED 2
#define TD_WIRE_CALL_HAS_OFFSET 4
#define TD_WIRE_CALL_HAS_COLD 8 /* cold_pages was counted: 0 is none */
#define TD_WIRE_CALL_HAS_ADDRESS                                                                   \
	16 /* of a lock: offset_bytes is that; with HAS_ASKED (futex) asked_bytes is the operation */
#define TD_WIRE_CALL_OUT                                                                           \
	32 /* the side of a call that copies which it writes to: the call itself has the duration */
#define TD_WIRE_CALL_PEER                                                                          \
	64 /* text is a struct sockaddr: who the other side is, where the socket has none for a name */
#define TD_WIRE_CALL_COMM                                                                          \
	128 /* of NCCL: offset_bytes is a communicator: its address, and from bit 48 on its rank + 1 */
struct td_wire_call {
	struct td_wire_head head;
	uint64_t start_ns;
	uint64_t dur_ns;
	uint32_t pid;
	uint32_t file; /* 0: none */
	int32_t fd; /* INT32_MIN: none */
	uint16_t op;
	uint16_t
		cold_pages; /* pages this thread added to the page cache meanwhile; 65535: or more */
	int64_t ret;
};

struct td_wire_call_io {
	struct td_wire_head head;
	uint64_t start_ns;
	uint64_t dur_ns;
	uint32_t pid;
	uint32_t file;
	int32_t fd;
	uint16_t op;
	uint16_t cold_pages;
	int32_t ret;
	uint32_t asked_bytes;
	uint64_t offset_bytes;
};

struct td_wire_call_wide {
	struct td_wire_call call;
	uint64_t asked_bytes;
	uint64_t offset_bytes;
};

struct td_wire_call_text {
	struct td_wire_call call;
	uint64_t asked_bytes;
	uint64_t offset_bytes;
	uint16_t text_len;
	uint16_t text2_len; /* the second path of rename, link, symlink */
	uint32_t file2; /* as call.file, for the second path */
	char text[];
};

/* A thread's time from one leaving of the CPU to the next: off (off_ns .. wake_ns), waiting for a CPU
 * (wake_ns .. on_ns), running (on_ns .. out_ns). 0: not known. */
struct td_wire_sched {
	struct td_wire_head head;
	uint64_t off_ns, wake_ns, on_ns, out_ns;
	uint32_t pid;
	uint32_t waker_tid; /* who woke it, or whom the interrupt stopped that did; 0: not seen */
	uint16_t cpu; /* it ran on */
	uint16_t from_cpu; /* it ran on before */
	uint8_t off_state; /* the kernel's task state at off_ns: 0 runnable (preempted), 1 S, 2 D, ... */
	uint8_t pad;
	uint16_t off_op; /* the call it was in at off_ns, 0: none */
};

/* A request to a disk. */
struct td_wire_block {
	struct td_wire_head head; /* tid: of the thread that issued it */
	uint64_t insert_ns, issue_ns, done_ns; /* insert_ns 0: not queued */
	uint64_t sector;
	uint32_t bytes;
	uint32_t device; /* major << 20 | minor */
	uint32_t pid, done_pid;
	uint32_t cmd_flags; /* the kernel's REQ_OP and REQ_* */
	int32_t error; /* 0 or -errno */
};

struct td_wire_track {
	struct td_wire_head head;
	uint32_t track; /* from 1 */
	uint8_t device_kind; /* enum td_device_kind, 255: none */
	uint8_t pad;
	int16_t device_number;
	uint32_t pid; /* 0: not of a process */
	uint8_t name_len, unit_len, device_len, pad2;
	char text[]; /* name, unit, name of the device */
};

/* A sample covers the dur_ns before time_ns; NaN: could not be read. */
struct td_wire_sample {
	struct td_wire_head head;
	uint64_t time_ns, dur_ns;
	double value;
	uint32_t track;
	uint32_t pad;
};

/* What was aggregated in the kernel: as the table summary. */
struct td_wire_summary {
	struct td_wire_head head;
	double low, high, value; /* NaN: none */
	uint8_t name_len, key_len, unit_len, pad;
	uint32_t pad2;
	char text[]; /* name, key, unit */
};

/* What one event set made and lost in a stretch of time. */
struct td_wire_loss {
	struct td_wire_head head;
	uint64_t from_ns, to_ns;
	uint64_t generated, lost;
	uint8_t ring;
	uint8_t name_len; /* event set */
	uint16_t pad;
	uint32_t ring_peak_bytes; /* fill at its highest */
	uint32_t ring_size_bytes;
	uint32_t pad2;
	char name[];
};

/* What the recording cost: a BPF program's runs and time, or (runs 0) CPU time of the collector itself. */
struct td_wire_cost {
	struct td_wire_head head;
	uint64_t runs, cpu_ns;
	uint32_t name_len;
	uint32_t measured_ms; /* the time in which runs and cpu_ns were counted; 0: all the time */
	char name[];
};

/* Something the user should know about the whole recording: a probe that fell back or is missing, no NVML. */
struct td_wire_note {
	struct td_wire_head head;
	uint16_t kind_len, text_len;
	uint32_t pad;
	char text[]; /* kind (kebab-case), words */
};

/* What a number in other records is called. flags: enum td_wire_name_of. That of a disk comes before its requests, the
 * others may come after the processes. */
enum td_wire_name_of {
	TD_WIRE_NAME_DISK = 1, /* device of a block request: 'sda' */
	TD_WIRE_NAME_CGROUP, /* its path below the root */
	TD_WIRE_NAME_USER,
};
struct td_wire_name {
	struct td_wire_head head;
	uint64_t number;
	uint16_t name_len;
	uint16_t pad[3];
	char name[];
};

/* What a kernel, a function of the CUDA APIs or an NVTX range is called: a number of the process's
 * own, used by the records below. */
struct td_wire_gpu_name {
	struct td_wire_head head; /* tid: the pid */
	uint32_t name; /* from 1 */
	uint32_t name_len;
	char text[];
};

/* Work on a GPU. flags: enum td_wire_gpu_kind. */
enum td_wire_gpu_kind {
	TD_WIRE_GPU_KERNEL = 1,
	TD_WIRE_GPU_COPY,
	TD_WIRE_GPU_SET,
	/* 4 were synchronisations */
	TD_WIRE_GPU_GRAPH = 5, /* a CUDA graph as a whole, of which the kernels are not told */
};
struct td_wire_gpu_op {
	struct td_wire_head head; /* tid: the pid */
	uint64_t start_ns, end_ns;
	uint64_t bytes; /* of copies and sets */
	uint32_t device; /* its number as the process sees it */
	uint32_t stream; /* UINT32_MAX: none, or all */
	uint32_t correlation; /* of the call that asked for it, in this process */
	/* of a kernel: its name; of a copy: CUpti_ActivityMemcpyKind; of a graph: its number */
	uint32_t what;
};

/* A process takes memory of a GPU or, as some kinds are, of the host for it; with the flag it gives it back. */
#define TD_WIRE_GPU_FREED 1
struct td_wire_gpu_memory {
	struct td_wire_head head; /* tid: the pid */
	uint64_t time_ns;
	uint64_t bytes;
	uint32_t device; /* as in struct td_wire_gpu_op */
	uint32_t memory_kind; /* CUpti_ActivityMemoryKind */
};

/* From then on until it ends, what the process does on GPUs is not told. */
struct td_wire_gpu_unseen {
	struct td_wire_head head; /* tid: the pid */
	uint64_t from_ns;
};

/* A call of the CUDA APIs. */
struct td_wire_gpu_call {
	struct td_wire_head head;
	uint64_t start_ns, end_ns;
	uint32_t pid;
	uint32_t name;
	uint32_t correlation; /* as in struct td_wire_gpu_op */
	uint32_t result; /* 0 or an error code of the API */
};

/* What a program says by NVTX. flags: enum td_wire_nvtx_kind. Texts are numbers of td_wire_gpu_name, 0: none. */
enum td_wire_nvtx_kind {
	TD_WIRE_NVTX_PUSH = 1, /* a range begins that the same thread ends ... */
	TD_WIRE_NVTX_START, /* ... or any */
	TD_WIRE_NVTX_MARK,
	TD_WIRE_NVTX_THREAD, /* the thread, of which text is the name, need not be who says so */
};
enum td_wire_nvtx_payload {
	TD_WIRE_NVTX_U64 = 1,
	TD_WIRE_NVTX_I64,
	TD_WIRE_NVTX_DOUBLE,
	TD_WIRE_NVTX_U32, /* in the first 4 bytes, as the next two */
	TD_WIRE_NVTX_I32,
	TD_WIRE_NVTX_FLOAT,
};
struct td_wire_nvtx {
	struct td_wire_head head;
	uint64_t time_ns;
	uint64_t range; /* number of the range in its process */
	uint64_t payload;
	uint32_t payload_type; /* enum td_wire_nvtx_payload; 0: none */
	uint32_t pid;
	uint32_t text;
	uint32_t domain; /* its name; 0: the default one */
	uint32_t category; /* 0: none */
	uint32_t category_name;
};

/* The range ends. */
struct td_wire_nvtx_end {
	struct td_wire_head head;
	uint64_t time_ns;
	uint64_t range;
	uint32_t pid;
	uint32_t pad;
};

struct td_wire_end {
	struct td_wire_head head;
	uint64_t time_ns;
	uint64_t records; /* before this one; 0: not known, as a flight recorder has dropped some */
	int32_t status; /* of the command: exit status, negative: signal; 0 without command */
	uint32_t why; /* enum td_wire_why */
};

enum td_wire_why {
	TD_WIRE_WHY_COMMAND, /* the command ended */
	TD_WIRE_WHY_SIGNAL,
	TD_WIRE_WHY_DURATION,
	TD_WIRE_WHY_SIZE,
	TD_WIRE_WHY_GONE, /* the processes that were watched have ended */
	TD_WIRE_WHY_ERROR,
	TD_WIRE_WHY_TRIGGER, /* it goes on, but what a flight recorder held was asked for */
};
