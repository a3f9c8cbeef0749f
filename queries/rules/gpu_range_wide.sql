-- title: Samples of the GPU are too coarse
-- level: info
-- needs: gpu_phase
-- param: min_pct REAL 20 -- width of the range that is reported
-- columns: gpu, of_host, busy_min_pct, busy_max_pct, kind
-- column: of_host TEXT of which machine, where there are several
-- column: busy_min_pct percent the GPU was busy for at least so much of the time
-- column: busy_max_pct percent and at most
-- column: kind TEXT what the range is
-- loss: none busy_min_pct, busy_max_pct
-- order: d.number, d.host, d.id
-- finding: GPU {gpu}{of_host} was busy for {busy_min_pct..busy_max_pct} of the time: the samples ({kind}) do not tell more.
-- advice: Record the kernels (a Kineto trace of torch.profiler, nsys), or sample faster and with times: nvidia-smi pmon -o DT, or 'tracedb record --gpu', which reads what the driver has sampled.
-- unless: the range is answer enough.
SELECT d.number AS gpu, coalesce(' of ' || d.host, '') AS of_host, 100.0 * g.busy_min_ns / g.wall_ns AS busy_min_pct, 100.0 * g.busy_max_ns / g.wall_ns AS busy_max_pct, g.basis AS kind
FROM gpu_phase AS g
JOIN device AS d ON d.id = g.device_id
WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL AND g.basis <> 'exact'
    AND 100.0 * (g.busy_max_ns - g.busy_min_ns) >= coalesce(:min_pct, 20) * g.wall_ns
ORDER BY d.number, d.host, d.id
LIMIT 8;
