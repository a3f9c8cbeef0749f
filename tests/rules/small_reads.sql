INSERT INTO run VALUES (1, 'test', '0', 0, 100000000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'a.out', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io');
INSERT INTO string VALUES (1, 'img{}.jpg'), (2, 'big.bin'), (3, 'pipe:[{}]');
INSERT INTO file (id, name, class, class_known, template_id, truncated) VALUES
    (1, 'img1.jpg', 'regular', 1, 1, 0), (2, 'big.bin', 'regular', 1, 2, 0), (3, 'pipe:[7]', 'pipe', 1, 3, 0);
-- 2,000 reads of 4,096 bytes, 30 s of 100 s; 2,000 of 1 MB; a pipe's
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,verb', 1, 'read', 2000, 0, 2000, 8192000, 30000000000, 1, 2),
    ('template,verb', 2, 'read', 2000, 0, 2000, 2000000000, 40000000000, 1, 2),
    ('template,verb', 3, 'read', 9000, 0, 9000, 9000, 90000000000, 1, 2);

-- case: many small ones
-- expect: warning high - | 2,000 reads of img{}.jpg moved 4.10 kB each and took 30.0 s, 30.0% of the run.

-- case: the same, and some were lost
UPDATE source SET lost_events = 7;
-- expect: warning medium - | >=2,000 reads of img{}.jpg moved ~4.10 kB each and took >=30.0 s, ~30.0% of the run.

-- case: 999 are few
UPDATE file_stat SET calls = 999 WHERE key_id = 1;
-- expect: nothing

-- case: 0.9 s of 100 s is not long
UPDATE file_stat SET total_ns = 900000000 WHERE key_id = 1;
-- expect: nothing

-- case: 1 MB is small where one says so
-- param: max_bytes=2mb
-- expect: warning high - | 2,000 reads of big.bin moved 1.00 MB each and took 40.0 s, 40.0% of the run.
-- expect: warning high - | 2,000 reads of img{}.jpg moved 4.10 kB each and took 30.0 s, 30.0% of the run.
