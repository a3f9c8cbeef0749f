-- title: Operators of PyTorch
-- group: gpu
-- needs-any: annotation, nvtx
-- filters: time, process, limit
-- time: operators that start
-- columns: self_pct, operator, kind, calls, total_ns, self_ns, mean_ns, self_mean_ns, min_ns, max_ns, gpu_ops, gpu_ns
-- column: self_pct percent share of the time of all rows, each moment counted once: for the innermost one, of each thread
-- column: operator TEXT its name; of an NVTX range without what PyTorch adds (op_id, seq, sizes)
-- column: kind TEXT operator or annotation (record_function, an optimizer, the data loader, ...)
-- column: calls count how often
-- column: total_ns dur_ns sum of the durations, what it calls included
-- column: self_ns dur_ns the same without the operators and annotations that it calls
-- column: self_mean_ns dur_ns mean without what it calls
-- column: gpu_ops count kernels, copies and sets that were launched while it was the innermost one; NULL: none is joined with its launch
-- column: gpu_ns dur_ns their time on the GPU
-- loss: either mean_ns, self_mean_ns
-- loss: upper min_ns
-- uses: gpu_op
-- none: no operators of PyTorch are among the ranges that were traced: torch.profiler has them, and emit_nvtx() with nsys
-- order: self_ns DESC, operator, kind
--
-- Times of the CPU: an operator returns when its work is launched. Of traces of PyTorch's profiler, and of NVTX ranges as emit_nvtx() and
-- nsys --pytorch make them. total_ns counts an operator that calls itself by another one twice; the sum of self_ns is the time of
-- each thread in any.
WITH
    named AS MATERIALIZED (
        SELECT
            CASE WHEN k.text = 'nvtx' THEN substr(n.text, 1, instr(n.text, ', ') - 1) ELSE n.text END AS operator,
            iif(k.text = 'annotation', 'annotation', 'operator') AS kind,
            s.calls, s.total_ns, s.self_ns, s.min_ns, s.max_ns, s.gpu_ops, s.gpu_ns
        FROM operator_stat AS s
        JOIN string AS k ON k.id = s.kind_id
        JOIN string AS n ON n.id = s.name_id
        WHERE s.since_ns IS :start_ns AND s.until_ns IS :end_ns AND s.in_phase IS :phase AND s.of_pid IS :pid AND s.of_process IS :process AND s.calls > 0
    ),
    total AS (
        SELECT
            operator, kind, sum(calls) AS calls, sum(total_ns) AS total_ns, sum(self_ns) AS self_ns,
            min(min_ns) AS min_ns, max(max_ns) AS max_ns, sum(gpu_ops) AS gpu_ops, sum(gpu_ns) AS gpu_ns
        FROM named
        GROUP BY operator, kind
    )
SELECT
    100.0 * t.self_ns / nullif(sum(t.self_ns) OVER (), 0) AS self_pct,
    t.operator AS operator,
    t.kind AS kind,
    t.calls,
    t.total_ns,
    t.self_ns AS self_ns,
    1.0 * t.total_ns / t.calls AS mean_ns,
    1.0 * t.self_ns / t.calls AS self_mean_ns,
    t.min_ns,
    t.max_ns,
    t.gpu_ops,
    t.gpu_ns
FROM total AS t
ORDER BY self_ns DESC, operator, kind
LIMIT coalesce(:limit, -1);
