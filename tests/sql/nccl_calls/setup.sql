-- Two ranks: all-reduces of 400 and 600 bytes at 1 and 2 us (rank 0), at 1.3 and 1.9 us (rank 1); rank 0 broadcasts once, rank 1 twice. A call whose
-- communicator is not known. Groups and communicators are no collectives.
INSERT INTO run VALUES (1, 'test', '0', 0, 9000000000, 0, 'given', 1000);
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 'r.spool', 'complete', 9, 9, 0, 0, 0, 0);
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'train', 1), (2, 11, 'train', 1);
INSERT INTO string VALUES (1, '{"communicator":"0x1000","rank":0}'), (2, '{"communicator":"0x2000","rank":1}'), (3, '{"communicator":"0x3000"}');
INSERT INTO op VALUES (1, 'ncclAllReduce', 'cuda', 'other', 'other'), (2, 'ncclBroadcast', 'cuda', 'other', 'other'), (3, 'ncclGroupEnd', 'cuda', 'other', 'other'),
    (4, 'ncclCommInitRank', 'cuda', 'other', 'other'), (5, 'cuMemcpy', 'cuda', 'copy', 'other'), (6, 'ncclSend', 'cuda', 'other', 'other');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, asked_bytes, args_id, nested, source_id) VALUES
    (1, 500, 9000, 4, 1, NULL, NULL, 0, 1), (2, 1000, 100, 1, 1, 400, 1, 0, 1), (3, 1300, 50, 1, 2, 400, 2, 0, 1), (4, 1350, 10, 3, 1, NULL, NULL, 0, 1),
    (5, 1900, 60, 1, 2, 600, 2, 0, 1), (6, 2000, 300, 1, 1, 600, 1, 0, 1), (7, 3000, 10, 2, 1, 50, 1, 0, 1), (8, 3000, 10, 2, 2, 50, 2, 0, 1),
    (9, 3100, 10, 2, 2, 50, 2, 0, 1), (10, 4000, 10, 5, 1, 9999, NULL, 0, 1), (11, 5000, 20, 6, 1, 8, 3, 0, 1);
INSERT INTO call_block VALUES (500, 1, 11, 11, 9500, 1, 9000);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES ('epoch 1', 1500, 2500);
