-- title: Calls that took longest
-- group: time
-- needs: call
-- param: kind io|all io -- which calls: I/O on files, or all, those that wait for something included
-- param: verb TEXT NULL -- only calls that do this: read, write, open, sync, ...
-- param: start_ns ts_ns NULL -- only calls that start at this time or later
-- param: end_ns ts_ns NULL -- only calls that start before this time
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- param: file TEXT NULL -- only files whose path, or name where no path is known, is like this GLOB
-- param: limit INTEGER 10 -- show so many rows
-- column: start_ns ts_ns begin of the call
-- column: dur_ns dur_ns its duration
-- column: op TEXT operation
-- column: pid INTEGER process id
-- column: process TEXT command name, and its machine where there are several
-- column: role TEXT what the process does in the run: gpu-worker, data-loader, ...
-- column: file TEXT path of the file, or its name where that is not known
-- column: bytes bytes bytes transferred
-- column: offset_bytes bytes where in the file
-- column: cold_bytes bytes bytes that were not in the page cache, or read ahead, where a recording tells
-- column: error TEXT name of the error, or its number where it has none; NULL: the call did not fail
-- column: phase TEXT shortest phase in which it starts
-- column: block_requests count requests to disks that were issued while it was in progress, by any process; NULL: none were recorded
-- loss: none start_ns, dur_ns, bytes, offset_bytes
-- order: c.dur_ns DESC, c.id
--
-- Calls that an outer layer counts are left out. I/O on pipes, sockets, eventfds and terminals is waiting for somebody, and is here
-- with kind 'all' only.
WITH
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    wanted_op AS MATERIALIZED (
        SELECT id FROM op
        WHERE (coalesce(:kind, 'io') = 'all' OR (kind = 'io' AND verb <> 'socket')) AND (:verb IS NULL OR verb = :verb)
    ),
    waiting (class) AS (VALUES ('pipe'), ('socket'), ('eventfd'), ('anon-inode'), ('device'), ('unnamed')),
    -- so many took that long at least: nothing else has to be looked at. Without the extension nobody tells, and all of it is.
    long_enough AS MATERIALIZED (
        SELECT coalesce(max(low_ns), 0) AS ns
        FROM (
            SELECT low_ns, sum(sum(calls)) OVER (ORDER BY low_ns DESC) AS calls
            FROM call_stat
            WHERE by = 'class,op,latency'
                AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process AND of_file IS :file
                AND op_id IN (SELECT id FROM wanted_op)
                AND (coalesce(:kind, 'io') = 'all' OR class IS NULL OR class NOT IN (SELECT class FROM waiting))
            GROUP BY low_ns
        )
        WHERE calls >= coalesce(:limit, 10) AND coalesce(:limit, 10) >= 0
    ),
    longest AS MATERIALIZED (
        SELECT c.*
        FROM call AS c
        WHERE c.dur_ns > 0 AND c.nested = 0
            AND +c.dur_ns >= (SELECT ns FROM long_enough)
            AND c.op_id IN (SELECT id FROM wanted_op)
            AND (coalesce(:kind, 'io') = 'all' OR c.file_id IS NULL OR (SELECT class FROM file WHERE id = c.file_id) NOT IN (SELECT class FROM waiting))
            AND EXISTS (SELECT 1 FROM period AS p WHERE c.start_ns >= p.start_ns AND c.start_ns < p.end_ns)
            AND (:pid IS NULL OR c.process_id IN (SELECT id FROM process WHERE pid = :pid))
            AND (:process IS NULL OR c.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
            AND (:file IS NULL OR c.file_id IN (SELECT id FROM file WHERE coalesce(path, name) GLOB :file))
        ORDER BY c.dur_ns DESC, c.id
        LIMIT coalesce(:limit, 10)
    )
SELECT
    c.start_ns,
    c.dur_ns,
    o.name AS op,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role,
    coalesce(nullif(f.path, ''), nullif(f.name, ''), CASE WHEN f.id IS NOT NULL THEN '(no name)' END) AS file,
    c.done_bytes AS bytes,
    c.offset_bytes,
    c.cold_bytes,
    CASE WHEN c.ret < 0 THEN coalesce(CASE WHEN o.layer <> 'cuda' THEN (SELECT e.name FROM errno_name AS e WHERE e.number = -c.ret) END, printf('%d', -c.ret)) END AS error,
    (SELECT label FROM phase_interval AS i WHERE i.start_ns <= c.start_ns AND i.end_ns > c.start_ns ORDER BY i.end_ns - i.start_ns, length(label) DESC, label LIMIT 1) AS phase,
    CASE WHEN EXISTS (SELECT 1 FROM block_request) THEN
        (SELECT count(*) FROM block_request AS b WHERE b.start_ns < c.start_ns + c.dur_ns AND b.start_ns >= c.start_ns) END AS block_requests
FROM longest AS c
JOIN op AS o ON o.id = c.op_id
LEFT JOIN process AS p ON p.id = c.process_id
LEFT JOIN file AS f ON f.id = c.file_id
ORDER BY c.dur_ns DESC, c.id;
