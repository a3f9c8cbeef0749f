-- title: Calls that failed
-- group: time
-- needs: call
-- param: by file|op|process file -- what a row is, besides operation and error: a file, nothing, or a process
-- param: start_ns ts_ns NULL -- only calls that start at this time or later
-- param: end_ns ts_ns NULL -- only calls that start before this time
-- param: phase TEXT NULL -- only calls that start in this phase: 'epoch' (every one) or 'epoch 3'
-- param: pid INTEGER NULL -- only the process with this id
-- param: process TEXT NULL -- only processes with this name or role
-- param: error TEXT NULL -- only this error: ENOENT
-- param: limit INTEGER NULL -- show only so many rows
-- column: op TEXT operation
-- column: error TEXT name of the error, or its number where it has none
-- column: pid INTEGER process id; NULL unless by process
-- column: process TEXT command name, and its machine where there are several
-- column: file TEXT its path, or its name where that is not known; NULL unless by file, or the call names none
-- column: calls count calls that failed so
-- column: errors_pct percent share of the rows' calls, those that limit hides included
-- column: total_ns dur_ns sum of their durations
-- column: processes count processes that made them
-- column: first_ns ts_ns start of the first
-- column: last_ns ts_ns start of the last
-- loss: lower processes
-- order: calls DESC, op, error, pid, process, file, first_ns
--
-- Calls that an outer layer counts are left out. A call that fails may be meant to: a file is looked for in several places
-- (ENOENT), and nothing is there to be read yet (EAGAIN).
WITH
    period AS MATERIALIZED (
        SELECT max(i.start_ns, coalesce(:start_ns, i.start_ns)) AS start_ns, min(i.end_ns, coalesce(:end_ns, i.end_ns)) AS end_ns
        FROM (
            SELECT start_ns, end_ns FROM phase_interval WHERE label = :phase COLLATE NOCASE
            UNION ALL
            SELECT -9223372036854775807, 9223372036854775807 WHERE :phase IS NULL
        ) AS i
    ),
    -- asm-generic/errno.h
    name (number, error) AS (
        VALUES
        (1, 'EPERM'), (2, 'ENOENT'), (3, 'ESRCH'), (4, 'EINTR'), (5, 'EIO'), (6, 'ENXIO'), (7, 'E2BIG'), (8, 'ENOEXEC'), (9, 'EBADF'),
        (10, 'ECHILD'), (11, 'EAGAIN'), (12, 'ENOMEM'), (13, 'EACCES'), (14, 'EFAULT'), (15, 'ENOTBLK'), (16, 'EBUSY'), (17, 'EEXIST'),
        (18, 'EXDEV'), (19, 'ENODEV'), (20, 'ENOTDIR'), (21, 'EISDIR'), (22, 'EINVAL'), (23, 'ENFILE'), (24, 'EMFILE'), (25, 'ENOTTY'),
        (26, 'ETXTBSY'), (27, 'EFBIG'), (28, 'ENOSPC'), (29, 'ESPIPE'), (30, 'EROFS'), (31, 'EMLINK'), (32, 'EPIPE'), (33, 'EDOM'),
        (34, 'ERANGE'), (35, 'EDEADLK'), (36, 'ENAMETOOLONG'), (37, 'ENOLCK'), (38, 'ENOSYS'), (39, 'ENOTEMPTY'), (40, 'ELOOP'),
        (42, 'ENOMSG'), (43, 'EIDRM'), (44, 'ECHRNG'), (45, 'EL2NSYNC'), (46, 'EL3HLT'), (47, 'EL3RST'), (48, 'ELNRNG'), (49, 'EUNATCH'),
        (50, 'ENOCSI'), (51, 'EL2HLT'), (52, 'EBADE'), (53, 'EBADR'), (54, 'EXFULL'), (55, 'ENOANO'), (56, 'EBADRQC'), (57, 'EBADSLT'),
        (59, 'EBFONT'), (60, 'ENOSTR'), (61, 'ENODATA'), (62, 'ETIME'), (63, 'ENOSR'), (64, 'ENONET'), (65, 'ENOPKG'), (66, 'EREMOTE'),
        (67, 'ENOLINK'), (68, 'EADV'), (69, 'ESRMNT'), (70, 'ECOMM'), (71, 'EPROTO'), (72, 'EMULTIHOP'), (73, 'EDOTDOT'), (74, 'EBADMSG'),
        (75, 'EOVERFLOW'), (76, 'ENOTUNIQ'), (77, 'EBADFD'), (78, 'EREMCHG'), (79, 'ELIBACC'), (80, 'ELIBBAD'), (81, 'ELIBSCN'),
        (82, 'ELIBMAX'), (83, 'ELIBEXEC'), (84, 'EILSEQ'), (85, 'ERESTART'), (86, 'ESTRPIPE'), (87, 'EUSERS'), (88, 'ENOTSOCK'),
        (89, 'EDESTADDRREQ'), (90, 'EMSGSIZE'), (91, 'EPROTOTYPE'), (92, 'ENOPROTOOPT'), (93, 'EPROTONOSUPPORT'), (94, 'ESOCKTNOSUPPORT'),
        (95, 'EOPNOTSUPP'), (96, 'EPFNOSUPPORT'), (97, 'EAFNOSUPPORT'), (98, 'EADDRINUSE'), (99, 'EADDRNOTAVAIL'), (100, 'ENETDOWN'),
        (101, 'ENETUNREACH'), (102, 'ENETRESET'), (103, 'ECONNABORTED'), (104, 'ECONNRESET'), (105, 'ENOBUFS'), (106, 'EISCONN'),
        (107, 'ENOTCONN'), (108, 'ESHUTDOWN'), (109, 'ETOOMANYREFS'), (110, 'ETIMEDOUT'), (111, 'ECONNREFUSED'), (112, 'EHOSTDOWN'),
        (113, 'EHOSTUNREACH'), (114, 'EALREADY'), (115, 'EINPROGRESS'), (116, 'ESTALE'), (117, 'EUCLEAN'), (118, 'ENOTNAM'),
        (119, 'ENAVAIL'), (120, 'EISNAM'), (121, 'EREMOTEIO'), (122, 'EDQUOT'), (123, 'ENOMEDIUM'), (124, 'EMEDIUMTYPE'),
        (125, 'ECANCELED'), (126, 'ENOKEY'), (127, 'EKEYEXPIRED'), (128, 'EKEYREVOKED'), (129, 'EKEYREJECTED'), (130, 'EOWNERDEAD'),
        (131, 'ENOTRECOVERABLE'), (132, 'ERFKILL')
    ),
    failed AS (
        SELECT
            c.op_id, c.ret,
            CASE WHEN coalesce(:by, 'file') = 'process' THEN c.process_id END AS by_process_id,
            CASE WHEN coalesce(:by, 'file') = 'file' THEN c.file_id END AS by_file_id,
            count(*) AS calls, sum(c.dur_ns) AS total_ns, count(DISTINCT c.process_id) AS processes,
            min(c.start_ns) AS first_ns, max(c.start_ns) AS last_ns
        FROM call AS c
        WHERE c.ret < 0 AND c.nested = 0
            AND EXISTS (SELECT 1 FROM period AS p WHERE c.start_ns >= p.start_ns AND c.start_ns < p.end_ns)
            AND (:pid IS NULL OR c.process_id IN (SELECT id FROM process WHERE pid = :pid))
            AND (:process IS NULL OR c.process_id IN (SELECT id FROM process WHERE name = :process OR role = :process))
        GROUP BY 1, 2, 3, 4
    ),
    row AS (
        SELECT
            o.name AS op,
            -- results of CUDA calls are numbers of their own
            coalesce(CASE WHEN o.layer <> 'cuda' THEN n.error END, printf('%d', -f.ret)) AS error,
            f.*
        FROM failed AS f
        JOIN op AS o ON o.id = f.op_id
        LEFT JOIN name AS n ON n.number = -f.ret
    )
SELECT
    r.op,
    r.error,
    p.pid,
    coalesce(p.name || ' on ' || p.host, p.name, '? on ' || p.host) AS process,
    coalesce(nullif(f.path, ''), nullif(f.name, ''), CASE WHEN f.id IS NOT NULL THEN '(no name)' END) AS file,
    r.calls,
    100.0 * r.calls / sum(r.calls) OVER () AS errors_pct,
    r.total_ns,
    r.processes,
    r.first_ns,
    r.last_ns
FROM row AS r
LEFT JOIN process AS p ON p.id = r.by_process_id
LEFT JOIN file AS f ON f.id = r.by_file_id
WHERE :error IS NULL OR r.error = :error COLLATE NOCASE
ORDER BY calls DESC, op, error, pid, process, file, first_ns
LIMIT coalesce(:limit, -1);
