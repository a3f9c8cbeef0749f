-- title: I/O over time
-- needs: file_stat
-- param: bin dur_ns NULL -- width of a row's time bin, made a multiple of run.bin_ns; default: so wide that there are at most 60
-- param: start_ns ts_ns NULL -- only calls that start at this time or later
-- param: end_ns ts_ns NULL -- only calls that start before this time
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- column: start_ns ts_ns begin of the time bin
-- column: dur_ns dur_ns its width
-- column: opens count opens that start in it
-- column: reads count reads that start in it
-- column: read_bytes bytes bytes that they read
-- column: read_mb_per_s REAL the same in MB (1,000,000 bytes) per second of the bin
-- column: writes count writes that start in it
-- column: write_bytes bytes bytes that they wrote
-- column: write_mb_per_s REAL the same in MB per second
-- column: io_ns dur_ns sum of the durations of the I/O calls that start in it, over all processes: more than its width where several wait at a time
-- column: bar TEXT bytes read (#) and written (+), as a share of those of the bin with most, of which 20 are all
-- column: phase TEXT shortest phase in which it begins
-- loss: none dur_ns
-- order: start_ns
--
-- A row for each bin from the first with I/O to the last, those without any, too. Bytes count where their call starts: one that
-- takes longer than a bin is wide has all of them in its first. Calls that an outer layer counts are left out.
WITH RECURSIVE
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    bins AS MATERIALIZED (
        SELECT
            base,
            unit * max(1, CASE WHEN :bin IS NULL THEN (end_ns - base + 60 * unit - 1) / (60 * unit) ELSE (:bin + unit - 1) / unit END) AS width
        FROM (
            SELECT
                r.bin_ns AS unit,
                max(r.start_ns, min(p.start_ns)) / r.bin_ns * r.bin_ns AS base,
                min(r.end_ns, max(p.end_ns)) AS end_ns
            FROM run AS r
            CROSS JOIN period AS p
        )
        WHERE unit > 0
    ),
    part AS MATERIALIZED (
        SELECT
            (s.bin_ns - b.base) / b.width AS slot,
            coalesce(sum(s.calls) FILTER (WHERE o.verb = 'open'), 0) AS opens,
            coalesce(sum(s.calls) FILTER (WHERE o.verb = 'read'), 0) AS reads,
            sum(s.done_bytes) FILTER (WHERE o.verb = 'read') AS read_bytes,
            coalesce(sum(s.calls) FILTER (WHERE o.verb = 'write'), 0) AS writes,
            sum(s.done_bytes) FILTER (WHERE o.verb = 'write') AS write_bytes,
            sum(s.total_ns) AS io_ns
        FROM bins AS b
        CROSS JOIN call_stat AS s
        JOIN op AS o ON o.id = s.op_id
        WHERE o.kind = 'io'
            AND s.by = 'file,process,op,bin'
            AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
        GROUP BY 1
    ),
    slot (n) AS (
        SELECT min(slot) FROM part WHERE slot IS NOT NULL
        UNION ALL
        SELECT n + 1 FROM slot WHERE n < (SELECT max(slot) FROM part)
    ),
    most AS MATERIALIZED (
        SELECT max(coalesce(read_bytes, 0) + coalesce(write_bytes, 0)) AS bytes FROM part
    )
SELECT
    b.base + s.n * b.width AS start_ns,
    b.width AS dur_ns,
    coalesce(p.opens, 0) AS opens,
    coalesce(p.reads, 0) AS reads,
    p.read_bytes,
    p.read_bytes * 1e3 / b.width AS read_mb_per_s,
    coalesce(p.writes, 0) AS writes,
    p.write_bytes,
    p.write_bytes * 1e3 / b.width AS write_mb_per_s,
    coalesce(p.io_ns, 0) AS io_ns,
    substr('####################', 1, coalesce(20 * p.read_bytes / nullif(m.bytes, 0), 0))
    || substr('++++++++++++++++++++', 1, coalesce(20 * p.write_bytes / nullif(m.bytes, 0), 0)) AS bar,
    (SELECT label FROM phase_interval AS i WHERE i.start_ns <= b.base + s.n * b.width AND i.end_ns > b.base + s.n * b.width ORDER BY i.end_ns - i.start_ns, length(label) DESC, label LIMIT 1) AS phase
FROM slot AS s
CROSS JOIN bins AS b
CROSS JOIN most AS m
LEFT JOIN part AS p ON p.slot = s.n
WHERE s.n IS NOT NULL
ORDER BY start_ns;
