-- title: How files are read and written: in order, or not
-- group: files
-- needs: file_stat
-- param: by template|file|process template -- what a row is
-- filters: time, process, file, limit
-- columns: name, op, pattern, calls, sequential, random, sequential_pct, bytes, mean_bytes, p50_low_bytes, total_ns, bytes_per_s
-- column: name TEXT kind of file (digits are {}), file, or process id and name; NULL: calls on files that are not known
-- column: pattern TEXT sequential (95 % and more begin where the one before ended), random (5 % at most), mixed; NULL if no offset is known
-- column: sequential count of these: began where the previous one of the same process and file ended, the first at 0
-- column: random count of these: with a known offset that did not
-- column: sequential_pct percent share of those whose offset is known
-- column: p50_low_bytes bytes power of two that the median size is at least
-- loss: either sequential, random, sequential_pct, mean_bytes, p50_low_bytes, bytes_per_s
-- none: no reads or writes of files were traced that say how much they transferred
-- order: s.total_ns DESC, name, op, s.id
--
-- Read-ahead makes sequential reads cheap, and each jump loses it: on disks that turn and on network file systems most. A lost call
-- makes the next one look like a jump. What several threads of a process read of one file, each in order, is random here.
-- Pipes, sockets and terminals are left out, but not by process.
WITH
    -- those not in waited_file, which partials do not hold
    waiting (class) AS (VALUES ('pipe'), ('socket'), ('eventfd'), ('anon-inode'), ('terminal'), ('unnamed')),
    stored AS NOT MATERIALIZED (SELECT id, template_id FROM file WHERE class NOT IN waiting),
    s AS MATERIALIZED (
        -- no more columns than the file holds of the whole run
        SELECT file_id, process_id, template_id, verb, calls, done_bytes, total_ns, sequential, random, p50_bytes_low,
            CASE coalesce(:by, 'template') WHEN 'file' THEN file_id WHEN 'process' THEN process_id ELSE template_id END AS id
        FROM io_stat
        WHERE by = CASE coalesce(:by, 'template') WHEN 'file' THEN 'file,verb' WHEN 'process' THEN 'process,verb' ELSE 'template,verb' END
            AND verb IN ('read', 'write') AND done_bytes IS NOT NULL
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process AND of_file IS :file
    )
SELECT
    coalesce(f.path, f.name, p.pid || coalesce(' ' || p.name, '') || coalesce(' on ' || p.host, ''), t.text) AS name,
    s.verb AS op,
    CASE
        WHEN 100 * s.sequential >= 95 * (s.sequential + s.random) THEN 'sequential'
        WHEN 100 * s.sequential <= 5 * (s.sequential + s.random) THEN 'random'
        WHEN s.sequential IS NOT NULL THEN 'mixed'
    END AS pattern,
    s.calls, s.sequential, s.random,
    100.0 * s.sequential / nullif(s.sequential + s.random, 0) AS sequential_pct,
    s.done_bytes AS bytes,
    s.done_bytes / s.calls AS mean_bytes,
    s.p50_bytes_low AS p50_low_bytes,
    s.total_ns,
    1e9 * s.done_bytes / nullif(s.total_ns, 0) AS bytes_per_s
FROM s
LEFT JOIN file AS f ON f.id = s.file_id
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN string AS t ON t.id = s.template_id
WHERE CASE coalesce(:by, 'template')
        WHEN 'file' THEN s.file_id IS NULL OR EXISTS (SELECT 1 FROM stored AS x WHERE x.id = s.file_id)
        WHEN 'process' THEN s.process_id IS NOT NULL
        ELSE s.template_id IS NULL OR EXISTS (SELECT 1 FROM stored AS x WHERE x.template_id = s.template_id)
    END
ORDER BY s.total_ns DESC, name, op, s.id
LIMIT coalesce(:limit, -1);
