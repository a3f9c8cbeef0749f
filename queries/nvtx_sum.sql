-- title: NVTX ranges, and annotations and operators of PyTorch
-- group: time
-- needs-any: nvtx, annotation
-- filters: time, process, limit
-- time: ranges that start
-- columns: time_pct, total_ns, instances, avg_ns, med_ns, min_ns, max_ns, stddev_ns, style, range, unfinished
-- column: instances count ranges
-- column: med_ns dur_ns median duration in ns; mean of the middle two of an even number; NULL of annotations and operators
-- column: stddev_ns dur_ns sample standard deviation in ns, rounded to 0.1 ns; 0 for a single one; NULL likewise
-- column: style TEXT PushPop or StartEnd; annotation or operator of PyTorch's profiler
-- column: range TEXT domain:text; no domain before the colon: the default one; of PyTorch's the name
-- column: unfinished count of instances: those whose end is not in the trace; they last to the last time of any range
-- loss: either avg_ns, med_ns, stddev_ns, unfinished
-- loss: upper min_ns
-- order: total_ns DESC, range, style
--
-- The columns of 'nsys stats -r nvtx_sum', and unfinished. Times are those of the CPU thread that opened the range. A range
-- inside another counts in both rows, so the sum can be more than the time of the run. op_sum has what operators and annotations took without
-- those that they call, and the work on GPUs that they launched.
WITH
    range AS (
        SELECT s.total_ns, s.ranges, s.p50_ns, s.min_ns, s.max_ns, round(s.stddev_ns, 1) AS stddev_ns, s.style, s.domain || ':' || n.text AS range, s.unfinished
        FROM nvtx_stat AS s
        JOIN string AS n ON n.id = s.name_id
        WHERE s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
        UNION ALL
        SELECT sum(s.total_ns), sum(s.calls), NULL, min(s.min_ns), max(s.max_ns), NULL, iif(k.text = 'annotation', 'annotation', 'operator') AS style, n.text AS name, 0
        FROM operator_stat AS s
        JOIN string AS k ON k.id = s.kind_id
        JOIN string AS n ON n.id = s.name_id
        WHERE s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
            AND s.calls > 0 AND k.text <> 'nvtx'
        GROUP BY style, name
    )
SELECT
    100.0 * s.total_ns / sum(s.total_ns) OVER () AS time_pct,
    s.total_ns AS total_ns,
    s.ranges AS instances,
    1.0 * s.total_ns / s.ranges AS avg_ns,
    s.p50_ns AS med_ns,
    s.min_ns,
    s.max_ns,
    s.stddev_ns,
    s.style AS style,
    s.range AS range,
    s.unfinished
FROM range AS s
ORDER BY total_ns DESC, range, style
LIMIT coalesce(:limit, -1);
