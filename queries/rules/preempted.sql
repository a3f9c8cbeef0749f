-- title: Processes are taken off their CPUs
-- level: warning
-- needs: process
-- uses: sched_slice
-- param: min_rate REAL 100 -- involuntary switches per second of CPU time that are reported
-- param: min_switches INTEGER 1000 -- and so many
-- columns: pid, process, role, switches, per_s, cpu_ns, saves_ns
-- column: process TEXT command name
-- column: switches count how often one of its threads was taken off a CPU although it had work
-- column: per_s REAL per second of CPU time
-- column: saves_ns dur_ns idle time of all GPUs, and not more than threads of the process waited for a CPU, for each: at most
-- loss: either saves_ns
-- loss: none switches, per_s, cpu_ns
-- order: p.involuntary_switches DESC, p.pid, p.id
-- finding: {process} ({pid}) was taken off its CPUs {switches} times in {cpu_ns} of CPU time, {per_s} times a second.
-- advice: More threads have work than there are CPUs: fewer loader workers, OMP_NUM_THREADS=1 in them, no other job on the machine; or a CPU limit of the container (cpu.max) is in the way.
-- unless: its priority is meant to be low (nice).
--
-- Of recordings. The three processes with most of them.
SELECT
    p.pid,
    p.name AS process,
    p.role,
    p.involuntary_switches AS switches,
    1e9 * p.involuntary_switches / (p.user_ns + p.system_ns) AS per_s,
    p.user_ns + p.system_ns AS cpu_ns,
    (
        SELECT min(
            sum(g.wall_ns - g.busy_min_ns),
            count(*) * (
                SELECT coalesce(sum(s.total_ns), 0)
                FROM thread AS t
                JOIN sched_stat AS s ON s.by = 'thread,state' AND s.thread_id = t.id
                WHERE t.process_id = p.id AND s.state_id IN (SELECT id FROM string WHERE text = 'runnable')
            )
        )
        FROM gpu_phase AS g
        WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
    ) AS saves_ns
FROM process AS p
WHERE p.involuntary_switches >= coalesce(:min_switches, 1000)
    AND 1e9 * p.involuntary_switches >= coalesce(:min_rate, 100) * (p.user_ns + p.system_ns)
ORDER BY p.involuntary_switches DESC, p.pid, p.id
LIMIT 3;
