-- title: Checkpoints: who writes which, how fast, and what their syncs cost
-- group: files
-- needs: file_stat
-- files: kept
-- filters: time, process, limit
-- param: file TEXT NULL -- only files whose path, or name where no path is known, is like this GLOB; default: names with ckpt or checkpoint, and *.pt, *.pth, *.bin, *.safetensors, *.distcp, *.h5, *.keras
-- columns: name, pid, process, role, files, writes, write_bytes, write_ns, write_bytes_per_s, syncs, sync_ns, renames, wall_ns
-- columns: gpu_idle_max_ns, first_ns, last_ns
-- column: files count files that were written
-- column: write_bytes_per_s bytes_per_s bytes per second of that time
-- column: renames count renames
-- column: wall_ns dur_ns from the first of these calls to the start of the last one, of all files together
-- column: gpu_idle_max_ns dur_ns in phases called checkpoint: idle time of all GPUs, at most; NULL if no log tells of them
-- loss: either write_bytes_per_s
-- loss: none gpu_idle_max_ns
-- none: no file that is called like a checkpoint was written
-- order: r.write_bytes DESC, name, p.pid, p.id
--
-- Bytes reach the page cache in a write and the disk in a sync, or later; without a sync a checkpoint may be lost when the machine stops. Who
-- writes it on the thread that trains lets the GPU wait for all of write_ns and sync_ns; what is written by mmap is not seen.
WITH
    -- of most runs with very many files hardly any kind is written, or none
    written AS MATERIALIZED (
        SELECT template_id FROM io_stat
        WHERE by = 'template,verb' AND verb = 'write'
            AND since_ns IS NULL AND until_ns IS NULL AND in_phase IS NULL AND of_pid IS NULL AND of_process IS NULL
    ),
    kept AS MATERIALIZED (
        SELECT id, template_id
        FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM written))
        CROSS JOIN file
        WHERE template_id IN (SELECT template_id FROM written)
            -- first what nearly all names fail; of a CASE all of it would be worked out
            AND (
                (:file IS NOT NULL AND coalesce(path, name) GLOB :file)
                OR (
                    :file IS NULL AND (coalesce(path, name) LIKE '%ckp%' OR name GLOB '*.[pPbBsSdDhHkK]*')
                    AND (
                        coalesce(path, name) LIKE '%ckpt%' OR coalesce(path, name) LIKE '%checkpoint%'
                        OR name LIKE '%.pt' OR name LIKE '%.pth' OR name LIKE '%.bin' OR name LIKE '%.safetensors'
                        OR name LIKE '%.distcp' OR name LIKE '%.h5' OR name LIKE '%.keras'
                    )
                    AND class NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'device', 'unnamed', 'directory', 'proc-sys')
                )
            )
    ),
    r AS MATERIALIZED (
        SELECT
            k.template_id, s.process_id,
            count(DISTINCT s.file_id) FILTER (WHERE s.verb = 'write') AS files,
            coalesce(sum(s.calls) FILTER (WHERE s.verb = 'write'), 0) AS writes,
            sum(s.done_bytes) FILTER (WHERE s.verb = 'write') AS write_bytes,
            sum(s.total_ns) FILTER (WHERE s.verb = 'write') AS write_ns,
            coalesce(sum(s.calls) FILTER (WHERE s.verb = 'sync'), 0) AS syncs,
            sum(s.total_ns) FILTER (WHERE s.verb = 'sync') AS sync_ns,
            coalesce(sum(s.calls) FILTER (WHERE s.verb = 'rename'), 0) AS renames,
            min(s.first_ns) AS first_ns,
            max(s.last_ns) AS last_ns
        FROM io_stat AS s
        JOIN kept AS k ON k.id = s.file_id
        WHERE s.by = 'file,process,verb' AND s.file_id IN (SELECT id FROM kept) AND s.verb IN ('write', 'sync', 'rename')
            AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
        GROUP BY k.template_id, s.process_id
        HAVING count(*) FILTER (WHERE s.verb = 'write') > 0
    )
SELECT
    t.text AS name,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role, r.files, r.writes, r.write_bytes, r.write_ns,
    1e9 * r.write_bytes / nullif(r.write_ns, 0) AS write_bytes_per_s,
    r.syncs, r.sync_ns, r.renames,
    r.last_ns - r.first_ns AS wall_ns,
    (SELECT sum(wall_ns - busy_min_ns) FROM gpu_phase WHERE label = 'checkpoint' AND start_ns IS NULL AND run_number IS NULL) AS gpu_idle_max_ns,
    r.first_ns, r.last_ns
FROM r
JOIN string AS t ON t.id = r.template_id
LEFT JOIN process AS p ON p.id = r.process_id
ORDER BY r.write_bytes DESC, name, p.pid, p.id
LIMIT coalesce(:limit, -1);
