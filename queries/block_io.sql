-- title: Block I/O by disk, direction and process
-- group: disks
-- needs: block_request
-- filters: time, process, limit
-- time: requests issued
-- param: pid INTEGER NULL -- only requests queued by this process
-- param: process TEXT NULL -- only requests queued by processes of this name or role
-- param: by process|device process -- what a row is: disk, direction and process that queued it, or disk and direction
-- columns: device, op, pid, process, requests, bytes, bytes_pct, mean_bytes, service_total_ns, service_p50_ns, service_p95_ns
-- columns: service_p99_ns, service_max_ns, queue_mean_ns, sequential_pct, first_ns, last_ns
-- column: device TEXT disk
-- column: op TEXT read, write or other
-- column: pid INTEGER process that queued the requests; NULL for a whole device
-- column: requests count requests
-- column: service_total_ns dur_ns sum of the service times
-- column: service_p50_ns dur_ns median service time in ns
-- column: service_p95_ns dur_ns 95th percentile, nearest rank
-- column: service_p99_ns dur_ns 99th percentile, nearest rank
-- column: service_max_ns dur_ns longest
-- column: queue_mean_ns dur_ns mean time in the queue before issue, in ns; NULL if no script printed it
-- column: sequential_pct percent share of the requests that begin at the sector where the disk's previous one ended; NULL without sectors
-- loss: either service_p50_ns, service_p95_ns, service_p99_ns, queue_mean_ns
-- order: s.bytes DESC, device, op, pid, process
--
-- Requests are counted for the process that was running when they were queued. For reads that is the reader; write-back
-- is queued by kernel threads (kworker), whoever wrote the data. bpftrace scripts print flush and discard as read.
-- sequential_pct: the request before is the disk's, whoever queued it; the first one in a time or phase has none.
-- What file_io shows and this does not was served from the page cache.
SELECT
    d.name AS device,
    s.direction AS op,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    s.requests,
    s.bytes,
    100.0 * s.bytes / sum(s.bytes) OVER () AS bytes_pct,
    1.0 * s.bytes / s.requests AS mean_bytes,
    s.total_ns AS service_total_ns,
    s.p50_ns AS service_p50_ns,
    s.p95_ns AS service_p95_ns,
    s.p99_ns AS service_p99_ns,
    s.max_ns AS service_max_ns,
    1.0 * s.queue_ns / s.queued AS queue_mean_ns,
    100.0 * s.sequential / (s.sequential + s.forward + s.backward) AS sequential_pct,
    s.first_ns,
    s.last_ns
FROM block_stat AS s
LEFT JOIN device AS d ON d.id = s.device_id
LEFT JOIN process AS p ON p.id = s.process_id
WHERE by = iif(:by = 'device', 'device,direction', 'device,direction,process') AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
ORDER BY s.bytes DESC, device, op, pid, process
LIMIT coalesce(:limit, -1);
