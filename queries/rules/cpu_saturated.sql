-- title: All CPUs are busy
-- level: warning
-- needs: cpu_util
-- uses: segment
-- param: min_pct REAL 90 -- share of the CPUs' time that is reported
-- column: host TEXT machine, where there are several
-- column: busy_min_ns dur_ns time times busy share of all CPUs, at least
-- column: busy_min_pct percent as a share of the time that was sampled
-- column: busy_max_pct percent at most
-- column: saves_ns dur_ns idle time of all GPUs, and not more than threads of the machine waited for a CPU, or anything that hides it in the order of causes was in progress, for each: at most; NULL: nothing tells whether they waited
-- loss: either saves_ns
-- loss: none busy_min_ns, busy_min_pct, busy_max_pct
-- order: busy_min_pct DESC, c.host
-- finding: All CPUs together were busy for {busy_min_pct..busy_max_pct} of the time.
-- advice: Fewer loader processes than CPUs, threads of libraries limited (OMP_NUM_THREADS, cv2.setNumThreads), cheaper decoding (JPEG on the GPU, smaller images), or more CPUs for each GPU. 'report cpu_by_process' shows who.
-- unless: the work is on the CPUs, and they are to be busy.
SELECT
    c.host,
    c.busy_min_ns,
    100.0 * c.busy_min_ns / c.wall_ns AS busy_min_pct,
    100.0 * c.busy_max_ns / c.wall_ns AS busy_max_pct,
    (
        SELECT CASE WHEN w.waits THEN min(sum(g.wall_ns - g.busy_min_ns), count(*) * w.ns, count(*) * coalesce(t.ns, w.ns)) END
        FROM gpu_phase AS g
        CROSS JOIN (
            -- which machine it is of is not known of all GPUs
            SELECT sum(i.cause_ns) AS ns, max(i.cause = 'waiting for a CPU') AS waits
            FROM gpu_idle_each AS i
            JOIN gpu_idle_cause AS p ON p.cause = i.cause
            JOIN device AS d ON d.id = i.device_id
            WHERE p.precedence <= (SELECT precedence FROM gpu_idle_cause WHERE cause = 'waiting for a CPU') AND (c.host IS NULL OR d.host IS NULL OR d.host = c.host)
        ) AS w
        CROSS JOIN (
            SELECT sum(s.total_ns) AS ns
            FROM sched_stat AS s
            JOIN thread AS t ON t.id = s.thread_id
            JOIN process AS p ON p.id = t.process_id
            WHERE s.by = 'thread,state' AND s.state_id IN (SELECT id FROM string WHERE text = 'runnable') AND (c.host IS NULL OR p.host IS NULL OR p.host = c.host)
        ) AS t
        WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
    ) AS saves_ns
FROM cpu_phase AS c
WHERE c.label = '(run)' AND c.start_ns IS NULL AND c.run_number IS NULL
    AND c.wall_ns > 0 AND 100.0 * c.busy_min_ns >= coalesce(:min_pct, 90) * c.wall_ns
ORDER BY busy_min_pct DESC, c.host;
