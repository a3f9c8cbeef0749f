-- Latency of opens by operation, of each run: 'tracedb report open_latency'.
WITH
    ranked AS (
        SELECT
            c.run, c.op_id, c.op, c.layer, c.nested, c.ret, c.dur_ns,
            count(c.dur_ns) OVER (PARTITION BY c.run, c.op_id, c.nested) AS timed,
            row_number() OVER (PARTITION BY c.run, c.op_id, c.nested ORDER BY c.dur_ns NULLS LAST) AS place
        FROM lake.call AS c
        WHERE c.verb = 'open' AND c.kind = 'io'
    )
SELECT
    run,
    op AS name,
    layer,
    nested AS inside,
    count(*) AS calls,
    sum(CASE WHEN ret < 0 THEN 1 ELSE 0 END) AS errors,
    coalesce(sum(dur_ns), 0) AS total_ns,
    avg(CASE WHEN 2 * place BETWEEN timed AND timed + 2 THEN 1e0 * dur_ns END) AS p50_ns,
    min(CASE WHEN 100 * place >= 95 * timed THEN dur_ns END) AS p95_ns,
    min(CASE WHEN 100 * place >= 99 * timed THEN dur_ns END) AS p99_ns,
    max(dur_ns) AS max_ns
FROM ranked
GROUP BY run, op_id, op, layer, nested
ORDER BY run, layer, inside, total_ns DESC, name;
