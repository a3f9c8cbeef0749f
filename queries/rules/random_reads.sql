-- title: Files are read in random order
-- level: info
-- needs: file_stat
-- param: min_calls INTEGER 1000 -- so many reads that do not begin where the one before ended are reported
-- param: min_pct REAL 50 -- and this share of all reads of a template
-- param: max_bytes bytes 131072 -- of a mean size below
-- columns: template, random, random_pct, mean_bytes, total_ns, saves_ns
-- column: random count reads that do not begin where the one before ended
-- column: random_pct percent share of those whose offset is known
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns, for each: at most
-- loss: either saves_ns
-- loss: either mean_bytes
-- order: s.total_ns DESC, t.text
-- finding: {random} reads of {template}, {random_pct}, do not begin where the one before ended; they move {mean_bytes} on average, and all reads took {total_ns}.
-- advice: Shuffle in blocks: read runs of samples and shuffle these in memory; or read larger pieces. On spinning disks and network file systems read-ahead is lost with each jump; madvise(MADV_RANDOM) at least avoids reading in vain.
-- unless: the file is in the page cache, or on an SSD that many requests are in flight to.
--
-- The three templates that took most time.
WITH
    -- how calls follow each other takes a look at all of them where there are very many files: not, where no template can be one of those
    small AS MATERIALIZED (
        SELECT template_id
        FROM io_stat
        WHERE by = 'template,verb' AND verb = 'read' AND calls >= coalesce(:min_calls, 1000) AND done_bytes < calls * coalesce(:max_bytes, 131072)
    )
SELECT
    t.text AS template,
    s.random,
    100.0 * s.random / (s.random + s.sequential) AS random_pct,
    s.done_bytes / s.calls AS mean_bytes,
    s.total_ns,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * s.total_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM (SELECT 1 FROM small LIMIT 1)
CROSS JOIN io_stat AS s
JOIN string AS t ON t.id = s.template_id
WHERE s.by = 'template,verb' AND s.verb = 'read'
    AND s.random >= coalesce(:min_calls, 1000)
    AND 100.0 * s.random >= coalesce(:min_pct, 50) * (s.random + s.sequential)
    AND s.template_id IN (SELECT template_id FROM small)
ORDER BY s.total_ns DESC, t.text
LIMIT 3;
