-- What did each epoch read, and how fast?
SELECT
    p.label,
    count(*) AS reads,
    sum(c.done_bytes) AS bytes,
    round(sum(c.done_bytes) * 1e3 / p.dur_ns, 3) AS mb_per_s
FROM phases AS p
JOIN io_calls AS c ON c.start_ns >= p.start_ns AND c.start_ns < p.end_ns
WHERE p.name = 'epoch' AND c.verb = 'read'
GROUP BY p.id
ORDER BY p.start_ns;
