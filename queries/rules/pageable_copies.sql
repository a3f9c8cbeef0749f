-- title: Copies go through memory that is not pinned
-- level: warning
-- needs: gpu_copy
-- param: min_bytes bytes 100mb -- so much is reported
-- columns: copies, bytes, total_ns, bytes_per_s, saves_ns
-- column: copies count copies from or to pageable memory
-- column: saves_ns dur_ns idle time of all GPUs, and not more than the calls for copies took, or so many of the longest as there are such copies, for each: at most
-- loss: either saves_ns
-- loss: either bytes_per_s
-- order: copies
-- finding: {copies} copies moved {bytes} from or to pageable memory in {total_ns}, {bytes_per_s}.
-- advice: pin_memory=True in the DataLoader and non_blocking=True in .to(): the driver copies pageable memory through a buffer of its own, at a fraction of the speed, and the host waits.
-- unless: the data is used once and pinning it would cost more.
--
-- Of Kineto traces, which tell what kind of memory a copy is from.
SELECT p.copies, p.bytes, p.total_ns, 1e9 * p.bytes / nullif(p.total_ns, 0) AS bytes_per_s,
    (
        SELECT min(sum(g.wall_ns - g.busy_min_ns), count(*) * (
            -- which calls they are of is not looked up: no more than so many of the longest
            SELECT min(sum(c.total_ns), coalesce(p.copies * max(c.max_ns), sum(c.total_ns)))
            FROM call_stat AS c
            JOIN op AS o ON o.id = c.op_id
            WHERE c.by = 'op' AND o.layer = 'cuda' AND o.verb = 'copy'
        ))
        FROM gpu_phase AS g
        WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
    ) AS saves_ns
FROM (
    SELECT sum(ops) AS copies, sum(bytes) AS bytes, sum(total_ns) AS total_ns
    FROM gpu_stat
    WHERE by = 'kind,name' AND kind_id IN (SELECT id FROM string WHERE text = 'copy') AND name_id IN (SELECT id FROM string WHERE text LIKE '%Pageable%')
) AS p
WHERE p.bytes >= coalesce(:min_bytes, 100000000)
ORDER BY copies;
