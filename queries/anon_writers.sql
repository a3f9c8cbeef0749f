-- title: Who writes to what has no name on disk
-- group: files
-- needs: file_stat
-- param: by role|process role -- what a row is: all processes of a role (of none: of a name), or one process
-- filters: time, process, limit
-- columns: role, processes, pid, process, class, class_basis, name, files, writes, write_bytes, write_ns, reads, read_bytes
-- columns: read_ns, first_ns, last_ns, peak_ns, peak_writes
-- column: processes count how many of them
-- column: pid INTEGER process id, if it is one
-- column: process TEXT command name, and its machine where there are several, if all are called so
-- column: class TEXT what is written to: unnamed, anon-inode, eventfd, shm, memfd, pipe, socket, terminal or deleted
-- column: class_basis TEXT known (a source says so), or inferred from the name
-- column: name TEXT its name with {} for numbers and for what is random
-- column: files count files that have such a name
-- column: peak_ns ts_ns begin of the time bin (run.bin_ns wide) with most writes
-- column: peak_writes count writes in it
-- none: nothing was written to what has no name on disk
-- order: write_bytes DESC, writes DESC, reads DESC, r.role, r.process, pid, r.class, name, class_basis, first_ns
--
-- Data loaders hand batches to the training process through /dev/shm (torch_*), sockets and eventfds; logs go to pipes
-- and terminals (numbers below /dev/pts). A file without any name is an anonymous inode, a memfd or a socket:
-- bpftrace prints an empty name for all of them. Counts only what no outer layer counts already.
WITH RECURSIVE
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE coalesce(:pid, :process) IS NOT NULL AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    anon AS MATERIALIZED (
        SELECT f.id, f.class, f.class_known, f.template_id, min(f.id) OVER (PARTITION BY f.class, f.class_known, f.template_id) AS kind_id
        FROM classed_file AS s
        CROSS JOIN file AS f ON f.id = s.id
        WHERE s.class IN ('unnamed', 'anon-inode', 'eventfd', 'shm', 'memfd', 'pipe', 'socket', 'terminal', 'deleted')
    ),
    -- what a row is about
    of AS MATERIALIZED (
        SELECT
            id, pid, role,
            coalesce(name || ' on ' || host, name, '? on ' || host) AS process,
            CASE coalesce(:by, 'role') WHEN 'process' THEN 'pid ' || id ELSE coalesce('role ' || role, 'name ' || name, '') END AS key
        FROM process
        UNION ALL
        SELECT NULL, NULL, NULL, NULL, '?'
    ),
    row AS MATERIALIZED (
        SELECT
            p.key AS of_key, a.class, a.class_known, a.template_id, a.kind_id,
            max(p.role) AS role,
            count(DISTINCT p.id) AS processes,
            CASE WHEN count(DISTINCT p.id) = 1 THEN max(p.pid) END AS pid,
            CASE WHEN count(DISTINCT p.process) = 1 THEN max(p.process) END AS process,
            count(DISTINCT a.id) AS files,
            coalesce(sum(s.calls) FILTER (WHERE s.verb = 'write'), 0) AS writes,
            sum(s.done_bytes) FILTER (WHERE s.verb = 'write') AS write_bytes,
            sum(s.total_ns) FILTER (WHERE s.verb = 'write') AS write_ns,
            coalesce(sum(s.calls) FILTER (WHERE s.verb = 'read'), 0) AS reads,
            sum(s.done_bytes) FILTER (WHERE s.verb = 'read') AS read_bytes,
            sum(s.total_ns) FILTER (WHERE s.verb = 'read') AS read_ns,
            min(s.first_ns) AS first_ns,
            max(s.last_ns) AS last_ns
        FROM io_stat AS s
        JOIN anon AS a ON a.id = s.file_id
        JOIN of AS p ON p.id IS s.process_id
        WHERE s.verb IN ('read', 'write')
            AND s.by = 'file,process,verb' AND s.file_id IN (SELECT id FROM anon)
            AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
        GROUP BY 1, 2, 3, 4
    ),
    write_op AS MATERIALIZED (SELECT id FROM op WHERE kind = 'io' AND verb = 'write'),
    -- bin_stat, which may have what is asked for, is in order of operation: the first row of each that writes, and the first of the next one
    search (op_id, low, high) AS (
        SELECT id, 1, (SELECT max(rowid) + 1 FROM bin_stat)
        FROM (SELECT id FROM write_op UNION SELECT id + 1 FROM write_op)
        WHERE coalesce(:start_ns, :end_ns, :phase) IS NULL AND EXISTS (SELECT 1 FROM bin_stat)
        UNION ALL
        SELECT s.op_id, CASE WHEN b.op_id < s.op_id THEN b.rowid + 1 ELSE s.low END, CASE WHEN b.op_id < s.op_id THEN s.high ELSE b.rowid END
        FROM search AS s
        JOIN bin_stat AS b ON b.rowid = (s.low + s.high) / 2
        WHERE s.low < s.high
    ),
    first_row AS MATERIALIZED (SELECT op_id, low AS id FROM search WHERE low = high),
    written AS (
        SELECT b.file_id, b.process_id, b.bin_ns, b.calls, b.done_bytes, b.total_ns
        FROM write_op AS o
        CROSS JOIN bin_stat AS b ON b.rowid >= (SELECT id FROM first_row WHERE op_id = o.id) AND b.rowid < (SELECT id FROM first_row WHERE op_id = o.id + 1)
        WHERE coalesce(:pid, :process) IS NULL OR b.process_id IN who
        UNION ALL
        SELECT s.file_id, s.process_id, s.bin_ns, s.calls, s.done_bytes, s.total_ns
        FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM first_row))
        CROSS JOIN call_stat AS s
        WHERE s.by = 'file,process,op,bin' AND s.file_id IN (SELECT id FROM anon) AND s.op_id IN (SELECT id FROM write_op)
            AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process
    ),
    -- by numbers first, of which there are many
    kind_bin AS MATERIALIZED (
        SELECT s.process_id, a.kind_id, s.bin_ns, sum(s.calls) AS writes
        FROM written AS s
        CROSS JOIN anon AS a ON a.id = s.file_id
        GROUP BY 1, 2, 3
    ),
    bin AS (
        SELECT p.key AS of_key, k.kind_id, k.bin_ns, sum(k.writes) AS writes
        FROM kind_bin AS k
        JOIN of AS p ON p.id IS k.process_id
        GROUP BY 1, 2, 3
    ),
    peak AS MATERIALIZED (
        SELECT of_key, kind_id, bin_ns, writes AS n
        FROM (
            SELECT *, row_number() OVER (PARTITION BY of_key, kind_id ORDER BY writes DESC, bin_ns) AS rank
            FROM bin
        )
        WHERE rank = 1
    )
SELECT
    r.role, r.processes, r.pid, r.process, r.class,
    iif(r.class_known, 'known', 'inferred') AS class_basis,
    coalesce(nullif(s.text, ''), '(no name)') AS name,
    r.files, r.writes, r.write_bytes, r.write_ns, r.reads, r.read_bytes, r.read_ns, r.first_ns,
    r.last_ns,
    (SELECT iif(k.bin_ns < u.start_ns AND k.bin_ns + u.bin_ns > u.start_ns, u.start_ns, k.bin_ns) FROM run AS u) AS peak_ns,
    k.n AS peak_writes
FROM row AS r
JOIN string AS s ON s.id = r.template_id
LEFT JOIN peak AS k ON k.of_key = r.of_key AND k.kind_id = r.kind_id
ORDER BY write_bytes DESC, writes DESC, reads DESC, r.role, r.process, pid, r.class, name, class_basis, first_ns
LIMIT coalesce(:limit, -1);
