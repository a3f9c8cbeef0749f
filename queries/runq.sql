-- title: How long threads waited for a CPU
-- group: processes
-- needs: sched_slice
-- filters: process, time
-- time: waits that begin
-- columns: low_ns, high_ns, waits, waits_pct, up_to_pct, total_ns, total_pct, threads, bar
-- column: waits count how often a thread waited so long from being ready to running
-- column: waits_pct percent share of all
-- column: threads count threads that waited so long
-- column: bar TEXT waits as a share of the largest bucket's, of which 40 are all
-- keep: low_ns, high_ns, waits, bar
-- loss: none low_ns, high_ns
-- loss: either up_to_pct
-- none: nothing that was traced tells how long threads waited for a CPU: tracedb record -e sched does
-- order: low_ns
--
-- A run queue that is short but for a few long waits is a matter of priorities or of a limit (cgroup cpu.max); one that is long throughout
-- is too few CPUs for what is to be done. report sched_sum says who waited.
WITH
    bucket AS (
        SELECT s.octave_ns AS low, sum(s.slices) AS waits, sum(s.total_ns) AS total, count(DISTINCT s.thread_id) AS threads
        FROM sched_stat AS s
        JOIN string AS st ON st.id = s.state_id
        WHERE by = 'thread,state,octave' AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
            AND st.text = 'runnable' AND s.octave_ns IS NOT NULL
        GROUP BY s.octave_ns
    )
SELECT
    low AS low_ns,
    CASE low WHEN 0 THEN 1 ELSE 2 * low END AS high_ns,
    waits,
    100.0 * waits / sum(waits) OVER () AS waits_pct,
    100.0 * sum(waits) OVER (ORDER BY low) / sum(waits) OVER () AS up_to_pct,
    total AS total_ns,
    100.0 * total / nullif(sum(total) OVER (), 0) AS total_pct,
    threads,
    substr('########################################', 1, 40 * waits / max(waits) OVER ()) AS bar
FROM bucket
ORDER BY low_ns;
