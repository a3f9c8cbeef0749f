-- title: A process was killed
-- level: critical
-- needs: process
-- param: all INTEGER 0 -- 1: also by signals that ask a process to end (SIGHUP, SIGINT, SIGPIPE, SIGTERM)
-- columns: level, pid, process, role, signal, sender, sender_pid, by_whom, end_ns, max_rss_bytes
-- column: level TEXT warning where another process of the run sent the signal
-- column: process TEXT command name
-- column: role TEXT what it did in the run
-- column: signal TEXT signal
-- column: sender TEXT who sent it, as far as a call of kill or a recording tells; 'kernel': memory was short, or the process did what it may not
-- column: sender_pid INTEGER process id of the sender
-- column: by_whom TEXT the same in words
-- column: end_ns ts_ns when
-- loss: none max_rss_bytes, sender_pid
-- order: k.end_ns, k.pid, k.id
-- finding: {process} ({pid}) was killed by {signal}[ at {end_ns}]{by_whom}.
-- advice: SIGKILL that nobody sent is the kernel's: out of memory (dmesg, memory.events of the control group): fewer workers, less prefetch, no copies of the data set in each. SIGSEGV, SIGBUS, SIGABRT: a crash; SIGBUS also where /dev/shm is full (docker run --shm-size).
-- unless: somebody killed it on purpose.
--
-- The first five. Who sent the signal: a mark of the recorder, else the last successful call of kill and the like before the end, whose
-- arguments are '10, SIGKILL' (strace), '10 SIGKILL' (recordings) or 'sig=9 pid=10' (killsnoop); '-10' is the group of process 10.
WITH
    signal (number, name, is_crash) AS (
        VALUES (1, 'SIGHUP', 0), (2, 'SIGINT', 0), (3, 'SIGQUIT', 1), (4, 'SIGILL', 1), (5, 'SIGTRAP', 1), (6, 'SIGABRT', 1), (7, 'SIGBUS', 1),
            (8, 'SIGFPE', 1), (9, 'SIGKILL', 1), (11, 'SIGSEGV', 1), (13, 'SIGPIPE', 0), (15, 'SIGTERM', 0), (24, 'SIGXCPU', 1), (25, 'SIGXFSZ', 1),
            (31, 'SIGSYS', 1)
    ),
    killed AS MATERIALIZED (
        SELECT p.id, p.pid, p.name, p.role, s.number, s.name AS signal, p.end_ns, p.max_rss_bytes
        FROM process AS p
        JOIN signal AS s ON s.number = -p.exit_status
        WHERE s.is_crash OR :all = 1
        ORDER BY p.end_ns, p.pid, p.id
        LIMIT 5
    ),
    -- call_block: the calls of these operations, each between the first of its process and the last, are in these blocks
    stretch AS MATERIALIZED (
        SELECT s.process_id, s.op_id,
            coalesce((SELECT b.first_id FROM call_block AS b WHERE b.start_ns <= s.first_ns ORDER BY b.start_ns DESC LIMIT 1), 0) AS first_id,
            (SELECT b.last_id FROM call_block AS b WHERE b.start_ns <= s.last_ns ORDER BY b.start_ns DESC LIMIT 1) AS last_id
        FROM (SELECT 1 FROM killed LIMIT 1)
        CROSS JOIN call_stat AS s
        WHERE s.by = 'process,op' AND s.op_id IN (SELECT id FROM op WHERE name IN ('kill', 'tkill', 'tgkill') AND layer = 'syscall')
    ),
    sent AS MATERIALIZED (
        SELECT c.id, c.start_ns, c.process_id, ' ' || replace(replace(a.text, ',', ''), '-', '') || ' ' AS args
        FROM stretch AS s
        CROSS JOIN call AS c ON c.id BETWEEN s.first_id AND s.last_id
        CROSS JOIN string AS a ON a.id = c.args_id
        WHERE +c.op_id = s.op_id AND +c.process_id IS s.process_id AND coalesce(c.ret >= 0, 1)
    ),
    told AS MATERIALIZED (
        SELECT k.id, m.ts_ns, m.id AS mark_id, n.text AS mark, a.text AS args
        FROM killed AS k
        JOIN mark AS m ON m.process_id = k.id
        JOIN string AS n ON n.id = m.name_id
        LEFT JOIN string AS a ON a.id = m.args_id
        WHERE n.text IN ('out-of-memory', 'oomkill') OR (n.text = 'signal' AND json_extract(a.text, '$.signal') = k.signal)
    ),
    found AS (
        SELECT
            k.*,
            (SELECT 1 FROM told AS t WHERE t.id = k.id AND t.mark <> 'signal') AS is_out,
            (SELECT t.args FROM told AS t WHERE t.id = k.id AND t.mark = 'signal' AND json_extract(t.args, '$.from') IS NOT NULL ORDER BY t.mark_id DESC LIMIT 1) AS told_by,
            (
                SELECT s.process_id
                FROM sent AS s
                WHERE (k.end_ns IS NULL OR s.start_ns <= k.end_ns)
                    AND (s.args LIKE '% ' || k.pid || ' %' AND s.args LIKE '% ' || k.signal || ' %' OR s.args = printf(' sig=%d pid=%d ', k.number, k.pid))
                ORDER BY s.id DESC
                LIMIT 1
            ) AS by_id
        FROM killed AS k
    ),
    who AS (
        SELECT
            f.*,
            CASE WHEN is_out THEN 'kernel' WHEN told_by IS NOT NULL THEN json_extract(told_by, '$.from') ELSE p.name END AS sender,
            CASE WHEN is_out THEN NULL WHEN told_by IS NOT NULL THEN json_extract(told_by, '$.from_pid') ELSE p.pid END AS sender_pid
        FROM found AS f
        LEFT JOIN process AS p ON p.id = f.by_id
    )
SELECT
    CASE WHEN k.sender_pid <> k.pid AND EXISTS (SELECT 1 FROM process AS p WHERE p.pid = k.sender_pid) THEN 'warning' ELSE 'critical' END AS level,
    k.pid,
    k.name AS process,
    k.role,
    k.signal,
    k.sender,
    k.sender_pid,
    CASE
        WHEN k.is_out THEN '; the kernel sent it, as memory was short'
        WHEN k.sender_pid = k.pid THEN '; it sent that itself'
        WHEN k.sender = 'kernel' THEN '; the kernel sent it'
        WHEN k.sender_pid IS NOT NULL THEN printf('; %s (%d) sent it', coalesce(k.sender, '?'), k.sender_pid)
        WHEN k.sender IS NOT NULL THEN '; it came from ' || k.sender
        ELSE ''
    END AS by_whom,
    k.end_ns,
    k.max_rss_bytes
FROM who AS k
ORDER BY k.end_ns, k.pid, k.id;
