INSERT INTO run VALUES (1, 'test', '0', 0, 9000000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'r.spool', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'train', 1), (2, 11, 'eval', 1);
-- 60 took 2,048 to 4,096 ns, 39 up to 8,192, one up to 1,048,576: 400,000 ns in all. Process 11 was counted only.
INSERT INTO summary VALUES (1, 1, 'cuda.launches', '10 cuLaunchKernel', 2048, 4096, 60, ''), (2, 1, 'cuda.launches', '10 cuLaunchKernel', 4096, 8192, 39, ''),
    (3, 1, 'cuda.launches', '10 cuLaunchKernel', 524288, 1048576, 1, ''), (4, 1, 'cuda.launches', '10 cuLaunchKernel', NULL, NULL, 100, ''),
    (5, 1, 'cuda.launch_time', '10 cuLaunchKernel', NULL, NULL, 400000, 'ns'), (6, 1, 'cuda.launches', '11 cuGraphLaunch', NULL, NULL, 7, ''),
    (7, 1, 'malloc.calls', '10 malloc', NULL, NULL, 9, '');
