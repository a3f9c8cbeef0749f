-- title: Logs are written line by line to the disk
-- level: warning
-- needs: file_stat
-- param: min_syncs INTEGER 100 -- so many syncs of logs are reported
-- param: min_pct REAL 1 -- or writes and syncs of a kind of log that take this share of the run
-- columns: name, pid, process, writes, mean_bytes, syncs, total_ns, saves_ns
-- column: process TEXT command name
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns, for each: at most
-- loss: either mean_bytes, saves_ns
-- order: w.total_ns DESC, t.text, p.pid, w.process_id
-- finding: {process} ({pid}) wrote {name} in {writes} writes of {mean_bytes}, with {syncs} syncs: {total_ns} in all.
-- advice: Buffer logs (logging.handlers.MemoryHandler, a larger buffering= of open()), write them from another thread (QueueHandler), less often (log every n-th step, a longer flush_secs of SummaryWriter), to a local disk, without fsync.
-- unless: the log has to survive a crash line by line.
--
-- Logs by their names: *.log, *.out, *.err, *.jsonl, TensorBoard's events. The three that took longest.
WITH
    w AS MATERIALIZED (
        SELECT
            key_id AS template_id, process_id,
            sum(calls) FILTER (WHERE verb = 'write') AS writes,
            sum(done_bytes) FILTER (WHERE verb = 'write') AS bytes,
            coalesce(sum(calls) FILTER (WHERE verb = 'sync'), 0) AS syncs,
            sum(total_ns) AS total_ns
        FROM file_stat
        WHERE by = 'template,process,verb' AND verb IN ('write', 'sync')
        GROUP BY 1, 2
    )
SELECT
    t.text AS name,
    p.pid,
    p.name AS process,
    w.writes,
    w.bytes / w.writes AS mean_bytes,
    w.syncs,
    w.total_ns,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * w.total_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM w
JOIN string AS t ON t.id = w.template_id
CROSS JOIN run AS r
LEFT JOIN process AS p ON p.id = w.process_id
WHERE w.writes > 0
    AND (lower(t.text) GLOB '*.log' OR lower(t.text) GLOB '*.out' OR lower(t.text) GLOB '*.err' OR lower(t.text) GLOB '*.jsonl' OR lower(t.text) GLOB '*tfevents*')
    AND (w.syncs >= coalesce(:min_syncs, 100) OR 100.0 * w.total_ns >= coalesce(:min_pct, 1) * (r.end_ns - r.start_ns))
ORDER BY w.total_ns DESC, t.text, p.pid, w.process_id
LIMIT 3;
