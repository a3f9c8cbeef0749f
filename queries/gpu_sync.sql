-- title: Calls that wait for a GPU
-- group: gpu
-- needs: cuda_call
-- filters: time, process, limit
-- param: min_ns dur_ns 10us -- calls that take so long at least are stalls
-- columns: function, pid, tid, process, calls, stalls, stall_ns, stall_pct, max_ns, max_start_ns, idle_ns, idle_pct, after_ns
-- columns: after_pct
-- column: function TEXT function of the CUDA APIs
-- column: process TEXT command name
-- column: calls count calls, short ones included
-- column: stalls count of these: took min_ns or more
-- column: stall_ns dur_ns sum of the durations of the stalls
-- column: stall_pct percent share of the time from the first work of all GPUs to the last
-- column: idle_ns dur_ns of stall_ns, the time in which no GPU that the process used had work; NULL: its work is not known
-- column: idle_pct percent idle_ns as a share of stall_ns
-- column: after_ns dur_ns time from the end of stalls, if these GPUs were idle then, to the begin of their next work
-- column: after_pct percent share of the time from the first work of all GPUs to the last
-- uses: gpu_op
-- loss: either idle_ns, idle_pct, after_ns, after_pct
-- none: no call that waits for a GPU took so long, or none was traced: --param min_ns=0 has those that took less
-- order: s.stall_ns DESC, function, pid, tid, s.process_id, s.thread_id
--
-- cudaStreamSynchronize, cudaDeviceSynchronize, cudaEventSynchronize and the like, and cudaMemcpy. A wait is not bad by itself: while
-- the GPU works (idle_pct is small) the program waits for results. But at its end the queue of the GPU is empty, and until the program
-- has launched again the GPU idles: after_ns is what synchronising costs, if there was work to launch. .item(), .cpu(), print() of a
-- tensor and checks for NaN do it in PyTorch. What several threads wait for at a time counts for each. cudaMemcpyAsync is left
-- out, though it waits if the host's memory is pageable: 'report gpu_copies' has those.
SELECT
    o.name AS function,
    p.pid,
    t.tid,
    p.name AS process,
    s.calls,
    s.stalls,
    s.stall_ns,
    100.0 * s.stall_ns / nullif(s.wall_ns, 0) AS stall_pct,
    s.max_ns,
    s.max_start_ns,
    s.idle_ns,
    100.0 * s.idle_ns / nullif(s.stall_ns, 0) AS idle_pct,
    s.after_ns,
    100.0 * s.after_ns / nullif(s.wall_ns, 0) AS after_pct
FROM sync_stat AS s
JOIN op AS o ON o.id = s.op_id
LEFT JOIN process AS p ON p.id = s.process_id
LEFT JOIN thread AS t ON t.id = s.thread_id
WHERE s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process AND s.min_ns IS :min_ns
ORDER BY s.stall_ns DESC, function, pid, tid, s.process_id, s.thread_id
LIMIT coalesce(:limit, -1);
