-- title: How files are read and written: in order, or not
-- group: files
-- needs: file_stat
-- param: by template|file|process template -- what a row is
-- param: start_ns ts_ns NULL -- only calls that start at this time or later
-- param: end_ns ts_ns NULL -- only calls that start before this time
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- param: file TEXT NULL -- only files whose path, or name where no path is known, is like this GLOB
-- param: limit INTEGER NULL -- show only so many rows
-- column: name TEXT kind of file (digits are {}), file, or process id and name
-- column: op TEXT read or write
-- column: pattern TEXT sequential (95 % and more begin where the one before ended), random (5 % at most), mixed; NULL if no offset is known
-- column: calls count calls
-- column: sequential count of these: began where the previous one of the same process and file ended, the first at 0
-- column: random count of these: with a known offset that did not
-- column: sequential_pct percent share of those whose offset is known
-- column: bytes bytes bytes transferred
-- column: mean_bytes bytes mean size of a call
-- column: p50_low_bytes bytes power of two that the median size is at least
-- column: total_ns dur_ns time in them
-- column: bytes_per_s bytes_per_s bytes per second of that time
-- loss: either sequential, random, sequential_pct, mean_bytes, p50_low_bytes, bytes_per_s
-- order: s.total_ns DESC, name, op, s.id
--
-- Read-ahead makes sequential reads cheap, and each jump loses it: on disks that turn and on network file systems most. A lost call
-- makes the next one look like a jump. What several threads of a process read of one file, each in order, is random here.
-- Pipes, sockets and terminals are left out.
WITH
    moving AS MATERIALIZED (
        SELECT id FROM file WHERE class NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'device', 'unnamed')
    ),
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
    s.calls,
    s.sequential,
    s.random,
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
        WHEN 'file' THEN s.file_id IN moving
        WHEN 'process' THEN s.process_id IS NOT NULL
        ELSE EXISTS (SELECT 1 FROM file AS x WHERE x.template_id = s.template_id AND x.id IN moving)
    END
ORDER BY s.total_ns DESC, name, op, s.id
LIMIT coalesce(:limit, -1);
