-- Work in us. GPU 0, of process 10: 100 .. 200 and 150 .. 300, 400 .. 500; that somebody waits from 250 to 600 is no work.
-- GPU 1, of process 30: 0 .. 1000. Process 20 waits, but is not seen to have work.
INSERT INTO run VALUES (1, 'test', '0', 0, 20000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'k.json', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO device (id, kind, name, number) VALUES (1, 'gpu', 'GPU 0', 0), (2, 'gpu', 'GPU 1', 1);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 20, 'other', 1), (3, 30, 'third', 1);
INSERT INTO thread (id, tid, process_id) VALUES (1, 11, 1), (2, 12, 1);
INSERT INTO string VALUES (1, 'kernel'), (2, 'sync'), (3, 'gemm'), (4, 'Stream sync');
INSERT INTO gpu_op (id, start_ns, dur_ns, device_id, kind_id, name_id, process_id, source_id) VALUES
    (1, 0, 1000000, 2, 1, 3, 3, 1), (2, 100000, 100000, 1, 1, 3, 1, 1), (3, 150000, 150000, 1, 1, 3, 1, 1), (4, 250000, 350000, 1, 2, 4, 1, 1),
    (5, 400000, 100000, 1, 1, 3, 1, 1);
INSERT INTO op VALUES (1, 'cudaStreamSynchronize', 'cuda', 'wait', 'wait'), (2, 'cudaMemcpy', 'cuda', 'copy', 'other'),
    (3, 'cudaMemcpyAsync', 'cuda', 'copy', 'other'), (4, 'cuEventSynchronize', 'cuda', 'wait', 'wait'), (5, 'epoll_wait', 'syscall', 'wait', 'wait');
-- Thread 11 waits 180 .. 310, 450 .. 480, 490 .. 495, 495 .. 600, and from 700 on for nobody knows how long; thread 12 copies 20 .. 120; process 20
-- waits 300 .. 350. Left out: a copy that need not wait, a call inside another one, a system call.
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, thread_id, nested, source_id) VALUES
    (1, 20000, 100000, 2, 1, 2, 0, 1), (2, 180000, 130000, 1, 1, 1, 0, 1), (3, 185000, 120000, 1, 1, 1, 1, 1), (4, 300000, 50000, 4, 2, NULL, 0, 1),
    (5, 450000, 30000, 1, 1, 1, 0, 1), (6, 490000, 5000, 1, 1, 1, 0, 1), (7, 495000, 105000, 1, 1, 1, 0, 1), (8, 600000, 100000, 3, 1, 1, 0, 1),
    (9, 700000, NULL, 1, 1, 1, 0, 1), (10, 800000, 50000, 5, 1, 1, 0, 1);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch', 440000, 1000000);
