#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The notebooks in examples/notebooks run from their first cell to the last.

usage: notebooks.py TRACEDB EXTENSION ROOT      exits 77 (skipped) without nbconvert, a kernel, pandas or matplotlib"""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

program, extension, root = (Path(path).resolve() for path in sys.argv[1:4])
missing = [name for name in ('nbconvert', 'ipykernel', 'pandas', 'matplotlib') if not importlib.util.find_spec(name)]
if missing:
    print('not installed:', *missing)
    sys.exit(77)
with tempfile.TemporaryDirectory() as tmp:
    db = Path(tmp) / 'stall.db'
    subprocess.run([program, 'import', '-q', '-o', db, root / 'examples' / 'stall' / 'run'], check=True)
    # a kernel runs where its notebook is
    notebooks = [Path(shutil.copy(path, tmp)) for path in sorted((root / 'examples' / 'notebooks').glob('*.ipynb'))]
    env = {**os.environ, 'TRACEDB': str(program), 'TRACEDB_EXTENSION': str(extension), 'RUN': str(db), 'HOME': tmp,
           'PYTHONPATH': str(root / 'python')}
    done = subprocess.run([sys.executable, '-m', 'nbconvert', '--to', 'notebook', '--execute', '--output-dir', Path(tmp) / 'done', *notebooks],
                          cwd=tmp, env=env, capture_output=True, text=True, check=False)
    made = [notebook for notebook in notebooks if (Path(tmp) / 'done' / notebook.name).exists()]
    if done.returncode != 0 or len(made) != len(notebooks) or len(made) < 3:
        print(done.stderr[-4000:])
        sys.exit(1)
    if not (Path(tmp) / 'figure.pdf').read_bytes().startswith(b'%PDF'):
        sys.exit('figure.ipynb made no PDF')
