-- title: Idle time of the GPUs, by what was in progress
-- group: gpu
-- needs: gpu_phase
-- filters: time, gpu
-- param: start_ns ts_ns NULL -- only from this time on, to the begin of the segment (table segment) that it lies in
-- param: end_ns ts_ns NULL -- only before this time, to the end of the segment
-- param: phase TEXT NULL -- only this phase: 'epoch' (every one) or 'epoch 3'; NULL: the whole run, and each kind of phase
-- columns: gpu, host, phase, start_ns, end_ns, run_number, cause, precedence, wall_ns, basis, idle_min_ns, idle_max_ns, idle_min_pct
-- columns: idle_max_pct, whose, narrow
-- column: phase TEXT phase, '(run)' for the whole run
-- column: start_ns ts_ns of a stretch of time that was asked for, begin of the segments that it touches; else NULL
-- column: end_ns ts_ns and their end: segments end where phases do, with each sample, and each second of what was traced
-- column: cause TEXT '(all)': whatever it is put down to; else the first in order of precedence that was in progress; unexplained: none of them
-- column: precedence INTEGER place of the cause in that order: 1 goes before all others (view gpu_idle_cause has all of them, with their meanings)
-- column: wall_ns dur_ns time of the phase, as far as the GPU was observed, that is put down to it, idle or not
-- column: idle_min_pct percent idle_min_ns as a share of all time of the phase
-- column: whose TEXT whose work is a cause: own (of the processes that work on this GPU, their loaders, and those that may be anyone's), all (of all: it is not known who works on it, or all do); NULL: of '(all)'
-- column: narrow TEXT of '(all)' what would narrow the range, of unexplained what 'tracedb record' or a profiler would tell of it besides; NULL: nothing, or enough was recorded
-- keep: gpu, cause, idle_min_ns, idle_max_ns
-- uses: segment
-- timed: segment, gpu_segment, gpu_idle_segment
-- loss: either wall_ns, idle_min_ns, idle_max_ns, idle_min_pct, idle_max_pct
-- order: gpu, host, n.start_of_phase_ns, n.phase, n.run_number, i.cause <> '(all)', i.cause = 'unexplained', idle_max_ns DESC, i.cause
--
-- A stretch of time is widened to whole segments, whose idle times add up: exactly where kernels were traced, else to ranges that are wider than those of
-- a phase. Each moment is put down to one cause, so that the causes add up: exactly where the kernels of a GPU were traced (min = max);
-- of a GPU that was sampled each cause has a range of its own. The order: disk read, file read, file write (and checkpoints), other file
-- I/O, loader computing, waiting for a CPU, loader asleep, waiting for a loader, lock, queue or pipe, CUDA call, other ranks, launching
-- operators, other ranks at work, evaluation, initialisation, events lost, no calls recorded (before the first or after the last), program
-- computing, unexplained. A cause has no row where it never was in progress, which may be because nobody traced it. Pipes, sockets,
-- eventfds and terminals are no files. What is in progress while a GPU idles need not be what it waits for. Where the data tells which processes work on which GPU, and there are several such parties (as the ranks of a job
-- are), each GPU has its own causes, and what others are at is 'other ranks at work'. A block trace, or the event set block of 'tracedb record',
-- tells disk reads from what the page cache gives.
WITH
    window AS MATERIALIZED (
        SELECT s.start_ns, s.dur_ns
        FROM segment AS s
        WHERE EXISTS (SELECT 1 FROM gpu_segment AS g WHERE g.start_ns = s.start_ns)
            AND (:start_ns IS NOT NULL OR :end_ns IS NOT NULL) AND (:start_ns IS NULL OR s.start_ns + s.dur_ns > :start_ns) AND (:end_ns IS NULL OR s.start_ns < :end_ns)
            AND (:phase IS NULL OR EXISTS (SELECT 1 FROM phase_interval AS i WHERE i.label = :phase COLLATE NOCASE AND i.start_ns <= s.start_ns AND i.end_ns > s.start_ns))
    ),
    part AS (
        SELECT '(run)' AS phase, NULL AS run_number, -9223372036854775807 AS start_ns WHERE :phase IS NULL
        UNION ALL
        SELECT label, run_number, start_ns FROM phase_interval
        WHERE CASE WHEN :phase IS NULL THEN label IN (SELECT name FROM phases UNION ALL SELECT '(run)') ELSE label = :phase COLLATE NOCASE END
    ),
    named AS MATERIALIZED (
        SELECT phase, CASE WHEN EXISTS (SELECT 1 FROM phase_interval WHERE label = '(run)') THEN run_number END AS run_number, min(start_ns) AS start_of_phase_ns, NULL AS start_ns, NULL AS end_ns
        FROM part
        WHERE :start_ns IS NULL AND :end_ns IS NULL
        GROUP BY 1, 2
        UNION ALL
        SELECT coalesce(:phase, '(run)'), NULL, min(start_ns), min(start_ns), max(start_ns + dur_ns) FROM window HAVING count(*) > 0
    ),
    doubt AS MATERIALIZED (
        SELECT
            coalesce(max(error_ns) FILTER (WHERE kind = 'phases' AND against = 'samples'), 0) AS samples_ns,
            coalesce(max(error_ns) FILTER (WHERE kind = 'phases' AND against = 'events'), 0) AS events_ns,
            coalesce(max(error_ns) FILTER (WHERE kind = 'events' AND against <> 'phases'), 0) AS both_ns
        FROM clock_doubt
    ),
    of_segments AS MATERIALIZED (
        SELECT
            g.device_id,
            coalesce(:phase, '(run)') AS label,
            CASE WHEN max(g.basis = 'conflict') THEN 'conflict' WHEN max(g.basis = 'estimate') THEN 'estimate' WHEN max(g.basis = 'bounds') THEN 'bounds' ELSE 'exact' END AS basis,
            sum(w.dur_ns) AS wall_ns,
            sum(g.busy_min_ns) AS busy_min_ns,
            sum(g.busy_max_ns) AS busy_max_ns
        FROM window AS w
        CROSS JOIN gpu_segment AS g ON g.start_ns = w.start_ns
        GROUP BY g.device_id
    ),
    known_window AS MATERIALIZED (
        SELECT s.*, s.wall_ns >= max(d.events_ns, d.samples_ns, d.both_ns) AS holds
        FROM of_segments AS s
        CROSS JOIN doubt AS d
    ),
    known AS MATERIALIZED (
        SELECT
            g.*,
            w.is_all OR g.wall_ns >= CASE g.basis WHEN 'exact' THEN d.events_ns ELSE d.samples_ns END AS phase_holds,
            g.wall_ns >= d.both_ns AND (w.is_all OR g.wall_ns >= max(d.events_ns, d.samples_ns)) AS causes_hold
        FROM (SELECT *, phase = '(run)' AND run_number IS NULL AS is_all FROM named WHERE start_ns IS NULL) AS w
        JOIN gpu_phase AS g ON g.label = w.phase AND g.run_number IS w.run_number AND g.start_ns IS NULL
        CROSS JOIN doubt AS d
    ),
    missing (rank, what) AS (
        -- what tells causes apart, and how to get it; put together from partials there are no single events, but what is known of phases and causes
        SELECT 1, 'disk requests: event set block' WHERE NOT EXISTS (SELECT 1 FROM block_request) AND NOT EXISTS (SELECT 1 FROM gpu_phase WHERE block_ns IS NOT NULL)
        UNION ALL
        SELECT 2, 'loaders on CPUs: event set sched' WHERE NOT EXISTS (SELECT 1 FROM sched_slice) AND NOT EXISTS (SELECT 1 FROM gpu_idle_part WHERE cause IN ('loader computing', 'waiting for a CPU'))
        UNION ALL
        SELECT 3, 'sleeps, locks, pipes: event sets sync, wait' WHERE NOT EXISTS (SELECT 1 FROM op WHERE kind = 'lock') OR NOT EXISTS (SELECT 1 FROM op WHERE kind = 'wait' AND layer <> 'cuda')
        UNION ALL
        SELECT 4, 'CUDA calls: record --cuda' WHERE NOT EXISTS (SELECT 1 FROM op WHERE layer = 'cuda')
        UNION ALL
        SELECT 5, 'phases: --log FILE' WHERE NOT EXISTS (SELECT 1 FROM phase_interval)
        UNION ALL
        SELECT 6, 'operators: torch.profiler' WHERE NOT EXISTS (SELECT 1 FROM string WHERE text IN ('cpu-op', 'annotation')) AND NOT EXISTS (SELECT 1 FROM gpu_idle_part WHERE cause IN ('launching operators', 'waiting for a loader'))
    ),
    idle AS (
        SELECT device_id, label, run_number, '(all)' AS cause, wall_ns, wall_ns AS all_ns, basis, wall_ns - busy_max_ns AS idle_min_ns, wall_ns - busy_min_ns AS idle_max_ns, phase_holds AS holds, NULL AS whose
        FROM known
        UNION ALL
        SELECT i.device_id, i.label, i.run_number, i.cause, i.cause_ns, k.wall_ns, i.basis, i.idle_min_ns, i.idle_max_ns, k.causes_hold, coalesce(i.whose, 'all')
        FROM gpu_idle_part AS i
        JOIN known AS k ON k.device_id = i.device_id AND k.label = i.label AND k.run_number IS i.run_number
        WHERE i.start_ns IS NULL AND (i.cause_ns > 0 OR i.cause = 'unexplained')
        UNION ALL
        SELECT device_id, label, NULL, '(all)', wall_ns, wall_ns, basis, wall_ns - busy_max_ns, wall_ns - busy_min_ns, holds, NULL
        FROM known_window
        UNION ALL
        SELECT
            k.device_id, k.label, NULL, c.cause, sum(i.cause_ns), k.wall_ns, k.basis, sum(i.idle_min_ns), sum(i.idle_max_ns), k.holds,
            coalesce((SELECT p.whose FROM gpu_idle_part AS p WHERE p.device_id = k.device_id AND p.label = '(run)' AND p.start_ns IS NULL AND p.run_number IS NULL), 'all')
        FROM known_window AS k
        JOIN gpu_idle_segment AS i ON i.device_id = k.device_id AND i.start_ns IN (SELECT start_ns FROM window)
        JOIN gpu_idle_cause AS c ON c.precedence = i.precedence
        GROUP BY k.device_id, c.cause
    )
SELECT
    d.number AS gpu, d.host,
    n.phase, n.start_ns, n.end_ns, n.run_number, i.cause, c.precedence,
    CASE WHEN i.holds OR i.cause = '(all)' THEN i.wall_ns END AS wall_ns,
    CASE WHEN i.holds THEN i.basis END AS basis,
    CASE WHEN i.holds THEN i.idle_min_ns END AS idle_min_ns,
    CASE WHEN i.holds THEN i.idle_max_ns END AS idle_max_ns,
    CASE WHEN i.holds THEN 100.0 * i.idle_min_ns / i.all_ns END AS idle_min_pct,
    CASE WHEN i.holds THEN 100.0 * i.idle_max_ns / i.all_ns END AS idle_max_pct,
    i.whose,
    CASE
        WHEN i.cause = '(all)' AND i.basis <> 'exact' THEN 'every kernel: record --cuda, torch.profiler or nsys'
        WHEN i.cause = 'unexplained' AND i.idle_max_ns > 0 THEN (SELECT group_concat(what, '; ') FROM (SELECT what FROM missing ORDER BY rank))
    END AS narrow
FROM named AS n
JOIN idle AS i ON i.label = n.phase AND i.run_number IS n.run_number
JOIN device AS d ON d.id = i.device_id
LEFT JOIN gpu_idle_cause AS c ON c.cause = i.cause
WHERE :gpu IS NULL OR d.number = :gpu
ORDER BY gpu, host, n.start_of_phase_ns, n.phase, n.run_number, i.cause <> '(all)', i.cause = 'unexplained', idle_max_ns DESC, i.cause;
