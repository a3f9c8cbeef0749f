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
-- column: saves_ns dur_ns idle time of all GPUs, and not more than the calls for copies took, or so many of the longest as there are small copies, for each: at most
-- loss: either saves_ns
-- loss: either small_pct
-- order: small
-- finding: {small} copies, {small_pct} of all, were small: {small_bytes} together, in {total_ns} on the GPU, and each is a call on the host.
-- advice: Copy once per batch: collate on the host into one (pinned) buffer; do not read single values back (.item(), .cpu(), printing a loss at each step), which also waits for the GPU.
-- unless: they overlap with kernels, and the host has time.
SELECT
    s.small,
    100.0 * s.small / s.ops AS small_pct,
    s.small_bytes,
    s.total_ns,
    (
        SELECT min(sum(g.wall_ns - g.busy_min_ns), count(*) * (
            -- which calls they are of is not looked up: no more than so many of the longest
            SELECT min(sum(c.total_ns), coalesce(s.small * max(c.max_ns), sum(c.total_ns)))
            FROM call_stat AS c
            JOIN op AS o ON o.id = c.op_id
            WHERE c.by = 'op' AND o.layer = 'cuda' AND o.verb = 'copy'
        ))
        FROM gpu_phase AS g
        WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
    ) AS saves_ns
FROM (
    SELECT
        sum(ops) AS ops,
        sum(ops) FILTER (WHERE each_bytes < coalesce(:max_bytes, 65536)) AS small,
        sum(bytes) FILTER (WHERE each_bytes < coalesce(:max_bytes, 65536)) AS small_bytes,
        sum(total_ns) FILTER (WHERE each_bytes < coalesce(:max_bytes, 65536)) AS total_ns
    FROM gpu_stat
    WHERE by = 'device,kind,name,bytes' AND each_bytes IS NOT NULL AND kind_id IN (SELECT id FROM string WHERE text = 'copy')
) AS s
WHERE s.small >= coalesce(:min_copies, 1000) AND 100.0 * s.small >= coalesce(:min_pct, 50) * s.ops
ORDER BY small;
