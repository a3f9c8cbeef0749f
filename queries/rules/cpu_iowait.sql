-- title: CPUs idle while disk requests are outstanding
-- level: warning
-- needs: cpu_util
-- uses: segment
-- param: min_pct REAL 10 -- share of the CPUs' time that is reported
-- column: host TEXT machine, where there are several
-- column: iowait_min_ns dur_ns time times share of all CPUs, at least
-- column: iowait_min_pct percent as a share of the time that was sampled
-- column: iowait_max_pct percent at most
-- loss: none iowait_min_ns, iowait_min_pct, iowait_max_pct
-- order: iowait_min_pct DESC, c.host
-- finding: All CPUs together waited for disks (iowait) for {iowait_min_pct..iowait_max_pct} of the time.
-- advice: There is work for the CPUs, but its data is not there: read ahead, more requests in flight, a faster disk. 'report block_io' and 'report file_io' show what is read.
-- unless: the processes that wait are not those that the training waits for.
SELECT
    c.host,
    c.iowait_min_ns,
    100.0 * c.iowait_min_ns / c.wall_ns AS iowait_min_pct,
    100.0 * c.iowait_max_ns / c.wall_ns AS iowait_max_pct
FROM cpu_phase AS c
WHERE c.label = '(run)' AND c.start_ns IS NULL AND c.run_number IS NULL
    AND c.wall_ns > 0 AND 100.0 * c.iowait_min_ns >= coalesce(:min_pct, 10) * c.wall_ns
ORDER BY iowait_min_pct DESC, c.host;
