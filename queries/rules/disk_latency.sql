-- title: Disk requests take long
-- level: warning
-- needs: block_request
-- param: slow_ns dur_ns 50ms -- a request that takes so long is slow
-- param: min_pct REAL 1 -- share of slow requests that is reported
-- param: min_requests INTEGER 100 -- of so many at least
-- columns: device, requests, slow, slow_ns, slow_pct, total_ns, max_ns, saves_ns
-- column: device TEXT disk
-- column: requests count requests of known duration
-- column: slow count of these: slow
-- column: slow_ns dur_ns what is slow
-- column: slow_pct percent share of them
-- column: total_ns dur_ns time of all, as if one came after the other
-- column: saves_ns dur_ns idle time of all GPUs, and not more than slow reads took, for each: at most
-- loss: either saves_ns
-- loss: none slow_ns
-- order: slow DESC, device
-- finding: {slow} of {requests} requests to {device}, {slow_pct}, took {slow_ns} or more; the longest {max_ns}.
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
)
SELECT
    coalesce(n.name, '(unknown)') AS device,
    d.requests,
    d.slow,
    coalesce(:slow_ns, 50000000) AS slow_ns,
    100.0 * d.slow / d.requests AS slow_pct,
    d.total_ns,
    d.max_ns,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * coalesce(d.slow_reads_ns, 0)) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM disk AS d
LEFT JOIN device AS n ON n.id = d.device_id
WHERE d.requests >= coalesce(:min_requests, 100) AND 100.0 * d.slow >= coalesce(:min_pct, 1) * d.requests
ORDER BY slow DESC, device;
