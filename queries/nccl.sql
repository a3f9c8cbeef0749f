-- title: Collectives (NCCL)
-- group: gpu
-- needs: gpu_kernel
-- filters: time, process
-- time: kernels that start
-- columns: collective, gpu, host, pid, rank, kernels, total_ns, time_pct, mean_ns, max_ns, matched, last, late_ns, waited_ns, waited_pct, clock_error_ns
-- column: collective TEXT kernel of NCCL or RCCL, without its arguments
-- column: gpu INTEGER GPU index, as the process sees it
-- column: total_ns dur_ns sum of their durations, waiting for the other ranks included
-- column: matched count of the kernels: those of which the kernels of all other ranks are known; NULL: the clocks of the sources do not tell
-- column: waited_ns dur_ns in those that are matched, the time from its own begin to that of the last one's
-- column: waited_pct percent share of total_ns
-- column: clock_error_ns dur_ns where ranks are of several machines: times are by the clock of the first one, and what is between two of them is known to so much; NULL: nothing is moved
-- loss: either mean_ns, matched, last, late_ns, waited_ns
-- none: no kernel of NCCL or RCCL is among those that were traced
-- order: s.all_ns DESC, collective, rank, pid, gpu, d.host, s.device_id, s.process_id
--
-- A rank is a process with a GPU. The n-th kernel of a name of each rank are taken for one collective if all ranks have as many of
-- that name and if these kernels were on their GPUs at the same time, as they must have been where each rank waits for all: a broadcast's
-- sender does not, and what two groups of ranks do by the same name is not matched. One rank that is last most of the time has
-- more work, or slower: 'report gpu_gaps --gpu N' shows what it did. Where ranks are of several machines (import --host), times are moved to the clock of the first one (view
-- machine_clock), also when a time or phase is asked for; where nothing bounds how far clocks differ, nothing is matched.
WITH
    s AS MATERIALIZED (
        SELECT *, sum(total_ns) OVER (PARTITION BY of_id) AS all_ns
        FROM collective_stat
        WHERE since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    ),
    rank_of AS MATERIALIZED (SELECT process_id, rank FROM process_rank)
SELECT
    n.collective,
    d.number AS gpu, d.host,
    p.pid,
    coalesce(r.rank, s.rank) AS rank,
    s.kernels,
    s.total_ns,
    100.0 * s.total_ns / nullif(sum(s.total_ns) OVER (), 0) AS time_pct,
    1.0 * s.total_ns / nullif(s.timed, 0) AS mean_ns,
    s.max_ns,
    CASE WHEN s.clocks_agree THEN s.matched END AS matched,
    CASE WHEN s.clocks_agree AND s.matched > 0 THEN s.last END AS last,
    CASE WHEN s.clocks_agree AND s.last > 0 THEN s.late_ns END AS late_ns,
    CASE WHEN s.clocks_agree AND s.matched > 0 THEN s.waited_ns END AS waited_ns,
    CASE WHEN s.clocks_agree AND s.matched > 0 THEN 100.0 * s.waited_ns / nullif(s.total_ns, 0) END AS waited_pct,
    s.clock_error_ns
FROM s
JOIN collective_name AS n ON n.name_id = s.of_id
JOIN device AS d ON d.id = s.device_id
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN rank_of AS r ON r.process_id = s.process_id
ORDER BY s.all_ns DESC, collective, rank, pid, gpu, d.host, s.device_id, s.process_id;
