#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command, below a tracer or not, and writes what it took by itself: wall time and CPU time, in seconds.

usage: timed.py RESULT.json SECONDS COMMAND...      SECONDS: to wait before"""
import json
import os
import sys
import time


def main(result, seconds, *command):
    time.sleep(float(seconds))
    began = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    wall_s = time.perf_counter() - began
    with open(result, 'w', encoding='ascii') as file:
        json.dump({'wall_s': wall_s, 'cpu_s': usage.ru_utime + usage.ru_stime}, file)
    sys.exit(os.waitstatus_to_exitcode(status))


main(*sys.argv[1:])
