-- title: Seeks of the disks
-- group: disks
-- needs: block_request
-- param: op read|write|all all -- which requests
-- filters: time, process
-- time: requests issued
-- param: pid INTEGER NULL -- only requests queued by this process
-- param: process TEXT NULL -- only requests queued by processes of this name or role
-- columns: device, seek, low_bytes, high_bytes, requests, requests_pct, up_to_pct, forward, backward, bytes, bytes_pct
-- columns: service_mean_ns, bar
-- column: seek TEXT sequential (begins where the disk's previous request ended) or seek
-- column: low_bytes bytes lower end of the bucket of distances from there: 0, or 512 times a power of two
-- column: requests count requests that began so far from there
-- column: requests_pct percent share of the disk's requests
-- column: forward count of these: to higher sectors
-- column: backward count of these: to lower sectors
-- column: bytes_pct percent share of the bytes of the disk's requests
-- column: service_mean_ns dur_ns mean service time
-- column: bar TEXT requests as a share of the largest bucket's, of which 40 are all
-- keep: low_bytes, high_bytes, requests, bar
-- loss: none low_bytes, high_bytes
-- loss: either requests_pct, up_to_pct, service_mean_ns
-- none: no request is known to follow another one of its disk: the tracer has to print sectors (tracedb record -e block does)
-- order: device, low_bytes, t.device_id
--
-- The previous request is the disk's, whoever queued it and whichever way it went, also where a process or a direction
-- leaves it out. Requests without sector or size (flushes) are left out; the first request of a disk, also in a time or phase, has none before it. Disks that turn need milliseconds for a seek; solid
-- state disks hardly care, but read ahead does less for them, and requests get smaller. A lost request looks like a seek.
WITH
    seek AS MATERIALIZED (
        SELECT
            device_id, seek_bytes AS low,
            sum(requests) AS requests,
            sum(forward) AS forward,
            sum(backward) AS backward,
            sum(bytes) AS bytes,
            1.0 * sum(total_ns) / nullif(sum(timed), 0) AS service_mean_ns
        FROM block_stat
        WHERE by = 'device,direction,seek' AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
            AND seek_bytes IS NOT NULL AND coalesce(:op, 'all') IN ('all', direction)
        GROUP BY device_id, seek_bytes
    )
SELECT
    coalesce(d.name || ' on ' || d.host, d.name) AS device,
    iif(t.low = 0, 'sequential', 'seek') AS seek,
    t.low AS low_bytes,
    max(512, 2 * t.low) AS high_bytes,
    t.requests,
    100.0 * t.requests / sum(t.requests) OVER w AS requests_pct,
    100.0 * sum(t.requests) OVER (PARTITION BY t.device_id ORDER BY t.low) / sum(t.requests) OVER w AS up_to_pct,
    t.forward,
    t.backward,
    t.bytes,
    100.0 * t.bytes / sum(t.bytes) OVER w AS bytes_pct,
    t.service_mean_ns,
    substr('########################################', 1, 40 * t.requests / max(t.requests) OVER w) AS bar
FROM seek AS t
LEFT JOIN device AS d ON d.id = t.device_id
WINDOW w AS (PARTITION BY t.device_id)
ORDER BY device, low_bytes, t.device_id;
