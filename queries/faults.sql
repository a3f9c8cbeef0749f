-- title: Page faults by process
-- group: processes
-- needs: faults
-- filters: time, process, limit 30
-- param: start_ns ts_ns NULL -- only periods that end after this time
-- param: end_ns ts_ns NULL -- only periods that begin before this time
-- param: phase TEXT NULL -- only periods that begin in this phase: 'epoch' (every one) or 'epoch 3'
-- columns: pid, process, role, minor, major, minor_per_s, peak_per_s, peak_start_ns, major_bytes, touched_bytes, observed_ns
-- columns: first_ns, last_ns
-- column: minor count faults for which no I/O was needed: memory touched first, pages of the page cache mapped
-- column: major count faults that waited for a disk or a server
-- column: minor_per_s REAL minor faults per second of the time for which they were counted
-- column: peak_per_s REAL the same of the second with most
-- column: peak_start_ns ts_ns begin of that second
-- column: major_bytes bytes at 4 KiB for each major fault: a lower bound of what mappings read from disks
-- column: touched_bytes bytes at 4 KiB for each fault: memory that was touched, more where pages are large
-- column: observed_ns dur_ns for how long it was recorded
-- column: first_ns ts_ns begin of that
-- column: last_ns ts_ns end of it
-- loss: lower minor, major, major_bytes, touched_bytes
-- loss: none observed_ns, first_ns, last_ns, peak_start_ns
-- order: f.minor + f.major DESC, pid, f.process_id
--
-- Counted per process and second by the event set faults ('tracedb record -e faults'). I/O on mapped files is no call and shows here only. Many minor faults
-- of a process that allocates and frees large blocks again and again are memory that goes back to the kernel each time ('report malloc_sum').
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
    counted AS MATERIALIZED (
        SELECT
            t.process_id, t.name = 'faults.major' AS is_major, s.ts_ns - s.dur_ns AS start_ns, s.ts_ns AS end_ns, s.dur_ns,
            round(s.value * s.dur_ns / 1e9) AS n, s.value AS rate
        FROM track AS t
        JOIN sample AS s ON s.track_id = t.id
        WHERE t.name IN ('faults.minor', 'faults.major') AND s.value IS NOT NULL AND s.dur_ns > 0
            AND (:pid IS NULL AND :process IS NULL OR t.process_id IN who)
            AND EXISTS (SELECT 1 FROM period AS p WHERE s.ts_ns > p.start_ns AND s.ts_ns - s.dur_ns < p.end_ns)
    ),
    best AS MATERIALIZED (
        SELECT process_id, start_ns, rate, row_number() OVER (PARTITION BY process_id ORDER BY rate DESC, start_ns) AS place
        FROM counted
        WHERE NOT is_major
    ),
    f AS MATERIALIZED (
        SELECT
            process_id,
            CAST(total(n) FILTER (WHERE NOT is_major) AS INTEGER) AS minor,
            CAST(total(n) FILTER (WHERE is_major) AS INTEGER) AS major,
            sum(dur_ns) FILTER (WHERE NOT is_major) AS observed_ns,
            min(start_ns) AS first_ns,
            max(end_ns) AS last_ns
        FROM counted
        GROUP BY process_id
    )
SELECT
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role, f.minor, f.major,
    1e9 * f.minor / nullif(f.observed_ns, 0) AS minor_per_s,
    b.rate AS peak_per_s,
    b.start_ns AS peak_start_ns,
    4096 * f.major AS major_bytes,
    4096 * (f.minor + f.major) AS touched_bytes,
    f.observed_ns, f.first_ns, f.last_ns
FROM f
LEFT JOIN process AS p ON p.id = f.process_id
LEFT JOIN best AS b ON b.process_id IS f.process_id AND b.place = 1
ORDER BY f.minor + f.major DESC, pid, f.process_id
LIMIT coalesce(:limit, 30);
