-- title: Copies of GPU memory, by size
-- group: gpu
-- needs: gpu_copy
-- param: by operation|gpu operation -- a row for each operation and size class, or for each of them on each GPU
-- filters: time, process, gpu
-- time: copies that start
-- columns: gpu, operation, low_bytes, high_bytes, copies, copies_pct, bytes, total_ns, time_pct, bytes_per_s, mean_ns, max_ns
-- columns: pageable
-- column: gpu INTEGER GPU index; NULL unless by gpu
-- column: operation TEXT direction of the copy, as the source names it
-- column: low_bytes bytes size class: at least so many bytes; NULL: the size is not known
-- column: high_bytes bytes and fewer than so many; NULL: no limit
-- column: copies count copies
-- column: copies_pct percent share of the copies of all rows
-- column: bytes_per_s bytes_per_s bytes per second of that time, of copies whose size and duration are known
-- column: pageable count copies from or to pageable memory of the host, which go through a buffer of the driver; NULL: the source does not tell
-- loss: either bytes_per_s, mean_ns
-- order: gpu, c.all_ns DESC, operation, low_bytes
--
-- Tiny copies (below 4 KiB) cost their launch, not their bytes: many of them are better made one. Large copies are as fast as the link:
-- some 12 (PCIe 3), 25 (PCIe 4) or 50 GB/s (PCIe 5) between host and GPU, half of that or less where the memory is pageable. Which it is
-- Kineto traces tell. Copies that run at the same time both count. Sets are no copies: cuda_gpu_mem_time_sum has them.
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
    class (low_bytes, high_bytes) AS (
        VALUES (0, 4096), (4096, 65536), (65536, 1048576), (1048576, 16777216), (16777216, NULL)
    ),
    sums AS MATERIALIZED (
        SELECT
            CASE WHEN :by = 'gpu' THEN d.number END AS gpu,
            g.name_id,
            CASE WHEN g.bytes IS NOT NULL THEN (SELECT max(low_bytes) FROM class WHERE low_bytes <= g.bytes) END AS low_bytes,
            count(*) AS copies,
            sum(g.bytes) AS bytes,
            sum(g.dur_ns) AS total_ns,
            count(g.dur_ns) AS timed,
            sum(g.bytes) FILTER (WHERE g.dur_ns IS NOT NULL) AS timed_bytes,
            sum(g.dur_ns) FILTER (WHERE g.bytes IS NOT NULL) AS sized_ns,
            max(g.dur_ns) AS max_ns
        FROM gpu_op AS g
        JOIN device AS d ON d.id = g.device_id
        WHERE g.kind_id IN (SELECT id FROM string WHERE text = 'copy')
            AND (:gpu IS NULL OR d.number = :gpu)
            AND (:pid IS NULL AND :process IS NULL OR g.process_id IN who)
            AND (
                coalesce(:start_ns, :end_ns, :phase) IS NULL
                OR EXISTS (SELECT 1 FROM period AS p WHERE g.start_ns >= p.start_ns AND g.start_ns < p.end_ns)
            )
        GROUP BY 1, 2, 3
    ),
    copied AS (SELECT *, sum(total_ns) OVER (PARTITION BY gpu, name_id) AS all_ns FROM sums)
SELECT
    c.gpu,
    n.text AS operation,
    c.low_bytes,
    (SELECT high_bytes FROM class AS k WHERE k.low_bytes = c.low_bytes) AS high_bytes,
    c.copies,
    100.0 * c.copies / sum(c.copies) OVER () AS copies_pct,
    c.bytes,
    c.total_ns,
    100.0 * c.total_ns / sum(c.total_ns) OVER () AS time_pct,
    1e9 * c.timed_bytes / nullif(c.sized_ns, 0) AS bytes_per_s,
    1.0 * c.total_ns / nullif(c.timed, 0) AS mean_ns,
    c.max_ns,
    -- Kineto names both sides: 'Memcpy HtoD (Pageable -> Device)'
    CASE WHEN n.text LIKE '%Pageable%' THEN c.copies WHEN n.text LIKE '% -> %' THEN 0 END AS pageable
FROM copied AS c
JOIN string AS n ON n.id = c.name_id
ORDER BY gpu, c.all_ns DESC, operation, low_bytes;
