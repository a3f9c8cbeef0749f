-- How busy the CPUs were, of each run: 'tracedb report cpu_util', but for which source says so.
WITH
    sampler AS (SELECT run, coalesce(device_id, -1) AS cpu_id, source_id, coalesce(host, '') AS machine, step_pct, precedence, start_ns, end_ns FROM lake.cpu_sampler),
    used AS (
        SELECT DISTINCT t.run AS run, t.id AS track_id, t.name AS name, coalesce(t.device_id, -1) AS cpu_id, t.source_id AS source_id, p.machine AS machine, p.step_pct AS step_pct
        FROM lake.track AS t
        JOIN sampler AS p ON p.run = t.run AND p.source_id = t.source_id AND p.cpu_id = coalesce(t.device_id, -1)
        WHERE t.name IN ('cpu.usr', 'cpu.nice', 'cpu.sys', 'cpu.iowait', 'cpu.irq', 'cpu.soft', 'cpu.steal', 'cpu.idle')
    ),
    seen AS (
        SELECT
            u.run AS run, u.cpu_id AS cpu_id, u.source_id AS source_id, u.machine AS machine, u.step_pct AS step_pct, u.name AS name,
            s.ts_ns AS ts_ns, s.dur_ns AS dur_ns, s.value AS value
        FROM lake.sample AS s
        JOIN used AS u ON u.run = s.run AND u.track_id = s.track_id
    ),
    -- what a better one looked at, too
    worse AS (
        SELECT DISTINCT s.run AS run, s.cpu_id AS cpu_id, s.source_id AS source_id, s.ts_ns AS ts_ns, 1 AS is_worse
        FROM seen AS s
        JOIN sampler AS a ON a.run = s.run AND a.source_id = s.source_id AND a.cpu_id = s.cpu_id
        JOIN sampler AS b ON b.run = a.run AND b.cpu_id = a.cpu_id AND b.machine = a.machine
        WHERE b.precedence < a.precedence AND s.ts_ns - coalesce(s.dur_ns, 0) < b.end_ns AND s.ts_ns > b.start_ns
    ),
    taken AS (
        SELECT
            s.run AS run, s.machine AS machine, s.cpu_id AS cpu_id, s.step_pct AS step_pct, s.ts_ns AS ts_ns, s.source_id AS source_id,
            max(s.dur_ns) AS dur_ns,
            max(CASE WHEN s.name = 'cpu.usr' THEN s.value END) AS usr,
            max(CASE WHEN s.name = 'cpu.nice' THEN s.value END) AS nice,
            max(CASE WHEN s.name = 'cpu.sys' THEN s.value END) AS sys,
            max(CASE WHEN s.name = 'cpu.iowait' THEN s.value END) AS iowait,
            sum(CASE WHEN s.name IN ('cpu.irq', 'cpu.soft') THEN s.value END) AS irq,
            max(CASE WHEN s.name = 'cpu.steal' THEN s.value END) AS steal,
            max(CASE WHEN s.name = 'cpu.idle' THEN s.value END) AS idle
        FROM seen AS s
        LEFT JOIN worse AS w ON w.run = s.run AND w.cpu_id = s.cpu_id AND w.source_id = s.source_id AND w.ts_ns = s.ts_ns
        WHERE w.is_worse IS NULL
        GROUP BY s.run, s.machine, s.cpu_id, s.step_pct, s.source_id, s.ts_ns
    ),
    share AS (
        SELECT
            run, machine, cpu_id, step_pct, usr, nice, sys, iowait, irq, steal, idle,
            coalesce(1e0 * dur_ns, avg(1e0 * dur_ns) OVER (PARTITION BY run, machine, cpu_id), 1e0) AS weight,
            CASE WHEN idle + coalesce(iowait, 0e0) > 100 THEN 0e0 ELSE 100 - idle - coalesce(iowait, 0e0) END AS busy,
            100 - idle - coalesce(iowait, 0e0) - step_pct * (CASE WHEN iowait IS NULL THEN 0.5e0 ELSE 1e0 END) AS below,
            100 - CASE WHEN idle > step_pct / 2 THEN idle - step_pct / 2 ELSE 0e0 END
                - CASE WHEN iowait > step_pct / 2 THEN iowait - step_pct / 2 ELSE 0e0 END AS above
        FROM taken
    ),
    summed AS (
        SELECT
            run, machine, cpu_id,
            count(*) AS samples,
            max(step_pct) AS step_pct,
            count(busy) AS told,
            sum(weight * busy) / sum(CASE WHEN busy IS NOT NULL THEN weight END) AS busy_mean_pct,
            sum(weight * CASE WHEN below < 0 THEN 0e0 ELSE below END) / sum(CASE WHEN busy IS NOT NULL THEN weight END) AS busy_mean_min_pct,
            sum(weight * CASE WHEN above > 100 THEN 1e2 WHEN idle IS NOT NULL THEN above END) / sum(CASE WHEN busy IS NOT NULL THEN weight END) AS busy_mean_max_pct,
            max(busy) AS busy_max_pct,
            sum(weight * usr) / sum(CASE WHEN usr IS NOT NULL THEN weight END) AS usr_pct,
            sum(weight * nice) / sum(CASE WHEN nice IS NOT NULL THEN weight END) AS nice_pct,
            sum(weight * sys) / sum(CASE WHEN sys IS NOT NULL THEN weight END) AS sys_pct,
            sum(weight * iowait) / sum(CASE WHEN iowait IS NOT NULL THEN weight END) AS iowait_pct,
            max(iowait) AS iowait_max_pct,
            sum(weight * irq) / sum(CASE WHEN irq IS NOT NULL THEN weight END) AS irq_pct,
            sum(weight * steal) / sum(CASE WHEN steal IS NOT NULL THEN weight END) AS steal_pct,
            sum(weight * idle) / sum(CASE WHEN idle IS NOT NULL THEN weight END) AS idle_pct
        FROM share
        GROUP BY run, machine, cpu_id
    )
SELECT
    v.run AS run,
    nullif(v.machine, '') AS host,
    d.number AS cpu,
    v.samples AS samples,
    CASE WHEN v.told > 0 THEN CASE WHEN v.step_pct > 0 THEN 'bounds' ELSE 'exact' END END AS basis,
    v.busy_mean_pct AS busy_mean_pct,
    v.busy_mean_min_pct AS busy_mean_min_pct,
    v.busy_mean_max_pct AS busy_mean_max_pct,
    v.busy_max_pct AS busy_max_pct,
    v.usr_pct AS usr_pct,
    v.nice_pct AS nice_pct,
    v.sys_pct AS sys_pct,
    v.iowait_pct AS iowait_pct,
    v.iowait_max_pct AS iowait_max_pct,
    v.irq_pct AS irq_pct,
    v.steal_pct AS steal_pct,
    v.idle_pct AS idle_pct
FROM summed AS v
LEFT JOIN lake.device AS d ON d.run = v.run AND d.id = v.cpu_id
ORDER BY run, host, cpu NULLS FIRST;
