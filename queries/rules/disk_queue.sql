-- title: Disk requests wait longer than they are served
-- level: warning
-- needs: block_request
-- param: min_ns dur_ns 1ms -- mean wait that is reported
-- param: min_requests INTEGER 100 -- of so many requests at least
-- column: device TEXT disk
-- column: requests count requests whose wait is known
-- column: queue_mean_ns dur_ns how long they waited on average
-- column: service_mean_ns dur_ns how long they were served
-- column: saves_ns dur_ns idle time of all GPUs while disks were read, at most
-- loss: either saves_ns
-- loss: either queue_mean_ns, service_mean_ns
-- order: queue_mean_ns DESC, device
-- finding: {requests} requests to {device} waited {queue_mean_ns} on average, and were served in {service_mean_ns}.
-- advice: The disk is asked for more than it can do at a time: fewer processes that read at once, larger reads, data on several disks; check the scheduler and the queue depth of the device.
-- unless: it is write-back, which comes in bursts that nobody waits for.
SELECT
    coalesce(d.name, '(unknown)') AS device,
    count(*) AS requests,
    avg(b.queue_ns) AS queue_mean_ns,
    avg(b.dur_ns) AS service_mean_ns,
    (SELECT sum(idle_max_ns) FROM gpu_idle_run WHERE cause IN ('disk read')) AS saves_ns
FROM block_request AS b
LEFT JOIN device AS d ON d.id = b.device_id
WHERE b.queue_ns IS NOT NULL AND b.dur_ns IS NOT NULL
GROUP BY b.device_id
HAVING requests >= coalesce(:min_requests, 100) AND queue_mean_ns >= coalesce(:min_ns, 1000000) AND queue_mean_ns > service_mean_ns
ORDER BY queue_mean_ns DESC, device;
