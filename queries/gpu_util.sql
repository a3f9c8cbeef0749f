-- title: GPU utilisation
-- group: gpu
-- needs: gpu_util
-- param: by gpu|process|time gpu -- what a row is: a GPU, a GPU and a process, or a GPU and a sample
-- filters: time, process, limit
-- time: samples taken
-- columns: gpu, host, pid, process, ts_ns, samples, unsampled, basis, sm_mean_pct, busy_min_pct, busy_max_pct, sm_p50_pct
-- columns: sm_max_pct, mem_mean_pct, mem_max_pct, fb_max_bytes
-- column: pid INTEGER process; NULL if the row is not of one process
-- column: ts_ns ts_ns time of the sample; NULL unless by time
-- column: samples count samples that tell about sm
-- column: unsampled count samples in which the tool printed '-' for a process: unknown, not 0
-- column: sm_mean_pct percent mean share of the sampling period in which a kernel ran, as printed; NULL if that is not known of all samples
-- column: busy_min_pct percent share of the time that was surely observed in which a kernel ran: at least
-- column: busy_max_pct percent and at most
-- column: sm_p50_pct percent median of what was printed; NULL if it is not known of all samples
-- column: sm_max_pct percent largest of the same, at least
-- column: mem_mean_pct percent mean share of the sampling period in which device memory was accessed
-- column: mem_max_pct percent largest of the same
-- column: fb_max_bytes bytes largest amount of device memory in use
-- none: what was sampled of GPUs does not say how busy they are: 'nvidia-smi pmon -o DT' does
-- order: gpu, d.host, pid, ts_ns
--
-- Of several tools that sampled a GPU the one that can know most is used (gpu_sampler). Means are weighted by the samples'
-- lengths. A GPU with two processes is busy for as long as the busier one or for longer, at most for as long as both: what
-- the tool printed is no one number then. For a GPU as a whole the range is that of overlap, else it follows from the samples
-- (of tools that look at a part of the time only: none).
-- That of overlap is of the time in which the GPU was surely observed, by tracing, too; mean, median and maximum are of all samples, of which
-- the first and the last may be of less time: the mean need not lie in the range.
SELECT
    d.number AS gpu, d.host,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    s.ts_ns, s.samples, s.unsampled,
    CASE WHEN s.basis IS NOT NULL THEN coalesce(w.basis, s.basis) END AS basis,
    s.sm_mean_pct,
    CASE WHEN w.basis IS NOT NULL THEN 100.0 * w.busy_min_ns / w.wall_ns ELSE s.sm_mean_min_pct END AS busy_min_pct,
    CASE WHEN w.basis IS NOT NULL THEN 100.0 * w.busy_max_ns / w.wall_ns ELSE s.sm_mean_max_pct END AS busy_max_pct,
    s.sm_p50_pct,
    s.sm_max_pct, s.mem_mean_pct, s.mem_max_pct, s.fb_max_bytes
FROM gpu_sample_stat AS s
JOIN device AS d ON d.id = s.device_id
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN gpu_phase AS w
    ON w.device_id = s.device_id AND w.label = coalesce(:phase, '(run)') COLLATE NOCASE AND w.start_ns IS NULL AND w.run_number IS NULL
        AND coalesce(:by, 'gpu') = 'gpu' AND :pid IS NULL AND :process IS NULL AND :start_ns IS NULL AND :end_ns IS NULL
WHERE s.by = coalesce(:by, 'gpu') AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
ORDER BY gpu, d.host, pid, ts_ns
LIMIT coalesce(:limit, -1);
