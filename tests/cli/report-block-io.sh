# Percentiles of the requests of a disk are those of nearest rank: of 20 that took 1000, 2000, ... 20000 ns the median is between the 10th
# and the 11th (10500), 95 % are as fast as the 19th (19000), 99 % as the 20th; of three it is the second, the third and the third. Those
# whose time is not known count, but have no rank. sda has 22 requests, one in a millisecond, of 4096 bytes, six of twice that: 28 * 4096. Of
# the 21 that have one before, 5 begin where that ended (i = 1, 2, 11, 12, 21). In the second and third millisecond there are two of each disk:
# those of sda took 8000 and 15000 ns and follow one that a filter leaves out and each other.
. "$LIB"
echo ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1700000000000, \"event_type\": \"POINT_IN_TIME\", \"key\": \"a\", \"value\": 1, \"metadata\": {}}" >log
"$TRACEDB" import -q -o x.db log
sqlite3 x.db "
UPDATE run SET end_ns = start_ns + 30000000;
INSERT INTO process (id, pid, name, lifetime) VALUES (1, 10, 'python', 1), (2, 11, 'kworker', 1);
INSERT INTO device (id, kind, name) VALUES (1, 'disk', 'sda'), (2, 'disk', 'sdb');
WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 21)
INSERT INTO block_request (id, start_ns, dur_ns, queue_ns, device_id, op, sector, bytes, process_id, source_id)
SELECT i * 2 + 1, 1700000000000000000 + i * 1000000, CASE WHEN i < 20 THEN 1000 * (i * 7 % 20 + 1) END, CASE WHEN i < 2 THEN i * 100 END, 1, 0,
    i * 16 + CASE WHEN i % 10 < 3 THEN 0 ELSE i END, 4096 * (1 + (i % 10 < 2)), 1, 1 FROM n;
INSERT INTO block_request (id, start_ns, dur_ns, device_id, op, bytes, process_id, source_id)
VALUES (2, 1700000000000000000, 30, 2, 1, 512, 2, 1), (4, 1700000000001000000, 10, 2, 1, 512, 2, 1), (6, 1700000000002000000, 20, 2, 1, 512, 1, 1),
    (8, 1700000000003000000, NULL, 2, 2, NULL, 1, 1);"
report() { "$TRACEDB" report -f csv "$@" x.db | cut -d, -f1-3,5-6,9-15; }
report block_io
report block_io --by device
report block_io --pid 11
report block_io --filter-time 0.001s/0.003s --by device
