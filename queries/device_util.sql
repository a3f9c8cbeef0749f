-- title: How busy the disks were
-- group: disks
-- needs-any: block_request, disk_util
-- filters: time
-- param: start_ns ts_ns NULL -- only from this time on
-- param: end_ns ts_ns NULL -- only until this time
-- param: phase TEXT NULL -- only in this phase: 'epoch' (every one) or 'epoch 3'
-- columns: device, basis, wall_ns, busy_ns, busy_pct, reads, writes, others, read_bytes, write_bytes, queue_mean, queue_busy_mean
-- columns: queue_max, wait_mean_ns, latency_mean_ns, latency_p99_ns, latency_max_ns
-- column: basis TEXT exact: from its requests; samples: as iostat printed them
-- column: wall_ns dur_ns time looked at: from the first request of any disk to the end of the last one, as far as it is asked for; or the samples'
-- column: busy_ns dur_ns of that: with at least one request in progress
-- column: busy_pct percent the same as a share
-- column: reads count read requests issued in it
-- column: others count flushes, discards and what else moves no data, where that is told apart
-- column: queue_mean REAL requests in progress, mean over the time looked at
-- column: queue_busy_mean REAL the same over the time that it was busy; 1: one at a time
-- column: queue_max count most requests in progress at a time
-- column: wait_mean_ns dur_ns mean time in the queue before issue; NULL if nobody printed it
-- column: latency_mean_ns dur_ns mean service time; NULL of samples
-- column: latency_p99_ns dur_ns 99th percentile, nearest rank
-- column: latency_max_ns dur_ns longest
-- loss: none wall_ns
-- loss: either wait_mean_ns, latency_mean_ns, latency_p99_ns
-- order: device, basis, r.device_id
--
-- A request counts where it is issued, its time where it passes. A disk that serves many requests at a time can do more although it is
-- busy all the time; one that is busy with one at a time has nobody who asks for more. In the samples, requests and bytes are rates times
-- the time that each sample covers.
WITH
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    total AS (
        SELECT
            device_id,
            sum(requests) FILTER (WHERE direction = 'read') AS reads,
            sum(requests) FILTER (WHERE direction = 'write') AS writes,
            sum(requests) FILTER (WHERE direction = 'other') AS others,
            sum(bytes) FILTER (WHERE direction = 'read') AS read_bytes,
            sum(bytes) FILTER (WHERE direction = 'write') AS write_bytes,
            1.0 * sum(queue_ns) / nullif(sum(queued), 0) AS wait_mean_ns,
            1.0 * sum(total_ns) / nullif(sum(timed), 0) AS latency_mean_ns,
            max(max_ns) AS latency_max_ns
        FROM block_stat
        WHERE by = 'device,direction' AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase
        GROUP BY device_id
    ),
    p99 AS (
        SELECT device_id, p99_ns AS ns
        FROM block_stat
        WHERE by = 'device' AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase
    ),
    busy AS (
        SELECT device_id, wall_ns, busy_ns, in_progress_ns, queue_max
        FROM block_busy
        WHERE since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase
    ),
    sampled AS (
        SELECT
            t.device_id, t.name,
            coalesce(s.dur_ns, avg(s.dur_ns) OVER (PARTITION BY t.id), 1000000000) AS ns,
            s.value
        FROM sample AS s
        JOIN track AS t ON t.id = s.track_id
        WHERE t.name IN ('disk.util', 'disk.queue', 'disk.r_s', 'disk.w_s', 'disk.r_bytes_s', 'disk.w_bytes_s')
            AND s.value IS NOT NULL
            AND EXISTS (SELECT 1 FROM period AS p WHERE s.ts_ns >= p.start_ns AND s.ts_ns < p.end_ns)
    ),
    -- sums over time: divided by 1e9 they are numbers and bytes
    printed AS (
        SELECT
            device_id,
            CAST(sum(ns) FILTER (WHERE name = 'disk.util') AS INTEGER) AS wall_ns,
            sum(value * ns) FILTER (WHERE name = 'disk.util') / 100 AS busy_ns,
            sum(value * ns) FILTER (WHERE name = 'disk.r_s') / 1e9 AS reads,
            sum(value * ns) FILTER (WHERE name = 'disk.w_s') / 1e9 AS writes,
            sum(value * ns) FILTER (WHERE name = 'disk.r_bytes_s') / 1e9 AS read_bytes,
            sum(value * ns) FILTER (WHERE name = 'disk.w_bytes_s') / 1e9 AS write_bytes,
            sum(value * ns) FILTER (WHERE name = 'disk.queue') AS in_progress_ns
        FROM sampled
        GROUP BY device_id
    ),
    row AS (
        SELECT
            t.device_id, 'exact' AS basis, b.wall_ns, b.busy_ns, coalesce(t.reads, 0) AS reads, coalesce(t.writes, 0) AS writes,
            coalesce(t.others, 0) AS others, t.read_bytes, t.write_bytes, b.in_progress_ns, b.queue_max, t.wait_mean_ns, t.latency_mean_ns,
            p.ns AS latency_p99_ns, t.latency_max_ns
        FROM total AS t
        LEFT JOIN busy AS b ON b.device_id IS t.device_id
        LEFT JOIN p99 AS p ON p.device_id IS t.device_id
        UNION ALL
        SELECT
            device_id, 'samples', wall_ns, CAST(round(busy_ns) AS INTEGER), CAST(round(reads) AS INTEGER), CAST(round(writes) AS INTEGER), NULL,
            CAST(round(read_bytes) AS INTEGER), CAST(round(write_bytes) AS INTEGER), in_progress_ns, NULL, NULL,
            NULL, NULL, NULL
        FROM printed
    )
SELECT
    coalesce(d.name || ' on ' || d.host, d.name) AS device,
    r.basis AS basis,
    r.wall_ns,
    r.busy_ns,
    100.0 * r.busy_ns / nullif(r.wall_ns, 0) AS busy_pct,
    r.reads,
    r.writes,
    r.others,
    r.read_bytes,
    r.write_bytes,
    1.0 * r.in_progress_ns / nullif(r.wall_ns, 0) AS queue_mean,
    1.0 * r.in_progress_ns / nullif(r.busy_ns, 0) AS queue_busy_mean,
    r.queue_max,
    r.wait_mean_ns,
    r.latency_mean_ns,
    r.latency_p99_ns,
    r.latency_max_ns
FROM row AS r
LEFT JOIN device AS d ON d.id = r.device_id
ORDER BY device, basis, r.device_id;
