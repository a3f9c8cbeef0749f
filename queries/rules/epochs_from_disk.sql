-- title: Later epochs read from disk again
-- level: warning
-- needs: block_request, file_stat, phase_interval
-- uses: segment
-- param: min_pct REAL 50 -- bytes from disk as a share of the bytes that are read in the epoch
-- param: min_bytes bytes 100mb -- and in an epoch
-- column: epochs count epochs after the first in which that is so
-- column: all_epochs count epochs after the first
-- column: disk_bytes bytes read from disk in them, on average
-- column: read_bytes bytes read from files in them, on average
-- column: disk_pct percent disk_bytes as a share of read_bytes
-- column: template TEXT files that most was read of, in the whole run, with {} for numbers and for what is random
-- column: mostly TEXT the same in words
-- column: saves_ns dur_ns idle time of all GPUs, and not more than disks were at work in these epochs, for each: at most
-- loss: either saves_ns
-- loss: either disk_bytes, read_bytes
-- order: epochs
-- finding: In {epochs} of {all_epochs} epochs after the first, {disk_bytes} came from disk of {read_bytes} that were read, {disk_pct}, on average{mostly}.
-- advice: The data does not stay in the page cache: use less memory elsewhere, fewer copies of it in loader processes, smaller data (compressed, cropped); copy it to tmpfs or a local SSD; or give each rank its own part to read.
-- unless: each epoch reads other files.
WITH
    epoch AS MATERIALIZED (
        -- segments are cut where phases begin and end
        SELECT
            p.label, p.run_number,
            row_number() OVER (PARTITION BY p.run_number ORDER BY min(p.start_ns), p.label) AS place,
            sum(s.block_read_bytes) AS disk_bytes, sum(s.read_bytes) AS read_bytes, sum(s.block_ns) AS block_ns
        FROM phase_interval AS p
        JOIN segment AS s ON s.start_ns >= p.start_ns AND s.start_ns < p.end_ns
        WHERE p.label LIKE 'epoch _%'
        GROUP BY p.label, p.run_number
    ),
    later AS (
        SELECT *, disk_bytes >= coalesce(:min_bytes, 100000000) AND 100.0 * disk_bytes >= coalesce(:min_pct, 50) * read_bytes AS is_cold
        FROM epoch
        WHERE place > 1
    ),
    most AS (
        SELECT t.text AS template, printf('; %.0f %% of what all read is of ', 100.0 * s.done_bytes / sum(s.done_bytes) OVER ()) || t.text AS words
        FROM (SELECT 1 FROM later WHERE is_cold LIMIT 1)
        CROSS JOIN io_stat AS s
        JOIN string AS t ON t.id = s.template_id
        WHERE s.by = 'template,verb' AND s.verb = 'read' AND s.done_bytes > 0
            AND EXISTS (SELECT 1 FROM file AS f WHERE f.template_id = s.template_id AND f.class IN ('regular', 'deleted'))
        ORDER BY s.done_bytes DESC, t.text
        LIMIT 1
    )
SELECT
    sum(is_cold) AS epochs,
    count(*) AS all_epochs,
    avg(disk_bytes) FILTER (WHERE is_cold) AS disk_bytes,
    avg(read_bytes) FILTER (WHERE is_cold) AS read_bytes,
    100.0 * sum(disk_bytes) FILTER (WHERE is_cold) / nullif(sum(read_bytes) FILTER (WHERE is_cold), 0) AS disk_pct,
    m.template,
    coalesce(m.words, '') AS mostly,
    (
        SELECT min(sum(g.wall_ns - g.busy_min_ns), count(*) * (SELECT sum(e.block_ns) FROM later AS e WHERE e.is_cold))
        FROM gpu_phase AS g
        WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
    ) AS saves_ns
FROM later
LEFT JOIN most AS m
HAVING epochs > 0
ORDER BY epochs;
