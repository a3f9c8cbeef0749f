#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes SQLite databases of SQL files, as seeds for the importers of such databases.

usage: sql2seeds.py FOLDER FILE.sql..."""
import sqlite3
import sys
from pathlib import Path

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name in sys.argv[2:]:
    seed = folder / (Path(name).stem + '.sqlite')
    seed.unlink(missing_ok=True)
    db = sqlite3.connect(seed)
    db.execute('PRAGMA page_size = 512')  # the smaller the better for a fuzzer
    db.executescript(Path(name).read_text())
    db.close()
