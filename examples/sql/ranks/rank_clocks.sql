-- By how much is the clock of each rank ahead of the first one's?
--
--     tracedb query rank0.db rank1.db rank2.db <rank_clocks.sql
--
-- Each database is one rank, and all are of one group: two groups that do the same by the same names are asked for one by one. The true difference is
-- from ahead_min_ns to ahead_max_ns; NULL: that side is not known, and both NULL where events are: no difference fits all of them, so that a clock was set or
-- ran at another rate, or they are not the same events. What tells, each by itself, and all of them together:
--
-- collectives: an all-reduce, all-gather or reduce-scatter ends on no rank before it has begun on the last. The n-th kernel of a name of each rank
--     are taken for one collective where both ranks have as many of it.
-- phases: epochs in which ranks wait for each other, as they do for gradients, so that no rank ends one before the others have begun it. This is as
--     coarse as the shortest epoch is long.
-- checkpoints: a path that one rank finds missing, or makes, was not there yet when another rank found it; who waits for a file by looking every
--     second tells to a second. It takes calls that open, look up and make files; paths that somebody removes or renames, that two ranks make, or in
--     folders that machines have of their own tell nothing. On NFS a name may be missing for as long as it is cached (mount option lookupcache=none: not at all).
--
-- Ranges are wider by what is known of the clock of each source within its machine (source.clock_error_ns), at least 1 us for both.
WITH
    member AS MATERIALIZED (
        SELECT run, min(rank) AS rank, row_number() OVER (ORDER BY min(rank), run) AS place
        FROM source
        GROUP BY run
    ),
    clock AS MATERIALIZED (SELECT run, id, max(500, clock_error_ns) AS error_ns FROM source WHERE clock_error_ns IS NOT NULL),
    named AS MATERIALIZED (
        SELECT run, name_id AS id, collective
        FROM collective_name
        WHERE collective LIKE '%AllReduce%' OR collective LIKE '%AllGather%' OR collective LIKE '%ReduceScatter%'
    ),
    met AS MATERIALIZED (
        SELECT g.run, 'collectives' AS by, n.collective AS what, g.start_ns, g.dur_ns, g.source_id, g.id
        FROM gpu_op AS g
        JOIN named AS n ON n.run = g.run AND n.id = g.name_id
        JOIN string AS k ON k.run = g.run AND k.id = g.kind_id AND k.text = 'kernel'
        UNION ALL
        SELECT s.run, 'phases', n.text || coalesce(' ' || s.number, ''), s.start_ns, s.dur_ns, s.source_id, s.id
        FROM span AS s
        JOIN string AS k ON k.run = s.run AND k.id = s.kind_id AND k.text = 'phase'
        JOIN string AS n ON n.run = s.run AND n.id = s.name_id AND n.text IN ('epoch', 'block')
    ),
    meeting AS MATERIALIZED (
        SELECT
            m.run, m.by, m.what, m.start_ns - c.error_ns AS begin_ns, m.start_ns + m.dur_ns + c.error_ns AS end_ns,
            row_number() OVER (PARTITION BY m.run, m.by, m.what ORDER BY m.start_ns, m.id) AS nth,
            count(*) OVER (PARTITION BY m.run, m.by, m.what) AS of_rank
        FROM met AS m
        JOIN clock AS c ON c.run = m.run AND c.id = m.source_id
    ),
    kept AS MATERIALIZED (
        SELECT run, id, path
        FROM file
        WHERE (path LIKE '/%ckpt%' OR path LIKE '/%checkpoint%') AND truncated = 0 AND root IS NULL
            AND path NOT LIKE '/tmp/%' AND path NOT LIKE '/var/%' AND path NOT LIKE '/run/%' AND path NOT LIKE '/dev/%' AND path NOT LIKE '/local%'
    ),
    renamed AS MATERIALIZED (
        SELECT c.run, c.start_ns, c.dur_ns, c.source_id, a.text AS args
        FROM op AS o
        JOIN call AS c ON c.run = o.run AND c.op_id = o.id AND c.ret = 0 AND c.dur_ns IS NOT NULL
        JOIN string AS a ON a.run = c.run AND a.id = c.args_id
        WHERE o.verb = 'rename'
    ),
    looked AS MATERIALIZED (
        SELECT
            f.path, c.run, c.start_ns - k.error_ns AS begin_ns, c.start_ns + c.dur_ns + k.error_ns AS end_ns,
            o.verb = 'create' AND c.ret >= 0 AS made,
            c.ret = -2 AND o.verb IN ('open', 'stat') OR o.verb = 'create' AND o.name LIKE '%mkdir%' AND c.ret >= 0 AS missing,
            c.ret = -17 OR c.ret >= 0 AND o.verb IN ('open', 'stat', 'create') AS found,
            c.ret >= 0 AND o.verb IN ('remove', 'rename') AS gone
        FROM call AS c
        JOIN kept AS f ON f.run = c.run AND f.id = c.file_id
        JOIN op AS o ON o.run = c.run AND o.id = c.op_id
        JOIN clock AS k ON k.run = c.run AND k.id = c.source_id
        WHERE c.dur_ns IS NOT NULL
        UNION ALL
        -- what a rename makes is in its arguments; it may have been there before
        SELECT f.path, c.run, NULL, c.start_ns + c.dur_ns + k.error_ns, 0, 0, 1, 0
        FROM renamed AS c
        JOIN (SELECT DISTINCT path FROM kept) AS f ON instr(c.args, '"' || f.path || '"') > 0
        JOIN clock AS k ON k.run = c.run AND k.id = c.source_id
    ),
    path AS MATERIALIZED (
        SELECT path, run, max(begin_ns) FILTER (WHERE missing) AS missing_ns, min(end_ns) FILTER (WHERE found) AS found_ns, max(made) AS made, max(gone) AS gone
        FROM looked
        GROUP BY path, run
    ),
    usable AS MATERIALIZED (SELECT path FROM path GROUP BY path HAVING sum(made) <= 1 AND max(gone) = 0 AND count(*) FILTER (WHERE missing_ns > found_ns) = 0),
    told AS (
        SELECT b.run, b.by, b.begin_ns - a.end_ns AS least_ns, b.end_ns - a.begin_ns AS most_ns
        FROM meeting AS a
        JOIN meeting AS b ON b.by = a.by AND b.what = a.what AND b.nth = a.nth AND b.of_rank = a.of_rank
        WHERE a.run = (SELECT run FROM member WHERE place = 1) AND b.run <> a.run
        UNION ALL
        SELECT b.run, 'checkpoints', b.missing_ns - a.found_ns, b.found_ns - a.missing_ns
        FROM path AS a
        JOIN path AS b ON b.path = a.path
        WHERE a.run = (SELECT run FROM member WHERE place = 1) AND b.run <> a.run AND a.path IN (SELECT path FROM usable)
            AND coalesce(b.missing_ns - a.found_ns, b.found_ns - a.missing_ns) IS NOT NULL
    ),
    bound AS (
        SELECT run, by, count(*) AS events, max(least_ns) AS least_ns, min(most_ns) AS most_ns FROM told GROUP BY run, by
        UNION ALL
        SELECT m.run, '(all)', count(t.run), max(t.least_ns), min(t.most_ns)
        FROM member AS m
        LEFT JOIN told AS t ON t.run = m.run
        GROUP BY m.run
    )
SELECT
    m.run,
    m.rank,
    b.by,
    b.events,
    CASE WHEN b.least_ns > b.most_ns THEN NULL ELSE b.least_ns END AS ahead_min_ns,
    CASE WHEN b.least_ns > b.most_ns THEN NULL ELSE b.most_ns END AS ahead_max_ns
FROM member AS m
JOIN bound AS b ON b.run = m.run
WHERE m.place > 1
ORDER BY m.place, b.by;
