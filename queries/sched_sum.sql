-- title: Where threads spend their time: on a CPU, waiting for one, sleeping, blocked
-- group: processes
-- needs: sched_slice
-- param: by process|thread process -- what a row is
-- filters: process, time, limit
-- time: slices that begin
-- columns: pid, tid, name, role, running_ns, running_pct, runnable_ns, runnable_pct, runnable_max_ns, blocked_ns, blocked_on
-- columns: sleeping_ns, sleeping_on, switches
-- column: tid INTEGER thread id; NULL by process
-- column: name TEXT command name, of a thread its own, and the machine where there are several
-- column: running_ns dur_ns on a CPU
-- column: running_pct percent share of all that is known of it
-- column: runnable_ns dur_ns waiting for a CPU
-- column: runnable_pct percent share
-- column: runnable_max_ns dur_ns the longest wait for a CPU
-- column: blocked_ns dur_ns blocked: waiting for a disk, or in the kernel for what cannot be interrupted
-- column: blocked_on TEXT system call in which it was blocked longest
-- column: sleeping_ns dur_ns sleeping: waiting for somebody, a timer, a lock
-- column: sleeping_on TEXT system call in which it slept longest
-- loss: none blocked_on, sleeping_on
-- order: running_ns DESC, runnable_ns DESC, pid, tid, x.id
--
-- Sums over the threads of a process. A thread that waits for a CPU has work, and too few CPUs, or another one that is preferred, keep it
-- from it; a data loader that sleeps has nothing to do, or waits for a queue that is full. Slices belong to the time in which they begin.
WITH
    owned AS MATERIALIZED (
        SELECT
            s.thread_id, t.process_id, iif(:by = 'thread', s.thread_id, t.process_id) AS id,
            st.text AS state, s.reason_id, s.slices, s.total_ns AS ns, s.max_ns
        FROM sched_stat AS s
        JOIN string AS st ON st.id = s.state_id
        LEFT JOIN thread AS t ON t.id = s.thread_id
        WHERE by = 'thread,state,reason' AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    ),
    reason AS MATERIALIZED (
        SELECT id, state, reason_id, row_number() OVER (PARTITION BY id, state ORDER BY sum(ns) DESC, reason_id) AS place
        FROM owned
        WHERE reason_id IS NOT NULL AND state IN ('blocked', 'sleeping')
        GROUP BY id, state, reason_id
    ),
    x AS (
        SELECT
            id, min(thread_id) AS thread_id, min(process_id) AS process_id,
            sum(ns) AS all_ns,
            coalesce(sum(ns) FILTER (WHERE state = 'running'), 0) AS running_ns,
            coalesce(sum(ns) FILTER (WHERE state = 'runnable'), 0) AS runnable_ns,
            max(max_ns) FILTER (WHERE state = 'runnable') AS runnable_max_ns,
            coalesce(sum(ns) FILTER (WHERE state = 'blocked'), 0) AS blocked_ns,
            coalesce(sum(ns) FILTER (WHERE state = 'sleeping'), 0) AS sleeping_ns,
            coalesce(sum(slices) FILTER (WHERE state = 'running'), 0) AS switches
        FROM owned
        GROUP BY id
    )
SELECT
    p.pid,
    CASE WHEN :by = 'thread' THEN t.tid END AS tid,
    coalesce(CASE WHEN :by = 'thread' THEN t.name END, p.name) || coalesce(' on ' || p.host, '') AS name,
    p.role,
    x.running_ns,
    100.0 * x.running_ns / nullif(x.all_ns, 0) AS running_pct,
    x.runnable_ns,
    100.0 * x.runnable_ns / nullif(x.all_ns, 0) AS runnable_pct,
    x.runnable_max_ns,
    x.blocked_ns,
    (SELECT r.text FROM reason AS w JOIN string AS r ON r.id = w.reason_id WHERE w.id IS x.id AND w.state = 'blocked' AND w.place = 1) AS blocked_on,
    x.sleeping_ns,
    (SELECT r.text FROM reason AS w JOIN string AS r ON r.id = w.reason_id WHERE w.id IS x.id AND w.state = 'sleeping' AND w.place = 1) AS sleeping_on,
    x.switches
FROM x
LEFT JOIN process AS p ON p.id = x.process_id
LEFT JOIN thread AS t ON t.id = x.thread_id
ORDER BY running_ns DESC, runnable_ns DESC, pid, tid, x.id
LIMIT coalesce(:limit, -1);
