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

-- case: none
-- expect: nothing
