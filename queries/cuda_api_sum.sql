-- title: CUDA API calls
-- group: gpu
-- needs: cuda_call
-- param: start_ns ts_ns NULL -- only calls that start at this time or later
-- param: end_ns ts_ns NULL -- only calls that start before this time
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- param: limit INTEGER NULL -- show only so many rows
-- column: time_pct percent share of the time of all rows, those that limit hides included
-- column: total_ns dur_ns sum of the durations
-- column: calls count calls, those of unknown duration included
-- column: avg_ns dur_ns mean duration in ns
-- column: med_ns dur_ns median duration in ns; mean of the middle two of an even number
-- column: min_ns dur_ns shortest
-- column: max_ns dur_ns longest
-- column: stddev_ns dur_ns sample standard deviation in ns, rounded to 0.1 ns; 0 for a single call
-- column: name TEXT function
-- column: p95_ns dur_ns 95th percentile, nearest rank
-- column: p99_ns dur_ns 99th percentile, nearest rank
-- column: kind TEXT what time spent in it means: wait (for the GPU), memory, or other (handing over work)
-- column: errors count calls that returned something else than success
-- loss: either avg_ns, med_ns, stddev_ns, p95_ns, p99_ns
-- loss: upper min_ns
-- order: total_ns DESC, name
--
-- The columns of 'nsys stats -r cuda_api_sum', and some more. Times are those of the CPU thread that called, not of the work
-- that it gave to the GPU.
SELECT
    100.0 * s.total_ns / sum(s.total_ns) OVER () AS time_pct,
    s.total_ns,
    s.calls,
    1.0 * s.total_ns / s.timed AS avg_ns,
    s.p50_ns AS med_ns,
    s.min_ns,
    s.max_ns,
    round(s.stddev_ns, 1) AS stddev_ns,
    o.name,
    s.p95_ns,
    s.p99_ns,
    o.kind,
    s.errors
FROM call_stat AS s
JOIN op AS o ON o.id = s.op_id
WHERE o.layer = 'cuda'
    AND s.by = 'op'
    AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
ORDER BY total_ns DESC, name
LIMIT coalesce(:limit, -1);
