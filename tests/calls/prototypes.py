#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the prototypes of this kernel's system calls, as its trace points tell them: tests/calls/prototypes.txt.

    mount -t tracefs tracefs /sys/kernel/tracing
    prototypes.py > tests/calls/prototypes.txt
"""
import pathlib
import platform
import re

EVENTS = pathlib.Path('/sys/kernel/tracing/events/syscalls')
PREFIX = 'sys_enter_'
FIELD = re.compile(r'\tfield:(?P<type>.*?) ?(?P<name>\w+);\toffset:(?P<offset>\d+);')
FIRST_ARGUMENT = 16  # bytes into the event; before it are the fields that all events have, and the number


def arguments(event):
    fields = map(FIELD.match, (event / 'format').read_text().splitlines())
    return [f"{m['type']} {m['name']}" for m in fields if m and int(m['offset']) >= FIRST_ARGUMENT]


release = platform.release().split('-')[0]
print(f'# System calls of Linux {release}, {platform.machine()}, by tests/calls/prototypes.py.')
for event in sorted(EVENTS.glob(PREFIX + '*')):
    print(event.name.removeprefix(PREFIX), ', '.join(arguments(event)), sep=': ')
