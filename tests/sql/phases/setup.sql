-- An init, two epochs logged by two ranks each (the second rank 10 ns later), and an epoch that never ended.
-- CPU, GPU and calls were traced in epoch 1 only.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events)
VALUES (1, 'log', 'mllog', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO string VALUES (1, 'phase'), (2, 'init'), (3, 'epoch'), (4, 'complete'), (5, 'unfinished'), (6, 'nvtx'), (7, 'eval');
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, rank, run_number, state_id, source_id) VALUES
    (1, 1000, 1000, 1, 2, NULL, NULL, 1, 4, 1),
    (2, 2000, 1990, 1, 3, 1, 0, 1, 4, 1),
    (3, 2010, 1990, 1, 3, 1, 1, 1, 4, 1),
    (4, 4000, 990, 1, 3, 2, 0, 1, 4, 1),
    (5, 4010, 990, 1, 3, 2, 1, 1, 4, 1),
    (6, 5000, NULL, 1, 3, 3, 0, 1, 5, 1),
    -- no number: one by two ranks, and another
    (20, 7000, 100, 1, 7, NULL, 0, 1, 4, 1),
    (21, 7010, 100, 1, 7, NULL, 1, 1, 4, 1),
    (22, 7500, 100, 1, 7, NULL, 0, 1, 4, 1),
    (7, 5010, NULL, 1, 3, 3, 1, 1, 5, 1),
    (8, 5010, 100, 6, 3, NULL, NULL, NULL, 4, 1);
INSERT INTO rank_span VALUES (1), (2), (3), (4), (5), (6), (20), (21), (22), (7), (8);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES
    ('init', 1000, 2000), ('epoch', 2000, 4000), ('epoch', 4000, 5000), ('epoch 1', 2000, 4000), ('epoch 2', 4000, 5000);
-- start, dur, io, block, opens, reads, writes, read bytes, write bytes, vfs, syscall, block read, block written, wait, CPU, busy, iowait
INSERT INTO segment VALUES
    (1000, 1000, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL),
    (2000, 1000, 400, 100, 1, 3, 1, 3000, 10, 3010, 0, 1000, 0, 500, 1000, 400, 100),
    (3000, 1000, 600, 0, 0, 2, 0, 1000, 0, 1000, 0, 0, 512, 700, 1000, 300, 0),
    (4000, 1000, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL);
-- Of GPU 0 a range, of GPU 1 all: wall, I/O, blocks, busy, both with calls, neither with calls, likewise with blocks.
INSERT INTO gpu_phase VALUES
    ('epoch 1', NULL, 1, 'bounds', 2000, 1000, 100, 400, 1000, 0, 700, 0, 600, 0, 100, 1000, 1500, NULL),
    ('epoch 1', 2000, 1, 'bounds', 2000, 1000, 100, 500, 900, 0, 600, 100, 500, 0, 100, 1000, 1400, NULL),
    ('epoch 1', 2000, 2, 'exact', 2000, 1000, 100, 1000, 1000, 400, 400, 400, 400, 50, 50, 950, 950, NULL);
-- CPUs: wall, busy, waiting.
INSERT INTO cpu_phase VALUES ('epoch 1', NULL, 1, 0, 0, 0, 0, NULL, NULL), ('epoch 1', 2000, 2000, 600, 800, 50, 150, NULL, NULL);
