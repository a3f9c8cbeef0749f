-- Phases, of each run: when they began and how long they took, as 'tracedb report phases' says.
WITH
    begun AS (
        -- one without a number is another one if it begins when those before it are over
        SELECT
            run, id, name, number, rank, state, coalesce(run_number, 1) AS of_run, start_ns, dur_ns,
            CASE WHEN number IS NULL AND start_ns >= max(start_ns + coalesce(dur_ns, 0)) OVER (PARTITION BY run, name, number, coalesce(run_number, 1) ORDER BY start_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) THEN 1 ELSE 0 END AS is_new
        FROM lake.span
        WHERE kind = 'phase'
    ),
    told AS (
        SELECT run, name, number, rank, state, of_run, start_ns, dur_ns, sum(is_new) OVER (PARTITION BY run, name, number, of_run ORDER BY start_ns, id) AS nth
        FROM begun
    ),
    phase AS (
        SELECT
            run, name, number, of_run, nth,
            count(DISTINCT rank) AS told_by,
            min(state) AS worst_state,
            min(start_ns) AS begin_ns,
            CASE WHEN count(*) = count(dur_ns) THEN max(start_ns + dur_ns) END AS end_ns
        FROM told
        GROUP BY run, name, number, of_run, nth
    )
SELECT
    run,
    name || coalesce(' ' || CAST(number AS VARCHAR(20)), '') AS phase,
    of_run AS run_number,
    greatest(1, told_by) AS ranks,
    worst_state AS state,
    begin_ns AS start_ns,
    end_ns - begin_ns AS dur_ns
FROM phase
ORDER BY run, start_ns, dur_ns DESC, phase;
