-- title: Disk requests wait longer than they are served
-- level: warning
-- needs: block_request
-- param: min_ns dur_ns 1ms -- mean wait that is reported
-- param: min_requests INTEGER 100 -- of so many requests at least
-- column: device TEXT disk
-- column: requests count requests whose wait is known
-- column: queue_mean_ns dur_ns how long they waited on average
-- column: service_mean_ns dur_ns how long they were served
-- column: saves_ns dur_ns idle time of all GPUs, and not more than reads waited, for each: at most
-- loss: either saves_ns
-- loss: either queue_mean_ns, service_mean_ns
-- order: queue_mean_ns DESC, device
-- finding: {requests} requests to {device} waited {queue_mean_ns} on average, and were served in {service_mean_ns}.
-- advice: The disk is asked for more than it can do at a time: fewer processes that read at once, larger reads, data on several disks; check the scheduler and the queue depth of the device.
-- unless: it is write-back, which comes in bursts that nobody waits for.
WITH disk AS (
    SELECT device_id, count(*) AS requests, avg(queue_ns) AS queue_mean_ns, avg(dur_ns) AS service_mean_ns, sum(queue_ns) FILTER (WHERE op = 0) AS reads_queue_ns
    FROM block_request
    WHERE queue_ns IS NOT NULL AND dur_ns IS NOT NULL
    GROUP BY device_id
)
SELECT
    coalesce(n.name, '(unknown)') AS device,
    d.requests,
    d.queue_mean_ns,
    d.service_mean_ns,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * coalesce(d.reads_queue_ns, 0)) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM disk AS d
LEFT JOIN device AS n ON n.id = d.device_id
WHERE d.requests >= coalesce(:min_requests, 100) AND d.queue_mean_ns >= coalesce(:min_ns, 1000000) AND d.queue_mean_ns > d.service_mean_ns
ORDER BY queue_mean_ns DESC, device;
