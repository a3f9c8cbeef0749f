-- title: I/O against GPU
-- needs: segment, gpu_segment
-- param: start_ns ts_ns NULL -- only segments that begin at this time or later
-- param: end_ns ts_ns NULL -- only segments that begin before this time
-- param: phase TEXT NULL -- only this phase: 'epoch' (every one) or 'epoch 3'; NULL: the whole run, and each kind of phase
-- column: gpu INTEGER GPU index
-- column: phase TEXT phase, '(run)' for the whole run
-- column: layer TEXT what I/O means in the row: calls (file I/O calls in progress) or blocks (block requests in progress)
-- column: wall_ns dur_ns time for which the GPU was observed
-- column: io_ns dur_ns of that: with I/O in progress in any process
-- column: busy_min_ns dur_ns the GPU was busy at least so long
-- column: busy_max_ns dur_ns and at most so long
-- column: both_min_ns dur_ns GPU busy and I/O in progress at the same time, at least
-- column: both_max_ns dur_ns and at most
-- column: idle_io_min_ns dur_ns GPU idle while I/O was in progress, at least
-- column: idle_io_max_ns dur_ns and at most
-- column: neither_min_ns dur_ns GPU idle and no I/O, at least
-- column: neither_max_ns dur_ns and at most
-- column: idle_io_pct_min percent idle_io_min_ns as a share of wall_ns
-- column: idle_io_pct_max percent idle_io_max_ns as a share of wall_ns
-- order: gpu, layer DESC, start_of_phase_ns, phase
--
-- A GPU that was only sampled is known to have been busy for a share of each sampling period, not when in it, so what
-- coincides with I/O is a range: of a stretch of length p with I/O for i and the GPU busy for b, both lasted between
-- max(0, b + i - p) and min(b, i). Only samples are looked at,
-- not traced kernels (gpu_op). Sampling tools print whole
-- seconds: a range narrower than the clock error of the GPU source (report quality) says more than is known.
-- I/O in progress while the GPU idles need not be what it waits for.
WITH
    part AS MATERIALIZED (
        SELECT '(run)' AS phase, -9223372036854775807 AS start_ns, 9223372036854775807 AS end_ns WHERE :phase IS NULL
        UNION ALL
        SELECT label, start_ns, end_ns FROM phase_interval
        WHERE CASE WHEN :phase IS NULL THEN label IN (SELECT name FROM phases) ELSE label = :phase COLLATE NOCASE END
    ),
    piece AS (
        SELECT part.phase, part.start_ns AS part_ns, g.device_id, 'calls' AS layer, s.dur_ns AS p, s.io_ns AS i, g.busy_min_ns AS b0, g.busy_max_ns AS b1
        FROM part
        CROSS JOIN segment AS s ON s.start_ns >= part.start_ns AND s.start_ns < part.end_ns
        CROSS JOIN gpu_segment AS g ON g.start_ns = s.start_ns
        WHERE s.io_ns IS NOT NULL AND (:start_ns IS NULL OR s.start_ns >= :start_ns) AND (:end_ns IS NULL OR s.start_ns < :end_ns)
        UNION ALL
        SELECT part.phase, part.start_ns, g.device_id, 'blocks', s.dur_ns, s.block_ns, g.busy_min_ns, g.busy_max_ns
        FROM part
        CROSS JOIN segment AS s ON s.start_ns >= part.start_ns AND s.start_ns < part.end_ns
        CROSS JOIN gpu_segment AS g ON g.start_ns = s.start_ns
        WHERE s.block_ns IS NOT NULL AND (:start_ns IS NULL OR s.start_ns >= :start_ns) AND (:end_ns IS NULL OR s.start_ns < :end_ns)
    ),
    total AS (
        SELECT
            device_id, phase, layer,
            min(part_ns) AS start_of_phase_ns,
            sum(p) AS wall_ns,
            sum(i) AS io_ns,
            sum(b0) AS busy_min_ns,
            sum(b1) AS busy_max_ns,
            sum(max(0, b0 + i - p)) AS both_min_ns,
            sum(min(b1, i)) AS both_max_ns,
            sum(p - min(p, b1 + i)) AS neither_min_ns,
            sum(p - max(b0, i)) AS neither_max_ns
        FROM piece
        GROUP BY device_id, phase, layer
    )
SELECT
    d.number AS gpu,
    t.phase,
    t.layer,
    t.wall_ns,
    t.io_ns,
    t.busy_min_ns,
    t.busy_max_ns,
    t.both_min_ns,
    t.both_max_ns,
    t.io_ns - t.both_max_ns AS idle_io_min_ns,
    t.io_ns - t.both_min_ns AS idle_io_max_ns,
    t.neither_min_ns,
    t.neither_max_ns,
    100.0 * (t.io_ns - t.both_max_ns) / t.wall_ns AS idle_io_pct_min,
    100.0 * (t.io_ns - t.both_min_ns) / t.wall_ns AS idle_io_pct_max
FROM total AS t
JOIN device AS d ON d.id = t.device_id
ORDER BY gpu, layer DESC, start_of_phase_ns, phase;
