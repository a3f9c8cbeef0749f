-- title: What took longest: calls, disk requests, work of GPUs
-- group: time
-- needs-any: call, block_request, gpu_op
-- param: of call|request|kernel|all call -- what: calls, requests to disks, kernels and copies of GPUs, or the longest of all of them
-- param: kind io|all io -- which calls: I/O on files, or all, those that wait for something included
-- param: verb TEXT NULL -- only calls that do this: read, write, open, sync, ...
-- filters: time, process, file, limit 10
-- columns: start_ns, dur_ns, op, pid, process, role, file, bytes, offset_bytes, cold_bytes, error, phase, block_requests, calls
-- columns: kernels, meanwhile
-- column: op TEXT operation; 'disk read' and the like of a request, the kernel's name of work of a GPU
-- column: file TEXT path of the file, or its name where that is not known; disk of a request, GPU of a kernel
-- column: offset_bytes bytes where in the file
-- column: cold_bytes bytes bytes that were not in the page cache, or read ahead, where a recording tells
-- column: block_requests count other requests to disks that were issued while it was in progress, by any process; NULL: none were recorded
-- column: calls count other calls that began while it was in progress, in any process
-- column: kernels count kernels and copies that began on any GPU meanwhile; NULL: none were recorded
-- column: meanwhile TEXT the longest of those calls: operation, process, file
-- keep: start_ns, dur_ns, op, file, bytes
-- loss: none start_ns, dur_ns, bytes, offset_bytes
-- none: no call of file I/O was traced with its duration: --param kind=all has all calls, --param of=all requests of disks and work of GPUs, too
-- order: c.dur_ns DESC, c.what, c.id
--
-- Calls that an outer layer counts are left out. I/O on pipes, sockets, eventfds and terminals is waiting for somebody, and is here
-- with kind 'all' only.
WITH RECURSIVE
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    -- of what the file has the longest 100 of each kind and operation, which is all that the whole run is asked for
    held AS MATERIALIZED (
        SELECT DISTINCT what
        FROM longest
        WHERE coalesce(:start_ns, :end_ns, :phase, :pid, :process, :file) IS NULL AND coalesce(:limit, 10) BETWEEN 0 AND 100
    ),
    call_row AS (
        SELECT 'call' AS what, c.id, c.start_ns, c.dur_ns, c.op_id, NULL AS name, c.process_id, c.file_id, c.done_bytes AS bytes, c.offset_bytes, c.cold_bytes, c.ret
        FROM (
            SELECT call_id
            FROM (
                SELECT l.id AS call_id, l.dur_ns
                FROM (SELECT 1 WHERE coalesce(:of, 'call') IN ('call', 'all'))
                CROSS JOIN longest AS l
                JOIN op AS o ON o.id = l.op_id
                WHERE l.what = 'call' AND l.what IN held AND (l.waits = 0 OR :kind = 'all') AND o.verb GLOB coalesce(:verb, '*')
                UNION ALL
                SELECT l.call_id, l.dur_ns
                FROM (SELECT 1 WHERE coalesce(:of, 'call') IN ('call', 'all') AND 'call' NOT IN held)
                CROSS JOIN long_call AS l
                WHERE l.kind = coalesce(:kind, 'io') AND l.verb GLOB coalesce(:verb, '*') AND l.of_top >= coalesce(:limit, 10)
                    AND l.since_ns IS :start_ns AND l.until_ns IS :end_ns AND l.in_phase IS :phase AND l.of_pid IS :pid AND l.of_process IS :process AND l.of_file IS :file
            )
            ORDER BY dur_ns DESC, call_id
            LIMIT coalesce(:limit, 10)
        ) AS l
        CROSS JOIN call AS c ON c.id = l.call_id
    ),
    request_id AS (
        SELECT l.id
        FROM (SELECT 1 WHERE :of IN ('request', 'all'))
        CROSS JOIN longest AS l
        WHERE l.what = 'request' AND l.what IN held
        UNION ALL
        SELECT id
        FROM (
            SELECT b.id
            FROM (SELECT 1 WHERE :of IN ('request', 'all') AND 'request' NOT IN held AND :file IS NULL)
            CROSS JOIN block_request AS b
            WHERE b.dur_ns > 0 AND (:verb IS NULL OR :verb = CASE b.op WHEN 0 THEN 'read' WHEN 1 THEN 'write' END)
                AND EXISTS (SELECT 1 FROM period AS p WHERE b.start_ns >= p.start_ns AND b.start_ns < p.end_ns)
                AND (:pid IS NULL OR b.process_id IN (SELECT id FROM process WHERE pid = :pid))
                AND (:process IS NULL OR b.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
            ORDER BY b.dur_ns DESC, b.id
            LIMIT coalesce(:limit, 10)
        )
    ),
    request_row AS (
        SELECT 'request', b.id, b.start_ns, b.dur_ns, NULL, CASE b.op WHEN 0 THEN 'disk read' WHEN 1 THEN 'disk write' ELSE 'disk, other' END, b.process_id, b.device_id, b.bytes, b.sector * 512, NULL, NULL
        FROM request_id AS r
        CROSS JOIN block_request AS b ON b.id = r.id
        WHERE :verb IS NULL OR :verb = CASE b.op WHEN 0 THEN 'read' WHEN 1 THEN 'write' END
        ORDER BY b.dur_ns DESC, b.id
        LIMIT coalesce(:limit, 10)
    ),
    -- so many took that long at least: nothing else has to be looked at. Without the extension nobody tells, and all of it is.
    long_kernel AS MATERIALIZED (
        SELECT coalesce(max(low_ns), 0) AS ns
        FROM (
            SELECT low_ns, sum(sum(ops)) OVER (ORDER BY low_ns DESC) AS ops
            FROM gpu_stat
            WHERE by = CASE WHEN :of IN ('kernel', 'all') AND 'kernel' NOT IN held THEN 'kind,latency' END
                AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
                AND kind_id IN (SELECT id FROM string WHERE text <> 'sync')
            GROUP BY low_ns
        )
        WHERE ops >= coalesce(:limit, 10) AND coalesce(:limit, 10) >= 0
    ),
    -- work of GPUs is in order of time: the first that starts in that time, and the first behind it
    bound (at_ns, low, high) AS (
        SELECT at_ns, 1, coalesce((SELECT max(id) + 1 FROM gpu_op), 1)
        FROM (SELECT min(start_ns) AS at_ns FROM period UNION SELECT max(end_ns) FROM period)
        WHERE at_ns IS NOT NULL AND :of IN ('kernel', 'all') AND 'kernel' NOT IN held
        UNION ALL
        SELECT b.at_ns, CASE WHEN g.start_ns < b.at_ns THEN g.id + 1 ELSE b.low END, CASE WHEN g.start_ns < b.at_ns THEN b.high ELSE g.id END
        FROM bound AS b
        JOIN gpu_op AS g ON g.id = (b.low + b.high) / 2
        WHERE b.low < b.high
    ),
    among_work AS MATERIALIZED (SELECT min(low) AS first_id, max(low) AS end_id FROM bound WHERE low = high),
    kernel_id AS (
        SELECT l.id
        FROM (SELECT 1 WHERE :of IN ('kernel', 'all'))
        CROSS JOIN longest AS l
        WHERE l.what = 'kernel' AND l.what IN held AND :verb IS NULL
        UNION ALL
        SELECT id
        FROM (
            SELECT g.id
            FROM among_work AS a
            CROSS JOIN gpu_op AS g ON g.id >= a.first_id AND g.id < a.end_id
            WHERE g.dur_ns > 0 AND g.dur_ns >= (SELECT ns FROM long_kernel) AND :file IS NULL AND :verb IS NULL
                AND g.kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
                AND EXISTS (SELECT 1 FROM period AS p WHERE g.start_ns >= p.start_ns AND g.start_ns < p.end_ns)
                AND (:pid IS NULL OR g.process_id IN (SELECT id FROM process WHERE pid = :pid))
                AND (:process IS NULL OR g.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
            ORDER BY g.dur_ns DESC, g.id
            LIMIT coalesce(:limit, 10)
        )
    ),
    kernel_row AS (
        SELECT 'kernel', g.id, g.start_ns, g.dur_ns, NULL, g.name_id, g.process_id, g.device_id, g.bytes, NULL, NULL, NULL
        FROM kernel_id AS k
        CROSS JOIN gpu_op AS g ON g.id = k.id
        ORDER BY g.dur_ns DESC, g.id
        LIMIT coalesce(:limit, 10)
    ),
    shown AS MATERIALIZED (
        SELECT * FROM (
            SELECT * FROM call_row
            UNION ALL
            SELECT * FROM request_row
            UNION ALL
            SELECT * FROM kernel_row
        )
        ORDER BY dur_ns DESC, what, id
        LIMIT coalesce(:limit, 10)
    ),
    -- likewise: which one is the first that begins at the begin of a row, and at its end
    search (at_ns, low, high) AS (
        SELECT at_ns, 1, coalesce((SELECT max(id) + 1 FROM gpu_op), 1)
        FROM (SELECT start_ns AS at_ns FROM shown UNION SELECT start_ns + dur_ns FROM shown)
        UNION ALL
        SELECT s.at_ns, CASE WHEN g.start_ns < s.at_ns THEN g.id + 1 ELSE s.low END, CASE WHEN g.start_ns < s.at_ns THEN s.high ELSE g.id END
        FROM search AS s
        JOIN gpu_op AS g ON g.id = (s.low + s.high) / 2
        WHERE s.low < s.high
    ),
    found AS MATERIALIZED (SELECT at_ns, low AS id FROM search WHERE low = high),
    -- call_block: the calls that begin meanwhile are those of whole blocks, and some of the block in which that time begins and of that in which it ends
    block AS MATERIALIZED (
        SELECT
            l.what, l.id, l.start_ns, l.start_ns + l.dur_ns AS end_ns,
            (SELECT max(b.start_ns) FROM call_block AS b WHERE b.start_ns <= l.start_ns) AS first_ns,
            (SELECT max(b.start_ns) FROM call_block AS b WHERE b.start_ns < l.start_ns + l.dur_ns) AS last_ns
        FROM shown AS l
    ),
    edge AS MATERIALIZED (
        SELECT b.what, b.id, b.start_ns, b.end_ns, e.first_id, e.last_id
        FROM block AS b
        CROSS JOIN call_block AS e ON e.start_ns IN (b.first_ns, b.last_ns)
    ),
    beside AS MATERIALIZED (
        SELECT
            b.what, b.id,
            (
                SELECT id
                FROM (
                    SELECT k.max_id AS id, k.max_ns AS dur_ns
                    FROM call_block AS k
                    WHERE k.start_ns > b.start_ns AND k.start_ns < b.last_ns AND k.calls > 0
                    UNION ALL
                    SELECT c.id, c.dur_ns
                    FROM edge AS e
                    CROSS JOIN call AS c ON c.id >= e.first_id AND c.id <= e.last_id
                    WHERE e.what = b.what AND e.id = b.id
                        AND +c.start_ns >= e.start_ns AND +c.start_ns < e.end_ns AND +c.nested = 0 AND NOT (e.what = 'call' AND c.id = e.id)
                )
                ORDER BY dur_ns DESC, id
                LIMIT 1
            ) AS call_id,
            (SELECT coalesce(sum(k.calls), 0) FROM call_block AS k WHERE k.start_ns > b.start_ns AND k.start_ns < b.last_ns)
            + (
                SELECT count(*)
                FROM edge AS e
                CROSS JOIN call AS c ON c.id >= e.first_id AND c.id <= e.last_id
                WHERE e.what = b.what AND e.id = b.id AND +c.start_ns >= e.start_ns AND +c.start_ns < e.end_ns AND +c.nested = 0
            ) - (b.what = 'call') AS calls
        FROM block AS b
    )
SELECT
    c.start_ns,
    c.dur_ns,
    coalesce(o.name, (SELECT text FROM string WHERE c.what = 'kernel' AND id = c.name), c.name) AS op,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role,
    CASE c.what
        WHEN 'call' THEN coalesce(nullif(f.path, ''), nullif(f.name, ''), CASE WHEN f.id IS NOT NULL THEN '(no name)' END)
        ELSE (SELECT d.name || coalesce(' on ' || d.host, '') FROM device AS d WHERE d.id = c.file_id)
    END AS file,
    c.bytes,
    c.offset_bytes,
    c.cold_bytes,
    CASE WHEN c.ret < 0 THEN coalesce(CASE WHEN o.layer <> 'cuda' THEN (SELECT e.name FROM errno_name AS e WHERE e.number = -c.ret) END, printf('%d', -c.ret)) END AS error,
    (SELECT label FROM phase_interval AS i WHERE i.start_ns <= c.start_ns AND i.end_ns > c.start_ns ORDER BY i.end_ns - i.start_ns, length(label) DESC, label LIMIT 1) AS phase,
    CASE WHEN EXISTS (SELECT 1 FROM block_request) THEN
        (SELECT count(*) FROM block_request AS b WHERE b.start_ns < c.start_ns + c.dur_ns AND b.start_ns >= c.start_ns) - (c.what = 'request') END AS block_requests,
    m.calls,
    CASE WHEN EXISTS (SELECT 1 FROM gpu_op) THEN
        (SELECT id FROM found WHERE at_ns = c.start_ns + c.dur_ns) - (SELECT id FROM found WHERE at_ns = c.start_ns) - (c.what = 'kernel') END AS kernels,
    (
        SELECT mo.name || coalesce(' of ' || mp.pid || coalesce(' ' || mp.name, ''), '') || coalesce(', ' || nullif(coalesce(mf.path, mf.name), ''), '')
        FROM call AS x
        JOIN op AS mo ON mo.id = x.op_id
        LEFT JOIN process AS mp ON mp.id = x.process_id
        LEFT JOIN file AS mf ON mf.id = x.file_id
        WHERE x.id = m.call_id
    ) AS meanwhile
FROM shown AS c
LEFT JOIN op AS o ON o.id = c.op_id
LEFT JOIN process AS p ON p.id = c.process_id
LEFT JOIN file AS f ON c.what = 'call' AND f.id = c.file_id
JOIN beside AS m ON m.what = c.what AND m.id = c.id
ORDER BY c.dur_ns DESC, c.what, c.id;
