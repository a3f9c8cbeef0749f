-- title: Mapped files are read page by page
-- level: warning
-- needs: faults
-- param: min_rate REAL 200 -- faults per second that wait for a disk, of a process
-- param: min_faults INTEGER 2000 -- and so many
-- columns: pid, process, role, faults, faults_per_s, saves_ns
-- column: process TEXT command name
-- column: faults count page faults that waited for a disk
-- column: faults_per_s REAL per second of the time for which they were counted
-- column: saves_ns dur_ns idle time of all GPUs, and not more than disks were read, for each: at most; NULL where disks had fewer reads than there were faults, some of which then waited for a server: how long faults took is not counted
-- loss: lower faults
-- loss: either faults_per_s, saves_ns
-- order: f.faults DESC, p.pid, p.id
-- finding: {process} ({pid}) waited for a disk in {faults} page faults, {faults_per_s} a second.
-- advice: Read ahead: madvise(MADV_WILLNEED or MADV_SEQUENTIAL), np.load without mmap_mode, larger pieces with read(); a larger read_ahead_kb of the disk; or more memory for the page cache, so that pages stay (a higher memory.high of the container).
-- unless: the memory is swapped, not mapped files: then there is too little of it.
--
-- Of recordings with the event set faults. The three processes with most of them.
WITH
    fault AS MATERIALIZED (
        SELECT t.process_id, CAST(sum(round(s.value * s.dur_ns / 1e9)) AS INTEGER) AS faults, sum(s.dur_ns) AS observed_ns
        FROM track AS t
        JOIN sample AS s ON s.track_id = t.id
        WHERE t.name = 'faults.major' AND s.dur_ns > 0
        GROUP BY t.process_id
    )
SELECT
    p.pid,
    p.name AS process,
    p.role,
    f.faults,
    1e9 * f.faults / f.observed_ns AS faults_per_s,
    (
        SELECT min(sum(g.wall_ns - g.busy_min_ns), count(*) * (SELECT sum(i.cause_ns) FROM gpu_idle_each AS i WHERE i.cause = 'disk read'))
        FROM gpu_phase AS g
        WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
            AND (SELECT sum(faults) FROM fault) <= (SELECT sum(requests) FROM block_stat WHERE by = 'device,direction' AND direction = 'read')
    ) AS saves_ns
FROM fault AS f
JOIN process AS p ON p.id = f.process_id
WHERE f.faults >= coalesce(:min_faults, 2000) AND 1e9 * f.faults >= coalesce(:min_rate, 200) * f.observed_ns
ORDER BY f.faults DESC, p.pid, p.id
LIMIT 3;
