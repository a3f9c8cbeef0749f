-- Calls were recorded up to 9980, which is not 1 % of epoch 2 before its end.
UPDATE source SET last_ns = 9980 WHERE id = 2;
INSERT INTO process (id, pid, name, role, lifetime) VALUES (1, 10, 'python', 'data-loader', 1);
INSERT INTO string VALUES (10, '{}.npz'), (11, 'pipe:[{}]');
INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated) VALUES (1, '/d/1.npz', '1.npz', 'printed', 'regular', 0, NULL, 10, 0), (2, NULL, 'pipe:[9]', NULL, 'pipe', 0, NULL, 11, 0);
INSERT INTO op VALUES (1, 'read', 'syscall', 'read', 'io'), (2, 'openat', 'syscall', 'open', 'io');
INSERT INTO call (id, start_ns, dur_ns, op_id, process_id, file_id, ret, done_bytes, nested, source_id) VALUES
    (1, 2100, 100, 2, 1, 1, 3, NULL, 0, 2),
    (2, 2200, 200, 1, 1, 1, 300, 300, 0, 2),
    (3, 2500, 400, 1, 1, 1, 300, 300, 0, 2),
    (4, 5200, 999, 1, 1, 1, 999, 999, 0, 2),
    (5, 7000, 500, 1, 1, 1, 400, 400, 0, 2),
    (6, 7500, 900, 1, 1, 2, 1, 1, 0, 2);
INSERT INTO call_block VALUES (2100, 1, 6, 6, 8400, 4, 999);
INSERT INTO file_stat VALUES ('process,verb', 1, NULL, 'read', 4, 0, 4, 1999, 2099, 999, 450.0, 999, 300, 256, 999, NULL, NULL, 2200, 7000);
