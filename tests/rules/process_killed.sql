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
-- expect: critical high - | ? (10) was killed by SIGKILL.

-- case: a process of the run killed it, as strace prints the call, after it had killed another one, and failed to end a third
INSERT INTO op VALUES (20, 'kill', 'syscall', 'process', 'other');
INSERT INTO string VALUES (20, '12, SIGKILL'), (21, '10, SIGTERM'), (22, '10, SIGKILL'), (23, '110, SIGKILL');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, ret, nested, source_id, args_id) VALUES
    (1, 1000000000, 10, 20, 3, 0, 0, 1, 20), (2, 1500000000, 10, 20, 3, 0, 0, 1, 21), (3, 1600000000, 10, 20, 2, -1, 0, 1, 22),
    (4, 1900000000, 10, 20, 3, 0, 0, 1, 22), (5, 1950000000, 10, 20, 2, 0, 0, 1, 23), (6, 2500000000, 10, 20, 2, 0, 0, 1, 22);
INSERT INTO call_block VALUES (1000000000, 1, 6, 6, 2500000010, 1, 10);
INSERT INTO op_stat (by, process_id, op_id, calls, errors, timed, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('process,op', 2, 20, 3, 1, 3, 1600000000, 2500000000, 0, 0), ('process,op', 3, 20, 3, 0, 3, 1000000000, 1900000000, 0, 0);
-- expect: warning high - | python (10) was killed by SIGKILL at 2.000s; ok (12) sent it.

-- case: as a recording has the call
INSERT INTO op VALUES (20, 'tgkill', 'syscall', 'process', 'other');
INSERT INTO string VALUES (20, '10 SIGKILL');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, ret, nested, source_id, args_id) VALUES (1, 1900000000, 10, 20, 2, 0, 0, 1, 20);
INSERT INTO call_block VALUES (1900000000, 1, 1, 1, 1900000010, 1, 10);
INSERT INTO op_stat (by, process_id, op_id, calls, errors, timed, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('process,op', 2, 20, 1, 0, 1, 1900000000, 1900000000, 0, 0);
-- expect: warning high - | python (10) was killed by SIGKILL at 2.000s; sh (11) sent it.

-- case: as killsnoop prints it, of the process itself
INSERT INTO op VALUES (20, 'kill', 'syscall', 'process', 'other');
INSERT INTO string VALUES (20, 'sig=9 pid=10');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, ret, nested, source_id, args_id) VALUES (1, 1900000000, NULL, 20, 1, 0, 0, 1, 20);
INSERT INTO call_block VALUES (1900000000, 1, 1, 1, NULL, 1, NULL);
INSERT INTO op_stat (by, process_id, op_id, calls, errors, timed, first_ns, last_ns, nested_calls, unfinished) VALUES
    ('process,op', 1, 20, 1, 0, 0, 1900000000, 1900000000, 0, 0);
-- expect: critical high - | python (10) was killed by SIGKILL at 2.000s; it sent that itself.

-- case: the kernel had no memory left; the signals that came before were others
INSERT INTO string VALUES (20, 'out-of-memory'), (21, 'signal'), (22, '{"signal":"SIGCHLD","from":"sh","from_pid":11,"from_uid":0}');
INSERT INTO mark (id, ts_ns, name_id, process_id, args_id, source_id) VALUES (1, 1900000000, 21, 1, 22, 1), (2, 2000000000, 20, 1, NULL, 1);
-- expect: critical high - | python (10) was killed by SIGKILL at 2.000s; the kernel sent it, as memory was short.

-- case: a recording has who sent the signal: no process of it
INSERT INTO string VALUES (21, 'signal'), (22, '{"signal":"SIGKILL","from":"slurmstepd","from_pid":77,"from_uid":0}');
INSERT INTO mark (id, ts_ns, name_id, process_id, args_id, source_id) VALUES (1, 1900000000, 21, 1, 22, 1);
-- expect: critical high - | python (10) was killed by SIGKILL at 2.000s; slurmstepd (77) sent it.

-- case: another rank of the same file is killed by its launcher, which is in the run, too
INSERT INTO string VALUES (21, 'signal'), (22, '{"signal":"SIGKILL","from":"sh","from_pid":11,"from_uid":0}');
INSERT INTO mark (id, ts_ns, name_id, process_id, args_id, source_id) VALUES (1, 1900000000, 21, 1, 22, 1);
-- expect: warning high - | python (10) was killed by SIGKILL at 2.000s; sh (11) sent it.
