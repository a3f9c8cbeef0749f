-- title: Who writes logs, and in what pieces
-- group: files
-- needs: file_stat
-- param: max_mean INTEGER 4096 -- writes of so many bytes at most, on average, make a file one of those
-- param: min_writes INTEGER 20 -- if there are so many of them at least; what is called like a log needs none
-- filters: time, process, limit 30
-- columns: name, pid, process, role, writes, write_bytes, mean_bytes, write_ns, syncs, sync_ns, opens, writes_per_s, first_ns
-- columns: last_ns, why
-- column: syncs count fsync, fdatasync and the like: each waits for the disk
-- column: opens count opens: a log that is opened for each line is as slow as its file system
-- column: writes_per_s REAL writes per second between the first and the last; NULL: of some calls only the order is known
-- column: why TEXT why it is taken for a log: name, or small writes
-- loss: either mean_bytes, writes_per_s
-- none: no file that is called like a log was written, and none in many small pieces
-- order: coalesce(w.write_ns, 0) + coalesce(w.sync_ns, 0) DESC, name, pid, w.process_id
--
-- Logs are regular files called *.log, *.out, *.err, *.txt, *.jsonl, *events.out.tfevents* or so, and those that get many small writes. Terminals and
-- pipes, to which a program prints as well, are not here: 'report device_class' has them.
WITH
    w AS MATERIALIZED (
        SELECT
            template_id, process_id,
            coalesce(sum(calls) FILTER (WHERE verb = 'write'), 0) AS writes,
            sum(done_bytes) FILTER (WHERE verb = 'write') AS write_bytes,
            sum(total_ns) FILTER (WHERE verb = 'write') AS write_ns,
            coalesce(sum(calls) FILTER (WHERE verb = 'sync'), 0) AS syncs,
            sum(total_ns) FILTER (WHERE verb = 'sync') AS sync_ns,
            coalesce(sum(calls) FILTER (WHERE verb IN ('open', 'create')), 0) AS opens,
            min(first_ns) FILTER (WHERE verb = 'write') AS first_ns, max(last_ns) FILTER (WHERE verb = 'write') AS last_ns
        FROM io_stat
        WHERE by = 'template,process,verb' AND template_id IN (SELECT template_id FROM file_kind WHERE class IN ('regular', 'deleted', 'unknown'))
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
        GROUP BY template_id, process_id
    ),
    called AS (
        SELECT
            id, text,
            lower(text) GLOB '*.log' OR lower(text) GLOB '*.log.*' OR lower(text) GLOB '*.out' OR lower(text) GLOB '*.err' OR lower(text) GLOB '*.txt'
                OR lower(text) GLOB '*.jsonl' OR lower(text) GLOB '*events.out.tfevents*' OR lower(text) GLOB '*/stdout*' OR lower(text) GLOB '*/stderr*' AS is_log
        FROM string
        WHERE id IN (SELECT template_id FROM w)
    )
SELECT
    n.text AS name,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role, w.writes, w.write_bytes,
    w.write_bytes / w.writes AS mean_bytes,
    w.write_ns, w.syncs, w.sync_ns, w.opens,
    CASE WHEN NOT EXISTS (SELECT 1 FROM issue_count WHERE kind = 'no-time-stamps') THEN 1e9 * (w.writes - 1) / nullif(w.last_ns - w.first_ns, 0) END AS writes_per_s,
    w.first_ns, w.last_ns,
    CASE WHEN n.is_log THEN 'name' ELSE 'small writes' END AS why
FROM w
JOIN called AS n ON n.id = w.template_id
LEFT JOIN process AS p ON p.id = w.process_id
WHERE w.writes > 0 AND (n.is_log OR (w.writes >= coalesce(:min_writes, 20) AND w.write_bytes <= w.writes * coalesce(:max_mean, 4096)))
ORDER BY coalesce(w.write_ns, 0) + coalesce(w.sync_ns, 0) DESC, name, pid, w.process_id
LIMIT coalesce(:limit, 30);
