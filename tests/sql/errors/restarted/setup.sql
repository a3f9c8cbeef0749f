-- strace prints 'wait4(-1, ...) = ? ERESTARTSYS' of a call that a signal interrupted: the kernel's own number, 512, which no program sees
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'sh', 1);
INSERT INTO op VALUES (1, 'wait4', 'syscall', 'wait', 'wait');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, ret, nested, source_id) VALUES
    (1, 1000, 10, 1, 1, -512, 0, 1), (2, 2000, 20, 1, 1, -516, 0, 1), (3, 3000, 20, 1, 1, -514, 0, 1), (4, 4000, 20, 1, 1, -513, 0, 1);
INSERT INTO op_stat (by, process_id, op_id, calls, errors, timed, first_ns, last_ns, nested_calls, unfinished) VALUES ('op', NULL, 1, 4, 4, 4, 1000, 4000, 0, 0);
