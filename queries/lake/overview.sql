-- What happened in each run, as numbers: 'tracedb report overview', but for the lines that are text.
WITH
    -- what of a source can be missing: calls, block requests
    held AS (
        SELECT
            s.run AS run,
            CASE
                WHEN s.importer IN ('dlio', 'dlio-json', 'iostat', 'iostat-json', 'mllog', 'mpstat', 'mpstat-json', 'nvidia-query', 'nvidia-smi', 'ps') THEN 'none'
                WHEN s.importer IN ('perf-trace', 'strace') THEN 'calls'
                WHEN s.importer IS NULL OR s.importer <> 'bpftrace' OR s.layout LIKE 'user:%' OR i.several > 0 THEN 'all'
                WHEN s.layout LIKE '%/bio%' THEN 'blocks'
                ELSE 'calls'
            END AS events,
            CASE WHEN s.lost_events > 0 OR s.issues > 0 OR s.state = 'cut' THEN 1 ELSE 0 END AS lossy,
            CASE WHEN i.wrapped > 0 THEN 1 ELSE 0 END AS wrapped,
            CASE WHEN i.twice > 0 THEN 1 ELSE 0 END AS twice
        FROM lake.source AS s
        LEFT JOIN (
            SELECT
                run, source_id,
                sum(CASE WHEN kind = 'several-layouts' THEN count ELSE 0 END) AS several,
                sum(CASE WHEN kind = 'wrapped-latency' THEN count ELSE 0 END) AS wrapped,
                sum(CASE WHEN kind = 'duplicate-calls' THEN 1 ELSE 0 END) AS twice
            FROM lake.issue_count
            GROUP BY run, source_id
        ) AS i ON i.run = s.run AND i.source_id = s.id
    ),
    -- 1: sums over calls, times of calls, sums over block requests lack some; calls are in twice
    moved AS (
        SELECT
            run,
            max(CASE WHEN events IN ('calls', 'all') THEN lossy ELSE 0 END) AS of_some,
            max(CASE WHEN events IN ('calls', 'all') THEN greatest(lossy, wrapped) ELSE 0 END) AS of_times,
            max(CASE WHEN events IN ('blocks', 'all') THEN lossy ELSE 0 END) AS of_blocks,
            max(twice) AS of_twice
        FROM held
        GROUP BY run
    ),
    clock AS (
        SELECT
            s.run AS run,
            CASE WHEN t.source_id IS NOT NULL THEN 'samples' WHEN l.source_id IS NOT NULL THEN 'phases' ELSE 'events' END AS kind,
            CASE WHEN t.source_id IS NOT NULL AND s.clock_error_ns <= 1000000000 THEN 0 ELSE s.clock_error_ns END AS error_ns
        FROM lake.source AS s
        LEFT JOIN (SELECT DISTINCT run, source_id FROM lake.track) AS t ON t.run = s.run AND t.source_id = s.id
        LEFT JOIN (SELECT DISTINCT run, source_id FROM lake.log_run) AS l ON l.run = s.run AND l.source_id = s.id
        WHERE s.first_ns IS NOT NULL AND s.clock_error_ns IS NOT NULL
    ),
    spread AS (
        SELECT
            run,
            count(CASE WHEN kind = 'events' THEN 1 END) AS events,
            min(CASE WHEN kind = 'events' THEN error_ns END) AS event_least,
            max(CASE WHEN kind = 'events' THEN error_ns END) AS event_most,
            min(CASE WHEN kind IN ('events', 'samples') THEN error_ns END) AS both_least,
            max(CASE WHEN kind IN ('events', 'samples') THEN error_ns END) AS both_most
        FROM clock
        GROUP BY run
    ),
    -- so far may events be from other events and from samples
    doubt AS (
        SELECT run, CASE WHEN events = 0 OR both_least = both_most THEN 0 ELSE both_most END AS ns
        FROM spread
    ),
    work AS (
        SELECT
            c.run AS run, c.verb AS verb, c.done_bytes AS done_bytes, c.dur_ns AS dur_ns, c.file_id AS file_id, c.process_id AS process_id,
            CASE WHEN coalesce(c.file_class, '') IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed') THEN 1 ELSE 0 END AS is_waiting
        FROM lake.call AS c
        WHERE c.nested = 0 AND c.kind = 'io'
    ),
    verb AS (
        SELECT run, verb, count(*) AS calls, sum(done_bytes) AS bytes
        FROM work
        WHERE verb IN ('open', 'read', 'write') AND is_waiting = 0
        GROUP BY run, verb
    ),
    file AS (
        SELECT
            w.run AS run, f.path AS path, f.name AS name, w.total_ns AS total_ns,
            CAST(row_number() OVER (PARTITION BY w.run ORDER BY w.total_ns DESC NULLS LAST, f.id) AS BIGINT) AS place
        FROM (SELECT run, file_id, sum(dur_ns) AS total_ns FROM work WHERE file_id IS NOT NULL GROUP BY run, file_id) AS w
        JOIN lake.file AS f ON f.run = w.run AND f.id = w.file_id
        WHERE f.class NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')
    ),
    process AS (
        SELECT
            w.run AS run, p.pid AS pid, p.name AS name, p.host AS host, w.total_ns AS total_ns,
            CAST(row_number() OVER (PARTITION BY w.run ORDER BY w.total_ns DESC NULLS LAST, p.id) AS BIGINT) AS place
        FROM (SELECT run, process_id, sum(dur_ns) AS total_ns FROM work WHERE process_id IS NOT NULL AND verb <> 'socket' AND is_waiting = 0 GROUP BY run, process_id) AS w
        JOIN lake.process AS p ON p.run = w.run AND p.id = w.process_id
    ),
    cpu_time AS (
        SELECT run, pid, name, user_ns + system_ns AS cpu_ns, CAST(row_number() OVER (PARTITION BY run ORDER BY user_ns + system_ns DESC, id) AS BIGINT) AS place
        FROM lake.process
        WHERE user_ns + system_ns > 0
    ),
    phase AS (
        SELECT run, name, min(begin_ns) AS begin_ns, sum(end_ns - begin_ns) AS total_ns, count(end_ns) AS ended
        FROM (
            -- what several ranks logged is one phase: by its number, without one where they overlap
            SELECT
                run, name, number, of_run, nth,
                min(start_ns) AS begin_ns,
                CASE WHEN count(*) = count(dur_ns) THEN max(start_ns + dur_ns) END AS end_ns
            FROM (
                SELECT run, name, number, of_run, start_ns, dur_ns, sum(is_new) OVER (PARTITION BY run, name, number, of_run ORDER BY start_ns, id) AS nth
                FROM (
                    SELECT
                        run, id, name, number, coalesce(run_number, 1) AS of_run, start_ns, dur_ns,
                        CASE WHEN number IS NULL AND start_ns >= max(start_ns + coalesce(dur_ns, 0)) OVER (PARTITION BY run, name, number, coalesce(run_number, 1) ORDER BY start_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) THEN 1 ELSE 0 END AS is_new
                    FROM lake.span
                    WHERE kind = 'phase'
                ) AS begun
            ) AS told
            GROUP BY run, name, number, of_run, nth
        ) AS one
        GROUP BY run, name
    ),
    gpu AS (
        SELECT
            g.run AS run, d.number AS number, coalesce(' of ' || d.host, '') AS host, m.of_times AS of_times, g.wall_ns AS wall_ns,
            g.busy_min_ns AS busy0, g.busy_max_ns AS busy1,
            CASE WHEN g.wall_ns >= coalesce(t.ns, 0) THEN g.io_ns - g.io_both_max_ns END AS idle0,
            CASE WHEN g.wall_ns >= coalesce(t.ns, 0) THEN g.io_ns - g.io_both_min_ns END AS idle1,
            count(*) OVER (PARTITION BY g.run) AS gpus
        FROM lake.gpu_phase AS g
        JOIN lake.device AS d ON d.run = g.run AND d.id = g.device_id
        JOIN moved AS m ON m.run = g.run
        LEFT JOIN doubt AS t ON t.run = g.run
        WHERE g.label = '(run)' AND g.run_number IS NULL
    ),
    -- one or two GPUs each, more of them together
    line AS (
        SELECT run, 'GPU ' || CAST(number AS VARCHAR(20)) || host AS section, 10 * number AS place, of_times, wall_ns, busy0, busy1, idle0, idle1
        FROM gpu
        WHERE gpus <= 2
        UNION ALL
        SELECT
            run, 'GPUs' AS section, 0 AS place, max(of_times) AS of_times, sum(wall_ns) AS wall_ns, sum(busy0) AS busy0, sum(busy1) AS busy1,
            CASE WHEN count(idle0) = count(*) THEN sum(idle0) END AS idle0, CASE WHEN count(idle1) = count(*) THEN sum(idle1) END AS idle1
        FROM gpu
        WHERE gpus > 2
        GROUP BY run
    ),
    cause AS (
        SELECT
            i.run AS run, i.cause AS cause, i.idle0 AS idle0, i.idle1 AS idle1, w.wall_ns AS wall_ns,
            CAST(row_number() OVER (PARTITION BY i.run ORDER BY i.idle1 DESC, i.cause) AS BIGINT) AS place
        FROM (
            SELECT i.run AS run, i.cause AS cause, sum(i.idle_min_ns) AS idle0, sum(i.idle_max_ns) AS idle1
            FROM lake.gpu_idle_part AS i
            JOIN lake.gpu_phase AS g ON g.run = i.run AND g.label = i.label AND g.device_id = i.device_id
            LEFT JOIN doubt AS t ON t.run = i.run
            WHERE i.label = '(run)' AND i.start_ns IS NULL AND i.run_number IS NULL AND g.start_ns IS NULL AND g.run_number IS NULL
                AND g.wall_ns >= coalesce(t.ns, 0)
            GROUP BY i.run, i.cause
        ) AS i
        JOIN (SELECT run, sum(wall_ns) AS wall_ns FROM lake.gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL GROUP BY run) AS w ON w.run = i.run
        WHERE i.idle1 > 0
    ),
    cpu AS (
        SELECT
            run, 1e2 * busy_min_ns / wall_ns AS low, 1e2 * busy_max_ns / wall_ns AS high,
            CASE WHEN count(*) OVER (PARTITION BY run) > 1 THEN 'CPU of ' || coalesce(host, 'an unknown machine') ELSE 'CPU' END AS section
        FROM lake.cpu_phase
        WHERE label = '(run)' AND run_number IS NULL
    ),
    -- numbers that are lower bounds where some are missing, upper bounds where some are in twice
    fact AS (
        SELECT run, 1 AS place, 1 AS rank, 'run' AS section, 'duration' AS item, 1e0 * (end_ns - start_ns) AS number, 'ns' AS unit, 0 AS lossy, 0 AS twice
        FROM lake.run
        -- of an order there is no duration
        WHERE run IN (
            SELECT s.run
            FROM lake.source AS s
            LEFT JOIN lake.issue_count AS i ON i.run = s.run AND i.source_id = s.id AND i.kind = 'no-time-stamps'
            WHERE s.first_ns IS NOT NULL AND i.source_id IS NULL
        )
        UNION ALL
        SELECT run, 1, 2, 'run', 'sources', 1e0 * count(*), 'count', 0, 0
        FROM lake.source
        GROUP BY run
        UNION ALL
        SELECT run, 1, 3, 'run', 'runs of the training program', 1e0 * count(DISTINCT run_number), 'count', 0, 0
        FROM lake.log_run
        GROUP BY run
        HAVING count(DISTINCT run_number) > 1
        UNION ALL
        SELECT run, 3, 1, 'trust', 'events lost by the tracers', 1e0 * sum(lost_events), 'count', 0, 0
        FROM lake.source
        GROUP BY run
        UNION ALL
        SELECT run, 3, 2, 'trust', 'lines not usable', 1e0 * sum(issues), 'count', 0, 0
        FROM lake.source
        GROUP BY run
        UNION ALL
        SELECT run, 3, 3, 'trust', 'largest clock error', 1e0 * max(clock_error_ns), 'ns', 0, 0
        FROM lake.source
        WHERE clock IS NOT NULL
        GROUP BY run
        HAVING count(clock_error_ns) > 0
        UNION ALL
        SELECT run, 3, 4, 'trust', 'sources not on the common clock', 1e0 * count(*), 'count', 0, 0
        FROM lake.source
        WHERE clock IS NOT NULL AND clock_error_ns IS NULL AND run IN (SELECT run FROM lake.source GROUP BY run HAVING count(first_ns) > 1)
        GROUP BY run
        UNION ALL
        -- as whole numbers are divided
        SELECT run, 4, begin_ns, 'phases', name, 1e0 * (total_ns - total_ns % ended) / ended, 'ns', 0, 0
        FROM phase
        WHERE ended > 0
        UNION ALL
        SELECT run, 4, begin_ns, 'phases', name, NULL, 'ns', 0, 0
        FROM phase
        WHERE ended = 0
        UNION ALL
        SELECT v.run, 5, CASE v.verb WHEN 'open' THEN 1 WHEN 'read' THEN 2 ELSE 3 END, 'I/O calls', v.verb || 's', 1e0 * v.calls, 'count', m.of_some, m.of_twice
        FROM verb AS v
        JOIN moved AS m ON m.run = v.run
        UNION ALL
        SELECT v.run, 5, CASE v.verb WHEN 'read' THEN 4 ELSE 5 END, 'I/O calls', CASE v.verb WHEN 'read' THEN 'bytes read' ELSE 'bytes written' END, 1e0 * v.bytes, 'bytes', m.of_some, m.of_twice
        FROM verb AS v
        JOIN moved AS m ON m.run = v.run
        WHERE v.verb IN ('read', 'write')
        UNION ALL
        SELECT s.run, 5, 6, 'I/O calls', 'time with I/O in progress', 1e0 * sum(s.io_ns), 'ns', max(m.of_times), 0
        FROM lake.segment AS s
        JOIN moved AS m ON m.run = s.run
        GROUP BY s.run
        HAVING count(s.io_ns) > 0
        UNION ALL
        SELECT f.run, 6, f.place, 'busiest files', coalesce(f.path, nullif(f.name, ''), '(no name)'), 1e0 * f.total_ns, 'ns', m.of_times, m.of_twice
        FROM file AS f
        JOIN moved AS m ON m.run = f.run
        WHERE f.place <= 3
        UNION ALL
        SELECT
            p.run, 7, p.place, 'busiest processes', CAST(p.pid AS VARCHAR(20)) || coalesce(' ' || p.name, '') || coalesce(' on ' || p.host, ''),
            1e0 * p.total_ns, 'ns', m.of_times, m.of_twice
        FROM process AS p
        JOIN moved AS m ON m.run = p.run
        WHERE p.place <= 3
        UNION ALL
        SELECT c.run, 7, 100 + c.place, 'CPU time', CAST(c.pid AS VARCHAR(20)) || coalesce(' ' || c.name, ''), 1e0 * c.cpu_ns, 'ns', m.of_times, 0
        FROM cpu_time AS c
        JOIN moved AS m ON m.run = c.run
        WHERE c.place <= 3
        UNION ALL
        SELECT b.run, 8, b.op + 1, 'block I/O', CASE b.op WHEN 0 THEN 'read from disk' WHEN 1 THEN 'written to disk' ELSE 'other' END, 1e0 * sum(b.bytes), 'bytes', max(m.of_blocks), 0
        FROM lake.block_request AS b
        JOIN moved AS m ON m.run = b.run
        GROUP BY b.run, b.op
    ),
    told AS (
        SELECT run, place, rank, section, item, CASE WHEN twice = 0 THEN number END AS low, CASE WHEN lossy = 0 THEN number END AS high, unit
        FROM fact
        UNION ALL
        SELECT run, 2, place + 1, section, 'busy', 1e2 * busy0 / wall_ns, 1e2 * busy1 / wall_ns, 'percent'
        FROM line
        UNION ALL
        SELECT run, 2, place + 2, section, 'idle while I/O was in progress', 1e2 * idle0 / wall_ns, CASE WHEN of_times = 0 THEN 1e2 * idle1 / wall_ns END, 'percent'
        FROM line
        WHERE idle0 IS NOT NULL
        UNION ALL
        SELECT run, 2, 1000000 + place, 'GPU idle', cause, 1e2 * idle0 / wall_ns, 1e2 * idle1 / wall_ns, 'percent'
        FROM cause
        WHERE place <= 3
        UNION ALL
        SELECT run, 9, 1, section, 'busy', low, high, 'percent'
        FROM cpu
    )
SELECT
    run,
    section,
    item,
    low,
    high,
    unit
FROM told
ORDER BY run, place, rank, section, item;
