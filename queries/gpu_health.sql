-- title: What slowed GPUs down, and errors of theirs
-- group: gpu
-- needs: gpu_util
-- filters: time, gpu
-- time: samples taken
-- columns: gpu, host, power_pct, thermal_pct, hardware_pct, temperature_max_c, power_mean_w, clock_mean_mhz, clock_min_mhz
-- columns: link_received_bytes_per_s, link_sent_bytes_per_s, corrected, uncorrected, xids
-- columns: pci_received_bytes_per_s, pci_sent_bytes_per_s, memory_temperature_max_c, memory_clock_mean_mhz
-- columns: encoder_mean_pct, decoder_mean_pct, jpeg_mean_pct, flow_mean_pct, bar_max_bytes
-- column: host TEXT its machine; NULL: there is one
-- column: power_pct percent share of the samples in which the clocks gave way to the power limit or the power supply
-- column: thermal_pct percent to heat
-- column: hardware_pct percent to the hardware, for a reason that it does not tell
-- column: temperature_max_c REAL hottest, in degrees Celsius
-- column: power_mean_w REAL mean power, in watts
-- column: clock_mean_mhz REAL mean clock of the multiprocessors, in MHz
-- column: clock_min_mhz REAL lowest
-- column: link_received_bytes_per_s bytes_per_s mean rate at which all NVLinks received
-- column: link_sent_bytes_per_s bytes_per_s at which they sent
-- column: corrected count errors of memory that were corrected, new ones
-- column: uncorrected count that were not
-- column: xids TEXT errors of the driver (Xid) by number, with how many
-- column: pci_received_bytes_per_s bytes_per_s mean rate at which it received by PCI Express: copies from the host
-- column: pci_sent_bytes_per_s bytes_per_s at which it sent
-- column: memory_temperature_max_c REAL hottest, of its memory
-- column: memory_clock_mean_mhz REAL mean clock of its memory, in MHz
-- column: encoder_mean_pct percent mean use of the engine that encodes video
-- column: decoder_mean_pct percent that decodes video
-- column: jpeg_mean_pct percent that decodes JPEG
-- column: flow_mean_pct percent that finds optical flow
-- column: bar_max_bytes bytes most of its memory that was mapped for the host and other devices (BAR1)
-- loss: none power_pct, thermal_pct, hardware_pct, corrected, uncorrected
-- none: no sampler told of reasons for lower clocks, errors, heat, power or traffic: tracedb record --gpu and nvidia-smi dmon -s pucvet do
-- order: gpu, host, d.id
--
-- By 'tracedb record --gpu' or 'nvidia-smi dmon -s pucvet' (NVLink: by the former). NULL: not told. Reasons are those at each sample, ten a second; what dmon has of power is
-- the share of time. A GPU that computes hard is at its power limit: that is as it should be. Numbers of Xids are in NVIDIA's
-- documentation; 13, 31, 43 and 45 come of the program, others of the hardware.
WITH
    period AS MATERIALIZED (
        SELECT max(start_ns, coalesce(:start_ns, start_ns)) AS start_ns, min(end_ns, coalesce(:end_ns, end_ns)) AS end_ns
        FROM (SELECT label, start_ns, end_ns FROM phase_interval UNION ALL VALUES (NULL, -9223372036854775807, 9223372036854775807))
        WHERE label IS :phase COLLATE NOCASE
    ),
    value AS MATERIALIZED (
        SELECT
            t.device_id, t.source_id, substr(t.name, 5) AS name, t.unit, s.ts_ns, s.value,
            first_value(s.value) OVER (PARTITION BY t.id ORDER BY s.value IS NULL, s.id) AS first_value
        FROM track AS t
        JOIN device AS d ON d.id = t.device_id
        CROSS JOIN sample AS s ON s.track_id = t.id
        WHERE d.kind = 'gpu' AND t.process_id IS NULL
            AND t.name IN ('gpu.throttle_power', 'gpu.throttle_thermal', 'gpu.throttle_hw', 'gpu.pviol', 'gpu.tviol', 'gpu.gtemp', 'gpu.pwr', 'gpu.pclk',
                'gpu.rxnvl', 'gpu.txnvl', 'gpu.sbecc', 'gpu.dbecc', 'gpu.xid', 'gpu.rxpci', 'gpu.txpci', 'gpu.mtemp', 'gpu.mclk',
                'gpu.enc', 'gpu.dec', 'gpu.jpg', 'gpu.ofa', 'gpu.bar1')
            AND (:gpu IS NULL OR d.number = :gpu)
            AND (
                coalesce(:start_ns, :end_ns, :phase) IS NULL
                OR EXISTS (SELECT 1 FROM period AS p WHERE s.ts_ns >= p.start_ns AND s.ts_ns < p.end_ns)
            )
    ),
    told AS (
        SELECT
            device_id, source_id,
            coalesce(avg(value) FILTER (WHERE name = 'throttle_power'), avg(value) FILTER (WHERE name = 'pviol')) AS power_pct,
            coalesce(avg(value) FILTER (WHERE name = 'throttle_thermal'), 100 * avg(value) FILTER (WHERE name = 'tviol')) AS thermal_pct,
            avg(value) FILTER (WHERE name = 'throttle_hw') AS hardware_pct,
            max(value) FILTER (WHERE name = 'gtemp') AS temperature_max_c,
            avg(value) FILTER (WHERE name = 'pwr') AS power_mean_w,
            avg(value) FILTER (WHERE name = 'pclk') AS clock_mean_mhz,
            min(value) FILTER (WHERE name = 'pclk') AS clock_min_mhz,
            avg(value) FILTER (WHERE name = 'rxnvl') * 1000000 AS received,
            avg(value) FILTER (WHERE name = 'txnvl') * 1000000 AS sent,
            avg(value) FILTER (WHERE name = 'rxpci') * 1000000 AS pci_received,
            avg(value) FILTER (WHERE name = 'txpci') * 1000000 AS pci_sent,
            max(value) FILTER (WHERE name = 'mtemp') AS memory_temperature_max_c,
            avg(value) FILTER (WHERE name = 'mclk') AS memory_clock_mean_mhz,
            avg(value) FILTER (WHERE name = 'enc') AS encoder_mean_pct,
            avg(value) FILTER (WHERE name = 'dec') AS decoder_mean_pct,
            avg(value) FILTER (WHERE name = 'jpg') AS jpeg_mean_pct,
            avg(value) FILTER (WHERE name = 'ofa') AS flow_mean_pct,
            max(value) FILTER (WHERE name = 'bar1') AS bar_max_bytes,
            max(value - first_value) FILTER (WHERE name = 'sbecc') AS corrected,
            max(value - first_value) FILTER (WHERE name = 'dbecc') AS uncorrected
        FROM value
        GROUP BY device_id, source_id
    ),
    xid AS (
        SELECT device_id, group_concat(printf('%d (%d)', value, n), ', ') AS xids
        FROM (SELECT device_id, value, count(*) AS n FROM value WHERE name = 'xid' AND value IS NOT NULL GROUP BY device_id, value ORDER BY 1, 2)
        GROUP BY device_id
    )
SELECT
    d.number AS gpu,
    d.host AS host,
    max(t.power_pct) AS power_pct,
    max(t.thermal_pct) AS thermal_pct,
    max(t.hardware_pct) AS hardware_pct,
    max(t.temperature_max_c) AS temperature_max_c,
    max(t.power_mean_w) AS power_mean_w,
    max(t.clock_mean_mhz) AS clock_mean_mhz,
    min(t.clock_min_mhz) AS clock_min_mhz,
    max(t.received) AS link_received_bytes_per_s,
    max(t.sent) AS link_sent_bytes_per_s,
    CAST(max(t.corrected) AS INTEGER) AS corrected,
    CAST(max(t.uncorrected) AS INTEGER) AS uncorrected,
    x.xids,
    max(t.pci_received) AS pci_received_bytes_per_s,
    max(t.pci_sent) AS pci_sent_bytes_per_s,
    max(t.memory_temperature_max_c) AS memory_temperature_max_c,
    max(t.memory_clock_mean_mhz) AS memory_clock_mean_mhz,
    max(t.encoder_mean_pct) AS encoder_mean_pct,
    max(t.decoder_mean_pct) AS decoder_mean_pct,
    max(t.jpeg_mean_pct) AS jpeg_mean_pct,
    max(t.flow_mean_pct) AS flow_mean_pct,
    CAST(max(t.bar_max_bytes) AS INTEGER) AS bar_max_bytes
FROM told AS t
JOIN device AS d ON d.id = t.device_id
LEFT JOIN xid AS x ON x.device_id = t.device_id
GROUP BY t.device_id
ORDER BY gpu, host, d.id;
