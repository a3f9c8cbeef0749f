-- title: Bandwidth: MB/s read and written
-- group: files
-- needs-any: call, block_request
-- param: by process|file|template|device process -- what a row is: a process, a file, a kind of file, or a disk (by its requests)
-- filters: time, process, limit 30
-- time: calls (of a disk: requests) that start
-- param: end_ns ts_ns NULL -- only those that start before this time
-- param: phase TEXT NULL -- only those that start in this phase: 'epoch' (every one) or 'epoch 3'
-- columns: name, read_bytes, read_bytes_per_s, read_max_bytes_per_s, write_bytes, write_bytes_per_s, write_max_bytes_per_s
-- columns: in_calls_bytes_per_s, bins, first_ns, last_ns, bar
-- column: name TEXT process id and name, path, kind of file (digits are {}), or disk
-- column: read_bytes_per_s bytes_per_s bytes read per second between the first and the last of its bins with I/O, both included
-- column: read_max_bytes_per_s bytes_per_s the same of the best bin
-- column: write_bytes_per_s bytes_per_s bytes written per second, between the same
-- column: write_max_bytes_per_s bytes_per_s the same of the best bin
-- column: in_calls_bytes_per_s bytes_per_s bytes moved per second of the time in reads and writes: what one stream of them gets
-- column: bins count bins with I/O
-- column: bar TEXT MB/s read (#) and written (+) as a share of those of the row with most, of which 20 are all
-- keep: read_bytes_per_s, write_bytes_per_s, bar
-- loss: none bins, first_ns, last_ns
-- order: coalesce(read_bytes, 0) + coalesce(write_bytes, 0) DESC, name, b.id
--
-- Bins are as wide as those of table bin_stat (run.bin_ns). What calls transfer counts in the bin in which they start; where the time in
-- the calls of a bin is longer than the bin, a call ends in a later one, and the bytes are spread over that time: a read of 2 s gets
-- half of its bytes in each. Pipes, sockets, eventfds and what has no name are left out. 'report io_timeline' has the run second by second.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE coalesce(:pid, :process) IS NOT NULL AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    waiting (class) AS (VALUES ('pipe'), ('socket'), ('eventfd'), ('anon-inode'), ('unnamed')),
    width AS MATERIALIZED (SELECT bin_ns AS ns FROM run WHERE bin_ns > 0),
    -- of many files not more is asked than is shown, and bins of those alone: what is held of all of them is left out then
    grouping AS MATERIALIZED (
        SELECT
            CASE
                WHEN NOT EXISTS (SELECT 1 FROM stat_omitted WHERE relation = 'call_stat' AND by = 'file,process,op,bin') THEN 'file,process,op,bin'
                WHEN :by = 'file' THEN 'file,op,bin'
                WHEN :by = 'template' THEN 'template,class,op,bin'
                ELSE 'class,process,op,bin'
            END AS by
        WHERE coalesce(:by, 'process') <> 'device'
    ),
    transfer AS (SELECT id FROM op WHERE kind = 'io' AND verb IN ('read', 'write')),
    whole AS MATERIALIZED (
        SELECT
            s.file_id AS id, sum(s.done_bytes) AS bytes,
            1.0 * sum(s.done_bytes) / (max(s.last_ns - s.last_ns % w.ns) + w.ns - min(s.first_ns - s.first_ns % w.ns)) AS rate
        FROM grouping AS g
        CROSS JOIN width AS w
        CROSS JOIN call_stat AS s
        WHERE s.by = CASE g.by WHEN 'file,op,bin' THEN 'file,op' END AND s.op_id IN transfer
            AND coalesce(s.file_id, 0) NOT IN (SELECT id FROM file WHERE class IN (SELECT class FROM waiting))
            AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
        GROUP BY s.file_id
        HAVING sum(s.done_bytes) > 0
    ),
    shown AS MATERIALIZED (
        SELECT id FROM whole
        WHERE coalesce(:limit, 30) < 0 OR bytes >= coalesce((SELECT bytes FROM whole ORDER BY bytes DESC LIMIT 1 OFFSET coalesce(:limit, 30) - 1), 0)
    ),
    part AS (
        SELECT s.file_id, s.process_id, s.template_id, s.class, s.op_id, s.bin_ns, s.done_bytes, s.total_ns
        FROM grouping AS g
        CROSS JOIN call_stat AS s
        WHERE s.by = CASE WHEN g.by <> 'file,op,bin' OR EXISTS (SELECT 1 FROM shown WHERE id IS NULL) THEN g.by END AND s.op_id IN transfer
            AND (g.by <> 'file,op,bin' OR s.file_id IS NULL)
            AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
        UNION ALL
        SELECT s.file_id, s.process_id, s.template_id, s.class, s.op_id, s.bin_ns, s.done_bytes, s.total_ns
        FROM call_stat AS s
        WHERE s.by = 'file,op,bin' AND s.file_id IN (SELECT id FROM shown) AND s.op_id IN transfer
            AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
    ),
    moved AS (
        SELECT
            CASE coalesce(:by, 'process') WHEN 'process' THEN s.process_id WHEN 'file' THEN s.file_id ELSE coalesce(s.template_id, f.template_id) END AS id,
            s.bin_ns, o.verb, sum(s.done_bytes) AS bytes, sum(s.total_ns) AS ns
        FROM part AS s
        JOIN op AS o ON o.id = s.op_id
        LEFT JOIN file AS f ON f.id = s.file_id
        WHERE coalesce(s.class, f.class, '') NOT IN (SELECT class FROM waiting)
        GROUP BY s.bin_ns, 1, o.verb
        UNION ALL
        SELECT b.device_id, b.start_ns / w.ns * w.ns, CASE b.op WHEN 0 THEN 'read' ELSE 'write' END, sum(b.bytes), sum(b.dur_ns)
        FROM block_request AS b
        CROSS JOIN width AS w
        WHERE coalesce(:by, 'process') = 'device' AND b.op IN (0, 1)
            AND (:pid IS NULL AND :process IS NULL OR b.process_id IN who)
            AND (coalesce(:start_ns, :end_ns, :phase) IS NULL OR EXISTS (SELECT 1 FROM period AS p WHERE b.start_ns >= p.start_ns AND b.start_ns < p.end_ns))
        GROUP BY 1, 2, 3
    ),
    b AS MATERIALIZED (
        SELECT
            m.id,
            sum(m.bytes) FILTER (WHERE m.verb = 'read') AS read_bytes,
            sum(m.bytes) FILTER (WHERE m.verb = 'write') AS write_bytes,
            max(1e9 * m.bytes / max(w.ns, coalesce(m.ns, 0))) FILTER (WHERE m.verb = 'read') AS read_peak,
            max(1e9 * m.bytes / max(w.ns, coalesce(m.ns, 0))) FILTER (WHERE m.verb = 'write') AS write_peak,
            sum(m.bytes) AS bytes,
            sum(m.ns) FILTER (WHERE m.bytes IS NOT NULL) AS ns,
            count(DISTINCT m.bin_ns) AS bins,
            min(m.bin_ns) AS first_ns,
            max(m.bin_ns) AS last_ns,
            max(m.bin_ns) + w.ns - min(m.bin_ns) AS wall_ns
        FROM moved AS m
        CROSS JOIN width AS w
        GROUP BY m.id
        HAVING sum(m.bytes) > 0
    ),
    most AS MATERIALIZED (SELECT max(rate) AS rate FROM (SELECT 1.0 * bytes / wall_ns AS rate FROM b UNION ALL SELECT rate FROM whole))
SELECT
    CASE coalesce(:by, 'process')
        WHEN 'process' THEN p.pid || coalesce(' ' || p.name, '') || coalesce(' on ' || p.host, '')
        WHEN 'file' THEN coalesce(nullif(f.path, ''), nullif(f.name, ''), '(no name)')
        WHEN 'template' THEN t.text
        ELSE d.name || coalesce(' on ' || d.host, '')
    END AS name,
    b.read_bytes,
    1e9 * b.read_bytes / b.wall_ns AS read_bytes_per_s,
    b.read_peak AS read_max_bytes_per_s,
    b.write_bytes,
    1e9 * b.write_bytes / b.wall_ns AS write_bytes_per_s,
    b.write_peak AS write_max_bytes_per_s,
    1e9 * b.bytes / nullif(b.ns, 0) AS in_calls_bytes_per_s,
    b.bins,
    max(b.first_ns, (SELECT start_ns FROM run)) AS first_ns,
    b.last_ns,
    substr('####################', 1, CAST(coalesce(20.0 * b.read_bytes / b.wall_ns / m.rate, 0) AS INTEGER))
    || substr('++++++++++++++++++++', 1, CAST(coalesce(20.0 * b.write_bytes / b.wall_ns / m.rate, 0) AS INTEGER)) AS bar
FROM b
CROSS JOIN most AS m
LEFT JOIN process AS p ON p.id = b.id AND coalesce(:by, 'process') = 'process'
LEFT JOIN file AS f ON f.id = b.id AND :by = 'file'
LEFT JOIN string AS t ON t.id = b.id AND :by = 'template'
LEFT JOIN device AS d ON d.id = b.id AND :by = 'device'
ORDER BY coalesce(read_bytes, 0) + coalesce(write_bytes, 0) DESC, name, b.id
LIMIT coalesce(:limit, 30);
