INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events, first_ns, last_ns) VALUES
    (1, 'a.db.spool', 'record', 'complete', 0, 0, 0, 0, 0, 0, 0, 1000000);
INSERT INTO summary VALUES
    (1, 1, 'bpf.run_time', 'sys_enter', NULL, NULL, 20000, 'ns'), (2, 1, 'bpf.runs', 'sys_enter', NULL, NULL, 100, ''),
    (3, 1, 'bpf.run_time', 'sys_exit', NULL, NULL, 50000, 'ns'), (4, 1, 'bpf.runs', 'sys_exit', NULL, NULL, 99, ''),
    (5, 1, 'collector.cpu', 'tracedb-record', NULL, NULL, 30000, 'ns'), (6, 1, 'malloc', 'x', NULL, NULL, 1, 'bytes'),
    (7, 1, 'bpf.measured', 'sys_enter', NULL, NULL, 250000, 'ns');
