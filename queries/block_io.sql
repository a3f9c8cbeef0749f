-- title: Block I/O by disk, direction and process
-- group: disks
-- needs: block_request
-- param: start_ns ts_ns NULL -- only requests issued at this time or later
-- param: end_ns ts_ns NULL -- only requests issued before this time
-- param: phase TEXT NULL -- only requests issued in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only requests queued by this process
-- param: process TEXT NULL -- only requests queued by processes of this name or role
-- param: by process|device process -- what a row is: disk, direction and process that queued it, or disk and direction
-- param: limit INTEGER NULL -- show only so many rows
-- column: device TEXT disk
-- column: op TEXT read, write or other
-- column: pid INTEGER process that queued the requests; NULL for a whole device
-- column: process TEXT its name, and its machine where there are several
-- column: requests count requests
-- column: bytes bytes their size
-- column: bytes_pct percent share of the bytes of all rows
-- column: mean_bytes bytes mean size of a request
-- column: service_total_ns dur_ns sum of the service times
-- column: service_p50_ns dur_ns median service time in ns
-- column: service_p95_ns dur_ns 95th percentile, nearest rank
-- column: service_p99_ns dur_ns 99th percentile, nearest rank
-- column: service_max_ns dur_ns longest
-- column: queue_mean_ns dur_ns mean time in the queue before issue, in ns; NULL if no script printed it
-- column: sequential_pct percent share of the requests that begin at the sector where the disk's previous one ended; NULL without sectors
-- column: first_ns ts_ns first request
-- column: last_ns ts_ns last request
-- loss: either service_p50_ns, service_p95_ns, service_p99_ns, queue_mean_ns
-- order: bytes DESC, device, op, pid, process
--
-- Requests are counted for the process that was running when they were queued. For reads that is the reader; write-back
-- is queued by kernel threads (kworker), whoever wrote the data. bpftrace scripts print flush and discard as read.
-- What file_io shows and this does not was served from the page cache.
WITH
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    request AS (
        SELECT
            b.start_ns, b.dur_ns, b.queue_ns, b.bytes, b.device_id, b.op, b.process_id,
            CASE WHEN coalesce(:by, 'process') = 'process' THEN b.process_id END AS who,
            b.sector = lag(b.sector + b.bytes / 512) OVER (PARTITION BY b.device_id ORDER BY b.id) AS follows
        FROM block_request AS b
    ),
    picked AS (
        SELECT
            *,
            -- the share of its group's timed requests that took as long at most: of the nearest rank it is the first to be so large
            CASE WHEN dur_ns IS NOT NULL THEN cume_dist() OVER (PARTITION BY device_id, op, who, dur_ns IS NULL ORDER BY dur_ns) END AS share
        FROM request AS r
        WHERE EXISTS (SELECT 1 FROM period AS p WHERE r.start_ns >= p.start_ns AND r.start_ns < p.end_ns)
            AND (:pid IS NULL OR r.process_id IN (SELECT id FROM process WHERE pid = :pid))
            AND (:process IS NULL OR r.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
    ),
    total AS (
        SELECT
            device_id, op, who,
            count(*) AS requests,
            sum(bytes) AS bytes,
            sum(dur_ns) AS service_total_ns,
            (min(dur_ns) FILTER (WHERE share >= 0.5) + min(dur_ns) FILTER (WHERE share > 0.5)) / 2.0 AS service_p50_ns,
            min(dur_ns) FILTER (WHERE share >= 0.95) AS service_p95_ns,
            min(dur_ns) FILTER (WHERE share >= 0.99) AS service_p99_ns,
            max(dur_ns) AS service_max_ns,
            avg(queue_ns) AS queue_mean_ns,
            100.0 * sum(follows) / count(follows) AS sequential_pct,
            min(start_ns) AS first_ns,
            max(start_ns) AS last_ns
        FROM picked
        GROUP BY device_id, op, who
    )
SELECT
    d.name AS device,
    CASE t.op WHEN 0 THEN 'read' WHEN 1 THEN 'write' ELSE 'other' END AS op,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    t.requests,
    t.bytes,
    100.0 * t.bytes / sum(t.bytes) OVER () AS bytes_pct,
    1.0 * t.bytes / t.requests AS mean_bytes,
    t.service_total_ns,
    t.service_p50_ns,
    t.service_p95_ns,
    t.service_p99_ns,
    t.service_max_ns,
    t.queue_mean_ns,
    t.sequential_pct,
    t.first_ns,
    t.last_ns
FROM total AS t
LEFT JOIN device AS d ON d.id = t.device_id
LEFT JOIN process AS p ON p.id = t.who
ORDER BY bytes DESC, device, op, pid, process
LIMIT coalesce(:limit, -1);
