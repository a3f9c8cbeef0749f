-- Is the newest run of each kind unlike the last fifty of its kind before it? As 'tracedb compare --baseline' tells it (analyzer/compare/history.h): of 100 runs that
-- are like those before them about 5 have a verdict on any line. It takes 19 runs before.
--
-- Of one kind are runs whose databases have one name but for digits: job_17.db and job_18.db. What is compared: how long the run took, the median length of each
-- phase, and the time in I/O calls by what they do.
WITH
    known AS (
        SELECT
            run, start_ns, end_ns,
            replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(name,
                '0', ''), '1', ''), '2', ''), '3', ''), '4', ''), '5', ''), '6', ''), '7', ''), '8', ''), '9', '') AS job
        FROM lake.run
        WHERE start_ns IS NOT NULL
    ),
    placed AS (SELECT run, job, start_ns, end_ns, row_number() OVER (PARTITION BY job ORDER BY start_ns DESC, run) AS age FROM known),
    member AS (SELECT run, job, start_ns, end_ns, age, 51 - age AS place FROM placed WHERE age <= 51),
    phase AS (
        SELECT
            run, name, dur_ns,
            count(*) OVER (PARTITION BY run, name) AS phases,
            row_number() OVER (PARTITION BY run, name ORDER BY dur_ns) AS nth
        FROM lake.span
        WHERE kind = 'phase' AND dur_ns IS NOT NULL
    ),
    measured AS (
        SELECT run, 'run: length' AS what, 1e0 * (end_ns - start_ns) AS v FROM member
        UNION ALL
        SELECT run, concat(name, ': length') AS what, avg(CASE WHEN 2 * nth BETWEEN phases AND phases + 2 THEN 1e0 * dur_ns END) AS v FROM phase GROUP BY run, name
        UNION ALL
        SELECT run, concat(verb, ': time in calls') AS what, 1e0 * sum(dur_ns) AS v FROM lake.call WHERE kind = 'io' AND nested = 0 AND dur_ns IS NOT NULL GROUP BY run, verb
    ),
    known_value AS (
        SELECT
            m.job AS job, m.run AS run, m.age AS age, m.place AS place, x.what AS what, x.v AS v,
            count(*) OVER (PARTITION BY m.job, x.what) AS n,
            min(m.age) OVER (PARTITION BY m.job, x.what) AS newest
        FROM member AS m
        JOIN measured AS x ON x.run = m.run
    ),
    seen AS (SELECT job, run, age, place, what, v FROM known_value WHERE newest = 1 AND n >= 20),
    -- a trend is taken out first: the median of all slopes
    pair AS (
        SELECT a.job AS job, a.what AS what, (b.v - a.v) / (b.place - a.place) AS slope
        FROM seen AS a
        JOIN seen AS b ON b.job = a.job AND b.what = a.what
        WHERE a.place < b.place
    ),
    ranked_slope AS (
        SELECT job, what, slope, count(*) OVER (PARTITION BY job, what) AS n, row_number() OVER (PARTITION BY job, what ORDER BY slope) AS nth FROM pair
    ),
    trend AS (SELECT job, what, avg(CASE WHEN 2 * nth BETWEEN n AND n + 2 THEN slope END) AS slope FROM ranked_slope GROUP BY job, what),
    flat AS (SELECT s.job AS job, s.run AS run, s.age AS age, s.what AS what, s.v AS v, s.v - t.slope * (s.place - 50) AS v0 FROM seen AS s JOIN trend AS t ON t.job = s.job AND t.what = s.what),
    ranked_flat AS (
        SELECT job, what, v0, count(*) OVER (PARTITION BY job, what) AS n, row_number() OVER (PARTITION BY job, what ORDER BY v0) AS nth FROM flat
    ),
    middle AS (SELECT job, what, avg(CASE WHEN 2 * nth BETWEEN n AND n + 2 THEN v0 END) AS v0 FROM ranked_flat GROUP BY job, what),
    far AS (
        SELECT f.job AS job, f.run AS run, f.age AS age, f.what AS what, f.v AS v, m.v0 AS expected, abs(f.v0 - m.v0) AS distance
        FROM flat AS f
        JOIN middle AS m ON m.job = f.job AND m.what = f.what
    ),
    ranked_far AS (
        SELECT job, what, distance, count(*) OVER (PARTITION BY job, what) AS n, row_number() OVER (PARTITION BY job, what ORDER BY distance) AS nth FROM far
    ),
    -- how far they usually are: the median distance; the mean one where most are the same
    scale AS (
        SELECT job, what, avg(CASE WHEN 2 * nth BETWEEN n AND n + 2 THEN distance END) AS usual, avg(distance) AS mean FROM ranked_far GROUP BY job, what
    ),
    score AS (
        SELECT
            f.job AS job, f.run AS run, f.age AS age, f.what AS what, f.v AS v, f.expected AS expected,
            CASE WHEN s.usual > 0 THEN f.distance / s.usual WHEN s.mean > 0 THEN f.distance / s.mean ELSE 0e0 END AS score
        FROM far AS f
        JOIN scale AS s ON s.job = f.job AND s.what = f.what
    ),
    -- what is unusual of a run depends on how unusual anything of the others is
    largest AS (SELECT job, run, age, max(score) AS score FROM score GROUP BY job, run, age),
    runs AS (SELECT job, count(*) AS n FROM member GROUP BY job),
    judged AS (
        SELECT q.job AS job, q.run AS run, q.what AS what, q.v AS v, q.expected AS expected, r.n AS n, 1e0 * (1 + sum(CASE WHEN l.age > 1 AND l.score >= q.score THEN 1 ELSE 0 END)) / r.n AS p
        FROM score AS q
        JOIN largest AS l ON l.job = q.job
        JOIN runs AS r ON r.job = q.job
        WHERE q.age = 1
        GROUP BY q.job, q.run, q.what, q.v, q.expected, r.n
    )
SELECT
    run,
    job,
    what,
    n - 1 AS runs_before,
    v AS value_ns,
    expected AS expected_ns,
    1e2 * (v - expected) / nullif(abs(expected), 0) AS change_pct,
    p,
    CASE WHEN p > 0.05 OR abs(v - expected) < 0.01 * abs(expected) THEN 'no evidence' WHEN v > expected THEN 'slower' ELSE 'faster' END AS verdict
FROM judged
ORDER BY p, run, what;
