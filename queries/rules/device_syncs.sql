-- title: The host waits for the whole device
-- level: warning
-- needs: cuda_call
-- param: min_rate REAL 50 -- calls per second of the run that are reported
-- param: min_calls INTEGER 500 -- and so many
-- columns: op, calls, calls_per_s, total_ns, saves_ns
-- column: calls_per_s REAL per second of the run
-- column: saves_ns dur_ns idle time of all GPUs, and not more than GPUs idled after these calls, for each: at most
-- loss: either saves_ns
-- order: s.calls DESC, o.name
-- finding: {op} was called {calls} times, {calls_per_s} times a second: {total_ns} in all; after each the GPU has nothing to do until the host has launched again.
-- advice: Leave out torch.cuda.synchronize() but for measurements; wait for an event or a stream instead (cudaStreamWaitEvent does so on the GPU). 'report gpu_sync' says how long the GPU idled after each.
-- unless: there is a graph or a long kernel between two of them.
--
-- As nsys's rule cuda_api_sync, of those that wait for all streams.
SELECT
    o.name AS op,
    s.calls,
    1e9 * s.calls / (r.end_ns - r.start_ns) AS calls_per_s,
    s.total_ns,
    (
        SELECT min(sum(g.wall_ns - g.busy_min_ns), coalesce(count(*) * (SELECT sum(w.after_ns) FROM sync_stat AS w WHERE w.op_id = s.op_id), sum(g.wall_ns - g.busy_min_ns)))
        FROM gpu_phase AS g
        WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
    ) AS saves_ns
FROM call_stat AS s
JOIN op AS o ON o.id = s.op_id
CROSS JOIN run AS r
WHERE s.by = 'op' AND o.layer = 'cuda' AND (o.name LIKE 'cudaDeviceSynchronize%' OR o.name LIKE 'cuCtxSynchronize%' OR o.name LIKE 'cudaThreadSynchronize%')
    AND s.calls >= coalesce(:min_calls, 500) AND 1e9 * s.calls >= coalesce(:min_rate, 50) * (r.end_ns - r.start_ns)
ORDER BY s.calls DESC, o.name;
