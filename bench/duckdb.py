# SPDX-License-Identifier: MIT
"""The other side of benchmarks: DuckDB, in a process of node for the statements of a round."""
import json
import shutil
import subprocess

from figures import ROOT


def duckdb(programs):
    """The command that runs duckdb.js, without its arguments; None, with the reason printed, if it cannot run."""
    modules = programs / 'npm/node_modules'
    command = ['env', f'NODE_PATH={modules.resolve()}', 'node', ROOT / 'bench/duckdb.js']
    if not shutil.which('node'):
        print('DuckDB is left out: there is no node')
        return None
    if not (modules / '@duckdb/node-api').exists():
        print(f'DuckDB is left out: npm install --prefix {modules.parent} @duckdb/node-api has not worked')
        return None
    tried = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if tried.returncode:
        print(f'DuckDB is left out: {(tried.stderr.strip() or "it does not run").splitlines()[-1]}')
        return None
    return command


def ask(command, db, statements, cpu=False):
    """Seconds and rows of each statement, none of which has a line break, and, if wanted, seconds of CPU time. Values are texts, or None."""
    result = subprocess.run([*command, db], input='\n'.join(statements), stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line)[:3 if cpu else 2] for line in result.stdout.splitlines()]
