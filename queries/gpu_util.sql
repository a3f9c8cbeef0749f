-- title: GPU utilisation
-- group: gpu
-- needs: sample
-- param: by gpu|process|time gpu -- what a row is: a GPU, a GPU and a process, or a GPU and a sample
-- param: start_ns ts_ns NULL -- only samples taken at this time or later
-- param: end_ns ts_ns NULL -- only samples taken before this time
-- param: phase TEXT NULL -- only samples taken in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only this process
-- param: process TEXT NULL -- only processes of this name or role
-- param: limit INTEGER NULL -- show only so many rows
-- column: gpu INTEGER GPU index
-- column: pid INTEGER process; NULL if the row is not of one process
-- column: process TEXT its name, and its machine where there are several
-- column: ts_ns ts_ns time of the sample; NULL unless by time
-- column: samples count samples that tell about sm
-- column: unsampled count samples in which the tool printed '-' for a process: unknown, not 0
-- column: basis TEXT what sm_mean_min_pct and sm_mean_max_pct are: exact, bounds (the truth lies between), estimate (it does so in 95 of 100 cases) or conflict (two samplers contradict each other: what either says)
-- column: sm_mean_pct percent mean share of the sampling period in which a kernel ran, as printed; NULL if that is not known of all samples
-- column: sm_mean_min_pct percent mean share of the time that was surely sampled in which a kernel ran: at least
-- column: sm_mean_max_pct percent and at most
-- column: sm_p50_pct percent median of what was printed; NULL if it is not known of all samples
-- column: sm_max_pct percent largest of the same, at least
-- column: mem_mean_pct percent mean share of the sampling period in which device memory was accessed
-- column: mem_max_pct percent largest of the same
-- column: fb_max_bytes bytes largest amount of device memory in use
-- order: gpu, pid, ts_ns
--
-- Of several tools that sampled a GPU the one that can know most is used (gpu_sampler). Means are weighted by the samples'
-- lengths. A GPU with two processes is busy for as long as the busier one or for longer, at most for as long as both: what
-- the tool printed is no one number then. For a GPU as a whole the range is that of overlap, else it follows from the samples
-- (of tools that look at a part of the time only: none).
WITH
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    best AS MATERIALIZED (
        SELECT device_id, source_id, basis, below_pct, above_pct, row_number() OVER (PARTITION BY device_id ORDER BY precedence, source_id) AS place
        FROM gpu_sampler
    ),
    printed AS (
        SELECT
            t.device_id,
            CASE WHEN coalesce(:by, 'gpu') = 'process' THEN t.process_id END AS process_id,
            s.ts_ns,
            max(s.dur_ns) AS dur_ns,
            max(s.value) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NULL AND b.device_id IS NOT NULL) AS whole,
            max(s.value) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NOT NULL AND b.device_id IS NOT NULL) AS largest,
            sum(s.value) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NOT NULL AND b.device_id IS NOT NULL) AS total,
            count(s.value) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NOT NULL AND b.device_id IS NOT NULL) AS processes,
            count(*) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NOT NULL AND s.value IS NULL AND b.device_id IS NOT NULL) AS missing,
            count(*) FILTER (WHERE t.name = 'gpu.sm' AND b.device_id IS NOT NULL) AS sm_rows,
            coalesce(
                max(s.value) FILTER (WHERE t.name = 'gpu.mem' AND t.process_id IS NULL AND b.device_id IS NOT NULL),
                sum(s.value) FILTER (WHERE t.name = 'gpu.mem' AND b.device_id IS NOT NULL)
            ) AS mem,
            coalesce(
                max(s.value) FILTER (WHERE t.name = 'gpu.fb' AND t.process_id IS NULL),
                sum(s.value) FILTER (WHERE t.name = 'gpu.fb')
            ) AS fb
        FROM sample AS s
        JOIN track AS t ON t.id = s.track_id
        JOIN device AS d ON d.id = t.device_id
        LEFT JOIN best AS b ON b.device_id = t.device_id AND b.source_id = t.source_id AND b.place = 1
        WHERE d.kind = 'gpu'
            AND t.name IN ('gpu.sm', 'gpu.mem', 'gpu.fb')
            AND EXISTS (SELECT 1 FROM period AS p WHERE s.ts_ns >= p.start_ns AND s.ts_ns < p.end_ns)
            AND (:pid IS NULL OR t.process_id IN (SELECT id FROM process WHERE pid = :pid))
            AND (:process IS NULL OR t.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
        GROUP BY 1, 2, 3, t.source_id
        HAVING sm_rows > 0 OR mem IS NOT NULL OR fb IS NOT NULL
    ),
    value AS (
        -- '-' without a process: there was none
        SELECT
            p.device_id, p.process_id, p.ts_ns, p.dur_ns, p.sm_rows, p.mem, p.fb,
            p.sm_rows > 0 AND p.whole IS NULL AND p.missing > 0 AS is_unsampled,
            CASE WHEN p.sm_rows > 0 THEN coalesce(p.whole, p.largest, 0) END AS low,
            CASE WHEN p.sm_rows > 0 THEN min(100, coalesce(p.whole, CASE WHEN p.missing > 0 THEN 100 END, p.total, 0)) END AS high,
            CASE WHEN p.whole IS NULL AND p.processes = 0 THEN 0 ELSE b.below_pct END AS below,
            CASE WHEN p.whole IS NULL THEN b.above_pct * p.processes ELSE b.above_pct END AS above
        FROM printed AS p
        LEFT JOIN best AS b ON b.device_id = p.device_id AND b.place = 1
    ),
    ranked AS MATERIALIZED (
        SELECT
            device_id, process_id,
            CASE WHEN coalesce(:by, 'gpu') = 'time' THEN ts_ns END AS ts_ns,
            sm_rows, is_unsampled, low, high,
            max(0.0, low - below) AS least,
            min(100.0, high + above) AS most,
            CASE WHEN sm_rows > 0 THEN coalesce(dur_ns, avg(dur_ns) OVER g, 1.0) END AS weight,
            min(mem, 100.0) AS mem, fb,
            row_number() OVER (g ORDER BY low) AS rank,
            count(low) OVER g AS known,
            count(*) OVER g - count(low) OVER g AS others
        FROM value
        WINDOW g AS (PARTITION BY device_id, process_id, CASE WHEN coalesce(:by, 'gpu') = 'time' THEN ts_ns END)
    )
SELECT
    d.number AS gpu,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    r.ts_ns,
    count(*) FILTER (WHERE r.sm_rows > 0 AND NOT r.is_unsampled) AS samples,
    count(*) FILTER (WHERE r.is_unsampled) AS unsampled,
    CASE WHEN count(r.low) > 0 THEN coalesce(w.basis, b.basis) END AS basis,
    CASE WHEN total(r.low <> r.high) = 0 THEN sum(r.weight * r.low) / sum(r.weight) END AS sm_mean_pct,
    CASE WHEN w.basis IS NOT NULL THEN 100.0 * w.busy_min_ns / w.wall_ns WHEN b.basis = 'bounds' THEN sum(r.weight * r.least) / sum(r.weight) END AS sm_mean_min_pct,
    CASE WHEN w.basis IS NOT NULL THEN 100.0 * w.busy_max_ns / w.wall_ns WHEN b.basis = 'bounds' THEN sum(r.weight * r.most) / sum(r.weight) END AS sm_mean_max_pct,
    CASE WHEN total(r.low <> r.high) = 0 THEN avg(r.low) FILTER (WHERE r.rank - r.others IN ((r.known + 1) / 2, r.known / 2 + 1)) END AS sm_p50_pct,
    max(r.low) AS sm_max_pct,
    avg(r.mem) AS mem_mean_pct,
    max(r.mem) AS mem_max_pct,
    CAST(max(r.fb) AS INTEGER) AS fb_max_bytes
FROM ranked AS r
JOIN device AS d ON d.id = r.device_id
LEFT JOIN process AS p ON p.id = r.process_id
LEFT JOIN best AS b ON b.device_id = r.device_id AND b.place = 1
LEFT JOIN gpu_phase AS w
    ON w.device_id = r.device_id AND w.label = coalesce(:phase, '(run)') COLLATE NOCASE AND w.start_ns IS NULL AND w.run_number IS NULL
        AND coalesce(:by, 'gpu') = 'gpu' AND :pid IS NULL AND :process IS NULL AND :start_ns IS NULL AND :end_ns IS NULL
GROUP BY r.device_id, r.process_id, r.ts_ns
ORDER BY gpu, pid, ts_ns
LIMIT coalesce(:limit, -1);
