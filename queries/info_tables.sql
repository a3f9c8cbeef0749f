-- title: Tables
-- group: data
-- column: name TEXT table
-- column: rows count rows in it
-- order: rows DESC, name
--
-- How much there is of what. The rows of the big tables are numbered without gaps from 1, so their last
-- number is their count. Derived tables are left out.
SELECT 'anchor' AS name, count(*) AS rows FROM anchor
UNION ALL SELECT 'block_request', coalesce(max(id), 0) FROM block_request
UNION ALL SELECT 'call', coalesce(max(id), 0) FROM call
UNION ALL SELECT 'device', count(*) FROM device
UNION ALL SELECT 'file', coalesce(sum(files), 0) FROM file_kind
UNION ALL SELECT 'gpu_op', coalesce(max(id), 0) FROM gpu_op
UNION ALL SELECT 'issue', count(*) FROM issue
UNION ALL SELECT 'issue_count', count(*) FROM issue_count
UNION ALL SELECT 'loss', count(*) FROM loss
UNION ALL SELECT 'mark', coalesce(max(id), 0) FROM mark
UNION ALL SELECT 'op', count(*) FROM op
UNION ALL SELECT 'process', count(*) FROM process
UNION ALL SELECT 'sample', coalesce(max(id), 0) FROM sample
UNION ALL SELECT 'sched_slice', coalesce(max(id), 0) FROM sched_slice
UNION ALL SELECT 'source', count(*) FROM source
UNION ALL SELECT 'span', coalesce(max(id), 0) FROM span
UNION ALL SELECT 'string', count(*) FROM string
UNION ALL SELECT 'summary', count(*) FROM summary
UNION ALL SELECT 'thread', count(*) FROM thread
UNION ALL SELECT 'track', count(*) FROM track
ORDER BY rows DESC, name;
