-- title: Training phases
-- group: time
-- needs: phases
-- filters: time, limit
-- time: phases that begin
-- param: phase TEXT NULL -- only this phase: 'epoch' (every one) or 'epoch 3'
-- columns: phase, run_number, ranks, state, start_ns, dur_ns, opens, reads, read_bytes, writes, write_bytes, syscall_bytes
-- columns: vfs_bytes, block_read_bytes, block_write_bytes, cache_min_pct, io_ns, io_pct, cpu_basis, cpu_busy_pct, cpu_busy_min_pct
-- columns: cpu_busy_max_pct, cpu_iowait_pct, cpu_iowait_min_pct, cpu_iowait_max_pct, gpu_basis, gpu_busy_pct, gpu_busy_min_pct
-- columns: gpu_busy_max_pct, gpu_idle_io_min_pct, gpu_idle_io_max_pct
-- column: phase TEXT name and number
-- column: run_number INTEGER run that it is of: ranks share it, a restart is another
-- column: ranks count ranks that logged it
-- column: state TEXT complete, unfinished (no end seen) or no-start (no begin seen)
-- column: start_ns ts_ns begin, of the first rank
-- column: dur_ns dur_ns length, to the end of the last rank; NULL if unfinished
-- column: opens count opens that start in it; NULL, as all up to io_pct, if no calls were traced
-- column: read_bytes bytes bytes read, no layer counted twice
-- column: syscall_bytes bytes bytes read and written as seen by system calls
-- column: vfs_bytes bytes bytes read and written as seen by the vfs layer
-- column: block_read_bytes bytes bytes read from disks; NULL without block requests
-- column: block_write_bytes bytes bytes written to disks
-- column: cache_min_pct percent share of read_bytes that exceeds block_read_bytes: at least so much, but for reads that go on after its end, was in the page cache, or came from no disk (a server, /proc, a pipe); NULL without block requests
-- column: io_ns dur_ns time with file I/O in progress in any process
-- column: io_pct percent io_ns as a share of dur_ns
-- column: cpu_basis TEXT what the next min and max are: bounds (the truth lies between); NULL if no CPU was sampled
-- column: cpu_busy_pct percent mean of all CPUs, as sampled; NULL of several machines
-- column: cpu_busy_min_pct percent at least; of several machines: on each of them
-- column: cpu_busy_max_pct percent and at most
-- column: cpu_iowait_pct percent mean of all CPUs, as sampled; NULL of several machines
-- column: cpu_iowait_min_pct percent at least
-- column: cpu_iowait_max_pct percent and at most
-- column: gpu_basis TEXT what the next ones are: exact, bounds (the truth lies between min and max), estimate (it does so in 95 of 100 cases) or conflict (two samplers contradict each other: what either says)
-- column: gpu_busy_pct percent mean over the GPUs; the middle of the range if it is not exact; NULL if none was observed
-- column: gpu_busy_min_pct percent mean over the GPUs, at least
-- column: gpu_busy_max_pct percent and at most
-- column: gpu_idle_io_min_pct percent share of the GPUs' time that they were idle while file I/O was in progress, at least
-- column: gpu_idle_io_max_pct percent and at most
-- keep: start_ns, dur_ns, read_bytes, cpu_busy_pct, gpu_busy_pct, gpu_idle_io_min_pct, gpu_idle_io_max_pct
-- uses: segment
-- loss: none ranks, dur_ns, cpu_busy_pct, cpu_busy_min_pct, cpu_busy_max_pct, cpu_iowait_pct, cpu_iowait_min_pct, cpu_iowait_max_pct, gpu_busy_pct, gpu_busy_min_pct, gpu_busy_max_pct
-- loss: lower io_pct, gpu_idle_io_min_pct, gpu_idle_io_max_pct
-- order: start_ns, dur_ns DESC, phase
--
-- What starts in a phase counts for it, reads and writes of pipes and sockets, too, which are no I/O in io_ns. Phases nest (run, epoch,
-- block), so rows do not add up. Read-ahead and write-back let block I/O happen in another phase than the call that it serves, and disks
-- read for mappings, of libraries above all, too. What was recorded on a clock that is known less well than a phase is long is not said
-- of it. CPUs are sampled once a second or so: when in the second they were busy, and when exactly it was, is not known, which is what
-- the bounds allow for; the mean is that of the time that the samples are printed for.
WITH
    doubt AS MATERIALIZED (
        SELECT
            coalesce(max(error_ns) FILTER (WHERE against = 'events'), 0) AS events_ns,
            coalesce(max(error_ns) FILTER (WHERE against = 'samples'), 0) AS samples_ns
        FROM clock_doubt
        WHERE kind = 'phases'
    ),
    phase AS (
        SELECT
            name, label, occurrence,
            coalesce(run_number, 1) AS run_number,
            max(1, count(DISTINCT rank)) AS ranks,
            min(state) AS state,
            min(start_ns) AS start_ns,
            CASE WHEN count(*) = count(dur_ns) THEN max(end_ns) END AS end_ns
        FROM phases
        WHERE (:phase IS NULL OR label = :phase COLLATE NOCASE OR name = :phase COLLATE NOCASE)
            AND (:start_ns IS NULL OR start_ns >= :start_ns)
            AND (:end_ns IS NULL OR start_ns < :end_ns)
        GROUP BY name, number, coalesce(run_number, 1), occurrence
    ),
    part AS MATERIALIZED (
        SELECT
            phase.*,
            end_ns - start_ns >= events_ns AS events_hold,
            end_ns - start_ns >= samples_ns AS samples_hold,
            -- of several runs not all need have been traced
            (SELECT count(*) FROM training_runs) < 2 OR EXISTS (
                SELECT 1 FROM training_runs AS r
                JOIN source AS s ON s.first_ns <= r.end_ns AND s.last_ns >= r.start_ns AND s.clock_error_ns IS NOT NULL
                WHERE r.run_number = phase.run_number
                    AND s.id NOT IN (SELECT source_id FROM log_run) AND (s.clock = 'boot' OR s.id NOT IN (SELECT source_id FROM track))
            ) AS is_traced
        FROM phase
        CROSS JOIN doubt
    ),
    -- Phases overlap, as heavily as they like: what is between two edges of them is summed up once, and a phase is the difference
    -- of what there is up to its two edges.
    edge AS MATERIALIZED (
        SELECT at_ns, lead(at_ns) OVER (ORDER BY at_ns) AS next_ns
        FROM (SELECT start_ns AS at_ns FROM part WHERE end_ns IS NOT NULL UNION SELECT end_ns FROM part WHERE end_ns IS NOT NULL)
    ),
    piece AS (
        SELECT
            e.at_ns,
            count(s.io_ns) AS io_rows,
            count(s.block_ns) AS block_rows,
            count(s.cpu_busy_ns) AS cpu_busy_rows,
            count(s.cpu_iowait_ns) AS cpu_iowait_rows,
            coalesce(sum(s.opens) FILTER (WHERE s.io_ns IS NOT NULL), 0) AS opens,
            coalesce(sum(s.reads) FILTER (WHERE s.io_ns IS NOT NULL), 0) AS reads,
            coalesce(sum(s.read_bytes) FILTER (WHERE s.io_ns IS NOT NULL), 0) AS read_bytes,
            coalesce(sum(s.writes) FILTER (WHERE s.io_ns IS NOT NULL), 0) AS writes,
            coalesce(sum(s.write_bytes) FILTER (WHERE s.io_ns IS NOT NULL), 0) AS write_bytes,
            coalesce(sum(s.syscall_bytes) FILTER (WHERE s.io_ns IS NOT NULL), 0) AS syscall_bytes,
            coalesce(sum(s.vfs_bytes) FILTER (WHERE s.io_ns IS NOT NULL), 0) AS vfs_bytes,
            coalesce(sum(s.block_read_bytes) FILTER (WHERE s.block_ns IS NOT NULL), 0) AS block_read_bytes,
            coalesce(sum(s.block_write_bytes) FILTER (WHERE s.block_ns IS NOT NULL), 0) AS block_write_bytes,
            coalesce(sum(s.io_ns), 0) AS io_ns,
            coalesce(sum(s.block_ns), 0) AS block_ns,
            coalesce(sum(s.cpu_ns), 0) AS cpu_ns,
            coalesce(sum(s.cpu_busy_ns), 0) AS cpu_busy_ns,
            coalesce(sum(s.cpu_iowait_ns), 0) AS cpu_iowait_ns
        FROM edge AS e
        LEFT JOIN segment AS s ON s.start_ns >= e.at_ns AND s.start_ns < e.next_ns
        GROUP BY e.at_ns
    ),
    step AS (
        SELECT NULL AS label, NULL AS occurrence, NULL AS run_number, NULL AS traced_hold, NULL AS samples_hold, 0 AS side, at_ns, 1 AS is_piece, io_rows, block_rows, cpu_busy_rows, cpu_iowait_rows, opens, reads, read_bytes, writes, write_bytes, syscall_bytes, vfs_bytes, block_read_bytes, block_write_bytes, io_ns, block_ns, cpu_ns, cpu_busy_ns, cpu_iowait_ns
        FROM piece
        UNION ALL
        SELECT label, occurrence, run_number, events_hold AND is_traced, samples_hold, -1, start_ns, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
        FROM part
        WHERE end_ns IS NOT NULL
        UNION ALL
        SELECT label, occurrence, run_number, events_hold AND is_traced, samples_hold, 1, end_ns, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
        FROM part
        WHERE end_ns IS NOT NULL
    ),
    upto AS (
        SELECT
            label, occurrence, run_number, traced_hold, samples_hold, side,
            sum(io_rows) OVER before AS io_rows,
            sum(block_rows) OVER before AS block_rows,
            sum(cpu_busy_rows) OVER before AS cpu_busy_rows,
            sum(cpu_iowait_rows) OVER before AS cpu_iowait_rows,
            sum(opens) OVER before AS opens,
            sum(reads) OVER before AS reads,
            sum(read_bytes) OVER before AS read_bytes,
            sum(writes) OVER before AS writes,
            sum(write_bytes) OVER before AS write_bytes,
            sum(syscall_bytes) OVER before AS syscall_bytes,
            sum(vfs_bytes) OVER before AS vfs_bytes,
            sum(block_read_bytes) OVER before AS block_read_bytes,
            sum(block_write_bytes) OVER before AS block_write_bytes,
            sum(io_ns) OVER before AS io_ns,
            sum(block_ns) OVER before AS block_ns,
            sum(cpu_ns) OVER before AS cpu_ns,
            sum(cpu_busy_ns) OVER before AS cpu_busy_ns,
            sum(cpu_iowait_ns) OVER before AS cpu_iowait_ns
        FROM step
        WINDOW before AS (ORDER BY at_ns, is_piece ROWS UNBOUNDED PRECEDING)
    ),
    whole AS (
        SELECT
            label, occurrence, run_number,
            CASE WHEN traced_hold AND sum(side * io_rows) > 0 THEN sum(side * opens) END AS opens,
            CASE WHEN traced_hold AND sum(side * io_rows) > 0 THEN sum(side * reads) END AS reads,
            CASE WHEN traced_hold AND sum(side * io_rows) > 0 THEN sum(side * read_bytes) END AS read_bytes,
            CASE WHEN traced_hold AND sum(side * io_rows) > 0 THEN sum(side * writes) END AS writes,
            CASE WHEN traced_hold AND sum(side * io_rows) > 0 THEN sum(side * write_bytes) END AS write_bytes,
            CASE WHEN traced_hold AND sum(side * io_rows) > 0 THEN sum(side * syscall_bytes) END AS syscall_bytes,
            CASE WHEN traced_hold AND sum(side * io_rows) > 0 THEN sum(side * vfs_bytes) END AS vfs_bytes,
            CASE WHEN traced_hold AND sum(side * block_rows) > 0 THEN sum(side * block_read_bytes) END AS block_read_bytes,
            CASE WHEN traced_hold AND sum(side * block_rows) > 0 THEN sum(side * block_write_bytes) END AS block_write_bytes,
            CASE WHEN traced_hold AND sum(side * io_rows) > 0 THEN sum(side * io_ns) END AS io_ns,
            CASE WHEN traced_hold AND sum(side * block_rows) > 0 THEN sum(side * block_ns) END AS block_ns,
            CASE WHEN samples_hold THEN sum(side * cpu_ns) END AS cpu_ns,
            CASE WHEN samples_hold AND sum(side * cpu_busy_rows) > 0 THEN sum(side * cpu_busy_ns) END AS cpu_busy_ns,
            CASE WHEN samples_hold AND sum(side * cpu_iowait_rows) > 0 THEN sum(side * cpu_iowait_ns) END AS cpu_iowait_ns
        FROM upto
        WHERE side <> 0
        GROUP BY label, occurrence, run_number
    ),
    machine AS (
        SELECT
            p.label, p.occurrence, p.run_number,
            sum(c.wall_ns) AS wall_ns,
            sum(c.busy_min_ns) AS busy_min_ns,
            sum(c.busy_max_ns) AS busy_max_ns,
            CASE WHEN count(c.iowait_min_ns) = count(*) THEN sum(c.iowait_min_ns) END AS iowait_min_ns,
            CASE WHEN count(c.iowait_max_ns) = count(*) THEN sum(c.iowait_max_ns) END AS iowait_max_ns
        FROM part AS p
        CROSS JOIN cpu_phase AS c
            ON c.label = p.label AND coalesce(c.run_number, 1) = p.run_number AND c.start_ns >= p.start_ns AND c.start_ns < p.end_ns
        WHERE p.samples_hold
        GROUP BY p.label, p.occurrence, p.run_number, c.host
    ),
    cpu AS (
        -- what holds for each machine
        SELECT
            label, occurrence, run_number,
            min(100.0 * busy_min_ns / wall_ns) AS busy_min_pct,
            max(100.0 * busy_max_ns / wall_ns) AS busy_max_pct,
            CASE WHEN count(iowait_min_ns) = count(*) THEN min(100.0 * iowait_min_ns / wall_ns) END AS iowait_min_pct,
            CASE WHEN count(iowait_max_ns) = count(*) THEN max(100.0 * iowait_max_ns / wall_ns) END AS iowait_max_pct
        FROM machine
        WHERE wall_ns > 0
        GROUP BY label, occurrence, run_number
    ),
    gpu AS (
        SELECT
            p.label, p.occurrence, p.run_number,
            CASE WHEN max(g.basis = 'conflict') THEN 'conflict' WHEN max(g.basis = 'estimate') THEN 'estimate' WHEN max(g.basis = 'bounds') THEN 'bounds' ELSE 'exact' END AS basis,
            sum(g.wall_ns) AS wall_ns,
            sum(g.busy_min_ns) AS busy_min_ns,
            sum(g.busy_max_ns) AS busy_max_ns,
            sum(g.io_ns - g.io_both_max_ns) FILTER (WHERE p.events_hold) AS idle_io_min_ns,
            sum(g.io_ns - g.io_both_min_ns) FILTER (WHERE p.events_hold) AS idle_io_max_ns
        FROM part AS p
        CROSS JOIN gpu_phase AS g
            ON g.label = p.label AND coalesce(g.run_number, 1) = p.run_number AND g.start_ns >= p.start_ns AND g.start_ns < p.end_ns
        WHERE CASE g.basis WHEN 'exact' THEN p.events_hold ELSE p.samples_hold END
        GROUP BY p.label, p.occurrence, p.run_number
    )
SELECT
    p.label AS phase,
    p.run_number, p.ranks, p.state, p.start_ns,
    p.end_ns - p.start_ns AS dur_ns,
    w.opens, w.reads, w.read_bytes, w.writes, w.write_bytes, w.syscall_bytes, w.vfs_bytes,
    w.block_read_bytes, w.block_write_bytes,
    CASE WHEN w.block_ns IS NOT NULL AND w.read_bytes > 0 THEN 100.0 * max(0, w.read_bytes - w.block_read_bytes) / w.read_bytes END AS cache_min_pct,
    w.io_ns,
    100.0 * w.io_ns / (p.end_ns - p.start_ns) AS io_pct,
    CASE WHEN c.busy_min_pct IS NOT NULL THEN 'bounds' END AS cpu_basis,
    100.0 * w.cpu_busy_ns / nullif(w.cpu_ns, 0) AS cpu_busy_pct,
    c.busy_min_pct AS cpu_busy_min_pct,
    c.busy_max_pct AS cpu_busy_max_pct,
    100.0 * w.cpu_iowait_ns / nullif(w.cpu_ns, 0) AS cpu_iowait_pct,
    c.iowait_min_pct AS cpu_iowait_min_pct,
    c.iowait_max_pct AS cpu_iowait_max_pct,
    g.basis AS gpu_basis,
    50.0 * (g.busy_min_ns + g.busy_max_ns) / g.wall_ns AS gpu_busy_pct,
    100.0 * g.busy_min_ns / g.wall_ns AS gpu_busy_min_pct,
    100.0 * g.busy_max_ns / g.wall_ns AS gpu_busy_max_pct,
    100.0 * g.idle_io_min_ns / g.wall_ns AS gpu_idle_io_min_pct,
    100.0 * g.idle_io_max_ns / g.wall_ns AS gpu_idle_io_max_pct
FROM part AS p
LEFT JOIN whole AS w ON w.label = p.label AND w.occurrence = p.occurrence AND w.run_number = p.run_number
LEFT JOIN cpu AS c ON c.label = p.label AND c.occurrence = p.occurrence AND c.run_number = p.run_number
LEFT JOIN gpu AS g ON g.label = p.label AND g.occurrence = p.occurrence AND g.run_number = p.run_number
ORDER BY start_ns, dur_ns DESC, phase
LIMIT coalesce(:limit, -1);
