-- title: I/O against GPU
-- group: gpu
-- needs: gpu_phase
-- filters: time
-- time: segments that begin
-- param: phase TEXT NULL -- only this phase: 'epoch' (every one) or 'epoch 3'; NULL: the whole run, and each kind of phase
-- columns: gpu, host, phase, run_number, layer, wall_ns, io_ns, basis, busy_min_ns, busy_max_ns, both_min_ns, both_max_ns
-- columns: idle_io_min_ns, idle_io_max_ns, neither_min_ns, neither_max_ns, idle_io_min_pct, idle_io_max_pct
-- column: phase TEXT phase, '(run)' for the whole run
-- column: layer TEXT what I/O means in the row: calls (file I/O calls in progress), blocks (block requests in progress) or none (nothing of both was recorded, or its clock is known less well than wall_ns is long)
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
-- column: idle_io_min_pct percent idle_io_min_ns as a share of wall_ns
-- column: idle_io_max_pct percent idle_io_max_ns as a share of wall_ns
-- keep: wall_ns, idle_io_min_pct, idle_io_max_pct
-- uses: segment
-- loss: none wall_ns, busy_min_ns, busy_max_ns
-- loss: lower idle_io_min_pct, idle_io_max_pct
-- loss: upper neither_min_ns, neither_max_ns
-- order: gpu, host, layer DESC, start_of_phase_ns, phase, run_number
--
-- Where the kernels of a GPU were traced, all is exact: min = max. A GPU that was sampled is known to have been busy for a
-- share of each sampling period, not when in it, and mostly not when exactly the period was, so what is said is what holds
-- for all of that. With :start_ns or :end_ns it is summed up from segments, which makes ranges wider.
-- I/O in progress while the GPU idles need not be what it waits for.
WITH
    part AS MATERIALIZED (
        SELECT '(run)' AS phase, NULL AS run_number, -9223372036854775807 AS start_ns, 9223372036854775807 AS end_ns WHERE :phase IS NULL
        UNION ALL
        SELECT label, run_number, start_ns, end_ns FROM phase_interval
        WHERE CASE WHEN :phase IS NULL THEN label IN (SELECT name FROM phases UNION ALL SELECT '(run)') ELSE label = :phase COLLATE NOCASE END
    ),
    named AS (
        SELECT phase, run_number, min(start_ns) AS start_of_phase_ns
        FROM part
        GROUP BY phase, run_number
    ),
    known AS MATERIALIZED (
        SELECT
            n.phase, n.run_number, n.start_of_phase_ns, g.device_id, g.basis, g.wall_ns, g.io_ns, g.block_ns, g.busy_min_ns, g.busy_max_ns,
            g.io_both_min_ns, g.io_both_max_ns, g.io_neither_min_ns, g.io_neither_max_ns,
            g.block_both_min_ns, g.block_both_max_ns, g.block_neither_min_ns, g.block_neither_max_ns
        FROM named AS n
        JOIN gpu_phase AS g ON g.label = n.phase AND g.run_number IS CASE WHEN EXISTS (SELECT 1 FROM phase_interval WHERE label = '(run)') THEN n.run_number END
        WHERE g.start_ns IS NULL AND :start_ns IS NULL AND :end_ns IS NULL
        UNION ALL
        SELECT
            part.phase, part.run_number, min(part.start_ns), g.device_id, CASE WHEN max(g.basis = 'conflict') THEN 'conflict' WHEN max(g.basis = 'estimate') THEN 'estimate' WHEN max(g.basis = 'bounds') THEN 'bounds' ELSE 'exact' END, sum(s.dur_ns), sum(s.io_ns), sum(s.block_ns), sum(g.busy_min_ns), sum(g.busy_max_ns),
            sum(g.io_both_min_ns), sum(g.io_both_max_ns), sum(g.io_neither_min_ns), sum(g.io_neither_max_ns),
            sum(g.block_both_min_ns), sum(g.block_both_max_ns), sum(g.block_neither_min_ns), sum(g.block_neither_max_ns)
        FROM part
        CROSS JOIN segment AS s ON s.start_ns >= part.start_ns AND s.start_ns < part.end_ns
        CROSS JOIN gpu_segment AS g ON g.start_ns = s.start_ns
        WHERE (:start_ns IS NOT NULL OR :end_ns IS NOT NULL)
            AND (:start_ns IS NULL OR s.start_ns >= :start_ns) AND (:end_ns IS NULL OR s.start_ns < :end_ns)
        GROUP BY g.device_id, part.phase, part.run_number
    ),
    doubt AS MATERIALIZED (
        SELECT
            coalesce(max(error_ns) FILTER (WHERE kind = 'phases' AND against = 'samples'), 0) AS samples_ns,
            coalesce(max(error_ns) FILTER (WHERE kind = 'phases' AND against = 'events'), 0) AS events_ns,
            coalesce(max(error_ns) FILTER (WHERE kind = 'events' AND against <> 'phases'), 0) AS both_ns
        FROM clock_doubt
    ),
    compared AS (
        SELECT
            known.*,
            is_all OR wall_ns >= CASE basis WHEN 'exact' THEN events_ns ELSE samples_ns END AS phase_holds,
            wall_ns >= both_ns AND (is_all OR wall_ns >= max(events_ns, samples_ns)) AS io_holds
        FROM (SELECT *, phase = '(run)' AND run_number IS NULL AS is_all FROM known) AS known
        CROSS JOIN doubt
    ),
    held AS MATERIALIZED (
        SELECT
            phase, run_number, start_of_phase_ns, device_id, wall_ns,
            CASE WHEN phase_holds THEN basis END AS basis,
            CASE WHEN phase_holds THEN busy_min_ns END AS busy_min_ns,
            CASE WHEN phase_holds THEN busy_max_ns END AS busy_max_ns,
            CASE WHEN io_holds THEN io_ns END AS io_ns,
            CASE WHEN io_holds THEN block_ns END AS block_ns,
            io_both_min_ns, io_both_max_ns, io_neither_min_ns, io_neither_max_ns, block_both_min_ns, block_both_max_ns, block_neither_min_ns, block_neither_max_ns
        FROM compared
    ),
    total AS (
        SELECT
            'calls' AS layer, phase, run_number, start_of_phase_ns, device_id, basis, wall_ns, io_ns, busy_min_ns, busy_max_ns,
            io_both_min_ns AS both_min_ns, io_both_max_ns AS both_max_ns, io_neither_min_ns AS neither_min_ns, io_neither_max_ns AS neither_max_ns
        FROM held
        WHERE io_ns IS NOT NULL
        UNION ALL
        SELECT
            'blocks', phase, run_number, start_of_phase_ns, device_id, basis, wall_ns, block_ns, busy_min_ns, busy_max_ns,
            block_both_min_ns, block_both_max_ns, block_neither_min_ns, block_neither_max_ns
        FROM held
        WHERE block_ns IS NOT NULL
        UNION ALL
        SELECT 'none', phase, run_number, start_of_phase_ns, device_id, basis, wall_ns, NULL, busy_min_ns, busy_max_ns, NULL, NULL, NULL, NULL
        FROM held
        WHERE io_ns IS NULL AND block_ns IS NULL
    )
SELECT
    d.number AS gpu, d.host,
    t.phase, t.run_number, t.layer, t.wall_ns, t.io_ns, t.basis, t.busy_min_ns, t.busy_max_ns,
    t.both_min_ns, t.both_max_ns,
    t.io_ns - t.both_max_ns AS idle_io_min_ns,
    t.io_ns - t.both_min_ns AS idle_io_max_ns,
    t.neither_min_ns, t.neither_max_ns,
    100.0 * (t.io_ns - t.both_max_ns) / t.wall_ns AS idle_io_min_pct,
    100.0 * (t.io_ns - t.both_min_ns) / t.wall_ns AS idle_io_max_pct
FROM total AS t
JOIN device AS d ON d.id = t.device_id
ORDER BY gpu, host, layer DESC, start_of_phase_ns, phase, run_number;
