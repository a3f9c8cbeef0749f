#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles what docs/HOWTO-event-set.md prints, with the set in the list: the provider, and the BPF program where there is clang.

usage: howto-event-set.py ROOT COMPILER..."""
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = 'docs/HOWTO-event-set.md'
LIST = 'collector/sets/list.h'
FLAGS = ['-std=gnu11', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Wmissing-prototypes', '-Wno-unused-parameter', '-Werror',
         '-fsyntax-only']
MACHINE = platform.machine()
BPF_FLAGS = ['-target', 'bpf', '-mcpu=v3', '-g', '-O2', '-Wall', '-Wextra', '-Wno-unused-parameter', '-Werror',
             '-D__TARGET_ARCH_' + {'x86_64': 'x86', 'aarch64': 'arm64'}.get(MACHINE, MACHINE),
             '-idirafter', f'/usr/include/{MACHINE}-linux-gnu', '-o', '/dev/null', '-c']


def compile_page(root, scratch, compiler):
    """What is included from the scratch folder comes before what the tree has."""
    page = (root / PAGE).read_text(encoding='utf-8')
    blocks = re.findall(r'`([\w./-]+)`:\n\n```c\n(.*?)^```$', page, re.M | re.S)
    added = re.search(r'`(SET\(\w+, \w+\))` in `' + LIST, page)[1]
    sets = (root / LIST).read_text(encoding='utf-8')
    blocks.append((LIST, re.sub(r'(\tSET\(\w+, \w+\))\n', r'\1 \\\n\t' + added + '\n', sets, count=1)))
    for path, text in blocks:
        (scratch / path).parent.mkdir(parents=True, exist_ok=True)
        (scratch / path).write_text(text, encoding='utf-8')
    for path, _ in blocks:
        includes = ['-I', str(scratch), '-I', str(root)]
        if path.endswith('.bpf.c'):
            if shutil.which('clang'):
                subprocess.run(['clang', *BPF_FLAGS, *includes, scratch / path], check=True)
        elif path.endswith('.c'):
            subprocess.run([*compiler, *FLAGS, *includes, scratch / path], check=True)
    return len(blocks)


def main(root, *compiler):
    with tempfile.TemporaryDirectory() as scratch:
        files = compile_page(Path(root), Path(scratch), compiler)
    return 0 if files == 4 else f'{PAGE}: {files} files instead of 4 with {LIST}'


sys.exit(main(*sys.argv[1:]))
