-- Phases, of each run: when they began and how long they took, as 'tracedb report phases' says.
WITH
    phase AS (
        SELECT
            run, name, number,
            coalesce(run_number, 1) AS of_run,
            count(DISTINCT rank) AS told_by,
            min(state) AS worst_state,
            min(start_ns) AS begin_ns,
            CASE WHEN count(*) = count(dur_ns) THEN max(start_ns + dur_ns) END AS end_ns
        FROM lake.span
        WHERE kind = 'phase'
        GROUP BY run, name, number, coalesce(run_number, 1)
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
