-- title: Disk requests wait longer than they are served
-- level: warning
-- needs: block_request
-- param: min_ns dur_ns 1ms -- a request that waits so long, and longer than it is served, is counted
-- param: min_requests INTEGER 100 -- so many that are counted are reported
-- param: min_pct REAL 10 -- and this share of all
-- columns: device, waited, requests, waited_pct, queue_mean_ns, service_mean_ns, saves_ns
-- column: device TEXT disk
-- column: waited count requests that waited longer than they were served
-- column: requests count requests whose wait is known
-- column: waited_pct percent waited as a share of them
-- column: queue_mean_ns dur_ns how long those that waited did so on average
-- column: service_mean_ns dur_ns how long these were served
-- column: saves_ns dur_ns idle time of all GPUs, and not more than reads waited, for each: at most
-- loss: either saves_ns
-- loss: either queue_mean_ns, service_mean_ns
-- order: queue_mean_ns DESC, device
-- finding: {waited} of {requests} requests to {device}, {waited_pct}, waited longer than they were served: {queue_mean_ns}, then {service_mean_ns} on average.
-- advice: The disk is asked for more than it can do at a time: fewer processes that read at once, larger reads, data on several disks; check the scheduler and the queue depth of the device.
-- unless: it is write-back, which comes in bursts that nobody waits for.
--
-- Requests that do not wait say nothing of those that do: means of all would hide a queue behind others that are slow, or many.
WITH disk AS (
    SELECT
        device_id,
        count(*) AS requests,
        count(*) FILTER (WHERE waits) AS waited,
        avg(queue_ns) FILTER (WHERE waits) AS queue_mean_ns,
        avg(dur_ns) FILTER (WHERE waits) AS service_mean_ns,
        sum(queue_ns) FILTER (WHERE op = 0) AS reads_queue_ns
    FROM (SELECT *, queue_ns > dur_ns AND queue_ns >= coalesce(:min_ns, 1000000) AS waits FROM block_request WHERE queue_ns IS NOT NULL AND dur_ns IS NOT NULL)
    GROUP BY device_id
)
SELECT
    coalesce(n.name, '(unknown)') AS device,
    d.waited,
    d.requests,
    100.0 * d.waited / d.requests AS waited_pct,
    d.queue_mean_ns,
    d.service_mean_ns,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * coalesce(d.reads_queue_ns, 0)) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM disk AS d
LEFT JOIN device AS n ON n.id = d.device_id
WHERE d.waited >= coalesce(:min_requests, 100) AND 100.0 * d.waited >= coalesce(:min_pct, 10) * d.requests
ORDER BY queue_mean_ns DESC, device;
