-- title: CPU utilisation
-- group: processes
-- needs: cpu_util
-- filters: time, limit
-- time: samples taken
-- columns: host, cpu, samples, basis, busy_mean_pct, busy_mean_min_pct, busy_mean_max_pct, busy_max_pct, usr_pct, nice_pct
-- columns: sys_pct, iowait_pct, iowait_max_pct, irq_pct, steal_pct, idle_pct, source
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
-- none: what was sampled of CPUs does not say how busy they are: 'mpstat -P ALL 1' does
-- order: host, cpu
--
-- The row of all CPUs together comes first. Of several tools that looked at a machine at a time the one whose percents are finest
-- is used (cpu_sampler), the others add nothing. Means are weighted by the samples' lengths. iowait is idle time: a CPU that waits for the disk could have
-- run something else. Columns that the tool did not print are NULL; the others are off by up to half a step of rounding, too.
SELECT
    s.host,
    d.number AS cpu,
    s.samples, s.basis, s.busy_mean_pct, s.busy_mean_min_pct, s.busy_mean_max_pct, s.busy_max_pct,
    s.usr_pct, s.nice_pct, s.sys_pct, s.iowait_pct, s.iowait_max_pct, s.irq_pct, s.steal_pct,
    s.idle_pct, s.source
FROM cpu_sample_stat AS s
LEFT JOIN (SELECT id, number FROM device) AS d ON d.id = s.device_id
WHERE s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase
ORDER BY host, cpu
LIMIT coalesce(:limit, -1);
