-- title: GPUs idle
-- level: warning
-- needs: gpu_phase
-- uses: segment
-- param: min_pct REAL 5 -- share of the GPUs' time that is reported
-- param: critical_pct REAL 25 -- and that is critical
-- columns: level, cause, during, idle_min_ns, idle_max_ns, idle_min_pct, idle_max_pct, basis, saves_ns, advice, unless
-- column: level TEXT how bad it is
-- column: cause TEXT what was in progress, as in report gpu_idle
-- column: during TEXT the same, in a sentence
-- column: idle_min_ns dur_ns the GPUs idled at least so long, all together, while it was
-- column: idle_min_pct percent idle_min_ns as a share of the time for which they were observed
-- column: saves_ns dur_ns idle time of all GPUs, and not more than this cause, or one before it in the order of causes, was in progress, for each: at most; NULL where nothing can be done about it
-- column: advice TEXT what to do about it
-- column: unless TEXT what would change the verdict
-- loss: either idle_min_ns, idle_max_ns, idle_min_pct, idle_max_pct, saves_ns
-- order: i.idle_min_ns DESC, i.cause
-- finding: The GPUs idled for {idle_min_pct..idle_max_pct} of their time {during}: {idle_min_ns..idle_max_ns} in all.
-- advice: {advice}
-- unless: {unless}
--
-- A finding for each cause of which the part that is sure (the lower end of a range) reaches the threshold. 'report gpu_idle' has them
-- by GPU and phase.
WITH
    missing (rank, what) AS (
        SELECT 1, 'file I/O: tracedb record' WHERE NOT EXISTS (SELECT 1 FROM op WHERE kind = 'io' AND layer <> 'cuda')
        UNION ALL
        SELECT 2, 'disk requests: event set block' WHERE NOT EXISTS (SELECT 1 FROM block_request)
        UNION ALL
        SELECT 3, 'loaders on CPUs: event set sched' WHERE NOT EXISTS (SELECT 1 FROM sched_slice)
        UNION ALL
        SELECT 4, 'sleeps, locks, pipes: event sets sync, wait'
        WHERE NOT EXISTS (SELECT 1 FROM op WHERE kind = 'lock') OR NOT EXISTS (SELECT 1 FROM op WHERE kind = 'wait' AND layer <> 'cuda')
        UNION ALL
        SELECT 5, 'CUDA calls: record --cuda' WHERE NOT EXISTS (SELECT 1 FROM op WHERE layer = 'cuda')
        UNION ALL
        SELECT 6, 'operators: torch.profiler' WHERE NOT EXISTS (SELECT 1 FROM string WHERE text IN ('cpu-op', 'annotation'))
    ),
    known (cause, level, during, advice, unless) AS (
        VALUES
            ('disk read', NULL, 'while a disk was read',
                'Read ahead of the training: more loader workers, a deeper prefetch. Keep the data where it is fast, in the page cache or on a local SSD, or read less of it: compressed, smaller samples. ''report slowest'' and ''report file_io'' name the files.',
                'what the GPU waited for was something else that went on at the same time; a run on warm data would tell.'),
            ('file read', NULL, 'while files were read without a disk',
                'Use more loader workers and pin_memory, read larger pieces, or map the files: copying from the page cache is bound by the CPU. With a network or FUSE file system it is the server''s time: copy the data to a local disk.',
                'disks were read, but nobody traced them (tracedb record does).'),
            ('file write', NULL, 'while files were written or synced',
                'Write checkpoints from another thread or process (asynchronous checkpoints), to a faster disk, less often; write logs buffered. ''report writes_timeline'' shows when.',
                'the writes belong to something that does not hold up the training.'),
            ('other file I/O', NULL, 'while files were opened, looked up or closed',
                'Open fewer files: put samples into larger ones, keep them open, list folders once. On a network file system each of these is a round trip.',
                'they belong to something that does not hold up the training.'),
            ('loader computing', NULL, 'while data loaders computed',
                'Use more loader workers (num_workers), decode and augment on the GPU (DALI, nvJPEG), or store samples decoded; prefetch more (prefetch_factor). ''report sched_sum'' names the processes.',
                'the loaders computed ahead while the GPU waited for something else.'),
            ('waiting for a CPU', NULL, 'while threads of the training or of its loaders waited for a CPU',
                'Start fewer workers and threads than there are CPUs (num_workers, OMP_NUM_THREADS), bind ranks to CPUs of their own, raise the CPU limit of the container. ''report runq'' shows how long they waited.',
                'the threads that waited were none that the GPU needed.'),
            ('loader asleep', NULL, 'while a data loader slept',
                'Find who sleeps: a retry, a rate limit, polling. Wait for an event instead, or let other workers go on (more of them, a deeper prefetch). ''report stalls'' names the process.',
                'the loader had nothing to do.'),
            ('waiting for a loader', NULL, 'while the program waited for its DataLoader',
                'Use more loader workers (num_workers), a deeper prefetch (prefetch_factor), pin_memory and persistent_workers; see with ''report workers'' and ''report stalls'' which loader was late.',
                'the DataLoader has no workers, and the time is what it takes to load a batch.'),
            ('lock, queue or pipe', NULL, 'while the training thread waited for a lock, a queue or a pipe',
                'Find whom it waited for (''report stalls'', ''report locks''): a data loader (more workers, prefetch), another thread (the GIL, logging), a process behind a pipe.',
                'it waited for the GPU: synchronising calls of the driver wait in system calls, too.'),
            ('other ranks', NULL, 'while the host was in a collective',
                'Balance the ranks (''report stragglers'' says who comes last), overlap communication with the backward pass (larger buckets), check the network.',
                'collectives only were started on the host, and the GPU waited for something else.'),
            ('launching operators', NULL, 'while the host was in an operator that had not launched its work',
                'The host is too slow: CUDA graphs, torch.compile, fused optimizers (foreach, fused), larger batches, fewer small operators; keep Python out of the loop.',
                'the profiler itself made the operators slow.'),
            ('other ranks at work', NULL, 'while only processes of other ranks were at anything',
                'Look at the rank that is behind: ''report gpu_idle --gpu N'' has what its GPU idles for, ''report stragglers'' who comes last.',
                'nothing of it was waited for: the program computed, or slept.'),
            ('evaluation', 'info', 'during the evaluation',
                'Evaluate less often, on the GPU, or beside the training.',
                'the evaluation has to be there.'),
            ('initialisation', 'info', 'during the initialisation',
                'Nothing, where it is short beside the run; else import less, cache what is compiled, build the data set''s index once.',
                'the run is longer than what was recorded.'),
            ('events lost', 'info', 'while the recorder lost events',
                'Record less (-e), with larger buffers, or on fewer CPUs; ''report loss'' has the seconds.',
                'what was lost does not matter for the GPU.'),
            ('CUDA call', NULL, 'while the host was in a CUDA call other than waiting',
                'Launch less often: CUDA graphs, torch.compile, fused kernels, larger batches; allocate once (a caching allocator); copy from pinned memory, asynchronously.',
                'the tracer itself made the calls slow.'),
            ('no calls recorded', 'info', 'before the first or after the last call that was recorded',
                'Record all of the run: start tracing before it and end it after it, or look at a part with --filter-time.',
                'nothing worth tracing happened then.'),
            ('program computing', NULL, 'while the first thread of the program computed on the host',
                'See what it does: perf or py-spy by itself, ''record -e sched'' whether it had a CPU. Do it before the training or in loader workers, cache its results, keep Python out of the loop; imports and compilers at the begin are paid once.',
                'the program starts or ends, or another of its threads is the one that the GPU waits for.'),
            ('unexplained', 'info', 'while nothing that was traced was in progress',
                coalesce((SELECT 'Trace what nobody did: ' || group_concat(what, '; ') || '. ' FROM (SELECT what FROM missing ORDER BY rank)), '')
                    || 'What remains is computing on the host, or waiting for other ranks.',
                'the sources leave out processes of the run.')
    )
SELECT
    coalesce(k.level, CASE WHEN 100.0 * i.idle_min_ns >= coalesce(:critical_pct, 25) * i.wall_ns THEN 'critical' ELSE 'warning' END) AS level,
    i.cause,
    k.during,
    i.idle_min_ns,
    i.idle_max_ns,
    100.0 * i.idle_min_ns / i.wall_ns AS idle_min_pct,
    100.0 * i.idle_max_ns / i.wall_ns AS idle_max_pct,
    i.basis,
    -- a loader that is slow while the GPU is still busy lets it idle later; and what comes first in the order hides what goes on meanwhile
    CASE
        WHEN k.level IS NULL THEN (
            SELECT min(sum(g.wall_ns - g.busy_min_ns), count(*) * w.ns)
            FROM gpu_phase AS g
            CROSS JOIN (
                SELECT sum(e.cause_ns) AS ns
                FROM gpu_idle_each AS e
                JOIN gpu_idle_cause AS c ON c.cause = e.cause
                WHERE c.precedence <= (SELECT precedence FROM gpu_idle_cause WHERE cause = i.cause)
            ) AS w
            WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
        )
    END AS saves_ns,
    k.advice,
    k.unless
FROM gpu_idle_run AS i
JOIN known AS k ON k.cause = i.cause
WHERE 100.0 * i.idle_min_ns >= coalesce(:min_pct, 5) * i.wall_ns
ORDER BY i.idle_min_ns DESC, i.cause;
