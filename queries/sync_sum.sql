-- title: Syncs: who waits for data to reach the disk
-- group: files
-- needs: call
-- param: by process|template process -- what a row is: a process, or a kind of file, and the operation
-- filters: time, process, limit
-- columns: name, op, calls, errors, total_ns, total_pct, mean_ns, p50_ns, max_ns, first_ns, last_ns
-- column: name TEXT process id and name, or kind of file (digits are {})
-- column: op TEXT fsync, fdatasync, msync, sync, ...
-- column: errors count of these: failed; what failed may not be on the disk
-- loss: either mean_ns, p50_ns
-- none: no calls of fsync, fdatasync, sync or the like were traced
-- order: s.total_ns DESC, name, op, s.id
--
-- A sync writes what earlier calls left in the page cache, of the whole file, or (sync, syncfs) of everybody's: its time is theirs.
WITH
    s AS MATERIALIZED (
        -- no more columns than the file holds of the whole run
        SELECT op_id, process_id, template_id, calls, errors, timed, total_ns, max_ns, p50_ns, first_ns, last_ns,
            CASE coalesce(:by, 'process') WHEN 'template' THEN template_id ELSE process_id END AS id
        FROM call_stat
        WHERE by = CASE coalesce(:by, 'process') WHEN 'template' THEN 'template,op' ELSE 'process,op' END
            AND op_id IN (SELECT id FROM op WHERE verb = 'sync')
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    )
SELECT
    coalesce(t.text, p.pid || coalesce(' ' || p.name, '') || coalesce(' on ' || p.host, '')) AS name,
    o.name AS op,
    s.calls, s.errors, s.total_ns,
    100.0 * s.total_ns / nullif(sum(s.total_ns) OVER (), 0) AS total_pct,
    s.total_ns / nullif(s.timed, 0) AS mean_ns,
    s.p50_ns,
    s.max_ns, s.first_ns, s.last_ns
FROM s
JOIN op AS o ON o.id = s.op_id
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN string AS t ON t.id = s.template_id
ORDER BY s.total_ns DESC, name, op, s.id
LIMIT coalesce(:limit, -1);
