-- title: Page cache: what came from it, what from the disk, what was read again
-- group: files
-- needs: call
-- uses: block_request
-- param: by template|file|process template -- what a row is: a kind of file, a file or a process
-- filters: limit 30
-- columns: name, reads, read_bytes, hits, hit_bytes, hit_pct, cold_bytes, ahead_bytes, disk_bytes, cache_min_pct, reread_bytes, reread_pct, basis
-- column: name TEXT kind of file (digits are {}), path, or process id and name; '(all)': everything
-- column: reads count reads of regular files
-- column: hits count of these reads: all was in the page cache; NULL: not recorded
-- column: hit_bytes bytes bytes that were in the page cache; NULL, as hit_pct, cold_bytes and ahead_bytes: calls do not tell
-- column: hit_pct percent share of read_bytes
-- column: cold_bytes bytes bytes that were not, as far as they were asked for
-- column: ahead_bytes bytes bytes that were brought into the page cache besides: read ahead
-- column: disk_bytes bytes bytes that disks read, for anybody and read ahead; of '(all)' only, where calls do not tell
-- column: cache_min_pct percent share of read_bytes that exceeds disk_bytes: at least so much was in the page cache, or came from a server
-- column: reread_bytes bytes bytes of read_bytes that exceed the length of what was read of each file: read before
-- column: reread_pct percent share of read_bytes
-- column: basis TEXT what tells of the page cache: calls (event set pagecache), disks (what they read meanwhile; of '(all)' only); NULL: nothing
-- loss: either hits, hit_bytes, hit_pct, cache_min_pct, reread_pct
-- none: no read of a file was traced that says how much it got
-- order: c.is_all DESC, read_bytes DESC, name, c.id
--
-- The length of what was read of a file is where the read that reached furthest ended, so that a file that is read in part counts less than its size,
-- and what is read twice counts once; where offsets are not known it is not, and reread_bytes is NULL. Bytes that another process brought in count
-- for it, hits of a mapping are no calls. Disks read for mappings (of libraries above all) and for other processes, too, so that what they read is
-- not what these reads missed: more than they read may still have been in the page cache.
WITH
    c AS (
        SELECT *, coalesce(file_id, process_id, template_id) AS id
        FROM read_stat
        WHERE by = 'all,' || coalesce(:by, 'template') AND of_top >= coalesce(:limit, 30)
    ),
    disk AS MATERIALIZED (
        SELECT coalesce(sum(bytes) FILTER (WHERE op = 0), 0) AS bytes FROM block_request HAVING count(*) > 0
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
    CASE WHEN c.known = c.reads THEN c.hits END AS hits,
    CASE WHEN c.known = c.reads THEN c.hit_bytes END AS hit_bytes,
    CASE WHEN c.known = c.reads THEN 100.0 * c.hit_bytes / nullif(c.bytes, 0) END AS hit_pct,
    CASE WHEN c.known = c.reads THEN c.cold_bytes END AS cold_bytes,
    CASE WHEN c.known = c.reads THEN c.ahead_bytes END AS ahead_bytes,
    d.bytes AS disk_bytes,
    100.0 * max(0, c.bytes - d.bytes) / nullif(c.bytes, 0) AS cache_min_pct,
    c.reread_bytes,
    100.0 * c.reread_bytes / nullif(c.bytes, 0) AS reread_pct,
    CASE WHEN c.known = c.reads THEN 'calls' WHEN d.bytes IS NOT NULL THEN 'disks' END AS basis
FROM c
-- of all reads the disks tell where calls do not
LEFT JOIN disk AS d ON c.is_all AND c.known = 0
LEFT JOIN process AS p ON p.id = c.id AND :by = 'process'
LEFT JOIN file AS f ON f.id = c.id AND :by = 'file'
LEFT JOIN string AS t ON t.id = c.id AND coalesce(:by, 'template') = 'template'
ORDER BY c.is_all DESC, read_bytes DESC, name, c.id
LIMIT coalesce(:limit, 30);
