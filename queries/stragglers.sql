-- title: Stragglers: which rank is last, and what that costs
-- group: gpu
-- needs-any: gpu_kernel, span
-- filters: limit 30
-- columns: what, rank, pid, process, instances, last, last_pct, late_ns, cost_ns, worst_ns, worst_start_ns, clock_error_ns, cause
-- columns: cause_min_ns, cause_max_ns
-- column: what TEXT what the ranks do together: a phase of their logs, a step, or a collective
-- column: instances count how often all ranks did it
-- column: last_pct percent share
-- column: cost_ns dur_ns of those in which it was last: how long after the last but one, for so long all others waited for it alone
-- column: worst_ns dur_ns the most of these
-- column: worst_start_ns ts_ns when that was
-- column: clock_error_ns dur_ns where ranks are of several machines: times are by the clock of the first one, and what is between two of them is known to so much; NULL: nothing is moved
-- column: cause TEXT what its GPUs idled for longer than those of every other rank, in the phases of the name, of all else in the whole run (gpu_idle); NULL: nothing that the ranges tell apart, or less than 1 % of the time
-- column: cause_min_ns dur_ns at least so much longer
-- column: cause_max_ns dur_ns and at most
-- loss: either last_pct, cause_min_ns, cause_max_ns
-- loss: none worst_start_ns
-- none: there are no two ranks that did the same: a phase, a step or a collective
-- order: s.all_cost_ns DESC, what, cost_ns DESC, last DESC, s.rank, pid, s.process_id
--
-- A phase or a step (ProfilerStep#N) is done when it ends, a collective begins when its last rank's kernel does. The n-th of a name are taken for one if
-- all ranks have as many of them; collectives as in report nccl, where the clocks of the sources agree. With two ranks the cost of one
-- is the time by which it was late. A rank that is last most of the time has slower hardware, more work, or a slow data loader ('report ranks').
-- Where ranks are of several machines (import --host), times are moved to the clock of the first one (view machine_clock). Where nothing bounds how far clocks differ, phases and
-- steps are by the clock of each source, and as much may be their clocks' difference; collectives are left out. The cause compares lengths; what is in progress in any process counts
-- as one for all GPUs whose own processes are not known (report gpu_idle: whose); there a database for each rank tells more (examples/sql/ranks/slow_rank.sql).
WITH
    rank_of AS MATERIALIZED (SELECT process_id, rank FROM process_rank),
    logged AS MATERIALIZED (
        SELECT
            s.id, s.name_id, s.run_number, s.process_id, s.start_ns, s.dur_ns, s.source_id,
            coalesce(s.rank, o.rank) AS rank
        FROM rank_span AS j
        CROSS JOIN span AS s ON s.id = j.id
        JOIN source AS o ON o.id = s.source_id
        WHERE s.kind_id IN (SELECT id FROM string WHERE text = 'phase') AND s.dur_ns IS NOT NULL
    ),
    clock_of AS MATERIALIZED (SELECT source_id AS id, ahead_ns, error_ns FROM machine_clock),
    done AS MATERIALIZED (
        SELECT
            n.text || coalesce(' (run ' || CASE WHEN (SELECT count(*) > 1 FROM training_runs) THEN s.run_number END || ')', '') AS what,
            n.text AS label, CASE WHEN (SELECT count(*) > 1 FROM training_runs) THEN s.run_number END AS run_number, s.rank, s.process_id, s.start_ns + s.dur_ns AS end_ns,
            s.rank AS part, s.source_id, row_number() OVER (PARTITION BY s.name_id, s.run_number, s.rank, s.process_id ORDER BY s.start_ns, s.id) AS nth
        FROM logged AS s
        JOIN string AS n ON n.id = s.name_id
        WHERE s.rank IS NOT NULL
        UNION ALL
        SELECT
            'step', '(run)', NULL, r.rank, s.process_id, s.start_ns + s.dur_ns, s.process_id, s.source_id, CAST(substr(n.text, 14) AS INTEGER)
        FROM rank_span AS j
        CROSS JOIN span AS s ON s.id = j.id
        CROSS JOIN string AS n ON n.id = s.name_id AND n.text GLOB 'ProfilerStep#[0-9]*'
        LEFT JOIN rank_of AS r ON r.process_id = s.process_id
        WHERE s.kind_id IN (SELECT id FROM string WHERE text = 'annotation') AND s.dur_ns IS NOT NULL
    ),
    of_rank AS MATERIALIZED (SELECT what, part, process_id, count(*) AS n FROM done GROUP BY 1, 2, 3),
    alike AS MATERIALIZED (SELECT what FROM of_rank GROUP BY what HAVING count(*) > 1 AND min(n) = max(n)),
    came AS MATERIALIZED (
        SELECT d.what, d.label, d.run_number, d.rank, d.process_id, d.part, d.nth, d.end_ns - coalesce(c.ahead_ns, 0) AS at_ns, c.error_ns
        FROM done AS d
        LEFT JOIN clock_of AS c ON c.id = d.source_id
    ),
    together AS MATERIALIZED (
        SELECT
            c.*,
            min(at_ns) OVER w AS first_ns,
            max(at_ns) OVER w AS last_ns,
            count(*) OVER w AS n,
            nth_value(at_ns, 2) OVER (PARTITION BY what, nth ORDER BY at_ns DESC, part ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS before_ns
        FROM came AS c
        WHERE what IN (SELECT what FROM alike)
        WINDOW w AS (PARTITION BY what, nth)
    ),
    matched AS (
        SELECT *, at_ns = last_ns AS is_last, CASE WHEN at_ns = last_ns THEN last_ns - before_ns END AS cost_ns
        FROM together
        WHERE n > 1
    ),
    -- one row of those that a process comes to itself, one for each GPU of those that its GPUs do
    part AS MATERIALIZED (
        SELECT
            what, label, run_number, rank, process_id, count(*) AS instances, sum(is_last) AS last, sum(at_ns - first_ns) AS late_ns, max(error_ns) AS clock_error_ns,
            coalesce(sum(cost_ns), 0) AS cost_ns, max(cost_ns) AS worst_ns, min(at_ns) FILTER (WHERE cost_ns = most_ns) AS worst_start_ns
        FROM (SELECT *, max(cost_ns) OVER (PARTITION BY what, run_number, rank, process_id) AS most_ns FROM matched)
        GROUP BY what, label, run_number, rank, process_id
        UNION ALL
        SELECT n.collective, '(run)', NULL, coalesce(r.rank, c.rank), c.process_id, c.matched, c.last, c.behind_ns, c.clock_error_ns, c.cost_ns, c.worst_ns, c.worst_start_ns
        FROM collective_stat AS c
        JOIN collective_name AS n ON n.name_id = c.of_id
        LEFT JOIN rank_of AS r ON r.process_id = c.process_id
        WHERE c.alike AND c.matched > 0
    ),
    s AS MATERIALIZED (
        SELECT
            what, label, run_number, rank, process_id, sum(instances) AS instances, sum(last) AS last, sum(late_ns) AS late_ns, max(clock_error_ns) AS clock_error_ns,
            sum(cost_ns) AS cost_ns, max(worst_ns) AS worst_ns, min(worst_start_ns) FILTER (WHERE worst_ns = most_ns) AS worst_start_ns,
            sum(sum(cost_ns)) OVER (PARTITION BY what) AS all_cost_ns
        FROM (SELECT *, max(worst_ns) OVER (PARTITION BY what, run_number, rank, process_id) AS most_ns FROM part)
        GROUP BY what, label, run_number, rank, process_id
    ),
    -- of GPUs on which one rank works
    gpu_of AS MATERIALIZED (
        SELECT u.device_id, min(r.rank) AS rank
        FROM (
            SELECT device_id, process_id FROM gpu_stat WHERE by = 'device,process,kind,name' AND process_id IS NOT NULL
            UNION
            SELECT device_id, process_id FROM track WHERE device_id IS NOT NULL AND process_id IS NOT NULL
        ) AS u
        JOIN rank_of AS r ON r.process_id = u.process_id
        GROUP BY u.device_id
        HAVING min(r.rank) = max(r.rank)
    ),
    doubt AS MATERIALIZED (
        SELECT
            coalesce(max(error_ns) FILTER (WHERE kind <> 'phases' AND against <> 'phases'), 0) AS run_ns,
            coalesce(max(error_ns), 0) AS phase_ns
        FROM clock_doubt
    ),
    idle AS MATERIALIZED (
        SELECT i.label, i.run_number, i.cause, u.rank, sum(i.idle_min_ns) AS min_ns, sum(i.idle_max_ns) AS max_ns, max(g.wall_ns) AS wall_ns
        FROM gpu_idle_part AS i
        JOIN gpu_of AS u ON u.device_id = i.device_id
        JOIN gpu_phase AS g ON g.label = i.label AND g.run_number IS i.run_number AND g.device_id = i.device_id AND g.start_ns IS NULL
        CROSS JOIN doubt AS d
        WHERE i.start_ns IS NULL AND i.cause NOT IN ('other ranks', 'other ranks at work', 'unexplained') AND g.wall_ns >= CASE i.label WHEN '(run)' THEN d.run_ns ELSE d.phase_ns END
        GROUP BY 1, 2, 3, 4
    ),
    -- a rank that is told of, but not with this cause, did not idle for it
    asked AS MATERIALIZED (
        SELECT c.label, c.run_number, c.cause, r.rank, coalesce(i.min_ns, 0) AS min_ns, coalesce(i.max_ns, 0) AS max_ns, r.wall_ns
        FROM (SELECT DISTINCT label, run_number, cause FROM idle) AS c
        JOIN (SELECT label, run_number, rank, max(wall_ns) AS wall_ns FROM idle GROUP BY 1, 2, 3) AS r ON r.label = c.label AND r.run_number IS c.run_number
        LEFT JOIN idle AS i ON i.label = c.label AND i.run_number IS c.run_number AND i.cause = c.cause AND i.rank = r.rank
    ),
    caused AS MATERIALIZED (
        SELECT
            a.label, a.run_number, a.rank, a.cause, a.min_ns - max(b.max_ns) AS cause_min_ns, a.max_ns - max(b.min_ns) AS cause_max_ns,
            row_number() OVER (PARTITION BY a.label, a.run_number, a.rank ORDER BY a.min_ns - max(b.max_ns) DESC, a.cause) AS nth
        FROM asked AS a
        JOIN asked AS b ON b.label = a.label AND b.run_number IS a.run_number AND b.cause = a.cause AND b.rank <> a.rank
        GROUP BY a.label, a.run_number, a.rank, a.cause
        HAVING 100 * (a.min_ns - max(b.max_ns)) >= a.wall_ns
    )
SELECT
    s.what,
    s.rank,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    s.instances,
    s.last,
    100.0 * s.last / s.instances AS last_pct,
    s.late_ns,
    s.cost_ns,
    s.worst_ns,
    s.worst_start_ns,
    s.clock_error_ns,
    c.cause,
    c.cause_min_ns,
    c.cause_max_ns
FROM s
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN caused AS c ON c.label = s.label AND c.run_number IS s.run_number AND c.rank = s.rank AND c.nth = 1
ORDER BY s.all_cost_ns DESC, what, cost_ns DESC, last DESC, s.rank, pid, s.process_id
LIMIT coalesce(:limit, 30);
