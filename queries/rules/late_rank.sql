-- title: Ranks wait for one of them
-- level: warning
-- needs: gpu_kernel
-- param: min_pct REAL 5 -- share of the run that the difference has
-- column: pid INTEGER process of the rank that is waited for
-- column: process TEXT command name
-- column: ranks count ranks
-- column: least_ns dur_ns time in its collectives, the least of all
-- column: most_ns dur_ns time in those of the rank that waited most
-- column: wait_ns dur_ns the difference
-- column: run_pct percent wait_ns as a share of the run
-- column: saves_ns dur_ns idle time of all GPUs: unknown, as a GPU is busy while it waits in a collective
-- loss: none ranks
-- loss: either wait_ns, run_pct
-- order: l.total_ns, p.pid, p.id
-- finding: Of {ranks} ranks {process} ({pid}) is waited for: it spent {least_ns} in collectives, another {most_ns}: {wait_ns} more, {run_pct} of the run.
-- advice: 'report stragglers' says when it is last, 'report ranks' what it does otherwise: a slow data loader (more workers, a deeper prefetch for all ranks), uneven batches (pad, bucket by length, DistributedSampler), a GPU with lower clocks, other jobs on its CPUs. Then larger buckets, so that collectives overlap with the backward pass.
-- unless: the ranks are meant to do different work (pipelines).
WITH
    l AS MATERIALIZED (
        SELECT process_id, sum(total_ns) AS total_ns, sum(ops) AS n, row_number() OVER (ORDER BY sum(total_ns), process_id) AS place
        FROM gpu_stat
        WHERE by = 'process,kind,name' AND name_id IN (SELECT name_id FROM collective_name) AND kind_id IN (SELECT id FROM string WHERE text = 'kernel') AND process_id IS NOT NULL
        GROUP BY process_id
    ),
    whole AS (SELECT count(*) AS ranks, max(total_ns) AS most_ns, min(n) = max(n) AS alike FROM l)
SELECT
    p.pid,
    p.name AS process,
    w.ranks,
    l.total_ns AS least_ns,
    w.most_ns,
    w.most_ns - l.total_ns AS wait_ns,
    100.0 * (w.most_ns - l.total_ns) / (r.end_ns - r.start_ns) AS run_pct,
    NULL AS saves_ns
FROM l
CROSS JOIN whole AS w
CROSS JOIN run AS r
JOIN process AS p ON p.id = l.process_id
WHERE l.place = 1 AND w.ranks > 1 AND w.alike AND 100.0 * (w.most_ns - l.total_ns) >= coalesce(:min_pct, 5) * (r.end_ns - r.start_ns)
ORDER BY l.total_ns, p.pid, p.id;
