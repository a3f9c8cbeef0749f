-- tracedb schema: views with names instead of keys, for people at the sqlite3 shell and in notebooks.

-- Names of error numbers, of asm-generic/errno.h. Results of CUDA calls have numbers of their own.
CREATE VIEW errno_name AS
SELECT
    column1 AS number,  -- error number, as -call.ret
    column2 AS name     -- 'ENOENT', ...
FROM (
    VALUES
    (1, 'EPERM'), (2, 'ENOENT'), (3, 'ESRCH'), (4, 'EINTR'), (5, 'EIO'), (6, 'ENXIO'), (7, 'E2BIG'), (8, 'ENOEXEC'), (9, 'EBADF'),
    (10, 'ECHILD'), (11, 'EAGAIN'), (12, 'ENOMEM'), (13, 'EACCES'), (14, 'EFAULT'), (15, 'ENOTBLK'), (16, 'EBUSY'), (17, 'EEXIST'),
    (18, 'EXDEV'), (19, 'ENODEV'), (20, 'ENOTDIR'), (21, 'EISDIR'), (22, 'EINVAL'), (23, 'ENFILE'), (24, 'EMFILE'), (25, 'ENOTTY'),
    (26, 'ETXTBSY'), (27, 'EFBIG'), (28, 'ENOSPC'), (29, 'ESPIPE'), (30, 'EROFS'), (31, 'EMLINK'), (32, 'EPIPE'), (33, 'EDOM'),
    (34, 'ERANGE'), (35, 'EDEADLK'), (36, 'ENAMETOOLONG'), (37, 'ENOLCK'), (38, 'ENOSYS'), (39, 'ENOTEMPTY'), (40, 'ELOOP'),
    (42, 'ENOMSG'), (43, 'EIDRM'), (44, 'ECHRNG'), (45, 'EL2NSYNC'), (46, 'EL3HLT'), (47, 'EL3RST'), (48, 'ELNRNG'), (49, 'EUNATCH'),
    (50, 'ENOCSI'), (51, 'EL2HLT'), (52, 'EBADE'), (53, 'EBADR'), (54, 'EXFULL'), (55, 'ENOANO'), (56, 'EBADRQC'), (57, 'EBADSLT'),
    (59, 'EBFONT'), (60, 'ENOSTR'), (61, 'ENODATA'), (62, 'ETIME'), (63, 'ENOSR'), (64, 'ENONET'), (65, 'ENOPKG'), (66, 'EREMOTE'),
    (67, 'ENOLINK'), (68, 'EADV'), (69, 'ESRMNT'), (70, 'ECOMM'), (71, 'EPROTO'), (72, 'EMULTIHOP'), (73, 'EDOTDOT'), (74, 'EBADMSG'),
    (75, 'EOVERFLOW'), (76, 'ENOTUNIQ'), (77, 'EBADFD'), (78, 'EREMCHG'), (79, 'ELIBACC'), (80, 'ELIBBAD'), (81, 'ELIBSCN'),
    (82, 'ELIBMAX'), (83, 'ELIBEXEC'), (84, 'EILSEQ'), (85, 'ERESTART'), (86, 'ESTRPIPE'), (87, 'EUSERS'), (88, 'ENOTSOCK'),
    (89, 'EDESTADDRREQ'), (90, 'EMSGSIZE'), (91, 'EPROTOTYPE'), (92, 'ENOPROTOOPT'), (93, 'EPROTONOSUPPORT'), (94, 'ESOCKTNOSUPPORT'),
    (95, 'EOPNOTSUPP'), (96, 'EPFNOSUPPORT'), (97, 'EAFNOSUPPORT'), (98, 'EADDRINUSE'), (99, 'EADDRNOTAVAIL'), (100, 'ENETDOWN'),
    (101, 'ENETUNREACH'), (102, 'ENETRESET'), (103, 'ECONNABORTED'), (104, 'ECONNRESET'), (105, 'ENOBUFS'), (106, 'EISCONN'),
    (107, 'ENOTCONN'), (108, 'ESHUTDOWN'), (109, 'ETOOMANYREFS'), (110, 'ETIMEDOUT'), (111, 'ECONNREFUSED'), (112, 'EHOSTDOWN'),
    (113, 'EHOSTUNREACH'), (114, 'EALREADY'), (115, 'EINPROGRESS'), (116, 'ESTALE'), (117, 'EUCLEAN'), (118, 'ENOTNAM'),
    (119, 'ENAVAIL'), (120, 'EISNAM'), (121, 'EREMOTEIO'), (122, 'EDQUOT'), (123, 'ENOMEDIUM'), (124, 'EMEDIUMTYPE'),
    (125, 'ECANCELED'), (126, 'ENOKEY'), (127, 'EKEYEXPIRED'), (128, 'EKEYREVOKED'), (129, 'EKEYREJECTED'), (130, 'EOWNERDEAD'),
    (131, 'ENOTRECOVERABLE'), (132, 'ERFKILL'),
    -- the kernel's own, which strace prints of calls that signals interrupt
    (512, 'ERESTARTSYS'), (513, 'ERESTARTNOINTR'), (514, 'ERESTARTNOHAND'), (516, 'ERESTART_RESTARTBLOCK')
);

-- Every call, with names.
CREATE VIEW calls AS
SELECT
    c.id,                               -- call.id
    (c.start_ns - (SELECT r.start_ns FROM run AS r)) / 1e9 AS t_s, -- begin, in seconds from the begin of the run
    c.start_ns,                         -- begin
    c.dur_ns,                           -- duration
    c.start_ns + c.dur_ns AS end_ns,    -- end; NULL if the duration is not known
    o.name AS op,                       -- operation
    o.layer,                            -- 'libc', 'syscall', 'vfs', 'cuda'
    o.verb,                             -- 'open', 'read', ...
    o.kind,                             -- 'io', 'wait', 'lock', 'memory', 'other'
    p.pid,                              -- process id
    t.tid,                              -- thread id
    p.name AS process,                  -- command name
    coalesce(f.path, f.name) AS file,   -- path if known, else name
    f.class AS file_class,              -- class of the file
    c.ret,                              -- return value
    CASE WHEN c.ret < 0 THEN coalesce(CASE WHEN o.layer <> 'cuda' THEN (SELECT e.name FROM errno_name AS e WHERE e.number = -c.ret) END, printf('%d', -c.ret)) END AS error, -- of a call that failed: name of the error, or its number where it has none
    c.asked_bytes,                      -- bytes asked for
    c.done_bytes,                       -- bytes transferred
    c.offset_bytes,                     -- file offset
    c.cold_bytes,                       -- bytes added to the page cache meanwhile
    c.fd,                               -- file descriptor
    c.nested,                           -- 1: counted in an outer layer already
    c.unfinished,                       -- 1: not seen to return
    (SELECT i.label FROM phase_interval AS i WHERE i.start_ns <= c.start_ns AND i.end_ns > c.start_ns ORDER BY i.end_ns - i.start_ns, length(i.label) DESC, i.label LIMIT 1) AS phase, -- shortest phase in which it began
    s.path AS source,                   -- where it was read
    a.text AS args                      -- remaining arguments
FROM call AS c
JOIN op AS o ON o.id = c.op_id
JOIN source AS s ON s.id = c.source_id
LEFT JOIN process AS p ON p.id = c.process_id
LEFT JOIN thread AS t ON t.id = c.thread_id
LEFT JOIN file AS f ON f.id = c.file_id
LEFT JOIN string AS a ON a.id = c.args_id;

-- Calls of kind 'io', no layer counted twice. What reads or writes a pipe, a socket, an eventfd or a terminal waits for somebody: file_class
-- tells them.
CREATE VIEW io_calls AS
SELECT
    id,             -- call.id
    t_s,            -- begin, in seconds from the begin of the run
    start_ns,       -- begin
    dur_ns,         -- duration
    end_ns,         -- end
    op,             -- operation
    layer,          -- layer it was observed in
    verb,           -- 'open', 'close', 'read', 'write', ...
    pid,            -- process id
    tid,            -- thread id
    process,        -- command name
    file,           -- path if known, else name
    file_class,     -- class of the file
    ret,            -- return value
    error,          -- name of the error of a call that failed
    asked_bytes,    -- bytes asked for
    done_bytes,     -- bytes transferred
    offset_bytes,   -- file offset
    cold_bytes,     -- bytes added to the page cache meanwhile
    fd,             -- file descriptor
    phase           -- shortest phase in which it began
FROM calls
WHERE kind = 'io' AND nested = 0;

-- Frames of stacks with names.
CREATE VIEW frames AS
SELECT
    k.id,                       -- stack.id
    k.parent_id,                -- the frame that called it
    s.text AS symbol,           -- function, where known
    m.text AS module            -- program or library, where known
FROM stack AS k
LEFT JOIN string AS s ON s.id = k.symbol_id
LEFT JOIN string AS m ON m.id = k.module_id;

-- Stacks that were seen at a time, with names; of the stack its innermost frame.
CREATE VIEW stack_samples AS
SELECT
    a.id,                       -- stack_sample.id
    (a.start_ns - (SELECT r.start_ns FROM run AS r)) / 1e9 AS t_s, -- when, in seconds from the begin of the run
    a.start_ns,                 -- when; of a call its begin
    a.dur_ns,                   -- duration of the call
    n.text AS kind,             -- 'call', 'cpu'
    o.name AS op,               -- of a call: operation
    p.pid,                      -- process id
    t.tid,                      -- thread id
    p.name AS process,          -- command name
    a.cpu,                      -- where it was executing
    a.stack_id,                 -- the stack
    f.symbol,                   -- function of its innermost frame
    f.module,                   -- program or library of that
    (SELECT i.label FROM phase_interval AS i WHERE i.start_ns <= a.start_ns AND i.end_ns > a.start_ns ORDER BY i.end_ns - i.start_ns, length(i.label) DESC, i.label LIMIT 1) AS phase, -- shortest phase in which it was seen
    s.path AS source            -- where it was read
FROM stack_sample AS a
JOIN string AS n ON n.id = a.kind_id
JOIN frames AS f ON f.id = a.stack_id
JOIN source AS s ON s.id = a.source_id
LEFT JOIN op AS o ON o.id = a.op_id
LEFT JOIN process AS p ON p.id = a.process_id
LEFT JOIN thread AS t ON t.id = a.thread_id;

-- Block requests with names.
CREATE VIEW requests AS
SELECT
    b.id,                       -- block_request.id
    (b.start_ns - (SELECT r.start_ns FROM run AS r)) / 1e9 AS t_s, -- issue, in seconds from the begin of the run
    b.start_ns,                 -- issue
    b.dur_ns,                   -- service time
    b.start_ns + b.dur_ns AS end_ns, -- completion
    b.queue_ns,                 -- queue time
    d.name AS device,           -- disk
    CASE b.op WHEN 0 THEN 'read' WHEN 1 THEN 'write' ELSE 'other' END AS op, -- direction
    b.sector,                   -- first 512-byte sector
    b.bytes,                    -- size
    p.pid,                      -- process that queued it
    p.name AS process,          -- its name
    q.pid AS done_pid,          -- process interrupted by its completion
    q.name AS done_process,     -- its name
    (SELECT i.label FROM phase_interval AS i WHERE i.start_ns <= b.start_ns AND i.end_ns > b.start_ns ORDER BY i.end_ns - i.start_ns, length(i.label) DESC, i.label LIMIT 1) AS phase, -- shortest phase in which it was issued
    s.path AS source            -- where it was read
FROM block_request AS b
JOIN source AS s ON s.id = b.source_id
LEFT JOIN device AS d ON d.id = b.device_id
LEFT JOIN process AS p ON p.id = b.process_id
LEFT JOIN process AS q ON q.id = b.done_process_id;

-- Kernels of the GPUs.
CREATE VIEW kernels AS
SELECT
    g.id,                       -- gpu_op.id
    (g.start_ns - (SELECT r.start_ns FROM run AS r)) / 1e9 AS t_s, -- begin, in seconds from the begin of the run
    g.start_ns,                 -- begin of execution on the GPU
    g.dur_ns,                   -- duration
    g.start_ns + g.dur_ns AS end_ns, -- end
    d.number AS gpu,            -- GPU index
    g.stream,                   -- stream number
    n.text AS name,             -- kernel name
    p.pid,                      -- process that launched it
    p.name AS process,          -- its name
    g.correlation,              -- joins it with the CUDA call that launched it (call.correlation)
    (SELECT i.label FROM phase_interval AS i WHERE i.start_ns <= g.start_ns AND i.end_ns > g.start_ns ORDER BY i.end_ns - i.start_ns, length(i.label) DESC, i.label LIMIT 1) AS phase, -- shortest phase in which it began
    d.host,                     -- machine, where there are several; NULL: the only one, or unknown
    s.path AS source            -- where it was read
FROM gpu_op AS g
JOIN string AS n ON n.id = g.name_id
JOIN device AS d ON d.id = g.device_id
JOIN source AS s ON s.id = g.source_id
LEFT JOIN process AS p ON p.id = g.process_id
WHERE g.kind_id = (SELECT k.id FROM string AS k WHERE k.text = 'kernel');

-- Samples of counters, of GPUs, CPUs, disks and the machine.
CREATE VIEW samples AS
SELECT
    s.id,                                   -- sample.id
    (s.ts_ns - (SELECT r.start_ns FROM run AS r)) / 1e9 AS t_s, -- end of the sampled period, in seconds from the begin of the run
    s.ts_ns - s.dur_ns AS start_ns,         -- begin of the sampled period
    s.dur_ns,                               -- its length
    s.ts_ns AS end_ns,                      -- its end
    t.name AS counter,                      -- 'gpu.sm', 'gpu.mem', 'cpu.usr', 'cpu.iowait', ...
    t.unit,                                 -- unit of value
    s.value,                                -- NULL: not sampled
    d.kind AS device_kind,                  -- 'gpu', 'cpu', 'disk'; NULL: all CPUs, or the machine
    d.name AS device,                       -- its name
    CASE WHEN d.kind = 'gpu' THEN d.number END AS gpu, -- GPU index
    CASE WHEN d.kind = 'cpu' THEN d.number END AS cpu, -- CPU index; NULL of cpu.*: all together
    p.pid,                                  -- process; NULL: the whole device
    p.name AS process,                      -- its name
    (SELECT i.label FROM phase_interval AS i WHERE i.start_ns <= coalesce(s.ts_ns - s.dur_ns / 2, s.ts_ns) AND i.end_ns > coalesce(s.ts_ns - s.dur_ns / 2, s.ts_ns) ORDER BY i.end_ns - i.start_ns, length(i.label) DESC, i.label LIMIT 1) AS phase, -- shortest phase in which the middle of the period is
    coalesce(d.host, o.host) AS host,       -- machine; NULL: unknown, or the only one
    o.path AS source                        -- where it was read
FROM sample AS s
JOIN track AS t ON t.id = s.track_id
JOIN source AS o ON o.id = t.source_id
LEFT JOIN device AS d ON d.id = t.device_id
LEFT JOIN process AS p ON p.id = t.process_id;

-- Spans of any kind: training phases, NVTX ranges, annotations, operators.
CREATE VIEW spans AS
SELECT
    s.id,                                                   -- span.id
    (s.start_ns - (SELECT r.start_ns FROM run AS r)) / 1e9 AS t_s, -- begin, in seconds from the begin of the run
    s.start_ns,                                             -- begin
    s.dur_ns,                                               -- length; NULL if unfinished
    s.start_ns + s.dur_ns AS end_ns,                        -- end
    k.text AS kind,                                         -- 'phase', 'nvtx', 'annotation', 'cpu-op', ...
    n.text AS name,                                         -- 'epoch', name of the range or operator
    s.number,                                               -- epoch number and the like
    s.rank,                                                 -- rank that logged it
    s.run_number,                                           -- run that it is of
    p.pid,                                                  -- process id
    t.tid,                                                  -- thread id
    p.name AS process,                                      -- command name
    st.text AS state,                                       -- 'complete', 'unfinished', 'no-start'
    (SELECT i.label FROM phase_interval AS i WHERE i.start_ns <= s.start_ns AND i.end_ns > s.start_ns ORDER BY i.end_ns - i.start_ns, length(i.label) DESC, i.label LIMIT 1) AS phase, -- shortest phase in which it began
    a.text AS args,                                         -- values and metadata as JSON
    src.path AS source                                      -- where it was read
FROM span AS s
JOIN string AS k ON k.id = s.kind_id
JOIN string AS n ON n.id = s.name_id
JOIN string AS st ON st.id = s.state_id
JOIN source AS src ON src.id = s.source_id
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN thread AS t ON t.id = s.thread_id
LEFT JOIN string AS a ON a.id = s.args_id;

-- Training phases.
CREATE VIEW phases AS
SELECT
    s.id,                                                   -- span.id
    n.text AS name,                                         -- 'init', 'epoch', 'eval', ...
    s.number,                                               -- epoch number and the like
    n.text || coalesce(' ' || s.number, '') AS label,       -- as --phase takes it
    s.rank,                                                 -- rank that logged it
    s.run_number,                                           -- run that it is of: ranks share it, a restart is another
    coalesce(sum(s.is_new) OVER (PARTITION BY s.name_id, s.number, coalesce(s.run_number, 1) ORDER BY s.start_ns, s.id), 0) AS occurrence, -- of one without a number: how many of its name and run were over before, from 0: ranks share it; else 0
    (s.start_ns - (SELECT r.start_ns FROM run AS r)) / 1e9 AS t_s, -- begin, in seconds from the begin of the run
    s.start_ns,                                             -- begin
    s.dur_ns,                                               -- length; NULL if unfinished
    s.start_ns + s.dur_ns AS end_ns,                        -- end
    st.text AS state,                                       -- 'complete', 'unfinished', 'no-start'
    a.text AS args,                                         -- values and metadata as JSON
    src.path AS source                                      -- where it was read
FROM (
    -- one without a number is another one if it begins when those before it are over
    SELECT *, number IS NULL AND start_ns >= max(start_ns + coalesce(dur_ns, 0)) OVER (PARTITION BY name_id, number, coalesce(run_number, 1) ORDER BY start_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_new
    -- a profile has millions of other spans
    FROM span
    WHERE id IN (SELECT id FROM rank_span) AND kind_id IN (SELECT id FROM string WHERE text = 'phase')
) AS s
JOIN string AS n ON n.id = s.name_id
JOIN string AS st ON st.id = s.state_id
JOIN source AS src ON src.id = s.source_id
LEFT JOIN string AS a ON a.id = s.args_id;

-- Runs of the training program, of which logs tell.
CREATE VIEW training_runs AS
SELECT
    r.run_number,                                           -- span.run_number
    min(r.start_ns) AS start_ns,                            -- begin, by the first of its logs
    max(r.end_ns) AS end_ns,                                -- end, by the last one
    count(*) AS logs,                                       -- how many logs tell of it: of its ranks
    group_concat(s.path, ', ') AS log_paths                 -- which
FROM log_run AS r
JOIN source AS s ON s.id = r.source_id
GROUP BY r.run_number;

-- Ranks of processes: of those of which GPU work or spans tell. What is said best counts: what the rows or their file say, then import --rank, then
-- the environment (of the process itself, where 'record --cuda' saw it) or a name; what an environment or a name says of a file is about one process, and tells
-- nothing where the file tells of several. No row: nobody tells.
CREATE VIEW process_rank AS
WITH
    seen AS MATERIALIZED (
        SELECT process_id, source_id, rank, CASE WHEN kind_id IS NOT NULL THEN 'printed' END AS basis
        FROM source_process
        WHERE process_id IS NOT NULL AND (rank IS NOT NULL OR source_id IN (SELECT id FROM source WHERE rank IS NOT NULL))
        UNION
        SELECT process_id, source_id, rank, 'environment'
        FROM mark
        WHERE process_id IS NOT NULL AND rank IS NOT NULL AND name_id IN (SELECT id FROM string WHERE text = 'rank')
    ),
    told AS (
        SELECT DISTINCT
            e.process_id,
            coalesce(e.rank, s.rank) AS rank,
            CASE WHEN e.rank IS NULL THEN s.rank_basis ELSE e.basis END AS rank_basis
        FROM seen AS e
        JOIN source AS s ON s.id = e.source_id
        WHERE e.rank IS NOT NULL
            OR s.rank_basis IN ('given', 'printed')
            OR s.rank IS NOT NULL AND (SELECT count(DISTINCT process_id) FROM seen AS o WHERE o.source_id = s.id) = 1
    ),
    placed AS (
        SELECT *, dense_rank() OVER (PARTITION BY process_id ORDER BY instr('printed given environment name', rank_basis)) AS place
        FROM told
    )
SELECT
    process_id,                                             -- the process
    CASE WHEN min(rank) = max(rank) THEN min(rank) END AS rank, -- its rank; NULL: it is said in several ways
    min(rank_basis) AS rank_basis                           -- how it is known, as in source
FROM placed
WHERE place = 1
GROUP BY process_id;

-- How far the times of what was recorded in two ways may be off each other: 'events' (calls, block requests, work of GPUs),
-- 'samples' and 'phases'. What lasted no longer than that cannot be said to have happened at the same time. What is said of samples
-- allows for stamps of whole seconds; sources that are off by the same have the same reason, a zone or a date that is not known.
CREATE VIEW clock_doubt AS
WITH
    known AS (
        SELECT
            CASE WHEN id IN (SELECT source_id FROM track) THEN 'samples' WHEN id IN (SELECT source_id FROM log_run) THEN 'phases' ELSE 'events' END AS kind,
            clock_error_ns
        FROM source
        WHERE first_ns IS NOT NULL AND clock_error_ns IS NOT NULL
    ),
    error AS (
        SELECT kind, CASE WHEN kind = 'samples' AND clock_error_ns <= 1000000000 THEN 0 ELSE clock_error_ns END AS error_ns
        FROM known
    ),
    range AS (SELECT kind, min(error_ns) AS least_ns, max(error_ns) AS most_ns FROM error GROUP BY kind),
    pair AS (
        SELECT a.kind, b.kind AS against, min(a.least_ns, b.least_ns) AS least_ns, max(a.most_ns, b.most_ns) AS most_ns
        FROM range AS a
        CROSS JOIN range AS b
    )
SELECT
    kind,                               -- one way
    against,                            -- the other
    CASE WHEN least_ns = most_ns THEN 0 ELSE most_ns END AS error_ns -- so far
FROM pair;

-- By how much the clock of each source is ahead of that of the first machine, where sources are of several (import --host) and each is known: no rank ends an all-reduce,
-- all-gather, reduce-scatter or epoch before the last one has begun it, which bounds how far clocks differ. That takes one group of ranks, which do as many of a name
-- each. The first machine is that of the least rank. What is between two machines is known to the sum of both errors: that
-- of the worst of the others. A source that does not bound a clock itself, or not alone, is off by its own error besides, and so may be what it is compared with. What is not held (machine_clock_held) is found by looking at all work. No rows: there is one machine (then no name and no work is looked at), or nothing bounds a clock, or no difference fits all, as where a clock was set.
CREATE VIEW machine_clock AS
WITH
    machine AS MATERIALIZED (
        SELECT id, host, max(500, clock_error_ns) AS error_ns, host = first_value(host) OVER (ORDER BY rank IS NULL, rank, id) AS is_first
        FROM source
        WHERE clock_error_ns IS NOT NULL AND NOT EXISTS (SELECT 1 FROM machine_clock_held) AND (SELECT count(DISTINCT host) > 1 AND count(host) = count(*) FROM source WHERE first_ns IS NOT NULL)
    ),
    named AS MATERIALIZED (
        SELECT n.name_id AS id, n.collective AS what
        FROM (SELECT 1 FROM machine LIMIT 1)
        CROSS JOIN collective_name AS n
        WHERE n.collective LIKE '%AllReduce%' OR n.collective LIKE '%AllGather%' OR n.collective LIKE '%ReduceScatter%'
    ),
    done AS MATERIALIZED (
        SELECT
            n.what, NULL AS run_number, g.device_id, CASE WHEN g.process_id IS NULL THEN o.rank END AS rank, g.process_id, g.source_id, g.start_ns, g.start_ns + g.dur_ns AS end_ns, g.id
        FROM (SELECT 1 FROM named LIMIT 1)
        CROSS JOIN gpu_op AS g
        CROSS JOIN named AS n ON n.id = g.name_id
        JOIN source AS o ON o.id = g.source_id
        WHERE g.kind_id IN (SELECT id FROM string WHERE text = 'kernel') AND g.dur_ns IS NOT NULL
        UNION ALL
        SELECT n.text, s.run_number, NULL, coalesce(s.rank, o.rank), s.process_id, s.source_id, s.start_ns, s.start_ns + s.dur_ns, s.id
        FROM (SELECT 1 FROM machine LIMIT 1)
        CROSS JOIN rank_span AS j
        CROSS JOIN span AS s ON s.id = j.id
        JOIN string AS n ON n.id = s.name_id
        JOIN source AS o ON o.id = s.source_id
        WHERE s.kind_id IN (SELECT id FROM string WHERE text = 'phase') AND n.text IN ('epoch', 'block') AND s.dur_ns IS NOT NULL AND coalesce(s.rank, o.rank) IS NOT NULL
    ),
    numbered AS MATERIALIZED (
        SELECT *, row_number() OVER (PARTITION BY what, run_number, device_id, rank, process_id ORDER BY start_ns, id) AS nth FROM done
    ),
    alike AS (
        SELECT what, run_number
        FROM (SELECT what, run_number, count(*) AS n FROM done GROUP BY what, run_number, device_id, rank, process_id)
        GROUP BY what, run_number
        HAVING count(*) > 1 AND min(n) = max(n)
    ),
    meeting AS (
        SELECT d.what, d.run_number, d.nth, m.host, m.is_first, max(d.start_ns - m.error_ns) AS begin_ns, min(d.end_ns + m.error_ns) AS end_ns
        FROM alike AS a
        JOIN numbered AS d ON d.what = a.what AND d.run_number IS a.run_number
        JOIN machine AS m ON m.id = d.source_id
        GROUP BY d.what, d.run_number, d.nth, m.host
    ),
    alone AS MATERIALIZED (
        SELECT min(d.source_id) AS source_id
        FROM alike AS a
        JOIN numbered AS d ON d.what = a.what AND d.run_number IS a.run_number
        JOIN machine AS m ON m.id = d.source_id
        GROUP BY m.host
        HAVING min(d.source_id) = max(d.source_id)
    ),
    met AS (
        SELECT
            host, is_first, begin_ns, end_ns,
            max(begin_ns) FILTER (WHERE is_first) OVER w AS first_begin_ns,
            max(end_ns) FILTER (WHERE is_first) OVER w AS first_end_ns
        FROM meeting
        WINDOW w AS (PARTITION BY what, run_number, nth)
    ),
    ahead AS (
        SELECT
            host,
            CASE WHEN is_first THEN 0 ELSE max(begin_ns - first_end_ns) END AS least_ns,
            CASE WHEN is_first THEN 0 ELSE min(end_ns - first_begin_ns) END AS most_ns
        FROM met
        GROUP BY host, is_first
    ),
    known AS (
        SELECT
            host, least_ns + (most_ns - least_ns) / 2 AS ahead_ns,
            (most_ns - least_ns + 1) / 2 + max((most_ns - least_ns + 1) / 2) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS error_ns,
            count(*) FILTER (WHERE least_ns <= most_ns) OVER () AS hosts
        FROM ahead
    ),
    moved AS (
        SELECT m.id AS source_id, m.host, k.ahead_ns, k.error_ns + iif(m.id IN (SELECT source_id FROM alone), 0, 2 * m.error_ns) AS error_ns
        FROM machine AS m
        JOIN known AS k ON k.host = m.host
        WHERE k.hosts = (SELECT count(DISTINCT host) FROM machine)
    )
SELECT
    source_id,  -- source
    host,       -- its machine
    ahead_ns,   -- its clock is ahead by so much: to be taken from its times
    error_ns    -- what is then between them and times of another machine, of a source that is known as well, is known to so much
FROM moved
UNION ALL
SELECT h.source_id, s.host, h.ahead_ns, h.error_ns FROM machine_clock_held AS h JOIN source AS s ON s.id = h.source_id WHERE h.ahead_ns IS NOT NULL;

-- Kernels of NCCL and RCCL, by collective, GPU and process, and what they had to do with those of other ranks (which are taken for one collective is written in report nccl). What is
-- not held (collective_sum) is found by looking at all work. In tracedb and with the extension of kernels that begin in a time or phase, and of a process, too (since_ns IS ...
-- and the like). Times are by the clock of the first machine, where that is known. Work of no process is of the rank that its file is of; sources of one machine that are off by the
-- same have the same clock; from_nth: up to which one not all ranks that have it have as many; kernels that cannot have been on their GPUs at one time are not one collective.
CREATE VIEW collective_stat AS
WITH
    clock_of AS MATERIALIZED (SELECT source_id, ahead_ns, error_ns FROM machine_clock),
    kernel AS MATERIALIZED (
        SELECT
            n.of_id, g.start_ns - coalesce(c.ahead_ns, 0) AS start_ns, c.error_ns, g.dur_ns, g.device_id, g.process_id, g.source_id,
            CASE WHEN g.process_id IS NULL THEN o.rank END AS rank,
            row_number() OVER (PARTITION BY n.of_id, g.device_id, g.process_id, CASE WHEN g.process_id IS NULL THEN o.rank END ORDER BY g.start_ns, g.id) AS nth
        FROM (SELECT 1 FROM collective_name WHERE NOT EXISTS (SELECT 1 FROM collective_sum) LIMIT 1)
        CROSS JOIN gpu_op AS g
        CROSS JOIN collective_name AS n ON n.name_id = g.name_id
        JOIN source AS o ON o.id = g.source_id
        LEFT JOIN clock_of AS c ON c.source_id = g.source_id
        WHERE g.kind_id IN (SELECT id FROM string WHERE text = 'kernel')
    ),
    clocks AS MATERIALIZED (
        SELECT count(*) = count(clock_error_ns) AND (min(clock_error_ns) = max(clock_error_ns) OR max(clock_error_ns) <= 1000) AND count(DISTINCT host) <= 1
            OR count(*) > 0 AND count(*) = count(c.source_id) OR count(*) = 1 AS agree
        FROM source AS s
        LEFT JOIN clock_of AS c ON c.source_id = s.id
        WHERE s.id IN (SELECT source_id FROM kernel)
    ),
    alike AS MATERIALIZED (
        SELECT of_id, coalesce(max(n) FILTER (WHERE n < most), 0) AS from_nth, count(*) > 1 AND min(n) = max(n) AS alike
        FROM (
            SELECT of_id, max(nth) AS n, max(max(nth)) OVER (PARTITION BY of_id) AS most
            FROM kernel
            GROUP BY of_id, device_id, process_id, rank
        )
        GROUP BY of_id
    ),
    together AS MATERIALIZED (
        SELECT
            k.of_id, k.nth, min(k.start_ns) AS first_ns, max(k.start_ns) AS last_ns, max(k.start_ns) FILTER (WHERE k.place = 2) AS before_ns,
            count(*) > 1 AND k.nth > a.from_nth AND count(*) = count(k.dur_ns)
                AND max(k.start_ns) <= min(k.start_ns + k.dur_ns) + coalesce(max(k.error_ns), 0) AS matched
        FROM (
            SELECT *, row_number() OVER (PARTITION BY of_id, nth ORDER BY start_ns DESC) AS place
            FROM kernel
            WHERE (SELECT agree FROM clocks) OR source_id IN (SELECT source_id FROM clock_of)
        ) AS k
        JOIN alike AS a ON a.of_id = k.of_id
        GROUP BY k.of_id, k.nth
    ),
    each AS MATERIALIZED (
        SELECT
            k.*, t.first_ns, t.last_ns,
            coalesce(t.matched, 0) AND ((SELECT agree FROM clocks) OR k.source_id IN (SELECT source_id FROM clock_of)) AS matched,
            CASE WHEN t.matched AND k.start_ns = t.last_ns THEN t.last_ns - t.before_ns END AS cost_ns
        FROM kernel AS k
        LEFT JOIN together AS t ON t.of_id = k.of_id AND t.nth = k.nth
    ),
    worst AS (SELECT *, max(cost_ns) FILTER (WHERE matched) OVER (PARTITION BY of_id, device_id, process_id, rank) AS worst_ns FROM each)
SELECT
    w.of_id,                                                -- collective_name.of_id: the collective
    w.device_id,                                            -- GPU
    w.process_id,                                           -- who launched them
    w.rank,                                                 -- of work of no process: rank of its source
    count(*) AS kernels,                                    -- how many
    count(w.dur_ns) AS timed,                               -- of these: with a known duration
    sum(w.dur_ns) AS total_ns,                              -- sum of durations
    max(w.dur_ns) AS max_ns,                                -- longest
    count(*) FILTER (WHERE w.matched) AS matched,           -- of the kernels: those of all other ranks are known
    count(*) FILTER (WHERE w.matched AND w.start_ns = w.last_ns) AS last, -- of these: began last
    coalesce(sum(w.start_ns - w.first_ns) FILTER (WHERE w.matched AND w.start_ns = w.last_ns), 0) AS late_ns, -- of the last ones: after the first rank's
    coalesce(sum(w.start_ns - w.first_ns) FILTER (WHERE w.matched), 0) AS behind_ns, -- of all that are matched: after the first rank's
    coalesce(sum(w.last_ns - w.start_ns) FILTER (WHERE w.matched), 0) AS waited_ns, -- of all that are matched: until the last rank's began
    coalesce(sum(w.cost_ns) FILTER (WHERE w.matched), 0) AS cost_ns, -- of the last ones: after that of the last rank but one
    max(w.worst_ns) AS worst_ns,                            -- the most of these
    min(w.start_ns) FILTER (WHERE w.matched AND w.cost_ns = w.worst_ns) AS worst_start_ns, -- when the first such one began
    max(w.error_ns) AS clock_error_ns,                      -- how well times of several machines are known; NULL: none is moved
    (SELECT a.alike FROM alike AS a WHERE a.of_id = w.of_id) AS alike, -- 1: all ranks have as many
    (SELECT agree FROM clocks) AS clocks_agree,             -- 1: all clocks can be compared; else those are matched that can
    NULL AS since_ns,                                       -- only kernels that begin then or later
    NULL AS until_ns,                                       -- and before then
    NULL AS in_phase,                                       -- only this phase: 'epoch' (every one) or 'epoch 3'
    NULL AS of_pid,                                         -- only the process of this number
    NULL AS of_process                                      -- only processes of this name or role
FROM worst AS w
GROUP BY w.of_id, w.device_id, w.process_id, w.rank
UNION ALL
SELECT *, NULL, NULL, NULL, NULL, NULL FROM collective_sum;

-- What idle time of a GPU is put down to: where several of them are in progress at a moment, to the first. Data loaders are processes that those
-- that work on a GPU started, as far as it is known when calls are imported. Pipes, sockets, eventfds and terminals are no files.
CREATE VIEW gpu_idle_cause AS
SELECT
    column1 AS precedence,  -- 1: before all others
    column2 AS cause,       -- gpu_idle_part.cause
    column3 AS meaning,     -- what was in progress
    column4 AS needs        -- what has to be recorded for it
FROM (
    VALUES
        (1, 'disk read', 'a block request that reads: it waits in the queue of a disk, where that is recorded, or the disk is at it', 'block requests'),
        (2, 'file read', 'a read of a file; no disk worked for any', 'file I/O calls'),
        (3, 'file write', 'a write or a sync of a file, or the log says that a checkpoint is written', 'file I/O calls'),
        (4, 'other file I/O', 'files are opened, looked up, closed', 'file I/O calls'),
        (5, 'loader computing', 'a data loader runs on a CPU: it decodes, augments, copies', 'scheduling'),
        (6, 'waiting for a CPU', 'a thread of a data loader or of a process that works on a GPU could run and has no CPU', 'scheduling'),
        (7, 'loader asleep', 'a data loader sleeps for a time that it asked for', 'waiting calls'),
        (8, 'waiting for a loader', 'the program asks its DataLoader for the next batch', 'annotations of PyTorch'),
        (9, 'lock, queue or pipe', 'the first thread of a process that works on a GPU waits for a lock, a pipe, a socket or an event', 'waiting calls'),
        (10, 'CUDA call', 'a CUDA call that launches, copies or allocates; not one that waits', 'CUDA calls'),
        (11, 'other ranks', 'a collective is started or waited for', 'operators of PyTorch or ranges of NCCL'),
        (12, 'launching operators', 'an operator of PyTorch on the host, outside of CUDA calls', 'operators of PyTorch'),
        (13, 'other ranks at work', 'processes of other GPUs, or their loaders, are at 1 to 8, 10 or 12; those of this one are at none of 1 to 12', 'which processes work on which GPU'),
        (14, 'evaluation', 'the log says so', 'a training log'),
        (15, 'initialisation', 'the log says so', 'a training log'),
        (16, 'events lost', 'the recorder lost events then', 'a recording'),
        (17, 'no calls recorded', 'before the first call of all sources, or after the last', 'calls'),
        (18, 'program computing', 'the first thread of a process that works on a GPU runs on a CPU or, where scheduling was not recorded, is in no call: it computes, or waits for a CPU',
            'scheduling, or a recording without losses that has all calls that wait: event sets sync, wait, socket_io'),
        (19, 'unexplained', 'none of these', NULL)
);

-- Idle time of each GPU over the whole run, by what it is put down to (gpu_idle_part). Without rows where the clocks do not tell.
CREATE VIEW gpu_idle_each AS
SELECT
    i.device_id,  -- device
    i.cause,      -- what it is put down to
    i.basis,      -- what the range is
    i.cause_ns,   -- time of the run that is put down to it, whether it idled or not
    i.idle_min_ns, -- it idled at least so long while that was in progress
    i.idle_max_ns -- and at most
FROM gpu_idle_part AS i
JOIN gpu_phase AS g ON g.label = i.label AND g.device_id = i.device_id AND g.start_ns IS NULL AND g.run_number IS NULL
CROSS JOIN (SELECT coalesce(max(error_ns), 0) AS ns FROM clock_doubt WHERE kind = 'events' AND against IN ('events', 'samples')) AS doubt
WHERE i.label = '(run)' AND i.start_ns IS NULL AND i.run_number IS NULL AND g.wall_ns >= doubt.ns;

-- Reads in stretches of 'disk read' (gpu_idle_stretch), by the process that is named there: a block request tells who waits, not for which file.
CREATE VIEW gpu_idle_read AS
SELECT
    s.device_id,        -- gpu_idle_stretch.device_id
    s.start_ns,         -- gpu_idle_stretch.start_ns
    c.id AS call_id,    -- call.id
    c.file_id,          -- file
    min(c.start_ns + c.dur_ns, s.start_ns + s.dur_ns) - max(c.start_ns, s.start_ns) AS dur_ns -- how long the call was in progress in the stretch
FROM gpu_idle_stretch AS s
-- call_block: the calls that begin in the stretch, or not long before, are in these blocks; longest: what began earlier and is in progress still
CROSS JOIN call AS c ON (c.id >= coalesce((SELECT b.first_id FROM call_block AS b WHERE b.start_ns <= s.start_ns - 1000000000 ORDER BY b.start_ns DESC LIMIT 1), 0)
    AND c.id <= (SELECT b.last_id FROM call_block AS b WHERE b.start_ns < s.start_ns + s.dur_ns ORDER BY b.start_ns DESC LIMIT 1))
    OR c.id IN (SELECT id FROM longest WHERE what = 'call')
WHERE s.cause = 'disk read' AND s.file_id IS NULL AND +c.process_id = s.process_id AND +c.file_id IN (SELECT id FROM file WHERE class IN ('regular', 'deleted', 'directory', 'unknown'))
    AND +c.op_id IN (SELECT id FROM op WHERE verb = 'read')
    AND c.start_ns < s.start_ns + s.dur_ns AND c.start_ns + c.dur_ns > s.start_ns;

-- Idle time of all GPUs together over the whole run (gpu_idle_each).
CREATE VIEW gpu_idle_run AS
SELECT
    cause,                                                  -- what it is put down to
    count(*) AS gpus,                                       -- GPUs
    CASE
        WHEN max(basis = 'conflict') THEN 'conflict'
        WHEN max(basis = 'estimate') THEN 'estimate'
        WHEN max(basis = 'bounds') THEN 'bounds'
        ELSE 'exact'
    END AS basis,                                           -- what the range is, the worst of all GPUs
    sum(idle_min_ns) AS idle_min_ns,                        -- they idled at least so long while it was in progress
    sum(idle_max_ns) AS idle_max_ns,                        -- and at most
    (SELECT sum(wall_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS wall_ns -- time for which GPUs were observed, whatever it is put down to
FROM gpu_idle_each
GROUP BY cause;

-- Processes with what they did.
CREATE VIEW processes AS
SELECT
    p.id,                                   -- process.id
    p.pid,                                  -- process id
    p.name,                                 -- command name
    p.role,                                 -- role
    p.command_line,                         -- command line
    p.parent_pid,                           -- parent
    (p.start_ns - (SELECT r.start_ns FROM run AS r)) / 1e9 AS t_s, -- start, in seconds from the begin of the run; NULL: before it, or not told
    p.start_ns,                             -- start, where a source tells it
    p.end_ns - p.start_ns AS dur_ns,        -- how long it lived, where start and exit are known
    p.end_ns,                               -- exit, where a source tells it
    p.exit_status,                          -- exit status; negative: killed by that signal
    sum(s.calls) AS calls,                  -- calls of the operating system, no layer counted twice
    sum(s.errors) AS errors,                -- of these: failed
    sum(s.done_bytes) AS done_bytes,        -- bytes transferred, those of a copying call once
    sum(s.total_ns) AS total_ns,            -- time in calls
    p.host                                  -- machine, where there are several; NULL: the only one, or unknown
FROM process AS p
LEFT JOIN op_stat AS s ON s.process_id = p.id AND s.op_id IN (SELECT id FROM op WHERE layer <> 'cuda' AND name NOT LIKE '%:out')
GROUP BY p.id;

-- What is missing of the events of each source, which reports mark with >= or <=. What is not known to hold events of one
-- kind only can hold any.
CREATE VIEW source_loss AS
SELECT
    id AS source_id,                -- source
    path,                           -- its path
    (events & 1) <> 0 AS has_calls,    -- 1: it can hold calls
    (events & 2) <> 0 AS has_blocks,   -- 1: it can hold block requests
    (events & 4) <> 0 AS has_other,    -- 1: it can hold GPU work, scheduling, NVTX ranges or summaries
    lost_events,                    -- events that the tracing tool itself reports as lost
    issues AS unusable_lines,       -- lines that could not be used
    state = 'cut' AS is_cut,        -- 1: its end is missing
    coalesce((SELECT sum(i.count) FROM issue_count AS i WHERE i.source_id = s.id AND i.kind = 'wrapped-latency'), 0) AS wrapped -- durations that lack multiples of 4.29 s
FROM (
    SELECT
        *,
        CASE
            WHEN importer IN ('dlio', 'dlio-json', 'iostat', 'iostat-json', 'mllog', 'mpstat', 'mpstat-json', 'nvidia-query', 'nvidia-smi', 'ps') THEN 0
            WHEN importer IS NULL THEN 7
            WHEN importer IN ('perf-trace', 'strace') THEN 1
            WHEN importer <> 'bpftrace' OR layout LIKE 'user:%'
                OR EXISTS (SELECT 1 FROM issue_count AS i WHERE i.source_id = source.id AND i.kind = 'several-layouts') THEN 7
            WHEN layout LIKE '%/bio%' THEN 2
            ELSE 1
        END AS events
    FROM source
) AS s;

-- Everything that happened, one row each: kind, when, how long, who, what.
CREATE VIEW events AS
SELECT
    'call' AS kind,         -- 'call', 'block', 'gpu', 'span', 'mark'
    start_ns,               -- when
    dur_ns,                 -- how long
    pid,                    -- who
    op AS name,             -- what
    file AS detail,         -- on what
    done_bytes AS bytes     -- how much
FROM calls WHERE nested = 0
UNION ALL
SELECT 'block', start_ns, dur_ns, pid, op, device, bytes FROM requests
UNION ALL
SELECT 'gpu', g.start_ns, g.dur_ns, p.pid, n.text, d.name, g.bytes
FROM gpu_op AS g
JOIN string AS n ON n.id = g.name_id
JOIN device AS d ON d.id = g.device_id
LEFT JOIN process AS p ON p.id = g.process_id
UNION ALL
SELECT 'span', s.start_ns, s.dur_ns, p.pid, n.text || coalesce(' ' || s.number, ''), k.text, NULL
FROM span AS s
JOIN string AS n ON n.id = s.name_id
JOIN string AS k ON k.id = s.kind_id
LEFT JOIN process AS p ON p.id = s.process_id
UNION ALL
SELECT 'mark', m.ts_ns, NULL, p.pid, n.text, a.text, NULL
FROM mark AS m
JOIN string AS n ON n.id = m.name_id
LEFT JOIN string AS a ON a.id = m.args_id
LEFT JOIN process AS p ON p.id = m.process_id;

-- Statistics of calls of every kind, of the whole run, in the groupings that the file holds. In tracedb, and in the sqlite3 shell
-- with the extension tracedb.so, the table of this name answers any grouping, time, phase, process and file.
CREATE VIEW call_stat AS
SELECT
    by,                     -- by what calls are grouped: names of the columns that are not NULL for that, without _id, _ns and low_, in their order
    NULL AS file_id,        -- by 'file': file
    NULL AS template_id,    -- by 'template': string of file.template_id
    NULL AS directory_id,   -- by 'directory': string of file.directory_id
    NULL AS class,          -- by 'class': file.class
    NULL AS storage,        -- by 'storage': 'disk' or 'no disk' (NFS, overlay, tmpfs), as file.device says
    process_id,             -- by 'process': process
    NULL AS role,           -- by 'role': process.role
    NULL AS thread_id,      -- by 'thread': thread
    op_id,                  -- by 'op': operation
    NULL AS verb,           -- by 'verb': op.verb
    NULL AS waits,          -- by 'waits': 1: for somebody: a call on what waited_file lists, or of verb 'socket'; 0: any other
    NULL AS phase,          -- by 'phase': phase_interval.label; a call is in each phase that is on when it starts
    NULL AS bin_ns,         -- by 'bin': begin of the time bin, a multiple of its width
    NULL AS nested,         -- by 'nested': 1: inside a call of an outer layer; without it these are left out
    NULL AS low_ns,         -- by 'latency': lower bound of the bucket of durations, eight for each power of two
    NULL AS low_bytes,      -- by 'size': lower bound of the bucket of sizes, a power of two or 0
    calls,                  -- number of calls
    errors,                 -- of these: failed (ret < 0)
    timed,                  -- of these: with a known duration
    done_bytes,             -- bytes transferred
    total_ns,               -- sum of durations
    min_ns,                 -- shortest
    max_ns,                 -- longest
    p50_ns,                 -- median; mean of the middle two of an even number
    p95_ns,                 -- 95th percentile, nearest rank
    p99_ns,                 -- 99th percentile, nearest rank
    stddev_ns,              -- sample standard deviation; 0 for a single call
    NULL AS min_bytes,      -- smallest transfer
    NULL AS p50_bytes_low,  -- power of two that the median transfer is at least (0 for 0); of an even number the lower of the middle two
    NULL AS max_bytes,      -- largest transfer
    NULL AS sequential,     -- transfers that began where the previous one of the same verb, process and file ended, the first at 0; NULL if no offset is known
    NULL AS random,         -- transfers with a known offset that did not
    first_ns,               -- start of the first call
    last_ns,                -- start of the last call
    nested_calls,           -- calls left out because an outer layer counts them
    unfinished,             -- of calls: not seen to return
    NULL AS during_calls,   -- of calls: some of whose time lies in the intervals of during; of those without a duration: that begin in one
    NULL AS during_ns,      -- of total_ns: what lies in them
    NULL AS files,          -- files that the calls were on
    NULL AS busiest_file_id, -- the file of these with most total_ns, of as much the first
    NULL AS busiest_ns,     -- its total_ns
    NULL AS since_ns,       -- only calls that start then or later
    NULL AS until_ns,       -- only calls that start before then
    NULL AS in_phase,       -- only calls that start in this phase
    NULL AS of_pid,         -- only processes with this id
    NULL AS of_process,     -- only processes with this name or role
    NULL AS of_file,        -- only files whose path, or name where no path is known, is like this GLOB
    NULL AS bin_width_ns,   -- width of the time bins; NULL: run.bin_ns
    NULL AS during,         -- intervals for during_calls and during_ns: a SELECT of two columns, begin and end in ns
    NULL AS of_top          -- only the so many with most total_ns of what by names first, and what ties with the last of them; of those that wait, and of the others, where by has 'waits'
FROM op_stat
UNION ALL
SELECT
    by || ',nested', NULL, NULL, NULL, NULL, NULL, process_id, NULL, NULL, op_id, NULL, NULL, NULL, NULL, 0, NULL, NULL,
    calls, errors, timed, done_bytes, total_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM op_stat
UNION ALL
SELECT
    by || ',nested', NULL, NULL, NULL, NULL, NULL, process_id, NULL, NULL, op_id, NULL, NULL, NULL, NULL, 1, NULL, NULL,
    calls, errors, timed, done_bytes, total_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM nested_stat
UNION ALL
SELECT
    'file,process,op,bin', file_id, NULL, NULL, NULL, NULL, process_id, NULL, NULL, op_id, NULL, NULL, NULL, bin_ns, NULL, NULL, NULL,
    calls, errors, NULL, done_bytes, total_ns, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM bin_stat
UNION ALL
SELECT
    'class,op,bin', NULL, NULL, NULL, f.class, NULL, NULL, NULL, NULL, b.op_id, NULL, NULL, NULL, b.bin_ns, NULL, NULL, NULL,
    sum(b.calls), sum(b.errors), NULL, sum(b.done_bytes), sum(b.total_ns), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM class_bin_stat))
CROSS JOIN bin_stat AS b
LEFT JOIN file AS f ON f.id = b.file_id
GROUP BY f.class, b.op_id, b.bin_ns
UNION ALL
SELECT
    'class,op,bin', NULL, NULL, NULL, class, NULL, NULL, NULL, NULL, op_id, NULL, NULL, NULL, bin_ns, NULL, NULL, NULL,
    calls, errors, NULL, done_bytes, total_ns, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM class_bin_stat
UNION ALL
SELECT
    s.by, c.file_id, NULL, NULL, NULL, NULL, c.process_id, NULL, NULL, c.op_id, NULL, NULL, NULL,
    (c.start_ns / r.bin_ns - (c.start_ns % r.bin_ns < 0)) * r.bin_ns, NULL, NULL, NULL,
    count(*), coalesce(sum(c.ret < 0), 0), NULL, sum(c.done_bytes), sum(c.dur_ns),
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM stat_omitted AS s
CROSS JOIN run AS r
CROSS JOIN call AS c
WHERE s.relation = 'call_stat' AND c.nested = 0
GROUP BY s.by, 14, c.process_id, c.file_id, c.op_id
UNION ALL
SELECT
    by, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, key_id, NULL, NULL, NULL, NULL, NULL, iif(by = 'op,latency', low, NULL), iif(by = 'op,size', low, NULL),
    calls, NULL, NULL, done_bytes, total_ns, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM bucket_stat
WHERE by LIKE 'op,%'
UNION ALL
SELECT
    'class,process,thread,op', NULL, NULL, NULL, class, NULL, process_id, NULL, thread_id, op_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    calls, errors, NULL, NULL, total_ns, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, first_ns, last_ns,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM thread_stat;


-- Files on which a read or write waits for somebody: pipes, sockets, eventfds, terminals; what has no name is nearly always one of them.
CREATE VIEW waited_file AS
SELECT
    id,     -- file.id
    class   -- file.class
FROM classed_file
WHERE class IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed');

-- The same of I/O calls alone (op.kind 'io'), as far as the file holds it; by what files have in common, with how many there are and which one took
-- most time, looking at the calls if need be.
CREATE VIEW io_stat_held AS
WITH
    in_common (by, files_by) AS (
        VALUES
            ('directory,class,storage', 'file,verb'), ('directory,class,storage,verb', 'file,verb'),
            ('directory,class,storage,process', 'file,process,verb'), ('directory,class,storage,process,verb', 'file,process,verb'),
            ('class,process', 'file,process,verb')
    )
SELECT
    by,                                                                                             -- as in call_stat, like all columns
    CASE WHEN by LIKE 'file,%' THEN key_id END AS file_id,                                          -- file
    CASE WHEN by LIKE 'template,%' THEN key_id END AS template_id,                                  -- string
    CASE WHEN by LIKE 'directory,%' THEN key_id END AS directory_id,                                -- string
    CASE WHEN by LIKE 'class,%' THEN (SELECT text FROM string WHERE id = key_id) END AS class,      -- class of the file
    NULL AS storage,                                                                                -- disk or none
    CASE by WHEN 'process,verb' THEN key_id ELSE process_id END AS process_id,                      -- process
    NULL AS role,                                                                                   -- role
    NULL AS thread_id,                                                                              -- thread
    NULL AS op_id,                                                                                  -- operation
    verb,                                                                                           -- verb
    NULL AS waits,                                                                                  -- for somebody
    NULL AS phase,                                                                                  -- phase
    NULL AS bin_ns,                                                                                 -- time bin
    NULL AS nested,                                                                                 -- inside another call
    NULL AS low_ns,                                                                                 -- bucket of durations
    NULL AS low_bytes,                                                                              -- bucket of sizes
    calls,                                                                                          -- number of calls
    errors,                                                                                         -- failed ones
    timed,                                                                                          -- those with a duration
    done_bytes,                                                                                     -- bytes transferred
    total_ns,                                                                                       -- sum of durations
    NULL AS min_ns,                                                                                 -- shortest
    max_ns,                                                                                         -- longest
    p50_ns,                                                                                         -- median
    NULL AS p95_ns,                                                                                 -- 95th percentile
    p99_ns,                                                                                         -- 99th percentile
    NULL AS stddev_ns,                                                                              -- standard deviation
    min_bytes,                                                                                      -- smallest transfer
    p50_bytes_low,                                                                                  -- median transfer, at least
    max_bytes,                                                                                      -- largest transfer
    sequential,                                                                                     -- sequential transfers
    random,                                                                                         -- others
    first_ns,                                                                                       -- first call
    last_ns,                                                                                        -- last call
    NULL AS nested_calls,                                                                           -- calls left out
    NULL AS unfinished,                                                                             -- not seen to return
    NULL AS during_calls,                                                                           -- those that lie in intervals
    NULL AS during_ns,                                                                              -- their time that does
    NULL AS files,                                                                                  -- files
    NULL AS busiest_file_id,                                                                        -- that of most time
    NULL AS busiest_ns,                                                                             -- its time
    NULL AS since_ns,                                                                               -- time asked for
    NULL AS until_ns,                                                                               -- its end
    NULL AS in_phase,                                                                               -- phase asked for
    NULL AS of_pid,                                                                                 -- process asked for
    NULL AS of_process,                                                                             -- its name or role
    NULL AS of_file,                                                                                -- file asked for
    NULL AS bin_width_ns,                                                                           -- width of bins asked for
    NULL AS during,                                                                                 -- intervals asked for
    NULL AS of_top                                                                                  -- how many asked for
FROM file_stat
UNION ALL
SELECT
    of.by || ',waits', s.key_id, NULL, NULL, NULL, NULL, s.process_id, NULL, NULL, NULL, s.verb,
    s.verb = 'socket' OR coalesce(s.key_id IN (SELECT id FROM waited_file), 0), NULL, NULL, NULL, NULL, NULL,
    s.calls, s.errors, s.timed, s.done_bytes, s.total_ns, NULL, s.max_ns, s.p50_ns, NULL, s.p99_ns, NULL,
    s.min_bytes, s.p50_bytes_low, s.max_bytes, s.sequential, s.random, s.first_ns, s.last_ns,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT 'file,verb' AS by UNION ALL SELECT 'file,process,verb') AS of
CROSS JOIN file_stat AS s
WHERE +s.by = of.by
UNION ALL
SELECT
    substr(of.by, 6) || ',waits' AS by, NULL, NULL, NULL, NULL, NULL, s.process_id, NULL, NULL, NULL, s.verb,
    s.verb = 'socket' OR coalesce(s.key_id IN (SELECT id FROM waited_file), 0) AS waits, NULL, NULL, NULL, NULL, NULL,
    sum(s.calls), sum(s.errors), sum(s.timed), sum(s.done_bytes), sum(s.total_ns), NULL, max(s.max_ns), NULL, NULL, NULL, NULL,
    min(s.min_bytes), NULL, max(s.max_bytes), sum(s.sequential), sum(s.random), min(s.first_ns), max(s.last_ns),
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT 'file,verb' AS by UNION ALL SELECT 'file,process,verb') AS of
CROSS JOIN file_stat AS s
WHERE +s.by = of.by
GROUP BY of.by, s.process_id, s.verb, waits
UNION ALL
SELECT
    by, NULL, NULL, directory_id, class, storage, process_id, NULL, NULL, NULL, verb, NULL, NULL, NULL, NULL, NULL, NULL,
    calls, errors, NULL, done_bytes, total_ns, NULL, max_ns, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    files, 4294967295 - substr(busiest, 22), nullif(CAST(substr(busiest, 1, 20) AS INTEGER), 0) - 1,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (
    -- all rows of a group are the same
    SELECT DISTINCT
        by, directory_id, class, storage, process_id, verb,
        sum(calls) OVER g AS calls,
        sum(errors) OVER g AS errors,
        sum(done_bytes) OVER g AS done_bytes,
        sum(total_ns) OVER g AS total_ns,
        max(max_ns) OVER g AS max_ns,
        count(file_id) OVER g AS files,
        max(place) OVER g AS busiest
    FROM (
        SELECT
            s.by, s.process_id, s.verb, s.calls, s.errors, s.done_bytes, s.total_ns, s.max_ns, f.id AS file_id, f.class,
            CASE WHEN s.by LIKE 'directory%' THEN f.directory_id END AS directory_id,
            CASE WHEN s.by LIKE '%storage%' THEN CASE WHEN f.device >> 20 = 0 THEN 'no disk' WHEN f.device IS NOT NULL THEN 'disk' END END AS storage,
            -- most time, of as much the first file
            CASE WHEN f.id IS NOT NULL THEN printf('%020d %010d', coalesce(s.total_ns + 1, 0), 4294967295 - f.id) END AS place
        FROM (
            SELECT
                of.by, s.key_id AS file_id, s.process_id, iif(of.by LIKE '%verb', s.verb, NULL) AS verb,
                sum(s.calls) AS calls, sum(s.errors) AS errors, sum(s.done_bytes) AS done_bytes, sum(s.total_ns) AS total_ns, max(s.max_ns) AS max_ns
            FROM in_common AS of
            CROSS JOIN file_stat AS s
            WHERE +s.by = of.files_by AND of.by <> 'class,process'
            GROUP BY of.by, 2, 3, 4
            UNION ALL
            SELECT
                of.by, c.file_id, iif(of.by LIKE '%process%', c.process_id, NULL), iif(of.by LIKE '%verb', o.verb, NULL),
                count(*), coalesce(sum(c.ret < 0), 0), sum(c.done_bytes), sum(c.dur_ns), max(c.dur_ns)
            FROM in_common AS of
            CROSS JOIN stat_omitted AS omitted
            CROSS JOIN call AS c
            CROSS JOIN op AS o
            WHERE omitted.relation = 'io_stat' AND omitted.by = of.files_by AND omitted.rows_held = 0 AND o.id = c.op_id AND o.kind = 'io' AND +c.nested = 0
            GROUP BY of.by, 2, 3, 4
        ) AS s
        LEFT JOIN file AS f ON f.id = s.file_id
    )
    WINDOW g AS (PARTITION BY by, directory_id, class, storage, process_id, verb)
)
UNION ALL
SELECT
    'class,process', NULL, NULL, NULL, class, NULL, process_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    sum(calls), sum(errors), NULL, sum(done_bytes), sum(total_ns), NULL, max(max_ns), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    sum(files), min(file_id), max(total_ns) FILTER (WHERE file_id IS NOT NULL),
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM busiest_file
GROUP BY process_id, class
UNION ALL
SELECT
    by, NULL, iif(by = 'template,verb,size', key_id, NULL), NULL, NULL, NULL, iif(by = 'process,verb,size', key_id, NULL), NULL, NULL, NULL, verb, NULL, NULL, NULL, NULL, NULL, low,
    calls, NULL, NULL, done_bytes, total_ns, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM bucket_stat
WHERE by LIKE '%,verb,size';

-- All of it: what is not held is found by looking at the calls, which takes a while; tracedb and tracedb.so do so faster. There is no
-- GROUP BY, as SQLite would not see before the windows by what is asked; all windows begin with it.
CREATE VIEW io_stat AS
WITH RECURSIVE
    power (low) AS (SELECT 0 UNION ALL SELECT max(1, low * 2) FROM power WHERE low < 1 << 61),
    omitted AS (
        SELECT by FROM stat_omitted WHERE relation = 'io_stat'
        UNION ALL
        SELECT by || ',waits' FROM stat_omitted WHERE relation = 'io_stat' AND by LIKE 'file,%'
        UNION ALL
        SELECT substr(by, 6) || ',waits' FROM stat_omitted WHERE relation = 'io_stat' AND by LIKE 'file,%'
    )
SELECT
    by,               -- as in call_stat, like all columns
    file_id,          -- file
    template_id,      -- string
    directory_id,     -- string
    class,            -- class of the file
    storage,          -- disk or none
    process_id,       -- process
    role,             -- role
    thread_id,        -- thread
    op_id,            -- operation
    verb,             -- verb
    waits,            -- for somebody
    phase,            -- phase
    bin_ns,           -- time bin
    nested,           -- inside another call
    low_ns,           -- bucket of durations
    low_bytes,        -- bucket of sizes
    calls,            -- number of calls
    errors,           -- failed ones
    timed,            -- those with a duration
    done_bytes,       -- bytes transferred
    total_ns,         -- sum of durations
    min_ns,           -- shortest
    max_ns,           -- longest
    p50_ns,           -- median
    p95_ns,           -- 95th percentile
    p99_ns,           -- 99th percentile
    stddev_ns,        -- standard deviation
    min_bytes,        -- smallest transfer
    p50_bytes_low,    -- median transfer, at least
    max_bytes,        -- largest transfer
    sequential,       -- sequential transfers
    random,           -- others
    first_ns,         -- first call
    last_ns,          -- last call
    nested_calls,     -- calls left out
    unfinished,       -- not seen to return
    during_calls,     -- those that lie in intervals
    during_ns,        -- their time that does
    files,            -- files
    busiest_file_id,  -- that of most time
    busiest_ns,       -- its time
    since_ns,         -- time asked for
    until_ns,         -- its end
    in_phase,         -- phase asked for
    of_pid,           -- process asked for
    of_process,       -- its name or role
    of_file,          -- file asked for
    bin_width_ns,     -- width of bins asked for
    during,           -- intervals asked for
    of_top            -- how many asked for
FROM io_stat_held
WHERE by NOT IN (SELECT by FROM omitted)
UNION ALL
SELECT
    by,
    CASE WHEN by LIKE 'file,%' THEN key END, CASE WHEN by LIKE 'template,%' THEN key END,
    CASE WHEN by LIKE 'directory,%' THEN key END, CASE WHEN by LIKE 'class,%' THEN key END,
    NULL, process_id, NULL, NULL, NULL, verb, waits, NULL, NULL, NULL, NULL, NULL,
    calls, errors, timed, done_bytes, total_ns, NULL, max_ns, (low_p50_ns + high_p50_ns) / 2.0, NULL, p99_ns, NULL,
    min_bytes, (SELECT max(low) FROM power WHERE low <= p50_bytes), max_bytes, sequential, stepped - sequential, first_ns, last_ns,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (
    SELECT
        by, key, process_id, verb, waits, timed,
        row_number() OVER g AS row,
        count(*) OVER g AS calls,
        coalesce(sum(ret < 0) OVER g, 0) AS errors,
        sum(done_bytes) OVER g AS done_bytes,
        sum(dur_ns) OVER g AS total_ns,
        max(dur_ns) OVER g AS max_ns,
        max(dur_ns) FILTER (WHERE dur_rank = (timed + 1) / 2) OVER g AS low_p50_ns,
        max(dur_ns) FILTER (WHERE dur_rank = timed / 2 + 1) OVER g AS high_p50_ns,
        max(dur_ns) FILTER (WHERE dur_rank = (timed * 99 + 99) / 100) OVER g AS p99_ns,
        min(done_bytes) OVER g AS min_bytes,
        max(done_bytes) FILTER (WHERE size_rank = (sized + 1) / 2) OVER g AS p50_bytes,
        max(done_bytes) OVER g AS max_bytes,
        sum(step) OVER g AS sequential,
        count(step) OVER g AS stepped,
        min(start_ns) OVER g AS first_ns,
        max(start_ns) OVER g AS last_ns
    FROM (
        SELECT
            *,
            row_number() OVER (PARTITION BY by, key, process_id, verb, waits ORDER BY dur_ns IS NULL, dur_ns) AS dur_rank,
            count(dur_ns) OVER (PARTITION BY by, key, process_id, verb, waits) AS timed,
            row_number() OVER (PARTITION BY by, key, process_id, verb, waits ORDER BY done_bytes IS NULL, done_bytes) AS size_rank,
            count(done_bytes) OVER (PARTITION BY by, key, process_id, verb, waits) AS sized
        FROM (
            SELECT
                s.by,
                CASE
                    WHEN s.by LIKE 'file,%' THEN c.file_id
                    WHEN s.by LIKE 'template,%' THEN f.template_id
                    WHEN s.by LIKE 'directory,%' THEN f.directory_id
                    WHEN s.by LIKE 'class,%' THEN f.class
                END AS key,
                CASE WHEN s.by LIKE '%process,verb%' THEN c.process_id END AS process_id,
                CASE WHEN s.by LIKE '%,waits' THEN o.verb = 'socket' OR coalesce(c.file_id IN (SELECT id FROM waited_file), 0) END AS waits,
                o.verb, c.ret, c.dur_ns, c.done_bytes, c.start_ns,
                CASE
                    WHEN c.offset_bytes IS NOT NULL AND c.done_bytes IS NOT NULL
                        THEN c.offset_bytes = lag(c.offset_bytes + c.done_bytes, 1, 0) OVER (
                            PARTITION BY s.by, c.process_id, c.file_id, o.verb, c.offset_bytes IS NULL OR c.done_bytes IS NULL
                            ORDER BY c.id
                        )
                END AS step
            FROM omitted AS s
            CROSS JOIN call AS c
            JOIN op AS o ON o.id = c.op_id
            LEFT JOIN file AS f ON f.id = c.file_id
            WHERE o.kind = 'io' AND c.nested = 0
        )
    )
    WINDOW g AS (PARTITION BY by, key, process_id, verb, waits)
)
WHERE row = 1;

-- What was opened, read and written: a row of each file, or of each template, directory, process or class of files, with its name. What somebody waits on
-- (waited_file), calls that sockets alone have, and kinds of files that are nothing else, are left out unless asked for. In tracedb and with the extension
-- also of a part of the calls, and in the order of total_ns, done_bytes and calls, most first, then name, key_id.
CREATE VIEW file_use AS
WITH
    part AS NOT MATERIALIZED (
        SELECT 'file' AS of, 0 AS waited, * FROM io_stat WHERE by = 'file,verb,waits'
        UNION ALL
        SELECT 'template', 0, * FROM io_stat WHERE by = 'template,verb'
        UNION ALL
        SELECT 'directory', 0, * FROM io_stat WHERE by = 'directory,verb'
        UNION ALL
        SELECT 'process', 0, * FROM io_stat WHERE by = 'process,verb'
        UNION ALL
        SELECT 'class', 0, * FROM io_stat WHERE by = 'class,verb'
        UNION ALL
        SELECT 'file,waited', 1, * FROM io_stat WHERE by = 'file,verb'
        UNION ALL
        SELECT 'template,waited', 1, * FROM io_stat WHERE by = 'template,verb'
        UNION ALL
        SELECT 'directory,waited', 1, * FROM io_stat WHERE by = 'directory,verb'
        UNION ALL
        SELECT 'process,waited', 1, * FROM io_stat WHERE by = 'process,verb'
        UNION ALL
        SELECT 'class,waited', 1, * FROM io_stat WHERE by = 'class,verb'
    ),
    /* not groups: a condition on what a row is of would not reach the parts, of which all would be found */
    used AS (
        SELECT DISTINCT
            of AS by, waited, coalesce(file_id, template_id, directory_id, process_id) AS key_id, class AS of_class,
            sum(calls) OVER w AS calls, sum(errors) OVER w AS errors, sum(total_ns) OVER w AS total_ns,
            coalesce(sum(done_bytes) FILTER (WHERE verb IN ('read', 'write')) OVER w, 0) AS done_bytes,
            coalesce(sum(calls) FILTER (WHERE verb = 'open') OVER w, 0) AS opens,
            coalesce(sum(calls) FILTER (WHERE verb = 'read') OVER w, 0) AS reads,
            coalesce(sum(calls) FILTER (WHERE verb = 'write') OVER w, 0) AS writes,
            sum(done_bytes) FILTER (WHERE verb = 'read') OVER w AS read_bytes, sum(done_bytes) FILTER (WHERE verb = 'write') OVER w AS write_bytes,
            max(p50_ns) FILTER (WHERE verb = 'read') OVER w AS read_p50_ns, max(p99_ns) FILTER (WHERE verb = 'read') OVER w AS read_p99_ns,
            max(p50_ns) FILTER (WHERE verb = 'write') OVER w AS write_p50_ns, max(p99_ns) FILTER (WHERE verb = 'write') OVER w AS write_p99_ns,
            max(p50_bytes_low) FILTER (WHERE verb = 'read') OVER w AS read_p50_bytes,
            sum(sequential) FILTER (WHERE verb IN ('read', 'write') AND random IS NOT NULL) OVER w AS sequential,
            sum(random) FILTER (WHERE verb IN ('read', 'write') AND sequential IS NOT NULL) OVER w AS random
        FROM part
        WHERE waited OR coalesce(waits = 0, verb <> 'socket')
        WINDOW w AS (PARTITION BY of, waited, coalesce(file_id, template_id, directory_id, process_id), class)
    ),
    kind (of, id, class) AS MATERIALIZED (
        SELECT 'template', template_id, CASE WHEN min(class) = max(class) THEN class END FROM file_kind GROUP BY template_id
        UNION ALL
        SELECT 'directory', directory_id, CASE WHEN min(class) = max(class) THEN class END FROM file GROUP BY directory_id
    ),
    named AS (
        SELECT
            u.*, CASE f.truncated WHEN 0 THEN f.path_basis WHEN 1 THEN coalesce(f.path_basis || ', cut', 'cut') END AS path_basis,
            coalesce(f.class, k.class, u.of_class) AS class,
            CASE
                WHEN f.id IS NOT NULL THEN coalesce(nullif(f.path, ''), nullif(f.name, ''), '(no name)')
                WHEN s.id IS NOT NULL THEN coalesce(nullif(s.text, ''), '(no name)')
                WHEN p.id IS NOT NULL THEN coalesce(p.name, '?') || ' (' || p.pid || coalesce(' on ' || p.host, '') || ')'
                ELSE u.of_class
            END AS name
        FROM used AS u
        LEFT JOIN file AS f ON f.id = u.key_id AND u.by IN ('file', 'file,waited')
        LEFT JOIN string AS s ON s.id = u.key_id AND u.by IN ('template', 'directory', 'template,waited', 'directory,waited')
        LEFT JOIN process AS p ON p.id = u.key_id AND u.by IN ('process', 'process,waited')
        LEFT JOIN kind AS k ON k.id = s.id AND u.by IN (k.of, k.of || ',waited')
    )
SELECT
    by,                     -- what a row is of: 'file', 'template', 'directory', 'process' or 'class'; 'file,waited', ...: with what somebody waits on
    key_id,                 -- file, string or process; NULL: it is not known, or a row is of a class
    name,                   -- path, or the name where no path is known; text of the template or directory; name and pid of the process; class
    class,                  -- class of the file, or of all files of the template or directory; NULL: they differ
    path_basis,             -- of a file: how its path is known, with 'cut' if the tracer cut it
    calls,                  -- number of I/O calls
    errors,                 -- of these: failed
    total_ns,               -- sum of their durations
    done_bytes,             -- bytes read and written
    opens,                  -- number of opens
    reads,                  -- number of reads
    writes,                 -- number of writes
    read_bytes,             -- bytes read; NULL: of no read they are known
    write_bytes,            -- bytes written; likewise
    read_p50_ns,            -- median duration of a read
    read_p99_ns,            -- 99th percentile of the durations of reads
    write_p50_ns,           -- median duration of a write
    write_p99_ns,           -- 99th percentile of the durations of writes
    read_p50_bytes,         -- half of the reads got at least so much; rounded down to a power of two
    sequential,             -- reads and writes that got bytes and began where the one before ended; NULL: of none an offset is known
    random,                 -- the others of these
    sum(total_ns) OVER (PARTITION BY by) AS all_total_ns, -- total_ns of all rows
    sum(done_bytes) OVER (PARTITION BY by) AS all_done_bytes, -- done_bytes of all rows
    NULL AS since_ns,       -- only calls that start then or later
    NULL AS until_ns,       -- only calls that start before then
    NULL AS in_phase,       -- only calls that start in this phase
    NULL AS of_pid,         -- only processes with this id
    NULL AS of_process,     -- only processes with this name or role
    9223372036854775807 AS of_top -- asked for with '>=': only so many of the rows are wanted. Of many files those with most total_ns come, and what ties with the last of them
FROM named
WHERE waited OR by IN ('file', 'process') OR coalesce(class, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed');

-- Calls that lock (op.kind 'lock', but for those of CUDA), of the whole run: what lock_stat adds up, or one by one. In tracedb and with the extension
-- also of a time and phase: calls that begin in it, of which those with the same first four columns are a row. Nested calls are not counted.
CREATE VIEW lock_use AS
WITH
    looked_for AS (SELECT 1 FROM op WHERE kind = 'lock' AND layer <> 'cuda' AND NOT EXISTS (SELECT 1 FROM lock_stat) LIMIT 1)
SELECT
    process_id,                     -- who; NULL: unknown
    thread_id,                      -- likewise
    op_id,                          -- operation
    args_id,                        -- call.args_id
    calls,                          -- number of calls
    failed,                         -- of these: ret < 0
    timed,                          -- of these: with a known duration
    total_ns,                       -- sum of durations; NULL: no call had one, likewise the next two
    max_ns,                         -- longest
    max_start_ns,                   -- begin of the first one that took as long
    NULL AS since_ns,               -- time asked for
    NULL AS until_ns,               -- its end
    NULL AS in_phase                -- phase asked for
FROM lock_stat
UNION ALL
SELECT c.process_id, c.thread_id, c.op_id, c.args_id, 1, coalesce(c.ret < 0, 0), c.dur_ns IS NOT NULL, c.dur_ns, c.dur_ns, iif(c.dur_ns IS NULL, NULL, c.start_ns), NULL, NULL, NULL
FROM looked_for
CROSS JOIN call AS c
WHERE c.op_id IN (SELECT id FROM op WHERE kind = 'lock' AND layer <> 'cuda') AND c.nested = 0;

-- The longest calls. Calls that an outer layer counts are left out. In tracedb and with the extension found in one look at the calls, also of a part of them.
CREATE VIEW long_call AS
SELECT
    k.kind,                 -- 'io': I/O on files; 'all': all calls, those that wait for something included
    c.id AS call_id,        -- call
    c.dur_ns,               -- how long it took: more than nothing
    o.verb,                 -- op.verb
    9223372036854775807 AS of_top, -- asked for with '>=': only so many of the kind, the longest and, of those that took as long, the first
    NULL AS since_ns,       -- only calls that start then or later
    NULL AS until_ns,       -- only calls that start before then
    NULL AS in_phase,       -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
    NULL AS of_pid,         -- only processes with this id
    NULL AS of_process,     -- only processes with this name or role
    NULL AS of_file         -- only files whose path matches; GLOB
FROM (SELECT 'io' AS kind UNION ALL SELECT 'all') AS k
CROSS JOIN call AS c
JOIN op AS o ON o.id = c.op_id
WHERE c.nested = 0 AND c.dur_ns > 0
    AND (k.kind = 'all'
        OR (o.kind = 'io' AND o.verb <> 'socket'
            AND (c.file_id IS NULL OR c.file_id NOT IN (SELECT id FROM waited_file))));

-- Reads of regular files: what came from the page cache, and how far into the file they reached. Calls that an outer layer counts are left out. In
-- tracedb and with the extension found in one look at the calls.
CREATE VIEW read_stat AS
WITH
    read AS MATERIALIZED (
        SELECT file_id, process_id, done_bytes AS bytes, cold_bytes AS cold, offset_bytes + done_bytes AS end_bytes
        FROM call
        WHERE op_id IN (SELECT id FROM op WHERE verb = 'read' AND kind = 'io' AND layer <> 'cuda') AND nested = 0 AND done_bytes >= 0
            AND file_id IN (SELECT id FROM file WHERE class IN ('regular', 'deleted'))
    ),
    by_file AS MATERIALIZED (
        SELECT file_id, count(*) AS reads, sum(bytes) AS bytes, count(cold) AS known, count(*) FILTER (WHERE cold = 0) AS hits, sum(max(bytes - cold, 0)) AS hit_bytes,
            sum(min(bytes, cold)) AS cold_bytes, sum(max(cold - bytes, 0)) AS ahead_bytes, max(end_bytes) AS end_bytes, count(end_bytes) AS placed,
            CASE WHEN count(end_bytes) = count(*) THEN max(0, sum(bytes) - max(end_bytes)) END AS reread_bytes
        FROM read
        GROUP BY file_id
    ),
    by_file_process AS NOT MATERIALIZED (
        SELECT file_id, process_id, count(*) AS reads, sum(bytes) AS bytes, count(cold) AS known, count(*) FILTER (WHERE cold = 0) AS hits,
            sum(max(bytes - cold, 0)) AS hit_bytes, sum(min(bytes, cold)) AS cold_bytes, sum(max(cold - bytes, 0)) AS ahead_bytes, max(end_bytes) AS end_bytes,
            count(end_bytes) AS placed, CASE WHEN count(end_bytes) = count(*) THEN max(0, sum(bytes) - max(end_bytes)) END AS reread_bytes
        FROM read
        GROUP BY file_id, process_id
    )
SELECT
    'file' AS by,           -- what a row is of: 'file', or 'file,process'; 'all,file', 'all,process', 'all,template': one of these, and one row of all reads
    0 AS is_all,            -- 1: the row of all reads
    file_id,                -- by 'file', 'file,process', 'all,file': file
    NULL AS process_id,     -- by 'file,process', 'all,process': who read it
    NULL AS template_id,    -- by 'all,template': file.template_id
    reads,                  -- number of reads
    bytes,                  -- bytes that they returned
    known,                  -- of reads: it is known what was in the page cache
    hits,                   -- of these: all was
    hit_bytes,              -- bytes that were in the page cache
    cold_bytes,             -- bytes that were not, as far as they were asked for
    ahead_bytes,            -- bytes that were brought into the page cache besides
    end_bytes,              -- of a file: where the read that reached furthest ended; NULL: no offset is known
    placed,                 -- of reads: their offset is known
    reread_bytes,           -- bytes that exceed where the reads of each file ended; of a process those that it read itself; NULL: of a read the offset is not known
    9223372036854775807 AS of_top -- asked for with '>=': only so many of the rows, and that of all: those with most bytes, and what ties with the last of them
FROM by_file
UNION ALL
SELECT 'file,process', 0, file_id, process_id, NULL, reads, bytes, known, hits, hit_bytes, cold_bytes, ahead_bytes, end_bytes, placed, reread_bytes, 9223372036854775807
FROM by_file_process
UNION ALL
SELECT 'all,file', 0, file_id, NULL, NULL, reads, bytes, known, hits, hit_bytes, cold_bytes, ahead_bytes, end_bytes, placed, reread_bytes, 9223372036854775807
FROM by_file
UNION ALL
SELECT
    'all,process', 0, NULL, process_id, NULL, sum(reads), sum(bytes), sum(known), sum(hits), sum(hit_bytes), sum(cold_bytes), sum(ahead_bytes), NULL, sum(placed),
    CASE WHEN sum(placed) = sum(reads) THEN sum(reread_bytes) END, 9223372036854775807
FROM by_file_process
GROUP BY process_id
UNION ALL
SELECT
    'all,template', 0, NULL, NULL, f.template_id, sum(reads), sum(bytes), sum(known), sum(hits), sum(hit_bytes), sum(cold_bytes), sum(ahead_bytes), NULL, sum(placed),
    CASE WHEN sum(placed) = sum(reads) THEN sum(reread_bytes) END, 9223372036854775807
FROM by_file
CROSS JOIN file AS f ON f.id = file_id
GROUP BY f.template_id
UNION ALL
SELECT
    of.by, 1, NULL, NULL, NULL, sum(reads), sum(bytes), sum(known), sum(hits), sum(hit_bytes), sum(cold_bytes), sum(ahead_bytes), NULL, sum(placed),
    CASE WHEN sum(placed) = sum(reads) THEN sum(reread_bytes) END, 9223372036854775807
FROM by_file
CROSS JOIN (SELECT 'all,file' AS by UNION ALL SELECT 'all,process' UNION ALL SELECT 'all,template') AS of
GROUP BY of.by;

-- How fast processes, files and kinds of files were read and written, in bins of time as wide as those of bin_stat: bytes count in the bin in which their call
-- starts. Calls that an outer layer counts are left out, as are pipes, sockets, eventfds and what has no name. What has no known bytes has no row. In tracedb and
-- with the extension also of a part of them.
CREATE VIEW transfer_stat AS
WITH
    width AS MATERIALIZED (SELECT bin_ns AS ns FROM run WHERE bin_ns > 0),
    part AS MATERIALIZED (
        SELECT s.process_id, s.file_id, f.template_id, s.bin_ns, o.verb, sum(s.done_bytes) AS bytes, sum(s.total_ns) AS ns
        FROM call_stat AS s
        CROSS JOIN op AS o ON o.id = s.op_id
        LEFT JOIN file AS f ON f.id = s.file_id
        WHERE s.by = 'file,process,op,bin' AND o.kind = 'io' AND o.verb IN ('read', 'write')
            AND coalesce(f.class, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')
        GROUP BY s.bin_ns, s.process_id, s.file_id, o.verb
    ),
    moved (by, id, bin_ns, verb, bytes, ns) AS NOT MATERIALIZED (
        SELECT 'process', process_id, bin_ns, verb, sum(bytes), sum(ns) FROM part GROUP BY bin_ns, process_id, verb
        UNION ALL
        SELECT 'file', file_id, bin_ns, verb, sum(bytes), sum(ns) FROM part GROUP BY bin_ns, file_id, verb
        UNION ALL
        SELECT 'template', template_id, bin_ns, verb, sum(bytes), sum(ns) FROM part GROUP BY bin_ns, template_id, verb
    ),
    total AS (
        SELECT
            m.by, m.id,
            sum(m.bytes) AS bytes,
            sum(m.bytes) FILTER (WHERE m.verb = 'read') AS read_bytes,
            sum(m.bytes) FILTER (WHERE m.verb = 'write') AS write_bytes,
            max(1e9 * m.bytes / max(w.ns, coalesce(m.ns, 0))) FILTER (WHERE m.verb = 'read') AS read_peak,
            max(1e9 * m.bytes / max(w.ns, coalesce(m.ns, 0))) FILTER (WHERE m.verb = 'write') AS write_peak,
            coalesce(sum(m.ns) FILTER (WHERE m.bytes IS NOT NULL), 0) AS ns,
            count(DISTINCT m.bin_ns) AS bins,
            min(m.bin_ns) AS first_bin_ns,
            max(m.bin_ns) + w.ns - min(m.bin_ns) AS wall_ns
        FROM moved AS m
        CROSS JOIN width AS w
        GROUP BY m.by, m.id
        HAVING sum(m.bytes) > 0
    )
SELECT
    by,                                                             -- what a row is of: 'process', 'file' or 'template'
    CASE by WHEN 'process' THEN id END AS process_id,               -- process; NULL: it is not known
    CASE by WHEN 'file' THEN id END AS file_id,                     -- file; NULL: it is not known
    CASE by WHEN 'template' THEN id END AS template_id,             -- file.template_id; NULL: the file is not known
    read_bytes,                                                     -- bytes read
    write_bytes,                                                    -- bytes written
    read_peak AS read_max_bytes_per_s,                              -- bytes read per second of the best bin; where the time in the calls of a bin is longer than the bin, of that time
    write_peak AS write_max_bytes_per_s,                            -- the same of bytes written
    ns AS transfer_ns,                                              -- time in the calls, of bins in which bytes are known
    bins,                                                           -- bins with such calls
    first_bin_ns,                                                   -- begin of the first one
    wall_ns,                                                        -- from there to the end of the last one
    max(1e9 * bytes / wall_ns) OVER (PARTITION BY by) AS most_bytes_per_s, -- bytes per second from begin to end, of the row that has most of them
    NULL AS since_ns,                                               -- only calls that start then or later
    NULL AS until_ns,                                               -- only calls that start before then
    NULL AS in_phase,                                               -- only calls that start in this phase
    NULL AS of_pid,                                                 -- only processes with this id
    NULL AS of_process,                                             -- only processes with this name or role
    9223372036854775807 AS of_top                                   -- asked for with '>=': only so many of the rows: those with most bytes, and what ties with the last of them
FROM total;

-- Statistics of requests of disks, of the whole run, as far as the file holds them.
CREATE VIEW block_stat_held AS
SELECT
    by,                     -- as in block_stat, like all columns
    device_id,              -- disk
    direction,              -- direction
    process_id,             -- process
    NULL AS role,           -- role
    NULL AS phase,          -- phase
    NULL AS bin_ns,         -- time bin
    NULL AS low_ns,         -- bucket of service times
    NULL AS low_bytes,      -- bucket of sizes
    seek_bytes,             -- bucket of distances
    requests,               -- how many
    timed,                  -- those with a service time
    bytes,                  -- their size
    total_ns,               -- sum of service times
    min_ns,                 -- shortest
    max_ns,                 -- longest
    p50_ns,                 -- median
    p95_ns,                 -- 95th percentile
    p99_ns,                 -- 99th percentile
    queued,                 -- those with a time in the queue
    queue_ns,               -- sum of these
    sequential,             -- those that began where the one before ended
    forward,                -- further on
    backward,               -- further back
    first_ns,               -- issue of the first
    last_ns,                -- issue of the last
    NULL AS during_requests, -- those that lie in intervals
    NULL AS during_ns,      -- their time that does
    NULL AS since_ns,       -- time asked for
    NULL AS until_ns,       -- its end
    NULL AS in_phase,       -- phase asked for
    NULL AS of_pid,         -- process asked for
    NULL AS of_process,     -- its name or role
    NULL AS bin_width_ns,   -- width of bins asked for
    NULL AS during          -- intervals asked for
FROM block_request_stat;

-- Statistics of requests of disks, of the whole run, in these groupings; what is not held is found by looking at all requests. In tracedb, and with the extension
-- tracedb.so, the table of this name answers any, also of a time, phase and process, as call_stat does.
CREATE VIEW block_stat AS
WITH
    request AS (
        SELECT start_ns, dur_ns, queue_ns, device_id, op, bytes, process_id,
            CASE WHEN sector >= 0 AND bytes > 0 THEN sector - lag(sector + bytes / 512) OVER (PARTITION BY device_id, sector >= 0 AND bytes > 0 ORDER BY id) END AS step
        FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM block_request_stat)) CROSS JOIN block_request
    )
-- share: that of its group's timed requests that took as long at most. Of the nearest rank it is the first to be so large.
SELECT
    'device,direction' AS by,    -- by what requests are grouped: as in call_stat; here also 'device', 'device,direction,process', 'device,direction,seek'
    device_id,              -- by 'device': disk
    CASE op WHEN 0 THEN 'read' WHEN 1 THEN 'write' WHEN 2 THEN 'other' END AS direction, -- by 'direction': 'read', 'write', 'other'
    NULL AS process_id,             -- by 'process': process that was running when it was queued
    NULL AS role,           -- by 'role': process.role
    NULL AS phase,          -- by 'phase': phase_interval.label; a request is in each phase that is on when it is issued
    NULL AS bin_ns,         -- by 'bin': begin of the time bin
    NULL AS low_ns,         -- by 'latency': lower bound of the bucket of service times, eight for each power of two
    NULL AS low_bytes,      -- by 'size': lower bound of the bucket of sizes, a power of two or 0
    NULL AS seek_bytes,             -- by 'seek': lower bound of the bucket of distances to where the disk's request before ended, a power of two or 0; NULL: of its first one, and without sector or size
    count(*) AS requests,   -- number of requests
    count(dur_ns) AS timed, -- of these: with a known service time
    sum(bytes) AS bytes,    -- their size
    sum(dur_ns) AS total_ns, -- sum of service times
    min(dur_ns) AS min_ns,  -- shortest
    max(dur_ns) AS max_ns,  -- longest
    (min(dur_ns) FILTER (WHERE share >= 0.5) + min(dur_ns) FILTER (WHERE share > 0.5)) / 2.0 AS p50_ns, -- median; mean of the middle two of an even number
    min(dur_ns) FILTER (WHERE share >= 0.95) AS p95_ns, -- 95th percentile, nearest rank
    min(dur_ns) FILTER (WHERE share >= 0.99) AS p99_ns, -- 99th percentile, nearest rank
    count(queue_ns) AS queued, -- of requests: with a known time in the queue
    sum(queue_ns) AS queue_ns, -- sum of the times in the queue
    sum(step = 0) AS sequential, -- requests that began where the one before of the disk ended; NULL if of none it is known
    sum(step > 0) AS forward, -- further on
    sum(step < 0) AS backward, -- further back
    min(start_ns) AS first_ns, -- issue of the first
    max(start_ns) AS last_ns, -- issue of the last
    NULL AS during_requests, -- of requests: some of whose time lies in the intervals of during
    NULL AS during_ns,      -- of total_ns: what lies in them
    NULL AS since_ns,       -- only requests issued then or later
    NULL AS until_ns,       -- only requests issued before then
    NULL AS in_phase,       -- only requests issued in this phase
    NULL AS of_pid,         -- only processes with this id
    NULL AS of_process,     -- only processes with this name or role
    NULL AS bin_width_ns,   -- width of the time bins; NULL: run.bin_ns
    NULL AS during          -- intervals: as in call_stat
FROM (SELECT *, CASE WHEN dur_ns IS NOT NULL THEN cume_dist() OVER (PARTITION BY device_id, op, dur_ns IS NULL ORDER BY dur_ns) END AS share FROM request)
GROUP BY device_id, op
UNION ALL
SELECT
    'device', device_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    count(*), count(dur_ns), sum(bytes), sum(dur_ns), min(dur_ns), max(dur_ns),
    (min(dur_ns) FILTER (WHERE share >= 0.5) + min(dur_ns) FILTER (WHERE share > 0.5)) / 2.0, min(dur_ns) FILTER (WHERE share >= 0.95), min(dur_ns) FILTER (WHERE share >= 0.99),
    count(queue_ns), sum(queue_ns), sum(step = 0), sum(step > 0), sum(step < 0), min(start_ns), max(start_ns), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT *, CASE WHEN dur_ns IS NOT NULL THEN cume_dist() OVER (PARTITION BY device_id, dur_ns IS NULL ORDER BY dur_ns) END AS share FROM request)
GROUP BY device_id
UNION ALL
SELECT
    'device,direction,process', device_id, CASE op WHEN 0 THEN 'read' WHEN 1 THEN 'write' WHEN 2 THEN 'other' END, process_id, NULL, NULL, NULL, NULL, NULL, NULL,
    count(*), count(dur_ns), sum(bytes), sum(dur_ns), min(dur_ns), max(dur_ns),
    (min(dur_ns) FILTER (WHERE share >= 0.5) + min(dur_ns) FILTER (WHERE share > 0.5)) / 2.0, min(dur_ns) FILTER (WHERE share >= 0.95), min(dur_ns) FILTER (WHERE share >= 0.99),
    count(queue_ns), sum(queue_ns), sum(step = 0), sum(step > 0), sum(step < 0), min(start_ns), max(start_ns), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT *, CASE WHEN dur_ns IS NOT NULL THEN cume_dist() OVER (PARTITION BY device_id, op, process_id, dur_ns IS NULL ORDER BY dur_ns) END AS share FROM request)
GROUP BY device_id, op, process_id
UNION ALL
SELECT
    'device,direction,seek', device_id, CASE op WHEN 0 THEN 'read' WHEN 1 THEN 'write' WHEN 2 THEN 'other' END, NULL, NULL, NULL, NULL, NULL, NULL,
    -- the power of two at or below the distance, by its first hexadecimal digit and how many there are
    CASE WHEN step = 0 THEN 0 WHEN step IS NOT NULL THEN 512 * ((CASE WHEN hex >= '8' THEN 8 WHEN hex >= '4' THEN 4 WHEN hex >= '2' THEN 2 ELSE 1 END) << (4 * (length(hex) - 1))) END,
    count(*), count(dur_ns), sum(bytes), sum(dur_ns), min(dur_ns), max(dur_ns),
    NULL, NULL, NULL,
    count(queue_ns), sum(queue_ns), sum(step = 0), sum(step > 0), sum(step < 0), min(start_ns), max(start_ns), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT *, printf('%x', abs(step)) AS hex FROM request)
GROUP BY device_id, op, 10
UNION ALL
SELECT * FROM block_stat_held;

-- For how long disks had requests in progress, of the whole run; a request that ends when another one begins is not in progress with it. In tracedb
-- and with the extension also of a time and phase: a request that began before counts from there on.
CREATE VIEW block_busy AS
WITH
    depth AS (
        SELECT
            device_id, ts_ns,
            sum(step) OVER (w ROWS UNBOUNDED PRECEDING) AS n,
            lead(ts_ns, 1, ts_ns) OVER w AS until_ns
        FROM (
            SELECT device_id, start_ns AS ts_ns, 1 AS step FROM block_request WHERE dur_ns > 0
            UNION ALL
            SELECT device_id, start_ns + dur_ns, -1 FROM block_request WHERE dur_ns > 0
        )
        WINDOW w AS (PARTITION BY device_id ORDER BY ts_ns, step)
    ),
    busy AS (
        SELECT device_id, sum(until_ns - ts_ns) FILTER (WHERE n > 0) AS ns, sum(n * (until_ns - ts_ns)) AS in_progress_ns, max(n) AS most
        FROM depth
        GROUP BY device_id
    )
SELECT
    d.device_id,            -- disk
    (SELECT max(start_ns + coalesce(dur_ns, 0)) - min(start_ns) FROM block_request) AS wall_ns, -- time looked at: from the first request of any disk to the end of the last one
    b.ns AS busy_ns,        -- of that: with at least one request in progress; NULL: of none it is known how long it took
    b.in_progress_ns,       -- sum of the requests' times that lie in it
    b.most AS queue_max,    -- most requests in progress at a time
    NULL AS since_ns,       -- only from this time on
    NULL AS until_ns,       -- only until this time
    NULL AS in_phase        -- only in this phase: 'epoch' (every one) or 'epoch 3'
FROM (SELECT DISTINCT device_id FROM block_request) AS d
LEFT JOIN busy AS b ON b.device_id IS d.device_id;

-- Statistics of slices of threads, of the whole run, as far as the file holds them.
CREATE VIEW sched_stat_held AS
SELECT
    by,                     -- as in sched_stat, like all columns
    NULL AS process_id,     -- process
    NULL AS role,           -- role
    thread_id,              -- thread
    state_id,               -- string
    reason_id,              -- string
    NULL AS phase,          -- phase
    NULL AS bin_ns,         -- time bin
    NULL AS low_ns,         -- bucket of lengths
    octave_ns,              -- wider bucket of lengths
    slices,                 -- how many
    timed,                  -- those with a length
    total_ns,               -- sum of lengths
    min_ns,                 -- shortest
    max_ns,                 -- longest
    NULL AS p50_ns,         -- median
    NULL AS p95_ns,         -- 95th percentile
    NULL AS p99_ns,         -- 99th percentile
    first_ns,               -- begin of the first
    last_ns,                -- begin of the last
    NULL AS during_slices,  -- those that lie in intervals
    NULL AS during_ns,      -- their time that does
    NULL AS since_ns,       -- time asked for
    NULL AS until_ns,       -- its end
    NULL AS in_phase,       -- phase asked for
    NULL AS of_pid,         -- process asked for
    NULL AS of_process,     -- its name or role
    NULL AS bin_width_ns,   -- width of bins asked for
    NULL AS during          -- intervals asked for
FROM sched_slice_stat;

-- Statistics of slices of threads, of the whole run, in these groupings; otherwise as block_stat.
CREATE VIEW sched_stat AS
WITH
    grouping (by, reasons, octaves) AS (VALUES ('thread,state', 0, 0), ('thread,state,reason', 1, 0), ('thread,state,octave', 0, 1)),
    part AS (
        SELECT
            g.by, s.thread_id, s.state_id, s.dur_ns, s.start_ns,
            CASE WHEN g.reasons THEN s.reason_id END AS reason_id,
            CASE WHEN g.octaves AND s.dur_ns IS NOT NULL THEN printf('%x', s.dur_ns) END AS hex
        FROM (SELECT * FROM grouping WHERE by NOT IN (SELECT by FROM sched_slice_stat)) AS g
        CROSS JOIN sched_slice AS s
    ),
-- octave_ns: the power of two at or below it, by its first hexadecimal digit and how many there are
    sized AS (
        SELECT
            *,
            CASE hex WHEN '0' THEN 0 ELSE (CASE WHEN hex >= '8' THEN 8 WHEN hex >= '4' THEN 4 WHEN hex >= '2' THEN 2 ELSE 1 END) << (4 * (length(hex) - 1)) END AS octave_ns
        FROM part
    )
SELECT
    by,                     -- by what slices are grouped: as in call_stat; here 'thread,state', 'thread,state,reason', 'thread,state,octave' and 'thread,state,latency'
    NULL AS process_id,     -- by 'process': process of the thread
    NULL AS role,           -- by 'role': its role
    thread_id,              -- by 'thread': thread
    state_id,               -- by 'state': string
    reason_id,              -- by 'reason': string
    NULL AS phase,          -- by 'phase': phase_interval.label
    NULL AS bin_ns,         -- by 'bin': begin of the time bin
    NULL AS low_ns,         -- by 'latency': lower bound of the bucket of lengths, eight for each power of two
    octave_ns,              -- by 'octave': lower bound of the bucket of lengths, a power of two or 0
    count(*) AS slices,     -- number of slices
    count(dur_ns) AS timed, -- of these: with a known length
    sum(dur_ns) AS total_ns, -- sum of lengths
    min(dur_ns) AS min_ns,  -- shortest; by 'octave' in tracedb and with the extension only, as all but the sums
    max(dur_ns) AS max_ns,  -- longest
    NULL AS p50_ns,         -- median; in tracedb and with the extension only, as the percentiles
    NULL AS p95_ns,         -- 95th percentile
    NULL AS p99_ns,         -- 99th percentile
    min(start_ns) AS first_ns, -- begin of the first
    max(start_ns) AS last_ns, -- begin of the last
    NULL AS during_slices,  -- those that lie in intervals
    NULL AS during_ns,      -- their time that does
    NULL AS since_ns,       -- time asked for
    NULL AS until_ns,       -- its end
    NULL AS in_phase,       -- phase asked for
    NULL AS of_pid,         -- process asked for
    NULL AS of_process,     -- its name or role
    NULL AS bin_width_ns,   -- width of bins asked for
    NULL AS during          -- intervals asked for
FROM sized
GROUP BY by, thread_id, state_id, reason_id, octave_ns
UNION ALL
SELECT * FROM sched_stat_held
UNION ALL
SELECT
    'thread,state,latency', NULL, NULL, thread_id, state_id, NULL, NULL, NULL, CASE WHEN dur_ns < 16 THEN dur_ns ELSE dur_ns >> step << step END, NULL,
    count(*), count(dur_ns), sum(dur_ns), min(dur_ns), max(dur_ns), NULL, NULL, NULL, min(start_ns), max(start_ns),
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (
    -- a bucket begins at the four highest bits; hexadecimal digits tell how many there are
    SELECT *, 4 * (length(hex) - 1) - CASE WHEN hex >= '8' THEN 0 WHEN hex >= '4' THEN 1 WHEN hex >= '2' THEN 2 ELSE 3 END AS step
    FROM (SELECT *, printf('%x', dur_ns) AS hex FROM sched_slice)
)
GROUP BY thread_id, state_id, 9;

-- Statistics of work on GPUs, of the whole run, as far as the file holds them.
CREATE VIEW gpu_stat_held AS
SELECT
    by,                     -- as in gpu_stat, like all columns
    device_id,              -- GPU
    process_id,             -- process
    NULL AS role,           -- role
    kind_id,                -- string
    name_id,                -- string
    NULL AS phase,          -- phase
    NULL AS bin_ns,         -- time bin
    low_ns,                 -- bucket of durations
    NULL AS low_bytes,      -- bucket of sizes
    each_bytes,             -- size of each
    ops,                    -- how many
    timed,                  -- those with a duration
    bytes,                  -- bytes copied or set
    total_ns,               -- sum of durations
    min_ns,                 -- shortest
    max_ns,                 -- longest
    p50_ns,                 -- median
    p95_ns,                 -- 95th percentile
    p99_ns,                 -- 99th percentile
    stddev_ns,              -- standard deviation
    first_ns,               -- begin of the first
    last_ns,                -- begin of the last
    NULL AS during_ops,     -- those that lie in intervals
    NULL AS during_ns,      -- their time that does
    NULL AS since_ns,       -- time asked for
    NULL AS until_ns,       -- its end
    NULL AS in_phase,       -- phase asked for
    NULL AS of_pid,         -- process asked for
    NULL AS of_process,     -- its name or role
    NULL AS bin_width_ns,   -- width of bins asked for
    NULL AS during          -- intervals asked for
FROM gpu_op_stat;

-- All of it, of the whole run, in the groupings that are below; what is not held is found by looking at all work. Otherwise as block_stat.
CREATE VIEW gpu_stat AS
WITH
    grouping (by, devices, processes, names, sizes) AS (
        VALUES ('kind', 0, 0, 0, 0), ('kind,name', 0, 0, 1, 0), ('process,kind,name', 0, 1, 1, 0), ('device,process,kind,name', 1, 1, 1, 0),
            ('device,kind,name,bytes', 1, 0, 1, 1)
    ),
    part AS (
        SELECT
            g.by, o.kind_id, o.dur_ns, o.bytes, o.start_ns,
            CASE WHEN g.devices THEN o.device_id END AS device_id,
            CASE WHEN g.processes THEN o.process_id END AS process_id,
            CASE WHEN g.names THEN o.name_id END AS name_id,
            CASE WHEN g.sizes THEN o.bytes END AS each_bytes
        FROM (SELECT * FROM grouping WHERE by NOT IN (SELECT by FROM gpu_op_stat)) AS g
        CROSS JOIN gpu_op AS o
    ),
    ranked AS (
        SELECT
            *,
            avg(dur_ns) OVER (PARTITION BY by, device_id, process_id, kind_id, name_id, each_bytes) AS mean,
            CASE WHEN dur_ns IS NOT NULL AND by <> 'device,kind,name,bytes' THEN
                cume_dist() OVER (PARTITION BY by, device_id, process_id, kind_id, name_id, each_bytes, dur_ns IS NULL ORDER BY dur_ns)
            END AS share
        FROM part
    )
SELECT
    by,                     -- by what it is grouped: as in call_stat; here 'kind', 'kind,name', 'process,kind,name', 'device,process,kind,name', 'device,kind,name,bytes' and, held, 'kind,latency'
    device_id,              -- by 'device': GPU
    process_id,             -- by 'process': process that launched it
    NULL AS role,           -- by 'role': process.role
    kind_id,                -- by 'kind': string
    name_id,                -- by 'name': string
    NULL AS phase,          -- by 'phase': phase_interval.label
    NULL AS bin_ns,         -- by 'bin': begin of the time bin
    NULL AS low_ns,         -- by 'latency': bucket of durations
    NULL AS low_bytes,      -- by 'size': bucket of sizes
    each_bytes,             -- by 'bytes': size of each
    count(*) AS ops,        -- how many
    count(dur_ns) AS timed, -- of these: with a known duration
    sum(bytes) AS bytes,    -- bytes copied or set
    sum(dur_ns) AS total_ns, -- sum of durations
    min(dur_ns) AS min_ns,  -- shortest
    max(dur_ns) AS max_ns,  -- longest
    (min(dur_ns) FILTER (WHERE share >= 0.5) + min(dur_ns) FILTER (WHERE share > 0.5)) / 2.0 AS p50_ns, -- median; mean of the middle two of an even number
    min(dur_ns) FILTER (WHERE share >= 0.95) AS p95_ns, -- 95th percentile, nearest rank
    min(dur_ns) FILTER (WHERE share >= 0.99) AS p99_ns, -- 99th percentile, nearest rank
    CASE WHEN count(dur_ns) > 1 THEN sqrt(sum((dur_ns - mean) * (dur_ns - mean)) / (count(dur_ns) - 1)) WHEN count(dur_ns) = 1 THEN 0.0 END AS stddev_ns, -- sample standard deviation; 0 of a single one
    min(start_ns) AS first_ns, -- begin of the first
    max(start_ns) AS last_ns, -- begin of the last
    NULL AS during_ops,     -- those that lie in intervals
    NULL AS during_ns,      -- their time that does
    NULL AS since_ns,       -- time asked for
    NULL AS until_ns,       -- its end
    NULL AS in_phase,       -- phase asked for
    NULL AS of_pid,         -- process asked for
    NULL AS of_process,     -- its name or role
    NULL AS bin_width_ns,   -- width of bins asked for
    NULL AS during          -- intervals asked for
FROM ranked
GROUP BY by, device_id, process_id, kind_id, name_id, each_bytes
UNION ALL
SELECT * FROM gpu_stat_held;

-- Idle time of GPUs between two pieces of their work, of those whose work was traced. In tracedb and with the extension the gaps from a length on
-- (dur_ns >= ...) are found in one look at the work.
CREATE VIEW gpu_gap AS
WITH
    work AS (
        SELECT
            id, device_id, start_ns,
            max(start_ns + dur_ns) OVER (PARTITION BY device_id ORDER BY start_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS idle_from_ns
        FROM gpu_op
        WHERE dur_ns IS NOT NULL AND kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
    )
SELECT
    id,                     -- gpu_op.id of the work that ended it
    device_id,              -- GPU
    idle_from_ns AS start_ns, -- begin: all work from before had ended
    start_ns - idle_from_ns AS dur_ns -- how long the GPU had nothing to do
FROM work
WHERE start_ns > idle_from_ns;

-- How busy GPUs were by their samples, of the whole run. Of several tools that sampled a GPU the one that can know most is used (gpu_sampler); a GPU
-- with two processes is busy for as long as the busier one or for longer, at most for as long as both; where a tool printed '-' and no process, there was none. Means
-- are weighted by the samples' lengths. In tracedb and with the extension also of a time, phase and process.
CREATE VIEW gpu_sample_stat AS
WITH
    grouping (by) AS (VALUES ('gpu'), ('process'), ('time')),
    best AS MATERIALIZED (
        SELECT device_id, source_id, basis, below_pct, above_pct, row_number() OVER (PARTITION BY device_id ORDER BY precedence, source_id) AS place
        FROM gpu_sampler
    ),
    printed AS (
        SELECT
            g.by,
            t.device_id,
            CASE WHEN g.by = 'process' THEN t.process_id END AS process_id,
            s.ts_ns,
            max(s.dur_ns) AS dur_ns,
            max(s.value) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NULL AND b.device_id IS NOT NULL) AS whole,
            max(s.value) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NOT NULL AND b.device_id IS NOT NULL) AS largest,
            sum(s.value) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NOT NULL AND b.device_id IS NOT NULL) AS total,
            count(s.value) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NOT NULL AND b.device_id IS NOT NULL) AS processes,
            count(*) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NOT NULL AND s.value IS NULL AND b.device_id IS NOT NULL) AS missing,
            count(*) FILTER (WHERE t.name = 'gpu.sm' AND b.device_id IS NOT NULL) AS sm_rows,
            coalesce(
                max(s.value) FILTER (WHERE t.name = 'gpu.mem' AND t.process_id IS NULL AND b.device_id IS NOT NULL),
                sum(s.value) FILTER (WHERE t.name = 'gpu.mem' AND b.device_id IS NOT NULL)
            ) AS mem,
            coalesce(
                max(s.value) FILTER (WHERE t.name = 'gpu.fb' AND t.process_id IS NULL),
                sum(s.value) FILTER (WHERE t.name = 'gpu.fb')
            ) AS fb
        FROM grouping AS g
        CROSS JOIN sample AS s
        JOIN track AS t ON t.id = s.track_id
        JOIN device AS d ON d.id = t.device_id
        LEFT JOIN best AS b ON b.device_id = t.device_id AND b.source_id = t.source_id AND b.place = 1
        WHERE d.kind = 'gpu' AND t.name IN ('gpu.sm', 'gpu.mem', 'gpu.fb')
        GROUP BY 1, 2, 3, 4, t.source_id
        HAVING sm_rows > 0 OR mem IS NOT NULL OR fb IS NOT NULL
    ),
    value AS (
        SELECT
            p.by, p.device_id, p.process_id, CASE WHEN p.by = 'time' THEN p.ts_ns END AS ts_ns, p.dur_ns, p.sm_rows, p.mem, p.fb, b.basis,
            p.sm_rows > 0 AND p.whole IS NULL AND p.missing > 0 AS is_unsampled,
            CASE WHEN p.sm_rows > 0 THEN coalesce(p.whole, p.largest, 0.0) END AS low,
            CASE WHEN p.sm_rows > 0 THEN min(100.0, coalesce(p.whole, CASE WHEN p.missing > 0 THEN 100.0 END, p.total, 0.0)) END AS high,
            CASE WHEN p.whole IS NULL AND p.processes = 0 THEN 0 ELSE b.below_pct END AS below,
            CASE WHEN p.whole IS NULL THEN b.above_pct * p.processes ELSE b.above_pct END AS above
        FROM printed AS p
        LEFT JOIN best AS b ON b.device_id = p.device_id AND b.place = 1
    ),
    ranked AS (
        SELECT
            by, device_id, process_id, ts_ns, sm_rows, is_unsampled, low, high, basis,
            max(0.0, low - below) AS least,
            min(100.0, high + above) AS most,
            CASE WHEN sm_rows > 0 THEN coalesce(dur_ns, avg(dur_ns) OVER g, 1.0) END AS weight,
            min(mem, 100.0) AS mem, fb,
            row_number() OVER (g ORDER BY low) AS rank,
            count(low) OVER g AS known,
            count(*) OVER g - count(low) OVER g AS others
        FROM value
        WINDOW g AS (PARTITION BY by, device_id, process_id, ts_ns)
    )
SELECT
    by,                     -- what a row is of: 'gpu', 'process' (a GPU and a process) or 'time' (a GPU and a sample)
    device_id,              -- GPU
    process_id,             -- by 'process': process; NULL: samples that are of none
    ts_ns,                  -- by 'time': time of the sample
    count(*) FILTER (WHERE sm_rows > 0 AND NOT is_unsampled) AS samples, -- samples that tell how busy it was
    count(*) FILTER (WHERE is_unsampled) AS unsampled, -- samples in which '-' was printed for a process: unknown, not 0
    CASE WHEN count(low) > 0 THEN max(basis) END AS basis, -- what ranges that rest on them are: 'bounds' or 'estimate'
    CASE WHEN total(low <> high) = 0 THEN sum(weight * low) / sum(weight) END AS sm_mean_pct, -- mean share of the sampling period in which a kernel ran, as printed; NULL if that is not known of all samples
    CASE WHEN count(low) > 0 AND max(basis) = 'bounds' THEN sum(weight * least) / sum(weight) END AS sm_mean_min_pct, -- of bounds: at least
    CASE WHEN count(low) > 0 AND max(basis) = 'bounds' THEN sum(weight * most) / sum(weight) END AS sm_mean_max_pct, -- and at most
    CASE WHEN total(low <> high) = 0 THEN avg(low) FILTER (WHERE rank - others IN ((known + 1) / 2, known / 2 + 1)) END AS sm_p50_pct, -- median of what was printed; NULL if it is not known of all samples
    max(low) AS sm_max_pct, -- largest of the same, at least
    avg(mem) AS mem_mean_pct, -- mean share of the sampling period in which device memory was accessed
    max(mem) AS mem_max_pct, -- largest of the same
    CAST(max(fb) AS INTEGER) AS fb_max_bytes, -- largest amount of device memory in use
    NULL AS since_ns,       -- only samples taken at this time or later
    NULL AS until_ns,       -- only samples taken before this time
    NULL AS in_phase,       -- only samples taken in this phase: 'epoch' (every one) or 'epoch 3'
    NULL AS of_pid,         -- only processes with this id
    NULL AS of_process      -- only processes with this name or role
FROM ranked
GROUP BY by, device_id, process_id, ts_ns;

-- How busy CPUs were by their samples, of the whole run, for each CPU of a machine and for all together. Of several tools that looked at a machine at a
-- time the one whose percents are finest is used (cpu_sampler). Means are weighted by the samples' lengths. In tracedb and with the extension also of a
-- time and phase.
CREATE VIEW cpu_sample_stat AS
WITH
    sampler AS MATERIALIZED (
        SELECT a.device_id, a.source_id, a.host, a.step_pct, b.start_ns, b.end_ns
        FROM cpu_sampler AS a
        LEFT JOIN cpu_sampler AS b ON b.device_id IS a.device_id AND b.host IS a.host AND b.precedence < a.precedence
    ),
    used AS MATERIALIZED (
        SELECT t.id AS track_id, t.name, t.device_id, t.source_id, p.host, p.step_pct
        FROM track AS t
        JOIN (SELECT DISTINCT device_id, source_id, host, step_pct FROM sampler) AS p ON p.source_id = t.source_id AND p.device_id IS t.device_id
        WHERE t.name IN ('cpu.usr', 'cpu.nice', 'cpu.sys', 'cpu.iowait', 'cpu.irq', 'cpu.soft', 'cpu.steal', 'cpu.idle')
    ),
    value AS (
        SELECT
            t.host,
            t.device_id,
            t.source_id,
            t.step_pct,
            max(s.dur_ns) AS dur_ns,
            max(s.value) FILTER (WHERE t.name = 'cpu.usr') AS usr,
            max(s.value) FILTER (WHERE t.name = 'cpu.nice') AS nice,
            max(s.value) FILTER (WHERE t.name = 'cpu.sys') AS sys,
            max(s.value) FILTER (WHERE t.name = 'cpu.iowait') AS iowait,
            sum(s.value) FILTER (WHERE t.name IN ('cpu.irq', 'cpu.soft')) AS irq,
            max(s.value) FILTER (WHERE t.name = 'cpu.steal') AS steal,
            max(s.value) FILTER (WHERE t.name = 'cpu.idle') AS idle
        FROM sample AS s
        JOIN used AS t ON t.track_id = s.track_id
        WHERE NOT EXISTS (
            SELECT 1 FROM sampler AS p
            WHERE p.source_id = t.source_id AND p.device_id IS t.device_id AND s.ts_ns - coalesce(s.dur_ns, 0) < p.end_ns AND s.ts_ns > p.start_ns
        )
        GROUP BY t.host, t.device_id, t.source_id, s.ts_ns
    ),
    share AS (
        SELECT
            *,
            coalesce(dur_ns, avg(dur_ns) OVER (PARTITION BY host, device_id), 1.0) AS weight,
            max(0.0, 100 - idle - coalesce(iowait, 0)) AS busy,
            max(0.0, 100 - idle - coalesce(iowait, 0) - step_pct * (0.5 + 0.5 * (iowait IS NOT NULL))) AS least,
            min(100.0, 100 - max(0.0, idle - step_pct / 2) - max(0.0, coalesce(iowait, 0) - step_pct / 2)) AS most
        FROM value
    )
SELECT
    v.host,                 -- machine; NULL if no source says
    v.device_id,            -- CPU; NULL: all together
    count(*) AS samples,    -- number of samples
    CASE WHEN count(v.busy) > 0 THEN CASE WHEN max(v.step_pct) > 0 THEN 'bounds' ELSE 'exact' END END AS basis, -- what busy_mean_min_pct and busy_mean_max_pct are: 'exact' as the kernel counts, or 'bounds'
    sum(v.weight * v.busy) / sum(v.weight) FILTER (WHERE v.busy IS NOT NULL) AS busy_mean_pct, -- mean share of the sampled time that was neither idle nor waiting for I/O, as printed
    sum(v.weight * v.least) / sum(v.weight) FILTER (WHERE v.busy IS NOT NULL) AS busy_mean_min_pct, -- at least, as percents are rounded
    sum(v.weight * v.most) / sum(v.weight) FILTER (WHERE v.busy IS NOT NULL) AS busy_mean_max_pct, -- and at most
    max(v.busy) AS busy_max_pct, -- largest of the same, as printed
    sum(v.weight * v.usr) / sum(v.weight) FILTER (WHERE v.usr IS NOT NULL) AS usr_pct, -- mean share in user mode
    sum(v.weight * v.nice) / sum(v.weight) FILTER (WHERE v.nice IS NOT NULL) AS nice_pct, -- mean share in user mode with a changed priority
    sum(v.weight * v.sys) / sum(v.weight) FILTER (WHERE v.sys IS NOT NULL) AS sys_pct, -- mean share in the kernel
    sum(v.weight * v.iowait) / sum(v.weight) FILTER (WHERE v.iowait IS NOT NULL) AS iowait_pct, -- mean share idle with disk I/O outstanding
    max(v.iowait) AS iowait_max_pct, -- largest of the same
    sum(v.weight * v.irq) / sum(v.weight) FILTER (WHERE v.irq IS NOT NULL) AS irq_pct, -- mean share in interrupts, hardware and software
    sum(v.weight * v.steal) / sum(v.weight) FILTER (WHERE v.steal IS NOT NULL) AS steal_pct, -- mean share taken by the hypervisor
    sum(v.weight * v.idle) / sum(v.weight) FILTER (WHERE v.idle IS NOT NULL) AS idle_pct, -- mean share idle without disk I/O outstanding
    group_concat(DISTINCT o.path) AS source, -- which sources say so
    NULL AS since_ns,       -- only samples taken at this time or later
    NULL AS until_ns,       -- only samples taken before this time
    NULL AS in_phase        -- only samples taken in this phase: 'epoch' (every one) or 'epoch 3'
FROM share AS v
JOIN (SELECT id, path FROM source) AS o ON o.id = v.source_id
GROUP BY v.host, v.device_id;

-- How often and how long NVTX ranges of a name, style and domain were on, of the whole run. A range whose end is not in the trace lasts to the last time of any. In tracedb and with
-- the extension also of a time, phase and process: ranges that start in it.
CREATE VIEW nvtx_stat AS
WITH
    nvtx AS MATERIALIZED (
        SELECT coalesce(s.args_id, 0) AS args_id, s.name_id, s.start_ns, s.dur_ns
        FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM range_stat))
        CROSS JOIN span AS s
        WHERE s.kind_id IN (SELECT id FROM string WHERE text = 'nvtx')
    ),
    last AS MATERIALIZED (SELECT max(start_ns + coalesce(dur_ns, 0)) AS ns FROM nvtx),
    label AS MATERIALIZED (
        SELECT
            a.id AS args_id,
            coalesce((SELECT value FROM json_each(t.text) WHERE key = 'style'), 'PushPop') AS style,
            coalesce((SELECT value FROM json_each(t.text) WHERE key = 'domain' AND type = 'text'), '') AS domain
        FROM (SELECT args_id AS id FROM nvtx UNION SELECT coalesce(args_id, 0) FROM range_stat) AS a
        LEFT JOIN string AS t ON t.id = a.id
    ),
-- Of a file that is not trusted a view may use json_each(), but not json_extract(). pair: equal durations counted together, so that what follows has less to sort.
    pair AS MATERIALIZED (
        SELECT l.style, l.domain, r.name_id, coalesce(r.dur_ns, (SELECT ns FROM last) - r.start_ns) AS v, count(*) AS c, sum(r.dur_ns IS NULL) AS open
        FROM nvtx AS r
        JOIN label AS l ON l.args_id = r.args_id
        GROUP BY 1, 2, 3, 4
    ),
    total AS MATERIALIZED (
        SELECT style, domain, name_id, sum(c) AS n, sum(open) AS unfinished, sum(c * v) AS total, 1.0 * sum(c * v) / sum(c) AS mean, min(v) AS least, max(v) AS most
        FROM pair
        GROUP BY style, domain, name_id
    ),
    ranked AS (
        SELECT *, sum(c) OVER (PARTITION BY style, domain, name_id ORDER BY v) AS upto FROM pair
    ),
    spread AS (
        SELECT
            t.*,
            (min(r.v) FILTER (WHERE r.upto >= (t.n + 1) / 2) + min(r.v) FILTER (WHERE r.upto >= t.n / 2 + 1)) / 2.0 AS median,
            CASE WHEN t.n > 1 THEN sqrt(sum(r.c * (r.v - t.mean) * (r.v - t.mean)) / (t.n - 1)) ELSE 0.0 END AS deviation
        FROM total AS t
        JOIN ranked AS r ON r.style = t.style AND r.domain = t.domain AND r.name_id = t.name_id
        GROUP BY t.style, t.domain, t.name_id
    )
SELECT
    name_id,                    -- string: text of the range
    style,                      -- 'PushPop' or 'StartEnd'
    domain,                     -- name of its domain; '': the default one, or it has no name
    n AS ranges,                -- how many
    unfinished,                 -- of these: those whose end is not in the trace
    total AS total_ns,          -- sum of durations
    least AS min_ns,            -- shortest
    most AS max_ns,             -- longest
    median AS p50_ns,           -- median; mean of the middle two of an even number
    deviation AS stddev_ns,     -- sample standard deviation; 0 of a single one
    NULL AS since_ns,           -- time asked for
    NULL AS until_ns,           -- its end
    NULL AS in_phase,           -- phase asked for
    NULL AS of_pid,             -- process asked for
    NULL AS of_process          -- its name or role
FROM spread
UNION ALL
SELECT r.name_id, l.style, l.domain, r.ranges, r.unfinished, r.total_ns, r.min_ns, r.max_ns, r.p50_ns, r.stddev_ns, NULL, NULL, NULL, NULL, NULL
FROM range_stat AS r
JOIN label AS l ON l.args_id = coalesce(r.args_id, 0);

-- Operators and annotations of profiles: what they took, by themselves and with what is within them, and the work of GPUs whose calls were made in them.
-- An NVTX range is an operator if it has PyTorch's words behind the name: 'aten::add, seq = 12, op_id = 34'. In tracedb and with the extension
-- of those that begin in a time or phase, and of a process, too (since_ns IS ... and the like).
CREATE VIEW operator_stat AS
WITH
    looked_for AS (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM operator_sum)),
    call_of AS MATERIALIZED (
        SELECT
            s.start_ns, s.start_ns + s.dur_ns AS end_ns, s.dur_ns, s.kind_id, s.name_id,
            coalesce(s.thread_id, -s.process_id) AS lane,
            row_number() OVER (PARTITION BY coalesce(s.thread_id, -s.process_id) ORDER BY s.start_ns, s.dur_ns DESC, s.id) AS pos
        FROM looked_for
        CROSS JOIN span AS s
        CROSS JOIN string AS k ON k.id = s.kind_id
        CROSS JOIN string AS n ON n.id = s.name_id
        WHERE s.dur_ns IS NOT NULL
            AND (k.text IN ('cpu-op', 'annotation') OR (k.text = 'nvtx' AND (n.text GLOB '*, op_id = *' OR n.text GLOB '*, seq = *')))
    ),
    asked AS MATERIALIZED (
        SELECT process_id, correlation, thread_id AS lane, start_ns, min(id) AS id
        FROM looked_for
        CROSS JOIN call
        WHERE correlation IS NOT NULL AND op_id IN (SELECT id FROM op WHERE layer = 'cuda')
        GROUP BY process_id, correlation
    ),
    launch AS MATERIALIZED (
        SELECT c.lane, c.start_ns, g.dur_ns
        FROM looked_for
        CROSS JOIN gpu_op AS g
        CROSS JOIN asked AS c ON c.correlation = g.correlation AND c.process_id = g.process_id
        WHERE g.kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
    ),
    event AS MATERIALIZED (
        SELECT lane, pos, launch_ns, step, sum(step) OVER (PARTITION BY lane ORDER BY ts_ns, place, pos ROWS UNBOUNDED PRECEDING) AS depth,
            row_number() OVER (PARTITION BY lane ORDER BY ts_ns, place, pos) AS turn
        FROM (
            SELECT lane, start_ns AS ts_ns, 1 AS place, pos, 1 AS step, NULL AS launch_ns FROM call_of WHERE dur_ns > 0
            UNION ALL
            SELECT lane, end_ns, 0, pos, -1, NULL FROM call_of WHERE dur_ns > 0
            UNION ALL
            SELECT lane, start_ns, 2, NULL, 0, coalesce(dur_ns, 0) FROM launch
        )
    ),
    inside AS MATERIALIZED (
        SELECT lane, outer_pos, pos, launch_ns
        FROM (
            SELECT lane, pos, launch_ns, is_outer, max(CASE WHEN is_outer THEN pos END) OVER (PARTITION BY lane, level ORDER BY turn, is_outer DESC ROWS UNBOUNDED PRECEDING) AS outer_pos
            FROM (
                SELECT lane, pos, NULL AS launch_ns, turn, depth AS level, 1 AS is_outer FROM event WHERE step = 1
                UNION ALL
                SELECT lane, pos, launch_ns, turn, depth - step, 0 FROM event WHERE step >= 0 AND depth > step
            )
        )
        WHERE NOT is_outer
    ),
    inner_sum AS MATERIALIZED (
        SELECT
            i.lane, i.outer_pos AS pos,
            sum(min(c.end_ns, o.end_ns) - c.start_ns) AS ns,
            count(i.launch_ns) AS ops,
            sum(i.launch_ns) AS launch_ns
        FROM inside AS i
        JOIN call_of AS o ON o.lane = i.lane AND o.pos = i.outer_pos
        LEFT JOIN call_of AS c ON c.lane = i.lane AND c.pos = i.pos
        GROUP BY i.lane, i.outer_pos
    )
SELECT
    c.kind_id,                  -- 'cpu-op', 'annotation' or 'nvtx'
    c.name_id,                  -- its name; from operator_sum, as of the whole run, NVTX ranges that differ in what PyTorch adds behind the operator are one row
    count(*) AS calls,          -- how often
    sum(c.dur_ns) AS total_ns,  -- sum of the durations, with what is within
    sum(c.dur_ns - coalesce(i.ns, 0)) AS self_ns, -- of that, what is in no operator within
    min(c.dur_ns) AS min_ns,    -- shortest
    max(c.dur_ns) AS max_ns,    -- longest
    CASE WHEN EXISTS (SELECT 1 FROM launch) THEN coalesce(sum(i.ops), 0) END AS gpu_ops, -- kernels, copies and sets that it launched itself; NULL: of no work the call is known
    CASE WHEN EXISTS (SELECT 1 FROM launch) THEN coalesce(sum(i.launch_ns), 0) END AS gpu_ns, -- their time on the GPU
    NULL AS since_ns,           -- time asked for
    NULL AS until_ns,           -- its end
    NULL AS in_phase,           -- phase asked for
    NULL AS of_pid,             -- process asked for
    NULL AS of_process          -- its name or role
FROM call_of AS c
LEFT JOIN inner_sum AS i ON i.lane = c.lane AND i.pos = c.pos
GROUP BY c.kind_id, c.name_id
UNION ALL
SELECT kind_id, name_id, calls, total_ns, self_ns, min_ns, max_ns, gpu_ops, gpu_ns, NULL, NULL, NULL, NULL, NULL
FROM operator_sum;

-- Kernels and the calls that launched them, by GPU, of the whole run and of each phase. In tracedb and with the extension of any phase
-- (in_phase IS ...) and any longest gap (max_gap_ns IS ...). Where launch_sum has rows these are the answer, else looked_for has one. Of the kernels of a graph the first one has the call; of two calls of one number in a
-- process, which is damage, the first one counts.
CREATE VIEW launch_stat AS
WITH
    looked_for AS (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM launch_sum)),
    interval AS MATERIALIZED (SELECT label, start_ns, end_ns FROM phase_interval WHERE label IN (SELECT name FROM phases) AND label <> '(run)'),
    work AS MATERIALIZED (
        SELECT
            device_id, start_ns, dur_ns, process_id, correlation, kind_id IN (SELECT id FROM string WHERE text = 'kernel') AS is_kernel,
            max(start_ns + dur_ns) OVER (PARTITION BY device_id ORDER BY start_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS idle_from_ns
        FROM looked_for
        CROSS JOIN gpu_op
        WHERE dur_ns IS NOT NULL AND kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
    ),
    launch AS MATERIALIZED (
        SELECT process_id, correlation, start_ns, dur_ns, min(id) AS id
        FROM looked_for
        CROSS JOIN call
        WHERE correlation IS NOT NULL AND process_id IS NOT NULL AND op_id IN (SELECT id FROM op WHERE layer = 'cuda' AND verb = 'launch')
        GROUP BY process_id, correlation
    ),
    kernel AS MATERIALIZED (
        SELECT
            w.device_id, w.start_ns, w.dur_ns,
            CASE WHEN w.start_ns > w.idle_from_ns AND w.start_ns - w.idle_from_ns <= 100000 THEN w.start_ns - w.idle_from_ns END AS gap_ns,
            l.start_ns AS launch_start_ns,
            l.start_ns >= w.idle_from_ns AS starved,
            CASE WHEN lag(w.correlation) OVER (PARTITION BY w.device_id, w.process_id ORDER BY w.correlation, w.start_ns) IS NOT w.correlation THEN l.dur_ns END AS launch_ns
        FROM work AS w
        LEFT JOIN launch AS l ON l.process_id = w.process_id AND l.correlation = w.correlation
        WHERE w.is_kernel
    ),
    part AS (
        SELECT '(run)' AS phase, k.* FROM kernel AS k
        UNION ALL
        SELECT i.label, k.* FROM interval AS i JOIN kernel AS k ON k.start_ns >= i.start_ns AND k.start_ns < i.end_ns
    ),
    ranked AS (
        SELECT
            *,
            row_number() OVER (PARTITION BY device_id, phase ORDER BY start_ns - launch_start_ns) AS place,
            count(launch_start_ns) OVER (PARTITION BY device_id, phase) AS known,
            count(*) OVER (PARTITION BY device_id, phase) AS n
        FROM part
    ),
    seen AS MATERIALIZED (SELECT device_id, min(start_ns) AS start_ns, max(start_ns + dur_ns) AS end_ns FROM work GROUP BY device_id),
    length AS MATERIALIZED (
        SELECT device_id, '(run)' AS phase, NULL AS since_ns, end_ns - start_ns AS wall_ns FROM seen
        UNION ALL
        SELECT w.device_id, i.label, min(i.start_ns), sum(max(0, min(i.end_ns, w.end_ns) - max(i.start_ns, w.start_ns)))
        FROM interval AS i CROSS JOIN seen AS w
        GROUP BY w.device_id, i.label
    )
SELECT
    l.device_id,            -- GPU
    l.phase,                -- phase in which the kernels begin; '(run)': the time from the GPU's first work to its last
    l.since_ns,             -- begin of the phase, the first time; NULL: of the run
    l.wall_ns,              -- length of the phase, without what lies before the GPU's first work or behind its last
    count(*) AS kernels,    -- kernels
    sum(r.dur_ns) AS total_ns, -- sum of their durations
    CASE WHEN max(r.known) > 0 THEN count(r.launch_ns) END AS launches, -- calls that launched them (a CUDA graph is one); NULL: their calls are not known
    sum(r.launch_ns) AS launch_ns, -- time in these calls
    avg(r.start_ns - r.launch_start_ns) FILTER (WHERE r.place - (r.n - r.known) IN ((r.known + 1) / 2, r.known / 2 + 1)) AS delay_p50_ns, -- median time from the begin of the call to that of the kernel
    count(r.gap_ns) AS gaps, -- kernels before which the GPU was idle, for max_gap_ns at most
    coalesce(sum(r.gap_ns), 0) AS gap_ns, -- idle time in these gaps
    CASE WHEN max(r.known) > 0 THEN count(r.gap_ns) FILTER (WHERE r.starved) END AS starved, -- of the gaps: the call that launched the kernel began when the GPU had no work any more
    CASE WHEN max(r.known) > 0 THEN coalesce(sum(r.gap_ns) FILTER (WHERE r.starved), 0) END AS starved_ns, -- idle time in these
    NULL AS in_phase,       -- only this phase: 'epoch' (every one) or 'epoch 3'
    NULL AS max_gap_ns      -- gaps that last no longer than this are between kernels; NULL: 100 us
FROM length AS l
JOIN ranked AS r ON r.device_id = l.device_id AND r.phase = l.phase
GROUP BY l.device_id, l.phase
UNION ALL
SELECT
    device_id, phase, since_ns, wall_ns, kernels, total_ns, launches, launch_ns, delay_p50_ns, gaps, gap_ns, starved, starved_ns, NULL, NULL
FROM launch_sum;

-- What processes did with segments of shared memory (files of class 'shm' and 'memfd'), of the whole run, by calls that did not fail; nested ones are not
-- counted: what shm_stat adds up, or found by looking at all calls. In tracedb and with the extension also of a time and phase: by calls that begin in it.
CREATE VIEW segment_use AS
WITH
    looked_for AS (SELECT 1 FROM classed_file WHERE class IN ('shm', 'memfd') AND NOT EXISTS (SELECT 1 FROM shm_stat) LIMIT 1)
SELECT
    c.file_id,                              -- segment
    c.process_id,                           -- who; NULL: unknown
    max(CASE WHEN o.name IN ('fallocate', 'posix_fallocate') THEN coalesce(c.offset_bytes, 0) + c.asked_bytes WHEN o.name LIKE 'ftruncate%' THEN coalesce(c.asked_bytes, c.offset_bytes) END) AS sized_bytes, -- size that it gave it; NULL: none, likewise all that follows but first_ns
    min(c.start_ns) FILTER (WHERE o.name IN ('fallocate', 'posix_fallocate') OR o.name LIKE 'ftruncate%') AS sized_ns, -- when it first did
    max(c.asked_bytes) FILTER (WHERE o.verb = 'map') AS map_bytes, -- its largest mapping
    sum(c.asked_bytes) FILTER (WHERE o.verb = 'map') AS mapped_bytes, -- sum of its mappings
    min(c.start_ns) FILTER (WHERE o.verb = 'map') AS mapped_ns, -- when it first mapped it
    sum(c.done_bytes) FILTER (WHERE o.verb = 'write') AS write_bytes, -- bytes that it wrote
    sum(c.done_bytes) FILTER (WHERE o.verb = 'read') AS read_bytes, -- bytes that it read
    min(c.start_ns) AS first_ns,            -- begin of its first call
    NULL AS since_ns,                       -- time asked for
    NULL AS until_ns,                       -- its end
    NULL AS in_phase                        -- phase asked for
FROM looked_for
CROSS JOIN call AS c
JOIN op AS o ON o.id = c.op_id
WHERE c.file_id IN (SELECT id FROM classed_file WHERE class IN ('shm', 'memfd')) AND c.nested = 0 AND (c.ret IS NULL OR c.ret >= 0)
GROUP BY c.file_id, c.process_id
UNION ALL
SELECT file_id, process_id, sized_bytes, sized_ns, map_bytes, mapped_bytes, mapped_ns, write_bytes, read_bytes, first_ns, NULL, NULL, NULL
FROM shm_stat;

-- Calls of CUDA that wait for a GPU, copies that do so, too, by operation and thread, of those of which some took long (stalls): whether the GPUs that their process gave
-- work to had any meanwhile, whoever's. In tracedb and with the extension of those that begin in a time or phase, and of a process, too (since_ns IS ... and the
-- like), and of stalls of any length (min_ns IS ...). Nested calls are not counted. Where gpu_wait_stat has rows these are the answer, else looked_for has one. part,
-- numbered and busy: stretches without a gap in which the GPUs of a process had work; point: what happens when, at one time work ends (0) before a stall begins or ends (1) before work begins (2). next_work_ns has no FILTER, which SQLite 3.40 has
-- wrong there.
CREATE VIEW sync_stat AS
WITH
    looked_for AS (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM gpu_wait_stat)),
    waiting AS MATERIALIZED (
        SELECT c.id, c.start_ns, c.dur_ns, c.op_id, c.process_id, c.thread_id, coalesce(c.dur_ns >= 10000, 0) AS is_stall
        FROM looked_for
        CROSS JOIN call AS c
        WHERE c.op_id IN (SELECT id FROM op WHERE layer = 'cuda' AND (verb = 'wait' OR (verb = 'copy' AND name NOT LIKE '%Async%')))
            AND c.nested = 0
    ),
    work AS MATERIALIZED (
        SELECT device_id, process_id, start_ns, start_ns + dur_ns AS end_ns
        FROM looked_for
        CROSS JOIN gpu_op
        WHERE dur_ns IS NOT NULL AND kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
    ),
    whole AS MATERIALIZED (SELECT max(end_ns) - min(start_ns) AS ns FROM work),
    part AS (
        SELECT u.process_id, w.start_ns, w.end_ns,
            max(w.end_ns) OVER (PARTITION BY u.process_id ORDER BY w.start_ns, w.end_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS busy_until_ns
        FROM (SELECT DISTINCT process_id, device_id FROM work WHERE process_id IN (SELECT process_id FROM waiting WHERE is_stall)) AS u
        JOIN work AS w ON w.device_id = u.device_id
    ),
    numbered AS (
        SELECT process_id, start_ns, end_ns,
            count(*) FILTER (WHERE start_ns > busy_until_ns) OVER (PARTITION BY process_id ORDER BY start_ns, end_ns ROWS UNBOUNDED PRECEDING) AS stretch
        FROM part
    ),
    busy AS MATERIALIZED (SELECT process_id, min(start_ns) AS start_ns, max(end_ns) AS end_ns FROM numbered GROUP BY process_id, stretch),
    point AS (
        SELECT process_id, end_ns AS t, 0 AS what, 1 AS idle, NULL AS call_id, 0 AS sign FROM busy
        UNION ALL
        SELECT process_id, start_ns, 2, -1, NULL, 0 FROM busy
        UNION ALL
        SELECT process_id, start_ns, 1, 0, id, -1 FROM waiting WHERE is_stall
        UNION ALL
        SELECT process_id, start_ns + dur_ns, 1, 0, id, 1 FROM waiting WHERE is_stall
    ),
    state AS (
        SELECT process_id, t, what, call_id, sign,
            1 + sum(idle) OVER (PARTITION BY process_id ORDER BY t, what, call_id, sign ROWS UNBOUNDED PRECEDING) AS is_idle,
            lead(t) OVER (PARTITION BY process_id ORDER BY t, what, call_id, sign) AS next_ns,
            min(CASE WHEN what = 2 THEN t END) OVER (
                PARTITION BY process_id ORDER BY t, what, call_id, sign ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS next_work_ns
        FROM point
    ),
    sum_to AS (
        SELECT call_id, sign, t, is_idle, next_work_ns,
            sum(is_idle * (next_ns - t)) OVER (
                PARTITION BY process_id ORDER BY t, what, call_id, sign ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS idle_ns
        FROM state
    ),
    idle AS MATERIALIZED (
        SELECT call_id, sum(sign * coalesce(idle_ns, 0)) AS idle_ns, sum(next_work_ns - t) FILTER (WHERE sign = 1 AND is_idle) AS after_ns
        FROM sum_to
        WHERE call_id IS NOT NULL
        GROUP BY call_id
    ),
    sums AS (
        SELECT
            w.op_id, w.process_id, w.thread_id,
            count(*) AS calls,
            count(*) FILTER (WHERE w.is_stall) AS stalls,
            sum(w.dur_ns) FILTER (WHERE w.is_stall) AS stall_ns,
            max(w.dur_ns) FILTER (WHERE w.is_stall) AS max_ns,
            sum(i.idle_ns) AS idle_ns,
            sum(i.after_ns) AS after_ns
        FROM waiting AS w
        LEFT JOIN idle AS i ON i.call_id = w.id
        GROUP BY w.op_id, w.process_id, w.thread_id
        HAVING stalls > 0
    )
SELECT
    s.op_id,                -- operation
    s.process_id,           -- process
    s.thread_id,            -- thread; NULL: unknown
    s.calls,                -- calls, short ones included
    s.stalls,               -- of these: took min_ns or more
    s.stall_ns,             -- sum of the durations of the stalls
    s.max_ns,               -- longest
    (SELECT min(w.start_ns) FROM waiting AS w WHERE w.op_id = s.op_id AND w.process_id IS s.process_id AND w.thread_id IS s.thread_id AND w.dur_ns = s.max_ns) AS max_start_ns, -- its begin, of several the first
    CASE WHEN b.process_id IS NOT NULL THEN s.idle_ns END AS idle_ns, -- of stall_ns, the time in which no GPU that the process used had work; NULL: its work is not known
    CASE WHEN b.process_id IS NOT NULL THEN coalesce(s.after_ns, 0) END AS after_ns, -- time from the end of stalls, if these GPUs were idle then, to the begin of their next work
    a.ns AS wall_ns,        -- time from the first work of all GPUs to the last; NULL: there is none
    NULL AS since_ns,       -- time asked for
    NULL AS until_ns,       -- its end
    NULL AS in_phase,       -- phase asked for
    NULL AS of_pid,         -- process asked for
    NULL AS of_process,     -- its name or role
    NULL AS min_ns          -- calls that take so long at least are stalls; NULL: 10 us
FROM sums AS s
CROSS JOIN whole AS a
LEFT JOIN (SELECT DISTINCT process_id FROM busy) AS b ON b.process_id = s.process_id
UNION ALL
SELECT op_id, process_id, thread_id, calls, stalls, stall_ns, max_ns, max_start_ns, idle_ns, after_ns, wall_ns, NULL, NULL, NULL, NULL, NULL, NULL
FROM gpu_wait_stat;
