# SPDX-License-Identifier: MIT
"""Records of schema/wire.h, as tracedb-record writes them: their kinds, and how one is put together."""
import struct

HEADER, ANCHOR, OP, PROCESS, FILE, CALL_IO, SCHED, BLOCK, TRACK, SAMPLE, LOSS, END, NAME, USAGE = 1, 2, 3, 4, 7, 9, 12, 13, 14, 15, 17, 20, 21, 22
ALIGNMENT = 8


def record(kind, body, tid=0, flags=0):
    """A head, the body, and zeros up to a multiple of eight bytes."""
    size = -(-(8 + len(body)) // ALIGNMENT) * ALIGNMENT
    return struct.pack('<HBBI', size, kind, flags, tid) + body.ljust(size - 8, b'\0')
