-- title: A GPU is little used for part of the run
-- level: warning
-- needs: gpu_phase
-- uses: segment
-- param: pieces INTEGER 30 -- the time for which a GPU was observed is cut into so many
-- param: max_pct REAL 50 -- pieces in which the GPU was surely busy for less than that are reported
-- param: min_ns dur_ns 2s -- if those that follow one another are that long together
-- columns: gpu, of_host, idle_gpus, start_ns, dur_ns, pieces, busy_min_pct, busy_max_pct, basis, saves_ns
-- column: gpu INTEGER index of the GPU that has most such time that is surely idle
-- column: of_host TEXT of which machine, where there are several
-- column: idle_gpus count GPUs that have such stretches
-- column: start_ns ts_ns when the stretch begins: pieces that follow one another
-- column: pieces count pieces in it
-- column: busy_min_pct percent the GPU was busy for at least that share of it
-- column: busy_max_pct percent and at most
-- column: saves_ns dur_ns idle time of all GPUs in the stretch and in the pieces before and behind it, as what was in the way begins and ends within these: at most
-- loss: either busy_min_pct, busy_max_pct, saves_ns
-- loss: none idle_gpus, dur_ns, pieces
-- order: s.dur_ns - s.busy_max_ns DESC, s.start_ns
-- finding: GPU {gpu}{of_host} was busy for {busy_min_pct..busy_max_pct} of {dur_ns} from {start_ns} on.
-- advice: 'report stalls' and 'report gpu_idle' say what was in progress then, 'report around --at TIME' what else happened. Data that comes late: more loader workers, prefetch; a host that is slow: larger batches, CUDA graphs; little to do: share the GPU (MPS, MIG).
-- unless: there was nothing to do then: between runs, initialisation, evaluation on the host.
--
-- As nsys's rule gpu_time_util, with its 30 pieces and 50 %; but work that overlaps counts once. A segment belongs to the piece in which it
-- begins: where segments are longer than pieces, they are the pieces. Of one GPU the three stretches
-- with most time that was surely idle: the others of a job mostly wait with it.
WITH
    seen AS MATERIALIZED (
        SELECT g.device_id, g.start_ns, g.start_ns + s.dur_ns AS end_ns, s.dur_ns, g.busy_min_ns, g.busy_max_ns, g.basis
        FROM gpu_segment AS g
        JOIN segment AS s ON s.start_ns = g.start_ns
    ),
    whole AS MATERIALIZED (
        SELECT device_id, min(start_ns) AS start_ns, max(1, max(end_ns) - min(start_ns)) AS ns
        FROM seen
        GROUP BY device_id
    ),
    piece AS (
        SELECT
            s.device_id, min(s.start_ns) AS start_ns, max(s.end_ns) AS end_ns, sum(s.dur_ns) AS dur_ns,
            sum(s.busy_min_ns) AS busy_min_ns, sum(s.busy_max_ns) AS busy_max_ns,
            sum(s.basis <> 'exact') AS ranges, sum(s.basis = 'estimate') AS estimates, sum(s.basis = 'conflict') AS conflicts
        FROM seen AS s
        JOIN whole AS w ON w.device_id = s.device_id
        GROUP BY s.device_id, (s.start_ns - w.start_ns) * max(1, coalesce(:pieces, 30)) / w.ns
    ),
    low AS (
        SELECT
            *,
            100.0 * busy_max_ns < coalesce(:max_pct, 50) * dur_ns AS is_low,
            lag(start_ns, 1, start_ns) OVER each_gpu AS from_ns,
            lead(end_ns, 1, end_ns) OVER each_gpu AS to_ns
        FROM piece
        WINDOW each_gpu AS (PARTITION BY device_id ORDER BY start_ns)
    ),
    -- a stretch begins where the piece before is not low, or does not end where this one begins
    marked AS (
        SELECT
            *,
            NOT is_low OR NOT lag(is_low, 1, 0) OVER each_gpu OR lag(end_ns, 1, 0) OVER each_gpu <> start_ns AS begins
        FROM low
        WINDOW each_gpu AS (PARTITION BY device_id ORDER BY start_ns)
    ),
    numbered AS (
        SELECT *, sum(begins) OVER (PARTITION BY device_id ORDER BY start_ns) AS stretch
        FROM marked
    ),
    stretch AS (
        SELECT
            device_id, min(start_ns) AS start_ns, min(from_ns) AS from_ns, max(to_ns) AS to_ns, sum(dur_ns) AS dur_ns, count(*) AS pieces,
            sum(busy_min_ns) AS busy_min_ns, sum(busy_max_ns) AS busy_max_ns,
            CASE WHEN sum(conflicts) > 0 THEN 'conflict' WHEN sum(estimates) > 0 THEN 'estimate' WHEN sum(ranges) > 0 THEN 'bounds' ELSE 'exact' END AS basis
        FROM numbered
        WHERE is_low
        GROUP BY device_id, stretch
        HAVING sum(dur_ns) >= coalesce(:min_ns, 2000000000)
    ),
    worst AS (
        SELECT s.device_id, d.number AS gpu, coalesce(' of ' || d.host, '') AS of_host, count(*) OVER () AS idle_gpus
        FROM stretch AS s
        JOIN device AS d ON d.id = s.device_id
        GROUP BY s.device_id
        ORDER BY sum(s.dur_ns - s.busy_max_ns) DESC, d.number
        LIMIT 1
    )
SELECT
    w.gpu, w.of_host, w.idle_gpus,
    s.start_ns,
    s.dur_ns,
    s.pieces,
    100.0 * s.busy_min_ns / s.dur_ns AS busy_min_pct,
    100.0 * s.busy_max_ns / s.dur_ns AS busy_max_pct,
    s.basis,
    (SELECT sum(o.dur_ns - o.busy_min_ns) FROM seen AS o WHERE o.start_ns >= s.from_ns AND o.start_ns < s.to_ns) AS saves_ns
FROM stretch AS s
JOIN worst AS w ON w.device_id = s.device_id
ORDER BY s.dur_ns - s.busy_max_ns DESC, s.start_ns
LIMIT 3;
