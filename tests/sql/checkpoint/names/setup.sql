-- Names of checkpoints, each written once, 100 bytes in 10 ns; and others, likewise.
INSERT INTO run VALUES (1, 'test', '0', 0, 10000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events) VALUES (1, 't', 'strace', 'complete', 20, 20, 0, 0, 0, 0);
INSERT INTO string VALUES (1, 'x{}');
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1);
INSERT INTO op VALUES (1, 'write', 'syscall', 'write', 'io');
INSERT INTO file (id, path, name, class, class_known, template_id, truncated) VALUES
    (1, '/c/a.pt', 'a.pt', 'regular', 0, 1, 0), (2, NULL, 'B.PT', 'regular', 0, 1, 0), (3, NULL, 'c.pth', 'regular', 0, 1, 0), (4, NULL, 'd.Bin', 'regular', 0, 1, 0),
    (5, NULL, 'e.safetensors', 'regular', 0, 1, 0), (6, NULL, 'f.0.distcp', 'regular', 0, 1, 0), (7, NULL, 'g.h5', 'regular', 0, 1, 0), (8, NULL, 'h.KERAS', 'deleted', 0, 1, 0),
    (9, NULL, 'i.ckpt', 'regular', 0, 1, 0), (10, '/c/Checkpoint/j', 'j', 'regular', 0, 1, 0), (11, NULL, 'CKPT-11', 'regular', 0, 1, 0),
    -- none
    (12, NULL, 'k.ckp', 'regular', 0, 1, 0), (13, NULL, 'l.pt.gz', 'regular', 0, 1, 0), (14, NULL, 'mpt', 'regular', 0, 1, 0), (15, NULL, 'n.pt', 'pipe', 1, 1, 0),
    (16, NULL, 'o.jpeg', 'regular', 0, 1, 0);
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id)
SELECT id, 1000 * id / 2, 10, 1, 1, id, 100, 100, 0, 1 FROM file;
INSERT INTO file_stat
SELECT 'file,process,verb', id, 1, 'write', 1, 0, 1, 100, 10, 10, 10.0, 10, 100, 64, 100, NULL, NULL, 500 * id, 500 * id FROM file
UNION ALL
SELECT 'template,verb', 1, NULL, 'write', 16, 0, 16, 1600, 160, 10, 10.0, 10, 100, 64, 100, NULL, NULL, 500, 8000;
