-- title: Locks: who waits for whom
-- group: processes
-- needs: call
-- filters: time, process, limit 30
-- columns: pid, process, role, op, lock, threads, waits, timeouts, total_ns, mean_ns, max_ns, max_start_ns, woken_by, wakes
-- column: pid INTEGER process that waited
-- column: op TEXT what it waited in: futex, pthread_mutex_lock, semop, ...
-- column: lock TEXT address of the lock; NULL: the source does not tell
-- column: threads count threads that waited for it
-- column: waits count calls that waited
-- column: timeouts count of these: that failed, because the time was over or the value had changed already
-- column: woken_by TEXT thread (and its process) that woke it most often, by calls on the same address; NULL: the source does not tell
-- column: wakes count calls of that thread that wake somebody there
-- loss: either mean_ns
-- loss: none max_start_ns
-- none: no thread waited for a lock, as far as calls on locks were traced
-- order: total_ns DESC, w.pid, op, lock, w.process_id
--
-- An idle thread waits, too: of pools, queues and timers most of this time is as it should be. Look for the first thread of a process that works on
-- a GPU ('report stalls' has what the GPU waited for), and for locks that many threads share. Addresses are those of strace and of 'tracedb record'; a
-- futex that processes share (without PRIVATE) counts as one where they see it at one address, as forked data loaders do.
-- lock_use has all calls that lock.
WITH
    who AS MATERIALIZED (
        SELECT id FROM process
        WHERE coalesce(:pid, :process) IS NOT NULL AND (:pid IS NULL OR pid = :pid) AND (:process IS NULL OR name = :process OR role = :process)
    ),
    -- 'FUTEX_WAIT_PRIVATE 0x7f00', '0x7f00, FUTEX_WAIT_PRIVATE, 2, NULL' or '0x7f00'
    lock_text AS MATERIALIZED (
        SELECT
            id,
            CASE
                WHEN text GLOB '0x*,*' THEN substr(text, 1, instr(text, ',') - 1)
                WHEN instr(text, ' 0x') > 0 THEN substr(text, instr(text, ' 0x') + 1)
                WHEN text GLOB '0x*' THEN text
            END AS address,
            text LIKE '%PRIVATE%' OR text NOT LIKE '%FUTEX%' AS is_private,
            text LIKE '%WAKE%' OR text LIKE '%REQUEUE%' OR text LIKE '%UNLOCK_PI%' AS wakes
        FROM string
        WHERE text GLOB '*0x*'
    ),
    locking AS MATERIALIZED (
        SELECT
            c.calls, c.failed, c.timed, c.total_ns, c.max_ns, c.max_start_ns, c.process_id, c.thread_id, o.name AS op,
            l.address, coalesce(l.is_private, 1) AS is_private,
            coalesce(l.wakes, 0) OR o.name LIKE '%unlock%' OR o.name LIKE '%signal' OR o.name LIKE '%broadcast' OR o.name LIKE '%post' AS wakes
        FROM lock_use AS c
        JOIN op AS o ON o.id = c.op_id
        LEFT JOIN lock_text AS l ON l.id = c.args_id
        WHERE c.since_ns IS :start_ns AND c.until_ns IS :end_ns AND c.in_phase IS :phase
    ),
    waker AS MATERIALIZED (
        SELECT address, owner_id, process_id, thread_id, calls, row_number() OVER (PARTITION BY address, owner_id ORDER BY calls DESC, process_id, thread_id) AS place
        FROM (
            SELECT address, CASE WHEN is_private THEN process_id END AS owner_id, process_id, thread_id, sum(calls) AS calls
            FROM locking
            WHERE wakes AND address IS NOT NULL
            GROUP BY 1, 2, 3, 4
        )
    ),
    waited AS MATERIALIZED (
        SELECT
            l.process_id, p.pid, l.op, l.address, CASE WHEN l.is_private THEN l.process_id END AS owner_id,
            count(DISTINCT l.thread_id) AS threads, sum(l.calls) AS waits, sum(l.failed) AS timeouts,
            sum(l.total_ns) AS total_ns, sum(l.timed) AS timed, max(l.max_ns) AS max_ns
        FROM locking AS l
        LEFT JOIN process AS p ON p.id = l.process_id
        WHERE NOT l.wakes AND (:pid IS NULL AND :process IS NULL OR l.process_id IN who)
        GROUP BY l.process_id, l.op, l.address, owner_id
        ORDER BY total_ns DESC, p.pid, l.op, l.address, l.process_id
        LIMIT coalesce(:limit, 30)
    )
SELECT
    w.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role,
    w.op,
    w.address AS lock,
    w.threads,
    w.waits,
    w.timeouts,
    w.total_ns,
    w.total_ns / nullif(w.timed, 0) AS mean_ns,
    w.max_ns,
    (
        SELECT min(l.max_start_ns) FROM locking AS l
        WHERE l.process_id IS w.process_id AND l.op = w.op AND l.address IS w.address AND NOT l.wakes AND l.max_ns = w.max_ns
    ) AS max_start_ns,
    coalesce(t.tid, vp.pid) || coalesce(' ' || coalesce(t.name, vp.name), '') || CASE WHEN v.process_id IS NOT w.process_id THEN coalesce(' of ' || vp.pid, '') ELSE '' END AS woken_by,
    v.calls AS wakes
FROM waited AS w
LEFT JOIN process AS p ON p.id = w.process_id
LEFT JOIN waker AS v ON v.address = w.address AND v.owner_id IS w.owner_id AND v.place = 1
LEFT JOIN thread AS t ON t.id = v.thread_id
LEFT JOIN process AS vp ON vp.id = v.process_id
ORDER BY total_ns DESC, w.pid, op, lock, w.process_id;
