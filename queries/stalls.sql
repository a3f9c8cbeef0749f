-- title: Longest stretches of idle time of the GPUs
-- group: gpu
-- needs: gpu_phase
-- uses: segment
-- filters: time, process, gpu, limit 20
-- time: stretches that begin
-- param: pid INTEGER NULL -- only those that this process was at for longest
-- param: process TEXT NULL -- the same of processes of this name or role
-- param: cause TEXT NULL -- only this cause, as report gpu_idle names it
-- columns: gpu, host, start_ns, dur_ns, idle_min_ns, idle_max_ns, cause, phase, pid, process, role, file, woken_by
-- column: dur_ns dur_ns its length: the cause was in progress, and the GPU observed, all the time
-- column: idle_max_ns dur_ns and at most; the same where its kernels were traced
-- column: cause TEXT what was in progress
-- column: pid INTEGER process that was at it for longest
-- column: file TEXT file that it was at; of disk reads the one that the process read then for longest
-- column: woken_by TEXT for whom a lock, queue or pipe was waited: process that ended it, where scheduling was recorded
-- keep: start_ns, idle_min_ns, cause, process, file
-- loss: none start_ns
-- loss: either dur_ns, idle_min_ns, idle_max_ns
-- none: no GPU idled, as far as they were observed
-- order: s.idle_max_ns DESC, s.start_ns, gpu, s.host, s.cause
--
-- The 30 longest of each GPU and cause, in all of the run, are known: of these those that were asked for. Where a GPU is sampled a range is known of how long it idled; most of them are of use where
-- the kernels were traced. 'report around --at TIME' has what else happened then.
WITH RECURSIVE
    stretch AS MATERIALIZED (
        SELECT s.*, d.number AS gpu, d.host
        FROM gpu_idle_stretch AS s
        JOIN device AS d ON d.id = s.device_id
        WHERE (:gpu IS NULL OR d.number = :gpu) AND (:cause IS NULL OR s.cause = :cause)
            AND (:start_ns IS NULL OR s.start_ns >= :start_ns) AND (:end_ns IS NULL OR s.start_ns < :end_ns)
            AND (:phase IS NULL OR EXISTS (SELECT 1 FROM phase_interval AS i WHERE i.label = :phase COLLATE NOCASE AND i.start_ns <= s.start_ns AND i.end_ns > s.start_ns))
            AND (:pid IS NULL OR s.process_id IN (SELECT id FROM process WHERE pid = :pid))
            AND (:process IS NULL OR s.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
        ORDER BY s.idle_max_ns DESC, s.start_ns, gpu, d.host, s.cause
        LIMIT coalesce(:limit, 20)
    ),
    -- the file that the process read for longest
    looked AS (
        SELECT s.device_id, s.cause, s.start_ns, r.file_id, row_number() OVER (PARTITION BY s.device_id, s.cause, s.start_ns ORDER BY r.dur_ns DESC, r.call_id) AS place
        FROM stretch AS s
        CROSS JOIN gpu_idle_read AS r ON s.cause = 'disk read' AND r.device_id = s.device_id AND r.start_ns = s.start_ns
    ),
    -- slices are in order of time: where those begin that are in the millisecond in which a wait ends
    search (device_id, cause, stretch_ns, from_ns, low, high) AS (
        SELECT device_id, cause, start_ns, start_ns + dur_ns - 1000000, 1, coalesce((SELECT max(id) + 1 FROM sched_slice), 1)
        FROM stretch
        WHERE cause = 'lock, queue or pipe'
        UNION ALL
        SELECT
            s.device_id, s.cause, s.stretch_ns, s.from_ns,
            CASE WHEN x.start_ns < s.from_ns THEN x.id + 1 ELSE s.low END,
            CASE WHEN x.start_ns < s.from_ns THEN s.high ELSE x.id END
        FROM search AS s
        JOIN sched_slice AS x ON x.id = (s.low + s.high) / 2
        WHERE s.low < s.high
    ),
    waker AS (
        SELECT
            f.device_id, f.cause, f.stretch_ns, w.process_id,
            row_number() OVER (PARTITION BY f.device_id, f.cause, f.stretch_ns ORDER BY abs(r.start_ns - s.start_ns - s.dur_ns), r.id) AS place
        FROM search AS f
        JOIN stretch AS s ON s.device_id = f.device_id AND s.cause = f.cause AND s.start_ns = f.stretch_ns
        JOIN sched_slice AS r ON r.id >= f.low AND r.id < f.low + 100000 AND r.start_ns <= s.start_ns + s.dur_ns + 1000000
        JOIN thread AS t ON t.id = r.thread_id AND t.process_id = s.process_id
        JOIN thread AS w ON w.id = r.waker_thread_id AND w.process_id <> s.process_id
        WHERE f.low = f.high
    )
SELECT
    s.gpu, s.host, s.start_ns, s.dur_ns, s.idle_min_ns, s.idle_max_ns, s.cause,
    (SELECT label FROM phase_interval AS i WHERE i.start_ns <= s.start_ns AND i.end_ns > s.start_ns ORDER BY i.end_ns - i.start_ns, length(label) DESC, label LIMIT 1) AS phase,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role,
    coalesce(nullif(f.path, ''), nullif(f.name, '')) AS file,
    wp.pid || coalesce(' ' || wp.name, '') AS woken_by
FROM stretch AS s
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN looked AS l ON l.device_id = s.device_id AND l.cause = s.cause AND l.start_ns = s.start_ns AND l.place = 1
LEFT JOIN file AS f ON f.id = coalesce(s.file_id, l.file_id)
LEFT JOIN waker AS k ON k.device_id = s.device_id AND k.cause = s.cause AND k.stretch_ns = s.start_ns AND k.place = 1
LEFT JOIN process AS wp ON wp.id = k.process_id
ORDER BY s.idle_max_ns DESC, s.start_ns, gpu, s.host, s.cause;
