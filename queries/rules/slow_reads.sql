-- title: Few reads take very long
-- level: warning
-- needs: file_stat
-- param: min_ns dur_ns 1s -- a read that takes so long is reported
-- param: min_times REAL 100 -- if it is so many times the median of its kind
-- param: min_tail REAL 1.5 -- and so many times what 99 of 100 take at most
-- columns: template, calls, p50_ns, p99_ns, max_ns, multiple, path, start_ns, pid, worst, saves_ns
-- column: calls count reads
-- column: multiple count max_ns as a multiple of p50_ns
-- column: path TEXT file of the longest; NULL: 100 reads of other files took as long
-- column: start_ns ts_ns when it began
-- column: pid INTEGER who read
-- column: worst TEXT the same in words
-- column: saves_ns dur_ns idle time of all GPUs, and not more than the slowest of 100 reads, of those of min_ns and longer, can have taken, for each: at most
-- loss: either saves_ns
-- loss: either p50_ns, p99_ns, multiple
-- order: s.max_ns DESC, t.text
-- finding: A read of {template} took {max_ns}{worst}: of its {calls} reads half took {p50_ns} at most, 99 % {p99_ns}.
-- advice: See what else happened then ('report slowest' has the moment, the phase and the disk requests): write-back, another job on the disk or server, an error that is retried. A data loader that hands out samples in order lets all wait for the slowest.
-- unless: it waited for somebody who writes the file (a FIFO, a lock, a file on a server).
--
-- The three templates with the longest reads.
WITH
slow AS MATERIALIZED (
    SELECT s.template_id, s.calls, s.p50_ns, s.p99_ns, s.max_ns, s.total_ns
    FROM io_stat AS s
    WHERE s.by = 'template,verb' AND s.verb = 'read' AND s.calls >= 100 AND s.p50_ns > 0
        AND s.max_ns >= coalesce(:min_ns, 1000000000) AND s.max_ns >= coalesce(:min_times, 100) * s.p50_ns
        AND s.max_ns >= coalesce(:min_tail, 1.5) * s.p99_ns
        AND EXISTS (SELECT 1 FROM file_kind AS f WHERE f.template_id = s.template_id AND f.class IN ('regular', 'deleted'))
),
-- each call that is looked at is on another page
worst AS MATERIALIZED (
    SELECT f.template_id, coalesce(nullif(f.path, ''), f.name) AS path, c.start_ns, p.pid, p.name, row_number() OVER (PARTITION BY f.template_id ORDER BY l.dur_ns DESC, c.start_ns, c.id) AS place
    FROM longest AS l
    JOIN op AS o ON o.id = l.op_id AND o.verb = 'read'
    JOIN call AS c ON c.id = l.id
    JOIN file AS f ON f.id = c.file_id
    LEFT JOIN process AS p ON p.id = c.process_id
    WHERE l.what = 'call' AND l.waits = 0 AND l.dur_ns IN (SELECT max_ns FROM slow)
)
SELECT t.text AS template, s.calls, s.p50_ns, s.p99_ns, s.max_ns, CAST(round(1.0 * s.max_ns / s.p50_ns) AS INTEGER) AS multiple,
    w.path, w.start_ns, w.pid,
    coalesce(' (' || w.path || printf(', at %.3fs', (w.start_ns - r.start_ns) / 1e9) || coalesce(', by ' || coalesce(w.name || ' ', '') || w.pid, '') || ')', '') AS worst,
    (
        SELECT min(sum(g.wall_ns - g.busy_min_ns), count(*) * min(
            coalesce((
                SELECT sum(l.dur_ns) FILTER (WHERE f.template_id = s.template_id)
                FROM longest AS l
                JOIN op AS o ON o.id = l.op_id AND o.verb = 'read'
                JOIN call AS c ON c.id = l.id
                JOIN file AS f ON f.id = c.file_id
                WHERE l.what = 'call' AND l.waits = 0 AND l.dur_ns >= max(s.p99_ns, coalesce(:min_ns, 1000000000))
                -- else there can be more of them
                HAVING count(*) < 100
            ), s.total_ns),
            -- half of the reads took the median or longer; 49 of 100 are these without the slowest one of 100, which is no longer than the longest
            s.total_ns - CAST(s.calls * s.p50_ns * 49 / 100 AS INTEGER), (s.calls / 100 + 1) * s.max_ns
        ))
        FROM gpu_phase AS g
        WHERE g.label = '(run)' AND g.start_ns IS NULL AND g.run_number IS NULL
        -- without GPUs nobody looks at the longest calls
        HAVING count(*) > 0
    ) AS saves_ns
FROM slow AS s
JOIN string AS t ON t.id = s.template_id
CROSS JOIN run AS r
LEFT JOIN worst AS w ON w.template_id = s.template_id AND w.place = 1
ORDER BY s.max_ns DESC, t.text
LIMIT 3;
