-- title: CPU utilisation
-- needs: sample
-- param: start_ns ts_ns NULL -- only samples taken at this time or later
-- param: end_ns ts_ns NULL -- only samples taken before this time
-- param: phase TEXT NULL -- only samples taken in this phase: 'epoch' (every one) or 'epoch 3'
-- param: limit INTEGER NULL -- show only so many rows
-- column: cpu INTEGER CPU index; NULL: all together
-- column: samples count samples
-- column: busy_mean_pct percent mean share of the time that was neither idle nor waiting for I/O
-- column: busy_max_pct percent largest of the same
-- column: usr_pct percent mean share in user mode
-- column: nice_pct percent mean share in user mode with a changed priority
-- column: sys_pct percent mean share in the kernel
-- column: iowait_pct percent mean share idle with disk I/O outstanding
-- column: iowait_max_pct percent largest of the same
-- column: irq_pct percent mean share in interrupts, hardware and software
-- column: steal_pct percent mean share taken by the hypervisor
-- column: idle_pct percent mean share idle without disk I/O outstanding
-- order: cpu
--
-- The row of all CPUs together comes first. iowait is idle time: a CPU that waits for the disk could have run
-- something else. Columns that the tool did not print are NULL.
WITH
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    value AS (
        SELECT
            t.device_id,
            t.source_id,
            s.ts_ns,
            max(s.value) FILTER (WHERE t.name = 'cpu.usr') AS usr,
            max(s.value) FILTER (WHERE t.name = 'cpu.nice') AS nice,
            max(s.value) FILTER (WHERE t.name = 'cpu.sys') AS sys,
            max(s.value) FILTER (WHERE t.name = 'cpu.iowait') AS iowait,
            sum(s.value) FILTER (WHERE t.name IN ('cpu.irq', 'cpu.soft')) AS irq,
            max(s.value) FILTER (WHERE t.name = 'cpu.steal') AS steal,
            max(s.value) FILTER (WHERE t.name = 'cpu.idle') AS idle
        FROM sample AS s
        JOIN track AS t ON t.id = s.track_id
        WHERE t.name IN ('cpu.usr', 'cpu.nice', 'cpu.sys', 'cpu.iowait', 'cpu.irq', 'cpu.soft', 'cpu.steal', 'cpu.idle')
            AND EXISTS (SELECT 1 FROM period AS p WHERE s.ts_ns >= p.start_ns AND s.ts_ns < p.end_ns)
        GROUP BY 1, 2, 3
    )
SELECT
    d.number AS cpu,
    count(*) AS samples,
    avg(100 - v.idle - coalesce(v.iowait, 0)) AS busy_mean_pct,
    max(100 - v.idle - coalesce(v.iowait, 0)) AS busy_max_pct,
    avg(v.usr) AS usr_pct,
    avg(v.nice) AS nice_pct,
    avg(v.sys) AS sys_pct,
    avg(v.iowait) AS iowait_pct,
    max(v.iowait) AS iowait_max_pct,
    avg(v.irq) AS irq_pct,
    avg(v.steal) AS steal_pct,
    avg(v.idle) AS idle_pct
FROM value AS v
LEFT JOIN device AS d ON d.id = v.device_id
GROUP BY v.device_id
ORDER BY cpu
LIMIT coalesce(:limit, -1);
