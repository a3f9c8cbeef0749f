-- How many files were read, written, both?
SELECT was_read, was_written, count(*) AS files
FROM (
    SELECT file, max(verb = 'read') AS was_read, max(verb = 'write') AS was_written
    FROM io_calls
    WHERE verb IN ('read', 'write') AND file IS NOT NULL
    GROUP BY file
)
GROUP BY was_read, was_written
ORDER BY was_read, was_written;
