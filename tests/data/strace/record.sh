#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the recordings in this folder from prog.c. Needs strace 6.1 and a static C library; the numbers of
# processes, addresses and times differ from recording to recording, the rest does not. loop.txt is by hand: a control loop
# with a camera, a motor on USB, a display and a server.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/td-strace
rm -rf "$work"
mkdir -p "$work"
cc -O1 -static -pthread -o "$work/prog" "$here/prog.c"
cd "$work"
head -c 16484 /dev/zero >in.dat

record() {
	name=$1
	shift
	strace -o "$here/$name" "$@" ./prog || true
}

record f.txt -f
record f_t.txt -f -t
record f_tt_T.txt -f -tt -T
record f_C.txt -f -ttt -T -C
record f_y.txt -f -ttt -T -y
record f_yy.txt -f -ttt -T -yy
record f_r_T.txt -f -r -T
record f_k.txt -f -ttt -T -k
record f_n_i.txt -f -n -i -tt
record f_comm.txt -f -ttt -Y
record f_plus.txt -f -ttt -r --relative-timestamps=ns
record nof_tt_T.txt -tt -T -s 64
record f_inject.txt -f -tt -T -e inject=pread64:error=EIO:when=1 -e inject=close:delay_enter=10:when=1
record c.txt -f -c
record c_U.txt -f -c -U name,calls,errors,total-time,min-time,max-time
strace -f -tt -T ./prog 2>"$here/stderr.txt" || true
mkdir ff
strace -ff -ttt -T -o ff/out ./prog || true
strace-log-merge ff/out >"$here/ff_merged.txt"
# one of them alone: no pid in it, only in its name
rm -f "$here"/ff.[0-9]*
first=$(ls ff | head -n 1)
cp "ff/$first" "$here/ff.${first#out.}"
rm -rf "$work"
