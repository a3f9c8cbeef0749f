-- tracedb schema: what was imported. Every column carries a comment; docs/SCHEMA.md is made from this file.
-- Times are INTEGER nanoseconds since the Unix epoch, UTC (ts_ns, start_ns, end_ns); durations (dur_ns) and sizes
-- (_bytes) are non-negative or NULL. NULL means unknown, never zero.

-- The run: one row.
CREATE TABLE run (
    id INTEGER PRIMARY KEY CHECK (id = 1),  -- always 1
    name TEXT NOT NULL,                     -- name of the imported folder or file
    tracedb_version TEXT NOT NULL,          -- version of the program that wrote this database
    start_ns INTEGER,                       -- time of the first thing that happened in any aligned source
    end_ns INTEGER,                         -- time at which the last thing ended
    utc_offset_s INTEGER,                   -- local time minus UTC in seconds, as found or given; NULL if no source needed it
    utc_offset_basis TEXT,                  -- how utc_offset_s is known: 'given', 'sources' (found by overlap), 'assumed'
    bin_ns INTEGER                          -- width of the time bins in bin_stat
) STRICT;

-- Provenance: one row per input file, also for files that no importer recognised.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,         -- small number, in the order of import
    path TEXT NOT NULL,             -- as given, relative to the imported folder where there is one; ARCHIVE/NAME of a file in an archive
    importer TEXT,                  -- importer that read it (tracedb formats); NULL if unrecognised
    layout TEXT,                    -- variant of the format, where there are several
    state TEXT NOT NULL CHECK (state IN ('complete', 'cut', 'empty', 'unrecognised', 'duplicate', 'failed')), -- 'cut': ends in the middle of a line, of its compressed stream or of its archive, or frames of a recording are damaged; 'failed': could not be read or unpacked; 'duplicate': the same text as another source, or its beginning
    detail TEXT,                    -- why it is not 'complete', in words
    size_bytes INTEGER,             -- size on disk
    hash TEXT,                      -- XXH3-128 of its text, unpacked (of an archive: of the bytes on disk), 32 hexadecimal digits; recognises the same source twice; NULL of large files that no importer reads
    tool TEXT,                      -- program that wrote it, where the file says so
    tool_version TEXT,              -- its version, where the file says so
    host TEXT,                      -- machine it was written on, where that is known
    host_basis TEXT,                -- how host is known: 'printed' (the file says so), 'folder' (of several machines, the only one that files beside it name), 'given' (import --host)
    rank INTEGER,                   -- rank of the process in its job that it is of, where one thing tells it for all of the file; ranks of single rows are in span and mark
    rank_basis TEXT,                -- how rank is known: 'given' (import --rank), 'printed' (the file says so), 'environment' (that in which it was recorded, or imported), 'name' (of the file, or of a folder around it)
    lines INTEGER NOT NULL,         -- lines in the file = rows + skipped + issues
    rows INTEGER NOT NULL,          -- lines that carried data which is now in the tables
    skipped INTEGER NOT NULL,       -- lines that are known to carry none: headers, banners, blank lines
    issues INTEGER NOT NULL,        -- lines that could not be used, each counted in issue_count
    repaired INTEGER NOT NULL,      -- of rows: lines with a value that had to be repaired, each counted in issue_count
    lost_events INTEGER NOT NULL,   -- events that the tracing tool itself reports as lost: totals are lower bounds if > 0
    clock TEXT,                     -- clock of its time stamps: 'utc', 'local' (date and time), 'local-tod' (no date), 'boot', 'relative'; NULL if it has none
    clock_offset_ns INTEGER,        -- what was added to the native time stamps to get UTC
    clock_drift_ppb REAL,           -- rate by which the native clock was found to be slow (> 0) or fast, parts per billion; NULL if no drift was fitted
    clock_error_ns INTEGER,         -- half width of the interval that the offset lies in; NULL if it is unknown, then its times cannot be compared with other sources'
    clock_basis TEXT,               -- how the offset is known, in words
    first_ns INTEGER,               -- first time in it
    last_ns INTEGER,                -- last time in it
    clock_day_first_ns INTEGER      -- what to add to the native time stamps if its dates are day/month, not month/day; NULL if they can be read one way only
) STRICT;

-- By what a copy of a source is recognised that was taken while it grew.
CREATE TABLE source_text (
    id INTEGER PRIMARY KEY,                             -- running number
    source_id INTEGER NOT NULL REFERENCES source (id),  -- whose text
    bytes INTEGER NOT NULL,                             -- its length, unpacked
    beginnings TEXT NOT NULL                            -- hashes of its first 64 bytes, its first 128, ... each longer by 64 bytes or 1/32: of each 8 hexadecimal digits, the low 32 bits of XXH3-128
) STRICT;

-- Runs as training logs tell of them: a row for each run in each log. Logs that overlap in time are of ranks of one run and
-- share its number; a log that begins when another has ended is of another run, unless the two are of different ranks on different
-- machines, whose clocks are far apart then.
CREATE TABLE log_run (
    id INTEGER PRIMARY KEY,                             -- running number
    run_number INTEGER NOT NULL,                        -- 1, 2, ... in order of time; span.run_number
    source_id INTEGER NOT NULL REFERENCES source (id),  -- the log
    start_ns INTEGER NOT NULL,                          -- first span of the run in it
    end_ns INTEGER NOT NULL                             -- end of the last one
) STRICT;

-- Evidence for the clock fit: the wall clock showed wall_ns somewhere between two native times.
CREATE TABLE anchor (
    id INTEGER PRIMARY KEY,                             -- running number
    source_id INTEGER NOT NULL REFERENCES source (id),  -- where it was read
    before_ns INTEGER NOT NULL,                         -- native time at which the wall clock had not reached wall_ns yet
    after_ns INTEGER NOT NULL,                          -- native time at which it had
    wall TEXT NOT NULL,                                 -- clock of wall_ns: 'utc', 'local', 'local-tod'
    wall_ns INTEGER NOT NULL                            -- reading of the wall clock (for 'local-tod': since midnight)
) STRICT;

-- Lines that could not be used or had to be repaired, by kind; every one is counted.
CREATE TABLE issue_count (
    source_id INTEGER NOT NULL REFERENCES source (id),  -- where
    kind TEXT NOT NULL,                                 -- what: 'spoilt-line', 'wrapped-latency', ...
    effect TEXT NOT NULL CHECK (effect IN ('dropped', 'repaired', 'noted')), -- 'dropped': the line is not in the tables; 'repaired': it is, changed; 'noted': it is, unchanged, or it is about the whole source
    count INTEGER NOT NULL,                             -- how many lines
    first_line INTEGER,                                 -- number of the first one; NULL if it is about the whole source
    PRIMARY KEY (source_id, kind)
) STRICT, WITHOUT ROWID;

-- The lines themselves, a bounded number per kind and source.
CREATE TABLE issue (
    id INTEGER PRIMARY KEY,                             -- running number
    source_id INTEGER NOT NULL REFERENCES source (id),  -- where
    kind TEXT NOT NULL,                                 -- as in issue_count
    line INTEGER,                                       -- line number, from 1; NULL if it is about the whole source
    text TEXT NOT NULL                                  -- the line, at most 512 bytes of it, invalid UTF-8 replaced
) STRICT;

-- Interned text.
CREATE TABLE string (
    id INTEGER PRIMARY KEY, -- referred to by *_id columns
    text TEXT NOT NULL      -- the text
) STRICT;

-- Processes.
CREATE TABLE process (
    id INTEGER PRIMARY KEY,     -- referred to by process_id columns
    pid INTEGER NOT NULL,       -- process id (thread group id) as the tools print it
    name TEXT,                  -- command name (comm), at most 15 characters, the last one seen
    command_line TEXT,          -- from ps or an execve
    user TEXT,                  -- from ps
    parent_pid INTEGER,         -- from ps -ef, clone or fork
    role TEXT,                  -- 'gpu-worker', 'data-loader', 'launcher', 'kernel', ...; see docs/SCHEMA.md
    role_basis TEXT,            -- how role is known: 'command-line' or 'activity'
    start_ns INTEGER,           -- start, where a source tells it
    end_ns INTEGER,             -- exit, where a source tells it
    exit_status INTEGER,        -- exit status; negative: killed by that signal
    lifetime INTEGER NOT NULL,  -- 1, 2, ...: tells processes apart that had the same pid one after the other
    source_id INTEGER REFERENCES source (id), -- where start_ns was read, else end_ns
    cgroup TEXT,                -- path of its control group below the root, which names its container
    pid_namespace INTEGER,      -- inode of its pid namespace: the same for all processes of a container
    namespace_pid INTEGER,      -- its pid as it sees itself there
    host TEXT,                  -- its machine, where the sources are of several (equal pids of two machines are two processes); NULL: the only one, or unknown
    observed_ns INTEGER,        -- for how long the columns below were counted: its life, or what of it was recorded
    user_ns INTEGER,            -- CPU time of its threads in user space meanwhile, as getrusage() tells it
    system_ns INTEGER,          -- CPU time of its threads in the kernel meanwhile
    voluntary_switches INTEGER, -- how often its threads left a CPU meanwhile because they had to wait
    involuntary_switches INTEGER, -- how often they were taken off one although they had work
    max_rss_bytes INTEGER       -- most memory that it had at once (resident set), from its start on
) STRICT;

-- Threads, where a source tells them from processes.
CREATE TABLE thread (
    id INTEGER PRIMARY KEY,                             -- referred to by thread_id columns
    tid INTEGER NOT NULL,                               -- thread id as the tools print it
    process_id INTEGER REFERENCES process (id),         -- its process, if known
    name TEXT,                                          -- thread name (comm)
    observed_ns INTEGER,                                -- as in process, of this thread; so are the columns below
    user_ns INTEGER,                                    -- CPU time in user space
    system_ns INTEGER,                                  -- CPU time in the kernel
    voluntary_switches INTEGER,                         -- how often it waited
    involuntary_switches INTEGER                        -- how often it was taken off a CPU
) STRICT;

-- Files, and whatever else has a file descriptor.
CREATE TABLE file (
    id INTEGER PRIMARY KEY,         -- referred to by file_id columns
    path TEXT,                      -- path as the program gave it; NULL if only the name is known
    name TEXT NOT NULL,             -- last component, as printed; '' for what has no name
    path_basis TEXT,                -- 'printed', or 'matched': the only path with this name that any source opened
    class TEXT NOT NULL,            -- 'regular', 'directory', 'shm', 'memfd', 'pipe', 'socket', 'eventfd', 'anon-inode', 'device', 'terminal', 'proc-sys', 'deleted', 'unnamed', 'unknown'
    class_known INTEGER NOT NULL,   -- 1: a source says so; 0: inferred from the name
    directory_id INTEGER REFERENCES string (id), -- everything before the last '/'; NULL if the path is unknown
    template_id INTEGER NOT NULL REFERENCES string (id), -- path (or name) with {} for every number, random part, UUID and hash in it
    truncated INTEGER NOT NULL,     -- 1: the tracer cut the path (bpftrace str() at 63 characters)
    device INTEGER,                 -- device number (major << 20 | minor), where known
    inode INTEGER,                  -- inode number, where known
    root TEXT                       -- the directory that the path begins at, for processes with a root of their own (chroot, containers): its path in its mount namespace, behind 'mnt:[INODE]' where that is a container's; NULL: the usual '/'
) STRICT;

-- Disks and GPUs.
CREATE TABLE device (
    id INTEGER PRIMARY KEY,         -- referred to by device_id columns
    kind TEXT NOT NULL CHECK (kind IN ('disk', 'gpu', 'cpu', 'node')), -- what it is; 'node': a NUMA node
    name TEXT NOT NULL,             -- 'sda', 'GPU 3'
    number INTEGER,                 -- GPU or CPU index
    host TEXT                       -- its machine, where the sources are of several; NULL: the only one, or unknown
) STRICT;

-- Operations: what a call can be.
CREATE TABLE op (
    id INTEGER PRIMARY KEY,     -- referred to by op_id columns
    name TEXT NOT NULL,         -- 'openat', 'vfs_read', 'fread', 'cudaLaunchKernel'; 'sendfile:out': the side that a copying call writes to, whose duration is in the row of the call
    layer TEXT NOT NULL CHECK (layer IN ('libc', 'syscall', 'vfs', 'cuda')), -- where it was observed; a vfs call inside a system call is the same work; 'cuda': calls of the CUDA APIs, which are no calls of the operating system
    verb TEXT NOT NULL,         -- 'open', 'close', 'read', 'write', 'seek', 'sync', 'stat', 'list', 'map', 'unmap', 'create', 'remove', 'rename', 'wait', 'lock', 'memory', 'process', 'socket', 'other'; of CUDA calls: 'launch', 'copy', 'set', 'memory', 'wait', 'other'
    kind TEXT NOT NULL CHECK (kind IN ('io', 'wait', 'lock', 'memory', 'other')) -- what time spent in it means
) STRICT;

-- OS-runtime calls of every layer, ordered by start.
CREATE TABLE call (
    id INTEGER PRIMARY KEY,                             -- ascending with start_ns; call_block maps time to id
    start_ns INTEGER NOT NULL,                          -- begin of the call; its end where the duration is unknown
    dur_ns INTEGER,                                     -- duration
    op_id INTEGER NOT NULL REFERENCES op (id),          -- what
    process_id INTEGER REFERENCES process (id),         -- who
    thread_id INTEGER REFERENCES thread (id),           -- which thread, where known
    file_id INTEGER REFERENCES file (id),               -- on what
    ret INTEGER,                                        -- return value, signed; -errno on failure, of a CUDA call its result code, negated
    asked_bytes INTEGER,                                -- bytes asked for
    done_bytes INTEGER,                                 -- bytes transferred; NULL where ret is not a byte count
    offset_bytes INTEGER,                               -- file offset
    fd INTEGER,                                         -- file descriptor
    nested INTEGER NOT NULL,                            -- 1: same work as a call of an outer layer that is also here; sums over all layers leave it out
    unfinished INTEGER NOT NULL DEFAULT 0,              -- 1: it was not seen to return, because its thread or the recording ended first
    source_id INTEGER NOT NULL REFERENCES source (id),  -- where it was read
    args_id INTEGER REFERENCES string (id),             -- remaining arguments as text
    cold_bytes INTEGER,                                 -- bytes that were added to the page cache meanwhile by this thread: were not cached, or read ahead
    correlation INTEGER                                 -- of a CUDA call: its number in its process, which the work that it asked for has, too (gpu_op.correlation)
) STRICT;

-- Block I/O requests, ordered by start.
CREATE TABLE block_request (
    id INTEGER PRIMARY KEY,                             -- ascending with start_ns
    start_ns INTEGER NOT NULL,                          -- issue to the device (or queueing, if only that is known)
    dur_ns INTEGER,                                     -- service time, from start_ns to completion
    queue_ns INTEGER,                                   -- time in the queue before start_ns, where known
    device_id INTEGER REFERENCES device (id),           -- disk
    op INTEGER NOT NULL CHECK (op IN (0, 1, 2)),        -- direction as printed: 0 read, 1 write, 2 other; bpftrace scripts print flush and discard as read
    sector INTEGER,                                     -- first 512-byte sector
    bytes INTEGER,                                      -- size of the request
    process_id INTEGER REFERENCES process (id),         -- process that was running when it was queued
    done_process_id INTEGER REFERENCES process (id),    -- process that was interrupted by its completion
    source_id INTEGER NOT NULL REFERENCES source (id)   -- where it was read
) STRICT;

-- On-CPU and off-CPU slices of threads.
CREATE TABLE sched_slice (
    id INTEGER PRIMARY KEY,                             -- ascending with start_ns
    start_ns INTEGER NOT NULL,                          -- begin of the slice
    dur_ns INTEGER,                                     -- length of the slice
    thread_id INTEGER REFERENCES thread (id),           -- who
    cpu INTEGER,                                        -- where it ran, or ran last
    state_id INTEGER NOT NULL REFERENCES string (id),   -- 'running', 'runnable', 'sleeping', 'blocked', ...
    reason_id INTEGER REFERENCES string (id),           -- why it left the CPU
    waker_thread_id INTEGER REFERENCES thread (id),     -- of a runnable slice: who woke it, or was interrupted by what did, where known
    source_id INTEGER NOT NULL REFERENCES source (id)   -- where it was read
) STRICT;

-- Work on a GPU: kernels, copies, memory sets.
CREATE TABLE gpu_op (
    id INTEGER PRIMARY KEY,                             -- ascending with start_ns
    start_ns INTEGER NOT NULL,                          -- begin of execution on the device
    dur_ns INTEGER,                                     -- duration
    device_id INTEGER NOT NULL REFERENCES device (id),  -- GPU
    stream INTEGER,                                     -- stream number
    kind_id INTEGER NOT NULL REFERENCES string (id),    -- 'kernel', 'copy', 'set', 'sync', 'graph'
    name_id INTEGER NOT NULL REFERENCES string (id),    -- kernel name or copy direction
    bytes INTEGER,                                      -- bytes copied or set
    process_id INTEGER REFERENCES process (id),         -- who launched it
    correlation INTEGER,                                -- joins it with the API call that launched it
    source_id INTEGER NOT NULL REFERENCES source (id)   -- where it was read
) STRICT;

-- Stacks, as a tree of frames: each beginning of a stack is here once, so that a stack is one number, that of its innermost frame.
CREATE TABLE stack (
    id INTEGER PRIMARY KEY,                             -- referred to by stack_id columns; larger than parent_id
    parent_id INTEGER REFERENCES stack (id),            -- the frame that called it; NULL: the outermost one that was seen
    symbol_id INTEGER REFERENCES string (id),           -- function; NULL: only the module is known
    module_id INTEGER REFERENCES string (id)            -- program or library that the function is in, where known
) STRICT;

-- Stacks that were seen at a time, ordered by it: of calls, of samples of what CPUs execute.
CREATE TABLE stack_sample (
    id INTEGER PRIMARY KEY,                             -- ascending with start_ns
    start_ns INTEGER NOT NULL,                          -- when; of a call its begin, so that thread_id and start_ns find it in call
    dur_ns INTEGER,                                     -- duration of the call; NULL: unknown, or a sample
    kind_id INTEGER NOT NULL REFERENCES string (id),    -- 'call' (it was in a call), 'cpu' (it was executing)
    op_id INTEGER REFERENCES op (id),                   -- of a call: what
    process_id INTEGER REFERENCES process (id),         -- who
    thread_id INTEGER REFERENCES thread (id),           -- which thread, where known
    cpu INTEGER,                                        -- where it was executing, where known
    stack_id INTEGER NOT NULL REFERENCES stack (id),    -- the stack
    source_id INTEGER NOT NULL REFERENCES source (id)   -- where it was read
) STRICT;

-- Stacks that a tool counted itself (maps of bpftrace, folded stacks): when they were seen is not known.
CREATE TABLE stack_total (
    id INTEGER PRIMARY KEY,                             -- running number
    source_id INTEGER NOT NULL REFERENCES source (id),  -- where it was read
    name TEXT NOT NULL,                                 -- map or table name
    stack_id INTEGER NOT NULL REFERENCES stack (id),    -- the stack; what else its key has, like the name of the process, is the outermost frame
    value INTEGER NOT NULL,                             -- how often, or how much
    unit TEXT                                           -- unit of value: 'count', 'ns', ...; NULL: unknown
) STRICT;

-- Tracks: what a counter counts.
CREATE TABLE track (
    id INTEGER PRIMARY KEY,                             -- referred to by sample.track_id
    name TEXT NOT NULL,                                 -- 'cpu.usr', 'gpu.sm', 'gpu.fb'
    unit TEXT NOT NULL,                                 -- '%', 'bytes', 'W', 'C', 'MHz', '1/s', 'bytes/s', ''
    device_id INTEGER REFERENCES device (id),           -- GPU, CPU or disk; NULL: the whole machine
    process_id INTEGER REFERENCES process (id),         -- process, where it is per process
    source_id INTEGER NOT NULL REFERENCES source (id)   -- where it was read
) STRICT;

-- Samples of counters. A sample covers the period that ends at ts_ns.
CREATE TABLE sample (
    id INTEGER PRIMARY KEY,                             -- ascending with ts_ns
    ts_ns INTEGER NOT NULL,                             -- end of the sampled period
    dur_ns INTEGER,                                     -- length of the period, where known
    track_id INTEGER NOT NULL REFERENCES track (id),    -- what
    value REAL                                          -- the value in the track's unit; NULL: the tool printed '-'
) STRICT;

-- Spans: training phases, NVTX ranges, annotations.
CREATE TABLE span (
    id INTEGER PRIMARY KEY,                             -- ascending with start_ns
    start_ns INTEGER NOT NULL,                          -- begin; the end, where no begin was seen
    dur_ns INTEGER,                                     -- length; NULL if its begin or its end is missing
    kind_id INTEGER NOT NULL REFERENCES string (id),    -- 'phase', 'nvtx', 'annotation', 'gpu-annotation', 'cpu-op', 'python', 'overhead', 'profiler', 'unrecorded' (the process worked on GPUs and nothing was told of it: it profiled itself), else a category of the tool's own
    name_id INTEGER NOT NULL REFERENCES string (id),    -- 'init', 'run', 'epoch', 'eval', 'block', 'checkpoint', ...
    number INTEGER,                                     -- epoch number and the like
    rank INTEGER,                                       -- rank that logged it, where there are several
    run_number INTEGER,                                 -- 1, 2, ... in order of time: which run of the training program, ranks share it (log_run); NULL: of none
    state_id INTEGER NOT NULL REFERENCES string (id),   -- 'complete', 'unfinished' (no end seen), 'no-start' (no begin seen)
    process_id INTEGER REFERENCES process (id),         -- who
    thread_id INTEGER REFERENCES thread (id),           -- which thread
    args_id INTEGER REFERENCES string (id),             -- values and metadata as JSON
    source_id INTEGER NOT NULL REFERENCES source (id)   -- where it was read
) STRICT;

-- Marks: things that happen at one time.
CREATE TABLE mark (
    id INTEGER PRIMARY KEY,                             -- ascending with ts_ns
    ts_ns INTEGER NOT NULL,                             -- when
    name_id INTEGER NOT NULL REFERENCES string (id),    -- 'eval_accuracy', 'signal', 'exit', ...
    rank INTEGER,                                       -- rank that logged it, where there are several
    process_id INTEGER REFERENCES process (id),         -- who
    thread_id INTEGER REFERENCES thread (id),           -- which thread
    value REAL,                                         -- value, if it is a number
    args_id INTEGER REFERENCES string (id),             -- value and metadata as JSON
    source_id INTEGER NOT NULL REFERENCES source (id)   -- where it was read
) STRICT;

-- Summaries that a tool computed itself (histograms, count maps, strace -c): no single events behind them.
CREATE TABLE summary (
    id INTEGER PRIMARY KEY,                             -- running number
    source_id INTEGER NOT NULL REFERENCES source (id),  -- where it was read
    name TEXT NOT NULL,                                 -- map or table name
    key TEXT,                                           -- key of the row
    low REAL,                                           -- lower bound of a histogram bucket, inclusive
    high REAL,                                          -- upper bound, exclusive
    value REAL NOT NULL,                                -- count or value
    unit TEXT                                           -- unit of value, where known
) STRICT;

-- What a recorder made and lost, by event set, and by second where there is loss: stretches without it are one row.
CREATE TABLE loss (
    id INTEGER PRIMARY KEY,                             -- running number
    source_id INTEGER NOT NULL REFERENCES source (id),  -- where it was read
    name TEXT NOT NULL,                                 -- event set ('file_io', 'sched', ...); 'spool': what found no room on the disk; '32-bit': calls of 32-bit programs, which are not recorded
    ring INTEGER,                                       -- number of the buffer between kernel and recorder
    start_ns INTEGER NOT NULL,                          -- begin of the stretch
    dur_ns INTEGER NOT NULL,                            -- its length
    generated INTEGER NOT NULL,                         -- events that there were
    lost INTEGER NOT NULL,                              -- events of these that are not in the tables
    ring_peak_bytes INTEGER,                            -- fill of the buffer at its highest
    ring_size_bytes INTEGER                             -- its size
) STRICT;
