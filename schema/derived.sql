-- tracedb schema: derived tables, rebuilt from the others at the end of every import. Reports read these.

-- Time to id: call rows are ordered by start_ns, this finds where a time range begins and ends, and what lasts into it.
CREATE TABLE call_block (
    start_ns INTEGER PRIMARY KEY,   -- start of the first call of the block
    first_id INTEGER NOT NULL,      -- its id
    last_id INTEGER NOT NULL,       -- id of the last call of the block
    calls INTEGER NOT NULL,         -- number of its calls, nested ones left out, as below
    end_ns INTEGER,                 -- end of the one that ended last; NULL: of none the duration is known
    max_id INTEGER REFERENCES call (id), -- the longest, of as long ones the first, even if of none the duration is known; NULL: all are nested
    max_ns INTEGER                  -- how long it took; NULL: of none the duration is known
) STRICT;

-- Exact statistics per operation, for the whole run and per process. Nested calls are not counted. call_stat shows them.
CREATE TABLE op_stat (
    by TEXT NOT NULL CHECK (by IN ('op', 'process,op')), -- what a row is: an operation, or one of a process
    process_id INTEGER REFERENCES process (id), -- who; NULL: all processes together, or by 'process,op' those that are unknown
    op_id INTEGER NOT NULL REFERENCES op (id),  -- operation
    calls INTEGER NOT NULL,                     -- number of calls
    errors INTEGER NOT NULL,                    -- of these: failed (ret < 0)
    timed INTEGER NOT NULL,                     -- of these: with a known duration
    done_bytes INTEGER,                         -- bytes transferred
    total_ns INTEGER,                           -- sum of durations
    min_ns INTEGER,                             -- shortest
    max_ns INTEGER,                             -- longest
    p50_ns REAL,                                -- median; mean of the middle two of an even number
    p95_ns INTEGER,                             -- 95th percentile, nearest rank
    p99_ns INTEGER,                             -- 99th percentile, nearest rank
    stddev_ns REAL,                             -- sample standard deviation; 0 for a single call
    first_ns INTEGER NOT NULL,                  -- start of the first call
    last_ns INTEGER NOT NULL,                   -- start of the last call
    nested_calls INTEGER NOT NULL,              -- calls left out because an outer layer counts them
    unfinished INTEGER NOT NULL                 -- of calls: not seen to return
) STRICT;

-- Exact statistics of the calls that op_stat leaves out because an outer layer counts them, per operation. They say how
-- much of an openat is spent in vfs_open, and are never added to other times.
CREATE TABLE nested_stat (
    by TEXT NOT NULL CHECK (by IN ('op', 'process,op')), -- what a row is: an operation, or one of a process
    process_id INTEGER REFERENCES process (id), -- who; NULL: all processes together, or by 'process,op' those that are unknown
    op_id INTEGER NOT NULL REFERENCES op (id),  -- operation
    calls INTEGER NOT NULL,                     -- number of calls
    errors INTEGER NOT NULL,                    -- of these: failed (ret < 0)
    timed INTEGER NOT NULL,                     -- of these: with a known duration
    done_bytes INTEGER,                         -- bytes transferred
    total_ns INTEGER,                           -- sum of durations
    min_ns INTEGER,                             -- shortest
    max_ns INTEGER,                             -- longest
    p50_ns REAL,                                -- median; mean of the middle two of an even number
    p95_ns INTEGER,                             -- 95th percentile, nearest rank
    p99_ns INTEGER                              -- 99th percentile, nearest rank
) STRICT;

-- Exact statistics of I/O calls (op.kind 'io') per file, template, directory, class and process; for the whole run and per
-- process. Nested calls are not counted. A call whose file or process is unknown counts under NULL, so each 'by' has the same
-- total. io_stat shows them.
CREATE TABLE file_stat (
    by TEXT NOT NULL CHECK (by IN ('file,verb', 'file,process,verb', 'template,verb', 'template,process,verb', 'directory,verb', 'directory,process,verb', 'class,verb', 'class,process,verb', 'process,verb')), -- what a row is
    key_id INTEGER,                             -- file.id by file, process.id by 'process,verb', else string.id; NULL: unknown
    process_id INTEGER REFERENCES process (id), -- who, if by has the process and something else; NULL: all together, or unknown
    verb TEXT NOT NULL,                         -- op.verb: 'open', 'read', 'write', ...
    calls INTEGER NOT NULL,                     -- number of calls
    errors INTEGER NOT NULL,                    -- of these: failed
    timed INTEGER NOT NULL,                     -- of these: with a known duration
    done_bytes INTEGER,                         -- bytes transferred
    total_ns INTEGER,                           -- sum of durations
    max_ns INTEGER,                             -- longest
    p50_ns REAL,                                -- median duration
    p99_ns INTEGER,                             -- 99th percentile, nearest rank
    min_bytes INTEGER,                          -- smallest transfer
    p50_bytes_low INTEGER,                      -- power of two that the median transfer size is at least (0 for 0); of an even number the lower of the middle two
    max_bytes INTEGER,                          -- largest transfer
    sequential INTEGER,                         -- transfers that began where the previous one of the same verb, process and file ended, the first at 0; NULL if no offset is known
    random INTEGER,                             -- transfers with a known offset that did not
    first_ns INTEGER NOT NULL,                  -- start of the first call
    last_ns INTEGER NOT NULL                    -- start of the last call
) STRICT;

-- Exact statistics of I/O calls (op.kind 'io') of each process on the files of a class, of the whole run, with the file of these that most time went to
-- apart from the others: what io_stat by 'class,process' is made of. Of files that took as long each has a row. Nested calls are not counted. Without rows
-- where io_stat does not hold statistics by 'file,process,verb' (stat_omitted).
CREATE TABLE busiest_file (
    process_id INTEGER REFERENCES process (id), -- who; NULL: unknown
    class TEXT,                                 -- file.class; NULL: of calls of which the file is not known
    file_id INTEGER REFERENCES file (id),       -- the file that took most time; NULL: all others of the class together
    files INTEGER NOT NULL,                     -- how many files the row is of
    calls INTEGER NOT NULL,                     -- number of calls
    errors INTEGER NOT NULL,                    -- of these: failed
    done_bytes INTEGER,                         -- bytes transferred
    total_ns INTEGER,                           -- sum of durations
    max_ns INTEGER                              -- longest
) STRICT;

-- Reads of regular files of the whole run: what of them came from the page cache, and how far into the files they reached. Nested calls are not counted.
-- Without rows of what there would be too many of for the calls. read_stat shows them.
CREATE TABLE read_sum (
    by TEXT NOT NULL CHECK (by IN ('file', 'process', 'template', 'all')), -- what a row is of; 'all': all reads, also where there are none
    file_id INTEGER REFERENCES file (id),       -- by 'file': file
    process_id INTEGER REFERENCES process (id), -- by 'process': who read; NULL: unknown
    template_id INTEGER REFERENCES string (id), -- by 'template': file.template_id
    reads INTEGER NOT NULL,                     -- number of reads
    bytes INTEGER NOT NULL,                     -- bytes that they returned
    known INTEGER NOT NULL,                     -- of reads: it is known what was in the page cache
    hits INTEGER NOT NULL,                      -- of these: all was
    hit_bytes INTEGER,                          -- bytes that were in the page cache; NULL, as the next two: of no read it is known
    cold_bytes INTEGER,                         -- bytes that were not, as far as they were asked for
    ahead_bytes INTEGER,                        -- bytes that were brought into the page cache besides
    end_bytes INTEGER,                          -- by 'file': where the read that reached furthest ended; NULL: no offset is known
    placed INTEGER NOT NULL,                    -- of reads: their offset is known
    reread_bytes INTEGER                        -- bytes that exceed where the reads of each file ended; of a process those that it read itself; NULL: of a read the offset is not known
) STRICT;

-- Groupings of call_stat and io_stat that would have more rows than their share of the calls: the tables do not hold them, and
-- the views look at the calls instead. What is not here is held.
CREATE TABLE stat_omitted (
    relation TEXT NOT NULL CHECK (relation IN ('call_stat', 'io_stat')), -- of which
    by TEXT NOT NULL,                           -- the grouping
    rows_held INTEGER NOT NULL CHECK (rows_held IN (0, 1)) -- 1: all but sequential and random is held, in io_stat_held
) STRICT;

-- Exact statistics of work on GPUs, of the whole run, by kind with some of GPU, process, name, duration and size. A grouping that would have more rows
-- than its share of the work has none. gpu_stat shows them.
CREATE TABLE gpu_op_stat (
    by TEXT NOT NULL CHECK (by IN ('kind,latency', 'kind', 'kind,name', 'process,kind,name', 'device,process,kind,name', 'device,kind,name,bytes')), -- what a row is
    device_id INTEGER REFERENCES device (id),   -- GPU, if by has it
    process_id INTEGER REFERENCES process (id), -- who launched it, if by has the process; NULL: unknown, or all
    kind_id INTEGER NOT NULL REFERENCES string (id), -- 'kernel', 'copy', 'set', 'sync', 'graph'
    name_id INTEGER REFERENCES string (id),     -- kernel name or copy direction, if by has the name
    low_ns INTEGER,                             -- by 'latency': bucket of durations, eight for each power of two; NULL: those without
    each_bytes INTEGER,                         -- by 'bytes': size of each; NULL: those without
    ops INTEGER NOT NULL,                       -- how many
    timed INTEGER NOT NULL,                     -- of these: with a known duration
    bytes INTEGER,                              -- bytes copied or set; NULL by 'latency', as all that follows
    total_ns INTEGER,                           -- sum of durations
    min_ns INTEGER,                             -- shortest
    max_ns INTEGER,                             -- longest
    p50_ns REAL,                                -- median; mean of the middle two of an even number; NULL by 'bytes'
    p95_ns INTEGER,                             -- 95th percentile, nearest rank; NULL by 'bytes'
    p99_ns INTEGER,                             -- 99th percentile, nearest rank; NULL by 'bytes'
    stddev_ns REAL,                             -- sample standard deviation; 0 of a single one
    first_ns INTEGER,                           -- begin of the first
    last_ns INTEGER                             -- begin of the last
) STRICT;

-- Exact statistics of requests of disks, of the whole run. Without rows where there would be too many for the requests. block_stat shows them.
CREATE TABLE block_request_stat (
    by TEXT NOT NULL CHECK (by IN ('device', 'device,direction', 'device,direction,process', 'device,direction,seek')), -- what a row is
    device_id INTEGER REFERENCES device (id),   -- disk
    direction TEXT CHECK (direction IN ('read', 'write', 'other')), -- block_request.op, if by has it
    process_id INTEGER REFERENCES process (id), -- process that was running when they were queued, if by has it; NULL: unknown, or all
    seek_bytes INTEGER,                         -- by 'seek': lower bound of the bucket of distances to where the disk's request before ended, a power of two or 0; NULL: of its first one, and without sector or size
    requests INTEGER NOT NULL,                  -- how many
    timed INTEGER NOT NULL,                     -- of these: with a known service time
    bytes INTEGER,                              -- their size
    total_ns INTEGER,                           -- sum of service times
    min_ns INTEGER,                             -- shortest
    max_ns INTEGER,                             -- longest
    p50_ns REAL,                                -- median; mean of the middle two of an even number; NULL by 'seek'
    p95_ns INTEGER,                             -- 95th percentile, nearest rank; NULL by 'seek'
    p99_ns INTEGER,                             -- 99th percentile, nearest rank; NULL by 'seek'
    queued INTEGER NOT NULL,                    -- of requests: with a known time in the queue
    queue_ns INTEGER,                           -- sum of the times in the queue
    sequential INTEGER,                         -- requests that began where the one before of the disk ended; NULL if of none it is known
    forward INTEGER,                            -- further on
    backward INTEGER,                           -- further back
    first_ns INTEGER NOT NULL,                  -- issue of the first
    last_ns INTEGER NOT NULL                    -- issue of the last
) STRICT;

-- Exact statistics of slices of threads, of the whole run. A grouping that would have too many rows for the slices has none. sched_stat shows them.
CREATE TABLE sched_slice_stat (
    by TEXT NOT NULL CHECK (by IN ('thread,state', 'thread,state,reason', 'thread,state,octave')), -- what a row is
    thread_id INTEGER REFERENCES thread (id),   -- who; NULL: unknown
    state_id INTEGER NOT NULL REFERENCES string (id), -- 'running', 'runnable', 'sleeping', 'blocked', ...
    reason_id INTEGER REFERENCES string (id),   -- by 'reason': why it left the CPU; NULL: unknown
    octave_ns INTEGER,                          -- by 'octave': lower bound of the bucket of lengths, a power of two or 0; NULL: those without
    slices INTEGER NOT NULL,                    -- how many
    timed INTEGER NOT NULL,                     -- of these: with a known length
    total_ns INTEGER,                           -- sum of lengths
    min_ns INTEGER,                             -- shortest; NULL by 'octave', as all that follows
    max_ns INTEGER,                             -- longest
    first_ns INTEGER,                           -- begin of the first
    last_ns INTEGER                             -- begin of the last
) STRICT;

-- Idle time of GPUs between two pieces of their work, of 1 ms and longer: gpu_gap has all. Without rows where they would be too many.
CREATE TABLE gpu_long_gap (
    id INTEGER PRIMARY KEY,                          -- gpu_op.id of the work that ended it
    device_id INTEGER NOT NULL REFERENCES device (id), -- GPU
    start_ns INTEGER NOT NULL,                       -- begin: all work from before had ended
    dur_ns INTEGER NOT NULL                          -- how long the GPU had nothing to do
) STRICT;

-- Names of kernels of NCCL and RCCL, and the collectives that these are of.
CREATE TABLE collective_name (
    name_id INTEGER PRIMARY KEY,                -- string.id of the kernel's name
    of_id INTEGER NOT NULL REFERENCES string (id), -- the same for all names of the collective: the first of these that came
    collective TEXT NOT NULL                    -- its name without 'void' and arguments; as the linker has it where nobody could say it
) STRICT;

-- Kernels of NCCL and RCCL of the whole run, by collective, GPU and process, and what they had to do with those of other ranks. Without rows where
-- there would be too many kernels to match. collective_stat shows them.
CREATE TABLE collective_sum (
    of_id INTEGER NOT NULL REFERENCES string (id), -- as all columns: see collective_stat
    device_id INTEGER NOT NULL REFERENCES device (id), -- GPU
    process_id INTEGER REFERENCES process (id), -- who launched them
    rank INTEGER,                               -- of work of no process: rank of its source
    kernels INTEGER NOT NULL,                   -- how many
    timed INTEGER NOT NULL,                     -- of these: with a known duration
    total_ns INTEGER,                           -- sum of durations
    max_ns INTEGER,                             -- longest
    matched INTEGER NOT NULL,                   -- of the kernels: those of all other ranks are known
    last INTEGER NOT NULL,                      -- of these: began last
    late_ns INTEGER NOT NULL,                   -- of the last ones: after the first rank's
    behind_ns INTEGER NOT NULL,                 -- of all that are matched: after the first rank's
    waited_ns INTEGER NOT NULL,                 -- of all that are matched: until the last rank's began
    cost_ns INTEGER NOT NULL,                   -- of the last ones: after that of the last rank but one
    worst_ns INTEGER,                           -- the most of these
    worst_start_ns INTEGER,                     -- when the first such one began
    clock_error_ns INTEGER,                     -- how well times of several machines are known
    alike INTEGER NOT NULL,                     -- 1: all ranks have as many
    clocks_agree INTEGER NOT NULL               -- 1: all clocks can be compared
) STRICT;

-- By how much clocks of several machines differ. Without rows where all are of one, or there would be too many kernels. machine_clock shows it.
CREATE TABLE machine_clock_held (
    source_id INTEGER PRIMARY KEY,              -- source.id
    ahead_ns INTEGER,                           -- as in machine_clock; NULL: it is not known
    error_ns INTEGER                            -- likewise
) STRICT;

-- Which processes and ranks each source has spans and work on GPUs of, so that nobody looks at all of them to know.
CREATE TABLE source_process (
    source_id INTEGER NOT NULL REFERENCES source (id), -- where it was read
    process_id INTEGER REFERENCES process (id), -- who; NULL: unknown
    rank INTEGER,                               -- span.rank; NULL: none is said
    kind_id INTEGER REFERENCES string (id),     -- kind of the spans; NULL: work on GPUs
    rows INTEGER NOT NULL,                      -- how many
    epoch_ns INTEGER,                           -- of phases: sum of the lengths of epochs
    data_ns INTEGER                             -- of ranges: sum of those in which the program waits for its DataLoader
) STRICT;

-- Spans that ranks have in common: phases of logs, and steps of PyTorch's profiler (ProfilerStep#N). Few among those of a profile, in which view phases
-- would have to look for its own.
CREATE TABLE rank_span (
    id INTEGER PRIMARY KEY                      -- span.id
) STRICT;

-- What operators and annotations of profiles took, of the whole run: what operator_stat answers from. Without rows where they would be too many, or
-- spans are more than two million, or calls of CUDA more than sixteen.
CREATE TABLE operator_sum (
    kind_id INTEGER NOT NULL REFERENCES string (id), -- 'cpu-op', 'annotation' or 'nvtx'
    name_id INTEGER REFERENCES string (id),     -- its name; of NVTX ranges that differ in what PyTorch adds behind the operator (op_id, seq, sizes) that of the first
    calls INTEGER NOT NULL,                     -- how often
    total_ns INTEGER NOT NULL,                  -- sum of the durations, with what is within
    self_ns INTEGER NOT NULL,                   -- of that, what is in no operator within
    min_ns INTEGER NOT NULL,                    -- shortest
    max_ns INTEGER NOT NULL,                    -- longest
    gpu_ops INTEGER,                            -- kernels, copies and sets that it launched itself; NULL: of no work the call is known
    gpu_ns INTEGER,                             -- their time on the GPU
    delay_min_ns INTEGER,                       -- of all calls of CUDA, in operators or not: what one launched begins no sooner after it, negative where clocks disagree; NULL likewise
    delay_max_ns INTEGER                        -- nor later; NULL likewise
) STRICT;

-- Calls of CUDA that wait for a GPU, of the whole run, of those operations and threads that had stalls, which take 10 us at least: what sync_stat answers
-- from. Without rows where they would be too many, or where work took no time or is not on the clock of the run.
CREATE TABLE gpu_wait_stat (
    op_id INTEGER NOT NULL REFERENCES op (id),  -- operation
    process_id INTEGER REFERENCES process (id), -- process; NULL: unknown
    thread_id INTEGER REFERENCES thread (id),   -- thread; NULL: unknown
    calls INTEGER NOT NULL,                     -- calls, short ones included; nested ones are not counted
    stalls INTEGER NOT NULL,                    -- of these: took 10 us or more
    stall_ns INTEGER NOT NULL,                  -- sum of the durations of the stalls
    max_ns INTEGER NOT NULL,                    -- longest
    max_start_ns INTEGER NOT NULL,              -- its begin, of several the first
    idle_ns INTEGER,                            -- of stall_ns, the time in which no GPU that the process used had work; NULL: its work is not known
    after_ns INTEGER,                           -- time from the end of stalls, if these GPUs were idle then, to the begin of their next work; NULL likewise
    wall_ns INTEGER                             -- time from the first work of all GPUs to the last; NULL: there is none
) STRICT;

-- Kernels and the calls that launched them, of the whole run and of each kind of phase, by GPU: what launch_stat answers from. Gaps are those of 100 us at most.
-- Without rows where kernels are more than five million, or calls that launch them more than eight.
CREATE TABLE launch_sum (
    device_id INTEGER NOT NULL REFERENCES device (id), -- GPU
    phase TEXT NOT NULL,                        -- phase in which the kernels begin; '(run)': the whole run
    since_ns INTEGER,                           -- begin of the phase, the first time; NULL: of the run
    wall_ns INTEGER NOT NULL,                   -- length of the phase, without what lies before the GPU's first work or behind its last
    kernels INTEGER NOT NULL,                   -- kernels
    total_ns INTEGER NOT NULL,                  -- sum of their durations
    launches INTEGER,                           -- calls that launched them (a CUDA graph is one); NULL: their calls are not known
    launch_ns INTEGER,                          -- time in these calls; NULL: not known
    delay_p50_ns REAL,                          -- median time from the begin of the call to that of the kernel; NULL: their calls are not known
    gaps INTEGER NOT NULL,                      -- kernels before which the GPU was idle
    gap_ns INTEGER NOT NULL,                    -- idle time in these gaps
    starved INTEGER,                            -- of the gaps: the call that launched the kernel began when the GPU had no work any more; NULL: their calls are not known
    starved_ns INTEGER,                         -- idle time in these; NULL likewise
    delay_min_ns INTEGER,                       -- shortest time from the begin of the call to that of the kernel, negative where clocks disagree; NULL likewise
    delay_max_ns INTEGER                        -- longest; NULL likewise
) STRICT;

-- Exact statistics of NVTX ranges, of the whole run, by name, style and domain. A range whose end is not in the trace lasts to the last time of any.
-- Without rows where they would be too many.
CREATE TABLE range_stat (
    args_id INTEGER REFERENCES string (id),     -- JSON with the style and domain of all of them, what else it says is of one; NULL: of the default ones
    name_id INTEGER REFERENCES string (id),     -- text of the range
    ranges INTEGER NOT NULL,                    -- how many
    unfinished INTEGER NOT NULL,                -- of these: those whose end is not in the trace
    total_ns INTEGER NOT NULL,                  -- sum of durations
    min_ns INTEGER NOT NULL,                    -- shortest
    max_ns INTEGER NOT NULL,                    -- longest
    p50_ns REAL NOT NULL,                       -- median; mean of the middle two of an even number
    stddev_ns REAL NOT NULL                     -- sample standard deviation; 0 of a single one
) STRICT;

-- What took longest: calls by their verb, those that wait for somebody apart; requests of disks by what they do; work of GPUs, without that of kind
-- 'sync'. Of each the longest 100, of as long ones the first, if they took any time. Nested calls are not counted.
CREATE TABLE longest (
    what TEXT NOT NULL CHECK (what IN ('call', 'request', 'kernel')), -- what it is
    id INTEGER NOT NULL,                        -- call.id, block_request.id or gpu_op.id
    dur_ns INTEGER NOT NULL,                    -- how long it took
    op_id INTEGER REFERENCES op (id),           -- operation of a call; NULL: it is none
    waits INTEGER CHECK (waits IN (0, 1))       -- of a call: 1: it is no I/O, of verb 'socket', or on what waited_file lists; NULL: it is none
) STRICT;

-- How many files there are of each template and class, so that nobody counts all of them.
CREATE TABLE file_kind (
    template_id INTEGER NOT NULL REFERENCES string (id), -- file.template_id
    class TEXT NOT NULL,                        -- file.class
    files INTEGER NOT NULL                      -- number of files
) STRICT;

-- Files that are neither regular nor directories and of which something is known: few where files are many.
CREATE TABLE classed_file (
    id INTEGER PRIMARY KEY,                     -- file.id
    class TEXT NOT NULL                         -- file.class: all but 'regular', 'directory' and 'unknown'
) STRICT;

-- Files that most time of I/O calls (op.kind 'io') went to, of the whole run, nested calls not counted: the first 100 of those on which calls wait for
-- somebody (waited_file), and of the others.
CREATE TABLE top_file (
    waits INTEGER NOT NULL CHECK (waits IN (0, 1)), -- 1: one of waited_file
    file_id INTEGER NOT NULL REFERENCES file (id), -- file; of as much time the first one comes first
    total_ns INTEGER NOT NULL                   -- sum of the durations
) STRICT;

-- Calls that lock (op.kind 'lock', but for those of CUDA) by who made them with which arguments, which name the lock. Nested calls are not counted.
-- Without rows where they would be too many.
CREATE TABLE lock_stat (
    process_id INTEGER REFERENCES process (id), -- who; NULL: unknown
    thread_id INTEGER REFERENCES thread (id),   -- likewise
    op_id INTEGER NOT NULL REFERENCES op (id),  -- operation
    args_id INTEGER REFERENCES string (id),     -- call.args_id
    calls INTEGER NOT NULL,                     -- number of calls
    failed INTEGER NOT NULL,                    -- of these: ret < 0
    timed INTEGER NOT NULL,                     -- of these: with a known duration
    total_ns INTEGER,                           -- sum of durations; NULL: no call had one, likewise the next two
    max_ns INTEGER,                             -- longest
    max_start_ns INTEGER                        -- begin of the first one that took as long
) STRICT;

-- What processes did with segments of shared memory (files of class 'shm' and 'memfd'), by calls that did not fail; nested ones are not counted. Without
-- rows where they would be too many. segment_use shows them.
CREATE TABLE shm_stat (
    file_id INTEGER NOT NULL REFERENCES file (id), -- segment
    process_id INTEGER REFERENCES process (id), -- who; NULL: unknown
    sized_bytes INTEGER,                        -- size that it gave it; NULL: none, likewise all that follows but first_ns
    sized_ns INTEGER,                           -- when it first did
    map_bytes INTEGER,                          -- its largest mapping
    mapped_bytes INTEGER,                       -- sum of its mappings
    mapped_ns INTEGER,                          -- when it first mapped it
    write_bytes INTEGER,                        -- bytes that it wrote
    read_bytes INTEGER,                         -- bytes that it read
    first_ns INTEGER NOT NULL                   -- begin of its first call
) STRICT;

-- Distribution of transfer sizes per file. Without rows where io_stat does not hold statistics by 'file,verb' (stat_omitted).
CREATE TABLE size_stat (
    file_id INTEGER NOT NULL REFERENCES file (id), -- file
    verb TEXT NOT NULL,                         -- 'read' or 'write'
    low_bytes INTEGER NOT NULL,                 -- lower bound of the bucket, inclusive: 0, 1, 2, 4, 8, ...; upper bound is the next one
    calls INTEGER NOT NULL                      -- number of calls
) STRICT;

-- Distributions of file_stat as they add up, for partials and merged reports: of the finest grouping without processes that file_stat holds.
-- durations and sizes are a number for each bucket that has calls: its distance from the one before, less one (the first from -1), times two, and
-- one more if it has several; then their number, less two. Numbers have seven bits a byte, the lowest first, the highest bit set in all but the last.
CREATE TABLE file_hist (
    by TEXT NOT NULL CHECK (by IN ('file,verb', 'template,verb', 'directory,verb', 'class,verb')), -- as in file_stat, likewise the next two
    key_id INTEGER,                             -- file.id by file, else string.id; NULL: unknown
    verb TEXT NOT NULL,                         -- op.verb
    min_ns INTEGER,                             -- shortest; NULL: no call had a duration
    durations BLOB NOT NULL,                    -- calls with a known duration by buckets as those of latency_stat, numbered from 0 ns; empty, too: there are too many to keep all
    sizes BLOB NOT NULL                         -- transfers by buckets as those of size_stat, numbered from 0 bytes
) STRICT;

-- Distributions of op_stat and nested_stat as they add up, for partials and merged reports: of each process and operation.
CREATE TABLE op_hist (
    process_id INTEGER REFERENCES process (id), -- who; NULL: unknown
    op_id INTEGER NOT NULL REFERENCES op (id),  -- operation
    nested INTEGER NOT NULL CHECK (nested IN (0, 1)), -- 1: the calls are those of nested_stat
    durations BLOB NOT NULL                     -- as in file_hist
) STRICT;

-- Calls by how long they took and by how much they transferred, as they add up: for call_stat, io_stat and merged reports. Nested calls are not counted. A grouping
-- that would have more rows than its share of the calls has none.
CREATE TABLE bucket_stat (
    by TEXT NOT NULL CHECK (by IN ('op,latency', 'op,size', 'template,verb,size', 'process,verb,size')), -- what a row is; with a verb of I/O calls (op.kind 'io') alone
    key_id INTEGER,                             -- op.id, string.id or process.id; NULL: unknown
    verb TEXT,                                  -- op.verb, if by has it
    low INTEGER,                                -- lower bound of the bucket, in ns or bytes, as in call_stat; NULL: calls without a duration or size
    calls INTEGER NOT NULL,                     -- number of calls
    done_bytes INTEGER,                         -- bytes transferred
    total_ns INTEGER                            -- sum of durations
) STRICT;

-- Distribution of durations per operation: 64 buckets per power of two, nested calls left out. Distributions of several runs add up.
CREATE TABLE latency_stat (
    op_id INTEGER NOT NULL REFERENCES op (id),  -- operation
    low_ns INTEGER NOT NULL,                    -- lower bound of the bucket, inclusive
    high_ns INTEGER NOT NULL,                   -- upper bound, exclusive
    calls INTEGER NOT NULL                      -- number of calls
) STRICT;

-- Totals per time bin (run.bin_ns wide, aligned to multiples of it), process, file and operation. The rows are in order of operation and time. Without
-- rows where they would be too many (stat_omitted).
CREATE TABLE bin_stat (
    bin_ns INTEGER NOT NULL,                    -- start of the bin
    process_id INTEGER REFERENCES process (id), -- who
    file_id INTEGER REFERENCES file (id),       -- on what
    op_id INTEGER NOT NULL REFERENCES op (id),  -- what
    calls INTEGER NOT NULL,                     -- calls that start in the bin, nested ones left out
    errors INTEGER NOT NULL,                    -- of these: failed
    done_bytes INTEGER,                         -- bytes transferred
    total_ns INTEGER                            -- sum of their durations
) STRICT;

-- What processes wrote (op.kind 'io', op.verb 'write') in each of at most 60 stretches of time, of whole bins (run.bin_ns wide) each. Nested calls are not
-- counted. Without rows where bin_stat has none, or they would be too many.
CREATE TABLE write_stat (
    start_ns INTEGER NOT NULL,                  -- begin of the stretch: the first one begins with the bin in which the run does
    dur_ns INTEGER NOT NULL,                    -- its length, which is that of all
    process_id INTEGER REFERENCES process (id), -- who; NULL: unknown
    calls INTEGER NOT NULL,                     -- calls that start in it
    done_bytes INTEGER,                         -- bytes written
    total_ns INTEGER,                           -- sum of their durations
    class TEXT,                                 -- class of file that most of them were on, of as many the first by name; NULL: of none the file is known
    file_id INTEGER REFERENCES file (id)        -- file that most of them were on, of as many the one with most bytes, the first of these; NULL likewise
) STRICT;

-- Totals per time bin (as wide as those of bin_stat), operation and class of file. Nested calls are not counted. Without rows where they would be too
-- many for the calls. call_stat shows them.
CREATE TABLE class_bin_stat (
    bin_ns INTEGER NOT NULL,                    -- start of the bin
    class TEXT,                                 -- file.class; NULL: the calls are on no file, or it is not known
    op_id INTEGER NOT NULL REFERENCES op (id),  -- operation
    calls INTEGER NOT NULL,                     -- calls that start in the bin
    errors INTEGER NOT NULL,                    -- of these: failed
    done_bytes INTEGER,                         -- bytes transferred
    total_ns INTEGER                            -- sum of their durations
) STRICT;

-- Bytes of reads and writes that went on beyond the end of their time bin (as wide as those of bin_stat): what of them was transferred after the begin of a
-- later one, as if it had gone on evenly. A row for the first bin of the run, and for each bin in which there are such. Nested calls are not counted, nor
-- those on pipes, sockets, eventfds and what has no name. Without rows where there would be too much to add up for the calls.
CREATE TABLE bin_late (
    bin_ns INTEGER NOT NULL,                    -- start of the bin
    read_bytes INTEGER NOT NULL,                -- bytes that were read after that by calls that began before
    write_bytes INTEGER NOT NULL                -- bytes that were written likewise
) STRICT;

-- Exact statistics of calls by thread, operation and class of file, of the whole run. Nested calls are not counted. Without rows where they would be
-- too many for the calls. call_stat shows them.
CREATE TABLE thread_stat (
    process_id INTEGER REFERENCES process (id), -- who; NULL: unknown
    thread_id INTEGER REFERENCES thread (id),   -- likewise
    op_id INTEGER NOT NULL REFERENCES op (id),  -- operation
    class TEXT,                                 -- file.class; NULL: the call is on no file, or it is not known
    calls INTEGER NOT NULL,                     -- number of calls
    errors INTEGER NOT NULL,                    -- of these: failed (ret < 0)
    total_ns INTEGER,                           -- sum of durations; NULL: no call had one
    first_ns INTEGER NOT NULL,                  -- start of the first call
    last_ns INTEGER NOT NULL                    -- start of the last call
) STRICT;

-- When a phase is on: unions of the spans of one name and run over all ranks, and of one name, number and run.
CREATE TABLE phase_interval (
    label TEXT NOT NULL,            -- 'epoch', or 'epoch 3'; where there are several runs also '(run)': each as a whole
    start_ns INTEGER NOT NULL,      -- begin
    end_ns INTEGER NOT NULL,        -- end, exclusive
    run_number INTEGER              -- run that it is of (log_run); NULL: of none
) STRICT;

-- The timeline cut into segments at every begin and end of a phase and at every GPU sample. Overlap is a sum over segments.
CREATE TABLE segment (
    start_ns INTEGER PRIMARY KEY,       -- begin; the segment ends where the next one begins
    dur_ns INTEGER NOT NULL,            -- length
    io_ns INTEGER,                      -- time in it with at least one file I/O call in progress (pipes, sockets, eventfds and terminals left out); NULL: no calls were recorded
    block_ns INTEGER,                   -- time in it with at least one block request in progress; NULL: none were recorded
    opens INTEGER NOT NULL,             -- opens that start in it
    reads INTEGER NOT NULL,             -- reads that start in it
    writes INTEGER NOT NULL,            -- writes that start in it
    read_bytes INTEGER NOT NULL,        -- bytes read by them, no layer counted twice
    write_bytes INTEGER NOT NULL,       -- bytes written by them
    vfs_bytes INTEGER NOT NULL,         -- bytes read and written as seen by the vfs layer
    syscall_bytes INTEGER NOT NULL,     -- bytes read and written as seen by system calls
    block_read_bytes INTEGER NOT NULL,  -- bytes of block reads that start in it
    block_write_bytes INTEGER NOT NULL, -- bytes of block writes
    io_wait_ns INTEGER NOT NULL,        -- sum of the durations of the I/O calls that start in it, over all processes
    cpu_ns INTEGER NOT NULL,            -- time in it for which the utilisation of all CPUs together was sampled; 0 where several machines were (cpu_phase has each)
    cpu_busy_ns INTEGER,                -- of that, times the share that was neither idle nor waiting for I/O; NULL if cpu_ns is 0
    cpu_iowait_ns INTEGER               -- of that, times the share that was idle with disk I/O outstanding; NULL if not sampled
) STRICT;

-- GPU activity per segment, as far as it was observed. Each row is true by itself; sums of ranges that rest on the same
-- samples are wider than they need to be: gpu_phase has what is known of phases and of the run.
CREATE TABLE gpu_segment (
    start_ns INTEGER NOT NULL REFERENCES segment (start_ns), -- segment
    device_id INTEGER NOT NULL REFERENCES device (id),       -- GPU
    basis TEXT NOT NULL CHECK (basis IN ('exact', 'bounds', 'estimate', 'conflict')), -- what the ranges are
    busy_min_ns INTEGER NOT NULL,                            -- the GPU was busy at least so long in it
    busy_max_ns INTEGER NOT NULL,                            -- and at most so long
    io_both_min_ns INTEGER,                                  -- busy with file I/O calls in progress, at least; NULL: no calls were recorded
    io_both_max_ns INTEGER,                                  -- and at most
    io_neither_min_ns INTEGER,                               -- neither busy nor file I/O calls in progress, at least
    io_neither_max_ns INTEGER,                               -- and at most
    block_both_min_ns INTEGER,                               -- busy with block requests in progress, at least; NULL: none were recorded
    block_both_max_ns INTEGER,                               -- and at most
    block_neither_min_ns INTEGER,                            -- neither busy nor block requests in progress, at least
    block_neither_max_ns INTEGER,                            -- and at most
    PRIMARY KEY (start_ns, device_id)
) STRICT, WITHOUT ROWID;

-- GPU activity per phase and for the whole run, as far as it was observed.
CREATE TABLE gpu_phase (
    label TEXT NOT NULL,                                     -- 'epoch', or 'epoch 3'; '(run)': the whole run
    start_ns INTEGER,                                        -- only the interval of the phase that begins then (phase_interval); NULL: all of them together
    device_id INTEGER NOT NULL REFERENCES device (id),       -- GPU
    basis TEXT NOT NULL CHECK (basis IN ('exact', 'bounds', 'estimate', 'conflict')), -- what the ranges are
    wall_ns INTEGER NOT NULL,                                -- time for which the GPU was observed
    io_ns INTEGER,                                           -- of that: with file I/O calls in progress; NULL: no calls were recorded
    block_ns INTEGER,                                        -- of that: with block requests in progress; NULL: none were recorded
    busy_min_ns INTEGER NOT NULL,                            -- the GPU was busy at least so long in it
    busy_max_ns INTEGER NOT NULL,                            -- and at most so long
    io_both_min_ns INTEGER,                                  -- busy with file I/O calls in progress, at least; NULL: no calls were recorded
    io_both_max_ns INTEGER,                                  -- and at most
    io_neither_min_ns INTEGER,                               -- neither busy nor file I/O calls in progress, at least
    io_neither_max_ns INTEGER,                               -- and at most
    block_both_min_ns INTEGER,                               -- busy with block requests in progress, at least; NULL: none were recorded
    block_both_max_ns INTEGER,                               -- and at most
    block_neither_min_ns INTEGER,                            -- neither busy nor block requests in progress, at least
    block_neither_max_ns INTEGER,                            -- and at most
    run_number INTEGER                                       -- only this run (log_run); NULL: all of them together. Where there is only one, rows with start_ns have its number
) STRICT;

-- What was in progress while a GPU idled, per phase and for the whole run, as far as the GPU was observed. Each moment is put down to one
-- cause, the first of those of view gpu_idle_cause that is in progress: the causes add up. Where it is known which processes work on which GPU,
-- and there are several such parties, as ranks are, those of the others and the loaders that they started are no cause but 'other ranks at work'. A cause that was never in progress has
-- no rows: perhaps nobody traced it. What is in progress while a GPU idles need not be what it waits for.
CREATE TABLE gpu_idle_part (
    label TEXT NOT NULL,                                     -- 'epoch', or 'epoch 3'; '(run)': the whole run
    start_ns INTEGER,                                        -- only the interval of the phase that begins then (phase_interval); NULL: all of them together
    run_number INTEGER,                                      -- only this run, as in gpu_phase
    device_id INTEGER NOT NULL REFERENCES device (id),       -- GPU
    cause TEXT NOT NULL,                                     -- what the time is put down to (gpu_idle_cause)
    basis TEXT NOT NULL CHECK (basis IN ('exact', 'bounds', 'estimate', 'conflict')), -- what the range is
    cause_ns INTEGER NOT NULL,                               -- time of the phase that is put down to it, whether the GPU idled or not
    idle_min_ns INTEGER NOT NULL,                            -- of that, the GPU idled at least so long
    idle_max_ns INTEGER NOT NULL,                            -- and at most
    whose TEXT CHECK (whose = 'own')                         -- whose work is a cause: 'own': that of the processes that work on this GPU, of their loaders and of those that may be anyone's; NULL: that of all, as it is not known who works on it, or all do
) STRICT;

-- The same per segment, for any stretch of time: of a GPU that was traced the parts of a segment, and sums of them, are exact. Of one that was
-- sampled each row is true by itself, and sums are wider than they need to be, as in gpu_segment. What no time is put down to has no row.
CREATE TABLE gpu_idle_segment (
    start_ns INTEGER NOT NULL REFERENCES segment (start_ns), -- segment; in order
    device_id INTEGER NOT NULL REFERENCES device (id),       -- GPU
    precedence INTEGER NOT NULL,                             -- what the time is put down to: the place of a cause in gpu_idle_cause
    cause_ns INTEGER NOT NULL,                               -- time that is put down to it, whether the GPU idled or not
    idle_min_ns INTEGER NOT NULL,                            -- of that, the GPU idled at least so long
    idle_max_ns INTEGER NOT NULL                             -- and at most
) STRICT;

-- Parties: GPUs, the processes that work on them, and the loaders that these started, as far as the data tells and where there are several, as ranks
-- are. What is of no party here may be of any.
CREATE TABLE gpu_party (
    party INTEGER NOT NULL,                                  -- 1, 2, ...
    device_id INTEGER REFERENCES device (id),                -- one of its GPUs; NULL: the row is of a process
    process_id INTEGER REFERENCES process (id)               -- one of its processes; NULL: the row is of a GPU
) STRICT;

-- The 30 longest stretches of time in which a GPU idled, for each cause (gpu_idle_cause): of a run that was traced the idle time in them is
-- known, of one that was sampled that it can have been so.
CREATE TABLE gpu_idle_stretch (
    device_id INTEGER NOT NULL REFERENCES device (id),       -- GPU
    cause TEXT NOT NULL,                                     -- what the time is put down to
    start_ns INTEGER NOT NULL,                               -- begin
    dur_ns INTEGER NOT NULL,                                 -- length: the cause was in progress, and the GPU observed, all the time
    idle_min_ns INTEGER NOT NULL,                            -- of that, the GPU idled at least so long
    idle_max_ns INTEGER NOT NULL,                            -- and at most
    process_id INTEGER REFERENCES process (id),              -- who was longest at it; NULL: nobody, or unknown
    file_id INTEGER REFERENCES file (id)                     -- on which file; NULL: none, or unknown
) STRICT;

-- What a sample of 'gpu.sm' speaks of, for each GPU and source that has any. Where several looked, the lowest precedence is believed.
CREATE TABLE gpu_sampler (
    device_id INTEGER NOT NULL REFERENCES device (id),       -- GPU
    source_id INTEGER NOT NULL REFERENCES source (id),       -- where its samples were read
    precedence INTEGER NOT NULL,                             -- how much it can know: 1 is best
    basis TEXT NOT NULL CHECK (basis IN ('bounds', 'estimate')), -- what ranges that rest on it are
    after_min_ns INTEGER NOT NULL,                           -- a sample's period ends so long after its time, at least; of an estimate: the time of which it speaks
    after_max_ns INTEGER NOT NULL,                           -- and at most
    below_pct REAL NOT NULL,                                 -- the true share may be so many points below the printed one
    above_pct REAL NOT NULL,                                 -- and so many above it
    off_ns INTEGER NOT NULL,                                 -- busy time of any stretch may be off by so much besides
    pace REAL NOT NULL                                       -- and by this share of the time, as lines come late
) STRICT;

-- Who sampled the CPUs, for each CPU and source. Of several that looked at a machine at a time, the lowest precedence is believed.
CREATE TABLE cpu_sampler (
    device_id INTEGER REFERENCES device (id),           -- CPU; NULL: all together
    source_id INTEGER NOT NULL REFERENCES source (id),  -- where its samples were read
    host TEXT,                                          -- machine that it looked at: source.host, or the only one that any source names; NULL: unknown
    precedence INTEGER NOT NULL,                        -- how fine it is: 1 is best
    step_pct REAL NOT NULL,                             -- its percents are multiples of that, so the true ones are up to half of it off; 0: not rounded
    start_ns INTEGER NOT NULL,                          -- begin of its first sampling period
    end_ns INTEGER NOT NULL                             -- end of its last one
) STRICT;

-- CPU utilisation per machine, for each phase and for the whole run, of all its CPUs together, as bounds: the truth lies between, for every time that stamps
-- of whole seconds allow the samples to be taken at. segment has the shares as they were printed.
CREATE TABLE cpu_phase (
    label TEXT NOT NULL,            -- 'epoch', or 'epoch 3'; '(run)': the whole run
    start_ns INTEGER,               -- only the interval of the phase that begins then (phase_interval); NULL: all of them together
    wall_ns INTEGER NOT NULL,       -- time that was surely sampled
    busy_min_ns INTEGER NOT NULL,   -- of that, times the share that was neither idle nor waiting for I/O, at least
    busy_max_ns INTEGER NOT NULL,   -- and at most
    iowait_min_ns INTEGER,          -- of that, times the share that was idle with disk I/O outstanding, at least; NULL if not sampled throughout
    iowait_max_ns INTEGER,          -- and at most
    run_number INTEGER,             -- only this run (log_run); NULL: all of them together. Where there is only one, rows with start_ns have its number
    host TEXT                       -- machine: each has rows of its own; as in cpu_sampler
) STRICT;
