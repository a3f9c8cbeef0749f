-- A second rank begins epoch 2 a bit later, and ends it later.
INSERT INTO span (id, start_ns, dur_ns, kind_id, name_id, number, state_id, source_id) VALUES (6, 6100, 4100, 1, 2, 2, 4, 1);
INSERT INTO rank_span VALUES (6);
