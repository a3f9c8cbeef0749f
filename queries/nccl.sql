-- title: Collectives (NCCL)
-- group: gpu
-- needs: gpu_kernel
-- filters: time, process
-- time: kernels that start
-- columns: collective, gpu, pid, rank, kernels, total_ns, time_pct, mean_ns, max_ns, matched, last, late_ns, waited_ns, waited_pct, clock_error_ns
-- column: collective TEXT kernel of NCCL or RCCL, without its arguments
-- column: gpu INTEGER GPU index, as the process sees it
-- column: total_ns dur_ns sum of their durations, waiting for the other ranks included
-- column: matched count of the kernels: those of which the kernels of all other ranks are known; NULL: the clocks of the sources do not tell
-- column: waited_ns dur_ns in those that are matched, the time from its own begin to that of the last one's
-- column: waited_pct percent share of total_ns
-- column: clock_error_ns dur_ns where ranks are of several machines: times are by the clock of the first one, and what is between two of them is known to so much; NULL: nothing is moved
-- loss: either mean_ns, matched, last, late_ns, waited_ns
-- order: s.all_ns DESC, collective, rank, pid, gpu, s.device_id, s.process_id
--
-- A rank is a process with a GPU. The n-th kernel of a name of each rank are taken for one collective if all ranks have as many of
-- that name and if these kernels were on their GPUs at the same time, as they must have been where each rank waits for all: a broadcast's
-- sender does not, and what two groups of ranks do by the same name is not matched. One rank that is last most of the time has
-- more work, or slower: 'report gpu_gaps --gpu N' shows what it did. Where ranks are of several machines (import --host), times are moved to the clock of the first one (view
-- machine_clock), also when a time or phase is asked for; where nothing bounds how far clocks differ, nothing is matched.
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
    -- as C++ has it, or as the linker does where nobody could say
    named AS MATERIALIZED (
        -- of_id is the same for the same collective: what follows compares numbers
        SELECT id, collective, min(id) OVER (PARTITION BY collective) AS of_id
        FROM (
            SELECT id, CASE WHEN instr(text, '(') > 1 THEN substr(text, 1, instr(text, '(') - 1) ELSE text END AS collective
            FROM string
            WHERE text LIKE 'nccl%' OR text LIKE '\_Z__nccl%' ESCAPE '\'
        )
    ),
    clock_of AS MATERIALIZED (SELECT source_id, ahead_ns, error_ns FROM machine_clock),
    kernel AS MATERIALIZED (
        SELECT
            n.of_id, g.start_ns - coalesce(c.ahead_ns, 0) AS start_ns, c.error_ns, g.dur_ns, g.device_id, g.process_id, g.source_id,
            -- work of no process is of the one that its file is of
            CASE WHEN g.process_id IS NULL THEN o.rank END AS rank,
            row_number() OVER (PARTITION BY n.of_id, g.device_id, g.process_id, CASE WHEN g.process_id IS NULL THEN o.rank END ORDER BY g.start_ns, g.id) AS nth
        -- where nothing has such a name, no work is looked at
        FROM (SELECT 1 FROM named LIMIT 1)
        CROSS JOIN gpu_op AS g
        CROSS JOIN named AS n ON n.id = g.name_id
        JOIN source AS o ON o.id = g.source_id
        LEFT JOIN clock_of AS c ON c.source_id = g.source_id
        WHERE g.kind_id IN (SELECT id FROM string WHERE text = 'kernel')
    ),
    -- sources of one machine that are off by the same have the same clock
    clocks AS MATERIALIZED (
        SELECT count(*) = count(clock_error_ns) AND (min(clock_error_ns) = max(clock_error_ns) OR max(clock_error_ns) <= 1000) AND count(DISTINCT host) <= 1
            OR count(*) > 0 AND count(*) = count(c.source_id) OR count(*) = 1 AS agree
        FROM source AS s
        LEFT JOIN clock_of AS c ON c.source_id = s.id
        WHERE s.id IN (SELECT source_id FROM kernel)
    ),
    -- up to which one not all ranks that have it have as many
    alike AS MATERIALIZED (
        SELECT of_id, coalesce(max(n) FILTER (WHERE n < most), 0) AS from_nth
        FROM (
            SELECT of_id, max(nth) AS n, max(max(nth)) OVER (PARTITION BY of_id) AS most
            FROM kernel
            GROUP BY of_id, device_id, process_id, rank
        )
        GROUP BY of_id
    ),
    together AS MATERIALIZED (
        SELECT
            k.of_id, k.nth, min(k.start_ns) AS first_ns, max(k.start_ns) AS last_ns,
            count(*) > 1 AND k.nth > a.from_nth AND count(*) = count(k.dur_ns)
                AND max(k.start_ns) <= min(k.start_ns + k.dur_ns) + coalesce(max(k.error_ns), 0) AS matched
        FROM kernel AS k
        JOIN alike AS a ON a.of_id = k.of_id
        GROUP BY k.of_id, k.nth
    ),
    sums AS MATERIALIZED (
        SELECT
            k.of_id, k.device_id, k.process_id, k.rank,
            count(*) AS kernels,
            count(k.dur_ns) AS timed,
            sum(k.dur_ns) AS total_ns,
            max(k.dur_ns) AS max_ns,
            count(*) FILTER (WHERE t.matched) AS matched,
            count(*) FILTER (WHERE t.matched AND k.start_ns = t.last_ns) AS last,
            sum(k.start_ns - t.first_ns) FILTER (WHERE t.matched AND k.start_ns = t.last_ns) AS late_ns,
            sum(t.last_ns - k.start_ns) FILTER (WHERE t.matched) AS waited_ns,
            max(k.error_ns) AS clock_error_ns,
            sum(sum(k.dur_ns)) OVER (PARTITION BY k.of_id) AS all_ns
        FROM kernel AS k
        JOIN together AS t ON t.of_id = k.of_id AND t.nth = k.nth
        WHERE (:pid IS NULL AND :process IS NULL OR k.process_id IN who)
            AND (
                coalesce(:start_ns, :end_ns, :phase) IS NULL
                OR EXISTS (SELECT 1 FROM period AS p WHERE k.start_ns >= p.start_ns AND k.start_ns < p.end_ns)
            )
        GROUP BY k.of_id, k.device_id, k.process_id, k.rank
    ),
    rank_of AS MATERIALIZED (SELECT process_id, rank FROM process_rank)
SELECT
    n.collective,
    d.number AS gpu,
    p.pid,
    coalesce(r.rank, s.rank) AS rank,
    s.kernels,
    s.total_ns,
    100.0 * s.total_ns / nullif(sum(s.total_ns) OVER (), 0) AS time_pct,
    1.0 * s.total_ns / nullif(s.timed, 0) AS mean_ns,
    s.max_ns,
    CASE WHEN c.agree THEN s.matched END AS matched,
    CASE WHEN c.agree AND s.matched > 0 THEN s.last END AS last,
    CASE WHEN c.agree THEN s.late_ns END AS late_ns,
    CASE WHEN c.agree THEN s.waited_ns END AS waited_ns,
    CASE WHEN c.agree THEN 100.0 * s.waited_ns / nullif(s.total_ns, 0) END AS waited_pct,
    s.clock_error_ns
FROM sums AS s
JOIN named AS n ON n.id = s.of_id
JOIN device AS d ON d.id = s.device_id
CROSS JOIN clocks AS c
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN rank_of AS r ON r.process_id = s.process_id
ORDER BY s.all_ns DESC, collective, rank, pid, gpu, s.device_id, s.process_id;
