-- title: Kernel launches, by phase
-- group: gpu
-- needs: gpu_kernel
-- filters: gpu
-- param: phase TEXT NULL -- only this phase: 'epoch' (every one) or 'epoch 3'; NULL: the whole run, and each kind of phase
-- param: max_ns dur_ns 100us -- gaps that last no longer than this are between kernels
-- columns: gpu, host, phase, wall_ns, kernels, mean_ns, launches, launch_ns, launch_pct, delay_p50_ns, gaps, gap_ns, gap_pct, starved
-- columns: starved_ns, starved_pct
-- column: phase TEXT phase in which the kernels begin; '(run)': the time from the GPU's first work to its last
-- column: wall_ns dur_ns its length, without what lies before the GPU's first work or behind its last
-- column: launches count calls that launched them (a CUDA graph is one); NULL: their calls are not known
-- column: launch_ns dur_ns time in these calls
-- column: launch_pct percent share of wall_ns
-- column: delay_p50_ns dur_ns median time from the begin of the call to that of the kernel
-- column: gaps count kernels before which the GPU was idle, for max_ns at most
-- column: gap_ns dur_ns idle time in these gaps
-- column: gap_pct percent share of wall_ns
-- column: starved count of the gaps: the call that launched the kernel began when the GPU had no work any more
-- column: starved_ns dur_ns idle time in these
-- column: starved_pct percent share of wall_ns
-- loss: either mean_ns, launch_pct, delay_p50_ns, gaps, gap_ns, gap_pct, starved, starved_ns, starved_pct
-- order: gpu, host, l.since_ns, l.phase, l.device_id
--
-- A phase is bound by launches where starved_pct is large: the GPU is done with its kernels before the program has launched the next one,
-- and the delay is hardly longer than a call takes (5 to 10 us). Larger batches, CUDA graphs, fused kernels (torch.compile) or less
-- work in Python between launches help. A delay of milliseconds is good: the program is ahead, and its kernels wait in the queue.
-- Longer gaps are in 'report gpu_gaps': there the GPU waits for something else.
SELECT
    d.number AS gpu, d.host,
    l.phase,
    l.wall_ns,
    l.kernels,
    1.0 * l.total_ns / l.kernels AS mean_ns,
    l.launches,
    l.launch_ns,
    100.0 * l.launch_ns / nullif(l.wall_ns, 0) AS launch_pct,
    l.delay_p50_ns,
    l.gaps,
    l.gap_ns,
    100.0 * l.gap_ns / nullif(l.wall_ns, 0) AS gap_pct,
    l.starved,
    l.starved_ns,
    100.0 * l.starved_ns / nullif(l.wall_ns, 0) AS starved_pct
FROM launch_stat AS l
JOIN device AS d ON d.id = l.device_id
WHERE l.in_phase IS :phase AND l.max_gap_ns IS :max_ns AND (:gpu IS NULL OR d.number = :gpu)
ORDER BY gpu, host, l.since_ns, l.phase, l.device_id;
