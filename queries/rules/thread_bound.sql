-- title: A thread computes all the time
-- level: warning
-- needs: process
-- uses: sched_slice
-- param: min_pct REAL 95 -- CPU time of the thread as a share of the time it was recorded
-- param: min_ns dur_ns 5s -- and that at least
-- columns: pid, process, role, tid, cpu_ns, cpu_pct, observed_ns, saves_ns
-- column: process TEXT command name
-- column: cpu_pct percent as a share of the time it was recorded
-- column: observed_ns dur_ns that time
-- column: saves_ns dur_ns idle time of all GPUs, and not more than cpu_ns, for each: at most
-- loss: either saves_ns
-- loss: none cpu_ns, cpu_pct, observed_ns
-- order: t.user_ns + t.system_ns DESC, p.pid, t.tid, t.id
-- finding: Thread {tid} of {process} ({pid}) computed for {cpu_ns}, {cpu_pct} of the {observed_ns} that it was recorded.
-- advice: What waits for this thread waits for its code: a profiler (py-spy, perf) tells which. Of a data loader: cheaper decoding and augmentation, more workers; of the main process of a training in Python: fewer, larger operations (torch.compile, CUDA graphs), less logging.
-- unless: it spins while it waits (a library that polls: NCCL, OpenMP, UCX).
--
-- Of recordings. The three threads with most CPU time.
SELECT
    p.pid,
    p.name AS process,
    p.role,
    t.tid,
    t.user_ns + t.system_ns AS cpu_ns,
    100.0 * (t.user_ns + t.system_ns) / t.observed_ns AS cpu_pct,
    t.observed_ns,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * (t.user_ns + t.system_ns)) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM thread AS t
JOIN process AS p ON p.id = t.process_id
WHERE t.observed_ns >= coalesce(:min_ns, 5000000000)
    AND 100.0 * (t.user_ns + t.system_ns) >= coalesce(:min_pct, 95) * t.observed_ns
ORDER BY t.user_ns + t.system_ns DESC, p.pid, t.tid, t.id
LIMIT 3;
