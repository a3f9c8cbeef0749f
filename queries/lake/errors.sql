-- Calls that failed, by operation, error and file, of each run: 'tracedb report errors', with errno for the name of the error.
WITH
    failed AS (
        SELECT
            run, op, -ret AS errno, file_id,
            count(*) AS calls,
            sum(dur_ns) AS total_ns,
            count(DISTINCT process_id) AS processes,
            min(start_ns) AS first_ns,
            max(start_ns) AS last_ns
        FROM lake.call
        WHERE ret < 0 AND nested = 0
        GROUP BY run, op, op_id, ret, file_id
    )
SELECT
    e.run AS run,
    e.op AS op,
    e.errno AS errno,
    CASE WHEN f.id IS NOT NULL THEN coalesce(nullif(f.path, ''), nullif(f.name, ''), '(no name)') END AS file,
    e.calls AS calls,
    1e2 * e.calls / sum(e.calls) OVER (PARTITION BY e.run) AS errors_pct,
    e.total_ns AS total_ns,
    e.processes AS processes,
    e.first_ns AS first_ns,
    e.last_ns AS last_ns
FROM failed AS e
LEFT JOIN lake.file AS f ON f.run = e.run AND f.id = e.file_id
ORDER BY e.run, calls DESC, op, errno, file, first_ns;
