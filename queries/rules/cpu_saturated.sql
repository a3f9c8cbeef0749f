-- title: All CPUs are busy
-- level: warning
-- needs: cpu_util
-- uses: segment
-- param: min_pct REAL 90 -- share of the CPUs' time that is reported
-- column: host TEXT machine, where there are several
-- column: busy_min_ns dur_ns time times busy share of all CPUs, at least
-- column: busy_min_pct percent as a share of the time that was sampled
-- column: busy_max_pct percent at most
-- column: saves_ns dur_ns idle time of all GPUs of the machine while threads waited for a CPU, and of all while they waited for these as other ranks, at most
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
        SELECT sum(i.idle_max_ns) FILTER (WHERE i.cause = 'waiting for a CPU' AND i.of_it)
            -- and for other ranks no longer than these were at it, each
            + min(
                coalesce(sum(i.idle_max_ns) FILTER (WHERE i.cause = 'other ranks at work'), 0),
                count(DISTINCT i.device_id) * sum(i.cause_ns) FILTER (WHERE i.cause = 'waiting for a CPU' AND i.of_it)
            )
        FROM (
            -- which machine it is of is not known of all GPUs
            SELECT i.*, c.host IS NULL OR d.host IS NULL OR d.host = c.host AS of_it
            FROM gpu_idle_each AS i
            JOIN device AS d ON d.id = i.device_id
        ) AS i
    ) AS saves_ns
FROM cpu_phase AS c
WHERE c.label = '(run)' AND c.start_ns IS NULL AND c.run_number IS NULL
    AND c.wall_ns > 0 AND 100.0 * c.busy_min_ns >= coalesce(:min_pct, 90) * c.wall_ns
ORDER BY busy_min_pct DESC, c.host;
