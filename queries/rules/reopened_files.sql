-- title: The same files are opened again and again
-- level: warning
-- needs: file_stat
-- param: min_opens INTEGER 1000 -- so many opens are reported
-- param: min_each REAL 10 -- if each file was opened so often in an epoch, or in a run without epochs
-- param: min_pct REAL 0.5 -- and opens took this share of the run
-- columns: template, files, opens, opens_each, in_epochs, total_ns, saves_ns
-- column: files count files of that name
-- column: opens count opens of them that did not fail
-- column: opens_each REAL opens of each on average
-- column: in_epochs TEXT in how many epochs, where a log tells of them
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns, for each: at most
-- loss: either saves_ns
-- loss: either opens_each
-- order: s.calls DESC, t.text
-- finding: {files} files like {template} were opened {opens} times, {opens_each} times each{in_epochs}, which took {total_ns}.
-- advice: Keep files open between samples (an LRU of handles in each worker), or keep what was read in memory; open once per worker, not per item.
-- unless: each sample is a part of such a file, and is read where it lies.
--
-- The three templates that were opened most.
WITH
    files AS MATERIALIZED (SELECT template_id, sum(files) AS n FROM file_kind WHERE class IN ('regular', 'deleted') GROUP BY template_id),
    epoch AS MATERIALIZED (SELECT count(*) AS n FROM (SELECT DISTINCT label, run_number FROM phase_interval WHERE label LIKE 'epoch _%'))
SELECT
    t.text AS template,
    f.n AS files,
    s.calls - s.errors AS opens,
    1.0 * (s.calls - s.errors) / f.n AS opens_each,
    CASE WHEN e.n > 0 THEN printf(' in %d epochs', e.n) ELSE '' END AS in_epochs,
    s.total_ns,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * s.total_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM io_stat AS s
JOIN files AS f ON f.template_id = s.template_id
JOIN string AS t ON t.id = s.template_id
CROSS JOIN epoch AS e
CROSS JOIN run AS r
WHERE s.by = 'template,verb' AND s.verb = 'open'
    AND s.calls - s.errors >= max(coalesce(:min_opens, 1000), f.n * max(1, e.n) * coalesce(:min_each, 10))
    AND 100.0 * s.total_ns >= coalesce(:min_pct, 0.5) * (r.end_ns - r.start_ns)
ORDER BY s.calls DESC, t.text
LIMIT 3;
