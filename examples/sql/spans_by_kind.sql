-- Which ranges are there besides the phases, and how long are they?
SELECT kind, name, count(*) AS spans, sum(dur_ns) / 1000000 AS ms
FROM spans
GROUP BY kind, name
ORDER BY kind, ms DESC, name;
