-- title: CUDA API calls
-- group: gpu
-- needs: cuda_call
-- filters: time, process, limit
-- columns: time_pct, total_ns, calls, avg_ns, med_ns, min_ns, max_ns, stddev_ns, name, p95_ns, p99_ns, kind, errors
-- column: calls count calls, those of unknown duration included
-- column: name TEXT function
-- column: errors count calls that returned something else than success
-- loss: either avg_ns, med_ns, stddev_ns, p95_ns, p99_ns
-- loss: upper min_ns
-- order: total_ns DESC, name
--
-- The columns of 'nsys stats -r cuda_api_sum', and some more. Times are those of the CPU thread that called, not of the work
-- that it gave to the GPU.
SELECT
    100.0 * s.total_ns / sum(s.total_ns) OVER () AS time_pct,
    s.total_ns, s.calls,
    1.0 * s.total_ns / s.timed AS avg_ns,
    s.p50_ns AS med_ns,
    s.min_ns, s.max_ns,
    round(s.stddev_ns, 1) AS stddev_ns,
    o.name,
    s.p95_ns,
    s.p99_ns,
    o.kind, s.errors
FROM call_stat AS s
JOIN op AS o ON o.id = s.op_id
WHERE s.op_id IN (SELECT id FROM op WHERE layer = 'cuda')
    AND s.by = 'op'
    AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
ORDER BY total_ns DESC, name
LIMIT coalesce(:limit, -1);
