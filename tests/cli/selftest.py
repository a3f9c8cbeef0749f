#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The golden-file harness itself: what it must accept, refuse, skip and write."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN = Path(__file__).with_name('run.py')
ENV = {key: value for key, value in os.environ.items() if key != 'UPDATE'}


class Harness(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.case = Path(folder.name) / 'case.sh'

    def run_case(self, script, **env):
        self.case.write_text(script, encoding='utf-8')
        return subprocess.run([sys.executable, RUN, self.case], capture_output=True, text=True,
                              check=False, env=ENV | {'TRACEDB': '/bin/echo'} | env)

    def golden(self, suffix, text):
        self.case.with_suffix(suffix).write_text(text, encoding='utf-8')

    def test_silence_is_the_default(self):
        self.assertEqual(self.run_case('true').returncode, 0)

    def test_unexpected_output_fails(self):
        for script in ('echo x', 'echo x >&2', 'exit 3'):
            self.assertEqual(self.run_case(script).returncode, 1, script)

    def test_missing_output_fails(self):
        self.golden('.err', 'a warning\n')
        self.assertEqual(self.run_case('true').returncode, 1)

    def test_all_three_as_expected(self):
        self.golden('.out', 'to stdout\n')
        self.golden('.err', 'to stderr\n')
        self.golden('.exit', '3\n')
        script = '"$TRACEDB" to stdout; "$TRACEDB" to stderr >&2; exit 3'
        self.assertEqual(self.run_case(script).returncode, 0)

    def test_first_failing_command_ends_the_case(self):
        self.golden('.exit', '1\n')
        self.assertEqual(self.run_case('false\necho not reached').returncode, 0)

    def test_scratch_folder_is_empty_and_masked(self):
        self.golden('.out', '$SCRATCH\n')
        self.assertEqual(self.run_case('ls -A; pwd').returncode, 0)

    def test_invalid_utf8_is_shown(self):
        self.golden('.out', '\\xff\n')
        self.assertEqual(self.run_case(r"printf '\377\n'").returncode, 0)

    def test_unsound_database_fails(self):
        script = ("sqlite3 x.db 'PRAGMA application_id = 0x74726462; CREATE TABLE t (x); INSERT INTO t VALUES (1)'\n"
                  'truncate -s 4096 x.db\n')
        done = self.run_case(script)
        self.assertEqual(done.returncode, 1)
        self.assertIn('x.db', done.stdout)
        self.assertEqual(self.run_case(script + 'mv x.db spoilt.db').returncode, 0)
        self.assertEqual(self.run_case(script.splitlines()[0]).returncode, 0)

    def test_skip_gives_its_reason(self):
        done = self.run_case('. "$LIB"; skip no luck today')
        self.assertEqual((done.returncode, done.stdout.strip()), (77, 'no luck today'))

    def test_update_writes_and_removes(self):
        self.golden('.err', 'no longer said\n')
        self.assertEqual(self.run_case('echo new; exit 2', UPDATE='1').returncode, 0)
        self.assertEqual(self.case.with_suffix('.out').read_text(encoding='utf-8'), 'new\n')
        self.assertEqual(self.case.with_suffix('.exit').read_text(encoding='utf-8'), '2\n')
        self.assertFalse(self.case.with_suffix('.err').exists())

    def test_list_finds_unregistered_cases(self):
        self.case.write_text('true\n', encoding='utf-8')
        for names, status in ((['case'], 0), ([], 1), (['case', 'gone'], 1)):
            done = subprocess.run([sys.executable, RUN, '--list', self.case.parent, *names],
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, status, names)


unittest.main()
