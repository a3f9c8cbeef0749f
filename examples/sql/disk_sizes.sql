-- Of what size are the requests of the disks?
SELECT device, op, count(*) AS requests, sum(bytes) AS bytes, min(bytes) AS least, max(bytes) AS most, sum(bytes) / count(*) AS mean
FROM requests
GROUP BY device, op
ORDER BY device, op;
