# Which rank and which machine files are of: as given, by the file, by names, by the environment
. "$LIB"
unset OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID RANK SLURM_STEP_NUM_TASKS WORLD_SIZE
show()
{
	"$TRACEDB" query -f csv "$1" "SELECT path, host, host_basis, rank, rank_basis FROM source ORDER BY path"
}
mkdir -p job/rank1 job/node07
echo '7 1661662800.500000 read(3, "", 100) = 10 <0.500000>' >job/rank1/calls.txt
echo '7 1661662801.500000 read(3, "", 100) = 10 <0.500000>' >job/node07/calls.txt
echo '7 1661662802.500000 read(3, "", 100) = 10 <0.500000>' >job/calls_rank_2.txt
echo 'nothing that anybody reads' >job/rank1/notes.txt
echo '{"traceEvents": [], "distributedInfo": {"backend": "nccl", "rank": 4, "world_size": 8}}' >job/rank1/trace.json
printf 'Linux 5.4.0 (gpu01) \t2022-08-28 \t_x86_64_\t(4 CPU)\n\n' >job/node07/mpstat.txt
printf '05:00:00     CPU    %%usr   %%nice    %%sys %%iowait    %%irq   %%soft  %%steal  %%guest  %%gnice   %%idle\n' >>job/node07/mpstat.txt
printf '05:00:01     all   1.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00   99.00\n' >>job/node07/mpstat.txt

echo '== names, and what files say'
try "$TRACEDB" import -q job
show job.db
"$TRACEDB" report info --columns name,hosts,job_ranks,sources job.db

echo '== given: for all of it; a machine for what names none'
try "$TRACEDB" import -q -o given.db --host gpu02 --rank 7 job
show given.db

echo '== another rank of another machine is appended: its process 7 is another one'
mkdir other
echo '7 1661662803.500000 read(3, "", 100) = 30 <0.500000>' >other/calls.txt
try "$TRACEDB" import -q -o two.db --host gpu01 --rank 0 job/node07/calls.txt
try "$TRACEDB" import -q -o two.db --append --host gpu02 --rank 1 other
show two.db
"$TRACEDB" query -f csv two.db "SELECT host, pid, done_bytes FROM processes ORDER BY host"

echo '== the environment: of a step of several processes, not of a batch script'
SLURM_PROCID=0 "$TRACEDB" import -q -o batch.db other
show batch.db
SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=8 "$TRACEDB" import -q -o step.db other job/rank1/calls.txt
show step.db

echo '== what is no rank'
try "$TRACEDB" import -q -o no.db --rank -1 other
try "$TRACEDB" import -q -o no.db --host '' other
