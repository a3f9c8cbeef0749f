-- The run is 0 .. 20000, its middle 10000; bins are 4000 wide.
INSERT INTO run VALUES (1, 'test', '0', 0, 20000, 0, 'given', 4000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 'a', 'record', 'complete', 9, 9, 0, 0, 0, 0), (2, 'gpu.out', 'nvidia-smi', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO segment VALUES (0, 20000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL);
INSERT INTO string (id, text) VALUES
    (1, '/data'), (2, '/data/x{}'), (3, 'kernel'), (4, 'sync'), (5, 'gemm'), (6, 'Stream sync'), (7, 'accuracy'), (8, '{"value":0.5}'), (9, '[memory]');
INSERT INTO process (id, pid, name, host, role, lifetime, start_ns, end_ns, exit_status, command_line) VALUES
    (1, 10, 'python', NULL, 'data-loader', 1, 500, 10400, -9, 'python load.py'), (2, 11, 'cp', 'node1', NULL, 1, 9200, 10900, 3, NULL);
INSERT INTO op VALUES
    (1, 'openat', 'syscall', 'open', 'io'), (2, 'read', 'syscall', 'read', 'io'), (3, 'futex', 'syscall', 'lock', 'lock'),
    (4, 'cudaLaunchKernel', 'cuda', 'launch', 'other');
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES
    (1, '/data/x1', 'x1', 'printed', 'regular', 0, 1, 2, 0), (2, NULL, 'x2', NULL, 'regular', 0, NULL, 2, 0), (3, NULL, 'pipe:[1]', NULL, 'pipe', 1, NULL, 2, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'disk', 'sda', NULL), (2, 'gpu', 'GPU 0', 0), (3, 'gpu', 'GPU 1', 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES
    ('epoch', 2000, 9500), ('epoch', 9500, 12000), ('epoch 1', 2000, 9500), ('epoch 2', 9500, 12000), ('(run)', 0, 20000), ('init', 0, 2000);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 1000, 8100, 2, 1, 1, 10, 10, 0, 1), -- lasts to 9100, into the window of the widths 2000
    (2, 1500, 200, 2, 1, 1, 20, 20, 0, 1), -- in that bin, too
    (3, 8100, 900, 2, 2, 2, 30, 30, 0, 1), -- to 9000: ends when the window begins
    (4, 9000, 5, 1, 1, 1, 3, NULL, 0, 1),
    (5, 9100, 700, 2, 1, 1, 40, 40, 1, 1), -- inside another one
    (6, 9200, 800, 3, 1, NULL, 0, NULL, 0, 1), -- waits
    (7, 9300, 600, 2, 1, 3, 1, 1, 0, 1), -- of a pipe: waits
    (8, 9600, 50, 2, 2, 2, 50, 50, 0, 1),
    (9, 9700, 20, 4, 1, NULL, 0, NULL, 0, 1),
    (10, 10999, NULL, 2, 1, 1, NULL, NULL, 0, 1),
    (11, 11000, 60, 2, 1, 1, 60, 60, 0, 1); -- when the window has ended
INSERT INTO call_block VALUES (1000, 1, 2, 2, 9100, 1, 8100), (8100, 3, 6, 3, 10000, 3, 900), (9300, 7, 11, 5, 11060, 7, 600);
INSERT INTO bin_stat (bin_ns, process_id, file_id, op_id, calls, errors, done_bytes, total_ns) VALUES
    (8000, 1, 1, 1, 1, 0, NULL, 5), (0, 1, 1, 2, 2, 0, 30, 8300), (8000, 2, 2, 2, 2, 0, 80, 950), (8000, 1, 3, 2, 1, 0, 1, 600),
    (8000, 1, 1, 2, 2, 0, 60, 60), (8000, 1, NULL, 3, 1, 0, NULL, 800), (8000, 1, NULL, 4, 1, 0, NULL, 20);
INSERT INTO op_stat (by, process_id, op_id, calls, errors, timed, total_ns, max_ns, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('process,op', 1, 1, 1, 0, 1, 5, 5, 9000, 9000, 0, 0), ('process,op', 1, 2, 5, 0, 4, 8960, 8100, 1000, 11000, 1, 0),
    ('process,op', 1, 3, 1, 0, 1, 800, 800, 9200, 9200, 0, 0), ('process,op', 1, 4, 1, 0, 1, 20, 20, 9700, 9700, 0, 0),
    ('process,op', 2, 2, 2, 0, 2, 950, 900, 8100, 9600, 0, 0);
-- until when the window begins; into it; in it
INSERT INTO block_request (id, start_ns, dur_ns, device_id, op, bytes, process_id, source_id) VALUES
    (1, 8000, 1000, 1, 0, 512, 1, 1), (2, 8900, 300, 1, 0, 1024, 1, 1), (3, 10100, 40, 1, 1, 2048, 2, 1);
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 9710, 100, 2, 3, 5, 1, 1), (2, 9720, 500, 2, 4, 6, 1, 1);
-- GPU 0: 80 % of the whole. GPU 1: two processes, 70 + 40 %, more than there is; then none. CPUs: without iowait.
INSERT INTO track VALUES
    (1, 'gpu.sm', '%', 2, NULL, 1), (2, 'gpu.sm', '%', 3, 1, 2), (3, 'gpu.sm', '%', 3, 2, 2), (4, 'gpu.sm', '%', 3, NULL, 2), (5, 'gpu.sm', '%', 2, NULL, 2),
    (6, 'cpu.usr', '%', NULL, NULL, 1), (7, 'cpu.sys', '%', NULL, NULL, 1), (8, 'cpu.idle', '%', NULL, NULL, 1), (9, 'cpu.iowait', '%', NULL, NULL, 1);
INSERT INTO gpu_sampler VALUES
    (2, 1, 1, 'bounds', 0, 0, 0.5, 1, 0, 0), (2, 2, 2, 'bounds', 0, 0, 0.5, 1, 0, 0), (3, 2, 2, 'bounds', 0, 0, 0.5, 1, 0, 0);
INSERT INTO cpu_sampler VALUES (NULL, 1, NULL, 1, 0, 0, 20000);
INSERT INTO sample (id, ts_ns, dur_ns, track_id, value) VALUES
    (1, 10200, 1000, 1, 80), (2, 10200, 1000, 2, 70), (3, 10200, 1000, 3, 40), (4, 10200, 1000, 5, 13),
    (5, 10300, 1000, 6, 12.34), (6, 10300, 1000, 7, 2), (7, 10300, 1000, 8, 85.66), (8, 10300, 1000, 9, NULL),
    (9, 11200, 1000, 4, NULL), (10, 12500, 1000, 1, 50);
INSERT INTO mark (id, ts_ns, name_id, args_id, source_id) VALUES (1, 9500, 7, 8, 1), (2, 9501, 9, NULL, 1), (3, 11000, 7, 8, 1);
INSERT INTO loss (id, source_id, name, start_ns, dur_ns, generated, lost) VALUES
    (1, 1, 'file_io', 8500, 1000, 100, 0), (2, 1, 'file_io', 9500, 1000, 200, 7);
