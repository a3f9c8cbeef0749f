-- title: A GPU has errors
-- level: critical
-- needs: gpu_util
-- columns: gpu, of_host, error, errors, first_ns, level
-- column: of_host TEXT of which machine, where there are several
-- column: error TEXT what kind
-- column: errors count how many, in this run
-- column: level TEXT warning for what the program itself causes
-- order: e.first_ns, gpu, e.error
-- finding: GPU {gpu}{of_host}: {error}, {errors} of them, the first at {first_ns}.
-- advice: dmesg has the details (NVRM: Xid). What the program causes: compute-sanitizer, CUDA_LAUNCH_BLOCKING=1. Of the hardware: nvidia-smi -q -d ECC,ROW_REMAPPER, reset the GPU (nvidia-smi -r), take the machine out of service if it comes again.
-- unless: somebody tested just that.
--
-- Xid errors, and errors of memory that could not be corrected, by 'record --gpu' or 'nvidia-smi dmon -s e'. The first five. Meanings are those of
-- NVIDIA's "XID Errors".
WITH
    xid (number, meaning, is_program) AS (
        VALUES (13, 'a kernel failed (bad address or instruction)', 1), (31, 'a kernel used memory that is not there', 1),
            (43, 'a program was stopped on the GPU', 1), (45, 'work was cleaned up after another error', 1),
            (48, 'an error of memory that cannot be corrected', 0), (62, 'the internal controller halted', 0), (63, 'a row of memory was replaced', 0),
            (64, 'a row of memory could not be replaced', 0), (74, 'NVLink', 0), (79, 'the GPU has fallen off the bus', 0),
            (92, 'many errors of memory that were corrected', 0), (94, 'an error of memory that was contained', 0),
            (95, 'an error of memory that was not contained', 0), (119, 'the firmware does not answer', 0), (120, 'the firmware failed', 0)
    ),
    value AS MATERIALIZED (
        SELECT t.device_id, t.id AS track_id, t.name, s.id, s.ts_ns, s.value, first_value(s.value) OVER (PARTITION BY t.id ORDER BY s.value IS NULL, s.id) AS first_value
        FROM sample AS s
        JOIN track AS t ON t.id = s.track_id
        WHERE t.id IN (SELECT id FROM track WHERE name IN ('gpu.xid', 'gpu.dbecc'))
            AND EXISTS (SELECT 1 FROM track WHERE name IN ('gpu.xid', 'gpu.dbecc'))
    ),
    e AS (
        SELECT
            v.device_id, printf('Xid %d', v.value) || coalesce(', ' || x.meaning, '') AS error, count(*) AS errors, min(v.ts_ns) AS first_ns,
            CASE WHEN x.is_program THEN 'warning' ELSE 'critical' END AS level
        FROM value AS v
        LEFT JOIN xid AS x ON x.number = v.value
        WHERE v.name = 'gpu.xid' AND v.value IS NOT NULL
        GROUP BY v.device_id, v.value
        UNION ALL
        SELECT device_id, 'errors of memory that could not be corrected', CAST(max(value - first_value) AS INTEGER), min(ts_ns), 'critical'
        FROM value
        WHERE name = 'gpu.dbecc' AND value > first_value
        GROUP BY track_id
    )
SELECT d.number AS gpu, coalesce(' of ' || d.host, '') AS of_host, e.error, e.errors, e.first_ns, e.level
FROM e
JOIN device AS d ON d.id = e.device_id
ORDER BY e.first_ns, gpu, e.error
LIMIT 5;
