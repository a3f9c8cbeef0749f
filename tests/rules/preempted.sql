-- always high: the kernel counted
INSERT INTO process (id, pid, name, lifetime, observed_ns, user_ns, system_ns, involuntary_switches) VALUES
    (1, 10, 'python', 1, 20000000000, 9000000000, 1000000000, 5000), (2, 11, 'sh', 1, 20000000000, 1000000, 0, 900),
    (3, 12, 'none', 1, NULL, NULL, NULL, NULL);

-- case: 5,000 in 10 s
-- expect: warning high - | python (10) was taken off its CPUs 5,000 times in 10.0 s of CPU time, 500.0 times a second.

-- case: 5,000 in 100 s
UPDATE process SET user_ns = 99000000000 WHERE id = 1;
-- expect: nothing
