-- title: Calls that failed
-- group: time
-- needs: call
-- param: by file|op|process file -- what a row is, besides operation and error: a file, nothing, or a process
-- filters: time, process, limit
-- param: error TEXT NULL -- only this error: ENOENT
-- columns: op, error, pid, process, file, calls, errors_pct, total_ns, processes, first_ns, last_ns
-- column: pid INTEGER process id; NULL unless by process
-- column: file TEXT its path, or its name where that is not known; NULL unless by file, or the call names none
-- column: calls count calls that failed so
-- column: errors_pct percent share of the rows' calls, those that limit hides included
-- loss: lower processes
-- none: no call failed
-- order: calls DESC, op, error, pid, process, file, first_ns
--
-- Calls that an outer layer counts are left out. A call that fails may be meant to: a file is looked for in several places
-- (ENOENT), and nothing is there to be read yet (EAGAIN).
WITH
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    failed AS (
        SELECT
            c.op_id, c.ret,
            CASE WHEN coalesce(:by, 'file') = 'process' THEN c.process_id END AS by_process_id,
            CASE WHEN coalesce(:by, 'file') = 'file' THEN c.file_id END AS by_file_id,
            count(*) AS calls, sum(c.dur_ns) AS total_ns, count(DISTINCT c.process_id) AS processes,
            min(c.start_ns) AS first_ns, max(c.start_ns) AS last_ns
        FROM (SELECT 1 FROM op_stat WHERE errors > 0 LIMIT 1) -- where none has failed, no call need be looked at
        CROSS JOIN call AS c
        WHERE c.ret < 0 AND c.nested = 0
            AND EXISTS (SELECT 1 FROM period AS p WHERE c.start_ns >= p.start_ns AND c.start_ns < p.end_ns)
            AND (:pid IS NULL OR c.process_id IN (SELECT id FROM process WHERE pid = :pid))
            AND (:process IS NULL OR c.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
        GROUP BY 1, 2, 3, 4
    )
SELECT
    o.name AS op,
    -- results of CUDA calls are numbers of their own
    coalesce(CASE WHEN o.layer <> 'cuda' THEN n.name END, printf('%d', -r.ret)) AS error,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    coalesce(nullif(f.path, ''), nullif(f.name, ''), CASE WHEN f.id IS NOT NULL THEN '(no name)' END) AS file,
    r.calls,
    100.0 * r.calls / sum(r.calls) OVER () AS errors_pct,
    r.total_ns, r.processes, r.first_ns, r.last_ns
FROM failed AS r
JOIN op AS o ON o.id = r.op_id
LEFT JOIN errno_name AS n ON n.number = -r.ret
LEFT JOIN process AS p ON p.id = r.by_process_id
LEFT JOIN file AS f ON f.id = r.by_file_id
WHERE :error IS NULL OR error = :error COLLATE NOCASE
ORDER BY calls DESC, op, error, pid, process, file, first_ns
LIMIT coalesce(:limit, -1);
