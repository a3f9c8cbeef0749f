#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages of 'tracedb timeline' and 'tracedb report' in a headless browser: page.py TRACEDB MODULES [update]

Makes runs whose numbers are known, and one whose names are meant to do harm, and has page.js look at their pages. MODULES: the
node_modules with what package-lock.json beside this file names; ./run check installs them. TRACEDB_BARE in the environment: a program that was built
without the page of timeline, which has pages of reports all the same."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parents[1] / 'examples' / 'stall' / 'run'
BEGIN_MS = 1700000000000

# Ten seconds. 100 reads 10 MB in 5 s, in one call; 200 opens twice in the last second, writes 1 MB, and syncs for 0.1 s.
STRACE = '''\
100  1700000000.000000 read(3</data/a>, ""..., 10000000) = 10000000 <5.000000>
200  1700000009.000000 openat(AT_FDCWD, "/data/b", O_WRONLY) = 4</data/b> <0.000000>
200  1700000009.200000 write(4</data/b>, ""..., 1000000) = 1000000 <0.000000>
200  1700000009.900000 fsync(4</data/b>) = 0 <0.100000>
'''
HOSTILE = ("<script>window.hacked = 1</script>", "</script><img src=x onerror='window.hacked = 1'><b>",
           '\u202egnp.exe\u2066', '/' + 'very long/' * 410)


def log(shift_ms):
    line = ':::MLLOG {"namespace": "", "time_ms": %d, "event_type": "INTERVAL_%s", "key": "epoch_%s", "value": null, "metadata": {"epoch_num": %d}}\n'
    events = ((0, 'START', 'start', 1), (5000, 'END', 'stop', 1), (5000, 'START', 'start', 2), (10000, 'END', 'stop', 2))
    return ''.join(line % (BEGIN_MS + shift_ms + ms, *rest) for ms, *rest in events)


def spoil(db):
    """Other names than a program would have, and one that is no UTF-8."""
    con = sqlite3.connect(db)
    con.execute('UPDATE process SET name = ? WHERE pid = 100', (HOSTILE[0],))
    con.execute('UPDATE process SET name = ?, role = ? WHERE pid = 200', (HOSTILE[2], HOSTILE[1]))
    con.execute('UPDATE file SET path = ? WHERE id = 1', (HOSTILE[3],))
    con.execute("UPDATE file SET path = CAST(x'ff2f3c7363726970743e' AS TEXT) WHERE id = 2")
    con.execute("UPDATE string SET text = ? WHERE text = 'epoch'", (HOSTILE[1],))
    con.execute('UPDATE phase_interval SET label = replace(label, ?, ?)', ('epoch', HOSTILE[1]))
    con.execute('UPDATE run SET name = ?', (HOSTILE[0],))
    con.commit()
    con.close()


def make(tracedb, folder):
    def run(*args):
        subprocess.run([tracedb, *map(str, args)], check=True, cwd=folder)

    (folder / 'run.strace').write_text(STRACE, encoding='utf-8')
    for name, shift_ms in (('hand', 0), ('late', 2000)):
        (folder / 'train.log').write_text(log(shift_ms), encoding='utf-8')
        run('import', '-q', '-o', name + '.db', 'run.strace', 'train.log')
    shutil.copy(folder / 'hand.db', folder / 'hostile.db')
    spoil(folder / 'hostile.db')
    run('import', '-q', '-o', 'stall.db', EXAMPLE)
    tried = subprocess.run([tracedb, 'timeline', 'hand.db', '--compare', 'late.db', '-o', 'compare.html'], check=False, cwd=folder,
                           capture_output=True, text=True)
    if 'built without the page' in tried.stderr:
        skip('tracedb was built without npm')
    assert tried.returncode == 0, tried.stderr
    for name in ('hand', 'hostile', 'stall'):
        run('timeline', name + '.db', '-o', name + '.html')
        run('report', '--all', name + '.db', '-o', name + '-report.html')
    run('report', 'file_io,processes', '-f', 'html', 'hostile.db', 'hand.db', '-o', 'tables.html')
    run('query', 'hand.db', "VALUES (9, 'b', '<i>'), (NULL, 'a', 'x'), (10, 'c', '&lt;')", '-o', 'query.html')
    make_plain(os.environ.get('TRACEDB_BARE'), folder)


def make_plain(plain, folder):
    """What a program says and does that was built without npm."""
    if not plain:
        return
    tried = subprocess.run([plain, 'timeline', 'hand.db', '-o', 'none.html'], check=False, cwd=folder, capture_output=True, text=True)
    assert tried.returncode == 2 and 'built without the page: npm brings uPlot' in tried.stderr, tried
    assert not (folder / 'none.html').exists()
    tried = subprocess.run([plain, 'report', '--all', 'hand.db', '-o', 'plain.html'], check=False, cwd=folder, capture_output=True, text=True)
    assert tried.returncode == 0 and 'the page has no timeline' in tried.stderr, tried


def skip(why):
    print('1..0 # SKIP ' + why)
    sys.exit(0)


def main():
    tracedb, modules, update = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
    node, chromium = shutil.which('node'), shutil.which('chromium')
    if not node or not chromium:
        skip('there is no ' + ('node' if not node else 'chromium'))
    if not all((modules / name).is_dir() for name in ('puppeteer-core', 'axe-core')):
        skip('there are no puppeteer-core and axe-core: npm brings them')
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        make(tracedb, folder)
        return subprocess.run([node, HERE / 'page.js', modules, chromium, folder, HERE, *update], check=False, timeout=280).returncode


if __name__ == '__main__':
    sys.exit(main())
