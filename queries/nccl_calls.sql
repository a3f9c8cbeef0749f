-- title: Calls of collectives (NCCL)
-- group: gpu
-- needs: nccl_call
-- filters: time, process
-- columns: collective, pid, process, rank, calls, bytes, mean_bytes, max_bytes, total_ns, max_ns, matched, last, late_ns
-- columns: late_max_ns, clock_error_ns
-- column: collective TEXT function of NCCL
-- column: process TEXT command name
-- column: rank INTEGER rank of the process in the communicator; NULL: it was made before the recording
-- column: bytes bytes bytes that they were called for
-- column: total_ns dur_ns time in the calls: until the work was handed over, or, of the first ones, until all ranks were there
-- column: matched count of the calls: those of which the calls of all other ranks are known; NULL: there is one rank, or their numbers differ, or the clocks of machines do
-- column: late_max_ns dur_ns longest
-- column: clock_error_ns dur_ns where ranks are of several machines: times are by the clock of the first one, and what is between two of them is known to so much; NULL: nothing is moved
-- loss: either mean_bytes, matched, last, late_ns, late_max_ns
-- order: s.all_bytes DESC, collective, rank, pid, s.process_id
--
-- By '-e cuda': what the CPU asked for; how long GPUs were at it is in 'report nccl', of kernels. The n-th call of a function in a communicator of
-- each rank are taken for one collective if every rank has as many of them in such communicators. What began before the recording,
-- or goes on behind its end, makes the numbers differ. Times of several machines (import --host) are moved to the clock of the first one as in report nccl, by the kernels.
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
    clock_of AS MATERIALIZED (SELECT source_id, ahead_ns, error_ns FROM machine_clock),
    asked AS MATERIALIZED (
        SELECT
            c.start_ns - coalesce(m.ahead_ns, 0) AS start_ns, m.error_ns, c.source_id, c.dur_ns, c.asked_bytes, c.op_id, c.process_id, a.text ->> '$.rank' AS rank,
            row_number() OVER (PARTITION BY c.op_id, c.process_id, a.text ->> '$.rank' ORDER BY c.start_ns, c.id) AS nth,
            count(*) OVER (PARTITION BY c.op_id, c.process_id, a.text ->> '$.rank') AS of_rank
        FROM call AS c
        LEFT JOIN string AS a ON a.id = c.args_id
        LEFT JOIN clock_of AS m ON m.source_id = c.source_id
        WHERE c.op_id IN (SELECT id FROM op WHERE layer = 'cuda' AND name LIKE 'nccl%' AND name NOT LIKE 'ncclComm%' AND name NOT LIKE 'ncclGroup%')
    ),
    clocks AS MATERIALIZED (
        SELECT count(DISTINCT s.host) <= 1 OR count(*) = count(c.source_id) AS agree
        FROM source AS s
        LEFT JOIN clock_of AS c ON c.source_id = s.id
        WHERE s.id IN (SELECT source_id FROM asked)
    ),
    together AS MATERIALIZED (
        SELECT
            op_id, nth, min(start_ns) AS first_ns, max(start_ns) AS last_ns,
            count(*) > 1 AND min(of_rank) = max(of_rank) AND count(*) = count(DISTINCT rank) AND (SELECT agree FROM clocks) AS matched
        FROM asked
        GROUP BY op_id, nth
    ),
    sums AS MATERIALIZED (
        SELECT
            a.op_id, a.process_id, a.rank,
            count(*) AS calls,
            sum(a.asked_bytes) AS bytes,
            max(a.asked_bytes) AS max_bytes,
            count(a.asked_bytes) AS sized,
            sum(a.dur_ns) AS total_ns,
            max(a.dur_ns) AS max_ns,
            count(*) FILTER (WHERE t.matched) AS matched,
            count(*) FILTER (WHERE t.matched AND a.start_ns = t.last_ns) AS last,
            coalesce(sum(a.start_ns - t.first_ns) FILTER (WHERE t.matched AND a.start_ns = t.last_ns), 0) AS late_ns,
            coalesce(max(a.start_ns - t.first_ns) FILTER (WHERE t.matched AND a.start_ns = t.last_ns), 0) AS late_max_ns,
            max(a.error_ns) AS clock_error_ns,
            sum(sum(a.asked_bytes)) OVER (PARTITION BY a.op_id) AS all_bytes
        FROM asked AS a
        JOIN together AS t ON t.op_id = a.op_id AND t.nth = a.nth
        WHERE (:pid IS NULL AND :process IS NULL OR a.process_id IN who)
            AND (
                coalesce(:start_ns, :end_ns, :phase) IS NULL
                OR EXISTS (SELECT 1 FROM period AS p WHERE a.start_ns >= p.start_ns AND a.start_ns < p.end_ns)
            )
        GROUP BY a.op_id, a.process_id, a.rank
    )
SELECT
    o.name AS collective,
    p.pid,
    p.name AS process,
    s.rank AS rank,
    s.calls,
    s.bytes,
    CAST(s.bytes / nullif(s.sized, 0) AS INTEGER) AS mean_bytes,
    s.max_bytes,
    s.total_ns,
    s.max_ns,
    nullif(s.matched, 0) AS matched,
    CASE WHEN s.matched > 0 THEN s.last END AS last,
    CASE WHEN s.matched > 0 THEN s.late_ns END AS late_ns,
    CASE WHEN s.matched > 0 THEN s.late_max_ns END AS late_max_ns,
    s.clock_error_ns
FROM sums AS s
JOIN op AS o ON o.id = s.op_id
LEFT JOIN process AS p ON p.id = s.process_id
ORDER BY s.all_bytes DESC, collective, rank, pid, s.process_id;
