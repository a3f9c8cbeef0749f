-- Requests to disks by disk, direction and process, of each run: 'tracedb report block_io'.
WITH
    ranked AS (
        SELECT
            b.*,
            CASE b.op WHEN 0 THEN 'read' WHEN 1 THEN 'write' ELSE 'other' END AS direction,
            count(b.dur_ns) OVER (PARTITION BY b.run, b.device_id, b.op, b.process_id) AS timed,
            row_number() OVER (PARTITION BY b.run, b.device_id, b.op, b.process_id ORDER BY b.dur_ns NULLS LAST) AS place
        FROM lake.block_request AS b
    ),
    counted AS (
        SELECT
            run, device, direction, process_id,
            count(*) AS requests,
            sum(bytes) AS bytes,
            sum(dur_ns) AS service_total_ns,
            avg(CASE WHEN 2 * place BETWEEN timed AND timed + 2 THEN 1e0 * dur_ns END) AS service_p50_ns,
            min(CASE WHEN 100 * place >= 95 * timed THEN dur_ns END) AS service_p95_ns,
            min(CASE WHEN 100 * place >= 99 * timed THEN dur_ns END) AS service_p99_ns,
            max(dur_ns) AS service_max_ns,
            avg(1e0 * queue_ns) AS queue_mean_ns,
            min(start_ns) AS first_ns,
            max(start_ns) AS last_ns
        FROM ranked
        GROUP BY run, device_id, device, direction, process_id
    )
SELECT
    c.run AS run,
    c.device AS device,
    c.direction AS op,
    p.pid AS pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    c.requests AS requests,
    c.bytes AS bytes,
    1e2 * c.bytes / nullif(sum(c.bytes) OVER (PARTITION BY c.run), 0) AS bytes_pct,
    1e0 * c.bytes / c.requests AS mean_bytes,
    c.service_total_ns AS service_total_ns,
    c.service_p50_ns AS service_p50_ns,
    c.service_p95_ns AS service_p95_ns,
    c.service_p99_ns AS service_p99_ns,
    c.service_max_ns AS service_max_ns,
    c.queue_mean_ns AS queue_mean_ns,
    c.first_ns AS first_ns,
    c.last_ns AS last_ns
FROM counted AS c
LEFT JOIN lake.process AS p ON p.run = c.run AND p.id = c.process_id
ORDER BY c.run, bytes DESC, device, op, pid, process;
