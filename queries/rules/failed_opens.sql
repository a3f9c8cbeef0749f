-- title: Most opens fail
-- level: info
-- needs: file_stat
-- param: min_errors INTEGER 1000 -- so many are reported
-- param: min_pct REAL 50 -- and this share of all opens
-- columns: opens, errors, errors_pct, total_ns, saves_ns
-- column: errors_pct percent share of them
-- column: total_ns dur_ns time in opens, those that did not fail included
-- column: saves_ns dur_ns idle time of all GPUs, and not more than total_ns, for each: at most
-- loss: either saves_ns
-- order: errors
-- finding: {errors} of {opens} opens failed, {errors_pct}; all of them took {total_ns}.
-- advice: Shorten search paths (PYTHONPATH, LD_LIBRARY_PATH, sys.path), above all those on network file systems; 'report errors' names what is looked for.
-- unless: they are over when the training begins: --phase in 'report errors' tells.
SELECT opens, errors, 100.0 * errors / opens AS errors_pct, total_ns,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * total_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM (SELECT sum(calls) AS opens, sum(errors) AS errors, sum(total_ns) AS total_ns FROM io_stat WHERE by = 'class,verb' AND verb = 'open')
WHERE errors >= coalesce(:min_errors, 1000) AND 100.0 * errors >= coalesce(:min_pct, 50) * opens
ORDER BY errors;
