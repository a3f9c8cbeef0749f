-- Bytes per second by process, of each run, and in its best bin: 'tracedb report bandwidth'.
WITH
    moved AS (
        SELECT
            c.run AS run, c.process_id AS process_id, r.bin_ns AS width_ns, c.start_ns - mod(c.start_ns, r.bin_ns) AS bin_ns, c.verb AS verb,
            sum(c.done_bytes) AS bytes,
            coalesce(sum(c.dur_ns), 0) AS dur_ns
        FROM lake.call AS c
        JOIN lake.run AS r ON r.run = c.run
        WHERE c.nested = 0 AND c.kind = 'io' AND c.verb IN ('read', 'write')
            AND coalesce(c.file_class, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')
            AND r.bin_ns > 0 AND c.process_id IS NOT NULL
        GROUP BY c.run, c.process_id, r.bin_ns, c.start_ns - mod(c.start_ns, r.bin_ns), c.verb
    ),
    counted AS (
        SELECT
            run, process_id,
            sum(bytes) AS bytes,
            sum(CASE WHEN verb = 'read' THEN bytes END) AS read_bytes,
            sum(CASE WHEN verb = 'write' THEN bytes END) AS write_bytes,
            max(CASE WHEN verb = 'read' THEN 1e9 * bytes / greatest(width_ns, dur_ns) END) AS read_max_bytes_per_s,
            max(CASE WHEN verb = 'write' THEN 1e9 * bytes / greatest(width_ns, dur_ns) END) AS write_max_bytes_per_s,
            sum(CASE WHEN bytes IS NOT NULL THEN dur_ns END) AS dur_ns,
            count(DISTINCT bin_ns) AS bins,
            max(bin_ns) AS last_ns,
            max(bin_ns) + min(width_ns) - min(bin_ns) AS wall_ns
        FROM moved
        GROUP BY run, process_id
    )
SELECT
    c.run AS run,
    CAST(p.pid AS VARCHAR(20)) || coalesce(' ' || p.name, '') || coalesce(' on ' || p.host, '') AS name,
    c.read_bytes AS read_bytes,
    1e9 * c.read_bytes / c.wall_ns AS read_bytes_per_s,
    c.read_max_bytes_per_s AS read_max_bytes_per_s,
    c.write_bytes AS write_bytes,
    1e9 * c.write_bytes / c.wall_ns AS write_bytes_per_s,
    c.write_max_bytes_per_s AS write_max_bytes_per_s,
    1e9 * c.bytes / nullif(c.dur_ns, 0) AS in_calls_bytes_per_s,
    c.bins AS bins,
    c.last_ns AS last_ns
FROM counted AS c
JOIN lake.process AS p ON p.run = c.run AND p.id = c.process_id
WHERE c.bytes > 0
ORDER BY c.run, coalesce(c.read_bytes, 0) + coalesce(c.write_bytes, 0) DESC, name;
