-- title: I/O by process
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
-- column: opens count opens
-- column: reads count reads
-- column: writes count writes
-- column: errors count I/O calls that failed
-- column: read_bytes bytes bytes read
-- column: write_bytes bytes bytes written
-- column: total_ns dur_ns sum of the durations of all I/O calls: opens, reads, writes, closes, ...
-- column: time_pct percent share of the total_ns of all rows, those that limit hides included
-- column: bytes_pct percent share of the bytes of all rows
-- column: busiest_file TEXT the file that most of the time went to
-- column: first_ns ts_ns start of its first I/O call
-- column: last_ns ts_ns start of its last I/O call
-- order: total_ns DESC, pid, first_ns, process
--
-- Counts I/O calls (op.kind 'io') that no outer layer counts already. A process id that was used twice has two rows.
-- Row without pid: calls of unknown processes.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE (:pid IS NOT NULL OR :process IS NOT NULL)
            AND (:pid IS NULL OR pid = :pid)
            AND (:process IS NULL OR name = :process OR role = :process)
    ),
    -- raw: read the calls. Else file_stat answers.
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
    -- Calls per process, file and operation. Bits of k, from the top: process, file (28), operation (10); 0: unknown.
    part AS MATERIALIZED (
        SELECT
            (coalesce(c.process_id, 0) << 38) | (coalesce(c.file_id, 0) << 10) | c.op_id AS k,
            count(*) AS calls,
            sum(c.ret < 0) AS errors,
            sum(c.done_bytes) AS done_bytes,
            sum(c.dur_ns) AS total_ns,
            min(c.start_ns) AS first_ns,
            max(c.start_ns) AS last_ns
        FROM win
        CROSS JOIN call AS c NOT INDEXED ON c.id BETWEEN win.first_id AND win.last_id
        WHERE c.start_ns >= win.start_ns AND c.start_ns < win.end_ns
            AND ((SELECT everyone FROM mode) OR c.process_id IN who)
            AND c.nested = 0
            AND c.op_id IN (SELECT id FROM op WHERE kind = 'io')
        GROUP BY k
    ),
    -- Time per process and file, the busiest file first.
    file_time AS (
        SELECT process_id, key_id AS file_id, sum(total_ns) AS ns
        FROM file_stat
        WHERE NOT (SELECT raw FROM mode)
            AND by = 'file' AND process_id IS NOT NULL AND key_id IS NOT NULL
            AND ((SELECT everyone FROM mode) OR process_id IN who)
        GROUP BY process_id, key_id
        UNION ALL
        SELECT nullif(k >> 38, 0), (k >> 10) & 268435455, sum(total_ns)
        FROM part
        WHERE k >> 38 AND (k >> 10) & 268435455
        GROUP BY k >> 10
    ),
    busiest AS MATERIALIZED (
        SELECT process_id, file_id
        FROM (SELECT process_id, file_id, row_number() OVER (PARTITION BY process_id ORDER BY ns DESC, file_id) AS rank FROM file_time)
        WHERE rank = 1
    ),
    stat AS (
        SELECT key_id AS process_id, verb, calls, errors, done_bytes, total_ns, first_ns, last_ns, NULL AS file_id
        FROM file_stat
        WHERE NOT (SELECT raw FROM mode)
            AND by = 'process'
            AND ((SELECT everyone FROM mode) OR key_id IN who)
        UNION ALL
        SELECT nullif(p.k >> 38, 0), o.verb, calls, errors, done_bytes, total_ns, first_ns, last_ns, NULL
        FROM part AS p
        CROSS JOIN op AS o ON o.id = p.k & 1023
        UNION ALL
        -- Not joined: SQLite would go through all of it for each process.
        SELECT process_id, NULL, 0, 0, NULL, NULL, NULL, NULL, file_id FROM busiest
    ),
    row AS MATERIALIZED (
        SELECT
            process_id,
            coalesce(sum(calls) FILTER (WHERE verb = 'open'), 0) AS opens,
            coalesce(sum(calls) FILTER (WHERE verb = 'read'), 0) AS reads,
            coalesce(sum(calls) FILTER (WHERE verb = 'write'), 0) AS writes,
            coalesce(sum(errors), 0) AS errors,
            sum(done_bytes) FILTER (WHERE verb = 'read') AS read_bytes,
            sum(done_bytes) FILTER (WHERE verb = 'write') AS write_bytes,
            sum(total_ns) AS total_ns,
            min(first_ns) AS first_ns,
            max(last_ns) AS last_ns,
            max(file_id) AS file_id
        FROM stat
        GROUP BY process_id
    )
SELECT
    p.pid,
    p.name AS process,
    p.role,
    r.opens,
    r.reads,
    r.writes,
    r.errors,
    r.read_bytes,
    r.write_bytes,
    r.total_ns,
    100.0 * r.total_ns / sum(r.total_ns) OVER () AS time_pct,
    100.0 * (coalesce(r.read_bytes, 0) + coalesce(r.write_bytes, 0))
        / nullif(sum(coalesce(r.read_bytes, 0) + coalesce(r.write_bytes, 0)) OVER (), 0) AS bytes_pct,
    (SELECT coalesce(nullif(path, ''), nullif(name, ''), '(no name)') FROM file AS f WHERE f.id = r.file_id) AS busiest_file,
    r.first_ns,
    r.last_ns
FROM row AS r
LEFT JOIN process AS p ON p.id = r.process_id
ORDER BY total_ns DESC, pid, first_ns, process
LIMIT coalesce(:limit, -1);
