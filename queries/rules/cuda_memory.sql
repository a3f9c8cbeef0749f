-- title: GPU memory is allocated while the training runs
-- level: warning
-- needs: cuda_call
-- param: min_pct REAL 2 -- share of the run that allocating takes
-- param: min_calls INTEGER 100 -- and so many calls
-- columns: calls, total_ns, run_pct, saves_ns
-- column: calls count calls that allocate or free (cudaMalloc, cudaFree, cudaHostAlloc, ...)
-- column: run_pct percent share of the run: may be above 100, as several threads call at a time
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns, for each: at most
-- loss: either saves_ns
-- order: total_ns
-- finding: {calls} calls that allocate or free GPU or pinned memory took {total_ns}, {run_pct} of the run; cudaFree also waits for the GPU.
-- advice: Use a caching allocator and leave it room (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), keep shapes constant, do not call torch.cuda.empty_cache() in the loop.
-- unless: they are start-up.
SELECT s.calls, s.total_ns, 100.0 * s.total_ns / (r.end_ns - r.start_ns) AS run_pct,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * s.total_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM (
    SELECT sum(s.calls) AS calls, sum(s.total_ns) AS total_ns
    FROM call_stat AS s
    JOIN op AS o ON o.id = s.op_id
    WHERE s.by = 'op' AND o.layer = 'cuda' AND o.kind = 'memory'
) AS s
CROSS JOIN run AS r
WHERE s.calls >= coalesce(:min_calls, 100) AND 100.0 * s.total_ns >= coalesce(:min_pct, 2) * (r.end_ns - r.start_ns)
ORDER BY total_ns;
