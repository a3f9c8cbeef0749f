-- title: CPU time by process
-- group: processes
-- needs: process
-- filters: time, process, limit
-- param: start_ns ts_ns NULL -- only from this time on
-- param: end_ns ts_ns NULL -- only before this time
-- param: phase TEXT NULL -- only in this phase: 'epoch' (every one) or 'epoch 3'
-- columns: pid, process, role, basis, observed_ns, cpu_ns, user_ns, system_ns, cpu_pct, thread_pct, involuntary_switches
-- columns: voluntary_switches, max_rss_bytes
-- column: basis TEXT exact; of a time or phase 'whole life only': of that nothing is known, as no slices of its threads were recorded
-- column: observed_ns dur_ns for how long it was recorded; of a time or phase: how much of that it lived
-- column: cpu_ns dur_ns CPU time of all its threads meanwhile
-- column: user_ns dur_ns of that, in user space; NULL of a part of its life
-- column: system_ns dur_ns and in the kernel; NULL of a part of its life, as all from involuntary_switches on
-- column: cpu_pct percent CPU time as a share of observed_ns: 100 is one CPU all the time, several threads can have more
-- column: thread_pct percent CPU time of its busiest thread as a share of observed_ns: what is near 100 is bound by that thread
-- column: involuntary_switches count how often its threads were taken off a CPU although they had work
-- column: voluntary_switches count how often they left one to wait
-- keep: pid, cpu_ns, cpu_pct, thread_pct
-- shell: sched_slice
-- none: only recordings have the CPU time of processes: tracedb record
-- order: coalesce(cpu_ns, -1) DESC, p.pid, p.id
--
-- Of processes that were recorded. What a process did in a part of its life, slices of its threads tell (event set sched): each counts with what
-- of it lies in the time that is asked for. The times of whole lives are those of getrusage(): how much in all is exact, how it is divided into user
-- space and kernel comes from the kernel's ticks and means nothing for a few milliseconds. Waiting for a CPU is no CPU time:
-- many involuntary switches and a thread below 100 % are a machine with too few CPUs.
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
    life AS MATERIALIZED (
        SELECT
            p.id, coalesce(p.start_ns, r.start_ns) AS start_ns, coalesce(p.end_ns, r.end_ns) AS end_ns,
            EXISTS (
                SELECT 1 FROM period AS i
                WHERE i.start_ns <= coalesce(p.start_ns, r.start_ns, i.start_ns) AND i.end_ns >= coalesce(p.end_ns, r.end_ns, i.end_ns)
            ) AS is_whole
        FROM process AS p
        LEFT JOIN run AS r ON true
        WHERE p.observed_ns IS NOT NULL AND ((:pid IS NULL AND :process IS NULL) OR p.id IN who)
            AND EXISTS (
                SELECT 1 FROM period AS i
                WHERE i.start_ns < coalesce(p.end_ns, r.end_ns, i.end_ns) AND i.end_ns > coalesce(p.start_ns, r.start_ns, i.start_ns)
            )
    ),
    -- of parts of lives
    sliced AS MATERIALIZED (
        SELECT t.process_id, s.thread_id, coalesce(sum(s.during_ns) FILTER (WHERE st.text = 'running'), 0) AS ns
        FROM sched_stat AS s
        JOIN thread AS t ON t.id = s.thread_id
        JOIN string AS st ON st.id = s.state_id
        WHERE s.by = CASE WHEN EXISTS (SELECT 1 FROM life WHERE NOT is_whole) THEN 'thread,state' END
            AND s.during = (SELECT 'VALUES ' || group_concat(printf('(%d, %d)', start_ns, end_ns), ', ') FROM period WHERE end_ns > start_ns)
        GROUP BY s.thread_id
    ),
    ran AS MATERIALIZED (
        SELECT id AS process_id, NULL AS cpu_ns, (SELECT max(t.user_ns + t.system_ns) FROM thread AS t WHERE t.process_id = life.id) AS busiest_ns FROM life WHERE is_whole
        UNION ALL
        SELECT process_id, sum(ns), max(ns) FROM sliced WHERE process_id IN (SELECT id FROM life WHERE NOT is_whole) GROUP BY process_id
    ),
    used AS (
        SELECT
            l.id, l.is_whole,
            CASE WHEN l.is_whole OR r.process_id IS NOT NULL THEN 'exact' ELSE 'whole life only' END AS basis,
            CASE
                WHEN l.is_whole THEN p.observed_ns
                WHEN r.process_id IS NOT NULL THEN (SELECT sum(max(0, min(i.end_ns, l.end_ns) - max(i.start_ns, l.start_ns))) FROM period AS i)
            END AS observed_ns,
            CASE WHEN l.is_whole THEN p.user_ns + p.system_ns ELSE r.cpu_ns END AS cpu_ns,
            r.busiest_ns
        FROM life AS l
        JOIN process AS p ON p.id = l.id
        LEFT JOIN ran AS r ON r.process_id = l.id
    )
SELECT
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role, u.basis, u.observed_ns,
    u.cpu_ns AS cpu_ns,
    CASE WHEN u.is_whole THEN p.user_ns END AS user_ns,
    CASE WHEN u.is_whole THEN p.system_ns END AS system_ns,
    100.0 * u.cpu_ns / nullif(u.observed_ns, 0) AS cpu_pct,
    100.0 * u.busiest_ns / nullif(u.observed_ns, 0) AS thread_pct,
    CASE WHEN u.is_whole THEN p.involuntary_switches END AS involuntary_switches,
    CASE WHEN u.is_whole THEN p.voluntary_switches END AS voluntary_switches,
    CASE WHEN u.is_whole THEN p.max_rss_bytes END AS max_rss_bytes
FROM used AS u
JOIN process AS p ON p.id = u.id
ORDER BY coalesce(cpu_ns, -1) DESC, p.pid, p.id
LIMIT coalesce(:limit, -1);
