-- title: Shared memory: who makes it, and who uses it
-- group: files
-- needs: call
-- filters: time, process, limit
-- param: pid INTEGER NULL -- only segments that the process with this id makes or uses
-- param: process TEXT NULL -- only segments that processes with this name or role make or use
-- columns: name, made_by, used_by, makers, users, segments, size_bytes, mapped_bytes, write_bytes, read_bytes, first_ns, last_ns
-- column: name TEXT kind of segment (digits are {})
-- column: made_by TEXT role, or command name, of the process that gave it its size
-- column: used_by TEXT role, or command name, of another one that mapped or read it; NULL: none did
-- column: makers count processes that made them
-- column: users count and others that used them
-- column: segments count segments
-- column: size_bytes bytes their size: what ftruncate or fallocate gave them, or the largest mapping
-- column: mapped_bytes bytes size of the mappings of those that used them
-- column: write_bytes bytes bytes that calls wrote; what is written through a mapping is not seen
-- loss: none first_ns, last_ns
-- none: no calls on segments of shared memory were traced
-- order: size_bytes DESC, name, made_by, used_by
--
-- Data loaders hand over batches in segments of /dev/shm (PyTorch: torch_*, Python: psm_*) or in a memfd, which they fill through a mapping: calls
-- write a few bytes of what may be gigabytes. Who made a segment is who gave it its size, else who mapped it first.
WITH
    wanted AS MATERIALIZED (
        SELECT id FROM process WHERE (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    used AS MATERIALIZED (
        SELECT * FROM segment_use WHERE since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase
    ),
    maker AS MATERIALIZED (
        SELECT *, max(max(coalesce(sized_bytes, 0))) OVER f AS given_bytes, max(max(coalesce(map_bytes, 0))) OVER f AS largest_map_bytes,
            sum(sum(write_bytes)) OVER f AS all_write_bytes, sum(sum(read_bytes)) OVER f AS all_read_bytes,
            row_number() OVER (PARTITION BY file_id ORDER BY sized_ns IS NULL, sized_ns, mapped_ns IS NULL, mapped_ns, first_ns, process_id) AS place
        FROM used
        GROUP BY file_id, process_id
        WINDOW f AS (PARTITION BY file_id)
    ),
    pair AS (
        SELECT
            m.file_id, m.process_id AS maker_id, u.process_id AS user_id,
            coalesce(nullif(m.given_bytes, 0), nullif(m.largest_map_bytes, 0)) AS size_bytes,
            u.mapped_bytes, m.all_write_bytes, m.all_read_bytes, m.first_ns
        FROM maker AS m
        LEFT JOIN used AS u ON u.file_id = m.file_id AND u.process_id <> m.process_id AND coalesce(u.mapped_ns, u.read_bytes) IS NOT NULL
        WHERE m.place = 1
            AND (coalesce(:pid, :process) IS NULL OR m.process_id IN (SELECT id FROM wanted) OR u.process_id IN (SELECT id FROM wanted))
    ),
    named AS (
        SELECT
            p.*, f.template_id,
            coalesce(a.role, a.name, '?') AS made_by,
            CASE WHEN p.user_id IS NOT NULL THEN coalesce(b.role, b.name, '?') END AS used_by
        FROM pair AS p
        JOIN file AS f ON f.id = p.file_id
        LEFT JOIN process AS a ON a.id = p.maker_id
        LEFT JOIN process AS b ON b.id = p.user_id
    ),
    -- a segment that several of one role use is one
    once AS (
        SELECT file_id, template_id, made_by, used_by, max(size_bytes) AS size_bytes, sum(mapped_bytes) AS mapped_bytes, max(all_write_bytes) AS write_bytes, max(all_read_bytes) AS read_bytes, min(first_ns) AS first_ns
        FROM named
        GROUP BY file_id, used_by
    )
SELECT
    t.text AS name,
    o.made_by,
    o.used_by,
    (SELECT count(DISTINCT n.maker_id) FROM named AS n WHERE n.template_id = o.template_id AND n.made_by = o.made_by AND n.used_by IS o.used_by) AS makers,
    (SELECT count(DISTINCT n.user_id) FROM named AS n WHERE n.template_id = o.template_id AND n.made_by = o.made_by AND n.used_by IS o.used_by) AS users,
    count(*) AS segments,
    sum(o.size_bytes) AS size_bytes,
    sum(o.mapped_bytes) AS mapped_bytes,
    sum(o.write_bytes) AS write_bytes,
    sum(o.read_bytes) AS read_bytes,
    min(o.first_ns) AS first_ns,
    max(o.first_ns) AS last_ns
FROM once AS o
JOIN string AS t ON t.id = o.template_id
GROUP BY o.template_id, o.made_by, o.used_by
ORDER BY size_bytes DESC, name, made_by, used_by
LIMIT coalesce(:limit, -1);
