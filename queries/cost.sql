-- title: What recording cost
-- group: data
-- needs: cost
-- columns: source, name, runs, cpu_ns, mean_ns, measured_ns, cpu_pct
-- column: name TEXT BPF program; or the recorder's own process
-- column: runs count how often the program ran; NULL for a process
-- column: cpu_ns dur_ns CPU time; of the recorder without what it took to load the programs, before anything was recorded
-- column: mean_ns dur_ns CPU time of one run
-- column: measured_ns dur_ns time in which runs and CPU time were counted
-- column: cpu_pct percent CPU time per measured time: 100 is one whole CPU
-- order: t.source_id, cpu_ns DESC, name
--
-- Programs run inside the calls that they watch and make these longer. Their time is that which the kernel measured
-- (kernel.bpf_stats_enabled). Measuring takes some itself, so it is done in the first two seconds, or for half a million calls, unless
-- record was given --cost.
SELECT
    s.path AS source,
    t.key AS name,
    CAST(r.value AS INTEGER) AS runs,
    CAST(t.value AS INTEGER) AS cpu_ns,
    CAST(t.value / r.value AS INTEGER) AS mean_ns,
    CAST(coalesce(m.value, s.last_ns - s.first_ns) AS INTEGER) AS measured_ns,
    100.0 * t.value / nullif(coalesce(m.value, s.last_ns - s.first_ns), 0) AS cpu_pct
FROM summary AS t
JOIN source AS s ON s.id = t.source_id
LEFT JOIN summary AS r ON r.source_id = t.source_id AND r.name = 'bpf.runs' AND r.key = t.key AND t.name = 'bpf.run_time'
LEFT JOIN summary AS m ON m.source_id = t.source_id AND m.name = 'bpf.measured' AND m.key = t.key AND t.name = 'bpf.run_time'
WHERE t.name IN ('bpf.run_time', 'collector.cpu')
ORDER BY t.source_id, cpu_ns DESC, name;
