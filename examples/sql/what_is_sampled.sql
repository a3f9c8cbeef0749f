-- What was sampled, how often, and between which values?
SELECT counter, unit, count(*) AS samples, min(value) AS least, max(value) AS most
FROM samples
GROUP BY counter, unit
ORDER BY counter;
