-- always high: the kernel said so
INSERT INTO process (id, pid, name, lifetime, start_ns, end_ns, exit_status, max_rss_bytes) VALUES
    (1, 10, 'python', 1, 1, 2000000000, -9, 64000000000), (2, 11, 'sh', 1, 1, 2, 1, 1), (3, 12, 'ok', 1, 1, 2, 0, 1),
    (4, 13, 'tail', 1, 1, 3000000000, -13, NULL);

-- case: one by SIGKILL
-- expect: critical high - | python (10) was killed by SIGKILL at 2.000s.

-- case: a broken pipe, too
-- param: all=1
-- expect: critical high - | python (10) was killed by SIGKILL at 2.000s.
-- expect: critical high - | tail (13) was killed by SIGPIPE at 3.000s.

-- case: a broken pipe and a failure
DELETE FROM process WHERE id = 1;
-- expect: nothing

-- case: of what strace -f without times tells, neither name nor time is known
UPDATE process SET name = NULL, end_ns = NULL WHERE id = 1;
-- expect: critical high - | ? (10) was killed by SIGKILL at ?.
