-- title: Copies and sets that the host waits for
-- level: warning
-- needs: cuda_call
-- param: min_calls INTEGER 1000 -- so many are reported
-- param: min_pct REAL 2 -- if they take this share of the run
-- columns: op, calls, total_ns, run_pct, saves_ns
-- column: run_pct percent share of the run: may be above 100, as several threads call at a time
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns, for each: at most
-- loss: either saves_ns
-- order: s.total_ns DESC, o.name
-- finding: {calls} calls of {op}, which returns when the copy is done, took {total_ns}, {run_pct} of the run.
-- advice: Copy asynchronously, from pinned memory, on a stream of its own (pin_memory=True, .to(device, non_blocking=True); cudaMemcpyAsync, cudaMemsetAsync), and do not read results back in the loop (.item(), .cpu(), print of a tensor): once per n steps is enough.
-- unless: they are start-up, or the host has nothing else to do.
--
-- As nsys's rules cuda_memcpy_sync and cuda_memset_sync.
SELECT
    o.name AS op,
    s.calls,
    s.total_ns,
    100.0 * s.total_ns / (r.end_ns - r.start_ns) AS run_pct,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * s.total_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM call_stat AS s
JOIN op AS o ON o.id = s.op_id
CROSS JOIN run AS r
WHERE s.by = 'op' AND o.layer = 'cuda' AND o.verb IN ('copy', 'set') AND o.name NOT LIKE '%Async%'
    AND s.calls >= coalesce(:min_calls, 1000) AND 100.0 * s.total_ns >= coalesce(:min_pct, 2) * (r.end_ns - r.start_ns)
ORDER BY s.total_ns DESC, o.name
LIMIT 3;
