-- By how much is the clock of each rank ahead of the first one's?
--
--     tracedb query rank0.db rank1.db rank2.db <rank_clocks.sql
--
-- Each database is one rank, and all are of one group: two groups that do the same by the same names are asked for one by one. An all-reduce, all-gather or
-- reduce-scatter ends on no rank before it has begun on the last, so that each of them bounds by how much the clocks differ, from
-- both sides: the true difference is from ahead_min_ns to ahead_max_ns, and 1 us of each side is for traces in whole microseconds. The n-th kernel of a name of
-- each rank are taken for one collective where both ranks have as many of it. If no difference fits all of them, both are NULL: a clock was set
-- or ran at another rate, or these are not the same collectives.
WITH
    named AS MATERIALIZED (
        SELECT run, id, CASE WHEN instr(text, '(') > 1 THEN substr(text, 1, instr(text, '(') - 1) ELSE text END AS collective
        FROM string
        WHERE text LIKE '%nccl%AllReduce%' OR text LIKE '%nccl%AllGather%' OR text LIKE '%nccl%ReduceScatter%'
    ),
    kernel AS MATERIALIZED (
        SELECT
            g.run, n.collective, g.start_ns, g.start_ns + g.dur_ns AS end_ns,
            row_number() OVER (PARTITION BY g.run, n.collective ORDER BY g.start_ns, g.id) AS nth,
            count(*) OVER (PARTITION BY g.run, n.collective) AS of_rank
        FROM gpu_op AS g
        JOIN named AS n ON n.run = g.run AND n.id = g.name_id
        JOIN string AS k ON k.run = g.run AND k.id = g.kind_id AND k.text = 'kernel'
    ),
    member AS MATERIALIZED (
        SELECT run, min(rank) AS rank, row_number() OVER (ORDER BY min(rank), run) AS place
        FROM source
        GROUP BY run
    ),
    bound AS (
        SELECT b.run, count(*) AS collectives, max(b.start_ns - a.end_ns) - 1000 AS least_ns, min(b.end_ns - a.start_ns) + 1000 AS most_ns
        FROM kernel AS a
        JOIN kernel AS b ON b.collective = a.collective AND b.nth = a.nth AND b.of_rank = a.of_rank
        WHERE a.run = (SELECT run FROM member WHERE place = 1) AND b.run <> a.run
        GROUP BY b.run
    )
SELECT
    m.run,
    m.rank,
    coalesce(b.collectives, 0) AS collectives,
    CASE WHEN b.least_ns <= b.most_ns THEN b.least_ns END AS ahead_min_ns,
    CASE WHEN b.least_ns <= b.most_ns THEN b.most_ns END AS ahead_max_ns
FROM member AS m
LEFT JOIN bound AS b ON b.run = m.run
WHERE m.place > 1
ORDER BY m.place;
