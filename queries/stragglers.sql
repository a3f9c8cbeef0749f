-- title: Stragglers: which rank is last, and what that costs
-- group: gpu
-- needs-any: gpu_kernel, span
-- param: limit INTEGER 30 -- show so many rows
-- column: what TEXT what the ranks do together: a phase of their logs, a step, or a collective
-- column: rank INTEGER rank; NULL: no source tells
-- column: pid INTEGER its process
-- column: process TEXT command name, and its machine where there are several
-- column: instances count how often all ranks did it
-- column: last count of these: this rank was last; several at one time are all the last
-- column: last_pct percent share
-- column: late_ns dur_ns in all of them, how long after the first it came
-- column: cost_ns dur_ns of those in which it was last: how long after the last but one, for so long all others waited for it alone
-- column: worst_ns dur_ns the most of these
-- column: worst_start_ns ts_ns when that was
-- loss: either last_pct
-- loss: none worst_start_ns
-- order: s.all_cost_ns DESC, what, cost_ns DESC, last DESC, rank, pid, s.process_id
--
-- A phase or a step (ProfilerStep#N) is done when it ends, a collective begins when its last rank's kernel does. The n-th of a name are taken for one if
-- all ranks have as many of them; collectives as in report nccl, where the clocks of the sources agree. With two ranks the cost of one
-- is the time by which it was late. A rank that is last most of the time has slower hardware, more work, or a slow data loader ('report ranks').
WITH
    named AS MATERIALIZED (
        SELECT id, CASE WHEN instr(text, '(') > 1 THEN substr(text, 1, instr(text, '(') - 1) ELSE text END AS what
        FROM string
        WHERE text LIKE 'nccl%' OR text LIKE '\_Z__nccl%' ESCAPE '\'
    ),
    -- sources that are off by the same have the same clock
    clocks AS MATERIALIZED (
        SELECT count(*) = count(clock_error_ns) AND (min(clock_error_ns) = max(clock_error_ns) OR max(clock_error_ns) <= 1000) OR count(*) = 1 AS agree
        FROM source WHERE id IN (SELECT g.source_id FROM gpu_op AS g JOIN named AS n ON n.id = g.name_id)
    ),
    rank_of AS MATERIALIZED (
        SELECT process_id, CASE WHEN min(rank) = max(rank) THEN min(rank) END AS rank
        FROM span
        WHERE process_id IS NOT NULL
        GROUP BY process_id
    ),
    came AS MATERIALIZED (
        SELECT
            n.what, r.rank, g.process_id, g.start_ns AS at_ns, g.start_ns + g.dur_ns AS leaves_ns, g.device_id AS part,
            row_number() OVER (PARTITION BY n.what, g.device_id, g.process_id ORDER BY g.start_ns, g.id) AS nth
        FROM gpu_op AS g
        JOIN named AS n ON n.id = g.name_id
        LEFT JOIN rank_of AS r ON r.process_id = g.process_id
        WHERE g.kind_id IN (SELECT id FROM string WHERE text = 'kernel') AND g.dur_ns IS NOT NULL AND (SELECT agree FROM clocks)
        UNION ALL
        SELECT
            n.text || coalesce(' (run ' || CASE WHEN (SELECT count(*) > 1 FROM training_runs) THEN s.run_number END || ')', ''),
            s.rank, s.process_id, s.start_ns + s.dur_ns, NULL, s.rank,
            row_number() OVER (PARTITION BY k.text, n.text, s.run_number, s.rank, s.process_id ORDER BY s.start_ns, s.id)
        FROM span AS s
        JOIN string AS k ON k.id = s.kind_id AND k.text = 'phase'
        JOIN string AS n ON n.id = s.name_id
        WHERE s.rank IS NOT NULL AND s.dur_ns IS NOT NULL
        UNION ALL
        SELECT
            'step', r.rank, s.process_id, s.start_ns + s.dur_ns, NULL, s.process_id,
            CAST(substr(n.text, 14) AS INTEGER)
        FROM span AS s
        JOIN string AS k ON k.id = s.kind_id AND k.text = 'annotation'
        JOIN string AS n ON n.id = s.name_id AND n.text GLOB 'ProfilerStep#[0-9]*'
        LEFT JOIN rank_of AS r ON r.process_id = s.process_id
        WHERE s.dur_ns IS NOT NULL
    ),
    of_rank AS MATERIALIZED (SELECT what, part, process_id, count(*) AS n FROM came GROUP BY 1, 2, 3),
    alike AS MATERIALIZED (SELECT what FROM of_rank GROUP BY what HAVING count(*) > 1 AND min(n) = max(n)),
    together AS MATERIALIZED (
        SELECT
            c.*,
            min(at_ns) OVER w AS first_ns,
            max(at_ns) OVER w AS last_ns,
            min(leaves_ns) OVER w AS leaves_first_ns,
            count(*) OVER w AS n,
            nth_value(at_ns, 2) OVER (PARTITION BY what, nth ORDER BY at_ns DESC, part ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS before_ns
        FROM came AS c
        WHERE what IN (SELECT what FROM alike)
        WINDOW w AS (PARTITION BY what, nth)
    ),
    -- kernels that were not on their GPUs at one time are not one collective
    matched AS MATERIALIZED (
        SELECT *, at_ns = last_ns AS is_last, CASE WHEN at_ns = last_ns THEN last_ns - before_ns END AS cost_ns
        FROM together
        WHERE n > 1 AND (leaves_first_ns IS NULL OR last_ns <= leaves_first_ns)
    ),
    s AS MATERIALIZED (
        SELECT
            what, rank, process_id, count(*) AS instances, sum(is_last) AS last, sum(at_ns - first_ns) AS late_ns, coalesce(sum(cost_ns), 0) AS cost_ns, max(cost_ns) AS worst_ns,
            sum(sum(cost_ns)) OVER (PARTITION BY what) AS all_cost_ns
        FROM matched
        GROUP BY what, rank, process_id
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
    (SELECT min(m.at_ns) FROM matched AS m WHERE m.what = s.what AND m.rank IS s.rank AND m.process_id IS s.process_id AND m.cost_ns = s.worst_ns) AS worst_start_ns
FROM s
LEFT JOIN process AS p ON p.id = s.process_id
ORDER BY s.all_cost_ns DESC, what, cost_ns DESC, last DESC, rank, pid, s.process_id
LIMIT coalesce(:limit, 30);
