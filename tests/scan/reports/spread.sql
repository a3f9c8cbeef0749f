-- title: How durations of a process and operation differ
-- needs: op_stat
-- filters: time
-- columns: pid, name, layer, calls, stddev_ns, unfinished_calls
-- column: name TEXT operation
-- column: layer TEXT its layer
-- column: unfinished_calls count not seen to return
-- order: pid, o.name, o.layer
--
-- Of nobody: partials.py asks for it what derived tables do not hold in a form that adds up.
SELECT p.pid, o.name, o.layer, s.calls, s.stddev_ns, s.unfinished AS unfinished_calls
FROM call_stat AS s
JOIN op AS o ON o.id = s.op_id
LEFT JOIN process AS p ON p.id = s.process_id
WHERE s.by = 'process,op' AND s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase
ORDER BY pid, o.name, o.layer;
