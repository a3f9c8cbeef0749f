-- title: Overview
-- group: overview
-- needs: source
-- columns: section, item, value, detail, low, high, unit
-- column: section TEXT what it is about
-- column: item TEXT what
-- column: value TEXT how much
-- column: low REAL the value as a number, in the unit beside it; of a range its begin; NULL: at most high, or either way
-- column: high REAL the end of the range, the same number where there is none; NULL: at least low, or either way
-- column: unit TEXT 'ns', 'bytes', 'count' or 'percent'
-- numbers: low, high, unit
-- uses: segment
-- loss: none low, high
-- findings: 3
-- layout: page
-- order: place, rank, section, item
--
-- One line per answer; the other reports have the whole of each, and the same marks: >= where events are missing, <= where calls
-- count twice. Of a GPU that was only sampled a range is known, also of the three causes that its idle time is put down to most (gpu_idle has
-- all, stalls the longest stretches):
-- bounds, or (~) an estimate that holds in 95 of 100 cases; conflict is what two samplers say that contradict each other. More than
-- two GPUs are one line, with the least busy and the busiest of them (gpu_util has each).
WITH
    -- 12.3 GB, 4.56 s and the like
    unit (kind, factor, name) AS (
        VALUES ('b', 1, 'B'), ('b', 1000, 'kB'), ('b', 1000000, 'MB'), ('b', 1000000000, 'GB'), ('b', 1000000000000, 'TB'),
            ('t', 1, 'ns'), ('t', 1000, 'us'), ('t', 1000000, 'ms'), ('t', 1000000000, 's')
    ),
    missing AS MATERIALIZED (
        -- of calls, of their durations, of block requests
        SELECT
            CASE WHEN total(has_calls AND (lost_events > 0 OR unusable_lines > 0 OR is_cut)) > 0 THEN '>=' ELSE '' END AS of_some,
            CASE WHEN total(has_calls AND (lost_events > 0 OR unusable_lines > 0 OR is_cut OR wrapped > 0)) > 0 THEN '>=' ELSE '' END AS of_times,
            CASE WHEN total(has_blocks AND (lost_events > 0 OR unusable_lines > 0 OR is_cut)) > 0 THEN '>=' ELSE '' END AS of_blocks
        FROM source_loss
    ),
    moved AS MATERIALIZED (
        -- the same for sums over calls, which calls of two sources are in twice
        SELECT
            of_times,
            of_blocks,
            CASE WHEN NOT is_twice THEN of_some WHEN of_some = '' THEN '<=' ELSE '~' END AS of_calls,
            CASE WHEN NOT is_twice THEN of_times WHEN of_times = '' THEN '<=' ELSE '~' END AS of_sums,
            of_some || of_times || of_blocks <> '' AS is_lossy
        FROM missing, (SELECT EXISTS (SELECT 1 FROM issue_count WHERE kind = 'duplicate-calls') AS is_twice)
    ),
    gpu AS (
        SELECT
            d.id,
            d.number,
            coalesce(' of ' || d.host, '') AS host,
            count(*) OVER () <= 2 AS is_shown,
            g.basis,
            CASE g.basis WHEN 'estimate' THEN '~' ELSE '' END AS sign,
            (SELECT of_times FROM missing) AS least,
            g.wall_ns,
            g.busy_min_ns AS b0,
            g.busy_max_ns AS b1,
            CASE WHEN g.wall_ns >= doubt.ns THEN g.io_ns - g.io_both_max_ns END AS idle0,
            CASE WHEN g.wall_ns >= doubt.ns THEN g.io_ns - g.io_both_min_ns END AS idle1
        FROM gpu_phase AS g
        JOIN device AS d ON d.id = g.device_id
        CROSS JOIN (SELECT coalesce(max(error_ns), 0) AS ns FROM clock_doubt WHERE kind = 'events' AND against IN ('events', 'samples')) AS doubt
        WHERE g.label = '(run)' AND g.run_number IS NULL
    ),
    idle AS (
        -- over all GPUs: what each was put down to, as a range of the time for which they were observed
        SELECT
            i.cause,
            i.gpus,
            i.basis,
            m.is_lossy,
            i.idle_min_ns AS ns0,
            i.idle_max_ns AS ns1,
            i.wall_ns,
            row_number() OVER (ORDER BY i.idle_max_ns DESC, i.cause) AS rank
        FROM gpu_idle_run AS i
        CROSS JOIN moved AS m
        WHERE i.idle_max_ns > 0
    ),
    longest_stretch AS MATERIALIZED (
        SELECT *
        FROM (
            SELECT i.*, (i.start_ns - r.start_ns) / 1000000 AS at_ms, row_number() OVER (PARTITION BY i.cause ORDER BY i.idle_max_ns DESC, i.start_ns, i.device_id) AS place
            FROM gpu_idle_stretch AS i
            CROSS JOIN run AS r
        )
        WHERE place = 1
    ),
    looked AS MATERIALIZED (
        -- of a disk read the file that the process read then for longest
        SELECT r.file_id
        FROM longest_stretch AS s
        CROSS JOIN gpu_idle_read AS r ON s.cause = 'disk read' AND r.device_id = s.device_id AND r.start_ns = s.start_ns
        ORDER BY r.dur_ns DESC, r.call_id
        LIMIT 1
    ),
    stall AS MATERIALIZED (
        -- the longest stretch of each cause, with who was at it on what
        SELECT
            cause,
            'longest ' || CASE
                WHEN idle_max_ns < 1000000 THEN printf('%.2f us', idle_max_ns / 1e3)
                WHEN idle_max_ns < 10000000 THEN printf('%.2f ms', idle_max_ns / 1e6)
                ELSE printf('%.2f s', idle_max_ns / 1e9)
            END || ' at '
            -- as --filter-time takes it
            || CASE
                WHEN at_ms < 60000 THEN printf('%d.%03ds', at_ms / 1000, at_ms % 1000)
                WHEN at_ms < 3600000 THEN printf('%dm%02d.%03ds', at_ms / 60000, at_ms / 1000 % 60, at_ms % 1000)
                ELSE printf('%dh%02dm%02d.%03ds', at_ms / 3600000, at_ms / 60000 % 60, at_ms / 1000 % 60, at_ms % 1000)
            END
            || coalesce(': ' || p.pid || coalesce(' ' || p.name, ''), '') || coalesce(', ' || nullif(coalesce(f.path, f.name), ''), '') AS text
        FROM longest_stretch AS s
        LEFT JOIN process AS p ON p.id = s.process_id
        LEFT JOIN file AS f ON f.id = coalesce(s.file_id, CASE s.cause WHEN 'disk read' THEN (SELECT file_id FROM looked) END)
    ),
    recorded AS MATERIALIZED (
        -- what a recorder says of itself
        SELECT a.text ->> 'command' AS command, a.text ->> 'kernel' AS kernel, a.text ->> 'cpus' AS cpus, m.id
        FROM mark AS m
        JOIN string AS n ON n.id = m.name_id AND n.text = 'record-start'
        JOIN string AS a ON a.id = m.args_id
        WHERE json_valid(a.text)
    ),
    told (rank, item, value, detail) AS (
        SELECT 1, 'command', command, CASE WHEN count(*) > 1 THEN 'the first of ' || count(*) END FROM (SELECT * FROM recorded ORDER BY id) WHERE command IS NOT NULL
        UNION ALL
        SELECT 2, 'machine', group_concat(host, ', '), (SELECT 'Linux ' || kernel || ', ' || cpus || ' CPUs' FROM recorded ORDER BY id LIMIT 1)
        FROM (SELECT DISTINCT host FROM source WHERE host IS NOT NULL ORDER BY host)
        UNION ALL
        SELECT 3, 'GPUs', group_concat(n || ' x ' || model, ', '), NULL
        FROM (
            SELECT substr(key, instr(key, ': ') + 2) AS model, count(DISTINCT key) AS n
            FROM summary
            WHERE name = 'gpu.memory' AND key GLOB 'GPU [0-9]*: ?*'
            GROUP BY 1
            ORDER BY 1
        )
    ),
    -- reading these is waiting for somebody; what has no name is nearly always one of them
    waiting (class) AS (VALUES ('pipe'), ('socket'), ('eventfd'), ('anon-inode'), ('terminal'), ('unnamed')),
    io AS MATERIALIZED (
        SELECT process_id, verb, sum(calls) AS calls, sum(done_bytes) AS done_bytes, sum(total_ns) AS total_ns
        FROM io_stat
        WHERE by = 'class,process,verb' AND coalesce(class, '') NOT IN (SELECT class FROM waiting)
        GROUP BY process_id, verb
    ),
    -- what has times; only an order, all of it?
    timed AS MATERIALIZED (
        SELECT count(*) AS sources, coalesce(min(id IN (SELECT source_id FROM issue_count WHERE kind = 'no-time-stamps')), 0) AS is_order
        FROM source
        WHERE first_ns IS NOT NULL
    ),
    fact (place, section, rank, item, number, kind, mark, detail) AS (
        SELECT 1, 'run', 4, 'duration', CASE WHEN NOT is_order THEN end_ns - start_ns END, 't', '',
            CASE
                WHEN is_order THEN 'only the order of what happened is known'
                WHEN end_ns IS NULL THEN 'nothing has a time'
                WHEN start_ns >= 100000000000000000 THEN
                    strftime('%Y-%m-%d %H:%M:%S', start_ns / 1000000000, 'unixepoch') || ' UTC to '
                    || strftime('%Y-%m-%d %H:%M:%S', end_ns / 1000000000, 'unixepoch') || ' UTC'
                -- no source tells the date
                ELSE printf('%d:%02d:%02d', start_ns / 3600000000000, start_ns / 60000000000 % 60, start_ns / 1000000000 % 60) || ' to '
                    || printf('%d:%02d:%02d', end_ns / 3600000000000, end_ns / 60000000000 % 60, end_ns / 1000000000 % 60)
                    || (
                        SELECT CASE
                            WHEN sum(clock IN ('local', 'local-tod') OR clock_offset_ns <> 0) THEN ' of an unknown day'
                            WHEN sum(clock = 'boot') THEN ' since boot'
                            ELSE ' since the begin'
                        END
                        FROM source
                        WHERE first_ns IS NOT NULL
                    )
            END
        FROM run, timed
        UNION ALL
        SELECT 1, 'run', 5, 'sources', count(*), 'n', '',
            sum(importer IS NOT NULL) || ' read, ' || sum(state = 'unrecognised') || ' not recognised, ' || sum(state IN ('cut', 'failed')) || ' cut or unreadable'
        FROM source
        UNION ALL
        SELECT 1, 'run', 6, 'runs of the training program', count(*), 'n', '',
            group_concat(run_number || CASE WHEN start_ns >= 100000000000000000 THEN strftime(' began %Y-%m-%d %H:%M:%S UTC', start_ns / 1000000000, 'unixepoch') ELSE '' END, ', ')
        FROM (SELECT run_number, start_ns FROM training_runs ORDER BY run_number)
        HAVING count(*) > 1
        UNION ALL
        SELECT 3, 'trust', 1, 'events lost by the tracers', sum(lost_events), 'n', '', CASE WHEN sum(lost_events) > 0 THEN 'totals are lower bounds' END
        FROM source
        UNION ALL
        SELECT 3, 'trust', 2, 'lines not usable', sum(issues), 'n', '', printf('of %,d; %,d repaired', sum(lines), sum(repaired))
        FROM source
        UNION ALL
        SELECT 3, 'trust', 3, 'largest clock error', max(clock_error_ns), 't', '', (SELECT group_concat(path, ', ') FROM (SELECT path FROM source AS x WHERE x.clock_error_ns = (SELECT max(clock_error_ns) FROM source) ORDER BY path LIMIT 3))
        FROM source
        WHERE clock IS NOT NULL
        HAVING max(clock_error_ns) IS NOT NULL
        UNION ALL
        SELECT 3, 'trust', 4, 'sources not on the common clock', count(*), 'n', '', group_concat(path, ', ')
        FROM source
        -- one alone has nothing that it could be off from
        WHERE clock IS NOT NULL AND clock_error_ns IS NULL AND (SELECT sources FROM timed) > 1
        HAVING count(*) > 0
        UNION ALL
        SELECT 4, 'phases', min(start_ns), name, sum(end_ns - start_ns) / count(end_ns), 't', '',
            CASE
                WHEN count(end_ns) = 0 THEN count(*) || ' unfinished'
                WHEN count(*) > 1 THEN 'mean of ' || count(end_ns) || CASE WHEN count(end_ns) < count(*) THEN ', ' || (count(*) - count(end_ns)) || ' unfinished' ELSE '' END
            END
        FROM (
            -- what several ranks logged is one phase: by its number, without one where they overlap
            SELECT name, min(start_ns) AS start_ns, CASE WHEN count(*) = count(dur_ns) THEN max(end_ns) END AS end_ns
            FROM phases
            GROUP BY name, number, coalesce(run_number, 1), occurrence
        )
        GROUP BY name
        UNION ALL
        SELECT 5, 'I/O calls', CASE verb WHEN 'open' THEN 1 WHEN 'read' THEN 2 ELSE 3 END, verb || 's', calls, 'n', m.of_calls, NULL
        FROM (SELECT verb, sum(calls) AS calls FROM io WHERE verb IN ('open', 'read', 'write') GROUP BY verb), moved AS m
        UNION ALL
        SELECT 5, 'I/O calls', CASE verb WHEN 'read' THEN 4 ELSE 5 END, 'bytes ' || CASE verb WHEN 'read' THEN 'read' ELSE 'written' END, bytes, 'b', m.of_calls, NULL
        FROM (SELECT verb, sum(done_bytes) AS bytes FROM io WHERE verb IN ('read', 'write') GROUP BY verb), moved AS m
        UNION ALL
        SELECT 5, 'I/O calls', 6, 'time with I/O in progress', sum(io_ns), 't', m.of_times, printf('%s%.1f %% of the run', m.of_times, 100.0 * sum(io_ns) / sum(dur_ns))
        FROM segment, moved AS m
        HAVING sum(io_ns) IS NOT NULL
        UNION ALL
        SELECT 6, 'busiest files', rank, coalesce(path, nullif(name, ''), '(no name)'), total_ns, 't', m.of_sums, NULL
        FROM moved AS m, (
            SELECT row_number() OVER (ORDER BY t.total_ns DESC, t.file_id) AS rank, f.path, f.name, t.total_ns
            FROM top_file AS t
            JOIN file AS f ON f.id = t.file_id
            WHERE t.waits = 0
        )
        WHERE rank <= 3
        UNION ALL
        SELECT 7, 'busiest processes', rank, pid || coalesce(' ' || name, '') || coalesce(' on ' || host, ''), total_ns, 't', m.of_sums, role
        FROM moved AS m, (
            SELECT row_number() OVER (ORDER BY sum(s.total_ns) DESC, p.id) AS rank, p.pid, p.name, p.host, p.role, sum(s.total_ns) AS total_ns
            FROM io AS s
            JOIN process AS p ON p.id = s.process_id
            WHERE s.verb <> 'socket'
            GROUP BY p.id
            HAVING sum(s.total_ns) IS NOT NULL
        )
        WHERE rank <= 3
        UNION ALL
        SELECT 7, 'CPU time', 100 + rank, pid || coalesce(' ' || name, ''), cpu_ns, 't', m.of_times, printf('%.1f %% of one CPU', 100.0 * cpu_ns / observed_ns)
        FROM moved AS m, (
            SELECT row_number() OVER (ORDER BY user_ns + system_ns DESC, id) AS rank, pid, name, user_ns + system_ns AS cpu_ns, nullif(observed_ns, 0) AS observed_ns
            FROM process
            WHERE user_ns + system_ns > 0
        )
        WHERE rank <= 3
        UNION ALL
        SELECT 8, 'block I/O', op + 1, CASE op WHEN 0 THEN 'read from disk' WHEN 1 THEN 'written to disk' ELSE 'other' END, sum(bytes), 'b', m.of_blocks, printf('%s%,d request%s', m.of_blocks, count(*), iif(count(*) = 1, '', 's'))
        FROM block_request, moved AS m
        GROUP BY op
    ),
    device_line AS (
        -- one or two GPUs each, more of them together
        SELECT
            iif(is_shown, 'GPU ' || number || host, 'GPUs') AS section, iif(is_shown, number, 0) AS number, count(*) AS gpus,
            CASE WHEN max(basis = 'conflict') THEN 'conflict' WHEN max(basis = 'estimate') THEN 'estimate' WHEN max(basis = 'bounds') THEN 'bounds' ELSE 'exact' END AS basis,
            max(sign) AS sign, max(least) AS least, sum(wall_ns) AS wall_ns, sum(b0) AS b0, sum(b1) AS b1,
            CASE WHEN count(idle0) = count(*) THEN sum(idle0) END AS idle0, CASE WHEN count(idle1) = count(*) THEN sum(idle1) END AS idle1,
            min(100.0 * b0 / wall_ns) AS least0, min(100.0 * b1 / wall_ns) AS least1, max(100.0 * b0 / wall_ns) AS most0, max(100.0 * b1 / wall_ns) AS most1
        FROM gpu
        GROUP BY iif(is_shown, id, NULL)
    ),
    -- Times of the details, in the units in which all are shown. Each name of a common table here is another copy of all that is below it, which takes SQLite
    -- longer to read than the rows take.
    said (ns, text) AS MATERIALIZED (
        SELECT ns, CASE
            WHEN ns BETWEEN 1 AND 999999 THEN printf('%.2f us', ns / 1e3)
            WHEN ns BETWEEN 1000000 AND 99999999 THEN printf('%.2f ms', ns / 1e6)
            WHEN abs(ns) < 60000000000 THEN printf('%.1f s', ns / 1e9)
            WHEN abs(ns) < 3600000000000 THEN printf('%dm%02ds', ns / 60000000000, abs(ns) / 1000000000 % 60)
            ELSE printf('%dh%02dm', ns / 3600000000000, abs(ns) / 60000000000 % 60)
        END
        FROM (
            SELECT DISTINCT CASE n.column1 WHEN 0 THEN a WHEN 1 THEN b ELSE c END AS ns
            FROM (
                SELECT wall_ns / gpus AS a, idle0 AS b, idle1 AS c FROM device_line
                UNION ALL SELECT ns0, ns1, NULL FROM idle
                UNION ALL SELECT wall_ns, NULL, NULL FROM cpu_phase WHERE label = '(run)' AND run_number IS NULL
            )
            CROSS JOIN (VALUES (0), (1), (2)) AS n
        )
    ),
    line (place, section, rank, item, value, detail, low, high, unit) AS (
        SELECT 1, 'run', rank, item, value, detail, NULL, NULL, NULL
        FROM told
        WHERE value IS NOT NULL
        UNION ALL
        SELECT
            place, section, rank, item,
            mark || CASE kind
                WHEN 't' THEN CASE
                    WHEN number IS NULL THEN NULL
                    WHEN number < 60000000000 THEN (SELECT printf(iif(u.factor = 1, '%.0f %s', '%.2f %s'), 1.0 * f.number / u.factor, u.name)
                        FROM unit AS u WHERE u.kind = 't' AND (u.factor <= f.number OR u.factor = 1) ORDER BY u.factor DESC LIMIT 1)
                    WHEN number < 3600000000000 THEN printf('%dm%02ds', number / 60000000000, number / 1000000000 % 60)
                    WHEN number < 86400000000000 THEN printf('%dh%02dm', number / 3600000000000, number / 60000000000 % 60)
                    ELSE printf('%dd%02dh', number / 86400000000000, number / 3600000000000 % 24)
                END
                WHEN 'n' THEN CASE WHEN number IS NOT NULL THEN printf('%,d', number) END
                ELSE (SELECT CASE WHEN f.number IS NULL THEN NULL WHEN u.factor = 1 THEN printf('%d %s', f.number, u.name) ELSE printf('%.2f %s', 1.0 * f.number / u.factor, u.name) END
                    FROM unit AS u WHERE u.kind = f.kind AND (u.factor <= f.number OR u.factor = 1) ORDER BY u.factor DESC LIMIT 1)
            END,
            detail,
            CASE WHEN mark IN ('', '>=') THEN number END,
            CASE WHEN mark IN ('', '<=') THEN number END,
            CASE kind WHEN 'n' THEN 'count' WHEN 'b' THEN 'bytes' ELSE 'ns' END
        FROM fact AS f
        UNION ALL
        SELECT 2, section, 10 * number + 1, 'busy',
            CASE WHEN basis = 'exact' THEN printf('%.1f %%', 100.0 * b0 / wall_ns) ELSE printf('%s%.1f .. %.1f %%', sign, 100.0 * b0 / wall_ns, 100.0 * b1 / wall_ns) END,
            printf('%s, observed for %s', basis, (SELECT text FROM said WHERE ns = wall_ns / gpus))
            || CASE
                WHEN gpus = 1 THEN ''
                WHEN basis = 'exact' THEN printf(', mean of %d: from %.1f %% to %.1f %%', gpus, least0, most0)
                ELSE printf(', mean of %d: the least busy %.1f .. %.1f %%, the busiest %.1f .. %.1f %%', gpus, least0, least1, most0, most1)
            END,
            100.0 * b0 / wall_ns, 100.0 * b1 / wall_ns, 'percent'
        FROM device_line
        UNION ALL
        SELECT 2, section, 10 * number + 2, 'idle while I/O was in progress',
            CASE WHEN basis = 'exact' THEN printf('%s%.1f %%', least, 100.0 * idle0 / wall_ns)
                ELSE printf('%s%s%.1f .. %.1f %%', sign, least, 100.0 * idle0 / wall_ns, 100.0 * idle1 / wall_ns) END,
            printf('%s, %s%s%s', basis, sign, least, (SELECT text FROM said WHERE ns = idle0))
            || iif(basis = 'exact', '', ' .. ' || (SELECT text FROM said WHERE ns = idle1))
            || CASE WHEN gpus > 1 THEN ' of ' || gpus || ' GPUs' ELSE '' END,
            100.0 * idle0 / wall_ns, CASE WHEN least = '' THEN 100.0 * idle1 / wall_ns END, 'percent'
        FROM device_line
        WHERE idle0 IS NOT NULL
        UNION ALL
        SELECT 2, 'GPU idle', 1000000 + rank, cause,
            CASE WHEN ns0 = ns1 THEN printf('%s%.1f %%', mark, 100.0 * ns0 / wall_ns) ELSE printf('%s%.1f .. %.1f %%', mark, 100.0 * ns0 / wall_ns, 100.0 * ns1 / wall_ns) END,
            printf('%s, %s%s', basis, mark, (SELECT text FROM said WHERE ns = ns0)) || iif(ns0 = ns1, '', ' .. ' || (SELECT text FROM said WHERE ns = ns1))
            || CASE WHEN gpus > 1 THEN ' of ' || gpus || ' GPUs' ELSE '' END || coalesce('; ' || (SELECT text FROM stall AS l WHERE l.cause = i.cause), ''),
            100.0 * ns0 / wall_ns, 100.0 * ns1 / wall_ns, 'percent'
        FROM (SELECT *, CASE WHEN is_lossy OR basis = 'estimate' THEN '~' ELSE '' END AS mark FROM idle) AS i
        WHERE rank <= 3
        UNION ALL
        SELECT 9, 'CPU' || CASE WHEN count(*) OVER () > 1 THEN ' of ' || coalesce(host, 'an unknown machine') ELSE '' END, 1, 'busy', printf('%.1f .. %.1f %%', 100.0 * busy_min_ns / wall_ns, 100.0 * busy_max_ns / wall_ns),
            printf('bounds, observed for %s', (SELECT text FROM said WHERE ns = wall_ns))
            || CASE WHEN iowait_min_ns IS NULL THEN '' ELSE printf(', waiting for I/O %.1f .. %.1f %%', 100.0 * iowait_min_ns / wall_ns, 100.0 * iowait_max_ns / wall_ns) END,
            100.0 * busy_min_ns / wall_ns, 100.0 * busy_max_ns / wall_ns, 'percent'
        FROM cpu_phase
        WHERE label = '(run)' AND run_number IS NULL
    )
SELECT section, item, value, detail, low, high, unit
FROM line
ORDER BY place, rank, section, item;
