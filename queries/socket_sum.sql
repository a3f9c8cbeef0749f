-- title: Sockets: who talks to whom, how much, how long
-- group: processes
-- needs: call
-- param: by peer|process peer -- what a row is: a process and a peer, or a process
-- filters: time, process, limit 30
-- columns: pid, process, role, peer, protocol, connects, sends, sent_bytes, receives, received_bytes, total_ns, receive_ns, errors
-- columns: first_ns, last_ns
-- column: peer TEXT the other side: address and port, path of a Unix socket; '(unknown)' where only the socket is known; NULL unless by peer
-- column: protocol TEXT tcp, udp, unix, ..., where known
-- column: connects count connect and accept
-- column: sends count send, sendto, sendmsg, write to a socket
-- column: sent_bytes bytes bytes that they took
-- column: receives count recv, recvfrom, recvmsg, read of a socket
-- column: received_bytes bytes bytes that they gave
-- column: total_ns dur_ns time in all of these: nearly all of it is waiting for the other side
-- column: receive_ns dur_ns of that: in receives
-- column: errors count calls that failed; EAGAIN, of sockets that do not wait, among them
-- column: first_ns ts_ns begin of the bin with the first call
-- column: last_ns ts_ns begin of the bin with the last one
-- loss: none first_ns, last_ns
-- none: no calls on sockets were traced
-- order: total_ns DESC, pid, peer, g.process_id
--
-- Peers are known where the tracer prints addresses: strace -yy; strace, unless with -y, and tracedb record for those that calls name. Calls that an outer layer
-- counts are left out. Waiting in poll or epoll for a socket is not in the time: 'report thread_sum' has it.
WITH
    talked AS MATERIALIZED (
        SELECT
            s.process_id, s.bin_ns, s.calls, s.errors, s.done_bytes, s.total_ns,
            coalesce(f.path, f.name, '') AS name,
            CASE
                WHEN o.name IN ('connect', 'accept', 'accept4', 'io_uring_accept', 'io_uring_connect') THEN 'connect'
                WHEN o.name LIKE '%recv%' OR o.verb = 'read' THEN 'receive'
                WHEN o.name LIKE '%send%' OR o.verb = 'write' THEN 'send'
            END AS does
        FROM (
            SELECT * FROM call_stat
            WHERE by = 'file,process,op,bin' AND op_id IN (SELECT id FROM op WHERE layer <> 'cuda' AND verb = 'socket')
                AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
            UNION ALL
            SELECT * FROM call_stat
            WHERE by = 'file,process,op,bin' AND op_id IN (SELECT id FROM op WHERE layer <> 'cuda' AND verb IN ('read', 'write'))
                AND file_id IN (SELECT id FROM classed_file WHERE class = 'socket')
                AND since_ns IS :start_ns AND until_ns IS :end_ns AND in_phase IS :phase AND of_pid IS :pid AND of_process IS :process
        ) AS s
        JOIN op AS o ON o.id = s.op_id
        LEFT JOIN file AS f ON f.id = s.file_id
    ),
    named AS (
        SELECT
            *,
            CASE WHEN instr(name, '->') > 0 THEN rtrim(substr(name, instr(name, '->') + 2), ']') END AS peer,
            CASE WHEN name GLOB '[a-zA-Z]*:*' AND name NOT GLOB 'socket*' THEN rtrim(lower(substr(name, 1, instr(name, ':') - 1)), '46') END AS protocol
        FROM talked
        WHERE does IS NOT NULL
    ),
    g AS (
        SELECT
            process_id,
            CASE WHEN coalesce(:by, 'peer') = 'peer' THEN coalesce(nullif(peer, ''), '(unknown)') END AS peer,
            CASE WHEN min(protocol) IS max(protocol) AND count(protocol) = count(*) THEN min(protocol) END AS protocol,
            coalesce(sum(calls) FILTER (WHERE does = 'connect'), 0) AS connects,
            coalesce(sum(calls) FILTER (WHERE does = 'send'), 0) AS sends,
            sum(done_bytes) FILTER (WHERE does = 'send') AS sent_bytes,
            coalesce(sum(calls) FILTER (WHERE does = 'receive'), 0) AS receives,
            sum(done_bytes) FILTER (WHERE does = 'receive') AS received_bytes,
            sum(total_ns) AS total_ns,
            sum(total_ns) FILTER (WHERE does = 'receive') AS receive_ns,
            sum(errors) AS errors,
            min(iif(n.bin_ns < r.start_ns AND n.bin_ns + r.bin_ns > r.start_ns, r.start_ns, n.bin_ns)) AS first_ns,
            max(iif(n.bin_ns < r.start_ns AND n.bin_ns + r.bin_ns > r.start_ns, r.start_ns, n.bin_ns)) AS last_ns
        FROM named AS n
        LEFT JOIN run AS r
        GROUP BY 1, 2
    )
SELECT
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    p.role, g.peer, g.protocol, g.connects, g.sends, g.sent_bytes, g.receives, g.received_bytes,
    g.total_ns, g.receive_ns, g.errors,
    g.first_ns, g.last_ns
FROM g
LEFT JOIN process AS p ON p.id = g.process_id
ORDER BY total_ns DESC, pid, peer, g.process_id
LIMIT coalesce(:limit, 30);
