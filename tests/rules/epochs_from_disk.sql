INSERT INTO block_request (start_ns, dur_ns, device_id, op, bytes, source_id) VALUES (1, 1, 3, 0, 4096, 1);
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, first_ns, last_ns) VALUES ('template,verb', 1, 'read', 9, 0, 9, 9, 1, 2);
-- three epochs of 30 s: the first and the third come from disk, of the second a tenth does
INSERT INTO phase_interval (label, start_ns, end_ns, run_number) VALUES
    ('epoch', 0, 90000000000, 1),
    ('epoch 1', 0, 30000000000, 1), ('epoch 2', 30000000000, 60000000000, 1), ('epoch 3', 60000000000, 90000000000, 1);
INSERT INTO segment (start_ns, dur_ns, opens, reads, writes, read_bytes, write_bytes, vfs_bytes, syscall_bytes, block_read_bytes,
    block_write_bytes, io_wait_ns, cpu_ns) VALUES
    (0, 30000000000, 0, 0, 0, 1000000000, 0, 0, 0, 1000000000, 0, 0, 0),
    (30000000000, 30000000000, 0, 0, 0, 1000000000, 0, 0, 0, 100000000, 0, 0, 0),
    (60000000000, 10000000000, 0, 0, 0, 400000000, 0, 0, 0, 400000000, 0, 0, 0),
    (70000000000, 20000000000, 0, 0, 0, 600000000, 0, 0, 0, 500000000, 0, 0, 0);

-- case: one of two later epochs; 900 MB of 1 GB
-- expect: warning high - | In 1 of 2 epochs after the first, 900 MB came from disk of 1.00 GB that were read, 90.0%, on average; 100 % of what all read is of img{}.jpg.

-- case: events were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | In >=1 of >=2 epochs after the first, ~900 MB came from disk of ~1.00 GB that were read, ~90.0%, on average; 100 % of what all read is of img{}.jpg.

-- case: 30 GB of another kind, of a pipe even more: 30 of 40 GB
UPDATE file_stat SET done_bytes = 10000000000;
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, first_ns, last_ns) VALUES
    ('template,verb', 2, 'read', 9, 0, 9, 30000000000, 1, 2), ('template,verb', 3, 'read', 9, 0, 9, 90000000000, 1, 2), ('template,verb', 4, 'write', 9, 0, 9, 90000000000, 1, 2);
-- expect: warning high - | In 1 of 2 epochs after the first, 900 MB came from disk of 1.00 GB that were read, 90.0%, on average; 75 % of what all read is of big.bin.

-- case: the later ones come from the page cache
UPDATE segment SET block_read_bytes = 0 WHERE start_ns > 0;
-- expect: nothing

-- case: little data
-- param: min_bytes=1gb
-- expect: nothing

-- case: disks were at work for 5 s of the third epoch, the only one, for which two GPUs can have waited: 2 * 5 s
UPDATE segment SET block_ns = CASE start_ns WHEN 60000000000 THEN 3000000000 WHEN 70000000000 THEN 2000000000 ELSE 20000000000 END;
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
-- expect: warning high 10000000000 | In 1 of 2 epochs after the first, 900 MB came from disk of 1.00 GB that were read, 90.0%, on average; 100 % of what all read is of img{}.jpg.

-- case: the two idled for no more than 4 and 3 s
UPDATE segment SET block_ns = 5000000000;
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES
    ('(run)', 1, 'exact', 100000000000, 96000000000, 96000000000), ('(run)', 2, 'exact', 100000000000, 97000000000, 97000000000);
-- expect: warning high 7000000000 | In 1 of 2 epochs after the first, 900 MB came from disk of 1.00 GB that were read, 90.0%, on average; 100 % of what all read is of img{}.jpg.
