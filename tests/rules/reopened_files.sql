-- two images, opened 3,002 times of which 2 failed: 1,500 each; a file that was opened 1,000 times in one second
INSERT INTO file (id, name, class, class_known, template_id, truncated) VALUES (5, 'img2.jpg', 'regular', 1, 1, 0);
INSERT INTO file_stat (by, key_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('template,verb', 1, 'open', 3002, 2, 3002, NULL, 6000000, 1, 2),
    ('template,verb', 2, 'open', 999, 0, 999, NULL, 1000000000, 1, 2);

-- case: again and again
-- expect: warning high - | 2 files like img{}.jpg were opened 3,000 times, 1,500.0 times each, which took 6.00 ms.

-- case: opens were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=2 files like img{}.jpg were opened >=3,000 times, ~1,500.0 times each, which took >=6.00 ms.

-- case: 1,501 each are asked for
-- param: min_each=1501
-- expect: nothing
