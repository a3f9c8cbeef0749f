#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The first process of a kernel that kernels.py has booted: makes a small system of what is in the initramfs,
runs the tests of /tests.json, one line of JSON for each on the second serial port, and switches off."""
import ctypes
import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import time
import tty

MOUNTS = (
    ('proc', '/proc', 'proc'),
    ('sysfs', '/sys', 'sysfs'),
    ('tracefs', '/sys/kernel/tracing', 'tracefs'),
    ('devtmpfs', '/dev', 'devtmpfs'),
    ('tmpfs', '/dev/shm', 'tmpfs'),
    ('devpts', '/dev/pts', 'devpts'),
)
RESULTS = '/dev/ttyS1'
DISK = '/dev/vda'
ON_DISK = ('/tmp', '/var/tmp')  # so that what the tests do there is work for a disk
DISK_WAIT_S = 10
OUTPUT_MAX = 4000  # of a test, from its end
SIOCSIFFLAGS, IFF_UP = 0x8914, 1  # linux/sockios.h, linux/if.h
FINIT_MODULE = 313  # x86-64
POWER_OFF = 0x4321FEDC  # linux/reboot.h

libc = ctypes.CDLL(None, use_errno=True)


def check(what, result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), what)


def mount(source, target, kind):
    os.makedirs(target, exist_ok=True)
    check(target, libc.mount(source.encode(), target.encode(), kind.encode(), 0, None))


def load_modules(paths):
    for path in paths:
        with open(path, 'rb') as file:
            check(path, libc.syscall(FINIT_MODULE, file.fileno(), b'', 0))


def loopback_up():
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack('16sh14x', b'lo', IFF_UP))


def wait_for(path):
    deadline = time.monotonic() + DISK_WAIT_S
    while not os.path.exists(path):
        if time.monotonic() > deadline:
            raise FileNotFoundError(path)
        time.sleep(0.05)


def mount_over(folder):
    """What the initramfs has below the folder, as a build that lies there, moves to the disk."""
    mount(DISK, '/disk', 'ext4')
    if os.path.isdir(folder):
        shutil.copytree(folder, '/disk', dirs_exist_ok=True)
    check('/disk', libc.umount(b'/disk'))
    mount(DISK, folder, 'ext4')
    os.chmod(folder, 0o1777)


def run(test):
    """Its exit status, None for one that did not end in time, and what it printed."""
    began = time.monotonic()
    try:
        done = subprocess.run(test['command'], cwd=test['folder'], env=os.environ | test['env'],
                              timeout=test['timeout_s'], check=False, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        status, output = None, late.stdout or b''
    return {'name': test['name'], 'status': status, 'seconds': time.monotonic() - began,
            'output': output.decode(errors='replace')[-OUTPUT_MAX:]}


def main():
    for source, target, kind in MOUNTS:
        mount(source, target, kind)
    with open('/tests.json', encoding='utf-8') as file:
        plan = json.load(file)
    load_modules(plan['modules'])
    loopback_up()
    wait_for(DISK)
    for folder in ON_DISK:
        mount_over(folder)
    os.environ.update(PATH='/usr/bin:/usr/sbin', HOME='/tmp', LC_ALL='C')
    with open(RESULTS, 'w', encoding='utf-8') as results:
        tty.setraw(results.fileno())
        print(json.dumps({'kernel': os.uname().release}), file=results, flush=True)
        for test in plan['tests']:
            print(json.dumps(run(test)), file=results, flush=True)
    os.sync()
    libc.reboot(POWER_OFF)


main()
