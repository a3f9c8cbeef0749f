-- always high: it is about the files, not about what is in them
-- case: one that ends in a line, one that nobody knows, one with 2 % of damage
UPDATE source SET state = 'cut', lines = 100;
INSERT INTO source (id, path, state, lines, rows, skipped, issues, repaired, lost_events) VALUES
    (2, 'b.out', 'complete', 100, 98, 0, 2, 0, 0), (3, 'notes.txt', 'unrecognised', 7, 0, 0, 7, 0, 0), (4, 'c.out', 'complete', 1000, 999, 0, 1, 0, 0);
-- expect: info high - | a.out: its end is missing.
-- expect: info high - | b.out: 2 of 100 lines could not be used.
-- expect: info high - | notes.txt: no importer recognises it.

-- case: all is well
-- expect: nothing
