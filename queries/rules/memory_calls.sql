-- title: Memory goes back to the kernel and comes again
-- level: warning
-- needs: call
-- param: min_pct REAL 2 -- share of the run that mmap, munmap, brk and madvise take together
-- param: min_calls INTEGER 1000 -- and so many calls
-- columns: calls, total_ns, run_pct
-- column: run_pct percent total_ns as a share of the run: may be above 100, as several threads call at a time
-- order: total_ns
-- finding: {calls} calls of mmap, munmap, brk, madvise and the like took {total_ns}, {run_pct} of the run; page faults come on top.
-- advice: Keep buffers: preallocate batches; MALLOC_TRIM_THRESHOLD_ and MALLOC_MMAP_THRESHOLD_ of glibc, or jemalloc/tcmalloc (LD_PRELOAD), keep what is freed.
-- unless: it is start-up: libraries that are loaded, data that is mapped.
SELECT s.calls, s.total_ns, 100.0 * s.total_ns / (r.end_ns - r.start_ns) AS run_pct
FROM (
    SELECT sum(s.calls) AS calls, sum(s.total_ns) AS total_ns
    FROM call_stat AS s
    JOIN op AS o ON o.id = s.op_id
    WHERE s.by = 'op' AND o.layer = 'syscall' AND o.kind = 'memory'
) AS s
CROSS JOIN run AS r
WHERE s.calls >= coalesce(:min_calls, 1000) AND 100.0 * s.total_ns >= coalesce(:min_pct, 2) * (r.end_ns - r.start_ns)
ORDER BY total_ns;
