-- title: Most opens fail
-- level: info
-- needs: file_stat
-- param: min_errors INTEGER 1000 -- so many are reported
-- param: min_pct REAL 50 -- and this share of all opens
-- columns: opens, errors, errors_pct, total_ns, template, mostly, saves_ns
-- column: errors_pct percent share of them
-- column: total_ns dur_ns time in opens, those that did not fail included
-- column: template TEXT files of which most failed, with {} for numbers and for what is random
-- column: mostly TEXT the same in words
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns, for each: at most
-- loss: either saves_ns
-- order: f.errors
-- finding: {errors} of {opens} opens failed, {errors_pct}{mostly}[; all of them took {total_ns}].
-- advice: Shorten search paths (PYTHONPATH, LD_LIBRARY_PATH, sys.path), above all those on network file systems; 'report errors' names what is looked for.
-- unless: they are over when the training begins: --phase in 'report errors' tells.
WITH
    found AS (
        SELECT opens, errors, total_ns
        FROM (SELECT sum(calls) AS opens, sum(errors) AS errors, sum(total_ns) AS total_ns FROM io_stat WHERE by = 'class,verb' AND verb = 'open')
        WHERE errors >= coalesce(:min_errors, 1000) AND 100.0 * errors >= coalesce(:min_pct, 50) * opens
    ),
    most AS (
        SELECT t.text, s.errors
        FROM (SELECT 1 FROM found LIMIT 1)
        CROSS JOIN io_stat AS s
        JOIN string AS t ON t.id = s.template_id
        WHERE s.by = 'template,verb' AND s.verb = 'open' AND s.errors > 0
        ORDER BY s.errors DESC, t.text
        LIMIT 1
    )
SELECT f.opens, f.errors, 100.0 * f.errors / f.opens AS errors_pct, f.total_ns,
    m.text AS template, coalesce(printf(' (%.0f %% of them ', 100.0 * m.errors / f.errors) || m.text || ')', '') AS mostly,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * f.total_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM found AS f
LEFT JOIN most AS m
ORDER BY f.errors;
