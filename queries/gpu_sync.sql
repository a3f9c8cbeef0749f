-- title: Calls that wait for a GPU
-- group: gpu
-- needs: cuda_call
-- filters: time, process, limit
-- param: min_ns dur_ns 10us -- calls that take so long at least are stalls
-- columns: function, pid, tid, process, calls, stalls, stall_ns, stall_pct, max_ns, max_start_ns, idle_ns, idle_pct, after_ns
-- columns: after_pct
-- column: function TEXT function of the CUDA APIs
-- column: process TEXT command name
-- column: calls count calls, short ones included
-- column: stalls count of these: took min_ns or more
-- column: stall_ns dur_ns sum of the durations of the stalls
-- column: stall_pct percent share of the time from the first work of all GPUs to the last
-- column: idle_ns dur_ns of stall_ns, the time in which no GPU that the process used had work; NULL: its work is not known
-- column: idle_pct percent idle_ns as a share of stall_ns
-- column: after_ns dur_ns time from the end of stalls, if these GPUs were idle then, to the begin of their next work
-- column: after_pct percent share of the time from the first work of all GPUs to the last
-- uses: gpu_op
-- loss: either idle_ns, idle_pct, after_ns, after_pct
-- order: s.stall_ns DESC, function, pid, tid, s.process_id, s.thread_id
--
-- cudaStreamSynchronize, cudaDeviceSynchronize, cudaEventSynchronize and the like, and cudaMemcpy. A wait is not bad by itself: while
-- the GPU works (idle_pct is small) the program waits for results. But at its end the queue of the GPU is empty, and until the program
-- has launched again the GPU idles: after_ns is what synchronising costs, if there was work to launch. .item(), .cpu(), print() of a
-- tensor and checks for NaN do it in PyTorch. What several threads wait for at a time counts for each. cudaMemcpyAsync is left
-- out, though it waits if the host's memory is pageable: 'report gpu_copies' has those.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE coalesce(:pid, :process) IS NOT NULL AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    waiting AS MATERIALIZED (
        SELECT c.id, c.start_ns, c.dur_ns, c.op_id, c.process_id, c.thread_id, coalesce(c.dur_ns >= coalesce(:min_ns, 10000), 0) AS is_stall
        FROM call AS c
        WHERE c.op_id IN (SELECT id FROM op WHERE layer = 'cuda' AND (verb = 'wait' OR (verb = 'copy' AND name NOT LIKE '%Async%')))
            AND c.nested = 0
            AND (:pid IS NULL AND :process IS NULL OR c.process_id IN who)
            AND (
                coalesce(:start_ns, :end_ns, :phase) IS NULL
                OR EXISTS (SELECT 1 FROM period AS p WHERE c.start_ns >= p.start_ns AND c.start_ns < p.end_ns)
            )
    ),
    work AS MATERIALIZED (
        SELECT device_id, process_id, start_ns, start_ns + dur_ns AS end_ns
        FROM gpu_op
        WHERE dur_ns IS NOT NULL AND kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
    ),
    whole AS MATERIALIZED (SELECT max(end_ns) - min(start_ns) AS ns FROM work),
    -- Stretches without a gap in which the GPUs of a process had work, whoever gave it to them.
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
    -- What happens when: work ends (0), a stall begins or ends (1), work begins (2). Of those at one time in this order.
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
            -- SQLite 3.40 has FILTER wrong here
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
    o.name AS function,
    p.pid,
    t.tid,
    p.name AS process,
    s.calls,
    s.stalls,
    s.stall_ns,
    100.0 * s.stall_ns / nullif(a.ns, 0) AS stall_pct,
    s.max_ns,
    (
        SELECT min(w.start_ns) FROM waiting AS w
        WHERE w.op_id = s.op_id AND w.process_id IS s.process_id AND w.thread_id IS s.thread_id AND w.dur_ns = s.max_ns
    ) AS max_start_ns,
    CASE WHEN b.process_id IS NOT NULL THEN s.idle_ns END AS idle_ns,
    CASE WHEN b.process_id IS NOT NULL THEN 100.0 * s.idle_ns / nullif(s.stall_ns, 0) END AS idle_pct,
    CASE WHEN b.process_id IS NOT NULL THEN coalesce(s.after_ns, 0) END AS after_ns,
    CASE WHEN b.process_id IS NOT NULL THEN 100.0 * coalesce(s.after_ns, 0) / nullif(a.ns, 0) END AS after_pct
FROM sums AS s
JOIN op AS o ON o.id = s.op_id
CROSS JOIN whole AS a
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN thread AS t ON t.id = s.thread_id
LEFT JOIN (SELECT DISTINCT process_id FROM busy) AS b ON b.process_id = s.process_id
ORDER BY s.stall_ns DESC, function, pid, tid, s.process_id, s.thread_id
LIMIT coalesce(:limit, -1);
