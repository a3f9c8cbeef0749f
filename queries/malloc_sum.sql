-- title: Memory that programs allocate, by function
-- group: processes
-- needs: malloc
-- filters: process, limit
-- columns: pid, process, function, calls, bytes, mean_bytes, large_calls, largest_bytes
-- column: process TEXT command name
-- column: function TEXT malloc, calloc, realloc, memalign, free, ...
-- column: bytes bytes bytes asked for; NULL: the function asks for none
-- column: large_calls count of these: 128 KiB or more, which the C library gets from the kernel one by one (mmap), and gives back so
-- column: largest_bytes bytes a power of two: all of them were smaller
-- loss: either mean_bytes
-- loss: none largest_bytes
-- order: bytes DESC, calls DESC, m.pid, m.function, m.source_id
--
-- Counted by uprobes of the event set malloc, in the kernel: no calls are stored, and there is no time of each. Large allocations that are made
-- and freed again and again cost a page fault for each 4 KiB: report faults, or GLIBC_TUNABLES=glibc.malloc.mmap_threshold, tell whether it matters.
WITH
    m AS (
        SELECT
            source_id,
            CAST(substr(key, 1, instr(key, ' ') - 1) AS INTEGER) AS pid,
            substr(key, instr(key, ' ') + 1) AS function,
            sum(value) FILTER (WHERE name = 'malloc.calls') AS calls,
            sum(value) FILTER (WHERE name = 'malloc.bytes') AS bytes,
            sum(value) FILTER (WHERE name = 'malloc.calls' AND low >= 131072) AS large_calls,
            max(high) FILTER (WHERE name = 'malloc.calls') AS largest
        FROM summary
        WHERE name IN ('malloc.calls', 'malloc.bytes') AND key GLOB '[0-9]* *'
        GROUP BY source_id, key
    )
SELECT
    m.pid,
    (SELECT p.name FROM process AS p WHERE p.pid = m.pid ORDER BY p.lifetime DESC, p.id LIMIT 1) AS process,
    m.function,
    CAST(m.calls AS INTEGER) AS calls,
    CAST(m.bytes AS INTEGER) AS bytes,
    CAST(m.bytes / m.calls AS INTEGER) AS mean_bytes,
    CASE WHEN m.bytes IS NOT NULL THEN CAST(coalesce(m.large_calls, 0) AS INTEGER) END AS large_calls,
    CAST(m.largest AS INTEGER) AS largest_bytes
FROM m
WHERE (:pid IS NULL OR m.pid = :pid)
    AND (:process IS NULL OR m.pid IN (SELECT pid FROM process WHERE name = :process OR role = :process))
ORDER BY bytes DESC, calls DESC, m.pid, m.function, m.source_id
LIMIT coalesce(:limit, -1);
