-- title: Runs
-- group: data
-- needs: log_run
-- column: run_number INTEGER run of the training program
-- column: start_ns utc_ns when it began, by the first of its logs
-- column: dur_ns dur_ns from then to the end of the last one
-- column: logs TEXT logs that tell of it
-- column: recorded_by TEXT what else was recorded in its time
-- order: r.run_number
--
-- Logs that overlap in time are of ranks of one run; a log that begins when another has ended is of another one.
SELECT
    r.run_number, r.start_ns,
    r.end_ns - r.start_ns AS dur_ns,
    r.log_paths AS logs,
    (
        SELECT group_concat(path, ', ')
        FROM (
            SELECT s.path FROM source AS s
            WHERE s.first_ns <= r.end_ns AND s.last_ns >= r.start_ns AND s.clock_error_ns IS NOT NULL AND s.id NOT IN (SELECT source_id FROM log_run)
            ORDER BY s.id
        )
    ) AS recorded_by
FROM training_runs AS r
ORDER BY r.run_number;
