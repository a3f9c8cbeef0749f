-- title: How busy the disks were
-- group: disks
-- needs-any: block_request, disk_util
-- param: start_ns ts_ns NULL -- only from this time on
-- param: end_ns ts_ns NULL -- only until this time
-- param: phase TEXT NULL -- only in this phase: 'epoch' (every one) or 'epoch 3'
-- column: device TEXT disk, and its machine where there are several
-- column: basis TEXT exact: from its requests; samples: as iostat printed them
-- column: wall_ns dur_ns time looked at: from the first request of any disk to the end of the last one, as far as it is asked for; or the samples'
-- column: busy_ns dur_ns of that: with at least one request in progress
-- column: busy_pct percent the same as a share
-- column: reads count read requests issued in it
-- column: writes count write requests
-- column: others count flushes, discards and what else moves no data, where that is told apart
-- column: read_bytes bytes read by them
-- column: write_bytes bytes written
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
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    traced AS MATERIALIZED (SELECT min(start_ns) AS first_ns, max(start_ns + coalesce(dur_ns, 0)) AS last_ns FROM block_request),
    wall AS MATERIALIZED (
        SELECT sum(max(0, min(p.end_ns, t.last_ns) - max(p.start_ns, t.first_ns))) AS ns FROM period AS p CROSS JOIN traced AS t
    ),
    part AS MATERIALIZED (
        SELECT
            b.device_id, b.op, b.bytes, b.queue_ns, b.dur_ns,
            b.start_ns >= p.start_ns AS is_issued,
            max(b.start_ns, p.start_ns) AS start_ns,
            min(b.start_ns + coalesce(b.dur_ns, 0), p.end_ns) AS end_ns
        FROM block_request AS b
        JOIN period AS p ON b.start_ns < p.end_ns AND (b.start_ns >= p.start_ns OR b.start_ns + b.dur_ns > p.start_ns)
    ),
    total AS (
        SELECT
            device_id,
            count(*) FILTER (WHERE op = 0) AS reads,
            count(*) FILTER (WHERE op = 1) AS writes,
            count(*) FILTER (WHERE op = 2) AS others,
            sum(bytes) FILTER (WHERE op = 0) AS read_bytes,
            sum(bytes) FILTER (WHERE op = 1) AS write_bytes,
            avg(queue_ns) AS wait_mean_ns,
            avg(dur_ns) AS latency_mean_ns,
            max(dur_ns) AS latency_max_ns
        FROM part
        WHERE is_issued
        GROUP BY device_id
    ),
    p99 AS (
        SELECT device_id, max(dur_ns) AS ns
        FROM (
            SELECT
                device_id, dur_ns,
                row_number() OVER (PARTITION BY device_id ORDER BY dur_ns) AS rank,
                count(*) OVER (PARTITION BY device_id) AS timed
            FROM part
            WHERE is_issued AND dur_ns IS NOT NULL
        )
        WHERE rank <= (timed * 99 + 99) / 100
        GROUP BY device_id
    ),
    -- one that ends when another begins is not in progress with it
    busy AS (
        SELECT device_id, sum(n * (until_ns - ts_ns)) AS in_progress_ns, sum(until_ns - ts_ns) FILTER (WHERE n > 0) AS ns, max(n) AS most
        FROM (
            SELECT
                device_id, ts_ns,
                sum(step) OVER (w ROWS UNBOUNDED PRECEDING) AS n,
                lead(ts_ns, 1, ts_ns) OVER w AS until_ns
            FROM (
                SELECT device_id, start_ns AS ts_ns, 1 AS step FROM part WHERE dur_ns > 0
                UNION ALL
                SELECT device_id, end_ns, -1 FROM part WHERE dur_ns > 0
            )
            WINDOW w AS (PARTITION BY device_id ORDER BY ts_ns, step)
        )
        GROUP BY device_id
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
            t.device_id, 'exact' AS basis, w.ns AS wall_ns, b.ns AS busy_ns, t.reads, t.writes, t.others, t.read_bytes, t.write_bytes,
            b.in_progress_ns, b.most AS queue_max, t.wait_mean_ns, t.latency_mean_ns, p.ns AS latency_p99_ns, t.latency_max_ns
        FROM total AS t
        CROSS JOIN wall AS w
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
