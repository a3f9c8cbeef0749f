-- title: Seconds with the most opens and stats
-- group: files
-- needs: call
-- param: width dur_ns NULL -- width of a row in time; default: 1 s, the whole run has 10,000 at most
-- filters: time, process, limit 20
-- columns: start_ns, dur_ns, opens, stats, errors, per_s, processes, total_ns, busiest, busiest_pct, phase
-- column: stats count stats and lists of directories
-- column: errors count of both: failed
-- column: per_s REAL both, per second; NULL: of some calls only the order is known
-- column: busiest TEXT process that made most of them
-- column: busiest_pct percent its share
-- keep: start_ns, opens, phase
-- loss: none dur_ns, busiest
-- none: no calls that open or look for files were traced
-- order: b.calls DESC, start_ns
--
-- Imports of Python, a dataset that is indexed anew by each worker, and a cache that is looked for in many places open or ask for
-- thousands of files in a second: on a network file system each is a request to its one metadata server. Rows are those with most.
WITH
    bins AS MATERIALIZED (
        SELECT start_ns AS run_ns, coalesce(:width, max(1000000000, (end_ns - start_ns) / 10000)) AS width FROM run
    ),
    s AS MATERIALIZED (
        SELECT
            c.bin_ns / b.width - (c.bin_ns % b.width < 0) AS slot, b.width, b.run_ns, c.process_id,
            coalesce(sum(c.calls) FILTER (WHERE o.verb = 'open'), 0) AS opens,
            coalesce(sum(c.calls) FILTER (WHERE o.verb <> 'open'), 0) AS stats,
            sum(c.calls) AS calls, sum(c.errors) AS errors, sum(c.total_ns) AS total_ns
        FROM bins AS b
        CROSS JOIN call_stat AS c
        JOIN op AS o ON o.id = c.op_id
        WHERE c.by = 'process,op,bin' AND o.verb IN ('open', 'stat', 'list') AND c.op_id IN (SELECT id FROM op WHERE verb IN ('open', 'stat', 'list'))
            AND c.bin_width_ns IS b.width
            AND c.since_ns IS :start_ns AND c.until_ns IS :end_ns AND c.in_phase IS :phase AND c.of_pid IS :pid AND c.of_process IS :process
        GROUP BY 1, c.process_id
    ),
    b AS (
        SELECT
            iif(slot * width < run_ns AND (slot + 1) * width > run_ns, run_ns, slot * width) AS start_ns,
            slot, width, sum(opens) AS opens, sum(stats) AS stats, sum(calls) AS calls, sum(errors) AS errors,
            count(*) AS processes, sum(total_ns) AS total_ns, max(calls) AS most
        FROM s
        GROUP BY slot
    )
SELECT
    b.start_ns AS start_ns, (b.slot + 1) * b.width - b.start_ns AS dur_ns,
    b.opens, b.stats, b.errors,
    -- of strace without -t and -r only the order is known
    CASE WHEN NOT EXISTS (SELECT 1 FROM issue_count WHERE kind = 'no-time-stamps') THEN 1e9 * b.calls / ((b.slot + 1) * b.width - b.start_ns) END AS per_s,
    b.processes, b.total_ns,
    (SELECT coalesce(p.pid || coalesce(' ' || p.name, '') || coalesce(' on ' || p.host, ''), '?')
        FROM s LEFT JOIN process AS p ON p.id = s.process_id WHERE s.slot = b.slot AND s.calls = b.most ORDER BY p.pid, p.id LIMIT 1) AS busiest,
    100.0 * b.most / b.calls AS busiest_pct,
    (SELECT label FROM phase_interval AS i WHERE i.start_ns <= b.start_ns AND i.end_ns > b.start_ns ORDER BY i.end_ns - i.start_ns, length(label) DESC, label LIMIT 1) AS phase
FROM b
ORDER BY b.calls DESC, start_ns
LIMIT coalesce(:limit, 20);
