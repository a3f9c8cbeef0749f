-- Syncs by process, of each run: 'tracedb report sync_sum'.
WITH
    ranked AS (
        SELECT
            c.run, c.process_id, c.op_id, c.op, c.ret, c.start_ns, c.dur_ns,
            count(c.dur_ns) OVER (PARTITION BY c.run, c.process_id, c.op_id) AS timed,
            row_number() OVER (PARTITION BY c.run, c.process_id, c.op_id ORDER BY c.dur_ns NULLS LAST) AS place
        FROM lake.call AS c
        WHERE c.verb = 'sync' AND c.nested = 0
    ),
    counted AS (
        SELECT
            run, process_id, op_id, op,
            count(*) AS calls,
            sum(CASE WHEN ret < 0 THEN 1 ELSE 0 END) AS errors,
            coalesce(sum(dur_ns), 0) AS total_ns,
            avg(CASE WHEN 2 * place BETWEEN timed AND timed + 2 THEN 1e0 * dur_ns END) AS p50_ns,
            max(dur_ns) AS max_ns,
            min(start_ns) AS first_ns,
            max(start_ns) AS last_ns
        FROM ranked
        GROUP BY run, process_id, op_id, op
    )
SELECT
    c.run AS run,
    CAST(p.pid AS VARCHAR(20)) || coalesce(' ' || p.name, '') || coalesce(' on ' || p.host, '') AS name,
    c.op AS op,
    c.calls AS calls,
    c.errors AS errors,
    c.total_ns AS total_ns,
    1e2 * c.total_ns / nullif(sum(c.total_ns) OVER (PARTITION BY c.run), 0) AS total_pct,
    c.p50_ns AS p50_ns,
    c.max_ns AS max_ns,
    c.first_ns AS first_ns,
    c.last_ns AS last_ns
FROM counted AS c
LEFT JOIN lake.process AS p ON p.run = c.run AND p.id = c.process_id
ORDER BY c.run, total_ns DESC, name, op;
