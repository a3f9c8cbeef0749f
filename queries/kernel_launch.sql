-- title: Kernel launches, by phase
-- group: gpu
-- needs: gpu_kernel
-- param: phase TEXT NULL -- only this phase: 'epoch' (every one) or 'epoch 3'; NULL: the whole run, and each kind of phase
-- param: gpu INTEGER NULL -- only the GPU with this index
-- param: max_ns dur_ns 100us -- gaps that last no longer than this are between kernels
-- column: gpu INTEGER GPU index
-- column: phase TEXT phase in which the kernels begin; '(run)': the time from the GPU's first work to its last
-- column: wall_ns dur_ns its length, without what lies before the GPU's first work or behind its last
-- column: kernels count kernels
-- column: mean_ns dur_ns mean duration of a kernel
-- column: launches count calls that launched them (a CUDA graph is one); NULL: their calls are not known
-- column: launch_ns dur_ns time in these calls
-- column: launch_pct percent share of wall_ns
-- column: delay_p50_ns dur_ns median time from the begin of the call to that of the kernel
-- column: gaps count kernels before which the GPU was idle, for max_ns at most
-- column: gap_ns dur_ns idle time in these gaps
-- column: gap_pct percent share of wall_ns
-- column: starved count of the gaps: the call that launched the kernel began when the GPU had no work any more
-- column: starved_ns dur_ns idle time in these
-- column: starved_pct percent share of wall_ns
-- loss: either mean_ns, launch_pct, delay_p50_ns, gaps, gap_ns, gap_pct, starved, starved_ns, starved_pct
-- order: gpu, l.since_ns, phase, l.device_id
--
-- A phase is bound by launches where starved_pct is large: the GPU is done with its kernels before the program has launched the next one,
-- and the delay is hardly longer than a call takes (5 to 10 us). Larger batches, CUDA graphs, fused kernels (torch.compile) or less
-- work in Python between launches help. A delay of milliseconds is good: the program is ahead, and its kernels wait in the queue.
-- Longer gaps are in 'report gpu_gaps': there the GPU waits for something else.
WITH
    interval AS MATERIALIZED (
        SELECT label, start_ns, end_ns FROM phase_interval
        WHERE CASE WHEN :phase IS NULL THEN label IN (SELECT name FROM phases) AND label <> '(run)' ELSE label = :phase COLLATE NOCASE END
    ),
    work AS MATERIALIZED (
        SELECT
            g.device_id, g.start_ns, g.dur_ns, g.process_id, g.correlation, g.kind_id IN (SELECT id FROM string WHERE text = 'kernel') AS is_kernel,
            max(g.start_ns + g.dur_ns) OVER (
                PARTITION BY g.device_id ORDER BY g.start_ns, g.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS idle_from_ns
        FROM gpu_op AS g
        JOIN device AS d ON d.id = g.device_id
        WHERE g.dur_ns IS NOT NULL AND g.kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
            AND (:gpu IS NULL OR d.number = :gpu)
    ),
    launch AS MATERIALIZED (
        SELECT c.process_id, c.correlation, c.start_ns, c.dur_ns
        FROM call AS c
        WHERE c.correlation IS NOT NULL AND c.op_id IN (SELECT id FROM op WHERE layer = 'cuda' AND verb = 'launch')
    ),
    kernel AS MATERIALIZED (
        SELECT
            w.device_id, w.start_ns, w.dur_ns,
            CASE WHEN w.start_ns > w.idle_from_ns AND w.start_ns - w.idle_from_ns <= coalesce(:max_ns, 100000) THEN w.start_ns - w.idle_from_ns END AS gap_ns,
            l.start_ns AS launch_start_ns,
            l.start_ns >= w.idle_from_ns AS starved,
            -- of the kernels of a graph the first one has the call
            CASE WHEN lag(w.correlation) OVER (PARTITION BY w.device_id, w.process_id ORDER BY w.correlation, w.start_ns) IS NOT w.correlation THEN l.dur_ns END AS launch_ns
        FROM work AS w
        LEFT JOIN launch AS l ON l.process_id = w.process_id AND l.correlation = w.correlation
        WHERE w.is_kernel
    ),
    part AS (
        SELECT '(run)' AS phase, k.* FROM kernel AS k WHERE :phase IS NULL
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
        SELECT device_id, '(run)' AS phase, -9223372036854775807 AS since_ns, end_ns - start_ns AS wall_ns FROM seen WHERE :phase IS NULL
        UNION ALL
        SELECT w.device_id, i.label, min(i.start_ns), sum(max(0, min(i.end_ns, w.end_ns) - max(i.start_ns, w.start_ns)))
        FROM interval AS i CROSS JOIN seen AS w
        GROUP BY w.device_id, i.label
    ),
    sums AS MATERIALIZED (
        SELECT
            device_id, phase,
            count(*) AS kernels,
            sum(dur_ns) AS total_ns,
            max(known) AS known,
            count(launch_ns) AS launches,
            sum(launch_ns) AS launch_ns,
            -- those without a call come first; the mean of the middle two of an even number
            avg(start_ns - launch_start_ns) FILTER (WHERE place - (n - known) IN ((known + 1) / 2, known / 2 + 1)) AS delay_p50_ns,
            count(gap_ns) AS gaps,
            coalesce(sum(gap_ns), 0) AS gap_ns,
            count(gap_ns) FILTER (WHERE starved) AS starved,
            coalesce(sum(gap_ns) FILTER (WHERE starved), 0) AS starved_ns
        FROM ranked
        GROUP BY device_id, phase
    )
SELECT
    d.number AS gpu,
    l.phase AS phase,
    l.wall_ns,
    s.kernels,
    1.0 * s.total_ns / s.kernels AS mean_ns,
    CASE WHEN s.known > 0 THEN s.launches END AS launches,
    s.launch_ns,
    100.0 * s.launch_ns / nullif(l.wall_ns, 0) AS launch_pct,
    s.delay_p50_ns,
    s.gaps,
    s.gap_ns,
    100.0 * s.gap_ns / nullif(l.wall_ns, 0) AS gap_pct,
    CASE WHEN s.known > 0 THEN s.starved END AS starved,
    CASE WHEN s.known > 0 THEN s.starved_ns END AS starved_ns,
    CASE WHEN s.known > 0 THEN 100.0 * s.starved_ns / nullif(l.wall_ns, 0) END AS starved_pct
FROM length AS l
JOIN sums AS s ON s.device_id = l.device_id AND s.phase = l.phase
JOIN device AS d ON d.id = l.device_id
ORDER BY gpu, l.since_ns, phase, l.device_id;
