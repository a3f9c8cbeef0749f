-- How busy was each GPU while each epoch ran, as it was sampled?
SELECT gpu, phase, count(value) AS samples, round(avg(value), 1) AS mean_pct
FROM samples
WHERE counter = 'gpu.sm' AND phase LIKE 'epoch %'
GROUP BY gpu, phase
ORDER BY gpu, phase;
