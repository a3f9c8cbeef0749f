-- title: Files of classes and processes, and calls by class and storage
-- needs: file_stat
-- filters: time
-- columns: class, pid, calls, files
-- column: class TEXT class, and storage of a row without pid
-- column: files count files
-- order: class, pid
--
-- Of nobody: partials.py asks for it what views make of other rows.
SELECT s.class, p.pid, s.calls, s.files
FROM io_stat AS s
LEFT JOIN process AS p ON p.id = s.process_id
WHERE s.by = 'class,process' AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase
UNION ALL
SELECT class || coalesce(' ' || storage, ''), -1, sum(calls), NULL
FROM io_stat
WHERE by = 'directory,class,storage,verb' AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase
GROUP BY 1
ORDER BY class, pid;
