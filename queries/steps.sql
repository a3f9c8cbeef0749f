-- title: Training steps
-- group: time
-- needs-any: annotation, nvtx
-- param: name TEXT NULL -- ranges whose text is like this GLOB are steps; default: see below
-- filters: time, process, limit 20
-- time: steps that begin
-- columns: number, what, pid, process, start_ns, dur_ns, p50_ns, times, outlier, gpu_busy_ns, gpu_busy_pct, kernels, data_ns
-- columns: data_pct, io_calls, read_bytes, write_bytes, io_ns, phase
-- column: number INTEGER number of the step; where it has none in the trace the running number in its thread, from 1
-- column: what TEXT range that is a step, or at whose end a step ends
-- column: p50_ns dur_ns median of the steps of its process, all of those that the filters leave
-- column: times REAL how many times the median it took
-- column: outlier TEXT slow, fast: more than 1.5 times the distance of the quartiles beyond them; NULL: neither
-- column: gpu_busy_ns dur_ns time in it in which a GPU worked for its process: kernels, copies and sets, whenever they were launched
-- column: gpu_busy_pct percent the same as a share of the step
-- column: kernels count kernels that began in it
-- column: data_ns dur_ns time in it in which its thread waited for the DataLoader (PyTorch's enumerate(DataLoader)); NULL: none is in the trace
-- column: data_pct percent the same as a share of the step
-- column: io_ns dur_ns time in them, which is more than the step where several wait at a time
-- uses: gpu_op, call
-- loss: none start_ns, dur_ns
-- loss: either p50_ns, times
-- none: no steps were found: --param name=GLOB says what they are called
-- order: s.dur_ns DESC, s.start_ns, s.id
--
-- What is a step is told by the first of these that the trace has: PyTorch's ProfilerStep; NVTX ranges and annotations that are called step, iteration,
-- batch or the like, numbered or not; the calls of an optimizer, which PyTorch annotates: a step lasts from the end of one to the end of the
-- next. 'name' says it where that is wrong: the ranges of a control loop, of an evaluation. Pipes, sockets, eventfds and terminals are no files.
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
    -- The way in which a name tells of steps; label: without the number at its end.
    named AS MATERIALIZED (
        SELECT
            id, text,
            CASE
                WHEN :name IS NOT NULL THEN 0
                WHEN text GLOB 'ProfilerStep*' THEN 1
                WHEN text GLOB 'Optimizer.step#*' THEN 3
                ELSE 2
            END AS way,
            CASE WHEN :name IS NOT NULL THEN :name ELSE lower(rtrim(rtrim(text, '0123456789'), ' #_:=-')) END AS label
        FROM string
        WHERE CASE WHEN :name IS NOT NULL THEN text GLOB :name
                ELSE text GLOB 'ProfilerStep*' OR text GLOB 'Optimizer.step#*'
                    OR lower(rtrim(rtrim(text, '0123456789'), ' #_:=-')) IN (
                        'step', 'iter', 'iteration', 'batch', 'train step', 'train_step', 'training step', 'training_step',
                        'train iteration', 'train_iteration', '[pl][profile]run_training_batch'
                    )
                END
    ),
    range AS MATERIALIZED (
        SELECT s.id, s.start_ns, s.dur_ns, s.number, s.process_id, s.thread_id, n.text, n.way, n.label
        FROM named AS n
        CROSS JOIN span AS s ON s.name_id = n.id
        JOIN string AS k ON k.id = s.kind_id
        WHERE s.dur_ns IS NOT NULL AND k.text NOT IN ('phase', 'gpu-annotation', 'overhead', 'profiler')
            AND (:pid IS NULL AND :process IS NULL OR s.process_id IN who)
    ),
    chosen AS MATERIALIZED (
        SELECT way, label FROM range GROUP BY way, label ORDER BY way, count(*) DESC, label LIMIT 1
    ),
    step AS MATERIALIZED (
        SELECT *
        FROM (
            SELECT
                r.id, r.process_id, r.thread_id, r.text,
                coalesce(
                    r.number,
                    CASE WHEN r.text GLOB 'ProfilerStep#[0-9]*' THEN CAST(substr(r.text, 14) AS INTEGER) END, -- an operator in traces of 2021
                    row_number() OVER w - (r.way = 3)
                ) AS number,
                CASE r.way WHEN 3 THEN lag(r.start_ns + r.dur_ns) OVER w ELSE r.start_ns END AS start_ns,
                CASE r.way WHEN 3 THEN r.start_ns + r.dur_ns - lag(r.start_ns + r.dur_ns) OVER w ELSE r.dur_ns END AS dur_ns
            FROM range AS r
            JOIN chosen AS c ON c.way = r.way AND c.label = r.label
            WINDOW w AS (PARTITION BY r.process_id, r.thread_id ORDER BY r.start_ns, r.id)
        ) AS s
        WHERE dur_ns >= 0 AND EXISTS (SELECT 1 FROM period AS p WHERE s.start_ns >= p.start_ns AND s.start_ns < p.end_ns)
    ),
    -- of an even number the median is the mean of the middle two; quartiles are nearest ranks
    usual AS MATERIALIZED (
        SELECT
            process_id,
            avg(dur_ns) FILTER (WHERE rank IN ((n + 1) / 2, n / 2 + 1)) AS p50_ns,
            max(dur_ns) FILTER (WHERE rank = (n + 3) / 4) AS low_ns,
            max(dur_ns) FILTER (WHERE rank = (3 * n + 3) / 4) AS high_ns
        FROM (
            SELECT process_id, dur_ns, row_number() OVER (PARTITION BY process_id ORDER BY dur_ns) AS rank, count(*) OVER (PARTITION BY process_id) AS n
            FROM step
        )
        GROUP BY process_id
    ),
    longest_gpu_op AS MATERIALIZED (SELECT max(dur_ns) AS ns FROM gpu_op),
    shown AS MATERIALIZED (
        -- rows of gpu_op and call are in order of time: no others than those from the first id on can be in the step
        SELECT
            s.*,
            (SELECT g.id FROM gpu_op AS g WHERE g.start_ns >= s.start_ns - (SELECT ns FROM longest_gpu_op) ORDER BY g.id LIMIT 1) AS gpu_id,
            coalesce((SELECT b.first_id FROM call_block AS b WHERE b.start_ns <= s.start_ns ORDER BY b.start_ns DESC LIMIT 1), 0) AS call_id,
            (SELECT b.last_id FROM call_block AS b WHERE b.start_ns < s.start_ns + s.dur_ns ORDER BY b.start_ns DESC LIMIT 1) AS last_call_id
        FROM (SELECT * FROM step ORDER BY dur_ns DESC, start_ns, id LIMIT coalesce(:limit, 20)) AS s
    ),
    work AS (
        SELECT
            s.id, g.id AS gpu_op_id,
            max(g.start_ns, s.start_ns) AS start_ns,
            min(g.start_ns + g.dur_ns, s.start_ns + s.dur_ns) AS end_ns,
            k.text = 'kernel' AND g.start_ns >= s.start_ns AS is_kernel
        FROM shown AS s
        CROSS JOIN gpu_op AS g ON g.id >= s.gpu_id
            AND g.id <= coalesce((SELECT n.id FROM gpu_op AS n WHERE n.id >= s.gpu_id AND n.start_ns >= s.start_ns + s.dur_ns ORDER BY n.id LIMIT 1), 9223372036854775807)
        CROSS JOIN string AS k ON k.id = g.kind_id
        WHERE g.start_ns < s.start_ns + s.dur_ns AND g.start_ns + g.dur_ns > s.start_ns AND +g.process_id IS s.process_id AND k.text <> 'sync'
    ),
    busy AS MATERIALIZED (
        SELECT id, sum(max(0, end_ns - max(start_ns, coalesce(until_ns, start_ns)))) AS ns, sum(is_kernel) AS kernels
        FROM (SELECT *, max(end_ns) OVER (PARTITION BY id ORDER BY start_ns, gpu_op_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until_ns FROM work)
        GROUP BY id
    ),
    loading AS MATERIALIZED (
        SELECT s.start_ns, s.dur_ns, s.process_id, s.thread_id
        FROM string AS n
        CROSS JOIN span AS s ON s.name_id = n.id
        WHERE n.text GLOB 'enumerate(DataLoader)*' AND s.dur_ns IS NOT NULL AND s.kind_id NOT IN (SELECT id FROM string WHERE text = 'gpu-annotation')
    ),
    data AS MATERIALIZED (
        SELECT s.id, sum(min(l.start_ns + l.dur_ns, s.start_ns + s.dur_ns) - max(l.start_ns, s.start_ns)) AS ns
        FROM shown AS s
        JOIN loading AS l ON l.process_id IS s.process_id AND l.thread_id IS s.thread_id
        WHERE l.start_ns < s.start_ns + s.dur_ns AND l.start_ns + l.dur_ns > s.start_ns
        GROUP BY s.id
    ),
    io AS MATERIALIZED (
        SELECT
            s.id,
            count(*) AS calls,
            sum(c.done_bytes) FILTER (WHERE o.verb = 'read') AS read_bytes,
            sum(c.done_bytes) FILTER (WHERE o.verb = 'write') AS write_bytes,
            sum(c.dur_ns) AS ns
        FROM shown AS s
        CROSS JOIN call AS c ON c.id >= s.call_id AND c.id <= s.last_call_id
        CROSS JOIN op AS o ON o.id = c.op_id
        WHERE c.start_ns >= s.start_ns AND c.start_ns < s.start_ns + s.dur_ns AND +c.nested = 0 AND o.kind = 'io' AND o.verb <> 'socket'
            AND (c.file_id IS NULL OR c.file_id NOT IN (SELECT id FROM waited_file))
        GROUP BY s.id
    ),
    traced AS MATERIALIZED (
        SELECT EXISTS (SELECT 1 FROM op WHERE layer <> 'cuda') AS io, EXISTS (SELECT 1 FROM gpu_op) AS gpu, EXISTS (SELECT 1 FROM loading) AS data
    )
SELECT
    s.number,
    s.text AS what,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    s.start_ns, s.dur_ns,
    u.p50_ns,
    s.dur_ns / nullif(u.p50_ns, 0) AS times,
    CASE
        WHEN s.dur_ns > u.high_ns + 1.5 * (u.high_ns - u.low_ns) THEN 'slow'
        WHEN s.dur_ns < u.low_ns - 1.5 * (u.high_ns - u.low_ns) THEN 'fast'
    END AS outlier,
    CASE WHEN t.gpu THEN coalesce(b.ns, 0) END AS gpu_busy_ns,
    CASE WHEN t.gpu THEN 100.0 * coalesce(b.ns, 0) / nullif(s.dur_ns, 0) END AS gpu_busy_pct,
    CASE WHEN t.gpu THEN coalesce(b.kernels, 0) END AS kernels,
    CASE WHEN t.data THEN coalesce(d.ns, 0) END AS data_ns,
    CASE WHEN t.data THEN 100.0 * coalesce(d.ns, 0) / nullif(s.dur_ns, 0) END AS data_pct,
    CASE WHEN t.io THEN coalesce(i.calls, 0) END AS io_calls,
    i.read_bytes, i.write_bytes,
    i.ns AS io_ns,
    (SELECT label FROM phase_interval AS h WHERE h.start_ns <= s.start_ns AND h.end_ns > s.start_ns ORDER BY h.end_ns - h.start_ns, length(label) DESC, label LIMIT 1) AS phase
FROM shown AS s
CROSS JOIN traced AS t
LEFT JOIN usual AS u ON u.process_id IS s.process_id
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN busy AS b ON b.id = s.id
LEFT JOIN data AS d ON d.id = s.id
LEFT JOIN io AS i ON i.id = s.id
ORDER BY s.dur_ns DESC, s.start_ns, s.id;
