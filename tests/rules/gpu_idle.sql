-- two GPUs, observed for 100 s each: they idle for 100 s in all, and a cause was in progress for 60 s, so that both could save more
INSERT INTO gpu_phase (label, device_id, basis, wall_ns, busy_min_ns, busy_max_ns) VALUES
    ('(run)', 1, 'exact', 100000000000, 50000000000, 50000000000),
    ('(run)', 2, 'exact', 100000000000, 50000000000, 50000000000);

-- case: the disk explains 40 s + 20 s of 200 s
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 60000000000, 40000000000, 40000000000),
    ('(run)', 2, 'disk read', 'exact', 60000000000, 20000000000, 20000000000);
-- expect: critical high 100000000000 | The GPUs idled for 30.0% of their time while a disk was read: 1m00s in all.

-- case: sampled, and a clock off by 2 s: 12 s at least, 6 % of 200 s, and 20 s at most
UPDATE source SET clock_error_ns = 2000000000;
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns, first_ns) VALUES
    (2, 'pmon.out', 'complete', 9, 9, 0, 0, 0, 0, 0, 1);
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'bounds', 60000000000, 6000000000, 10000000000),
    ('(run)', 2, 'disk read', 'bounds', 60000000000, 6000000000, 10000000000);
-- expect: warning medium 100000000000 | The GPUs idled for 6.0% .. 10.0% of their time while a disk was read: 12.0 s .. 20.0 s in all.

-- case: a GPU that two samplers contradict each other about
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'conflict', 60000000000, 60000000000, 60000000000),
    ('(run)', 2, 'disk read', 'exact', 60000000000, 0, 0);
-- expect: critical low 100000000000 | The GPUs idled for 30.0% of their time while a disk was read: 1m00s in all.

-- case: requests were lost
UPDATE source SET lost_events = 7;
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 60000000000, 40000000000, 40000000000);
-- expect: warning medium 100000000000 | The GPUs idled for ~20.0% of their time while a disk was read: ~40.0 s in all.

-- case: 4.5 % surely, more perhaps
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'bounds', 60000000000, 9000000000, 50000000000);
-- expect: nothing

-- case: it is what is asked for; in progress for 10 s, of each of the two GPUs
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 10000000000, 9000000000, 9000000000);
-- param: min_pct=4
-- expect: warning high 20000000000 | The GPUs idled for 4.5% of their time while a disk was read: 9.00 s in all.

-- case: each cause has its words; those that nobody can save anything of are for information
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'file read', 'exact', 60000000000, 16000000000, 16000000000),
    ('(run)', 1, 'file write', 'exact', 60000000000, 15000000000, 15000000000),
    ('(run)', 1, 'other file I/O', 'exact', 60000000000, 14000000000, 14000000000),
    ('(run)', 1, 'CUDA call', 'exact', 60000000000, 13000000000, 13000000000),
    ('(run)', 1, 'no calls recorded', 'exact', 60000000000, 12000000000, 12000000000),
    ('(run)', 1, 'unexplained', 'exact', 60000000000, 10000000000, 10000000000);
-- expect: warning high 100000000000 | The GPUs idled for 8.0% of their time while files were read without a disk: 16.0 s in all.
-- expect: warning high 100000000000 | The GPUs idled for 7.5% of their time while files were written or synced: 15.0 s in all.
-- expect: warning high 100000000000 | The GPUs idled for 7.0% of their time while files were opened, looked up or closed: 14.0 s in all.
-- expect: warning high 100000000000 | The GPUs idled for 6.5% of their time while the host was in a CUDA call other than waiting: 13.0 s in all.
-- expect: info high - | The GPUs idled for 6.0% of their time before the first or after the last call that was recorded: 12.0 s in all.
-- expect: info high - | The GPUs idled for 5.0% of their time while nothing that was traced was in progress: 10.0 s in all.
-- advise: Trace what nobody did: disk requests: event set block; loaders on CPUs: event set sched; sleeps, locks, pipes: event sets sync, wait; operators: torch.profiler. What remains is computing on the host, or waiting for other ranks.

-- case: it names what is missing only (all have reads, and calls of CUDA)
INSERT INTO op VALUES (101, 'read', 'syscall', 'read', 'io'), (102, 'futex', 'syscall', 'futex', 'lock'), (103, 'poll', 'syscall', 'poll', 'wait');
INSERT INTO block_request (id, start_ns, op, source_id) VALUES (1, 1, 0, 1);
INSERT INTO string VALUES (101, 'cpu-op');
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES ('(run)', 1, 'unexplained', 'exact', 60000000000, 10000000000, 10000000000);
-- expect: info high - | The GPUs idled for 5.0% of their time while nothing that was traced was in progress: 10.0 s in all.
-- advise: Trace what nobody did: loaders on CPUs: event set sched. What remains is computing on the host, or waiting for other ranks.

-- case: the program itself, 40 s of 200 s; it computed for 41 s, and may have meanwhile for the 2 s of a disk: 2 * 43 s
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'disk read', 'exact', 2000000000, 1000000000, 1000000000),
    ('(run)', 1, 'evaluation', 'exact', 0, 0, 0),
    ('(run)', 1, 'program computing', 'exact', 41000000000, 40000000000, 40000000000);
-- expect: warning high 86000000000 | The GPUs idled for 20.0% of their time while the first thread of the program computed on the host: 40.0 s in all.

-- case: what processes, ranks and the log tell; each over 200 s
INSERT INTO gpu_idle_part (label, device_id, cause, basis, cause_ns, idle_min_ns, idle_max_ns) VALUES
    ('(run)', 1, 'loader computing', 'exact', 60000000000, 19000000000, 19000000000),
    ('(run)', 1, 'waiting for a CPU', 'exact', 60000000000, 18000000000, 18000000000),
    ('(run)', 1, 'loader asleep', 'exact', 60000000000, 17000000000, 17000000000),
    ('(run)', 1, 'waiting for a loader', 'exact', 60000000000, 16000000000, 16000000000),
    ('(run)', 1, 'lock, queue or pipe', 'exact', 60000000000, 15000000000, 15000000000),
    ('(run)', 1, 'other ranks', 'exact', 60000000000, 14000000000, 14000000000),
    ('(run)', 1, 'launching operators', 'exact', 60000000000, 13000000000, 13000000000),
    ('(run)', 1, 'evaluation', 'exact', 60000000000, 12000000000, 12000000000),
    ('(run)', 1, 'initialisation', 'exact', 60000000000, 11000000000, 11000000000),
    ('(run)', 1, 'events lost', 'exact', 60000000000, 10000000000, 10000000000);
-- expect: warning high 100000000000 | The GPUs idled for 9.5% of their time while data loaders computed: 19.0 s in all.
-- expect: warning high 100000000000 | The GPUs idled for 9.0% of their time while threads of the training or of its loaders waited for a CPU: 18.0 s in all.
-- expect: warning high 100000000000 | The GPUs idled for 8.5% of their time while a data loader slept: 17.0 s in all.
-- expect: warning high 100000000000 | The GPUs idled for 8.0% of their time while the program waited for its DataLoader: 16.0 s in all.
-- expect: warning high 100000000000 | The GPUs idled for 7.5% of their time while the training thread waited for a lock, a queue or a pipe: 15.0 s in all.
-- expect: warning high 100000000000 | The GPUs idled for 7.0% of their time while the host was in a collective: 14.0 s in all.
-- expect: warning high 100000000000 | The GPUs idled for 6.5% of their time while the host was in an operator that had not launched its work: 13.0 s in all.
-- expect: info high - | The GPUs idled for 6.0% of their time during the evaluation: 12.0 s in all.
-- expect: info high - | The GPUs idled for 5.5% of their time during the initialisation: 11.0 s in all.
-- expect: info high - | The GPUs idled for 5.0% of their time while the recorder lost events: 10.0 s in all.
