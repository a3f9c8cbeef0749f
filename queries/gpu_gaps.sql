-- title: Longest gaps between work of a GPU
-- group: gpu
-- needs: gpu_op
-- filters: time, gpu, limit 20
-- time: gaps that begin
-- param: min_ns dur_ns 1ms -- gaps that last so long at least
-- columns: gpu, host, start_ns, dur_ns, gap_pct, phase, before, after, io_calls, read_bytes, max_ns, longest_op, longest_file
-- columns: cuda_calls, cuda_ns, tid, launcher, launch_ns, did, reading_ns, queue_ns, allocating_ns, calling_ns, off_cpu_ns
-- columns: computing_ns
-- column: start_ns ts_ns end of the work before it
-- column: dur_ns dur_ns how long the GPU had nothing to do
-- column: gap_pct percent share of the time from its first work to its last
-- column: before TEXT kernel or copy that ended then, the last one
-- column: after TEXT kernel or copy that ended the gap
-- column: longest_op TEXT what that was
-- column: longest_file TEXT and on which file
-- column: cuda_calls count calls of the CUDA APIs that began in the gap
-- column: cuda_ns dur_ns time in them, waiting included
-- column: tid INTEGER thread that launched the work after the gap; NULL: its call is not known
-- column: launcher TEXT its process
-- column: launch_ns dur_ns time from the begin of the gap to that of the launch's call; 0: it was launched before
-- column: did TEXT what the thread did until then, in shares of launch_ns of 10 % or more
-- column: reading_ns dur_ns of launch_ns: in calls of file I/O
-- column: queue_ns dur_ns in waits for a lock, a queue or a pipe, through which a loader's batches come
-- column: allocating_ns dur_ns in calls that allocate or free memory, of the host or a GPU
-- column: calling_ns dur_ns in other calls: launches, copies, waits for a GPU
-- column: off_cpu_ns dur_ns asleep by itself, or off the CPU outside of calls
-- column: computing_ns dur_ns in none of these; NULL: only calls of CUDA were traced, or not which threads made the others
-- keep: gpu, start_ns, dur_ns, after, did
-- numbers: reading_ns, queue_ns, allocating_ns, calling_ns, off_cpu_ns, computing_ns
-- uses: call
-- loss: upper dur_ns, gap_pct
-- loss: either launch_ns, computing_ns
-- none: no gap between two pieces of work of a GPU was so long: --param min_ns=0 has all of them
-- order: g.gap_ns DESC, gpu, d.host, g.start_ns, g.id
--
-- Of GPUs whose kernels were traced. Pipes, sockets, eventfds and terminals are no files; calls that an outer layer counts are left
-- out, and so is what began before the gap and was still in progress: 'report gpu_idle' has that, over all gaps. What the thread did has
-- these, too, as far as they and its launch began in the second before the gap; a call within another one is a part of that. Where slices
-- of threads were not recorded (-e sched), what is off the CPU outside of calls counts as computing.
WITH
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    -- in which nobody knows what the GPUs did
    unseen AS MATERIALIZED (
        SELECT s.start_ns, s.start_ns + s.dur_ns AS end_ns FROM string AS k CROSS JOIN span AS s ON +s.kind_id = k.id WHERE k.text = 'unrecorded'
    ),
    -- those of 1 ms and more are in the file by themselves: where there are as many as are shown, shorter ones need no look
    least AS MATERIALIZED (
        SELECT CASE WHEN count(*) < coalesce(:limit, 20) THEN coalesce(:min_ns, 1000000) ELSE max(1000000, coalesce(:min_ns, 1000000)) END AS ns
        FROM (
            SELECT 1
            FROM gpu_gap AS g
            CROSS JOIN device AS d ON d.id = g.device_id
            WHERE g.dur_ns >= 1000000 AND coalesce(:min_ns, 1000000) < 1000000
                AND (:gpu IS NULL OR d.number = :gpu)
                AND EXISTS (SELECT 1 FROM period AS p WHERE g.start_ns >= p.start_ns AND g.start_ns < p.end_ns)
                AND NOT EXISTS (SELECT 1 FROM unseen AS u WHERE u.start_ns < g.start_ns + g.dur_ns AND u.end_ns > g.start_ns)
            LIMIT coalesce(:limit, 20)
        )
    ),
    gap AS MATERIALIZED (
        SELECT
            g.id, g.device_id, g.start_ns, g.start_ns + g.dur_ns AS end_ns, g.dur_ns AS gap_ns
        FROM gpu_gap AS g
        CROSS JOIN device AS d ON d.id = g.device_id
        WHERE g.dur_ns >= (SELECT ns FROM least)
            AND (:gpu IS NULL OR d.number = :gpu)
            AND EXISTS (SELECT 1 FROM period AS p WHERE g.start_ns >= p.start_ns AND g.start_ns < p.end_ns)
            AND NOT EXISTS (SELECT 1 FROM unseen AS u WHERE u.start_ns < g.start_ns + g.dur_ns AND u.end_ns > g.start_ns)
        ORDER BY gap_ns DESC, d.number, g.start_ns, g.id
        LIMIT coalesce(:limit, 20)
    ),
    -- from the first work to the end of the last: launch_sum has it where there are kernels; work is in order of time, and what began before a
    -- gap ended before it
    span_of AS MATERIALIZED (
        SELECT
            l.device_id,
            coalesce(
                (SELECT s.wall_ns FROM launch_sum AS s WHERE s.device_id = l.device_id AND s.phase = '(run)'),
                (
                    SELECT max(w.start_ns + w.dur_ns) FROM gpu_op AS w
                    WHERE w.id >= l.id AND w.device_id = l.device_id AND w.dur_ns IS NOT NULL AND w.kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
                ) - (
                    SELECT w.start_ns FROM gpu_op AS w
                    WHERE w.device_id = l.device_id AND w.dur_ns IS NOT NULL AND w.kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
                    ORDER BY w.id LIMIT 1
                )
            ) AS ns
        FROM (SELECT device_id, max(id) AS id FROM gap GROUP BY device_id) AS l
    ),
    meanwhile AS MATERIALIZED (
        -- call_block: the calls that began in the gap are in these blocks; '+': no index of all calls is to be made
        SELECT
            g.id AS gap_id, c.dur_ns, c.done_bytes, c.file_id, o.name, o.verb, o.layer = 'cuda' AS is_cuda,
            row_number() OVER (PARTITION BY g.id, o.layer = 'cuda' ORDER BY c.dur_ns DESC, c.id) AS rank
        FROM gap AS g
        CROSS JOIN call AS c ON c.id >= coalesce((SELECT b.first_id FROM call_block AS b WHERE b.start_ns <= g.start_ns ORDER BY b.start_ns DESC LIMIT 1), 0)
            AND c.id <= (SELECT b.last_id FROM call_block AS b WHERE b.start_ns < g.end_ns ORDER BY b.start_ns DESC LIMIT 1)
        JOIN op AS o ON o.id = c.op_id
        WHERE c.start_ns >= g.start_ns AND c.start_ns < g.end_ns AND +c.nested = 0
            AND (o.layer = 'cuda'
                OR (o.kind = 'io' AND o.verb <> 'socket'
                    AND (c.file_id IS NULL OR c.file_id NOT IN (SELECT id FROM waited_file))))
    ),
    sums AS MATERIALIZED (
        SELECT
            gap_id,
            count(*) FILTER (WHERE NOT is_cuda) AS io_calls,
            sum(done_bytes) FILTER (WHERE verb = 'read') AS read_bytes,
            max(dur_ns) FILTER (WHERE NOT is_cuda) AS max_ns,
            max(name) FILTER (WHERE rank = 1 AND NOT is_cuda AND dur_ns IS NOT NULL) AS longest_op,
            max(file_id) FILTER (WHERE rank = 1 AND NOT is_cuda AND dur_ns IS NOT NULL) AS file_id,
            count(*) FILTER (WHERE is_cuda) AS cuda_calls,
            sum(dur_ns) FILTER (WHERE is_cuda) AS cuda_ns
        FROM meanwhile
        GROUP BY gap_id
    ),
    -- the call that asked for the work that ends the gap, mostly one of the 10 ms before it
    near_launch AS MATERIALIZED (
        SELECT g.id AS gap_id, g.start_ns AS from_ns, min(c.start_ns) AS to_ns, c.process_id, c.thread_id
        FROM gap AS g
        JOIN gpu_op AS w ON w.id = g.id
        CROSS JOIN call AS c ON c.id >= coalesce((SELECT b.first_id FROM call_block AS b WHERE b.start_ns <= g.start_ns - 10000000 ORDER BY b.start_ns DESC LIMIT 1), 0)
            AND c.id <= (SELECT b.last_id FROM call_block AS b WHERE b.start_ns < g.end_ns ORDER BY b.start_ns DESC LIMIT 1)
        WHERE +c.correlation = w.correlation AND +c.process_id = w.process_id
        GROUP BY g.id
    ),
    launch AS MATERIALIZED (
        SELECT gap_id, from_ns, to_ns, process_id, thread_id FROM near_launch
        UNION ALL
        SELECT g.id, g.start_ns, min(c.start_ns), c.process_id, c.thread_id
        FROM gap AS g
        JOIN gpu_op AS w ON w.id = g.id
        CROSS JOIN call AS c ON c.id >= coalesce((SELECT b.first_id FROM call_block AS b WHERE b.start_ns <= g.start_ns - 1000000000 ORDER BY b.start_ns DESC LIMIT 1), 0)
            AND c.id <= (SELECT b.last_id FROM call_block AS b WHERE b.start_ns < g.end_ns ORDER BY b.start_ns DESC LIMIT 1)
        WHERE +c.correlation = w.correlation AND +c.process_id = w.process_id AND g.id NOT IN (SELECT gap_id FROM near_launch)
        GROUP BY g.id
    ),
    -- how long before the gap a call can have begun that lasted into it
    before AS MATERIALIZED (
        SELECT l.gap_id, min(1000000000, coalesce((SELECT max(s.max_ns) FROM op_stat AS s WHERE s.by = 'process,op' AND s.process_id = l.process_id), 1000000000)) AS ns
        FROM launch AS l
    ),
    -- of its thread until then
    item AS MATERIALIZED (
        SELECT
            l.gap_id, l.from_ns, l.to_ns, c.start_ns, c.start_ns + c.dur_ns AS end_ns, 0 AS is_slice,
            CASE
                WHEN o.name LIKE '%nanosleep%' THEN 'off'
                WHEN o.kind = 'memory' THEN 'allocating'
                WHEN o.layer = 'cuda' THEN 'calling'
                WHEN o.kind IN ('lock', 'wait') OR o.verb = 'socket' OR f.class IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed') THEN 'queue'
                WHEN o.kind = 'io' THEN 'reading'
                ELSE 'calling'
            END AS what
        FROM launch AS l
        JOIN before AS e ON e.gap_id = l.gap_id
        CROSS JOIN call AS c ON c.id >= coalesce((SELECT b.first_id FROM call_block AS b WHERE b.start_ns <= l.from_ns - e.ns ORDER BY b.start_ns DESC LIMIT 1), 0)
            AND c.id <= (SELECT b.last_id FROM call_block AS b WHERE b.start_ns < l.to_ns ORDER BY b.start_ns DESC LIMIT 1)
        JOIN op AS o ON o.id = c.op_id
        LEFT JOIN file AS f ON f.id = c.file_id
        WHERE +c.thread_id = l.thread_id AND c.start_ns < l.to_ns AND c.start_ns + c.dur_ns > l.from_ns
        UNION ALL
        SELECT l.gap_id, l.from_ns, l.to_ns, s.start_ns, s.start_ns + s.dur_ns, 1, 'off'
        FROM sched_slice AS s
        CROSS JOIN launch AS l
        WHERE l.thread_id = s.thread_id AND s.start_ns < l.to_ns AND s.start_ns + s.dur_ns > l.from_ns
            AND s.state_id NOT IN (SELECT id FROM string WHERE text = 'running')
    ),
    -- what is within another one is that one's
    part AS MATERIALIZED (
        SELECT
            gap_id, what,
            max(0, min(end_ns, to_ns) - max(start_ns, from_ns, coalesce(
                max(end_ns) OVER (PARTITION BY gap_id ORDER BY start_ns, is_slice, end_ns DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), from_ns))) AS ns
        FROM item
    ),
    did AS MATERIALIZED (
        SELECT
            l.gap_id, l.process_id, l.thread_id, max(0, l.to_ns - l.from_ns) AS launch_ns,
            coalesce(sum(p.ns) FILTER (WHERE p.what = 'reading'), 0) AS reading_ns,
            coalesce(sum(p.ns) FILTER (WHERE p.what = 'queue'), 0) AS queue_ns,
            coalesce(sum(p.ns) FILTER (WHERE p.what = 'allocating'), 0) AS allocating_ns,
            coalesce(sum(p.ns) FILTER (WHERE p.what = 'calling'), 0) AS calling_ns,
            coalesce(sum(p.ns) FILTER (WHERE p.what = 'off'), 0) AS off_cpu_ns,
            max(0, l.to_ns - l.from_ns) - coalesce(sum(p.ns), 0) AS computing_ns
        FROM launch AS l
        LEFT JOIN part AS p ON p.gap_id = l.gap_id
        GROUP BY l.gap_id
    ),
    words AS (
        SELECT gap_id, group_concat(printf('%s %.0f %%', word, 100.0 * ns / launch_ns), ', ') AS did
        FROM (
            SELECT gap_id, launch_ns, 'reading or writing' AS word, reading_ns AS ns FROM did
            UNION ALL
            SELECT gap_id, launch_ns, 'waiting for a queue', queue_ns FROM did
            UNION ALL
            SELECT gap_id, launch_ns, 'allocating', allocating_ns FROM did
            UNION ALL
            SELECT gap_id, launch_ns, 'other calls', calling_ns FROM did
            UNION ALL
            SELECT gap_id, launch_ns, 'off the CPU', off_cpu_ns FROM did
            UNION ALL
            SELECT gap_id, launch_ns, 'computing', computing_ns FROM did WHERE (SELECT io AND threads FROM traced)
            ORDER BY 1, 4 DESC, 3
        )
        WHERE launch_ns > 0 AND ns * 10 >= launch_ns
        GROUP BY gap_id
    ),
    -- where nobody traced any, their number is not known
    traced AS MATERIALIZED (
        SELECT
            EXISTS (SELECT 1 FROM op WHERE layer <> 'cuda') AS io,
            EXISTS (SELECT 1 FROM op WHERE layer = 'cuda') AS cuda,
            NOT EXISTS (
                SELECT 1
                FROM launch AS l
                CROSS JOIN call AS c ON c.id >= coalesce((SELECT b.first_id FROM call_block AS b WHERE b.start_ns <= l.from_ns ORDER BY b.start_ns DESC LIMIT 1), 0)
                    AND c.id <= (SELECT b.last_id FROM call_block AS b WHERE b.start_ns < l.to_ns ORDER BY b.start_ns DESC LIMIT 1)
                WHERE c.thread_id IS NULL AND +c.process_id = l.process_id AND +c.op_id IN (SELECT id FROM op WHERE layer <> 'cuda')
            ) AS threads
    )
SELECT
    d.number AS gpu, d.host,
    g.start_ns,
    g.gap_ns AS dur_ns,
    100.0 * g.gap_ns / s.ns AS gap_pct,
    (SELECT label FROM phase_interval AS i WHERE i.start_ns <= g.start_ns AND i.end_ns > g.start_ns ORDER BY i.end_ns - i.start_ns, length(label) DESC, label LIMIT 1) AS phase,
    (
        SELECT n.text FROM gpu_op AS b JOIN string AS n ON n.id = b.name_id
        WHERE b.id < g.id AND b.device_id = g.device_id AND b.start_ns + b.dur_ns = g.start_ns
            AND b.kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
        ORDER BY b.id DESC LIMIT 1
    ) AS before,
    n.text AS after,
    CASE WHEN t.io THEN coalesce(m.io_calls, 0) END AS io_calls,
    m.read_bytes,
    m.max_ns,
    m.longest_op,
    coalesce(nullif(f.path, ''), nullif(f.name, ''), CASE WHEN f.id IS NOT NULL THEN '(no name)' END) AS longest_file,
    CASE WHEN t.cuda THEN coalesce(m.cuda_calls, 0) END AS cuda_calls,
    m.cuda_ns,
    h.tid,
    p.name AS launcher,
    a.launch_ns,
    CASE WHEN a.launch_ns = 0 THEN 'launched before' ELSE w.did END AS did,
    a.reading_ns,
    a.queue_ns,
    a.allocating_ns,
    a.calling_ns,
    a.off_cpu_ns,
    CASE WHEN t.io AND t.threads THEN a.computing_ns END AS computing_ns
FROM gap AS g
JOIN device AS d ON d.id = g.device_id
JOIN span_of AS s ON s.device_id = g.device_id
JOIN gpu_op AS e ON e.id = g.id
JOIN string AS n ON n.id = e.name_id
CROSS JOIN traced AS t
LEFT JOIN sums AS m ON m.gap_id = g.id
LEFT JOIN file AS f ON f.id = m.file_id
LEFT JOIN did AS a ON a.gap_id = g.id
LEFT JOIN words AS w ON w.gap_id = g.id
LEFT JOIN thread AS h ON h.id = a.thread_id
LEFT JOIN process AS p ON p.id = a.process_id
ORDER BY g.gap_ns DESC, gpu, d.host, g.start_ns, g.id;
