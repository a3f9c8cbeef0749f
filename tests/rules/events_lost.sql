-- always high: the tracer says it
-- case: 50 of 1,000
UPDATE source SET lost_events = 50, rows = 950;
-- expect: warning high - | 50 events are missing in a.out, 5.0% of all.

-- case: most
UPDATE source SET lost_events = 3000, rows = 1000;
-- expect: critical high - | 3,000 events are missing in a.out, 75.0% of all.

-- case: one of a million
UPDATE source SET lost_events = 1, rows = 999999;
-- expect: nothing

-- case: two lost a share, one hardly any
UPDATE source SET lost_events = 50, rows = 950;
-- 40 of 200 are 20 %, which is worse than 50 of 1,000; together 90 of 1,200
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES
    (2, 'b.out', 'complete', 160, 160, 0, 0, 0, 40), (3, 'c.out', 'complete', 9999, 9999, 0, 0, 0, 1);
-- expect: critical high - | 90 events are missing in 2 sources; worst is b.out: 40, 20.0% of all.

-- case: none
-- expect: nothing
