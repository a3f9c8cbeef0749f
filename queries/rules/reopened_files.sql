-- title: The same files are opened again and again
-- level: warning
-- needs: file_stat
-- param: min_opens INTEGER 1000 -- so many opens are reported
-- param: min_each REAL 10 -- if each file was opened so often
-- column: template TEXT files, digits as {}
-- column: files count files of that name
-- column: opens count opens of them that did not fail
-- column: opens_each REAL opens of each on average
-- column: total_ns dur_ns time in opens
-- loss: either opens_each
-- order: s.calls DESC, t.text
-- finding: {files} files like {template} were opened {opens} times, {opens_each} times each, which took {total_ns}.
-- advice: Keep files open between samples (an LRU of handles in each worker), or keep what was read in memory; open once per worker, not per item.
-- unless: each epoch has to open each file once and there were so many epochs.
--
-- The three templates that were opened most.
WITH files AS MATERIALIZED (SELECT template_id, count(*) AS n FROM file WHERE class IN ('regular', 'deleted') GROUP BY template_id)
SELECT
    t.text AS template,
    f.n AS files,
    s.calls - s.errors AS opens,
    1.0 * (s.calls - s.errors) / f.n AS opens_each,
    s.total_ns
FROM io_stat AS s
JOIN files AS f ON f.template_id = s.template_id
JOIN string AS t ON t.id = s.template_id
WHERE s.by = 'template,verb' AND s.verb = 'open'
    AND s.calls - s.errors >= max(coalesce(:min_opens, 1000), f.n * coalesce(:min_each, 10))
ORDER BY s.calls DESC, t.text
LIMIT 3;
