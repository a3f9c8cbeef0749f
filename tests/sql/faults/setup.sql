INSERT INTO run VALUES (1, 'test', '0', 1000000000, 9000000000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't', 'recording', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1), (2, 11, 'sh', NULL, 1);
INSERT INTO track (id, name, unit, process_id, source_id) VALUES
    (1, 'faults.minor', '1/s', 1, 1), (2, 'faults.major', '1/s', 1, 1), (3, 'faults.minor', '1/s', 2, 1), (4, 'faults.major', '1/s', 2, 1), (5, 'cpu.usr', '%', NULL, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 2000000000, 4000000000);
-- process 10: 100 in the first second, 300 in a half after it, 2 major ones; process 11: 50
INSERT INTO sample (id, ts_ns, dur_ns, track_id, value) VALUES
    (1, 2000000000, 1000000000, 1, 100), (2, 2000000000, 1000000000, 2, 2), (3, 2000000000, 1000000000, 3, 50), (4, 2000000000, 1000000000, 4, 0),
    (5, 2500000000, 500000000, 1, 600), (6, 2500000000, 500000000, 2, 0), (7, 2600000000, 1000000000, 5, 70);
