-- title: Launches, as they were counted in the kernel
-- group: gpu
-- needs: cuda_launches
-- filters: process, limit
-- columns: pid, process, function, calls, total_ns, mean_ns, p50_below_ns, p99_below_ns, max_below_ns
-- column: process TEXT command name
-- column: function TEXT function of the CUDA driver
-- column: total_ns dur_ns time in them; NULL: they were counted only (no --cuda-threshold)
-- column: p50_below_ns dur_ns a power of two: half of them took less
-- column: p99_below_ns dur_ns 99 of 100 took less
-- column: max_below_ns dur_ns all of them took less
-- loss: either mean_ns, p50_below_ns, p99_below_ns, max_below_ns
-- order: l.calls DESC, l.pid, l.function, l.source_id
--
-- By '-e cuda', whose uprobes count launches where they happen and store none but those of --cuda-threshold. A launch of a few us hands its kernel
-- over; one of 100 us and more waits, as the queue of the GPU is full: the program is far ahead, which is good.
WITH
    bucket AS (
        SELECT
            source_id, key, low, high, value,
            sum(value) OVER (PARTITION BY source_id, key ORDER BY low) AS up_to, sum(value) OVER (PARTITION BY source_id, key) AS n
        FROM summary
        WHERE name = 'cuda.launches' AND low IS NOT NULL
    ),
    quantile AS (
        SELECT
            source_id, key,
            min(high) FILTER (WHERE up_to * 2 >= n) AS p50, min(high) FILTER (WHERE up_to * 100 >= n * 99) AS p99,
            max(high) AS most
        FROM bucket
        GROUP BY source_id, key
    ),
    l AS (
        SELECT
            s.source_id,
            CAST(substr(s.key, 1, instr(s.key, ' ') - 1) AS INTEGER) AS pid,
            substr(s.key, instr(s.key, ' ') + 1) AS function,
            CAST(sum(s.value) FILTER (WHERE s.name = 'cuda.launches') AS INTEGER) AS calls,
            CAST(sum(s.value) FILTER (WHERE s.name = 'cuda.launch_time') AS INTEGER) AS total_ns,
            max(q.p50) AS p50, max(q.p99) AS p99, max(q.most) AS most
        FROM summary AS s
        LEFT JOIN quantile AS q ON q.source_id = s.source_id AND q.key = s.key
        WHERE s.name IN ('cuda.launches', 'cuda.launch_time') AND s.low IS NULL AND s.key GLOB '[0-9]* *'
        GROUP BY s.source_id, s.key
    )
SELECT
    l.pid,
    (SELECT p.name FROM process AS p WHERE p.pid = l.pid ORDER BY p.lifetime DESC, p.id LIMIT 1) AS process,
    l.function, l.calls, l.total_ns,
    1.0 * l.total_ns / nullif(l.calls, 0) AS mean_ns,
    CAST(l.p50 AS INTEGER) AS p50_below_ns, CAST(l.p99 AS INTEGER) AS p99_below_ns, CAST(l.most AS INTEGER) AS max_below_ns
FROM l
WHERE (:pid IS NULL OR l.pid = :pid)
    AND (:process IS NULL OR l.pid IN (SELECT pid FROM process WHERE name = :process OR role = :process))
ORDER BY l.calls DESC, l.pid, l.function, l.source_id
LIMIT coalesce(:limit, -1);
