-- A file of each kind, most with one call of 10 ns. The calls are those that the statistics were made of.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a', 'record', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO string (id, text) VALUES (1, '/data'), (2, '/mnt/nfs/set'), (3, 'x'), (4, '/dev');
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'gpu-worker', 1), (2, 11, 'gui', NULL, 1);
INSERT INTO op VALUES
    (1, 'read', 'syscall', 'read', 'io'), (2, 'write', 'syscall', 'write', 'io'), (3, 'ioctl', 'syscall', 'other', 'other'),
    (4, 'connect', 'syscall', 'socket', 'other'), (5, 'mmap', 'syscall', 'map', 'memory'), (6, 'openat', 'syscall', 'open', 'io');
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated, device) VALUES
    (1, '/data/a', 'a', 'printed', 'regular', 1, 1, 3, 0, 254 << 20), (2, '/data/b', 'b', 'printed', 'regular', 1, 1, 3, 0, 39),
    (3, '/data/c', 'c', 'printed', 'regular', 0, 1, 3, 0, NULL), (4, '/mnt/nfs/set/d', 'd', 'printed', 'regular', 1, 2, 3, 0, 40),
    (5, '/dev/nvidia0', 'nvidia0', 'printed', 'device', 1, 4, 3, 0, 6), (6, '/dev/nvidiactl', 'nvidiactl', 'printed', 'device', 1, 4, 3, 0, 6),
    (7, '/dev/bus/usb/001/002', '002', 'printed', 'device', 1, 4, 3, 0, 6), (8, NULL, '0', NULL, 'terminal', 0, NULL, 3, 0, NULL),
    (9, NULL, 'unix:->/tmp/.X11-unix/X0', NULL, 'socket', 1, NULL, 3, 0, NULL), (10, NULL, 'tcp:10.0.0.1:5->10.0.0.2:80', NULL, 'socket', 1, NULL, 3, 0, NULL),
    (11, NULL, 'unix:[77]', NULL, 'socket', 1, NULL, 3, 0, NULL), (12, '/dev/shm/x', 'x', 'printed', 'shm', 1, 4, 3, 0, 27),
    (13, '/proc/stat', 'stat', 'printed', 'proc-sys', 1, 1, 3, 0, 21), (14, NULL, 'pipe:[1]', NULL, 'pipe', 1, NULL, 3, 0, 15),
    (15, '/dev/null', 'null', 'printed', 'device', 1, 4, 3, 0, 6), (16, NULL, '', NULL, 'unnamed', 1, NULL, 3, 0, NULL);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 100, 1, 1, 1, 600, 600, 0, 1), (2, 1100, 20, 2, 1, 1, 100, 100, 0, 1), (3, 1200, 10, 1, 1, 2, 50, 50, 0, 1), (4, 1300, 10, 1, 1, 3, 50, 50, 0, 1),
    (5, 1400, 60, 1, 1, 4, 100, 100, 0, 1), (6, 1500, 5, 6, 1, 5, 7, NULL, 0, 1), (7, 1600, 30, 3, 1, 5, 0, NULL, 0, 1), (8, 1700, 50, 3, 1, 6, -5, NULL, 0, 1),
    (9, 1800, 10, 3, 2, 7, 0, NULL, 0, 1), (10, 1900, 10, 2, 2, 8, 10, 10, 0, 1), (11, 2000, 10, 4, 2, 9, 0, NULL, 0, 1), (12, 2100, 30, 2, 2, 9, 40, 40, 0, 1),
    (13, 2200, 20, 1, 2, 10, 20, 20, 0, 1), (14, 2300, 10, 1, 2, 11, 10, 10, 0, 1), (15, 2400, 10, 2, 1, 12, 10, 10, 0, 1), (16, 2500, 10, 1, 1, 13, 10, 10, 0, 1),
    (17, 2600, 10, 1, 1, 14, 0, 0, 0, 1), (18, 2700, 10, 2, 1, 15, 0, 0, 0, 1), (19, 2800, 10, 2, 1, 16, 0, 0, 0, 1), (20, 2900, 5, 1, 1, NULL, -9, NULL, 0, 1),
    (21, 3000, 99, 5, 1, 1, 0, NULL, 0, 1), (22, 3100, 70, 1, 1, 1, 600, 600, 1, 1); -- what is mapped is no device; inside another call
INSERT INTO call_block VALUES (1000, 1, 22, 21, 3099, 1, 100);
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, max_ns, first_ns, last_ns)
SELECT 'file,verb', c.file_id, NULL, o.verb, count(*), sum(c.ret < 0), count(*), sum(c.done_bytes), sum(c.dur_ns), max(c.dur_ns), min(c.start_ns), max(c.start_ns)
FROM call AS c JOIN op AS o ON o.id = c.op_id WHERE o.kind = 'io' AND c.nested = 0 GROUP BY c.file_id, o.verb
UNION ALL
SELECT 'file,process,verb', c.file_id, c.process_id, o.verb, count(*), sum(c.ret < 0), count(*), sum(c.done_bytes), sum(c.dur_ns), max(c.dur_ns), min(c.start_ns), max(c.start_ns)
FROM call AS c JOIN op AS o ON o.id = c.op_id WHERE o.kind = 'io' AND c.nested = 0 GROUP BY c.file_id, c.process_id, o.verb;
INSERT INTO bin_stat SELECT start_ns / 1000 * 1000, process_id, file_id, op_id, count(*), sum(ret < 0), sum(done_bytes), sum(dur_ns)
FROM call WHERE nested = 0 GROUP BY 1, 2, 3, 4;
