-- title: Memory that programs allocate on GPUs
-- group: gpu
-- needs-any: cuda_memory, cuda_call
-- param: by process|time process -- what a row is: a process and a GPU, or a sample of these
-- filters: time, process, limit
-- param: start_ns ts_ns NULL -- only from this time on
-- param: end_ns ts_ns NULL -- only before this time
-- param: phase TEXT NULL -- only in this phase: 'epoch' (every one) or 'epoch 3'
-- columns: gpu, host, pid, process, memory, ts_ns, max_bytes, first_bytes, last_bytes, growth_bytes, failures, failed_bytes, failed_ns
-- column: gpu INTEGER GPU index, as the process sees it; NULL: of pinned memory, or only failures are known
-- column: host TEXT machine of the GPU; NULL likewise
-- column: process TEXT command name
-- column: memory TEXT GPU, managed, or pinned (of the host); NULL: only failures are known
-- column: ts_ns ts_ns when the most was allocated, or of the sample
-- column: max_bytes bytes most that was allocated at a time
-- column: first_bytes bytes allocated at the first sample
-- column: last_bytes bytes and at the last one
-- column: growth_bytes bytes last_bytes less first_bytes; less than nothing where more was freed
-- column: failures count allocations that failed because there was no memory, of the process
-- column: failed_bytes bytes the largest of these asked for; NULL: none did, or it is not told
-- column: failed_ns ts_ns the first of them
-- loss: either max_bytes, first_bytes, last_bytes, growth_bytes
-- loss: lower failures
-- none: no allocation failed, and how much is allocated only 'tracedb record --cuda' tells
-- order: pid, gpu, d.host, memory, ts_ns, k.process_id, k.track_id
--
-- Recorded by 'tracedb record --cuda': all that was allocated while it was recorded, by CUDA and its pools; what a framework keeps for itself is
-- allocated, whether it uses it or not (torch.cuda.memory_reserved(), not memory_allocated()). Growth from epoch to epoch
-- (--phase epoch) is a leak, or a cache that is not full yet. Failures are known from '-e cuda', too.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE coalesce(:pid, :process) IS NOT NULL AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    level AS MATERIALIZED (
        SELECT
            t.id AS track_id, t.device_id, t.process_id,
            CASE t.name WHEN 'cuda.allocated' THEN 'GPU' WHEN 'cuda.managed' THEN 'managed' ELSE 'pinned' END AS memory,
            s.id, s.ts_ns, s.value,
            row_number() OVER (PARTITION BY t.id ORDER BY s.value DESC, s.id) AS place,
            first_value(s.value) OVER (PARTITION BY t.id ORDER BY s.id) AS first_value,
            last_value(s.value) OVER (PARTITION BY t.id ORDER BY s.id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_value
        FROM track AS t
        CROSS JOIN sample AS s ON s.track_id = t.id
        WHERE t.name IN ('cuda.allocated', 'cuda.managed', 'cuda.pinned')
            AND (:pid IS NULL AND :process IS NULL OR t.process_id IN who)
            AND (
                coalesce(:start_ns, :end_ns, :phase) IS NULL
                OR EXISTS (SELECT 1 FROM period AS p WHERE s.ts_ns >= p.start_ns AND s.ts_ns < p.end_ns)
            )
    ),
    -- CUDA_ERROR_OUT_OF_MEMORY is 2
    failed AS MATERIALIZED (
        SELECT c.process_id, count(*) AS failures, max(c.asked_bytes) AS failed_bytes, min(c.start_ns) AS failed_ns
        -- where none failed, no call is looked at
        FROM (SELECT 1 FROM op_stat AS s JOIN op AS o ON o.id = s.op_id WHERE s.errors > 0 AND o.layer = 'cuda' AND o.kind = 'memory' LIMIT 1)
        CROSS JOIN call AS c
        WHERE c.op_id IN (SELECT id FROM op WHERE layer = 'cuda' AND kind = 'memory')
            AND c.ret = -2 AND c.nested = 0
            AND (:pid IS NULL AND :process IS NULL OR c.process_id IN who)
            AND (
                coalesce(:start_ns, :end_ns, :phase) IS NULL
                OR EXISTS (SELECT 1 FROM period AS p WHERE c.start_ns >= p.start_ns AND c.start_ns < p.end_ns)
            )
        GROUP BY c.process_id
    ),
    kept AS (
        SELECT track_id, device_id, process_id, memory, ts_ns, value AS max_bytes, first_value, last_value
        FROM level
        WHERE coalesce(:by, 'process') = 'time' OR place = 1
        UNION ALL
        SELECT NULL, NULL, f.process_id, NULL, NULL, NULL, NULL, NULL
        FROM failed AS f
        WHERE coalesce(:by, 'process') = 'process' AND f.process_id NOT IN (SELECT process_id FROM level WHERE process_id IS NOT NULL)
    )
SELECT
    d.number AS gpu, d.host,
    p.pid,
    p.name AS process,
    k.memory, k.ts_ns,
    CAST(k.max_bytes AS INTEGER) AS max_bytes,
    CASE WHEN coalesce(:by, 'process') = 'process' THEN CAST(k.first_value AS INTEGER) END AS first_bytes,
    CASE WHEN coalesce(:by, 'process') = 'process' THEN CAST(k.last_value AS INTEGER) END AS last_bytes,
    CASE WHEN coalesce(:by, 'process') = 'process' THEN CAST(k.last_value - k.first_value AS INTEGER) END AS growth_bytes,
    CASE WHEN coalesce(:by, 'process') = 'process' THEN coalesce(f.failures, 0) END AS failures,
    CASE WHEN coalesce(:by, 'process') = 'process' THEN f.failed_bytes END AS failed_bytes,
    CASE WHEN coalesce(:by, 'process') = 'process' THEN f.failed_ns END AS failed_ns
FROM kept AS k
LEFT JOIN device AS d ON d.id = k.device_id
LEFT JOIN process AS p ON p.id = k.process_id
LEFT JOIN failed AS f ON f.process_id = k.process_id
ORDER BY pid, gpu, d.host, memory, ts_ns, k.process_id, k.track_id
LIMIT coalesce(:limit, -1);
