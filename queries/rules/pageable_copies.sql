-- title: Copies go through memory that is not pinned
-- level: warning
-- needs: gpu_copy
-- param: min_bytes bytes 100mb -- so much is reported
-- column: copies count copies from or to pageable memory
-- column: bytes bytes their bytes
-- column: total_ns dur_ns how long they took
-- column: rate REAL GB/s
-- loss: either rate
-- order: copies
-- finding: {copies} copies moved {bytes} from or to pageable memory in {total_ns}, {rate} GB/s.
-- advice: pin_memory=True in the DataLoader and non_blocking=True in .to(): the driver copies pageable memory through a buffer of its own, at a fraction of the speed, and the host waits.
-- unless: the data is used once and pinning it would cost more.
--
-- Of Kineto traces, which tell what kind of memory a copy is from.
SELECT count(*) AS copies, sum(g.bytes) AS bytes, sum(g.dur_ns) AS total_ns, 1.0 * sum(g.bytes) / nullif(sum(g.dur_ns), 0) AS rate
FROM gpu_op AS g
WHERE g.kind_id IN (SELECT id FROM string WHERE text = 'copy')
    AND g.name_id IN (SELECT id FROM string WHERE text LIKE '%Pageable%')
HAVING sum(g.bytes) >= coalesce(:min_bytes, 100000000)
ORDER BY copies;
