-- always high: it is what is known of the clocks
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events, clock, clock_error_ns, first_ns) VALUES
    (2, 'b.out', 'complete', 9, 9, 0, 0, 0, 0, 'local', 1500000000, 1), (3, 'c.out', 'complete', 9, 9, 0, 0, 0, 0, 'boot', NULL, 1);
UPDATE source SET clock = 'utc' WHERE id = 1;

-- case: 1.5 s, and unknown
-- expect: info high - | The times of c.out (clock: boot) cannot be compared with those of other sources, and one more source is not exact, either.

-- case: three, of which one is worst
UPDATE source SET clock_error_ns = 600000000 + 100000000 * id;
-- expect: info high - | The times of c.out (clock: boot) may be off by 0.9 s, and 2 more sources are not exact, either.

-- case: 1.5 s
UPDATE source SET clock_error_ns = 1000000 WHERE id = 3;
-- expect: info high - | The times of b.out (clock: local) may be off by 1.5 s.

-- case: alone there is nothing to compare with
DELETE FROM source WHERE id < 3;
-- expect: nothing

-- case: all are exact enough
UPDATE source SET clock_error_ns = 1000000;
-- expect: nothing
