-- Two processes on two GPUs, of which one has a data loader, and a log of a rank without a process. The log of rank 1
-- has no process id; it is of the one that works on a GPU. Of rank 0 somebody gave the rank.
INSERT INTO run VALUES (1, 'test', '0', 1000, 9000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't', 'kineto', 'complete', 8, 8, 0, 0, 0, 0);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events, rank, rank_basis) VALUES
    (2, 'rank1.log', 'mllog', 'complete', 8, 8, 0, 0, 0, 0, 1, 'name'), (3, 'u', 'kineto', 'complete', 8, 8, 0, 0, 0, 0, 0, 'given');
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO process (id, pid, name, parent_pid, lifetime) VALUES (1, 10, 'python', 1, 1), (2, 20, 'python', 1, 1), (3, 21, 'python', 20, 1), (4, 22, 'sh', 20, 1);
INSERT INTO string VALUES
    (1, 'kernel'), (2, 'copy'), (3, 'gemm'), (4, 'ncclDevKernel_AllReduce(x)'), (5, 'HtoD'), (6, 'annotation'), (7, 'phase'), (8, 'epoch'),
    (9, 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__'), (10, 'complete'), (11, 'regular'), (12, 'init');
INSERT INTO collective_name VALUES (4, 4, 'ncclDevKernel_AllReduce');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 1000, 100, 1, 1, 3, 1, 1), (2, 1000, 90, 2, 1, 3, 2, 1), (3, 1200, 500, 1, 1, 4, 1, 1), (4, 1600, 100, 2, 1, 4, 2, 1), (5, 1900, 100, 2, 2, 5, 2, 1);
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, rank, state_id, process_id, source_id) VALUES
    (1, 1100, 400, 6, 9, NULL, 1, 10, 2, 1),
    (2, 1000, 50, 6, 9, NULL, NULL, 10, 1, 3),
    (3, 1000, 900, 7, 8, 1, 2, 10, NULL, 1),
    (4, 900, 100, 7, 12, NULL, 2, 10, NULL, 1),
    (5, 1900, 800, 7, 8, 2, 2, 10, NULL, 1),
    (6, 1500, 600, 7, 8, 1, NULL, 10, NULL, 2);
INSERT INTO file_stat (by, key_id, process_id, verb, calls, errors, timed, done_bytes, total_ns, first_ns, last_ns) VALUES
    ('class,process,verb', 11, 2, 'read', 1, 0, 1, 7, 3, 1, 1),
    ('class,process,verb', 11, 3, 'read', 9, 0, 9, 5000, 70, 1, 1),
    ('class,process,verb', 11, 4, 'write', 1, 0, 1, 4, 1, 1, 1);
INSERT INTO source_process (source_id, process_id, rank, kind_id, rows, epoch_ns, data_ns) VALUES
    (1, 2, 1, 6, 1, NULL, 400), (3, 1, NULL, 6, 1, NULL, 50), (1, NULL, 2, 7, 3, 1700, NULL), (2, NULL, NULL, 7, 1, 600, NULL), (1, 1, NULL, NULL, 2, NULL, NULL), (1, 2, NULL, NULL, 3, NULL, NULL);
