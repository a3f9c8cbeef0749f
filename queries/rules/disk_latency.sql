-- title: Disk requests take long
-- level: warning
-- needs: block_request
-- param: slow_ns dur_ns 50ms -- a request that takes so long is slow
-- param: min_pct REAL 1 -- share of slow requests that is reported
-- param: min_requests INTEGER 100 -- of so many at least
-- columns: device, requests, slow, slow_ns, slow_pct, total_ns, max_ns, start_ns, pid, path, worst, saves_ns
-- column: device TEXT disk
-- column: requests count requests of known duration
-- column: slow count of these: slow
-- column: slow_ns dur_ns what is slow
-- column: slow_pct percent share of them
-- column: total_ns dur_ns time of all, as if one came after the other
-- column: start_ns ts_ns when the longest began
-- column: pid INTEGER process of that
-- column: path TEXT file of a call of that process that went on meanwhile; NULL: none of the longest calls
-- column: worst TEXT the same in words
-- column: saves_ns dur_ns idle time of all GPUs, and not more than slow reads took, for each: at most
-- loss: either saves_ns
-- loss: none slow_ns
-- order: slow DESC, device
-- finding: {slow} of {requests} requests to {device}, {slow_pct}, took {slow_ns} or more; the longest {max_ns}{worst}.
-- advice: Look at who else uses the disk ('report block_io'), and whether it is the kind it should be (a network volume, a spinning disk, an SSD that is full or throttled). Fewer, larger requests help: larger reads, a larger read-ahead.
-- unless: they are writes that nobody waits for.
WITH disk AS (
    SELECT
        device_id,
        count(*) AS requests,
        sum(dur_ns >= coalesce(:slow_ns, 50000000)) AS slow,
        sum(dur_ns) FILTER (WHERE op = 0 AND dur_ns >= coalesce(:slow_ns, 50000000)) AS slow_reads_ns,
        sum(dur_ns) AS total_ns,
        max(dur_ns) AS max_ns
    FROM block_request
    WHERE dur_ns IS NOT NULL
    GROUP BY device_id
),
slow_disk AS MATERIALIZED (
    SELECT *
    FROM disk
    WHERE requests >= coalesce(:min_requests, 100) AND 100.0 * slow >= coalesce(:min_pct, 1) * requests
),
worst AS MATERIALIZED (
    SELECT b.device_id, b.id, b.start_ns, b.dur_ns, b.process_id, row_number() OVER (PARTITION BY b.device_id ORDER BY b.dur_ns DESC, b.start_ns, b.id) AS place
    FROM slow_disk AS d
    JOIN block_request AS b ON b.device_id IS d.device_id AND b.dur_ns = d.max_ns
),
waiting AS MATERIALIZED (
    SELECT w.id, coalesce(nullif(f.path, ''), f.name) AS path, row_number() OVER (PARTITION BY w.id ORDER BY c.dur_ns, c.start_ns, c.id) AS place
    FROM worst AS w
    CROSS JOIN longest AS l ON l.what = 'call' AND l.waits = 0
    JOIN call AS c ON c.id = l.id
    JOIN file AS f ON f.id = c.file_id
    WHERE w.place = 1 AND c.process_id = w.process_id AND c.start_ns <= w.start_ns AND c.start_ns + c.dur_ns >= w.start_ns + w.dur_ns
)
SELECT
    coalesce(n.name, '(unknown)') AS device,
    d.requests,
    d.slow,
    coalesce(:slow_ns, 50000000) AS slow_ns,
    100.0 * d.slow / d.requests AS slow_pct,
    d.total_ns,
    d.max_ns,
    w.start_ns,
    p.pid,
    c.path,
    printf(' (at %.3fs', (w.start_ns - r.start_ns) / 1e9) || coalesce(', ' || c.path, '') || coalesce(', by ' || coalesce(p.name || ' ', '') || p.pid, '') || ')' AS worst,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * coalesce(d.slow_reads_ns, 0)) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM slow_disk AS d
CROSS JOIN run AS r
JOIN worst AS w ON w.device_id IS d.device_id AND w.place = 1
LEFT JOIN device AS n ON n.id = d.device_id
LEFT JOIN process AS p ON p.id = w.process_id
LEFT JOIN waiting AS c ON c.id = w.id AND c.place = 1
ORDER BY slow DESC, device;
