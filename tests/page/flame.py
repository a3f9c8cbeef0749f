#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of 'tracedb flame' in a headless browser: flame.py TRACEDB MODULES

Makes stacks whose times are known, some with names that are meant to do harm, and more than a page has room for, and has flame.js
look at their pages. MODULES: as of page.py."""

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from page import HERE, HOSTILE, skip

STRACE = '''\
10 1700000000.000000 read(3, "", 8) = 0 <0.000006>
 > /lib/libc.so(read+0x1) [0x1]
 > /bin/x(load+0x1) [0x2]
 > /bin/x(main+0x1) [0x3]
10 1700000001.000000 read(3, "", 8) = 0 <0.000003>
 > /lib/libc.so(read+0x1) [0x1]
 > /bin/x(load+0x7) [0x2]
 > /bin/x(main+0x1) [0x3]
10 1700000002.000000 write(4, "", 8) = 8 <0.000001>
 > /lib/libc.so(write+0x1) [0x1]
 > /bin/x(save+0x1) [0x2]
 > /bin/x(main+0x2) [0x3]
11 1700000003.000000 brk(NULL) = 0 <0.000010>
 > /bin/x(main+0x1) [0x3]
'''
LARGE = 40000


def spoil(db):
    con = sqlite3.connect(db)
    for name, hostile in zip(('load', 'read', 'save', '/bin/x'), HOSTILE):
        con.execute('UPDATE string SET text = ? WHERE text = ?', (hostile, name))
    con.execute("UPDATE string SET text = CAST(x'ff2f3c7363726970743e' AS TEXT) WHERE text = 'write'")
    con.execute('UPDATE run SET name = ?', (HOSTILE[0],))
    con.commit()
    con.close()


def lose(db):
    con = sqlite3.connect(db)
    con.execute('UPDATE source SET lost_events = 3')
    con.commit()
    con.close()


def swell(db):
    """Each of so many frames of main, and the one below it, has a time of its own."""
    con = sqlite3.connect(db)
    con.execute("WITH RECURSIVE s (value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM s WHERE value < ?)"
                " INSERT INTO string SELECT 1000 + value, 'f' || value FROM s", (LARGE,))
    con.execute("INSERT INTO stack SELECT id, 1, id, NULL FROM string WHERE id > 1000")
    con.execute("INSERT INTO stack SELECT 100000 + id, id, id, NULL FROM string WHERE id > 1000")
    con.execute("INSERT INTO stack_sample SELECT 1000 + id, (SELECT min(start_ns) FROM stack_sample), id, kind_id, op_id, process_id,"
                " thread_id, NULL, 100000 + s.id, source_id FROM string AS s, (SELECT kind_id, op_id, process_id, thread_id, source_id"
                " FROM stack_sample LIMIT 1) WHERE s.id > 1000")
    con.commit()
    con.close()


def make(tracedb, folder):
    def run(*args):
        subprocess.run([tracedb, *map(str, args)], check=True, cwd=folder)

    (folder / 'run.strace').write_text(STRACE, encoding='utf-8')
    run('import', '-q', '-o', 'hand.db', 'run.strace')
    for name, change in (('hostile', spoil), ('lost', lose), ('large', swell)):
        shutil.copy(folder / 'hand.db', folder / (name + '.db'))
        change(folder / (name + '.db'))
    for name in ('hand', 'hostile', 'lost', 'large'):
        run('flame', name + '.db', '-o', name + '.html')
    assert (folder / 'large.html').stat().st_size < 5000000


def main():
    tracedb, modules = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    node, chromium = shutil.which('node'), shutil.which('chromium')
    if not node or not chromium:
        skip('there is no ' + ('node' if not node else 'chromium'))
    if not all((modules / name).is_dir() for name in ('puppeteer-core', 'axe-core')):
        skip('there are no puppeteer-core and axe-core: npm brings them')
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        make(tracedb, folder)
        return subprocess.run([node, HERE / 'flame.js', modules, chromium, folder], check=False, timeout=280).returncode


if __name__ == '__main__':
    sys.exit(main())
