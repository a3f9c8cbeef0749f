-- title: Writes over time
-- group: files
-- needs: file_stat
-- param: bin dur_ns NULL -- width of a row's time bin, made a multiple of run.bin_ns; default: so wide that there are at most 60
-- filters: time, process, limit
-- columns: start_ns, dur_ns, pid, process, role, writes, write_bytes, write_ns, top_class, top_file
-- column: top_class TEXT class of file that most of the writes went to
-- column: top_file TEXT file that most of the writes went to
-- keep: start_ns, write_bytes, top_file
-- loss: none dur_ns
-- none: nothing was written to files
-- order: start_ns, writes DESC, pid, r.process_id
--
-- One row per time bin and process that wrote. Counts only what no outer layer counts already. The bins begin with the run,
-- or with the first of the times asked for.
WITH RECURSIVE
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE coalesce(:pid, :process) IS NOT NULL AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    bins AS MATERIALIZED (
        SELECT
            from_ns, base, unit,
            unit * max(1, CASE WHEN :bin IS NULL THEN (end_ns - base + 60 * unit - 1) / (60 * unit) ELSE (:bin + unit - 1) / unit END) AS width
        FROM (
            SELECT
                r.bin_ns AS unit,
                max(r.start_ns, min(p.start_ns)) AS from_ns,
                max(r.start_ns, min(p.start_ns)) / r.bin_ns * r.bin_ns AS base,
                min(r.end_ns, max(p.end_ns)) AS end_ns
            FROM run AS r
            CROSS JOIN period AS p
        )
        WHERE unit > 0
    ),
    -- of the bins that these are unless others are asked for an import has the rows
    held AS MATERIALIZED (
        SELECT (s.start_ns - b.base) / b.width AS slot, s.process_id, s.calls AS writes, s.done_bytes, s.total_ns, s.class, s.file_id
        FROM bins AS b
        CROSS JOIN write_stat AS s
        WHERE coalesce(:start_ns, :end_ns, :phase) IS NULL AND s.dur_ns = b.width AND (s.start_ns - b.base) % b.width = 0
            AND (coalesce(:pid, :process) IS NULL OR s.process_id IN who)
    ),
    write_op AS MATERIALIZED (SELECT id FROM op WHERE kind = 'io' AND verb = 'write'),
    -- bin_stat, which may have what is asked for, is in order of operation: the first row of each that writes, and the first of the next one
    search (op_id, low, high) AS (
        SELECT id, 1, (SELECT max(rowid) + 1 FROM bin_stat)
        FROM (SELECT id FROM write_op UNION SELECT id + 1 FROM write_op)
        WHERE coalesce(:start_ns, :end_ns, :phase) IS NULL AND EXISTS (SELECT 1 FROM bin_stat) AND NOT EXISTS (SELECT 1 FROM held)
        UNION ALL
        SELECT s.op_id, CASE WHEN b.op_id < s.op_id THEN b.rowid + 1 ELSE s.low END, CASE WHEN b.op_id < s.op_id THEN s.high ELSE b.rowid END
        FROM search AS s
        JOIN bin_stat AS b ON b.rowid = (s.low + s.high) / 2
        WHERE s.low < s.high
    ),
    first_row AS MATERIALIZED (SELECT op_id, low AS id FROM search WHERE low = high),
    written AS (
        SELECT b.file_id, b.process_id, b.bin_ns, b.calls, b.done_bytes, b.total_ns
        FROM write_op AS o
        CROSS JOIN bin_stat AS b ON b.rowid >= (SELECT id FROM first_row WHERE op_id = o.id) AND b.rowid < (SELECT id FROM first_row WHERE op_id = o.id + 1)
        WHERE coalesce(:pid, :process) IS NULL OR b.process_id IN who
        UNION ALL
        SELECT s.file_id, s.process_id, s.bin_ns, s.calls, s.done_bytes, s.total_ns
        FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM first_row) AND NOT EXISTS (SELECT 1 FROM held))
        CROSS JOIN call_stat AS s
        WHERE s.by = 'file,process,op,bin' AND s.op_id IN (SELECT id FROM write_op)
            AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
    ),
    -- Writes per time bin, process and file.
    part AS MATERIALIZED (
        SELECT
            (s.bin_ns - b.base) / b.width AS slot, s.process_id, s.file_id,
            sum(s.calls) AS writes, sum(s.done_bytes) AS done_bytes, sum(s.total_ns) AS total_ns
        FROM bins AS b
        CROSS JOIN written AS s
        GROUP BY 1, 2, 3
    ),
    -- some rows for each bin and process, which are added up in place of all files again
    by_class AS MATERIALIZED (
        SELECT
            p.slot, p.process_id, f.id IS NOT NULL AS is_file, f.class, sum(p.writes) AS writes, sum(p.done_bytes) AS done_bytes, sum(p.total_ns) AS total_ns,
            max(p.writes) FILTER (WHERE p.file_id IS NOT NULL) AS most
        FROM part AS p
        LEFT JOIN file AS f ON f.id = p.file_id
        GROUP BY p.slot, p.process_id, is_file, f.class
    ),
    total AS MATERIALIZED (
        SELECT slot, process_id, sum(writes) AS writes, sum(done_bytes) AS done_bytes, sum(total_ns) AS total_ns, max(most) AS most
        FROM by_class
        GROUP BY slot, process_id
    ),
    -- The busiest class and the busiest file of each row beside its totals.
    piece AS (
        SELECT slot, process_id, writes, done_bytes, total_ns, NULL AS class, NULL AS file_id
        FROM total
        UNION ALL
        SELECT slot, process_id, NULL, NULL, NULL, class, NULL
        FROM (SELECT *, row_number() OVER (PARTITION BY slot, process_id ORDER BY writes DESC, class) AS rank FROM by_class WHERE is_file)
        WHERE rank = 1
        UNION ALL
        SELECT slot, process_id, NULL, NULL, NULL, NULL, file_id
        FROM (
            SELECT p.slot, p.process_id, p.file_id, row_number() OVER (PARTITION BY p.slot, p.process_id ORDER BY p.done_bytes DESC, p.file_id) AS rank
            FROM part AS p
            CROSS JOIN total AS t ON t.slot = p.slot AND t.process_id IS p.process_id AND t.most = p.writes
            WHERE p.file_id IS NOT NULL
        )
        WHERE rank = 1
    ),
    row AS MATERIALIZED (
        SELECT
            slot, process_id, max(writes) AS writes, max(done_bytes) AS write_bytes, max(total_ns) AS write_ns,
            max(class) AS top_class, max(file_id) AS file_id
        FROM piece
        GROUP BY slot, process_id
        UNION ALL
        SELECT slot, process_id, writes, done_bytes, total_ns, class, file_id FROM held
    )
SELECT
    max(b.from_ns, b.base + r.slot * b.width) AS start_ns,
    b.base + (r.slot + 1) * b.width - max(b.from_ns, b.base + r.slot * b.width) AS dur_ns,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role, r.writes, r.write_bytes, r.write_ns, r.top_class,
    coalesce(nullif(f.path, ''), nullif(f.name, ''), CASE WHEN f.id IS NOT NULL THEN '(no name)' END) AS top_file
FROM row AS r
CROSS JOIN bins AS b
LEFT JOIN process AS p ON p.id = r.process_id
LEFT JOIN file AS f ON f.id = r.file_id
ORDER BY start_ns, writes DESC, pid, r.process_id
LIMIT coalesce(:limit, -1);
