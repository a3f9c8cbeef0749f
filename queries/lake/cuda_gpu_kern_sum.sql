-- Kernels by name, of each run: 'tracedb report cuda_gpu_kern_sum'.
WITH
    ranked AS (
        SELECT
            g.run, g.name, g.dur_ns,
            count(*) OVER (PARTITION BY g.run, g.name) AS timed,
            row_number() OVER (PARTITION BY g.run, g.name ORDER BY g.dur_ns) AS place
        FROM lake.gpu_op AS g
        WHERE g.kind = 'kernel' AND g.dur_ns IS NOT NULL
    ),
    counted AS (
        SELECT
            run, name,
            sum(dur_ns) AS total_ns,
            count(*) AS instances,
            avg(1e0 * dur_ns) AS avg_ns,
            avg(CASE WHEN 2 * place BETWEEN timed AND timed + 2 THEN 1e0 * dur_ns END) AS med_ns,
            min(dur_ns) AS min_ns,
            max(dur_ns) AS max_ns
        FROM ranked
        GROUP BY run, name
    )
SELECT
    run,
    1e2 * total_ns / nullif(sum(total_ns) OVER (PARTITION BY run), 0) AS time_pct,
    total_ns,
    instances,
    avg_ns,
    med_ns,
    min_ns,
    max_ns,
    name
FROM counted
ORDER BY run, total_ns DESC, name;
