# SPDX-License-Identifier: MIT
"""What libtracedb-cuda.so has left in a ring (collector/cuda/ring.h), read by itself: records of schema/wire.h."""
import struct
from collections import namedtuple

DATA_AT, SIZE = 4096, 16 << 20
NOTE, NAME, OP, CALL, NVTX, NVTX_END, MEMORY, UNSEEN, RANK = 19, 24, 25, 26, 27, 28, 29, 30, 32
KINDS = {1: 'kernel', 2: 'copy', 3: 'set', 5: 'graph'}
NVTX_KINDS = {1: 'push', 2: 'start', 3: 'mark', 4: 'thread'}
COUNTS = ['kernels', 'copies', 'sets', 'calls', 'nvtx', 'memory']

Op = namedtuple('Op', 'kind start end bytes device stream correlation what')
Memory = namedtuple('Memory', 'time bytes device kind freed')
Call = namedtuple('Call', 'name start end tid correlation result')
Said = namedtuple('Said', 'kind tid time range text domain category category_name payload_type payload')


class Ring:
    def __init__(self, path):
        data = path.read_bytes()
        magic, _, self.pid, size, written, read, self.short_calls, self.uses_cuda = struct.unpack_from('<8sIIQQQQQ', data)
        assert magic == b'tdcuda\0\0' and size == SIZE and written <= SIZE, (magic, size, written)
        counts = struct.unpack_from('<12Q', data, 56)
        self.made, self.lost = dict(zip(COUNTS, counts[::2])), dict(zip(COUNTS, counts[1::2]))
        self.names, self.ops, self.calls, self.notes = {}, [], [], []
        self.said, self.ends, self.memory, self.unseen, self.ranks = [], {}, [], [], []
        self.records(data[DATA_AT + read:DATA_AT + written])

    def records(self, data):
        at = 0
        while at < len(data):
            size, kind, flags, tid = struct.unpack_from('<HBBI', data, at)
            self.record(kind, flags, tid, data[at + 8:at + size])
            at += size

    def record(self, kind, flags, tid, body):
        if kind == NOTE:
            name, text = struct.unpack_from('<HH', body)
            self.notes.append((body[8:8 + name].decode(), body[8 + name:8 + name + text].decode()))
        elif kind == NAME:
            number, length = struct.unpack_from('<II', body)
            self.names[number] = body[8:8 + length].decode()
        elif kind == OP:
            start, end, count, device, stream, correlation, what = struct.unpack('<QQQIIII', body)
            what = self.names[what] if KINDS[flags] == 'kernel' else what
            self.ops.append(Op(KINDS[flags], start, end, count, device, stream, correlation, what))
        elif kind == CALL:
            start, end, _, name, correlation, result = struct.unpack('<QQIIII', body)
            self.calls.append(Call(self.names[name], start, end, tid, correlation, result))
        elif kind == NVTX:
            time, rang, payload, payload_type, pid, text, domain, category, category_name = struct.unpack('<QQ8sIIIIII', body)
            assert pid == self.pid, pid
            text, domain, category_name = (self.names[n] if n else '' for n in (text, domain, category_name))
            self.said.append(Said(NVTX_KINDS[flags], tid, time, rang, text, domain, category, category_name, payload_type, payload))
        elif kind == NVTX_END:
            time, rang, pid, _ = struct.unpack('<QQII', body)
            assert pid == self.pid and rang not in self.ends, (pid, rang)
            self.ends[rang] = (tid, time)
        elif kind == MEMORY:
            time, count, device, what = struct.unpack('<QQII', body)
            self.memory.append(Memory(time, count, device, what, flags == 1))
        elif kind == UNSEEN:
            self.unseen.append(struct.unpack('<Q', body)[0])
        elif kind == RANK:
            assert tid == self.pid, tid
            self.ranks.append(struct.unpack('<QII', body)[1])
        else:
            raise ValueError(f'a record of kind {kind}')
