-- title: NVTX ranges
-- group: time
-- needs: nvtx
-- filters: time, process, limit
-- time: ranges that start
-- columns: time_pct, total_ns, instances, avg_ns, med_ns, min_ns, max_ns, stddev_ns, style, range, unfinished
-- column: instances count ranges
-- column: style TEXT PushPop or StartEnd
-- column: range TEXT domain:text; no domain before the colon: the default one
-- column: unfinished count of instances: those whose end is not in the trace; they last to the last time of any range
-- loss: either avg_ns, med_ns, stddev_ns, unfinished
-- loss: upper min_ns
-- order: total_ns DESC, range, style
--
-- The columns of 'nsys stats -r nvtx_sum', and unfinished. Times are those of the CPU thread that opened the range. A range
-- inside another counts in both rows, so the sum can be more than the time of the run.
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
    -- Of the whole run, if the file holds it; else scanned has a row, and the ranges are looked at.
    held AS MATERIALIZED (SELECT * FROM range_stat WHERE coalesce(:pid, :process, :start_ns, :end_ns, :phase) IS NULL),
    scanned AS (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM held)),
    nvtx AS MATERIALIZED (SELECT id FROM string WHERE text = 'nvtx'),
    last AS MATERIALIZED (
        SELECT max(start_ns + coalesce(dur_ns, 0)) AS ns FROM span WHERE kind_id IN nvtx
    ),
    -- What the args say of a range, of which there are few; label_id is the same for the same style and domain. 0: no args.
    label AS MATERIALIZED (
        SELECT args_id, style, domain, min(args_id) OVER (PARTITION BY style, domain) AS label_id
        FROM (
            SELECT
                id AS args_id,
                coalesce(json_extract(text, '$.style'), 'PushPop') AS style,
                CASE json_type(text, '$.domain') WHEN 'text' THEN json_extract(text, '$.domain') ELSE '' END AS domain
            FROM string
            WHERE id IN (
                SELECT args_id FROM held
                UNION ALL
                SELECT s.args_id FROM scanned CROSS JOIN span AS s WHERE s.kind_id IN nvtx
            )
            UNION ALL
            SELECT 0, 'PushPop', ''
        )
    ),
    -- Equal durations counted together, so that what follows has less to sort.
    pair AS MATERIALIZED (
        SELECT
            l.label_id,
            s.name_id,
            coalesce(s.dur_ns, (SELECT ns FROM last) - s.start_ns) AS v,
            count(*) AS c,
            sum(s.dur_ns IS NULL) AS open
        FROM scanned
        CROSS JOIN span AS s
        JOIN label AS l ON l.args_id = coalesce(s.args_id, 0)
        WHERE s.kind_id IN nvtx
            AND (:pid IS NULL AND :process IS NULL OR s.process_id IN who)
            AND (
                coalesce(:start_ns, :end_ns, :phase) IS NULL
                OR EXISTS (SELECT 1 FROM period AS p WHERE s.start_ns >= p.start_ns AND s.start_ns < p.end_ns)
            )
        GROUP BY 1, 2, 3
    ),
    total AS MATERIALIZED (
        SELECT
            label_id, name_id, sum(c) AS n, sum(c * v) AS total, 1.0 * sum(c * v) / sum(c) AS mean, min(v) AS least, max(v) AS most,
            sum(open) AS unfinished
        FROM pair
        GROUP BY label_id, name_id
    ),
    ranked AS (
        SELECT label_id, name_id, v, c, sum(c) OVER (PARTITION BY label_id, name_id ORDER BY v) AS upto FROM pair
    ),
    spread AS (
        SELECT
            t.label_id, t.name_id,
            (min(r.v) FILTER (WHERE r.upto >= (t.n + 1) / 2) + min(r.v) FILTER (WHERE r.upto >= t.n / 2 + 1)) / 2.0 AS median,
            CASE WHEN t.n > 1 THEN sqrt(sum(r.c * (r.v - t.mean) * (r.v - t.mean)) / (t.n - 1)) ELSE 0.0 END AS deviation
        FROM total AS t
        JOIN ranked AS r ON r.label_id = t.label_id AND r.name_id = t.name_id
        GROUP BY t.label_id, t.name_id
    ),
    sums AS (
        SELECT t.label_id, t.name_id, t.n, t.total, t.mean, s.median, t.least, t.most, s.deviation, t.unfinished
        FROM total AS t
        JOIN spread AS s ON s.label_id = t.label_id AND s.name_id = t.name_id
        UNION ALL
        SELECT coalesce(args_id, 0), name_id, ranges, total_ns, 1.0 * total_ns / ranges, p50_ns, min_ns, max_ns, stddev_ns, unfinished
        FROM held
    )
SELECT
    100.0 * t.total / sum(t.total) OVER () AS time_pct,
    t.total AS total_ns,
    t.n AS instances,
    t.mean AS avg_ns,
    t.median AS med_ns,
    t.least AS min_ns,
    t.most AS max_ns,
    round(t.deviation, 1) AS stddev_ns,
    l.style AS style,
    l.domain || ':' || n.text AS range,
    t.unfinished
FROM sums AS t
JOIN label AS l ON l.args_id = t.label_id
JOIN string AS n ON n.id = t.name_id
ORDER BY total_ns DESC, range, style
LIMIT coalesce(:limit, -1);
