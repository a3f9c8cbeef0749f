-- Time in calls by operation, of each run: 'tracedb report osrt_sum'.
WITH
    ranked AS (
        SELECT
            c.run, c.op_id, c.op, c.layer, c.kind, c.nested, c.unfinished, c.ret,
            -- what an outer layer counts already has no time of its own
            CASE WHEN c.nested = 0 THEN c.dur_ns END AS own_ns,
            sum(CASE WHEN c.nested = 0 AND c.dur_ns IS NOT NULL THEN 1 ELSE 0 END) OVER (PARTITION BY c.run, c.op_id) AS timed,
            row_number() OVER (PARTITION BY c.run, c.op_id ORDER BY CASE WHEN c.nested = 0 THEN c.dur_ns END NULLS LAST) AS place
        FROM lake.call AS c
        WHERE c.layer <> 'cuda' AND c.op NOT LIKE '%:out'
    ),
    counted AS (
        SELECT
            run, op_id, op, layer, kind,
            sum(CASE WHEN nested = 0 AND unfinished = 0 THEN 1 ELSE 0 END) AS calls,
            sum(CASE WHEN nested = 0 AND ret < 0 THEN 1 ELSE 0 END) AS errors,
            sum(nested) AS nested_calls,
            sum(CASE WHEN nested = 0 THEN unfinished ELSE 0 END) AS unfinished_calls,
            sum(own_ns) AS total_ns,
            avg(1e0 * own_ns) AS avg_ns,
            min(own_ns) AS min_ns,
            max(own_ns) AS max_ns,
            avg(CASE WHEN 2 * place BETWEEN timed AND timed + 2 THEN 1e0 * own_ns END) AS med_ns,
            min(CASE WHEN 100 * place >= 95 * timed THEN own_ns END) AS p95_ns,
            min(CASE WHEN 100 * place >= 99 * timed THEN own_ns END) AS p99_ns
        FROM ranked
        GROUP BY run, op_id, op, layer, kind
    )
SELECT
    run,
    1e2 * total_ns / nullif(sum(total_ns) OVER (PARTITION BY run), 0) AS time_pct,
    total_ns,
    calls,
    avg_ns,
    med_ns,
    min_ns,
    max_ns,
    op AS name,
    p95_ns,
    p99_ns,
    kind,
    layer,
    errors,
    nested_calls,
    unfinished_calls
FROM counted
ORDER BY run, total_ns DESC, name, layer;
