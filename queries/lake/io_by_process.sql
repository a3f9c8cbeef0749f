-- I/O by process, of each run: 'tracedb report io_by_process'.
WITH
    counted AS (
        SELECT
            run, process_id,
            sum(CASE WHEN verb = 'open' THEN 1 ELSE 0 END) AS opens,
            sum(CASE WHEN verb = 'read' THEN 1 ELSE 0 END) AS reads,
            sum(CASE WHEN verb = 'write' THEN 1 ELSE 0 END) AS writes,
            sum(CASE WHEN ret < 0 THEN 1 ELSE 0 END) AS errors,
            sum(CASE WHEN verb = 'read' THEN done_bytes END) AS read_bytes,
            sum(CASE WHEN verb = 'write' THEN done_bytes END) AS write_bytes,
            coalesce(sum(CASE WHEN verb IN ('read', 'write') THEN done_bytes END), 0) AS bytes,
            coalesce(sum(dur_ns), 0) AS total_ns,
            min(start_ns) AS first_ns,
            max(start_ns) AS last_ns
        FROM lake.call
        WHERE nested = 0 AND kind = 'io' AND verb <> 'socket'
            AND coalesce(file_class, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')
        GROUP BY run, process_id
    )
SELECT
    c.run AS run,
    p.pid AS pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role AS role,
    c.opens AS opens,
    c.reads AS reads,
    c.writes AS writes,
    c.errors AS errors,
    c.read_bytes AS read_bytes,
    c.write_bytes AS write_bytes,
    c.total_ns AS total_ns,
    1e2 * c.total_ns / nullif(sum(c.total_ns) OVER (PARTITION BY c.run), 0) AS time_pct,
    1e2 * c.bytes / nullif(sum(c.bytes) OVER (PARTITION BY c.run), 0) AS bytes_pct,
    c.first_ns AS first_ns,
    c.last_ns AS last_ns
FROM counted AS c
LEFT JOIN lake.process AS p ON p.run = c.run AND p.id = c.process_id
ORDER BY c.run, total_ns DESC, pid, first_ns, process;
