INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 100000000000, 50000000000, 50000000000);
INSERT INTO gpu_idle_stretch VALUES
    (1, 'file read', 5000000000, 900000000, 800000000, 800000000, 1, 2), (1, 'file read', 7000000000, 600000000, 600000000, 600000000, 1, 1),
    (1, 'file read', 8000000000, 100000000, 100000000, 100000000, 1, 1), (1, 'evaluation', 9000000000, 9000000000, 9000000000, 9000000000, NULL, NULL);

-- case: 0.8 s and 0.6 s
-- expect: warning high 1400000000 | GPU 0 idled for 800 ms from 5.000s on (file read: python 10, big.bin), and once more for 0.5 s or longer.

-- case: events were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium 1400000000 | GPU 0 idled for ~800 ms from 5.000s on (file read: python 10, big.bin), and once more for 0.5 s or longer.

-- case: 0.6 s is too short
-- param: min_gap=700ms
-- expect: warning high 800000000 | GPU 0 idled for 800 ms from 5.000s on (file read: python 10, big.bin).

-- case: shorter ones
-- param: min_gap=900ms
-- expect: nothing

-- case: it was sampled: perhaps
UPDATE gpu_idle_stretch SET idle_min_ns = 0;
-- expect: nothing

-- case: of one of several machines
UPDATE device SET host = 'node1';
-- expect: warning high 1400000000 | GPU 0 of node1 idled for 800 ms from 5.000s on (file read: python 10, big.bin), and once more for 0.5 s or longer.
