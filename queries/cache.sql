-- title: Page cache: what came from it, what from the disk, what was read again
-- group: files
-- needs: call
-- uses: block_request
-- param: by template|file|process template -- what a row is: a kind of file, a file or a process
-- filters: limit 30
-- columns: name, reads, read_bytes, hits, hit_bytes, hit_pct, cold_bytes, ahead_bytes, reread_bytes, reread_pct, basis
-- column: name TEXT kind of file (digits are {}), path, or process id and name; '(all)': everything
-- column: reads count reads of regular files
-- column: hits count of these reads: all was in the page cache; NULL: not recorded
-- column: hit_bytes bytes bytes that were in the page cache
-- column: hit_pct percent share of read_bytes
-- column: cold_bytes bytes bytes that were not, as far as they were asked for
-- column: ahead_bytes bytes bytes that were brought into the page cache besides: read ahead
-- column: reread_bytes bytes bytes of read_bytes that exceed the length of what was read of each file: read before
-- column: reread_pct percent share of read_bytes
-- column: basis TEXT how cold bytes are known: calls (event set pagecache), disks (what disks read meanwhile, by anybody; of '(all)' only); NULL: they are not
-- loss: either hits, hit_bytes, hit_pct, reread_pct
-- order: c.is_all DESC, read_bytes DESC, name, c.id
--
-- The length of what was read of a file is where the read that reached furthest ended, so that a file that is read in part counts less than its size,
-- and what is read twice counts once; where offsets are not known it is not, and reread_bytes is NULL. Bytes that another process brought in count
-- for it, hits of a mapping are no calls. With 'disks' the disk may have read for anybody, and less what was read ahead.
WITH
    c AS (
        SELECT *, coalesce(file_id, process_id, template_id) AS id
        FROM read_stat
        WHERE by = 'all,' || coalesce(:by, 'template') AND of_top >= coalesce(:limit, 30)
    ),
    disk AS MATERIALIZED (
        SELECT sum(bytes) FILTER (WHERE op = 0) AS bytes FROM block_request HAVING count(*) > 0
    ),
    whole AS (
        -- of all reads the disks tell where calls do not
        SELECT
            c.*,
            CASE WHEN c.known = c.reads THEN 'calls' WHEN c.is_all AND c.known = 0 AND EXISTS (SELECT 1 FROM disk) THEN 'disks' END AS basis,
            coalesce((SELECT bytes FROM disk), 0) AS disk_bytes
        FROM c
    )
SELECT
    CASE
        WHEN c.is_all THEN '(all)'
        WHEN :by = 'process' THEN coalesce(p.pid || coalesce(' ' || p.name, '') || coalesce(' on ' || p.host, ''), '(unknown)')
        WHEN :by = 'file' THEN coalesce(nullif(f.path, ''), nullif(f.name, ''), '(no name)')
        ELSE t.text
    END AS name,
    c.reads,
    c.bytes AS read_bytes,
    CASE WHEN c.basis = 'calls' THEN c.hits END AS hits,
    CASE c.basis WHEN 'calls' THEN c.hit_bytes WHEN 'disks' THEN max(0, c.bytes - c.disk_bytes) END AS hit_bytes,
    100.0 * CASE c.basis WHEN 'calls' THEN c.hit_bytes WHEN 'disks' THEN max(0, c.bytes - c.disk_bytes) END / nullif(c.bytes, 0) AS hit_pct,
    CASE c.basis WHEN 'calls' THEN c.cold_bytes WHEN 'disks' THEN min(c.bytes, c.disk_bytes) END AS cold_bytes,
    CASE c.basis WHEN 'calls' THEN c.ahead_bytes WHEN 'disks' THEN max(0, c.disk_bytes - c.bytes) END AS ahead_bytes,
    c.reread_bytes,
    100.0 * c.reread_bytes / nullif(c.bytes, 0) AS reread_pct,
    c.basis
FROM whole AS c
LEFT JOIN process AS p ON p.id = c.id AND :by = 'process'
LEFT JOIN file AS f ON f.id = c.id AND :by = 'file'
LEFT JOIN string AS t ON t.id = c.id AND coalesce(:by, 'template') = 'template'
ORDER BY c.is_all DESC, read_bytes DESC, name, c.id
LIMIT coalesce(:limit, 30);
