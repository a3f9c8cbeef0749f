-- Two machines.
INSERT INTO cpu_phase (label, wall_ns, busy_min_ns, busy_max_ns, iowait_min_ns, iowait_max_ns, host) VALUES
    ('epoch 1', 3000, 600, 900, 0, 300, 'a'), ('epoch 1', 3000, 0, 600, 300, 300, 'b'),
    ('epoch 2', 4000, 1000, 2000, NULL, NULL, 'a'), ('epoch 2', 4000, 1000, 2000, 0, 0, 'b'),
    ('epoch', 7000, 1, 1, 1, 1, 'a');
