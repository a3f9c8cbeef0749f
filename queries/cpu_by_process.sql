-- title: CPU time by process
-- group: processes
-- needs: process
-- filters: process, limit
-- columns: pid, process, role, observed_ns, user_ns, system_ns, cpu_pct, thread_pct, involuntary_switches, voluntary_switches
-- columns: max_rss_bytes
-- column: user_ns dur_ns CPU time of all its threads in user space meanwhile
-- column: system_ns dur_ns CPU time of all its threads in the kernel meanwhile
-- column: cpu_pct percent CPU time as a share of observed_ns: 100 is one CPU all the time, several threads can have more
-- column: thread_pct percent CPU time of its busiest thread as a share of observed_ns: what is near 100 is bound by that thread
-- column: involuntary_switches count how often its threads were taken off a CPU although they had work
-- column: voluntary_switches count how often they left one to wait
-- order: coalesce(p.user_ns + p.system_ns, -1) DESC, p.pid, p.id
--
-- Of processes that were recorded. The times are those of getrusage(): how much in all is exact, how it is divided into user
-- space and kernel comes from the kernel's ticks and means nothing for a few milliseconds. Waiting for a CPU is no CPU time:
-- many involuntary switches and a thread below 100 % are a machine with too few CPUs.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE coalesce(:pid, :process) IS NOT NULL AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    busiest AS MATERIALIZED (SELECT process_id, max(user_ns + system_ns) AS ns FROM thread GROUP BY process_id)
SELECT
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role,
    p.observed_ns,
    p.user_ns,
    p.system_ns,
    100.0 * (p.user_ns + p.system_ns) / nullif(p.observed_ns, 0) AS cpu_pct,
    100.0 * b.ns / nullif(p.observed_ns, 0) AS thread_pct,
    p.involuntary_switches,
    p.voluntary_switches,
    p.max_rss_bytes
FROM process AS p
LEFT JOIN busiest AS b ON b.process_id = p.id
WHERE p.observed_ns IS NOT NULL
    AND ((:pid IS NULL AND :process IS NULL) OR p.id IN who)
ORDER BY coalesce(p.user_ns + p.system_ns, -1) DESC, p.pid, p.id
LIMIT coalesce(:limit, -1);
