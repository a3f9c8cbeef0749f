-- title: Seeks of the disks
-- group: disks
-- needs: block_request
-- param: op read|write|all all -- which requests
-- param: start_ns ts_ns NULL -- only requests issued at this time or later
-- param: end_ns ts_ns NULL -- only requests issued before this time
-- param: phase TEXT NULL -- only requests issued in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only requests queued by this process
-- param: process TEXT NULL -- only requests queued by processes of this name or role
-- column: device TEXT disk, and its machine where there are several
-- column: seek TEXT sequential (begins where the disk's previous request ended) or seek
-- column: low_bytes bytes lower end of the bucket of distances from there: 0, or 512 times a power of two
-- column: high_bytes bytes its upper end, exclusive
-- column: requests count requests that began so far from there
-- column: requests_pct percent share of the disk's requests
-- column: up_to_pct percent share of those in this bucket or nearer
-- column: forward count of these: to higher sectors
-- column: backward count of these: to lower sectors
-- column: bytes bytes their size
-- column: bytes_pct percent share of the bytes of the disk's requests
-- column: service_mean_ns dur_ns mean service time
-- column: bar TEXT requests as a share of the largest bucket's, of which 40 are all
-- loss: none low_bytes, high_bytes
-- loss: either requests_pct, up_to_pct, service_mean_ns
-- order: device, low_bytes, t.device_id
--
-- The previous request is the disk's, whoever queued it and whichever way it went, also where a filter leaves it out. Requests without sector
-- or size (flushes) are left out; the first request of a disk has none before it. Disks that turn need milliseconds for a seek; solid
-- state disks hardly care, but read ahead does less for them, and requests get smaller. A lost request looks like a seek.
WITH
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    step AS (
        SELECT
            start_ns, dur_ns, device_id, op, bytes, process_id,
            sector - lag(sector + bytes / 512) OVER (PARTITION BY device_id ORDER BY id) AS sectors
        FROM block_request
        WHERE sector IS NOT NULL AND bytes > 0
    ),
    bucket AS (
        -- the power of two at or below the distance, by its first hexadecimal digit and how many there are
        SELECT
            device_id,
            CASE sectors WHEN 0 THEN 0 ELSE
                512 * ((CASE WHEN hex >= '8' THEN 8 WHEN hex >= '4' THEN 4 WHEN hex >= '2' THEN 2 ELSE 1 END) << (4 * (length(hex) - 1))) END AS low,
            sum(sectors > 0) AS forward,
            sum(sectors < 0) AS backward,
            count(*) AS requests,
            sum(bytes) AS bytes,
            avg(dur_ns) AS service_mean_ns
        FROM (SELECT *, printf('%x', abs(sectors)) AS hex FROM step WHERE sectors IS NOT NULL) AS s
        WHERE (coalesce(:op, 'all') = 'all' OR s.op = CASE :op WHEN 'read' THEN 0 ELSE 1 END)
            AND EXISTS (SELECT 1 FROM period AS p WHERE s.start_ns >= p.start_ns AND s.start_ns < p.end_ns)
            AND (:pid IS NULL OR s.process_id IN (SELECT id FROM process WHERE pid = :pid))
            AND (:process IS NULL OR s.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
        GROUP BY 1, 2
    )
SELECT
    coalesce(d.name || ' on ' || d.host, d.name) AS device,
    CASE t.low WHEN 0 THEN 'sequential' ELSE 'seek' END AS seek,
    t.low AS low_bytes,
    CASE t.low WHEN 0 THEN 512 ELSE 2 * t.low END AS high_bytes,
    t.requests,
    100.0 * t.requests / sum(t.requests) OVER w AS requests_pct,
    100.0 * sum(t.requests) OVER (PARTITION BY t.device_id ORDER BY t.low) / sum(t.requests) OVER w AS up_to_pct,
    t.forward,
    t.backward,
    t.bytes,
    100.0 * t.bytes / sum(t.bytes) OVER w AS bytes_pct,
    t.service_mean_ns,
    substr('########################################', 1, 40 * t.requests / max(t.requests) OVER w) AS bar
FROM bucket AS t
LEFT JOIN device AS d ON d.id = t.device_id
WINDOW w AS (PARTITION BY t.device_id)
ORDER BY device, low_bytes, t.device_id;
