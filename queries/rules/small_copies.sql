-- title: Data goes to or from the GPU in small pieces
-- level: warning
-- needs: gpu_copy
-- param: max_bytes bytes 65536 -- a copy below is small
-- param: min_copies INTEGER 1000 -- so many are reported
-- param: min_pct REAL 50 -- and this share of all copies
-- columns: small, small_pct, small_bytes, total_ns, saves_ns
-- column: small count small copies
-- column: small_pct percent share of all copies whose size is known
-- column: small_bytes bytes their bytes
-- column: saves_ns dur_ns idle time of all GPUs while the host was in CUDA calls, at most; and not more than the calls for copies took of each
-- loss: either saves_ns
-- loss: either small_pct
-- order: small
-- finding: {small} copies, {small_pct} of all, were small: {small_bytes} together, in {total_ns} on the GPU, and each is a call on the host.
-- advice: Copy once per batch: collate on the host into one (pinned) buffer; do not read single values back (.item(), .cpu(), printing a loss at each step), which also waits for the GPU.
-- unless: they overlap with kernels, and the host has time.
SELECT
    sum(g.ops) FILTER (WHERE g.is_small) AS small,
    100.0 * sum(g.ops) FILTER (WHERE g.is_small) / sum(g.ops) AS small_pct,
    sum(g.bytes) FILTER (WHERE g.is_small) AS small_bytes,
    sum(g.total_ns) FILTER (WHERE g.is_small) AS total_ns,
    (
        SELECT min(sum(idle_max_ns), max(gpus) * (SELECT sum(c.total_ns) FROM call_stat AS c JOIN op AS o ON o.id = c.op_id WHERE c.by = 'op' AND o.layer = 'cuda' AND o.verb = 'copy'))
        FROM gpu_idle_run
        WHERE cause IN ('CUDA call')
    ) AS saves_ns
FROM (
    SELECT ops, bytes, total_ns, each_bytes < coalesce(:max_bytes, 65536) AS is_small
    FROM gpu_stat
    WHERE by = 'device,kind,name,bytes' AND each_bytes IS NOT NULL AND kind_id IN (SELECT id FROM string WHERE text = 'copy')
) AS g
HAVING small >= coalesce(:min_copies, 1000) AND small_pct >= coalesce(:min_pct, 50)
ORDER BY small;
