INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1);
INSERT INTO track (id, name, unit, process_id, source_id) VALUES (1, 'faults.major', '1/s', 1, 1), (2, 'faults.minor', '1/s', 1, 1);
INSERT INTO sample (id, ts_ns, dur_ns, track_id, value) VALUES (1, 5000000000, 5000000000, 1, 500), (2, 5000000000, 5000000000, 2, 90000), (3, 10000000000, 5000000000, 1, 100);

-- case: 2500 + 500 in 10 s
-- expect: warning high - | python (10) waited for a disk in 3,000 page faults, 300.0 a second.

-- case: records were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | python (10) waited for a disk in >=3,000 page faults, ~300.0 a second.

-- case: as many in ten times the time
UPDATE sample SET dur_ns = 10 * dur_ns, value = value / 10;
-- expect: nothing

-- case: a disk read for 30 s, as often as there were faults, for which two GPUs can have waited that idled for longer: 2 * 30 s
INSERT INTO block_request_stat (by, device_id, direction, requests, timed, bytes, total_ns, sequential, forward, backward, queued, first_ns, last_ns) VALUES
    ('device,direction', 3, 'read', 3000, 0, 1, NULL, 0, 0, 0, 0, 1, 2), ('device,direction', 3, 'write', 9000, 0, 1, NULL, 0, 0, 0, 0, 1, 2);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 30000000000, 20000000000, 20000000000), ('(run)', 2, 'other ranks at work', 'exact', 70000000000, 70000000000, 70000000000);
-- expect: warning high 60000000000 | python (10) waited for a disk in 3,000 page faults, 300.0 a second.

-- case: the disk had fewer reads than there were faults: some waited for another one, that of a server, and nobody knows for how long
INSERT INTO block_request_stat (by, device_id, direction, requests, timed, bytes, total_ns, sequential, forward, backward, queued, first_ns, last_ns) VALUES
    ('device,direction', 3, 'read', 2999, 0, 1, NULL, 0, 0, 0, 0, 1, 2), ('device,direction', 3, 'write', 9000, 0, 1, NULL, 0, 0, 0, 0, 1, 2);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 0, 0), ('(run)', 2, 'exact', 100000000000, 0, 0);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 30000000000, 20000000000, 20000000000), ('(run)', 2, 'other ranks at work', 'exact', 70000000000, 70000000000, 70000000000);
-- expect: warning high - | python (10) waited for a disk in 3,000 page faults, 300.0 a second.
