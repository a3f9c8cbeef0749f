-- title: Copies of GPU memory, by size
-- group: gpu
-- needs: gpu_copy
-- param: by operation|gpu operation -- a row for each operation and size class, or for each of them on each GPU
-- filters: time, process, gpu
-- time: copies that start
-- columns: gpu, host, operation, low_bytes, high_bytes, copies, copies_pct, bytes, total_ns, time_pct, bytes_per_s, mean_ns, max_ns
-- columns: pageable
-- column: gpu INTEGER GPU index; NULL unless by gpu
-- column: host TEXT machine of the GPU; NULL unless by gpu
-- column: operation TEXT direction of the copy, as the source names it
-- column: low_bytes bytes size class: at least so many bytes; NULL: the size is not known
-- column: high_bytes bytes and fewer than so many; NULL: no limit
-- column: copies count copies
-- column: copies_pct percent share of the copies of all rows
-- column: bytes_per_s bytes_per_s bytes per second of that time, of copies whose size and duration are known
-- column: pageable count copies from or to pageable memory of the host, which go through a buffer of the driver; NULL: the source does not tell
-- loss: either bytes_per_s, mean_ns
-- order: gpu, c.host, c.all_ns DESC, operation, low_bytes
--
-- Tiny copies (below 4 KiB) cost their launch, not their bytes: many of them are better made one. Large copies are as fast as the link:
-- some 12 (PCIe 3), 25 (PCIe 4) or 50 GB/s (PCIe 5) between host and GPU, half of that or less where the memory is pageable. Which it is
-- Kineto traces tell. Copies that run at the same time both count. Sets are no copies: cuda_gpu_mem_time_sum has them.
WITH
    class (low_bytes, high_bytes) AS (
        VALUES (0, 4096), (4096, 65536), (65536, 1048576), (1048576, 16777216), (16777216, NULL)
    ),
    counted AS MATERIALIZED (
        SELECT device_id, name_id, each_bytes AS size, ops, bytes, total_ns, timed, max_ns
        FROM gpu_stat
        WHERE by = 'device,kind,name,bytes' AND kind_id IN (SELECT id FROM string WHERE text = 'copy')
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    ),
    sums AS MATERIALIZED (
        SELECT
            CASE WHEN :by = 'gpu' THEN d.number END AS gpu, CASE WHEN :by = 'gpu' THEN d.host END AS host,
            c.name_id,
            (SELECT max(low_bytes) FROM class WHERE low_bytes <= c.size) AS low_bytes,
            sum(c.ops) AS copies, sum(c.bytes) AS bytes, sum(c.total_ns) AS total_ns, sum(c.timed) AS timed,
            sum(c.size * c.timed) FILTER (WHERE c.timed > 0) AS timed_bytes,
            sum(c.total_ns) FILTER (WHERE c.size IS NOT NULL) AS sized_ns,
            max(c.max_ns) AS max_ns
        FROM counted AS c
        JOIN device AS d ON d.id = c.device_id
        WHERE :gpu IS NULL OR d.number = :gpu
        GROUP BY 1, 2, 3, 4
    ),
    copied AS (SELECT *, sum(total_ns) OVER (PARTITION BY gpu, host, name_id) AS all_ns FROM sums)
SELECT
    c.gpu, c.host, n.text AS operation, c.low_bytes,
    (SELECT high_bytes FROM class AS k WHERE k.low_bytes = c.low_bytes) AS high_bytes,
    c.copies,
    100.0 * c.copies / sum(c.copies) OVER () AS copies_pct,
    c.bytes, c.total_ns,
    100.0 * c.total_ns / sum(c.total_ns) OVER () AS time_pct,
    1e9 * c.timed_bytes / nullif(c.sized_ns, 0) AS bytes_per_s,
    1.0 * c.total_ns / nullif(c.timed, 0) AS mean_ns,
    c.max_ns,
    -- Kineto names both sides: 'Memcpy HtoD (Pageable -> Device)'
    CASE WHEN n.text LIKE '%Pageable%' THEN c.copies WHEN n.text LIKE '% -> %' THEN 0 END AS pageable
FROM copied AS c
JOIN string AS n ON n.id = c.name_id
ORDER BY gpu, c.host, c.all_ns DESC, operation, low_bytes;
