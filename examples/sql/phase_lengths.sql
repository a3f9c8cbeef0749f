-- How long did each phase take, and which share of the run?
SELECT p.label, round(p.t_s, 3) AS t_s, round(p.dur_ns / 1e9, 3) AS s, round(100.0 * p.dur_ns / (r.end_ns - r.start_ns), 1) AS pct
FROM phases AS p
CROSS JOIN run AS r
ORDER BY p.start_ns, p.dur_ns DESC;
