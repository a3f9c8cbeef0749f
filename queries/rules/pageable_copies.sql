-- title: Copies go through memory that is not pinned
-- level: warning
-- needs: gpu_copy
-- param: min_bytes bytes 100mb -- so much is reported
-- columns: copies, bytes, total_ns, bytes_per_s, saves_ns
-- column: copies count copies from or to pageable memory
-- column: saves_ns dur_ns idle time of all GPUs while the host was in CUDA calls, at most; and not more than the calls for copies took of each
-- loss: either saves_ns
-- loss: either bytes_per_s
-- order: copies
-- finding: {copies} copies moved {bytes} from or to pageable memory in {total_ns}, {bytes_per_s}.
-- advice: pin_memory=True in the DataLoader and non_blocking=True in .to(): the driver copies pageable memory through a buffer of its own, at a fraction of the speed, and the host waits.
-- unless: the data is used once and pinning it would cost more.
--
-- Of Kineto traces, which tell what kind of memory a copy is from.
SELECT sum(g.ops) AS copies, sum(g.bytes) AS bytes, sum(g.total_ns) AS total_ns, 1e9 * sum(g.bytes) / nullif(sum(g.total_ns), 0) AS bytes_per_s,
    (
        SELECT min(sum(idle_max_ns), max(gpus) * (SELECT sum(c.total_ns) FROM call_stat AS c JOIN op AS o ON o.id = c.op_id WHERE c.by = 'op' AND o.layer = 'cuda' AND o.verb = 'copy'))
        FROM gpu_idle_run
        WHERE cause IN ('CUDA call')
    ) AS saves_ns
FROM gpu_stat AS g
WHERE g.by = 'kind,name' AND g.kind_id IN (SELECT id FROM string WHERE text = 'copy')
    AND g.name_id IN (SELECT id FROM string WHERE text LIKE '%Pageable%')
HAVING sum(g.bytes) >= coalesce(:min_bytes, 100000000)
ORDER BY copies;
