-- title: Ranks of a distributed run, beside each other
-- group: gpu
-- needs-any: gpu_op, span
-- uses: call
-- columns: rank, rank_basis, pid, process, gpus, kernels, kernel_ns, collectives, collective_ns, copy_ns, data_ns, data_pct
-- columns: loaders, read_bytes, io_ns, phases, epoch_ns, span_ns
-- column: rank_basis TEXT how that is known: printed (by a line, or the file), given (import --rank), environment, name
-- column: gpus TEXT GPUs that it works on, as the process sees them
-- column: kernels count kernels, collectives left out
-- column: kernel_ns dur_ns sum of their durations
-- column: collectives count kernels of NCCL or RCCL
-- column: collective_ns dur_ns sum of their durations: what a rank waits for others is in it, so that the one with least is the one that the others wait for
-- column: copy_ns dur_ns sum of the durations of copies and sets
-- column: data_ns dur_ns time in which its program waited for its DataLoader, by PyTorch's annotations
-- column: data_pct percent share of the time from its first to its last work (span_ns)
-- column: loaders count processes that it started and that read files
-- column: phases count phases of its log
-- column: epoch_ns dur_ns time in epochs, by its log
-- column: span_ns dur_ns from the begin of its first work on a GPU to the begin of the last
-- loss: either data_pct, span_ns
-- none: of one process at most work on GPUs, or a log, was traced: ranks are several
-- order: r.rank IS NULL, r.rank, pid, r.process_id
--
-- A rank is a process with work on a GPU, or one of which a log is. A log without a process id is of the only process of its rank that worked on a GPU;
-- else it has a row of its own. Equal ranks differ
-- by a few percent; 'report stragglers' says which one is last, and what that costs.
WITH
    kind AS MATERIALIZED (SELECT id, text FROM string WHERE text IN ('kernel', 'copy', 'set')),
    each AS MATERIALIZED (
        SELECT process_id, device_id, kind_id, name_id, ops, total_ns, first_ns, last_ns
        FROM gpu_stat
        WHERE by = 'device,process,kind,name' AND process_id IS NOT NULL
    ),
    work AS MATERIALIZED (
        SELECT
            g.process_id,
            coalesce(sum(g.ops) FILTER (WHERE k.text = 'kernel' AND n.name_id IS NULL), 0) AS kernels,
            sum(g.total_ns) FILTER (WHERE k.text = 'kernel' AND n.name_id IS NULL) AS kernel_ns,
            coalesce(sum(g.ops) FILTER (WHERE n.name_id IS NOT NULL), 0) AS collectives,
            sum(g.total_ns) FILTER (WHERE n.name_id IS NOT NULL) AS collective_ns,
            sum(g.total_ns) FILTER (WHERE k.text <> 'kernel') AS copy_ns,
            min(g.first_ns) AS first_ns,
            max(g.last_ns) AS last_ns
        FROM each AS g
        JOIN kind AS k ON k.id = g.kind_id
        LEFT JOIN collective_name AS n ON n.name_id = g.name_id
        GROUP BY g.process_id
    ),
    gpus AS MATERIALIZED (
        SELECT process_id, group_concat(number, ', ') AS gpus
        FROM (SELECT DISTINCT g.process_id, d.number FROM each AS g JOIN device AS d ON d.id = g.device_id ORDER BY 1, 2)
        GROUP BY process_id
    ),
    ranked AS MATERIALIZED (
        SELECT w.process_id, p.rank, p.rank_basis, count(*) OVER (PARTITION BY p.rank) AS of_rank
        FROM work AS w
        LEFT JOIN process_rank AS p ON p.process_id = w.process_id
    ),
    told AS MATERIALIZED (
        SELECT s.process_id, s.rank, s.source_id, CASE WHEN k.text = 'phase' THEN s.rows ELSE 0 END AS phases, s.epoch_ns, s.data_ns
        FROM source_process AS s
        JOIN string AS k ON k.id = s.kind_id
        WHERE k.text IN ('phase', 'annotation', 'nvtx')
    ),
    spans AS MATERIALIZED (
        SELECT
            s.process_id,
            coalesce(s.rank, o.rank) AS rank,
            CASE WHEN s.rank IS NULL THEN o.rank_basis ELSE 'printed' END AS rank_basis,
            sum(s.phases) AS phases,
            sum(s.epoch_ns) AS epoch_ns,
            sum(s.data_ns) AS data_ns
        FROM told AS s
        JOIN source AS o ON o.id = s.source_id
        WHERE s.rank IS NOT NULL OR o.rank IS NOT NULL OR s.process_id IN (SELECT process_id FROM work)
        GROUP BY 1, 2, 3
        UNION ALL
        SELECT process_id, rank, rank_basis, 0, NULL, NULL
        FROM process_rank
        WHERE process_id NOT IN (SELECT process_id FROM work)
    ),
    logged AS MATERIALIZED (
        SELECT
            coalesce(w.process_id, r.process_id, s.process_id) AS process_id,
            CASE WHEN coalesce(w.process_id, r.process_id) IS NULL THEN s.rank END AS rank,
            min(s.rank_basis) AS rank_basis,
            nullif(sum(s.phases), 0) AS phases,
            sum(s.epoch_ns) AS epoch_ns,
            sum(s.data_ns) AS data_ns
        FROM spans AS s
        LEFT JOIN ranked AS w ON w.process_id = s.process_id
        LEFT JOIN ranked AS r ON r.rank = s.rank AND r.of_rank = 1
        GROUP BY 1, 2
    ),
    r AS MATERIALIZED (
        SELECT process_id, rank, rank_basis FROM ranked
        UNION ALL
        SELECT process_id, rank, rank_basis FROM logged WHERE rank IS NOT NULL
    ),
    -- a data loader is a child of its rank
    family AS MATERIALIZED (
        SELECT r.process_id AS rank_id, r.process_id AS id FROM r WHERE r.process_id IS NOT NULL
        UNION
        SELECT p.id, c.id
        FROM r
        JOIN process AS p ON p.id = r.process_id
        JOIN process AS c ON c.parent_pid = p.pid AND c.host IS p.host AND c.id NOT IN (SELECT process_id FROM work)
    ),
    io AS MATERIALIZED (
        SELECT
            f.rank_id,
            count(DISTINCT s.process_id) FILTER (WHERE s.verb = 'read' AND s.done_bytes > 0 AND f.id <> f.rank_id) AS loaders,
            sum(s.done_bytes) FILTER (WHERE s.verb = 'read') AS read_bytes,
            sum(s.total_ns) AS io_ns
        FROM family AS f
        JOIN io_stat AS s ON s.process_id = f.id
        WHERE s.by = 'class,process,verb' AND s.verb <> 'socket' AND coalesce(s.class, '') NOT IN ('pipe', 'socket', 'eventfd', 'anon-inode', 'terminal', 'unnamed')
        GROUP BY f.rank_id
    )
SELECT
    r.rank,
    r.rank_basis,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    g.gpus,
    w.kernels,
    w.kernel_ns,
    w.collectives,
    w.collective_ns,
    w.copy_ns,
    s.data_ns,
    100.0 * s.data_ns / nullif(w.last_ns - w.first_ns, 0) AS data_pct,
    i.loaders,
    i.read_bytes,
    i.io_ns,
    s.phases,
    s.epoch_ns,
    w.last_ns - w.first_ns AS span_ns
FROM r
LEFT JOIN process AS p ON p.id = r.process_id
LEFT JOIN work AS w ON w.process_id = r.process_id
LEFT JOIN gpus AS g ON g.process_id = r.process_id
LEFT JOIN io AS i ON i.rank_id = r.process_id
LEFT JOIN logged AS s ON s.process_id IS r.process_id AND (s.rank IS NULL OR s.rank = r.rank)
ORDER BY r.rank IS NULL, r.rank, pid, r.process_id;
