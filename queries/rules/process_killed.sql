-- title: A process was killed
-- level: critical
-- needs: process
-- param: all INTEGER 0 -- 1: also by signals that ask a process to end (SIGHUP, SIGINT, SIGPIPE, SIGTERM)
-- columns: pid, process, role, signal, end_ns, max_rss_bytes
-- column: process TEXT command name
-- column: role TEXT what it did in the run
-- column: signal TEXT signal
-- column: end_ns ts_ns when
-- loss: none max_rss_bytes
-- order: p.end_ns, p.pid, p.id
-- finding: {process} ({pid}) was killed by {signal} at {end_ns}.
-- advice: SIGKILL that nobody sent is the kernel's: out of memory (dmesg, memory.events of the control group): fewer workers, less prefetch, no copies of the data set in each. SIGSEGV, SIGBUS, SIGABRT: a crash; SIGBUS also where /dev/shm is full (docker run --shm-size).
-- unless: somebody killed it on purpose.
--
-- The first five.
WITH signal (number, name, is_crash) AS (
    VALUES (1, 'SIGHUP', 0), (2, 'SIGINT', 0), (3, 'SIGQUIT', 1), (4, 'SIGILL', 1), (5, 'SIGTRAP', 1), (6, 'SIGABRT', 1), (7, 'SIGBUS', 1),
        (8, 'SIGFPE', 1), (9, 'SIGKILL', 1), (11, 'SIGSEGV', 1), (13, 'SIGPIPE', 0), (15, 'SIGTERM', 0), (24, 'SIGXCPU', 1), (25, 'SIGXFSZ', 1),
        (31, 'SIGSYS', 1)
)
SELECT p.pid, p.name AS process, p.role, s.name AS signal, p.end_ns, p.max_rss_bytes
FROM process AS p
JOIN signal AS s ON s.number = -p.exit_status
WHERE s.is_crash OR :all = 1
ORDER BY p.end_ns, p.pid, p.id
LIMIT 5;
