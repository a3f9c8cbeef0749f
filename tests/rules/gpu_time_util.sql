INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES ('(run)', 1, 'exact', 60000000000, 42500000000, 42500000000);
-- 60 segments of 1 s from 0.000s on, two to a piece; GPU 0 is busy for 0.8 s of each, but in 10 .. 16 s 0.3 s, in 16 .. 18 s for 0.8 and 0.1 s, and in 40 .. 42 s 0.2 s
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59)
INSERT INTO segment (start_ns, dur_ns, opens, reads, writes, read_bytes, write_bytes, vfs_bytes, syscall_bytes, block_read_bytes, block_write_bytes, io_wait_ns, cpu_ns)
SELECT i * 1000000000, 1000000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM n;
INSERT INTO gpu_segment (start_ns, device_id, basis, busy_min_ns, busy_max_ns)
SELECT
    start_ns, 1, 'exact',
    CASE start_ns / 1000000000 WHEN 10 THEN 3 WHEN 11 THEN 3 WHEN 12 THEN 3 WHEN 13 THEN 3 WHEN 14 THEN 3 WHEN 15 THEN 3 WHEN 17 THEN 1 WHEN 40 THEN 2 WHEN 41 THEN 2 ELSE 8 END * 100000000,
    0
FROM segment;
UPDATE gpu_segment SET busy_max_ns = busy_min_ns;

-- case: (6 * 0.3 + 0.9) s of 8 s: 33.75 %, 5.3 s idle; and 0.4 s of 2 s; and of the pieces before and behind each 0.2 of each second, 0.8 s
-- expect: warning high 6100000000 | GPU 0 was busy for 33.8% of 8.00 s from 10.000s on.
-- expect: warning high 2400000000 | GPU 0 was busy for 20.0% of 2.00 s from 40.000s on.

-- case: of a finer cut 16 .. 17 s is not low and parts the first stretch: 1.8 of 6 s, and 0.1 of 1 s; beside each 0.2 s before and behind
-- param: pieces=60
-- param: min_ns=1s
-- expect: warning high 4600000000 | GPU 0 was busy for 30.0% of 6.00 s from 10.000s on.
-- expect: warning high 2000000000 | GPU 0 was busy for 20.0% of 2.00 s from 40.000s on.
-- expect: warning high 1300000000 | GPU 0 was busy for 10.0% of 1.00 s from 17.000s on.

-- case: not observed from 12 to 14 s: 0.6 s of 2 s before it, (0.6 + 0.9) s of 4 s behind it; each is beside the other: 2.5 + 1.4 + 0.4 s, 1.4 + 2 * 0.7 + 0.4 s
DELETE FROM gpu_segment WHERE start_ns IN (12000000000, 13000000000);
-- expect: warning high 4300000000 | GPU 0 was busy for 37.5% of 4.00 s from 14.000s on.
-- expect: warning high 2400000000 | GPU 0 was busy for 20.0% of 2.00 s from 40.000s on.
-- expect: warning high 3200000000 | GPU 0 was busy for 30.0% of 2.00 s from 10.000s on.

-- case: two GPUs: the other one is busy for 0.1 s of each second, and idles for 54 s; the first for 51 * 0.2 + 6 * 0.7 + 0.9 + 2 * 0.8 = 16.9 s meanwhile
INSERT INTO gpu_segment (start_ns, device_id, basis, busy_min_ns, busy_max_ns) SELECT start_ns, 2, 'exact', 100000000, 100000000 FROM segment;
-- expect: warning high 70900000000 | GPU 1 was busy for 10.0% of 1m00s from 0.000s on.

-- case: sampled: 10 .. 16 s may be 0.45 s of each second
UPDATE gpu_segment SET basis = 'bounds', busy_max_ns = 450000000 WHERE start_ns BETWEEN 10000000000 AND 15000000000;
-- param: min_ns=3s
-- expect: warning medium 6100000000 | GPU 0 was busy for 33.8% .. 45.0% of 8.00 s from 10.000s on.

-- case: some of the work was lost
UPDATE source SET lost_events = 1;
-- param: min_ns=3s
-- expect: warning medium 6100000000 | GPU 0 was busy for ~33.8% of 8.00 s from 10.000s on.

-- case: it may have been busy for 0.7 s of each second
UPDATE gpu_segment SET basis = 'bounds', busy_max_ns = 700000000 WHERE busy_max_ns < 700000000;
-- expect: nothing

-- case: less is asked for
-- param: max_pct=15
-- expect: nothing

-- case: of one of several machines
UPDATE device SET host = 'node1';
-- expect: warning high 6100000000 | GPU 0 of node1 was busy for 33.8% of 8.00 s from 10.000s on.
-- expect: warning high 2400000000 | GPU 0 of node1 was busy for 20.0% of 2.00 s from 40.000s on.
