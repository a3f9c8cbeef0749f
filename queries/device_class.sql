-- title: I/O by kind of device
-- group: disks
-- needs: file_stat
-- filters: time, process
-- columns: device, files, calls, calls_pct, errors, reads, writes, controls, read_bytes, write_bytes, bytes_pct, total_ns
-- columns: time_pct, max_ns, busiest
-- column: device TEXT disk, network file system, GPU, USB, camera, terminal, network, display, ...
-- column: files count files, sockets and the like of this kind that there were calls on
-- column: calls count calls on them; of devices and sockets those that are no I/O, too (ioctl, connect)
-- column: controls count calls on devices and sockets that are no I/O: ioctl, by which GPUs, cameras and USB are driven, connect, ...
-- column: total_ns dur_ns time in calls, waiting included: that on pipes, sockets and terminals is mostly waiting for somebody
-- column: busiest TEXT on which most time was spent
-- uses: call
-- shell: call
-- order: total_ns DESC, device
--
-- By class and path of what is read and written. disk: what lies on a block device, as its device number says; no disk: what has none (NFS, overlay,
-- tmpfs); file: where no source tells the number. A path below a usual mount point of one (/nfs, /lustre, /gpfs, ...) is a network file system.
-- GPU: /dev/nvidia*, /dev/dri, /dev/kfd, which CUDA drives by ioctl and by memory that is mapped, so that neither bytes nor time are those of
-- the GPU. display: X11 (its socket, or the port of 'ssh -X'), Wayland, frame buffers. Calls that an outer layer counts are left out.
WITH
    pattern (rank, class, glob, name) AS (
        VALUES
            (1, 'device', '/dev/nvidia*', 'GPU'), (2, 'device', '/dev/dri/*', 'GPU'), (3, 'device', '/dev/kfd', 'GPU'),
            (4, 'device', '/dev/bus/usb/*', 'USB'), (5, 'device', '/dev/hidraw*', 'USB'), (6, 'device', '/dev/ttyUSB*', 'USB'),
            (7, 'device', '/dev/ttyACM*', 'USB'), (8, 'device', '/dev/usb*', 'USB'),
            (9, 'device', '/dev/video*', 'camera'), (10, 'device', '/dev/media*', 'camera'),
            (11, 'terminal', '*', 'terminal'),
            (16, 'device', '/dev/input/*', 'input'), (17, 'device', '/dev/uinput', 'input'),
            (18, 'device', '/dev/fb*', 'display'), (19, 'device', '/dev/snd/*', 'sound'), (20, 'device', '/dev/infiniband/*', 'network'),
            (21, 'device', '/dev/sd*', 'disk, raw'), (22, 'device', '/dev/nvme*', 'disk, raw'), (23, 'device', '/dev/vd*', 'disk, raw'),
            (24, 'device', '/dev/dm-*', 'disk, raw'), (25, 'device', '/dev/mapper/*', 'disk, raw'), (26, 'device', '/dev/md*', 'disk, raw'),
            (27, 'device', '/dev/loop*', 'disk, raw'), (28, 'device', '*', 'other device'),
            (29, 'socket', '*X11-unix*', 'display'), (30, 'socket', '*wayland-*', 'display'),
            (31, 'socket', '*->*:600[0-5]*', 'display'), (32, 'socket', '*->*:601[0-9]*', 'display'),
            (33, 'socket', '[tT][cC][pP]*', 'network'), (34, 'socket', '[uU][dD][pP]*', 'network'), (35, 'socket', 'raw:*', 'network'),
            (36, 'socket', 'packet:*', 'network'), (37, 'socket', '[uU][nN][iI][xX]*', 'local socket'), (38, 'socket', '*', 'socket'),
            (39, 'directory', '/nfs*', ''), (40, 'directory', '*/nfs/*', ''), (41, 'directory', '*/nfs', ''), (42, 'directory', '/lustre*', ''),
            (43, 'directory', '/gpfs*', ''), (44, 'directory', '/beegfs*', ''), (45, 'directory', '/fsx*', ''), (46, 'directory', '/efs*', ''),
            (47, 'directory', '/afs/*', ''), (48, 'directory', '/cephfs*', ''), (49, 'directory', '/panfs*', ''), (50, 'directory', '/weka*', '')
    ),
    -- where call_stat does not tell it
    longest AS MATERIALIZED (
        SELECT file_id, max(dur_ns) AS max_ns
        FROM call
        WHERE op_id IN (SELECT id FROM op WHERE kind <> 'io' AND layer <> 'cuda') AND nested = 0
        GROUP BY file_id
    ),
    -- devices and sockets are told apart by their names, all else by where it lies
    part AS (
        SELECT
            NULL AS file_id, directory_id, class, storage, verb, calls, errors, done_bytes, total_ns, max_ns,
            NULL AS files, NULL AS busiest_id, NULL AS busiest_ns
        FROM io_stat
        WHERE by = 'directory,class,storage,verb' AND coalesce(class, '') NOT IN ('device', 'terminal', 'socket')
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
        UNION ALL
        SELECT NULL, directory_id, class, storage, NULL, NULL, NULL, NULL, NULL, NULL, files, busiest_file_id, busiest_ns
        FROM io_stat
        WHERE by = 'directory,class,storage' AND coalesce(class, '') NOT IN ('device', 'terminal', 'socket')
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
        UNION ALL
        SELECT file_id, NULL, NULL, NULL, verb, calls, errors, done_bytes, total_ns, max_ns, 1, file_id, NULL
        FROM io_stat
        WHERE by = 'file,verb' AND file_id IN (SELECT id FROM classed_file WHERE class IN ('device', 'terminal', 'socket'))
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
        UNION ALL
        SELECT file_id, NULL, NULL, NULL, 'control', calls, errors, NULL, total_ns,
            CASE WHEN max_ns IS NULL AND total_ns IS NOT NULL THEN (SELECT l.max_ns FROM longest AS l WHERE l.file_id = call_stat.file_id) ELSE max_ns END,
            1, file_id, NULL
        -- where no such call was traced, nothing has to be looked at
        FROM (SELECT 1 WHERE EXISTS (SELECT 1 FROM op WHERE kind <> 'io' AND layer <> 'cuda'))
        CROSS JOIN call_stat
        WHERE by = 'file,process,op,bin' AND op_id IN (SELECT id FROM op WHERE kind <> 'io' AND layer <> 'cuda')
            AND file_id IN (SELECT id FROM classed_file WHERE class IN ('device', 'terminal', 'socket'))
            AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
    ),
    used AS MATERIALIZED (
        SELECT
            file_id,
            directory_id,
            class,
            storage,
            sum(calls) AS calls,
            sum(errors) AS errors,
            sum(calls) FILTER (WHERE verb = 'read') AS reads,
            sum(calls) FILTER (WHERE verb = 'write') AS writes,
            sum(calls) FILTER (WHERE verb = 'control') AS controls,
            sum(done_bytes) FILTER (WHERE verb = 'read') AS read_bytes,
            sum(done_bytes) FILTER (WHERE verb = 'write') AS write_bytes,
            sum(total_ns) AS total_ns,
            CASE WHEN count(*) FILTER (WHERE total_ns IS NOT NULL AND max_ns IS NULL) = 0 THEN max(max_ns) END AS max_ns,
            max(files) AS files,
            max(busiest_id) AS busiest_id,
            CASE WHEN class IS NULL THEN sum(total_ns) ELSE max(busiest_ns) END AS busiest_ns
        FROM part
        GROUP BY file_id, directory_id, class, storage
    ),
    far AS MATERIALIZED (
        SELECT s.id FROM string AS s JOIN pattern AS t ON t.class = 'directory' AND s.text GLOB t.glob WHERE s.id IN (SELECT directory_id FROM used)
    ),
    by_place AS (
        SELECT
            CASE
                WHEN f.id IS NOT NULL THEN
                    coalesce((SELECT t.name FROM pattern AS t WHERE t.class = f.class AND coalesce(f.path, f.name) GLOB t.glob ORDER BY t.rank LIMIT 1), 'unknown')
                WHEN u.class IN ('shm', 'memfd') THEN 'shared memory'
                WHEN u.class = 'proc-sys' THEN 'pseudo files'
                WHEN u.class = 'pipe' THEN 'pipe'
                WHEN u.class IN ('eventfd', 'anon-inode') THEN 'events'
                WHEN coalesce(u.class, 'unknown') IN ('unnamed', 'unknown') THEN coalesce(u.class, 'unknown')
                WHEN u.directory_id IN (SELECT id FROM far) THEN 'network file system'
                ELSE coalesce(u.storage, 'file')
            END AS device,
            u.*
        FROM used AS u
        LEFT JOIN file AS f ON f.id = u.file_id
    ),
    by_device AS MATERIALIZED (
        SELECT
            device, sum(files) AS files, sum(calls) AS calls, sum(errors) AS errors, sum(reads) AS reads, sum(writes) AS writes, sum(controls) AS controls,
            sum(read_bytes) AS read_bytes, sum(write_bytes) AS write_bytes, coalesce(sum(read_bytes), 0) + coalesce(sum(write_bytes), 0) AS bytes,
            sum(total_ns) AS total_ns,
            CASE WHEN count(*) FILTER (WHERE total_ns IS NOT NULL AND max_ns IS NULL) = 0 THEN max(max_ns) END AS max_ns, max(busiest_id) FILTER (WHERE rank = 1) AS busiest_id
        FROM (SELECT *, row_number() OVER (PARTITION BY device ORDER BY busiest_ns DESC, busiest_id) AS rank FROM by_place)
        GROUP BY device
    )
SELECT
    d.device AS device,
    d.files,
    d.calls,
    100.0 * d.calls / sum(d.calls) OVER () AS calls_pct,
    d.errors,
    coalesce(d.reads, 0) AS reads,
    coalesce(d.writes, 0) AS writes,
    coalesce(d.controls, 0) AS controls,
    d.read_bytes,
    d.write_bytes,
    100.0 * d.bytes / nullif(sum(d.bytes) OVER (), 0) AS bytes_pct,
    d.total_ns,
    100.0 * d.total_ns / nullif(sum(d.total_ns) OVER (), 0) AS time_pct,
    d.max_ns,
    CASE WHEN f.id IS NOT NULL THEN coalesce(nullif(f.path, ''), nullif(f.name, ''), '(no name)') END AS busiest
FROM by_device AS d
LEFT JOIN file AS f ON f.id = d.busiest_id
ORDER BY total_ns DESC, device;
