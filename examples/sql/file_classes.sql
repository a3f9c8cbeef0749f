-- On what are bytes read and written: files, shared memory, pipes?
SELECT file_class, verb, count(*) AS calls, sum(done_bytes) AS bytes
FROM io_calls
WHERE verb IN ('read', 'write')
GROUP BY file_class, verb
ORDER BY bytes DESC, file_class, verb;
