-- A run of 10000 ns with two epochs of 3000 and 4000, each followed by an evaluation; the log's clock is off by 500 at most.
INSERT INTO run VALUES (1, 'test', '0', 1000, 11000, 0, 'given', 1000);
INSERT INTO source (id, path, importer, state, lines, rows, skipped, issues, repaired, lost_events, clock_error_ns, first_ns, last_ns) VALUES
    (1, 'log', 'mllog', 'complete', 8, 8, 0, 0, 0, 0, 500, 1500, 10500),
    (2, 'calls', 'strace', 'complete', 8, 8, 0, 0, 0, 0, 0, 1000, 9000),
    (3, 'bio', 'record', 'complete', 8, 8, 0, 0, 0, 0, 0, 1000, 9980);
INSERT INTO string VALUES (1, 'phase'), (2, 'epoch'), (3, 'eval'), (4, 'complete'), (5, 'init');
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, state_id, source_id) VALUES
    (1, 1500, 400, 1, 5, NULL, 4, 1), (2, 2000, 3000, 1, 2, 1, 4, 1), (3, 5000, 500, 1, 3, 1, 4, 1), (4, 6000, 4000, 1, 2, 2, 4, 1),
    (5, 10000, 300, 1, 3, 2, 4, 1);
INSERT INTO rank_span VALUES (1), (2), (3), (4), (5);
INSERT INTO phase_interval (label, start_ns, end_ns) VALUES
    ('init', 1500, 1900), ('epoch', 2000, 5000), ('epoch', 6000, 10000), ('epoch 1', 2000, 5000), ('epoch 2', 6000, 10000),
    ('eval', 5000, 5500), ('eval', 10000, 10300), ('eval 1', 5000, 5500), ('eval 2', 10000, 10300);
INSERT INTO log_run VALUES (1, 1, 1, 1500, 10300);
