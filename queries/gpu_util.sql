-- title: GPU utilisation
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
-- column: process TEXT its name
-- column: ts_ns ts_ns time of the sample; NULL unless by time
-- column: samples count samples with a value for sm
-- column: unsampled count samples in which the tool printed '-' for sm: unknown, not 0
-- column: sm_mean_pct percent mean share of the sampling period in which a kernel ran
-- column: sm_p50_pct percent median of the same
-- column: sm_max_pct percent largest of the same
-- column: mem_mean_pct percent mean share of the sampling period in which device memory was accessed
-- column: mem_max_pct percent largest of the same
-- column: fb_max_bytes bytes largest amount of device memory in use
-- order: gpu, pid, ts_ns
--
-- Samples of one time are taken together before anything is averaged; the processes on a GPU add up, to at most 100 %,
-- unless the tool told of the whole GPU, too.
-- '-' is not 0: it is left out of the means and counted in unsampled.
WITH
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    value AS (
        SELECT
            t.device_id,
            CASE WHEN coalesce(:by, 'gpu') = 'process' THEN t.process_id END AS process_id,
            s.ts_ns,
            t.source_id,
            coalesce(
                max(s.value) FILTER (WHERE t.name = 'gpu.sm' AND t.process_id IS NULL),
                sum(s.value) FILTER (WHERE t.name = 'gpu.sm')
            ) AS sm,
            coalesce(
                max(s.value) FILTER (WHERE t.name = 'gpu.mem' AND t.process_id IS NULL),
                sum(s.value) FILTER (WHERE t.name = 'gpu.mem')
            ) AS mem,
            coalesce(
                max(s.value) FILTER (WHERE t.name = 'gpu.fb' AND t.process_id IS NULL),
                sum(s.value) FILTER (WHERE t.name = 'gpu.fb')
            ) AS fb,
            count(*) FILTER (WHERE t.name = 'gpu.sm') AS sm_rows
        FROM sample AS s
        JOIN track AS t ON t.id = s.track_id
        JOIN device AS d ON d.id = t.device_id
        WHERE d.kind = 'gpu'
            AND t.name IN ('gpu.sm', 'gpu.mem', 'gpu.fb')
            AND EXISTS (SELECT 1 FROM period AS p WHERE s.ts_ns >= p.start_ns AND s.ts_ns < p.end_ns)
            AND (:pid IS NULL OR t.process_id IN (SELECT id FROM process WHERE pid = :pid))
            AND (:process IS NULL OR t.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
        GROUP BY 1, 2, 3, 4
    ),
    ranked AS MATERIALIZED (
        SELECT
            v.device_id, v.process_id,
            CASE WHEN coalesce(:by, 'gpu') = 'time' THEN v.ts_ns END AS ts_ns,
            min(v.sm, 100.0) AS sm, min(v.mem, 100.0) AS mem, v.fb, v.sm_rows,
            row_number() OVER w AS rank,
            count(v.sm) OVER g AS known,
            count(*) OVER g - count(v.sm) OVER g AS unknown
        FROM value AS v
        WINDOW
            g AS (PARTITION BY v.device_id, v.process_id, CASE WHEN coalesce(:by, 'gpu') = 'time' THEN v.ts_ns END),
            w AS (g ORDER BY v.sm)
    )
SELECT
    d.number AS gpu,
    p.pid,
    p.name AS process,
    r.ts_ns,
    count(r.sm) AS samples,
    count(*) FILTER (WHERE r.sm IS NULL AND r.sm_rows > 0) AS unsampled,
    avg(r.sm) AS sm_mean_pct,
    avg(r.sm) FILTER (WHERE r.rank - r.unknown IN ((r.known + 1) / 2, r.known / 2 + 1)) AS sm_p50_pct,
    max(r.sm) AS sm_max_pct,
    avg(r.mem) AS mem_mean_pct,
    max(r.mem) AS mem_max_pct,
    CAST(max(r.fb) AS INTEGER) AS fb_max_bytes
FROM ranked AS r
JOIN device AS d ON d.id = r.device_id
LEFT JOIN process AS p ON p.id = r.process_id
GROUP BY r.device_id, r.process_id, r.ts_ns
ORDER BY gpu, pid, ts_ns
LIMIT coalesce(:limit, -1);
