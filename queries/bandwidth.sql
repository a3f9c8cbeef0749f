-- title: Bandwidth: MB/s read and written
-- group: files
-- needs-any: call, block_request
-- param: by process|file|template|device process -- what a row is: a process, a file, a kind of file, or a disk (by its requests)
-- filters: time, process, limit 30
-- time: calls (of a disk: requests) that start
-- param: end_ns ts_ns NULL -- only those that start before this time
-- param: phase TEXT NULL -- only those that start in this phase: 'epoch' (every one) or 'epoch 3'
-- columns: name, read_bytes, read_bytes_per_s, read_max_bytes_per_s, write_bytes, write_bytes_per_s, write_max_bytes_per_s
-- columns: in_calls_bytes_per_s, bins, first_ns, last_ns, bar
-- column: name TEXT process id and name, path, kind of file (digits are {}), or disk
-- column: read_bytes_per_s bytes_per_s bytes read per second between the first and the last of its bins with I/O, both included
-- column: read_max_bytes_per_s bytes_per_s the same of the best bin
-- column: write_bytes_per_s bytes_per_s bytes written per second, between the same
-- column: write_max_bytes_per_s bytes_per_s the same of the best bin
-- column: in_calls_bytes_per_s bytes_per_s bytes moved per second of the time in reads and writes: what one stream of them gets
-- column: bins count bins with I/O
-- column: bar TEXT MB/s read (#) and written (+) as a share of those of the row with most, of which 20 are all
-- keep: read_bytes_per_s, write_bytes_per_s, bar
-- loss: none bins, first_ns, last_ns
-- none: no bytes were read or written, as far as calls tell, or by device as far as requests to disks do
-- order: coalesce(read_bytes, 0) + coalesce(write_bytes, 0) DESC, name, b.id
--
-- Bins are as wide as those of table bin_stat (run.bin_ns). What calls transfer counts in the bin in which they start; where the time in
-- the calls of a bin is longer than the bin, a call ends in a later one, and the bytes are spread over that time: a read of 2 s gets
-- half of its bytes in each. Pipes, sockets, eventfds and what has no name are left out. 'report io_timeline' has the run second by second.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE coalesce(:pid, :process) IS NOT NULL AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    -- strace without -t and -r tells the order of calls: nothing that it tells of is so much a second
    timed AS MATERIALIZED (SELECT :by IS 'device' OR NOT EXISTS (SELECT 1 FROM issue_count WHERE kind = 'no-time-stamps') AS yes),
    width AS MATERIALIZED (SELECT bin_ns AS ns, start_ns FROM run WHERE bin_ns > 0),
    requested AS (
        SELECT b.device_id AS id, b.start_ns / w.ns * w.ns AS bin_ns, CASE b.op WHEN 0 THEN 'read' ELSE 'write' END AS verb, sum(b.bytes) AS bytes, sum(b.dur_ns) AS ns
        FROM block_request AS b
        CROSS JOIN width AS w
        WHERE :by = 'device' AND b.op IN (0, 1)
            AND (:pid IS NULL AND :process IS NULL OR b.process_id IN who)
            AND (coalesce(:start_ns, :end_ns, :phase) IS NULL OR EXISTS (SELECT 1 FROM period AS p WHERE b.start_ns >= p.start_ns AND b.start_ns < p.end_ns))
        GROUP BY 1, 2, 3
    ),
    b AS MATERIALIZED (
        SELECT
            coalesce(t.process_id, t.file_id, t.template_id) AS id, t.read_bytes, t.write_bytes, t.read_max_bytes_per_s AS read_peak, t.write_max_bytes_per_s AS write_peak,
            coalesce(t.read_bytes, 0) + coalesce(t.write_bytes, 0) AS bytes, t.transfer_ns AS ns, t.bins, t.first_bin_ns AS first_ns,
            t.first_bin_ns + t.wall_ns - w.ns AS last_ns, t.wall_ns, t.most_bytes_per_s AS most
        FROM width AS w
        CROSS JOIN transfer_stat AS t
        WHERE t.by = coalesce(:by, 'process') AND t.of_top >= iif(coalesce(:limit, 30) < 0, 9223372036854775807, coalesce(:limit, 30))
            AND t.since_ns IS :start_ns AND t.until_ns IS :end_ns AND t.in_phase IS :phase AND t.of_pid IS :pid AND t.of_process IS :process
        UNION ALL
        SELECT
            d.id,
            sum(d.bytes) FILTER (WHERE d.verb = 'read'),
            sum(d.bytes) FILTER (WHERE d.verb = 'write'),
            max(1e9 * d.bytes / max(w.ns, coalesce(d.ns, 0))) FILTER (WHERE d.verb = 'read'),
            max(1e9 * d.bytes / max(w.ns, coalesce(d.ns, 0))) FILTER (WHERE d.verb = 'write'),
            sum(d.bytes),
            sum(d.ns) FILTER (WHERE d.bytes IS NOT NULL),
            count(DISTINCT d.bin_ns),
            min(d.bin_ns),
            max(d.bin_ns),
            max(d.bin_ns) + w.ns - min(d.bin_ns),
            max(1e9 * sum(d.bytes) / (max(d.bin_ns) + w.ns - min(d.bin_ns))) OVER ()
        FROM requested AS d
        CROSS JOIN width AS w
        GROUP BY d.id
        HAVING sum(d.bytes) > 0
    )
SELECT
    CASE coalesce(:by, 'process')
        WHEN 'process' THEN p.pid || coalesce(' ' || p.name, '') || coalesce(' on ' || p.host, '')
        WHEN 'file' THEN coalesce(nullif(f.path, ''), nullif(f.name, ''), '(no name)')
        WHEN 'template' THEN t.text
        ELSE d.name || coalesce(' on ' || d.host, '')
    END AS name,
    b.read_bytes,
    CASE WHEN x.yes THEN 1e9 * b.read_bytes / b.wall_ns END AS read_bytes_per_s,
    CASE WHEN x.yes THEN b.read_peak END AS read_max_bytes_per_s,
    b.write_bytes,
    CASE WHEN x.yes THEN 1e9 * b.write_bytes / b.wall_ns END AS write_bytes_per_s,
    CASE WHEN x.yes THEN b.write_peak END AS write_max_bytes_per_s,
    1e9 * b.bytes / nullif(b.ns, 0) AS in_calls_bytes_per_s,
    b.bins,
    iif(b.first_ns < w.start_ns AND b.first_ns + w.ns > w.start_ns, w.start_ns, b.first_ns) AS first_ns,
    iif(b.last_ns < w.start_ns AND b.last_ns + w.ns > w.start_ns, w.start_ns, b.last_ns) AS last_ns,
    substr('####################', 1, CAST(coalesce(20.0 * (1e9 * b.read_bytes / b.wall_ns / b.most), 0) AS INTEGER))
    || substr('++++++++++++++++++++', 1, CAST(coalesce(20.0 * (1e9 * b.write_bytes / b.wall_ns / b.most), 0) AS INTEGER)) AS bar
FROM b
CROSS JOIN width AS w
CROSS JOIN timed AS x
LEFT JOIN process AS p ON p.id = b.id AND coalesce(:by, 'process') = 'process'
LEFT JOIN file AS f ON f.id = b.id AND :by = 'file'
LEFT JOIN string AS t ON t.id = b.id AND :by = 'template'
LEFT JOIN device AS d ON d.id = b.id AND :by = 'device'
ORDER BY coalesce(read_bytes, 0) + coalesce(write_bytes, 0) DESC, name, b.id
LIMIT coalesce(:limit, 30);
