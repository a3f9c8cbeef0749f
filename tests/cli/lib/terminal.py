#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command on a terminal of so many columns, without colours, and prints what it wrote there.

usage: terminal.py COLUMNS COMMAND..."""
import fcntl
import os
import pty
import struct
import sys
import termios


def main():
    us, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 50, int(sys.argv[1]), 0, 0))
    pid = os.fork()
    if pid == 0:
        os.dup2(terminal, 1)
        os.environ['NO_COLOR'] = '1'
        os.execvp(sys.argv[2], sys.argv[2:])
    os.close(terminal)
    text = b''
    while True:
        try:
            part = os.read(us, 65536)
        except OSError:  # the last one has closed it
            break
        text += part
    sys.stdout.buffer.write(text.replace(b'\r\n', b'\n'))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


sys.exit(main())
