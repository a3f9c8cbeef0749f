INSERT INTO op VALUES (20, 'mmap', 'syscall', 'map', 'memory'), (21, 'munmap', 'syscall', 'unmap', 'memory'), (22, 'malloc', 'libc', 'memory', 'memory');
-- 3 s + 1 s of 100 s; malloc() is not one of the kernel's
INSERT INTO op_stat (by, op_id, calls, errors, timed, total_ns, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('op', 20, 3000, 0, 3000, 3000000000, 1, 2, 0, 0), ('op', 21, 3000, 0, 3000, 1000000000, 1, 2, 0, 0),
    ('op', 22, 3000, 0, 3000, 9000000000, 1, 2, 0, 0), ('op', 7, 3000, 0, 3000, 9000000000, 1, 2, 0, 0);

-- case: 4 % of the run
-- expect: warning high - | 6,000 calls of mmap, munmap, brk, madvise and the like took 4.00 s, 4.0% of the run; page faults come on top.

-- case: calls were lost
UPDATE source SET lost_events = 1;
-- expect: warning medium - | >=6,000 calls of mmap, munmap, brk, madvise and the like took >=4.00 s, ~4.0% of the run; page faults come on top.

-- case: 1.9 s
UPDATE op_stat SET total_ns = 950000000 WHERE op_id IN (20, 21);
-- expect: nothing

-- case: few calls
UPDATE op_stat SET calls = 400 WHERE op_id IN (20, 21);
-- expect: nothing
