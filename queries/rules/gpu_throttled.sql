-- title: The clocks of a GPU give way
-- level: warning
-- needs: gpu_util
-- param: min_pct REAL 5 -- share of the samples in which they do
-- column: gpu INTEGER index of the GPU that did most
-- column: of_host TEXT of which machine, where there are several
-- column: reason TEXT what they give way to
-- column: throttled_pct percent share of the samples, or of the time
-- column: throttled_gpus count GPUs to which that applies
-- column: level TEXT info for the power limit, which is where a GPU that works hard is
-- order: t.throttled_pct DESC, t.reason
-- finding: The clocks of GPU {gpu}{of_host} gave way to {reason} in {throttled_pct} of the samples ({throttled_gpus} GPUs in all).
-- advice: Heat: look after fans, air, coolant and dust; a GPU that is hotter than its neighbours makes all ranks wait for it. Power limit: nvidia-smi -q -d POWER has the limit, -pl sets it. Hardware, power supply: the machine has a fault.
-- unless: the limit was set on purpose.
WITH
    share AS (
        SELECT
            t.device_id,
            CASE
                WHEN t.name IN ('gpu.throttle_power', 'gpu.pviol') THEN 'the power limit'
                WHEN t.name IN ('gpu.throttle_thermal', 'gpu.tviol') THEN 'heat'
                ELSE 'the hardware'
            END AS reason,
            CASE WHEN t.name = 'gpu.tviol' THEN 100 ELSE 1 END * avg(s.value) AS pct
        FROM sample AS s
        JOIN track AS t ON t.id = s.track_id
        WHERE t.id IN (SELECT id FROM track WHERE name IN ('gpu.throttle_power', 'gpu.throttle_thermal', 'gpu.throttle_hw', 'gpu.pviol', 'gpu.tviol'))
            AND EXISTS (SELECT 1 FROM track WHERE name IN ('gpu.throttle_power', 'gpu.throttle_thermal', 'gpu.throttle_hw', 'gpu.pviol', 'gpu.tviol'))
        GROUP BY t.id
    ),
    t AS (
        SELECT
            d.number AS gpu, coalesce(' of ' || d.host, '') AS of_host, s.reason, s.pct AS throttled_pct,
            count(*) OVER (PARTITION BY s.reason) AS throttled_gpus,
            row_number() OVER (PARTITION BY s.reason ORDER BY s.pct DESC, d.number, d.id) AS place
        FROM (SELECT device_id, reason, max(pct) AS pct FROM share GROUP BY device_id, reason) AS s
        JOIN device AS d ON d.id = s.device_id
        WHERE s.pct >= coalesce(:min_pct, 5)
    )
SELECT t.gpu, t.of_host, t.reason, t.throttled_pct, t.throttled_gpus, CASE WHEN t.reason = 'the power limit' THEN 'info' ELSE 'warning' END AS level
FROM t
WHERE t.place = 1
ORDER BY t.throttled_pct DESC, t.reason;
