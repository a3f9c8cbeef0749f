-- title: A disk is busy nearly all the time
-- level: warning
-- needs: block_request
-- uses: segment
-- param: min_pct REAL 80 -- share of the run with a request in progress that is reported
-- columns: busy_ns, busy_pct, read_bytes, write_bytes, saves_ns
-- column: busy_ns dur_ns time with at least one request in progress
-- column: busy_pct percent share of the run
-- column: saves_ns dur_ns idle time of all GPUs, and not more than busy_ns, for each: at most
-- loss: either saves_ns
-- order: busy_ns
-- finding: Requests to disks were in progress for {busy_pct} of the run ({busy_ns}); they read {read_bytes} and wrote {write_bytes}.
-- advice: If the bytes over the time come near what the disk can do, read less (compression, smaller samples, a cache in memory) or read from more disks; if not, the requests are small or come one at a time: larger reads, more of them in flight.
-- unless: the disk serves many requests at a time as fast as one: then this says little.
SELECT d.busy_ns, 100.0 * d.busy_ns / d.wall_ns AS busy_pct, d.read_bytes, d.write_bytes,
    (SELECT min(sum(wall_ns - busy_min_ns), count(*) * d.busy_ns) FROM gpu_phase WHERE label = '(run)' AND start_ns IS NULL AND run_number IS NULL) AS saves_ns
FROM (SELECT sum(block_ns) AS busy_ns, sum(dur_ns) AS wall_ns, sum(block_read_bytes) AS read_bytes, sum(block_write_bytes) AS write_bytes FROM segment) AS d
WHERE 100.0 * d.busy_ns >= coalesce(:min_pct, 80) * d.wall_ns
ORDER BY busy_ns;
