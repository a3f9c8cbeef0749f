# SPDX-License-Identifier: MIT
"""Writes what tracedb-record would have written (schema/wire.h) of a machine on which known things happened. Times: ns since START_NS."""
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'bench'))

import wire  # noqa: E402 (found by the line above)

START_NS = 1_700_000_000 * 10**9    # UTC, when the boot clock of the machine stood at BOOT_NS
BOOT_NS = 1_000 * 10**9
DISK = 8 << 20                      # of all block requests
LAYER_SYSCALL, REGULAR, PIPE, NO_DEVICE = 1, 1, 5, 255
HAS_ASKED, HAS_OFFSET = 2, 4
FOUND = 1


class Recording:
    """First who and what (ops and files are made when they are named first), then what happened, in any order."""

    def __init__(self):
        self.head, self.later, self.ops, self.files, self.tracks = [], [], {}, {}, {}
        self.add(wire.HEADER, 0, '=8sIIQIHHHHI', b'tracedb\0', 0x01020304, 1, BOOT_NS, 16, 4, 3, 3, 6, 4096, text=b'host6.10.8record')
        self.add(wire.ANCHOR, 0, '=QQQ', BOOT_NS, BOOT_NS, START_NS)
        self.add(wire.NAME, 0, '=QHHHH', DISK, 3, 0, 0, 0, text=b'sda', flags=1)

    @staticmethod
    def record(kind, tid, layout, *values, text=b'', flags=0):
        return wire.record(kind, struct.pack(layout, *values) + text, tid, flags)

    def add(self, *what, **more):
        self.head.append(self.record(*what, **more))

    def at(self, ns, *what, **more):
        self.later.append((ns, self.record(*what, **more)))

    def process(self, pid, parent, comm, args):
        comm, args = comm.encode(), args.encode()
        self.add(wire.PROCESS, pid, '=QQIIIIHHI', BOOT_NS, 0, parent, 0, 0, 0, len(comm), len(args), 0, text=comm + args, flags=FOUND)

    def op(self, name):
        if name not in self.ops:
            self.ops[name] = len(self.ops) + 1
            self.add(wire.OP, 0, '=HBBI', self.ops[name], LAYER_SYSCALL, len(name), 0, text=name.encode())
        return self.ops[name]

    def file(self, path):
        if path not in self.files:
            self.files[path] = len(self.files) + 1
            regular = path.startswith('/')
            self.add(wire.FILE, 0, '=IIQHBBHH', self.files[path], DISK, 100 + len(self.files), 0o100644 if regular else 0o010600,
                     REGULAR if regular else PIPE, 0, 0, len(path), text=path.encode())
        return self.files[path]

    def call(self, tid, start, dur, name, path=None, ret=0, asked=None, offset=None):
        flags = (asked is not None) * HAS_ASKED | (offset is not None) * HAS_OFFSET
        self.at(start + dur, wire.CALL_IO, tid, '=QQIIiHHiIQ', BOOT_NS + start, dur, tid, self.file(path) if path else 0, 3 if path else -2**31, self.op(name), 0, ret,
                asked or 0, offset or 0, flags=flags)

    def sched(self, tid, wake, on, out):
        """The thread could run from wake on, did from on to out; wake None: it is not known whether it had to wait."""
        self.at(out, wire.SCHED, tid, '=QQQQIIHHBBH', 0, 0 if wake is None else BOOT_NS + wake, BOOT_NS + on, BOOT_NS + out, tid, 0, 0, 0, 1, 0, 0)

    def block(self, tid, insert, issue, done, size, sector, write=False):
        self.at(done, wire.BLOCK, tid, '=QQQQIIIIIi', BOOT_NS + insert, BOOT_NS + issue, BOOT_NS + done, sector, size, DISK, tid, 0, int(write), 0)

    def sample(self, pid, name, end, dur, value, unit='1/s'):
        if (pid, name) not in self.tracks:
            self.tracks[pid, name] = len(self.tracks) + 1
            self.add(wire.TRACK, 0, '=IBBhIBBBB', self.tracks[pid, name], NO_DEVICE, 0, -1, pid, len(name), len(unit), 0, 0, text=(name + unit).encode())
        self.at(end, wire.SAMPLE, 0, '=QQdII', BOOT_NS + end, dur, value, self.tracks[pid, name], 0)

    def usage(self, tid, end, on_cpu, involuntary):
        self.at(end, wire.USAGE, tid, '=QQQQQQIIII', BOOT_NS, BOOT_NS + end, on_cpu, on_cpu, 0, 0, 0, involuntary, tid, 0)

    def loss(self, start, end, lost):
        self.at(end, wire.LOSS, 0, '=QQQQBBHIII', BOOT_NS + start, BOOT_NS + end, 1000, lost, 0, 4, 0, 0, 0, 0, text=b'file')

    def write(self, path, end):
        records = self.head + [record for _, record in sorted(self.later, key=lambda x: x[0])]
        records.append(self.record(wire.END, 0, '=QQiI', BOOT_NS + end, len(records), 0, 0))
        with open(path, 'wb') as f:
            f.write(b''.join(records))
