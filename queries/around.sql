-- title: Everything near a moment
-- group: overview
-- needs: segment
-- param: at ts_ns NULL -- the moment; default: the middle of the run
-- param: width dur_ns 5s -- what lasts or happens in a window so wide, half of it before the moment
-- param: kind io|all io -- which calls of the operating system: I/O on files, or all, those that wait for something included
-- filters: process
-- param: pid INTEGER NULL -- only calls, requests, work of GPUs and processes of this id
-- param: process TEXT NULL -- only those of processes with this name or role
-- param: each count 5 -- so many of each kind: what lasted longest; samples, marks and processes: those nearest to the moment
-- columns: from_ns, start_ns, dur_ns, kind, what, pid, process, detail, bytes, among
-- column: from_ns dur_ns from the moment to its begin; less than 0: it began before
-- column: kind TEXT moment (the one asked for), phase, call, CUDA call, request (of a disk), GPU work, GPU sample, CPU sample, process, mark, loss
-- column: what TEXT its name: operation, kernel, phase; what was sampled; began or ended
-- column: detail TEXT path of the file, disk, GPU, command line; of samples the values: of several GPUs least, most and mean
-- column: among count how many of its kind there are in the window
-- keep: from_ns, dur_ns, kind, what, detail
-- loss: none from_ns, start_ns, dur_ns, bytes
-- layout: page
-- none: nothing lasts or happens so near to that moment: --width makes it wider
-- order: k.start_ns, k.place, k.id
--
-- In order of time. What began before the window and lasts into it is here, too. Calls that an outer layer counts are left out, and so are
-- waits on pipes, sockets, eventfds and terminals unless kind is 'all'. A sample begins where its period does. Samples are those of the tool
-- that can know most about a GPU or the CPUs; of several processes on a GPU they are added up, to 100 % at most.
WITH RECURSIVE
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE coalesce(:pid, :process) IS NOT NULL AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    win AS MATERIALIZED (
        SELECT at_ns, at_ns - width_ns / 2 AS start_ns, at_ns - width_ns / 2 + width_ns AS end_ns
        FROM (
            SELECT
                coalesce(:at, start_ns + (end_ns - start_ns) / 2) AS at_ns,
                coalesce(:width, 5000000000) AS width_ns
            FROM run
        )
    ),
    wanted_op AS MATERIALIZED (
        SELECT id, layer = 'cuda' AS is_cuda FROM op
        WHERE layer = 'cuda' OR coalesce(:kind, 'io') = 'all' OR (kind = 'io' AND verb <> 'socket')
    ),
    -- How many calls of each kind begin in the window, and how long those take at least that are shown, of which there are so many: nothing else has to be
    -- looked at. Without the extension nobody tells, and all of the window is.
    bucket AS MATERIALIZED (
        SELECT op_id, waits, low_ns, calls
        FROM call_stat
        WHERE by = 'op,waits,latency' AND since_ns IS (SELECT start_ns FROM win) AND until_ns IS (SELECT end_ns FROM win) AND of_pid IS :pid AND of_process IS :process
    ),
    call_bucket AS MATERIALIZED (
        SELECT o.is_cuda, s.low_ns, sum(s.calls) AS calls
        FROM bucket AS s
        JOIN wanted_op AS o ON o.id = s.op_id
        WHERE o.is_cuda OR coalesce(:kind, 'io') = 'all' OR s.waits = 0
        GROUP BY o.is_cuda, s.low_ns
    ),
    call_told AS MATERIALIZED (
        SELECT is_cuda, sum(calls) AS calls, max(low_ns) FILTER (WHERE so_far >= coalesce(:each, 5) AND coalesce(:each, 5) >= 0) AS least_ns
        FROM (SELECT is_cuda, low_ns, calls, sum(calls) OVER (PARTITION BY is_cuda ORDER BY low_ns DESC) AS so_far FROM call_bucket)
        GROUP BY is_cuda
    ),
    -- whatever it is
    call_least AS MATERIALIZED (SELECT CASE WHEN count(*) = count(least_ns) THEN min(least_ns) END AS ns FROM call_told),
    -- all calls that take so long, wanted or not; where these are not many, one look finds them
    few AS MATERIALIZED (SELECT sum(s.calls) AS calls FROM call_least AS l CROSS JOIN bucket AS s ON s.low_ns >= l.ns WHERE l.ns > 0 HAVING sum(s.calls) <= 10000),
    long AS MATERIALIZED (
        SELECT l.call_id
        FROM few AS f
        CROSS JOIN long_call AS l
        WHERE l.kind = 'all' AND l.of_top >= (SELECT calls FROM few) AND l.since_ns IS (SELECT start_ns FROM win) AND l.until_ns IS (SELECT end_ns FROM win)
            AND l.in_phase IS NULL AND l.of_pid IS :pid AND l.of_process IS :process AND l.of_file IS NULL
    ),
    -- Which calls can be of interest: those that begin in the window, and before it in the blocks of which one lasts into it.
    stretch AS MATERIALIZED (
        SELECT
            coalesce((SELECT b.first_id FROM call_block AS b WHERE b.start_ns <= w.start_ns ORDER BY b.start_ns DESC LIMIT 1), 0) AS first_id,
            (SELECT b.last_id FROM call_block AS b WHERE b.start_ns < w.end_ns ORDER BY b.start_ns DESC LIMIT 1) AS last_id,
            w.start_ns, w.end_ns, coalesce((SELECT ns FROM call_least), -1) AS least_ns
        FROM win AS w
        WHERE NOT EXISTS (SELECT 1 FROM few)
        UNION ALL
        SELECT b.first_id, b.last_id, b.start_ns, w.start_ns, -1
        FROM win AS w
        CROSS JOIN call_block AS b ON b.start_ns < w.start_ns AND +b.end_ns > w.start_ns
    ),
    near_call AS MATERIALIZED (
        SELECT c.id, c.start_ns, c.dur_ns, o.is_cuda
        FROM stretch AS s
        CROSS JOIN win AS w
        CROSS JOIN call AS c ON c.id >= s.first_id AND c.id <= s.last_id
        CROSS JOIN wanted_op AS o ON o.id = c.op_id
        LEFT JOIN call_told AS t ON t.is_cuda = o.is_cuda
        -- first what most of them fail
        WHERE coalesce(+c.dur_ns, -1) >= s.least_ns AND c.start_ns >= s.start_ns AND c.start_ns < s.end_ns AND +c.nested = 0
            AND (:pid IS NULL AND :process IS NULL OR c.process_id IN who)
            -- of few of them files are looked up, one by one, and in this order
            AND CASE
                WHEN CASE WHEN c.start_ns >= w.start_ns THEN t.least_ns IS NULL OR c.dur_ns >= t.least_ns ELSE c.start_ns + c.dur_ns > w.start_ns END IS NOT TRUE THEN 0
                WHEN o.is_cuda OR coalesce(:kind, 'io') = 'all' OR c.file_id IS NULL THEN 1
                ELSE NOT EXISTS (SELECT 1 FROM waited_file AS x WHERE x.id = c.file_id)
            END
        UNION ALL
        SELECT c.id, c.start_ns, c.dur_ns, o.is_cuda
        FROM long AS l
        CROSS JOIN call AS c ON c.id = l.call_id
        CROSS JOIN wanted_op AS o ON o.id = c.op_id
        LEFT JOIN call_told AS t ON t.is_cuda = o.is_cuda
        WHERE (t.least_ns IS NULL OR c.dur_ns >= t.least_ns)
            AND (o.is_cuda OR coalesce(:kind, 'io') = 'all' OR c.file_id IS NULL OR NOT EXISTS (SELECT 1 FROM waited_file AS x WHERE x.id = c.file_id))
    ),
    call_among AS MATERIALIZED (
        SELECT n.is_cuda, CASE WHEN t.calls IS NULL THEN count(*) ELSE t.calls + count(*) FILTER (WHERE n.start_ns < w.start_ns) END AS calls
        FROM win AS w
        CROSS JOIN near_call AS n
        LEFT JOIN call_told AS t ON t.is_cuda = n.is_cuda
        GROUP BY n.is_cuda
    ),
    -- there are many calls: those that are shown are picked here, not by what picks the others
    picked_call AS MATERIALIZED (
        SELECT * FROM (SELECT * FROM near_call WHERE NOT is_cuda ORDER BY dur_ns DESC, id LIMIT coalesce(:each, 5))
        UNION ALL
        SELECT * FROM (SELECT * FROM near_call WHERE is_cuda ORDER BY dur_ns DESC, id LIMIT coalesce(:each, 5))
    ),
    -- So is work of GPUs, which is in order of time: the first that can reach into the window, and the first behind it. Without the extension nobody
    -- tells how long any takes, and it is looked at from the first on.
    search (at_ns, low, high) AS (
        SELECT at_ns, 1, coalesce((SELECT max(id) + 1 FROM gpu_op), 1)
        FROM (
            SELECT w.start_ns - max(s.max_ns) AS at_ns FROM win AS w CROSS JOIN gpu_stat AS s WHERE s.by = 'kind'
            UNION
            SELECT end_ns FROM win
        )
        WHERE at_ns IS NOT NULL
        UNION ALL
        SELECT s.at_ns, CASE WHEN g.start_ns < s.at_ns THEN g.id + 1 ELSE s.low END, CASE WHEN g.start_ns < s.at_ns THEN s.high ELSE g.id END
        FROM search AS s
        JOIN gpu_op AS g ON g.id = (s.low + s.high) / 2
        WHERE s.low < s.high
    ),
    work_told AS MATERIALIZED (
        SELECT sum(ops) AS ops, coalesce(max(low_ns) FILTER (WHERE so_far >= coalesce(:each, 5) AND coalesce(:each, 5) >= 0), -1) AS least_ns
        FROM (
            SELECT low_ns, sum(ops) AS ops, sum(sum(ops)) OVER (ORDER BY low_ns DESC) AS so_far
            FROM gpu_stat
            WHERE by = 'kind,latency' AND since_ns IS (SELECT start_ns FROM win) AND until_ns IS (SELECT end_ns FROM win) AND of_pid IS :pid AND of_process IS :process
                AND kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
            GROUP BY low_ns
        )
    ),
    near_work AS MATERIALIZED (
        SELECT g.id, g.start_ns, g.dur_ns
        FROM win AS w
        CROSS JOIN work_told AS t
        CROSS JOIN gpu_op AS g ON g.id >= coalesce((SELECT low FROM search WHERE low = high AND at_ns < w.end_ns), 1)
            AND g.id < (SELECT low FROM search WHERE low = high AND at_ns = w.end_ns)
        WHERE (coalesce(g.dur_ns, -1) >= t.least_ns OR g.start_ns < w.start_ns)
            AND (g.start_ns >= w.start_ns OR g.start_ns + g.dur_ns > w.start_ns)
            AND g.kind_id NOT IN (SELECT id FROM string WHERE text = 'sync')
            AND (:pid IS NULL AND :process IS NULL OR g.process_id IN who)
    ),
    picked_work AS MATERIALIZED (SELECT * FROM near_work ORDER BY dur_ns DESC, start_ns, id LIMIT coalesce(:each, 5)),
    cpu_source AS MATERIALIZED (
        SELECT source_id, host FROM (
            SELECT source_id, host, row_number() OVER (PARTITION BY host ORDER BY precedence, source_id) AS place FROM cpu_sampler WHERE device_id IS NULL
        )
        WHERE place = 1
    ),
    gpu_source AS MATERIALIZED (
        SELECT device_id, source_id FROM (
            SELECT device_id, source_id, row_number() OVER (PARTITION BY device_id ORDER BY precedence, source_id) AS place FROM gpu_sampler
        )
        WHERE place = 1
    ),
    near_sample AS MATERIALIZED (
        SELECT s.ts_ns, s.dur_ns, s.value, t.name, t.device_id, t.process_id, t.source_id
        FROM win AS w
        CROSS JOIN sample AS s
        JOIN track AS t ON t.id = s.track_id
        WHERE s.ts_ns > w.start_ns AND s.ts_ns - coalesce(s.dur_ns, 0) < w.end_ns
            AND (t.name = 'gpu.sm' OR (t.name IN ('cpu.usr', 'cpu.sys', 'cpu.iowait', 'cpu.idle') AND t.device_id IS NULL))
    ),
    -- pmon has a row for each process, none for the whole GPU, and one without a value if there is no process
    gpu_sample AS MATERIALIZED (
        SELECT
            s.ts_ns, max(s.dur_ns) AS dur_ns, d.number,
            CASE
                WHEN count(s.process_id) = 0 THEN coalesce(max(s.value), 0)
                ELSE coalesce(max(s.value) FILTER (WHERE s.process_id IS NULL), min(100.0, sum(s.value)))
            END AS sm
        FROM near_sample AS s
        JOIN gpu_source AS g ON g.device_id = s.device_id AND g.source_id = s.source_id
        JOIN device AS d ON d.id = s.device_id
        WHERE s.name = 'gpu.sm'
        GROUP BY s.ts_ns, s.device_id
    ),
    thing AS (
        SELECT 'phase' AS place, rowid AS id, i.start_ns, i.end_ns - i.start_ns AS dur_ns, i.start_ns - i.end_ns AS weight, i.label AS what, NULL AS detail, NULL AS among
        FROM win AS w
        CROSS JOIN phase_interval AS i
        WHERE i.start_ns < w.end_ns AND i.end_ns > w.start_ns AND i.label <> '(run)'
            -- 'epoch' where there is no 'epoch 3' that is the same
            AND NOT EXISTS (
                SELECT 1 FROM phase_interval AS n
                WHERE substr(n.label, 1, length(i.label) + 1) = i.label || ' ' AND n.start_ns >= i.start_ns AND n.end_ns <= i.end_ns
            )
        UNION ALL
        SELECT
            CASE WHEN c.is_cuda THEN 'CUDA call' ELSE 'call' END, c.id, c.start_ns, c.dur_ns, coalesce(c.dur_ns, -1), NULL, NULL,
            (SELECT a.calls FROM call_among AS a WHERE a.is_cuda = c.is_cuda)
        FROM picked_call AS c
        UNION ALL
        SELECT 'request', b.id, b.start_ns, b.dur_ns, coalesce(b.dur_ns, -1), CASE b.op WHEN 0 THEN 'read' WHEN 1 THEN 'write' ELSE 'other' END, NULL, NULL
        FROM win AS w
        CROSS JOIN block_request AS b
        WHERE b.start_ns < w.end_ns AND (b.start_ns >= w.start_ns OR b.start_ns + b.dur_ns > w.start_ns)
            AND (:pid IS NULL AND :process IS NULL OR b.process_id IN who)
        UNION ALL
        SELECT 'GPU work', id, start_ns, dur_ns, coalesce(dur_ns, -1), NULL, NULL, (SELECT coalesce(t.ops + count(*) FILTER (WHERE n.start_ns < w.start_ns), count(*)) FROM win AS w, work_told AS t, near_work AS n)
        FROM picked_work
        UNION ALL
        SELECT
            'GPU sample', ts_ns, ts_ns - coalesce(max(dur_ns), 0), max(dur_ns), -abs(ts_ns - (SELECT at_ns FROM win)), 'gpu.sm',
            CASE count(sm)
                WHEN 1 THEN printf('GPU %d: %.0f %%', max(number) FILTER (WHERE sm IS NOT NULL), max(sm))
                ELSE printf('%d GPUs: %.0f .. %.0f %%, mean %.1f %%', count(sm), min(sm), max(sm), avg(sm))
            END,
            NULL
        FROM gpu_sample
        WHERE sm IS NOT NULL
        GROUP BY ts_ns
        UNION ALL
        SELECT
            'CPU sample', s.ts_ns, s.ts_ns - coalesce(max(s.dur_ns), 0), max(s.dur_ns), -abs(s.ts_ns - (SELECT at_ns FROM win)), 'cpu' || coalesce(' of ' || c.host, ''),
            rtrim(
                coalesce(max(printf('usr %.1f %%, ', s.value)) FILTER (WHERE s.name = 'cpu.usr'), '')
                || coalesce(max(printf('sys %.1f %%, ', s.value)) FILTER (WHERE s.name = 'cpu.sys'), '')
                || coalesce(max(printf('iowait %.1f %%, ', s.value)) FILTER (WHERE s.name = 'cpu.iowait'), '')
                || coalesce(max(printf('idle %.1f %%', s.value)) FILTER (WHERE s.name = 'cpu.idle'), ''), ', '
            ),
            NULL
        FROM near_sample AS s
        JOIN cpu_source AS c ON c.source_id = s.source_id
        WHERE s.name <> 'gpu.sm' AND s.value IS NOT NULL
        GROUP BY s.ts_ns, c.source_id
        UNION ALL
        SELECT 'process', e.id, e.ts_ns, NULL, -abs(e.ts_ns - w.at_ns), e.what, e.command_line, NULL
        FROM win AS w
        JOIN (
            SELECT id, start_ns AS ts_ns, 'began' AS what, command_line FROM process
            UNION ALL
            SELECT
                id, end_ns,
                CASE WHEN exit_status < 0 THEN 'ended by signal ' || -exit_status ELSE 'ended' || coalesce(', status ' || exit_status, '') END,
                command_line
            FROM process
        ) AS e ON e.ts_ns >= w.start_ns AND e.ts_ns < w.end_ns
        WHERE :pid IS NULL AND :process IS NULL OR e.id IN who
        UNION ALL
        SELECT 'mark', m.id, m.ts_ns, NULL, -abs(m.ts_ns - w.at_ns), n.text, a.text, NULL
        FROM win AS w
        CROSS JOIN mark AS m
        JOIN string AS n ON n.id = m.name_id
        LEFT JOIN string AS a ON a.id = m.args_id
        WHERE m.ts_ns >= w.start_ns AND m.ts_ns < w.end_ns AND n.text <> '[memory]' -- a profiler marks each allocation
        UNION ALL
        SELECT 'loss', l.id, l.start_ns, l.dur_ns, l.lost, l.name, printf('%d of %d events', l.lost, l.generated), NULL
        FROM win AS w
        CROSS JOIN loss AS l
        WHERE l.lost > 0 AND l.start_ns < w.end_ns AND l.start_ns + l.dur_ns > w.start_ns
    ),
    chosen AS MATERIALIZED (
        SELECT place, id, start_ns, dur_ns, what, detail, among
        FROM (
            SELECT
                place, id, start_ns, dur_ns, what, detail,
                coalesce(among, count(*) OVER (PARTITION BY place)) AS among,
                row_number() OVER (PARTITION BY place ORDER BY weight DESC, start_ns, id) AS rank
            FROM thing
        )
        WHERE rank <= coalesce(:each, 5) OR coalesce(:each, 5) < 0
        UNION ALL
        SELECT 'moment', 0, at_ns, NULL, NULL, NULL, NULL FROM win
    )
SELECT
    k.start_ns - (SELECT at_ns FROM win) AS from_ns,
    k.start_ns,
    k.dur_ns,
    k.place AS kind,
    coalesce(k.what, o.name, n.text) AS what,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    coalesce(k.detail, nullif(f.path, ''), nullif(f.name, ''), CASE WHEN f.id IS NOT NULL THEN '(no name)' END, d.name) AS detail,
    coalesce(c.done_bytes, b.bytes, g.bytes) AS bytes,
    k.among
FROM chosen AS k
LEFT JOIN call AS c ON k.place IN ('call', 'CUDA call') AND c.id = k.id
LEFT JOIN op AS o ON o.id = c.op_id
LEFT JOIN file AS f ON f.id = c.file_id
LEFT JOIN block_request AS b ON k.place = 'request' AND b.id = k.id
LEFT JOIN gpu_op AS g ON k.place = 'GPU work' AND g.id = k.id
LEFT JOIN string AS n ON n.id = g.name_id
LEFT JOIN device AS d ON d.id = coalesce(b.device_id, g.device_id)
LEFT JOIN process AS p ON p.id = coalesce(c.process_id, b.process_id, g.process_id, CASE k.place WHEN 'process' THEN k.id END)
ORDER BY k.start_ns, k.place, k.id;
