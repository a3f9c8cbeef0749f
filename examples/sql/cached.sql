-- How much of what an epoch read came from the disk?
SELECT
    p.label,
    (SELECT sum(c.done_bytes) FROM io_calls AS c WHERE c.verb = 'read' AND c.phase = p.label) AS read_bytes,
    coalesce((SELECT sum(r.bytes) FROM requests AS r WHERE r.op = 'read' AND r.phase = p.label), 0) AS disk_bytes
FROM phases AS p
WHERE p.name = 'epoch'
ORDER BY p.start_ns;
