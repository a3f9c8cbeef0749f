#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where libtracedb-cuda.so finds CUPTI, and which versions it takes: in folders laid out as pip, conda and the toolkits do it, each with a made-up
CUPTI (fake-cupti.c).

usage: layouts.py PROGRAM LIBRARY FAKE FAKE-OF-11.6 FAKE-OF-11.0"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ring import Ring

PROGRAM, LIBRARY, FAKE, OLD, LACKS = sys.argv[1:6]

NOT_THE_FAKE = 4  # of layout-program.c

# name: the runtime that the program has loaded, where CUPTI is
LAYOUTS = {
    "pip's packages of CUDA 12": ('nvidia/cuda_runtime/lib/libcudart.so.12', 'nvidia/cuda_cupti/lib/libcupti.so.12'),
    "pip's packages of CUDA 11": ('nvidia/cuda_runtime/lib/libcudart.so.11.0', 'nvidia/cuda_cupti/lib/libcupti.so.11.8'),
    "pip's packages of CUDA 13": ('nvidia/cu13/lib/libcudart.so.13', 'nvidia/cu13/lib/libcupti.so.13'),
    'conda': ('env/lib/libcudart.so.12.4.127', 'env/lib/libcupti.so.12'),
    "conda's targets": ('env/targets/x86_64-linux/lib/libcudart.so.12', 'env/targets/x86_64-linux/lib/libcupti.so.12'),
    'a toolkit': ('cuda/lib64/libcudart.so.12', 'cuda/extras/CUPTI/lib64/libcupti.so.12'),
    "a toolkit's targets": ('cuda/targets/x86_64-linux/lib/libcudart.so.11.0', 'cuda/extras/CUPTI/lib64/libcupti.so.11.6'),
}


def check(holds, *what):
    if not holds:
        raise SystemExit(f'{what}')


def put(root, path, library=FAKE):
    path = Path(root) / path
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(library, path)
    return str(path)


def run(*loads, **more):
    """The path of the CUPTI that is used, and the ring."""
    with tempfile.TemporaryDirectory() as folder:
        env = {key: value for key, value in os.environ.items() if key not in ('CUDA_HOME', 'CUDA_PATH', 'LD_LIBRARY_PATH')}
        env |= {'CUDA_INJECTION64_PATH': LIBRARY, 'LD_PRELOAD': LIBRARY, 'TRACEDB_CUDA_DIR': folder, **more}
        done = subprocess.run([PROGRAM, *loads], env=env, capture_output=True, text=True, check=False)
        check(done.returncode in (0, NOT_THE_FAKE) and done.stderr == '', done)
        ring, = [Ring(path) for path in Path(folder).iterdir()]
        return done.stdout.strip(), ring


def recorded(ring):
    return not ring.notes and [(op.kind, op.what, op.end - op.start) for op in ring.ops] == [('kernel', 'first', 1000), ('kernel', 'second', 2000)]


def refused(ring, words):
    return not ring.ops and [kind for kind, _ in ring.notes] == ['cuda-not-recorded'] and words in ring.notes[0][1] and len(ring.unseen) == 1


def test_layouts(root):
    for name, (runtime, cupti) in LAYOUTS.items():
        runtime, cupti = put(f'{root}/{name}', runtime, LACKS), put(f'{root}/{name}', cupti)
        found, ring = run(runtime)
        check(os.path.realpath(found) == os.path.realpath(cupti) and recorded(ring), name, found, ring.notes)


def test_home(root):
    """No runtime is loaded: it is in the program, as nvcc does it."""
    for variable in ('CUDA_HOME', 'CUDA_PATH'):
        for place in ('extras/CUPTI/lib64', 'lib64'):
            home = f'{root}/{variable}-{place[:3]}'
            cupti = put(home, f'{place}/libcupti.so.12')
            found, ring = run(**{variable: home})
            check(os.path.realpath(found) == cupti and recorded(ring), variable, place, found, ring.notes)


def test_order(root):
    """What --cupti says comes first, then what is loaded, then what is beside the runtime, then CUDA_HOME."""
    runtime, beside = put(root, 'a/lib/libcudart.so.12', LACKS), put(root, 'a/lib/libcupti.so.12')
    home, loaded, wanted = put(root, 'home/lib64/libcupti.so.12'), put(root, 'b/libcupti.so.12'), put(root, 'c/my-cupti/libcupti.so.12')
    env = {'CUDA_HOME': f'{root}/home'}
    check(run(runtime, **env)[0] == beside.replace('/lib/libcupti', '/lib/./libcupti'), 'beside')
    check(run(loaded, runtime, **env)[0] == loaded, 'loaded')
    found, ring = run(runtime, **env, TRACEDB_CUPTI=wanted)
    check(found == wanted and recorded(ring), 'wanted')
    check(run(**env)[0] == home, 'home')
    _, ring = run(runtime, TRACEDB_CUPTI='/nonexistent/libcupti.so')
    check(refused(ring, '/nonexistent/libcupti.so: cannot open shared object file'), ring.notes)


def test_versions(root):
    """The strides of records are those of the version; 11.6 has no clock of the client and no graphs."""
    cupti = put(root, 'v/libcupti.so.12')
    for version in ('16', '17', '18', '20', '24', '26', '130000', '130100'):
        for graphs in ('node', 'graph'):
            _, ring = run(TRACEDB_CUPTI=cupti, FAKE_CUPTI_VERSION=version, TRACEDB_CUDA_GRAPHS=graphs)
            check(recorded(ring), version, graphs, ring.notes, ring.ops)
    _, ring = run(TRACEDB_CUPTI=put(root, 'old/libcupti.so.11.6', OLD), FAKE_CUPTI_VERSION='16')
    check(recorded(ring), '11.6', ring.notes, ring.ops)


def test_too_old(root):
    _, ring = run(TRACEDB_CUPTI=put(root, 'o/libcupti.so'), FAKE_CUPTI_VERSION='15')
    check(refused(ring, 'CUPTI is too old (version 15): CUDA 11.6 is needed'), ring.notes)
    _, ring = run(TRACEDB_CUPTI=put(root, 'p/libcupti.so', LACKS), FAKE_CUPTI_VERSION='13')
    check(refused(ring, 'CUPTI is too old: it has no cuptiGetTimestamp()'), ring.notes)


def test_none(root):
    found, ring = run(put(root, 'n/libcudart.so.12', LACKS))
    if found != 'none':
        print(f'this machine has a CUPTI of its own: {found}')
        return
    check(refused(ring, 'there is no CUPTI (libcupti.so) beside the CUDA runtime or in a toolkit: --cupti says where it is'), ring.notes)


for test_name, test in list(globals().items()):
    if test_name.startswith('test_'):
        print(test_name, flush=True)
        with tempfile.TemporaryDirectory() as test_root:
            test(test_root)
