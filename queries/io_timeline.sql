-- title: I/O over time
-- group: files
-- needs: file_stat
-- param: bin dur_ns NULL -- width of a row's time bin, made a multiple of run.bin_ns; default: so wide that there are at most 60
-- filters: time, process
-- columns: start_ns, dur_ns, opens, reads, read_bytes, read_bytes_per_s, writes, write_bytes, write_bytes_per_s, io_ns, bar, phase
-- column: read_bytes_per_s bytes_per_s read per second of the bin, the bytes of a longer call spread over its duration
-- column: write_bytes_per_s bytes_per_s written per second, spread as well
-- column: io_ns dur_ns sum of the durations of the I/O calls that start in it, over all processes: more than its width where several wait at a time
-- column: bar TEXT MB/s read (#) and written (+), as a share of those of the bin with most, of which 20 are all
-- keep: start_ns, read_bytes_per_s, write_bytes_per_s, bar
-- loss: none dur_ns
-- none: no calls on files were traced: those on pipes, sockets and what has no name wait for somebody
-- order: start_ns
--
-- A row for each bin of the run from the first with I/O to the last, those without any, too. Calls and their bytes count where they start; MB/s are
-- those of the time in which they were transferred, taken as even over a call: one of two seconds has half of its bytes in each. Only
-- a call that ends in another bin makes a difference: the longest ones are known, the others are looked for in as long a time before the end of their bin as
-- they can have lasted. Calls that an outer layer counts are left out, and so are those on pipes, sockets, eventfds and what has no name, which wait for
-- somebody.
WITH RECURSIVE
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    bins AS MATERIALIZED (
        SELECT
            from_ns, base, unit, run_end_ns,
            unit * max(1, CASE WHEN :bin IS NULL THEN (end_ns - base + 60 * unit - 1) / (60 * unit) ELSE (:bin + unit - 1) / unit END) AS width
        FROM (
            SELECT
                r.bin_ns AS unit,
                max(r.start_ns, min(p.start_ns)) AS from_ns,
                max(r.start_ns, min(p.start_ns)) / r.bin_ns * r.bin_ns AS base,
                min(r.end_ns, max(p.end_ns)) AS end_ns,
                r.end_ns AS run_end_ns
            FROM run AS r
            CROSS JOIN period AS p
        )
        WHERE unit > 0
    ),
    -- strace without -t and -r tells the order of calls: nothing that it tells of is so much a second
    timed AS MATERIALIZED (SELECT NOT EXISTS (SELECT 1 FROM issue_count WHERE kind = 'no-time-stamps') AS yes),
    -- it waits for others who write to a pipe
    waiting (class) AS (VALUES ('pipe'), ('socket'), ('eventfd'), ('anon-inode'), ('terminal'), ('unnamed')),
    part AS MATERIALIZED (
        SELECT
            (s.bin_ns - b.base) / b.width AS slot,
            coalesce(sum(s.calls) FILTER (WHERE o.verb = 'open'), 0) AS opens,
            coalesce(sum(s.calls) FILTER (WHERE o.verb = 'read'), 0) AS reads,
            sum(s.done_bytes) FILTER (WHERE o.verb = 'read') AS read_bytes,
            coalesce(sum(s.calls) FILTER (WHERE o.verb = 'write'), 0) AS writes,
            sum(s.done_bytes) FILTER (WHERE o.verb = 'write') AS write_bytes,
            sum(s.total_ns) AS io_ns,
            max(s.total_ns) FILTER (WHERE s.done_bytes > 0 AND o.verb IN ('read', 'write')) AS longest_ns
        FROM bins AS b
        CROSS JOIN call_stat AS s
        JOIN op AS o ON o.id = s.op_id
        WHERE o.kind = 'io' AND o.verb <> 'socket' AND coalesce(s.class, '') NOT IN (SELECT class FROM waiting)
            -- what is of an unknown clock can be years before the run
            AND s.bin_ns >= b.base AND s.bin_ns <= b.run_end_ns
            AND s.by = 'class,op,bin' AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
        GROUP BY 1
    ),
    -- all calls that took longer are in longest
    least AS MATERIALIZED (
        SELECT max(ns) AS ns
        FROM (
            SELECT CASE WHEN count(*) >= 100 THEN min(l.dur_ns) ELSE 0 END AS ns
            FROM longest AS l
            CROSS JOIN op AS o ON o.id = l.op_id
            WHERE l.what = 'call' AND l.waits = 0 AND o.verb IN ('read', 'write')
            GROUP BY o.verb
        )
    ),
    -- of the whole run the file has what all of them transfer later
    held AS MATERIALIZED (
        SELECT coalesce(:start_ns, :end_ns, :phase, :pid, :process) IS NULL AND EXISTS (SELECT 1 FROM bin_late) AS yes
    ),
    -- The others that end in a later slot are among these. Ids ascend with time and have no gaps: the first call from a time on is found by halving the
    -- block that it is in.
    half (end_ns, ns, low, high) AS (
        SELECT e.end_ns, e.ns, coalesce(b.first_id, 1), coalesce(b.last_id + 1, 1)
        FROM (
            SELECT
                b.base + (p.slot + 1) * b.width AS end_ns,
                b.base + (p.slot + 1) * b.width - iif(n.column1, min(b.width, p.longest_ns, coalesce(l.ns, 0)), 0) AS ns
            FROM part AS p
            CROSS JOIN bins AS b
            CROSS JOIN least AS l
            CROSS JOIN (VALUES (0), (1)) AS n
            CROSS JOIN held AS x
            WHERE p.longest_ns > 0 AND NOT x.yes
        ) AS e
        LEFT JOIN call_block AS b ON b.start_ns = (SELECT max(start_ns) FROM call_block WHERE start_ns < e.ns)
        UNION ALL
        SELECT h.end_ns, h.ns, iif(c.start_ns < h.ns, c.id + 1, h.low), iif(c.start_ns < h.ns, h.high, c.id)
        FROM half AS h
        CROSS JOIN call AS c ON c.id = (h.low + h.high) / 2
        WHERE h.low < h.high
    ),
    late AS MATERIALIZED (
        SELECT
            (c.start_ns - b.base) / b.width AS slot, c.start_ns, c.dur_ns, c.done_bytes AS bytes, o.verb,
            (min(c.start_ns + c.dur_ns - 1, b.run_end_ns) - b.base) / b.width AS last_slot
        FROM (
            SELECT c.id
            FROM (SELECT end_ns, min(low) AS first_id, max(low) AS end_id FROM half WHERE low = high GROUP BY end_ns) AS e
            CROSS JOIN call AS c ON c.id >= e.first_id AND c.id < e.end_id
            WHERE c.start_ns + c.dur_ns > e.end_ns
            UNION
            SELECT l.id FROM held AS d CROSS JOIN longest AS l WHERE NOT d.yes AND l.what = 'call' AND l.waits = 0
        ) AS x
        CROSS JOIN call AS c ON c.id = x.id
        CROSS JOIN op AS o ON o.id = c.op_id
        CROSS JOIN bins AS b
        WHERE c.start_ns >= b.base AND (c.start_ns - b.base) / b.unit * b.unit + b.base <= b.run_end_ns
            AND c.start_ns + c.dur_ns > b.base + ((c.start_ns - b.base) / b.width + 1) * b.width
            AND c.done_bytes > 0 AND +c.nested = 0 AND o.kind = 'io' AND o.verb IN ('read', 'write')
            AND (c.file_id IS NULL OR NOT EXISTS (SELECT 1 FROM waited_file AS w WHERE w.id = c.file_id))
            AND EXISTS (SELECT 1 FROM period AS w WHERE c.start_ns >= w.start_ns AND c.start_ns < w.end_ns)
            AND (:pid IS NULL OR c.process_id IN (SELECT id FROM process WHERE pid = :pid))
            AND (:process IS NULL OR c.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
    ),
    -- bytes of what is in progress at the begin of a slot that are transferred from then on
    rest AS MATERIALIZED (
        SELECT (r.bin_ns - b.base) / b.width AS slot, r.read_bytes, r.write_bytes
        FROM held AS d
        CROSS JOIN bins AS b
        CROSS JOIN bin_late AS r
        WHERE d.yes AND (r.bin_ns - b.base) % b.width = 0 AND (r.read_bytes > 0 OR r.write_bytes > 0)
    ),
    slot (n) AS (
        SELECT min(slot) FROM part WHERE slot IS NOT NULL
        UNION ALL
        SELECT n + 1 FROM slot WHERE n < (SELECT max(slot) FROM part) OR n < (SELECT max(last_slot) FROM late) OR n < (SELECT max(slot) FROM rest)
    ),
    -- what of them is in which slot, as a difference to all in the first: what has been transferred at its end less that at its begin
    moved AS MATERIALIZED (
        SELECT
            s.n AS slot, l.verb,
            sum(
                -- all of it at its end: the quotient can be a little less
                CASE WHEN b.base + (s.n + 1) * b.width - l.start_ns < l.dur_ns THEN CAST(1.0 * l.bytes * (b.base + (s.n + 1) * b.width - l.start_ns) / l.dur_ns AS INTEGER) ELSE l.bytes END
                - CAST(1.0 * l.bytes * max(0, b.base + s.n * b.width - l.start_ns) / l.dur_ns AS INTEGER)
                - CASE WHEN s.n = l.slot THEN l.bytes ELSE 0 END
            ) AS bytes
        FROM late AS l
        CROSS JOIN bins AS b
        JOIN slot AS s ON s.n >= l.slot AND s.n <= l.last_slot
        GROUP BY s.n, l.verb
        UNION ALL
        SELECT slot, verb, sum(bytes)
        FROM (
            SELECT slot, 'read' AS verb, read_bytes AS bytes FROM rest
            UNION ALL
            SELECT slot, 'write', write_bytes FROM rest
            UNION ALL
            SELECT slot - 1, 'read', -read_bytes FROM rest
            UNION ALL
            SELECT slot - 1, 'write', -write_bytes FROM rest
        )
        WHERE bytes <> 0
        GROUP BY slot, verb
    ),
    spread AS MATERIALIZED (
        SELECT
            s.n,
            -- the first bin begins before what was asked for
            max(b.from_ns, b.base + s.n * b.width) AS start_ns,
            b.base + (s.n + 1) * b.width - max(b.from_ns, b.base + s.n * b.width) AS dur_ns,
            CASE WHEN coalesce(p.read_bytes, r.bytes) IS NOT NULL THEN coalesce(p.read_bytes, 0) + coalesce(r.bytes, 0) END AS read_bytes,
            CASE WHEN coalesce(p.write_bytes, w.bytes) IS NOT NULL THEN coalesce(p.write_bytes, 0) + coalesce(w.bytes, 0) END AS write_bytes
        FROM slot AS s
        CROSS JOIN bins AS b
        LEFT JOIN part AS p ON p.slot = s.n
        LEFT JOIN moved AS r ON r.slot = s.n AND r.verb = 'read'
        LEFT JOIN moved AS w ON w.slot = s.n AND w.verb = 'write'
    ),
    most AS MATERIALIZED (
        SELECT max(coalesce(read_bytes, 0) + coalesce(write_bytes, 0)) AS bytes FROM spread
    )
SELECT
    s.start_ns,
    s.dur_ns,
    coalesce(p.opens, 0) AS opens,
    coalesce(p.reads, 0) AS reads,
    p.read_bytes,
    CASE WHEN x.yes THEN s.read_bytes * 1e9 / s.dur_ns END AS read_bytes_per_s,
    coalesce(p.writes, 0) AS writes,
    p.write_bytes,
    CASE WHEN x.yes THEN s.write_bytes * 1e9 / s.dur_ns END AS write_bytes_per_s,
    CASE WHEN p.slot IS NULL THEN 0 ELSE p.io_ns END AS io_ns,
    substr('####################', 1, coalesce(20 * s.read_bytes / nullif(m.bytes, 0), 0))
    || substr('++++++++++++++++++++', 1, coalesce(20 * s.write_bytes / nullif(m.bytes, 0), 0)) AS bar,
    (SELECT label FROM phase_interval AS i WHERE i.start_ns <= s.start_ns AND i.end_ns > s.start_ns ORDER BY i.end_ns - i.start_ns, length(label) DESC, label LIMIT 1) AS phase
FROM spread AS s
CROSS JOIN most AS m
CROSS JOIN timed AS x
LEFT JOIN part AS p ON p.slot = s.n
WHERE s.n IS NOT NULL
ORDER BY start_ns;
