-- title: File I/O by file
-- needs: file_stat
-- param: by file|template|directory|process|class file -- what a row is
-- param: start_ns ts_ns NULL -- only calls that start at this time or later
-- param: end_ns ts_ns NULL -- only calls that start before this time
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- param: limit INTEGER NULL -- show only so many rows
-- column: file TEXT path, or the name where no path is known; or the template, directory, process or class; NULL if unknown
-- column: class TEXT class of the file, or of all files of the row; NULL if they differ
-- column: path_basis TEXT how the path is known: printed, or matched (the only path with this name that was opened); 'cut' if the tracer cut it
-- column: opens count opens
-- column: reads count reads
-- column: writes count writes
-- column: errors count I/O calls that failed
-- column: read_bytes bytes bytes read
-- column: write_bytes bytes bytes written
-- column: total_ns dur_ns sum of the durations of all I/O calls: opens, reads, writes, closes, ...
-- column: time_pct percent share of the total_ns of all rows, those that limit hides included
-- column: bytes_pct percent share of the bytes of all rows
-- column: read_p50_ns dur_ns median duration of a read in ns
-- column: read_p99_ns dur_ns 99th percentile of the durations of reads
-- column: write_p50_ns dur_ns median duration of a write in ns
-- column: write_p99_ns dur_ns 99th percentile of the durations of writes
-- column: read_p50_bytes bytes half of the reads got at least so much; rounded down to a power of two
-- column: sequential_pct percent share of the reads and writes that began where the one before ended; NULL if no offset is known
-- loss: either read_p50_ns, read_p99_ns, write_p50_ns, write_p99_ns, read_p50_bytes
-- order: total_ns DESC, file, key_id
--
-- Counts I/O calls that no outer layer counts already (see nested in docs/SCHEMA.md).
-- Times of calls that run in parallel add up, so total_ns can exceed the length of the run. Cached reads are in here
-- too: block_io has what went to the disk.
-- With a time or phase given, a process's first access to a file in it is sequential only if it is at offset 0.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE (:pid IS NOT NULL OR :process IS NOT NULL)
            AND (:pid IS NULL OR pid = :pid)
            AND (:process IS NULL OR name = :process OR role = :process)
    ),
    -- raw: read the calls. Else file_stat answers; but it cannot for several processes, whose percentiles do not add up.
    mode AS MATERIALIZED (
        SELECT
            coalesce(:by, 'file') AS by,
            :pid IS NULL AND :process IS NULL AS everyone,
            coalesce(:start_ns, :end_ns, :phase) IS NOT NULL
                OR (coalesce(:by, 'file') <> 'process' AND (SELECT count(*) FROM who) > 1) AS raw
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
    io AS MATERIALIZED (
        SELECT id AS op_id, CASE verb WHEN 'open' THEN 1 WHEN 'read' THEN 2 WHEN 'write' THEN 3 ELSE 0 END AS verb
        FROM op
        WHERE kind = 'io'
    ),
    -- What a file counts for, by anything but itself.
    member AS MATERIALIZED (
        SELECT
            f.id AS file_id,
            CASE m.by WHEN 'template' THEN f.template_id WHEN 'directory' THEN f.directory_id ELSE s.id END AS key_id
        FROM mode AS m
        CROSS JOIN file AS f
        LEFT JOIN string AS s ON m.by = 'class' AND s.text = f.class
        WHERE m.raw AND m.by NOT IN ('file', 'process')
    ),
    -- Exact percentiles without sorting all calls: count them per key, verb and bucket of durations (4 per power of two),
    -- then sort only those in the buckets that the percentiles fall into.
    -- Bits of k, from the top: key_id, verb (4), bucket + 1 (12), power of two of the size + 2 (8); 0: unknown or not needed.
    hist AS MATERIALIZED (
        SELECT
            (coalesce(CASE (SELECT by FROM mode) WHEN 'file' THEN c.file_id WHEN 'process' THEN c.process_id ELSE m.key_id END, 0) << 24)
                | (io.verb << 20)
                | (CASE WHEN io.verb < 2 OR c.dur_ns IS NULL THEN 0 ELSE CAST(log2(c.dur_ns + 1) * 4 AS INTEGER) + 1 END << 8)
                | CASE
                    WHEN io.verb <> 2 OR c.done_bytes IS NULL THEN 0
                    WHEN c.done_bytes = 0 THEN 1
                    ELSE CAST(log2(c.done_bytes) AS INTEGER) + 2
                END AS k,
            count(*) AS n,
            sum(c.ret < 0) AS errors,
            sum(c.done_bytes) AS done_bytes,
            sum(c.dur_ns) AS total_ns
        FROM win
        CROSS JOIN call AS c NOT INDEXED ON c.id BETWEEN win.first_id AND win.last_id
        CROSS JOIN io ON io.op_id = c.op_id
        LEFT JOIN member AS m ON m.file_id = c.file_id
        WHERE c.start_ns >= win.start_ns AND c.start_ns < win.end_ns
            AND ((SELECT everyone FROM mode) OR c.process_id IN who)
            AND c.nested = 0
        GROUP BY k
    ),
    total AS MATERIALIZED (
        SELECT
            k >> 20 AS kv,
            sum(n) AS calls,
            coalesce(sum(errors), 0) AS errors,
            sum(done_bytes) AS done_bytes,
            sum(total_ns) AS total_ns,
            coalesce(sum(n) FILTER (WHERE (k >> 8) & 4095), 0) AS timed,
            coalesce(sum(n) FILTER (WHERE k & 255), 0) AS sized
        FROM hist
        GROUP BY k >> 20
    ),
    -- Each total comes in front of its buckets, so that running sums meet it first: a join of the two may be a nested scan.
    bucket AS (
        SELECT kb, n, sum(n) OVER w - n AS below, max(timed) OVER w AS timed
        FROM (
            SELECT k >> 8 AS kb, sum(n) AS n, NULL AS timed FROM hist WHERE (k >> 8) & 4095 GROUP BY k >> 8
            UNION ALL
            SELECT kv << 12, 0, timed FROM total
        )
        WINDOW w AS (PARTITION BY kb >> 12 ORDER BY kb)
    ),
    wanted AS MATERIALIZED (
        SELECT kb, below, timed
        FROM bucket
        WHERE (timed + 1) / 2 - below BETWEEN 1 AND n
            OR timed / 2 + 1 - below BETWEEN 1 AND n
            OR (99 * timed + 99) / 100 - below BETWEEN 1 AND n
    ),
    ranked AS MATERIALIZED (
        SELECT w.kb >> 12 AS kv, w.timed, c.dur_ns, w.below + row_number() OVER (PARTITION BY w.kb ORDER BY c.dur_ns) AS rank
        FROM win
        CROSS JOIN call AS c NOT INDEXED ON c.id BETWEEN win.first_id AND win.last_id
        CROSS JOIN io ON io.op_id = c.op_id
        LEFT JOIN member AS m ON m.file_id = c.file_id
        JOIN wanted AS w
            ON w.kb = (coalesce(CASE (SELECT by FROM mode) WHEN 'file' THEN c.file_id WHEN 'process' THEN c.process_id ELSE m.key_id END, 0) << 16)
                | (io.verb << 12)
                | (CAST(log2(c.dur_ns + 1) * 4 AS INTEGER) + 1)
        WHERE c.start_ns >= win.start_ns AND c.start_ns < win.end_ns
            AND ((SELECT everyone FROM mode) OR c.process_id IN who)
            AND c.nested = 0 AND io.verb >= 2
    ),
    percentile AS (
        SELECT
            kv,
            avg(dur_ns) FILTER (WHERE rank IN ((timed + 1) / 2, timed / 2 + 1)) AS p50_ns,
            max(dur_ns) FILTER (WHERE rank = (99 * timed + 99) / 100) AS p99_ns
        FROM ranked
        GROUP BY kv
    ),
    size AS (
        SELECT kz, sum(n) OVER w AS upto, max(sized) OVER w AS sized
        FROM (
            SELECT (k >> 20 << 8) | (k & 255) AS kz, sum(n) AS n, NULL AS sized FROM hist WHERE k & 255 GROUP BY 1
            UNION ALL
            SELECT kv << 8, 0, sized FROM total
        )
        WINDOW w AS (PARTITION BY kz >> 8 ORDER BY kz)
    ),
    median_size AS (
        SELECT kz >> 8 AS kv, min(CASE kz & 255 WHEN 1 THEN 0 ELSE 1 << (kz & 255) - 2 END) AS low_bytes
        FROM size
        WHERE upto >= (sized + 1) / 2 AND kz & 255
        GROUP BY kz >> 8
    ),
    step AS (
        SELECT
            (coalesce(CASE (SELECT by FROM mode) WHEN 'file' THEN c.file_id WHEN 'process' THEN c.process_id ELSE m.key_id END, 0) << 4)
                | io.verb AS kv,
            c.offset_bytes = lag(c.offset_bytes + coalesce(c.done_bytes, 0), 1, 0)
                OVER (PARTITION BY c.process_id, c.file_id, io.verb ORDER BY c.id) AS sequential
        FROM win
        CROSS JOIN call AS c NOT INDEXED ON c.id BETWEEN win.first_id AND win.last_id
        CROSS JOIN io ON io.op_id = c.op_id
        LEFT JOIN member AS m ON m.file_id = c.file_id
        WHERE c.start_ns >= win.start_ns AND c.start_ns < win.end_ns
            AND ((SELECT everyone FROM mode) OR c.process_id IN who)
            AND c.nested = 0 AND io.verb >= 2 AND c.offset_bytes IS NOT NULL
    ),
    pattern AS (
        SELECT kv, sum(sequential) AS sequential, sum(NOT sequential) AS random FROM step GROUP BY kv
    ),
    stat AS (
        SELECT
            key_id,
            CASE verb WHEN 'open' THEN 1 WHEN 'read' THEN 2 WHEN 'write' THEN 3 ELSE 0 END AS verb,
            calls, errors, done_bytes, total_ns, p50_ns, p99_ns, p50_bytes_low, sequential, random
        FROM file_stat AS s
        WHERE s.by = coalesce(:by, 'file')
            AND NOT (SELECT raw FROM mode)
            AND CASE s.by
                WHEN 'process' THEN (SELECT everyone FROM mode) OR s.key_id IN who
                ELSE s.process_id IS (SELECT id FROM who) AND ((SELECT everyone FROM mode) OR s.process_id IS NOT NULL)
            END
        UNION ALL
        SELECT nullif(kv >> 4, 0), kv & 15, calls, errors, done_bytes, total_ns, NULL, NULL, NULL, NULL, NULL FROM total
        UNION ALL
        SELECT nullif(kv >> 4, 0), kv & 15, 0, 0, NULL, NULL, p50_ns, p99_ns, NULL, NULL, NULL FROM percentile
        UNION ALL
        SELECT nullif(kv >> 4, 0), kv & 15, 0, 0, NULL, NULL, NULL, NULL, low_bytes, NULL, NULL FROM median_size
        UNION ALL
        SELECT nullif(kv >> 4, 0), kv & 15, 0, 0, NULL, NULL, NULL, NULL, NULL, sequential, random FROM pattern
    ),
    row AS MATERIALIZED (
        SELECT
            key_id,
            coalesce(sum(calls) FILTER (WHERE verb = 1), 0) AS opens,
            coalesce(sum(calls) FILTER (WHERE verb = 2), 0) AS reads,
            coalesce(sum(calls) FILTER (WHERE verb = 3), 0) AS writes,
            sum(errors) AS errors,
            sum(done_bytes) FILTER (WHERE verb = 2) AS read_bytes,
            sum(done_bytes) FILTER (WHERE verb = 3) AS write_bytes,
            sum(total_ns) AS total_ns,
            max(p50_ns) FILTER (WHERE verb = 2) AS read_p50_ns,
            max(p99_ns) FILTER (WHERE verb = 2) AS read_p99_ns,
            max(p50_ns) FILTER (WHERE verb = 3) AS write_p50_ns,
            max(p99_ns) FILTER (WHERE verb = 3) AS write_p99_ns,
            max(p50_bytes_low) FILTER (WHERE verb = 2) AS read_p50_bytes,
            sum(sequential) FILTER (WHERE verb >= 2) AS sequential,
            sum(random) FILTER (WHERE verb >= 2) AS random
        FROM stat
        GROUP BY key_id
    ),
    label AS MATERIALIZED (
        SELECT id, coalesce(nullif(path, ''), nullif(name, ''), '(no name)') AS name, class,
            CASE truncated WHEN 0 THEN path_basis ELSE coalesce(path_basis || ', cut', 'cut') END AS path_basis
        FROM file
        WHERE coalesce(:by, 'file') = 'file'
        UNION ALL
        SELECT s.id, coalesce(nullif(s.text, ''), '(no name)'), CASE WHEN min(f.class) = max(f.class) THEN f.class END, NULL
        FROM file AS f
        JOIN string AS s ON s.id = CASE :by WHEN 'template' THEN f.template_id ELSE f.directory_id END
        WHERE :by IN ('template', 'directory')
        GROUP BY s.id
        UNION ALL
        SELECT id, text, text, NULL FROM string WHERE :by = 'class' AND id IN (SELECT key_id FROM row)
        UNION ALL
        SELECT id, coalesce(name, '?') || ' (' || pid || ')', NULL, NULL FROM process WHERE :by = 'process'
    )
SELECT
    l.name AS file,
    l.class,
    l.path_basis,
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
    r.read_p50_ns,
    r.read_p99_ns,
    r.write_p50_ns,
    r.write_p99_ns,
    r.read_p50_bytes,
    100.0 * r.sequential / nullif(r.sequential + r.random, 0) AS sequential_pct
FROM row AS r
LEFT JOIN label AS l ON l.id = r.key_id
ORDER BY total_ns DESC, file, key_id
LIMIT coalesce(:limit, -1);
