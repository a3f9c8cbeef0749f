-- title: A GPU idles for long at a time
-- level: warning
-- needs: gpu_phase
-- uses: segment
-- param: min_gap dur_ns 500ms -- stretches of that length are reported
-- columns: gpu, of_host, gaps, again, max_idle_ns, start_ns, cause, behind, basis, saves_ns
-- column: gpu INTEGER index of the GPU that idled so for longest
-- column: of_host TEXT of which machine, where there are several
-- column: gaps count stretches of min_gap or more for this cause, of the three that are kept
-- column: again TEXT the others, in words
-- column: max_idle_ns dur_ns the longest, surely idle
-- column: cause TEXT what was in progress, as in report gpu_idle
-- column: behind TEXT process and file that were at it
-- column: saves_ns dur_ns idle time of all GPUs, and not more than that of all such stretches, for each, as others may have waited: at most
-- loss: either max_idle_ns, saves_ns
-- order: g.max_idle_ns DESC, g.gpu, g.cause
-- finding: GPU {gpu}{of_host} idled for {max_idle_ns} from {start_ns} on ({cause}{behind}){again}.
-- advice: 'report stalls' has the moments, 'report around --at TIME' what else happened then. One long stop is a checkpoint, a slow file, a sleep or a retry, an evaluation; work that is asynchronous, or in another process, lets the GPU go on.
-- unless: there was nothing to do: between runs, or in evaluation.
--
-- As nsys's rule gpu_gaps, which has 500 ms, too; only of causes that somebody can do something about, the three with the longest.
WITH
    g AS (
        SELECT
            d.number AS gpu, coalesce(' of ' || d.host, '') AS of_host, s.cause, count(*) AS gaps, max(s.idle_min_ns) AS max_idle_ns, sum(s.idle_max_ns) AS saves_ns,
            CASE WHEN min(s.idle_min_ns = s.idle_max_ns) THEN 'exact' ELSE 'bounds' END AS basis,
            (SELECT x.start_ns FROM gpu_idle_stretch AS x WHERE x.device_id = s.device_id AND x.cause = s.cause ORDER BY x.idle_min_ns DESC, x.start_ns LIMIT 1) AS start_ns,
            (
                SELECT coalesce(': ' || coalesce(p.name || ' ', '') || p.pid, '') || coalesce(', ' || nullif(coalesce(f.path, f.name), ''), '')
                FROM gpu_idle_stretch AS x
                LEFT JOIN process AS p ON p.id = x.process_id
                LEFT JOIN file AS f ON f.id = x.file_id
                WHERE x.device_id = s.device_id AND x.cause = s.cause
                ORDER BY x.idle_min_ns DESC, x.start_ns
                LIMIT 1
            ) AS behind
        FROM gpu_idle_stretch AS s
        JOIN device AS d ON d.id = s.device_id
        WHERE s.idle_min_ns >= coalesce(:min_gap, 500000000) AND s.cause NOT IN ('no calls recorded', 'unexplained', 'evaluation', 'initialisation', 'events lost')
        GROUP BY s.device_id, s.cause
    )
SELECT
    gpu, of_host, gaps,
    CASE gaps WHEN 1 THEN '' ELSE printf(', and %s for %g s or longer', CASE gaps WHEN 2 THEN 'once more' ELSE gaps - 1 || ' more times' END, coalesce(:min_gap, 500000000) / 1e9) END AS again,
    max_idle_ns, start_ns, cause, behind, basis,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * all_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM (SELECT *, row_number() OVER (PARTITION BY cause ORDER BY max_idle_ns DESC, gpu) AS place, sum(saves_ns) OVER (PARTITION BY cause) AS all_ns FROM g) AS g
WHERE place = 1
ORDER BY g.max_idle_ns DESC, g.gpu, g.cause
LIMIT 3;
