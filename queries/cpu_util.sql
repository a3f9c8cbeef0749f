-- title: CPU utilisation
-- group: processes
-- needs: sample
-- param: start_ns ts_ns NULL -- only samples taken at this time or later
-- param: end_ns ts_ns NULL -- only samples taken before this time
-- param: phase TEXT NULL -- only samples taken in this phase: 'epoch' (every one) or 'epoch 3'
-- param: limit INTEGER NULL -- show only so many rows
-- column: host TEXT machine; NULL if no source says
-- column: cpu INTEGER CPU index; NULL: all together
-- column: samples count samples
-- column: basis TEXT what busy_mean_min_pct and busy_mean_max_pct are: exact as the kernel counts, or bounds (the truth lies between)
-- column: busy_mean_pct percent mean share of the sampled time that was neither idle nor waiting for I/O, as printed
-- column: busy_mean_min_pct percent at least, as percents are rounded
-- column: busy_mean_max_pct percent and at most
-- column: busy_max_pct percent largest of the same, as printed
-- column: usr_pct percent mean share in user mode
-- column: nice_pct percent mean share in user mode with a changed priority
-- column: sys_pct percent mean share in the kernel
-- column: iowait_pct percent mean share idle with disk I/O outstanding
-- column: iowait_max_pct percent largest of the same
-- column: irq_pct percent mean share in interrupts, hardware and software
-- column: steal_pct percent mean share taken by the hypervisor
-- column: idle_pct percent mean share idle without disk I/O outstanding
-- column: source TEXT which source says so
-- order: host, cpu
--
-- The row of all CPUs together comes first. Of several tools that looked at a machine at a time the one whose percents are finest
-- is used (cpu_sampler), the others add nothing. Means are weighted by the samples' lengths. iowait is idle time: a CPU that waits for the disk could have
-- run something else. Columns that the tool did not print are NULL; the others are off by up to half a step of rounding, too.
WITH
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    sampler AS MATERIALIZED (
        -- a better one looked from start_ns to end_ns
        SELECT a.device_id, a.source_id, a.host, a.step_pct, b.start_ns, b.end_ns
        FROM cpu_sampler AS a
        LEFT JOIN cpu_sampler AS b ON b.device_id IS a.device_id AND b.host IS a.host AND b.precedence < a.precedence
    ),
    used AS MATERIALIZED (
        SELECT t.id AS track_id, t.name, t.device_id, t.source_id, p.host, p.step_pct
        FROM track AS t
        JOIN (SELECT DISTINCT device_id, source_id, host, step_pct FROM sampler) AS p ON p.source_id = t.source_id AND p.device_id IS t.device_id
        WHERE t.name IN ('cpu.usr', 'cpu.nice', 'cpu.sys', 'cpu.iowait', 'cpu.irq', 'cpu.soft', 'cpu.steal', 'cpu.idle')
    ),
    value AS (
        SELECT
            t.host,
            t.device_id,
            t.source_id,
            t.step_pct,
            max(s.dur_ns) AS dur_ns,
            max(s.value) FILTER (WHERE t.name = 'cpu.usr') AS usr,
            max(s.value) FILTER (WHERE t.name = 'cpu.nice') AS nice,
            max(s.value) FILTER (WHERE t.name = 'cpu.sys') AS sys,
            max(s.value) FILTER (WHERE t.name = 'cpu.iowait') AS iowait,
            sum(s.value) FILTER (WHERE t.name IN ('cpu.irq', 'cpu.soft')) AS irq,
            max(s.value) FILTER (WHERE t.name = 'cpu.steal') AS steal,
            max(s.value) FILTER (WHERE t.name = 'cpu.idle') AS idle
        FROM sample AS s
        JOIN used AS t ON t.track_id = s.track_id
        WHERE EXISTS (SELECT 1 FROM period AS p WHERE s.ts_ns >= p.start_ns AND s.ts_ns < p.end_ns)
            AND NOT EXISTS (
                SELECT 1 FROM sampler AS p
                WHERE p.source_id = t.source_id AND p.device_id IS t.device_id AND s.ts_ns - coalesce(s.dur_ns, 0) < p.end_ns AND s.ts_ns > p.start_ns
            )
        GROUP BY t.host, t.device_id, t.source_id, s.ts_ns
    ),
    share AS (
        SELECT
            *,
            coalesce(dur_ns, avg(dur_ns) OVER (PARTITION BY host, device_id), 1.0) AS weight,
            max(0.0, 100 - idle - coalesce(iowait, 0)) AS busy,
            max(0.0, 100 - idle - coalesce(iowait, 0) - step_pct * (0.5 + 0.5 * (iowait IS NOT NULL))) AS least,
            min(100.0, 100 - max(0.0, idle - step_pct / 2) - max(0.0, coalesce(iowait, 0) - step_pct / 2)) AS most
        FROM value
    )
SELECT
    v.host,
    d.number AS cpu,
    count(*) AS samples,
    CASE WHEN count(v.busy) > 0 THEN CASE WHEN max(v.step_pct) > 0 THEN 'bounds' ELSE 'exact' END END AS basis,
    sum(v.weight * v.busy) / sum(v.weight) FILTER (WHERE v.busy IS NOT NULL) AS busy_mean_pct,
    sum(v.weight * v.least) / sum(v.weight) FILTER (WHERE v.busy IS NOT NULL) AS busy_mean_min_pct,
    sum(v.weight * v.most) / sum(v.weight) FILTER (WHERE v.busy IS NOT NULL) AS busy_mean_max_pct,
    max(v.busy) AS busy_max_pct,
    sum(v.weight * v.usr) / sum(v.weight) FILTER (WHERE v.usr IS NOT NULL) AS usr_pct,
    sum(v.weight * v.nice) / sum(v.weight) FILTER (WHERE v.nice IS NOT NULL) AS nice_pct,
    sum(v.weight * v.sys) / sum(v.weight) FILTER (WHERE v.sys IS NOT NULL) AS sys_pct,
    sum(v.weight * v.iowait) / sum(v.weight) FILTER (WHERE v.iowait IS NOT NULL) AS iowait_pct,
    max(v.iowait) AS iowait_max_pct,
    sum(v.weight * v.irq) / sum(v.weight) FILTER (WHERE v.irq IS NOT NULL) AS irq_pct,
    sum(v.weight * v.steal) / sum(v.weight) FILTER (WHERE v.steal IS NOT NULL) AS steal_pct,
    sum(v.weight * v.idle) / sum(v.weight) FILTER (WHERE v.idle IS NOT NULL) AS idle_pct,
    group_concat(DISTINCT o.path) AS source
FROM share AS v
JOIN (SELECT id, path FROM source) AS o ON o.id = v.source_id
LEFT JOIN (SELECT id, number FROM device) AS d ON d.id = v.device_id
GROUP BY v.host, v.device_id
ORDER BY host, cpu
LIMIT coalesce(:limit, -1);
