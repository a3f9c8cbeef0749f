-- title: Ranks wait for one of them
-- level: warning
-- needs: gpu_kernel
-- param: min_pct REAL 5 -- share of the run that the difference has
-- column: pid INTEGER process of the rank that is waited for
-- column: process TEXT command name
-- column: ranks count ranks
-- column: last count collectives that it began last; NULL: nothing tells which one it alone was waited for
-- column: own_ns dur_ns time in its collectives
-- column: most_ns dur_ns time in those of the rank that waited most
-- column: wait_ns dur_ns of those that it began last: until then all others waited for it alone, since the last but one began; else how much less it spent in collectives
-- column: run_pct percent wait_ns as a share of the run
-- column: how TEXT how it is known, in words
-- column: saves_ns dur_ns idle time of all GPUs: unknown, as a GPU is busy while it waits in a collective
-- loss: none ranks
-- loss: either last, wait_ns, run_pct
-- order: wait_ns DESC, p.pid, p.id
-- finding: Of {ranks} ranks {process} ({pid}) is waited for {how}: {wait_ns}, {run_pct} of the run; it spent {own_ns} in collectives, another {most_ns}.
-- advice: 'report stragglers' says when it is last, 'report ranks' what it does otherwise: a slow data loader (more workers, a deeper prefetch for all ranks), uneven batches (pad, bucket by length, DistributedSampler), a GPU with lower clocks, other jobs on its CPUs. Then larger buckets, so that collectives overlap with the backward pass.
-- unless: the ranks are meant to do different work (pipelines).
--
-- Each rank that is late alone, by its own time. Where none is, as several are late together, or kernels cannot be matched (clocks are not on one
-- another's, or there are very many), it is the one that spent least time in collectives.
WITH
    each AS MATERIALIZED (
        SELECT process_id, sum(total_ns) AS total_ns, sum(ops) AS n
        FROM gpu_stat
        WHERE by = 'process,kind,name' AND name_id IN (SELECT name_id FROM collective_name) AND kind_id IN (SELECT id FROM string WHERE text = 'kernel') AND process_id IS NOT NULL
        GROUP BY process_id
    ),
    whole AS MATERIALIZED (SELECT count(*) AS ranks, max(total_ns) AS most_ns, min(total_ns) AS least_ns, min(n) = max(n) AS alike, sum(n) AS n FROM each),
    stat AS MATERIALIZED (
        SELECT process_id, sum(kernels) AS kernels, sum(matched) AS matched, sum(last) AS last, sum(cost_ns) AS cost_ns
        FROM collective_stat
        WHERE since_ns IS NULL AND until_ns IS NULL AND in_phase IS NULL AND of_pid IS NULL AND of_process IS NULL
            AND (EXISTS (SELECT 1 FROM collective_sum) OR (SELECT n FROM whole) <= 100000)
        GROUP BY process_id
    ),
    met AS MATERIALIZED (SELECT coalesce(10 * sum(matched) >= 9 * sum(kernels), 0) AS most_of FROM stat),
    alone AS MATERIALIZED (
        SELECT process_id, last, cost_ns
        FROM stat
        CROSS JOIN met AS m
        CROSS JOIN run AS r
        WHERE m.most_of AND 100.0 * cost_ns >= coalesce(:min_pct, 5) * (r.end_ns - r.start_ns)
    ),
    late AS (
        SELECT e.process_id, e.total_ns, w.ranks, w.most_ns, a.last, coalesce(a.cost_ns, w.most_ns - e.total_ns) AS wait_ns, iif(a.process_id IS NULL, 'most', 'alone') AS how
        FROM each AS e
        CROSS JOIN whole AS w
        LEFT JOIN alone AS a ON a.process_id = e.process_id
        WHERE w.ranks > 1 AND w.alike AND (a.process_id IS NOT NULL OR (e.total_ns = w.least_ns AND NOT EXISTS (SELECT 1 FROM alone)))
    )
SELECT
    p.pid,
    p.name AS process,
    l.ranks,
    l.last,
    l.total_ns AS own_ns,
    l.most_ns,
    l.wait_ns,
    100.0 * l.wait_ns / (r.end_ns - r.start_ns) AS run_pct,
    l.how,
    NULL AS saves_ns
FROM late AS l
CROSS JOIN run AS r
JOIN process AS p ON p.id = l.process_id
WHERE 100.0 * l.wait_ns >= coalesce(:min_pct, 5) * (r.end_ns - r.start_ns)
ORDER BY wait_ns DESC, p.pid, p.id;
