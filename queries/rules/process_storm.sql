-- title: Many processes are started for short tasks
-- level: warning
-- needs: process
-- param: min_processes INTEGER 200 -- so many are reported
-- param: max_ns dur_ns 1s -- that live no longer
-- column: process TEXT command name
-- column: processes count processes that lived so shortly
-- column: mean_ns dur_ns how long they lived on average
-- column: cpu_ns dur_ns their CPU time; NULL: not recorded
-- loss: either mean_ns
-- order: processes DESC, p.name
-- finding: {processes} processes called {process} lived for {mean_ns} on average.
-- advice: Starting a process costs milliseconds of a CPU and copies page tables: keep one worker for many tasks, call a library instead of a program (subprocess for each sample, os.system('rm')).
-- unless: they are the steps of a build.
--
-- The three most frequent names.
SELECT p.name AS process, count(*) AS processes, avg(p.end_ns - p.start_ns) AS mean_ns, sum(p.user_ns + p.system_ns) AS cpu_ns
FROM process AS p
WHERE p.end_ns - p.start_ns <= coalesce(:max_ns, 1000000000)
GROUP BY p.name
HAVING processes >= coalesce(:min_processes, 200)
ORDER BY processes DESC, p.name
LIMIT 3;
