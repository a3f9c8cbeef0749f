#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whom a program sends to, gets from and connects to, against what strace prints of the same program.

    peers.py TRACEDB CASE        (77: cannot be tried here, with the reason)
    peers.py --list CASE...      (are these all there are?)
"""
import errno
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from recording import check, equal, query, record, run_case, skip

PROGRAM = r'''
import ctypes, socket, struct, sys
udp, other, tcp, nobody = map(int, sys.argv[1:5])
here = '127.0.0.1'

def udp_socket(port, family=socket.AF_INET, at=here):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((at, port))
    return s

a, b = udp_socket(udp), udp_socket(other)
a.sendto(b'x' * 10, (here, other))                  # sendto
b.recvfrom(100)                                     # recvfrom: told
b.sendmsg([b'y' * 20], [], 0, (here, udp))          # sendmsg
a.recvmsg(100)                                      # recvmsg: told

class Message(ctypes.Structure):                    # struct mmsghdr
    _fields_ = [('name', ctypes.c_void_p), ('name_len', ctypes.c_uint), ('iov', ctypes.c_void_p), ('iov_len', ctypes.c_size_t),
                ('control', ctypes.c_void_p), ('control_len', ctypes.c_size_t), ('flags', ctypes.c_size_t), ('len', ctypes.c_size_t)]

libc, data = ctypes.CDLL(None), ctypes.create_string_buffer(100)

def messages(call, s, *ports):
    names = [ctypes.create_string_buffer(struct.pack('=HH4s8x', socket.AF_INET, socket.htons(p), socket.inet_aton(here)), 16) for p in ports]
    buffers = (ctypes.c_size_t * 2)(ctypes.addressof(data), 20)
    m = (Message * len(ports))(*[Message(ctypes.addressof(n), 16, ctypes.addressof(buffers), 1) for n in names])
    return call(s.fileno(), m, len(ports), socket.MSG_DONTWAIT, None)

messages(libc.sendmmsg, a, other, udp)              # sendmmsg: the first of two
messages(libc.recvmmsg, b, 1, 1)                    # recvmmsg: told
a.setblocking(False)
a.recvfrom(100)                                     # the second one, of its own
try:
    a.recvfrom(100)                                 # nothing there: nobody to name
except BlockingIOError:
    pass
if socket.has_ipv6 and sys.argv[5] == 'ipv6':
    c = udp_socket(udp, socket.AF_INET6, '::1')
    c.sendto(b'z' * 30, ('::1', other))
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind((here, tcp))
server.listen()
client = socket.socket()
client.setblocking(False)
client.connect_ex((here, tcp))                      # connect: EINPROGRESS
peer, _ = server.accept()                           # accept4
peer.send(b'.')                                     # sendto without an address: the socket's own name
refused = socket.socket()
try:
    refused.connect((here, nobody))                 # connect: ECONNREFUSED
except ConnectionRefusedError:
    pass
unix, listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind('there')
unix.sendto(b'u' * 40, 'there')
abstract = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
abstract.bind('\0tracedb peers')
unix.sendto(b'v' * 50, '\0tracedb peers')
missing = socket.socket(socket.AF_UNIX)
missing.connect_ex('nowhere')                       # connect: ENOENT
'''
CALLS = ('connect', 'accept4', 'sendto', 'recvfrom', 'sendmsg', 'recvmsg', 'sendmmsg', 'recvmmsg')
CALL = re.compile(r'^(\w+)\((\d+)(.*)\) += (-?\d+)(?: (E\w+))?')
ADDRESSES = (
    re.compile(r'sa_family=AF_INET, sin_port=htons\((?P<port>\d+)\), sin_addr=inet_addr\("(?P<host>[^"]*)"\)'),
    re.compile(r'sa_family=AF_INET6, sin6_port=htons\((?P<port>\d+)\).*?inet_pton\(AF_INET6, "(?P<host>[^"]*)"'),
    re.compile(r'sa_family=AF_UNIX, sun_path=(?P<path>@?"[^"]*")'),
)


def peer_of_text(text):
    """As strace prints a struct sockaddr, in our words."""
    for pattern in ADDRESSES:
        m = pattern.search(text)
        if m and 'path' in m.groupdict():
            return m['path'].replace('"', '')
        if m:
            return f'[{m["host"]}]:{m["port"]}' if ':' in m['host'] else f'{m["host"]}:{m["port"]}'
    return None


def strace_calls(out):
    """(call, descriptor, result, peer) of each call on a socket that the program made itself."""
    calls = []
    for line in Path(out).read_text(encoding='latin-1').splitlines():
        m = CALL.match(line)
        if m:
            ret = -getattr(errno, m[5]) if m[5] else int(m[4])
            calls.append((m[1], int(m[2]), ret, peer_of_text(m[3])))
    return calls


def recorded_calls(db):
    rows = query(db, 'SELECT op, fd, ret, file FROM calls WHERE op IN (' + ', '.join('?' * len(CALLS)) + ') ORDER BY start_ns', *CALLS)
    return [(op, fd, ret, file.split('->')[1] if '->' in file else None, file) for op, fd, ret, file in rows]


def free_ports(n):
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM if i < 2 else socket.SOCK_STREAM) for i in range(n)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    ports = [str(s.getsockname()[1]) for s in sockets]
    for s in sockets:
        s.close()
    return ports


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as s:
            s.bind(('::1', 0))
        return 'ipv6'
    except OSError:
        return 'ipv4'


def case_peers():
    if not shutil.which('strace'):
        skip('strace is not installed')
    Path('program.py').write_text(PROGRAM, encoding='ascii')
    ports = free_ports(4)
    command = [sys.executable, '-S', 'program.py', *ports, has_ipv6()]
    done = record('-q', '-o', 'x.db', '--', *command)
    equal(done.returncode, 0, done.stderr)
    Path('there').unlink()
    subprocess.run(['strace', '-e', 'trace=' + ','.join(CALLS), '-o', 'strace.out', *command], check=True)
    theirs, ours = strace_calls('strace.out'), recorded_calls('x.db')
    equal([c[:3] for c in ours], [c[:3] for c in theirs], 'calls')
    check(len(theirs) >= 14, f'{len(theirs)} calls are as many as the program makes')
    udp, other, tcp, nobody = ports
    for our, their in zip(ours, theirs):
        # strace prints what the call was given or told; of one that was given nothing, as of an accepted one, what the
        # other side's own call was given says whom it belongs to
        if our[0] == 'accept4' or (their[3] is None and our[0] == 'sendto'):
            check(our[4].startswith(f'tcp:127.0.0.1:{tcp}->127.0.0.1:'), f'{our} on an accepted connection')
        else:
            equal(our[3], their[3], f'peer in {our}')
    # the name of the socket's own side is there, too
    sent = [c[4] for c in ours if c[0] in ('sendto', 'sendmsg', 'sendmmsg') and c[4].startswith('udp:127')]
    equal(sent, [f'udp:127.0.0.1:{udp}->127.0.0.1:{other}', f'udp:127.0.0.1:{other}->127.0.0.1:{udp}',
                 f'udp:127.0.0.1:{udp}->127.0.0.1:{other}'], 'both sides')
    failed = [c[4] for c in ours if c[2] == -errno.ECONNREFUSED]
    check(len(failed) == 1 and re.fullmatch(rf'tcp:\[\d+\]->127\.0\.0\.1:{nobody}', failed[0]), f'refused: {failed}')


sys.exit(run_case(globals()))
