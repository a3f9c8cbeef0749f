-- title: Operators of PyTorch
-- group: gpu
-- needs-any: annotation, nvtx
-- filters: time, process, limit
-- time: operators that start
-- columns: self_pct, operator, kind, calls, total_ns, self_ns, mean_ns, self_mean_ns, min_ns, max_ns, gpu_ops, gpu_ns
-- column: self_pct percent share of the time of all rows, each moment counted once: for the innermost one, of each thread
-- column: operator TEXT its name; of an NVTX range without what PyTorch adds (op_id, seq, sizes)
-- column: kind TEXT operator or annotation (record_function, an optimizer, the data loader, ...)
-- column: calls count how often
-- column: total_ns dur_ns sum of the durations, what it calls included
-- column: self_ns dur_ns the same without the operators and annotations that it calls
-- column: self_mean_ns dur_ns mean without what it calls
-- column: gpu_ops count kernels, copies and sets that were launched while it was the innermost one; NULL: none is joined with its launch
-- column: gpu_ns dur_ns their time on the GPU
-- loss: either mean_ns, self_mean_ns
-- loss: upper min_ns
-- uses: gpu_op
-- order: self_ns DESC, operator, kind
--
-- Times of the CPU: an operator returns when its work is launched. Of traces of PyTorch's profiler, and of NVTX ranges as emit_nvtx() and
-- nsys --pytorch make them. total_ns counts an operator that calls itself by another one twice; the sum of self_ns is the time of
-- each thread in any.
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
    -- An NVTX range is an operator if it has PyTorch's words behind the name: 'aten::add, seq = 12, op_id = 34'. pos: their order in the
    -- thread, those that contain others first. In traces of 2021 annotations are operators, and steps have names of their own.
    call_of AS MATERIALIZED (
        SELECT
            s.start_ns, s.start_ns + s.dur_ns AS end_ns, s.dur_ns,
            coalesce(s.thread_id, -s.process_id) AS lane,
            CASE WHEN k.text = 'nvtx' THEN substr(n.text, 1, instr(n.text, ', ') - 1) WHEN n.text GLOB 'ProfilerStep*' THEN 'ProfilerStep' ELSE n.text END AS operator,
            CASE
                WHEN k.text = 'annotation' OR n.text GLOB 'ProfilerStep*' OR n.text GLOB 'Optimizer.*' OR n.text GLOB 'enumerate(DataLoader)*' THEN 'annotation'
                ELSE 'operator'
            END AS kind,
            row_number() OVER (PARTITION BY coalesce(s.thread_id, -s.process_id) ORDER BY s.start_ns, s.dur_ns DESC, s.id) AS pos
        FROM span AS s
        CROSS JOIN string AS k ON k.id = s.kind_id
        CROSS JOIN string AS n ON n.id = s.name_id
        WHERE s.dur_ns IS NOT NULL
            AND (k.text IN ('cpu-op', 'annotation') OR (k.text = 'nvtx' AND (n.text GLOB '*, op_id = *' OR n.text GLOB '*, seq = *')))
            AND (:pid IS NULL AND :process IS NULL OR s.process_id IN who)
    ),
    asked AS MATERIALIZED (
        SELECT process_id, correlation, thread_id AS lane, start_ns
        FROM call
        WHERE correlation IS NOT NULL AND op_id IN (SELECT id FROM op WHERE layer = 'cuda')
            AND (:pid IS NULL AND :process IS NULL OR process_id IN who)
    ),
    launch AS MATERIALIZED (
        SELECT c.lane, c.start_ns, g.dur_ns
        FROM gpu_op AS g
        CROSS JOIN asked AS c ON c.correlation = g.correlation AND c.process_id = g.process_id
        WHERE g.kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
    ),
    -- how many are open after each begin, end (before what begins at that time) and launch (after it)
    event AS MATERIALIZED (
        SELECT lane, pos, launch_ns, step, sum(step) OVER (PARTITION BY lane ORDER BY ts_ns, place, pos ROWS UNBOUNDED PRECEDING) AS depth,
            row_number() OVER (PARTITION BY lane ORDER BY ts_ns, place, pos) AS turn
        FROM (
            SELECT lane, start_ns AS ts_ns, 1 AS place, pos, 1 AS step, NULL AS launch_ns FROM call_of WHERE dur_ns > 0
            UNION ALL
            SELECT lane, end_ns, 0, pos, -1, NULL FROM call_of WHERE dur_ns > 0
            UNION ALL
            SELECT lane, start_ns, 2, NULL, 0, dur_ns FROM launch
        )
    ),
    -- who contains it: the last one that began one level further out
    inside AS MATERIALIZED (
        SELECT lane, outer_pos, pos, launch_ns
        FROM (
            SELECT lane, pos, launch_ns, is_outer, max(CASE WHEN is_outer THEN pos END) OVER (PARTITION BY lane, level ORDER BY turn, is_outer DESC ROWS UNBOUNDED PRECEDING) AS outer_pos
            FROM (
                SELECT lane, pos, NULL AS launch_ns, turn, depth AS level, 1 AS is_outer FROM event WHERE step = 1
                UNION ALL
                SELECT lane, pos, launch_ns, turn, depth - step, 0 FROM event WHERE step >= 0 AND depth > step
            )
        )
        WHERE NOT is_outer
    ),
    inner_sum AS MATERIALIZED (
        SELECT
            i.lane, i.outer_pos AS pos,
            sum(min(c.end_ns, o.end_ns) - c.start_ns) AS ns,
            count(i.launch_ns) AS gpu_ops,
            sum(i.launch_ns) AS gpu_ns
        FROM inside AS i
        JOIN call_of AS o ON o.lane = i.lane AND o.pos = i.outer_pos
        LEFT JOIN call_of AS c ON c.lane = i.lane AND c.pos = i.pos
        GROUP BY i.lane, i.outer_pos
    ),
    total AS (
        SELECT
            c.operator, c.kind,
            count(*) AS calls,
            sum(c.dur_ns) AS total_ns,
            sum(c.dur_ns - coalesce(i.ns, 0)) AS self_ns,
            min(c.dur_ns) AS min_ns,
            max(c.dur_ns) AS max_ns,
            sum(i.gpu_ops) AS gpu_ops,
            sum(i.gpu_ns) AS gpu_ns
        FROM call_of AS c
        LEFT JOIN inner_sum AS i ON i.lane = c.lane AND i.pos = c.pos
        WHERE EXISTS (SELECT 1 FROM period AS p WHERE c.start_ns >= p.start_ns AND c.start_ns < p.end_ns)
        GROUP BY c.operator, c.kind
    )
SELECT
    100.0 * t.self_ns / nullif(sum(t.self_ns) OVER (), 0) AS self_pct,
    t.operator AS operator,
    t.kind AS kind,
    t.calls,
    t.total_ns,
    t.self_ns AS self_ns,
    1.0 * t.total_ns / t.calls AS mean_ns,
    1.0 * t.self_ns / t.calls AS self_mean_ns,
    t.min_ns,
    t.max_ns,
    CASE WHEN EXISTS (SELECT 1 FROM launch) THEN coalesce(t.gpu_ops, 0) END AS gpu_ops,
    CASE WHEN EXISTS (SELECT 1 FROM launch) THEN coalesce(t.gpu_ns, 0) END AS gpu_ns
FROM total AS t
ORDER BY self_ns DESC, operator, kind
LIMIT coalesce(:limit, -1);
