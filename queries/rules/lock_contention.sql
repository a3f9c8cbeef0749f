-- title: Threads contend for a lock
-- level: warning
-- needs: op_stat
-- param: min_rate INTEGER 5000 -- waits per second of the run that are reported
-- param: max_mean dur_ns 1ms -- those that are longer on average are threads that have nothing to do
-- columns: pid, process, role, calls, calls_per_s, total_ns, saves_ns
-- column: process TEXT command name
-- column: calls count calls that lock, or wake those that wait
-- column: calls_per_s REAL per second of the run
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns, for each: at most
-- loss: either saves_ns
-- order: l.calls DESC, p.pid, p.id
-- finding: {process} ({pid}) made {calls} calls for locks, {calls_per_s} a second, {total_ns} in all.
-- advice: 'report locks' names the lock and who wakes it. Python's GIL is one: load data in processes, not threads (num_workers), fewer threads (OMP_NUM_THREADS, torch.set_num_threads); an allocator is another: jemalloc, or MALLOC_ARENA_MAX higher.
-- unless: they are what a queue costs that hands over small items: batch them.
--
-- The three processes with most of them.
SELECT
    p.pid,
    p.name AS process,
    p.role,
    l.calls,
    1e9 * l.calls / (r.end_ns - r.start_ns) AS calls_per_s,
    l.total_ns,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * l.total_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM (
    SELECT s.process_id, sum(s.calls) AS calls, sum(s.total_ns) AS total_ns
    FROM call_stat AS s
    JOIN op AS o ON o.id = s.op_id
    WHERE s.by = 'process,op' AND o.kind = 'lock' AND o.layer <> 'cuda'
    GROUP BY s.process_id
) AS l
CROSS JOIN run AS r
JOIN process AS p ON p.id = l.process_id
WHERE 1e9 * l.calls >= coalesce(:min_rate, 5000) * (r.end_ns - r.start_ns) AND l.total_ns <= l.calls * coalesce(:max_mean, 1000000)
ORDER BY l.calls DESC, p.pid, p.id
LIMIT 3;
