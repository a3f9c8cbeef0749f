-- always high: the driver said so
INSERT INTO track VALUES (1, 'gpu.xid', '', 2, NULL, 1), (2, 'gpu.dbecc', 'errs', 1, NULL, 1);
INSERT INTO sample (id, ts_ns, track_id, value) VALUES (1, 1000000000, 2, 3), (2, 2000000000, 1, 79), (3, 3000000000, 2, 5);

-- case: off the bus; three errors were there before, two are new
-- expect: critical high - | GPU 1: Xid 79, the GPU has fallen off the bus, 1 of them, the first at 2.000s.
-- expect: critical high - | GPU 0: errors of memory that could not be corrected, 2 of them, the first at 3.000s.

-- case: what a program did, and a number that we do not know
UPDATE sample SET value = 31 WHERE id = 2;
UPDATE sample SET value = 3 WHERE id = 3;
INSERT INTO sample (id, ts_ns, track_id, value) VALUES (4, 4000000000, 1, 31), (5, 5000000000, 1, 999);
-- expect: critical high - | GPU 1: Xid 999, 1 of them, the first at 5.000s.
-- expect: warning high - | GPU 1: Xid 31, a kernel used memory that is not there, 2 of them, the first at 2.000s.

-- case: none that are new
DELETE FROM sample WHERE track_id = 1;
UPDATE sample SET value = 3;
-- expect: nothing

-- case: of one of several machines
UPDATE device SET host = 'node1';
-- expect: critical high - | GPU 1 of node1: Xid 79, the GPU has fallen off the bus, 1 of them, the first at 2.000s.
-- expect: critical high - | GPU 0 of node1: errors of memory that could not be corrected, 2 of them, the first at 3.000s.
