-- Which rank was slow in which phase, and what did its GPUs idle for longer than those of every other rank?
--
--     tracedb query rank0.db rank1.db rank2.db <slow_rank.sql
--
-- Each database is one rank. Only lengths are compared, so the clocks of the machines need not agree. late_ns is how much longer the phase took than on
-- the fastest rank. A job that waits for all ranks in each step has phases of one length: then the causes tell, and the rank that waited for
-- 'other ranks' least is the one that they waited for. cause_min_ns .. cause_max_ns is how much longer its GPUs idled for the cause than
-- those of any other rank: the ranges of two ranks that overlap tell nothing, and the cause is left out.
WITH
    phase AS (
        SELECT run, rank, label, count(*) AS phases, sum(dur_ns) AS dur_ns
        FROM phases
        WHERE state = 'complete'
        GROUP BY run, rank, label
    ),
    part AS (
        SELECT run, label, cause, sum(idle_min_ns) AS min_ns, sum(idle_max_ns) AS max_ns
        FROM gpu_idle_part
        WHERE start_ns IS NULL AND run_number IS NULL
        GROUP BY run, label, cause
    ),
    -- a rank of which the cause is not told did not idle for it, if it told of others in that phase
    asked AS (
        SELECT c.label, c.cause, r.run, coalesce(p.min_ns, 0) AS min_ns, coalesce(p.max_ns, 0) AS max_ns
        FROM (SELECT DISTINCT label, cause FROM part) AS c
        JOIN (SELECT DISTINCT run, label FROM part) AS r ON r.label = c.label
        LEFT JOIN part AS p ON p.run = r.run AND p.label = c.label AND p.cause = c.cause
    ),
    more AS (
        SELECT
            a.run, a.label, a.cause, a.min_ns - max(b.max_ns) AS more_min_ns, a.max_ns - max(b.min_ns) AS more_max_ns,
            row_number() OVER (PARTITION BY a.run, a.label ORDER BY a.min_ns - max(b.max_ns) DESC, a.cause) AS nth
        FROM asked AS a
        JOIN asked AS b ON b.label = a.label AND b.cause = a.cause AND b.run <> a.run
        WHERE a.cause NOT IN ('other ranks', 'other ranks at work', 'unexplained')
        GROUP BY a.run, a.label, a.cause
        HAVING a.min_ns > max(b.max_ns)
    )
SELECT
    p.label AS phase,
    p.run,
    p.rank,
    p.dur_ns,
    p.dur_ns - min(p.dur_ns) OVER (PARTITION BY p.label) AS late_ns,
    m.cause,
    m.more_min_ns AS cause_min_ns,
    m.more_max_ns AS cause_max_ns,
    w.min_ns AS wait_ranks_min_ns,
    w.max_ns AS wait_ranks_max_ns
FROM phase AS p
LEFT JOIN more AS m ON m.run = p.run AND m.label = p.label AND m.nth = 1
LEFT JOIN asked AS w ON w.run = p.run AND w.label = p.label AND w.cause = 'other ranks'
ORDER BY late_ns DESC, p.label, p.rank, p.run;
