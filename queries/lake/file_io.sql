-- I/O by file, of each run: 'tracedb report file_io'.
WITH
    ranked AS (
        SELECT
            c.run, c.file_id, c.verb, c.ret, c.done_bytes, c.dur_ns,
            count(c.dur_ns) OVER (PARTITION BY c.run, c.file_id, c.verb) AS timed,
            row_number() OVER (PARTITION BY c.run, c.file_id, c.verb ORDER BY c.dur_ns NULLS LAST) AS place
        FROM lake.call AS c
        WHERE c.nested = 0 AND c.kind = 'io' AND c.verb <> 'socket'
    ),
    counted AS (
        SELECT
            run, file_id, count(*) AS calls,
            sum(CASE WHEN verb = 'open' THEN 1 ELSE 0 END) AS opens,
            sum(CASE WHEN verb = 'read' THEN 1 ELSE 0 END) AS reads,
            sum(CASE WHEN verb = 'write' THEN 1 ELSE 0 END) AS writes,
            sum(CASE WHEN ret < 0 THEN 1 ELSE 0 END) AS errors,
            sum(CASE WHEN verb = 'read' THEN done_bytes END) AS read_bytes,
            sum(CASE WHEN verb = 'write' THEN done_bytes END) AS write_bytes,
            coalesce(sum(CASE WHEN verb IN ('read', 'write') THEN done_bytes END), 0) AS bytes,
            coalesce(sum(dur_ns), 0) AS total_ns,
            avg(CASE WHEN verb = 'read' AND 2 * place BETWEEN timed AND timed + 2 THEN 1e0 * dur_ns END) AS read_p50_ns,
            min(CASE WHEN verb = 'read' AND 100 * place >= 99 * timed THEN dur_ns END) AS read_p99_ns,
            avg(CASE WHEN verb = 'write' AND 2 * place BETWEEN timed AND timed + 2 THEN 1e0 * dur_ns END) AS write_p50_ns,
            min(CASE WHEN verb = 'write' AND 100 * place >= 99 * timed THEN dur_ns END) AS write_p99_ns
        FROM ranked
        GROUP BY run, file_id
    ),
    named AS (
        SELECT
            c.*,
            CASE WHEN f.id IS NOT NULL THEN coalesce(nullif(f.path, ''), nullif(f.name, ''), '(no name)') END AS file,
            f.class AS class,
            CASE f.truncated WHEN 0 THEN f.path_basis WHEN 1 THEN coalesce(f.path_basis || ', cut', 'cut') END AS path_basis
        FROM counted AS c
        LEFT JOIN lake.file AS f ON f.run = c.run AND f.id = c.file_id
    )
SELECT
    run,
    file,
    class,
    path_basis,
    opens,
    reads,
    writes,
    errors,
    read_bytes,
    write_bytes,
    total_ns,
    1e2 * total_ns / nullif(sum(total_ns) OVER (PARTITION BY run), 0) AS time_pct,
    1e2 * bytes / nullif(sum(bytes) OVER (PARTITION BY run), 0) AS bytes_pct,
    read_p50_ns,
    read_p99_ns,
    write_p50_ns,
    write_p99_ns
FROM named
-- what is waited on: pipes, terminals
WHERE class IS NULL OR class NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')
ORDER BY run, total_ns DESC, bytes DESC, calls DESC, file, file_id;
