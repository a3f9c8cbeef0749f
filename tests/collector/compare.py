#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What was recorded against what was done: runs a program that makes known calls under record-text and compares
both, call by call, in order, per thread.

    compare.py RECORD_TEXT PROGRAM [OPTION-OF-RECORD-TEXT...]
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from seen import lines_seen

BEGIN_FD, END_FD = -4242, -4243  # truth.h
FILE_DELETED, FILE_CUT = 1, 2  # schema/wire.h
EXEC, FOUND = 2, 1

errors = []


def error(text):
    errors.append(text)


def matches(path, want):
    """'*' stands for a number."""
    if path is None:
        return False
    return re.fullmatch(re.escape(want).replace(r'\*', '[0-9]+'), path) is not None


class Recorded:
    """The stream in its order; calls get the file that their id stood for at that time."""

    def __init__(self, lines):
        self.files, self.calls, self.processes, self.exits, self.loss = {}, {}, {}, {}, []
        self.threads, self.others, self.status, self.vfs = set(), 0, {}, {}
        self.totals = set()  # process and function of what is only counted
        for line in lines:
            r = json.loads(line)
            getattr(self, 'add_' + str(r['kind']), lambda r: None)(r)

    def add_file(self, r):
        if r['file'] in self.files:
            error(f'a second record for a file: {r}')
        self.files[r['file']] = r

    def add_process(self, r):
        self.processes.setdefault(r['pid'], []).append(r)
        self.threads.add(r['pid'])

    def add_thread(self, r):
        self.threads.add(r['tid'])

    def add_exit(self, r):
        self.exits.setdefault(r['pid'], []).append(r)

    def add_block(self, _r):
        self.others += 1

    add_sched = add_block

    def add_loss(self, r):
        self.loss.append(r)

    def add_summary(self, r):
        self.totals.add(r['key'])

    def add_status(self, r):
        self.status[r['set']] = r

    def add_call(self, r):
        if r['file'] and r['file'] not in self.files:
            error(f'call before its file: {r}')
        if r.get('file2') and r['file2'] not in self.files:
            error(f'call before its second file: {r}')
        if r['tid'] not in self.threads or r['pid'] not in self.processes:
            error(f'call before its thread: {r}')
        r['what'] = self.files.get(r['file'])
        r['what2'] = self.files.get(r.get('file2'))
        if r['op'].startswith('vfs_'):
            self.vfs.setdefault(r['tid'], []).append(r)
            self.others += 1
        else:
            self.calls.setdefault(r['tid'], []).append(r)


def between_marks(calls):
    """Each CPU has its ring, so those of a thread that moved may be out of order."""
    inside, found = False, []
    for c in sorted(calls, key=lambda c: c['start']):
        if c['op'] == 'close' and c.get('fd') == BEGIN_FD:
            inside = True
        elif c['op'] == 'close' and c.get('fd') == END_FD:
            inside = False
        elif inside:
            found.append(c)
    return found


def facts(call, truth):
    """The members of a recorded call under the names that the truth has for them."""
    what = call['what'] or {}
    f = {k: call.get(k) for k in ('op', 'ret', 'fd', 'asked', 'offset', 'text', 'address')}
    f['text2'] = call.get('text2') or None
    if 'path' in truth:
        f['deleted'] = bool(what.get('flags', 0) & FILE_DELETED)
        f['cut'] = bool(what.get('flags', 0) & FILE_CUT)
    for k in ('class', 'inode', 'device', 'mode'):
        if k in truth:
            f[k] = what.get(k)
    return f


def check_path(call, truth, key, what):
    want = truth.get(key)
    path = what and what['path']
    if want is None or matches(path, want):
        return
    if truth.get('cut') and path and len(path) > 3000 and want.endswith(path):
        return
    error(f'{key} is {path!r}: {call}\n    not as in {truth}')


def check_call(call, truth):
    want = dict(truth)
    for k in ('fd', 'asked', 'offset', 'text', 'text2', 'address'):
        want.setdefault(k, None)
    want.setdefault('deleted', False)
    want.setdefault('cut', False)
    for k, v in facts(call, truth).items():
        if v != want[k]:
            error(f'{k} is {v!r}: {call}\n    not as in {truth}')
    check_path(call, truth, 'path', call['what'])
    check_path(call, truth, 'path2', call['what2'])
    if call['dur'] < truth.get('least_ns', 0):
        error(f"took only {call['dur']} ns: {truth}")


def check_thread(tid, truths, recorded):
    found = between_marks(recorded.calls.get(tid, []))
    if len(found) != len(truths):
        error(f'thread {tid}: {len(truths)} calls were made, {len(found)} recorded')
    for call, truth in zip(found, truths):
        if call['op'] != truth['op']:
            error(f'thread {tid}: {call}\n    not as in {truth}')
            break
        check_call(call, truth)
    # requests of io_uring and io_submit() are under way beside the calls
    # and a call that copies is two rows
    calls = [c for c in found if (not c['op'].startswith(('io_uring_', 'aio_')) or c['op'] == 'io_uring_enter')
             and not c['op'].endswith(':out')]
    for before, call in zip(calls, calls[1:]):
        if before['start'] + before['dur'] > call['start']:
            error(f'thread {tid} was in two calls at a time: {before} {call}')


# Which function of the file layer does the work of a system call on a file, and what the two have in common.
VFS = {'read': 'vfs_read', 'pread64': 'vfs_read', 'write': 'vfs_write', 'pwrite64': 'vfs_write',
       'openat': 'vfs_open', 'unlink': 'vfs_unlink', 'unlinkat': 'vfs_unlink'}


def same_work(inner, call):
    if call['op'] in ('unlink', 'unlinkat'):
        return inner['text'] == os.path.basename(call['text'])
    if call['op'] == 'openat':
        return inner['what'] == call['what']
    # a pipe has no offset, and pread() of it no effect
    offset = call.get('offset') if 'offset' in inner else None
    return (inner['ret'] == call['ret'] and inner.get('asked') == call['asked'] and
            inner['what'] == call['what'] and inner.get('offset') == offset)


def check_vfs(tid, recorded):
    """Each call that did something has one function of the file layer in it, with the same result."""
    inner = sorted(recorded.vfs.get(tid, []), key=lambda c: c['start'])
    compared = 0
    for call in between_marks(recorded.calls.get(tid, [])):
        if call['op'] not in VFS or call['ret'] < 0 or call.get('asked') == 0:
            continue
        end = call['start'] + call['dur']
        found = [c for c in inner if c['op'] == VFS[call['op']] and
                 call['start'] <= c['start'] and c['start'] + c['dur'] <= end]
        if len(found) != 1 or not same_work(found[0], call):
            error(f'in {call}\n    there is {found}')
        compared += 1
    return compared


def check_process(truth, recorded, names):
    pid = truth['process']
    began = recorded.processes.get(pid)
    ends = [e for e in recorded.exits.get(pid, []) if e['group']]
    if not began or len(ends) != 1:
        error(f'process {pid}: {began} {recorded.exits.get(pid)}: {truth}')
        return
    if began[0]['parent'] != truth['parent']:
        error(f'process {pid}: parent {began[0]}: {truth}')
    if ends[0]['status'] != truth['status']:
        error(f'process {pid}: status {ends[0]}: {truth}')
    for k in ('args', 'comm'):
        want = truth.get(k, began[-1][k])
        for old, new in names.items():
            want = want.replace(old, new)
        if began[-1][k] != want:
            error(f'process {pid}: {k} {began[-1][k]!r} instead of {want!r}')


def check_loss(recorded):
    """Nothing may be lost here, and what the probes counted is what came."""
    came = sum(len(c) for c in recorded.calls.values()) + recorded.others + len(recorded.totals)
    # page faults come as samples, two and a track for each record
    elsewhere = ('file', 'process', 'faults')
    made = sum(r['generated'] for r in recorded.loss if r['set'] not in elsewhere)
    lost = sum(r['lost'] for r in recorded.loss)
    if made != came or lost:
        error(f'{made} records generated, {came} came, {lost} lost')


def check_status(recorded, options):
    """What is not to be used is not used, and nothing falls back unless it is told to."""
    status = recorded.status['file_io']
    want = ('fallback', 'tracepoint') if '-w' in options and options[-1] == '1' else ('works', 'tp_btf')
    if (status['state'], status['way']) != want:
        error(f'file_io {status} instead of {want}')


def main():
    record_text, program, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory(dir=os.environ.get('TMPDIR', '/tmp')) as tmp:
        truth_path, work = tmp + '/truth', os.path.realpath(tmp) + '/w'
        os.mkdir(work)
        run = subprocess.run([record_text, *options, '--', program, truth_path, work],
                             stdout=subprocess.PIPE, text=True, encoding='latin-1', check=False)
        if run.returncode == 77:
            sys.exit(77)
        recorded = Recorded(lines_seen(run.stdout))
        if run.returncode:
            error(f'{program} ended with {run.returncode}')
        threads = {}
        names = {'known-processes TRUTH': f'{program} {truth_path}'}
        with open(truth_path, encoding='utf-8') as f:
            truths = [json.loads(line) for line in f]
        for t in truths:
            if 'process' in t:
                check_process(t, recorded, names)
            else:
                threads.setdefault(t['tid'], []).append(t)
        for tid, lines in threads.items():
            check_thread(tid, lines, recorded)
        check_loss(recorded)
        check_status(recorded, options)
        if recorded.status.get('vfs', {}).get('state') in ('works', 'fallback'):
            compared = sum(check_vfs(tid, recorded) for tid in threads)
            print(f"{compared} calls compared with the file layer, by {recorded.status['vfs']['way']}")
            way = 'kprobe' if options[-2:] == ['-w', '2'] else 'fentry'
            if recorded.status['vfs']['way'] != way:
                error(f"vfs: {recorded.status['vfs']} instead of {way}")
            if not compared:
                error('nothing could be compared with the file layer')
    made = sum(len(t) for t in threads.values())
    print(f'{made} known calls in {len(threads)} threads, {len(errors)} differences')
    for e in errors[:20]:
        print(e)
    sys.exit(bool(errors) or made < 100)


main()
