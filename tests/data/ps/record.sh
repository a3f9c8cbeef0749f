#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the listings in this folder: a program that only sleeps, under the names and with the arguments that a
# training job shows. tests/unit/test-ps.c says what is in them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/td-ps
rm -rf "$work"
mkdir -p "$work"
cat >"$work/idle.c" <<'C'
#include <pthread.h>
#include <unistd.h>
static void *idle(void *arg) { sleep(5); return arg; }
int main(void)
{
	pthread_t th;
	pthread_create(&th, NULL, idle, NULL);
	sleep(5);
	return 0;
}
C
cc -static -pthread -o "$work/idle" "$work/idle.c"
cd "$work"
for name in python3 mpirun bpftrace grep; do cp idle $name; done
pids=
start() {
	"$@" &
	pids="$pids${pids:+,}$!"
}
start ./mpirun -np 2 python3 main.py
start ./python3 -m torch.distributed.launch --nproc_per_node=2 main.py --data_dir "/data/with blank"
start ./python3 -u main.py --local_rank=0
start ./python3 -c 'from multiprocessing.resource_tracker import main;main(11)'
start ./python3 -c 'from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=12, pipe_handle=14)' --multiprocessing-fork
start ./bpftrace trace_read.bt
start ./grep python
sleep 0.2
ps uww -p "$pids" >"$here/aux.txt"
ps -fww -p "$pids" >"$here/ef.txt"
ps -T uww -p "$pids" >"$here/auxT.txt"
grep -v '^USER' "$here/aux.txt" >"$here/aux_grep.txt"
wait
rm -rf "$work"
