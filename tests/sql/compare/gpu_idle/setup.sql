-- Two GPUs, traced in epoch 1, sampled in epoch 2; evaluations are not all seen.
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns, first_ns, last_ns) VALUES
    (4, 'smi', 'nvidia-smi', 'complete', 8, 8, 0, 0, 0, 0, 0, 1000, 9000);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES
    ('epoch 1', 1, 'exact', 3000, 2000, 2000), ('epoch 1', 2, 'exact', 3000, 1000, 1000),
    ('epoch 2', 1, 'bounds', 4000, 1000, 3000), ('epoch 2', 2, 'exact', 4000, 2000, 2000),
    ('eval 1', 1, 'exact', 500, 100, 100),
    ('epoch', 1, 'bounds', 7000, 3000, 5000);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('epoch 1', 1, 'disk read', 'exact', 800, 700, 700), ('epoch 1', 1, 'file write', 'exact', 0, 0, 0),
    ('epoch 1', 2, 'disk read', 'exact', 800, 500, 500),
    ('epoch 1', 2, 'unexplained', 'exact', 2200, 1500, 1500),
    ('epoch 1', 1, 'unexplained', 'exact', 2200, 300, 300),
    ('epoch 2', 1, 'unexplained', 'bounds', 4000, 1000, 3000), ('epoch 2', 2, 'unexplained', 'exact', 4000, 2000, 2000);
