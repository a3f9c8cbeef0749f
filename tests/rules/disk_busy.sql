INSERT INTO block_request (start_ns, dur_ns, device_id, op, bytes, source_id) VALUES (1, 1, 3, 0, 4096, 1);
-- 85 s of 100 s
INSERT INTO segment (start_ns, dur_ns, io_ns, block_ns, opens, reads, writes, read_bytes, write_bytes, vfs_bytes, syscall_bytes,
    block_read_bytes, block_write_bytes, io_wait_ns, cpu_ns) VALUES
    (0, 60000000000, 0, 60000000000, 0, 0, 0, 0, 0, 0, 0, 4000000000, 0, 0, 0),
    (60000000000, 40000000000, 0, 25000000000, 0, 0, 0, 0, 0, 0, 0, 2000000000, 1000000000, 0, 0);

-- case: most of the run
-- expect: warning high - | Requests to disks were in progress for 85.0% of the run (1m25s); they read 6.00 GB and wrote 1.00 GB.

-- case: requests were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | Requests to disks were in progress for ~85.0% of the run (>=1m25s); they read >=6.00 GB and wrote >=1.00 GB.

-- case: 75 %
UPDATE segment SET block_ns = block_ns - 10000000000 WHERE start_ns = 0;
-- expect: nothing

-- case: 85 s, for which two GPUs can have waited
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 90000000000, 90000000000, 90000000000), ('(run)', 2, 'other ranks at work', 'exact', 90000000000, 90000000000, 90000000000);
-- expect: warning high 170000000000 | Requests to disks were in progress for 85.0% of the run (1m25s); they read 6.00 GB and wrote 1.00 GB.
