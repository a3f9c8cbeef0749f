-- title: Who writes to what has no name on disk
-- needs: file_stat
-- param: start_ns ts_ns NULL -- only calls that start at this time or later
-- param: end_ns ts_ns NULL -- only calls that start before this time
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- param: limit INTEGER NULL -- show only so many rows
-- column: pid INTEGER process id
-- column: process TEXT command name
-- column: role TEXT what the process does in the run: gpu-worker, data-loader, ...
-- column: class TEXT what is written to: unnamed, anon-inode, eventfd, shm, memfd, pipe, socket, device (terminals) or deleted
-- column: class_basis TEXT known (a source says so), or inferred from the name
-- column: name TEXT its name with {} for every run of digits
-- column: files count files that have such a name
-- column: writes count writes
-- column: write_bytes bytes bytes written
-- column: write_ns dur_ns sum of the durations of the writes
-- column: reads count reads
-- column: read_bytes bytes bytes read
-- column: read_ns dur_ns sum of the durations of the reads
-- column: first_ns ts_ns start of the first of these reads and writes; NULL if the process is unknown
-- column: last_ns ts_ns start of the last
-- column: peak_ns ts_ns begin of the time bin (run.bin_ns wide) with most writes
-- column: peak_writes count writes in it
-- order: writes DESC, reads DESC, pid, class, name, class_basis, first_ns
--
-- Data loaders hand batches to the training process through /dev/shm (torch_*), sockets and eventfds; logs go to pipes
-- and terminals (numbers below /dev/pts). A file without any name is an anonymous inode, a memfd or a socket:
-- bpftrace prints an empty name for all of them. Counts only what no outer layer counts already.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE (:pid IS NOT NULL OR :process IS NOT NULL)
            AND (:pid IS NULL OR pid = :pid)
            AND (:process IS NULL OR name = :process OR role = :process)
    ),
    -- raw: read the calls. Else bin_stat and file_stat answer.
    mode AS MATERIALIZED (
        SELECT
            :pid IS NULL AND :process IS NULL AS everyone,
            coalesce(:start_ns, :end_ns, :phase) IS NOT NULL AS raw
    ),
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    -- The periods with the ids of the calls in them; none unless raw, so that no call is read.
    win AS MATERIALIZED (
        SELECT
            start_ns,
            end_ns,
            coalesce((SELECT first_id FROM call_block AS b WHERE b.start_ns < p.start_ns ORDER BY b.start_ns DESC LIMIT 1), 0) AS first_id,
            coalesce((SELECT last_id FROM call_block AS b WHERE b.start_ns < p.end_ns ORDER BY b.start_ns DESC LIMIT 1), 0) AS last_id
        FROM period AS p
        WHERE (SELECT raw FROM mode)
    ),
    anon AS MATERIALIZED (
        SELECT id AS file_id, class, class_basis, template_id
        FROM file
        WHERE class IN ('unnamed', 'anon-inode', 'eventfd', 'shm', 'memfd', 'pipe', 'socket', 'deleted')
            OR (class = 'device' AND (path GLOB '/dev/pts/*' OR (path IS NULL AND name GLOB '[0-9]*')))
    ),
    transfer AS MATERIALIZED (
        SELECT id AS op_id, verb = 'write' AS is_write FROM op WHERE kind = 'io' AND verb IN ('read', 'write')
    ),
    -- Calls per process, file, direction and time bin.
    part AS MATERIALIZED (
        SELECT
            b.process_id, b.file_id, t.is_write, b.bin_ns,
            sum(b.calls) AS calls, sum(b.done_bytes) AS done_bytes, sum(b.total_ns) AS total_ns, NULL AS first_ns, NULL AS last_ns
        FROM bin_stat AS b
        CROSS JOIN transfer AS t ON t.op_id = b.op_id
        WHERE NOT (SELECT raw FROM mode)
            AND b.file_id IN (SELECT file_id FROM anon)
            AND ((SELECT everyone FROM mode) OR b.process_id IN who)
        GROUP BY 1, 2, 3, 4
        UNION ALL
        SELECT
            c.process_id, c.file_id, t.is_write, c.start_ns / r.bin_ns * r.bin_ns AS bin_ns,
            count(*), sum(c.done_bytes), sum(c.dur_ns),
            CASE WHEN c.process_id IS NOT NULL THEN min(c.start_ns) END, CASE WHEN c.process_id IS NOT NULL THEN max(c.start_ns) END
        FROM win
        CROSS JOIN run AS r
        CROSS JOIN call AS c NOT INDEXED ON c.id BETWEEN win.first_id AND win.last_id
        CROSS JOIN transfer AS t ON t.op_id = c.op_id
        WHERE c.start_ns >= win.start_ns AND c.start_ns < win.end_ns
            AND c.file_id IN (SELECT file_id FROM anon)
            AND ((SELECT everyone FROM mode) OR c.process_id IN who)
            AND c.nested = 0
        GROUP BY 1, 2, 3, 4
        UNION ALL
        SELECT process_id, key_id, verb = 'write', NULL, 0, NULL, NULL, first_ns, last_ns
        FROM file_stat
        WHERE NOT (SELECT raw FROM mode)
            AND by = 'file' AND verb IN ('read', 'write')
            AND process_id IS NOT NULL
            AND key_id IN (SELECT file_id FROM anon)
            AND ((SELECT everyone FROM mode) OR process_id IN who)
    ),
    bin AS (
        SELECT
            p.process_id, a.class, a.class_basis, a.template_id, p.bin_ns,
            coalesce(sum(p.calls) FILTER (WHERE p.is_write), 0) AS writes,
            sum(p.done_bytes) FILTER (WHERE p.is_write) AS write_bytes,
            sum(p.total_ns) FILTER (WHERE p.is_write) AS write_ns,
            coalesce(sum(p.calls) FILTER (WHERE NOT p.is_write), 0) AS reads,
            sum(p.done_bytes) FILTER (WHERE NOT p.is_write) AS read_bytes,
            sum(p.total_ns) FILTER (WHERE NOT p.is_write) AS read_ns,
            min(p.first_ns) AS first_ns,
            max(p.last_ns) AS last_ns
        FROM part AS p
        JOIN anon AS a ON a.file_id = p.file_id
        GROUP BY p.process_id, a.class, a.class_basis, a.template_id, p.bin_ns
    ),
    ranked AS (
        SELECT
            *,
            row_number() OVER (PARTITION BY process_id, class, class_basis, template_id ORDER BY writes DESC, reads DESC, bin_ns) AS rank
        FROM bin
    ),
    row AS MATERIALIZED (
        SELECT
            process_id, class, class_basis, template_id,
            sum(writes) AS writes,
            sum(write_bytes) AS write_bytes,
            sum(write_ns) AS write_ns,
            sum(reads) AS reads,
            sum(read_bytes) AS read_bytes,
            sum(read_ns) AS read_ns,
            min(first_ns) AS first_ns,
            max(last_ns) AS last_ns,
            max(bin_ns) FILTER (WHERE rank = 1 AND writes > 0) AS peak_ns,
            max(writes) FILTER (WHERE rank = 1 AND writes > 0) AS peak_writes
        FROM ranked
        GROUP BY process_id, class, class_basis, template_id
    ),
    files (of_process, of_class, of_basis, of_template, n) AS MATERIALIZED (
        SELECT p.process_id, a.class, a.class_basis, a.template_id, count(DISTINCT p.file_id)
        FROM part AS p
        JOIN anon AS a ON a.file_id = p.file_id
        GROUP BY p.process_id, a.class, a.class_basis, a.template_id
    )
SELECT
    p.pid,
    p.name AS process,
    p.role,
    r.class,
    r.class_basis,
    coalesce(nullif(s.text, ''), '(no name)') AS name,
    f.n AS files,
    r.writes,
    r.write_bytes,
    r.write_ns,
    r.reads,
    r.read_bytes,
    r.read_ns,
    r.first_ns,
    r.last_ns,
    r.peak_ns,
    r.peak_writes
FROM row AS r
JOIN files AS f
    ON f.of_process IS r.process_id AND f.of_class = r.class AND f.of_basis = r.class_basis AND f.of_template = r.template_id
JOIN string AS s ON s.id = r.template_id
LEFT JOIN process AS p ON p.id = r.process_id
ORDER BY writes DESC, reads DESC, pid, class, name, class_basis, first_ns
LIMIT coalesce(:limit, -1);
