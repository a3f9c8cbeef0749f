#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The collector's tests on kernels of Debian, each booted in QEMU with an initramfs that holds just them.

    kernels.py --build BUILD --cache FOLDER [--only TEST] [--keep] [SERIES...]

BUILD: a meson build folder, where the tests that meson lists under the suite 'collector' have been built.
FOLDER: keeps the kernels, which come from the configured package sources and are unpacked, not installed.
One line per kernel and test; the last line is 'N passed, N failed, N skipped', the exit status 1 if one failed."""
import argparse
import copy
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERIES = ('6.1', '6.12')
SUITE = 'kernels'
PYTHON = '/usr/bin/python3'
# What the tests call by name.
TOOLS = ('cat', 'cp', 'dd', 'env', 'head', 'id', 'ls', 'mkdir', 'mv', 'rm', 'rmdir', 'sh', 'sleep', 'strace',
         'sync', 'true', 'uname')
# Of the standard library, what no test will miss.
NO_PYTHON = ('config-*', 'dist-packages', 'ensurepip', 'idlelib', 'lib2to3', 'pydoc_data', 'test', 'tkinter',
             'unittest')
MODULES = ('virtio_pci', 'virtio_blk', 'loop', 'null_blk', 'overlay')
MEMORY_MIB = 1536
DISK_BYTES = 1 << 30
BOOT_S = 180
SLOWER = 4  # than on the machine itself: the time that a test may take
# An emulated CPU does not always tick when the kernel looks whether it does. Without what guards against other programs, which there
# are none of, the tests take four fifths of the CPU time.
COMMAND_LINE = 'console=ttyS0 quiet panic=-1 no_timer_check mitigations=off init_on_alloc=0 rdinit=/init'


class Unavailable(Exception):
    """Why a kernel cannot be tried here."""


# --- the tests ---

class Tests:
    """What meson knows of the tests of the collector, with the files that they need."""

    def __init__(self, build, only):
        self.build = build.resolve()
        self.ninja('build.ninja')  # so that meson knows what there is now
        targets = {t['id']: t['filename'] for t in self.introspect('--targets')}
        self.tests, self.files, self.targets = [], set(), set()
        for test in self.introspect('--tests'):
            if not any(suite.endswith(':' + SUITE) for suite in test['suite']):
                continue
            if only and test['name'] not in only:
                continue
            for depends in test['depends']:
                self.targets.update(targets[depends])
            command = [self.in_guest(word) for word in test['cmd']]
            self.tests.append({'name': test['name'], 'command': command, 'folder': str(self.build),
                               'env': test['env'], 'timeout_s': test['timeout'] * SLOWER})
        if not self.tests:
            sys.exit(f'kernels: there are no such tests in {build}')
        self.files.update(self.targets)

    def only(self, names):
        """The same with some of the tests."""
        some = copy.copy(self)
        some.tests = [test for test in self.tests if test['name'] in names]
        return some

    def introspect(self, what):
        return json.loads(subprocess.run(['meson', 'introspect', what, self.build], check=True,
                                         stdout=subprocess.PIPE).stdout)

    def in_guest(self, word):
        """A word of a command, with files by their full path; which they have there, too."""
        if re.fullmatch(r'python3(\.\d+)?', os.path.basename(word)):
            return PYTHON
        path = os.path.normpath(self.build / word)
        if not os.path.isfile(path):
            return word
        self.files.add(path)
        if path.endswith('.py'):  # what it may import
            self.files.update(map(str, Path(path).parent.glob('*.py')))
        return path

    def ninja(self, *targets):
        made = subprocess.run(['ninja', '--quiet', '-C', self.build, *targets], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if made.returncode:
            sys.exit(f'{made.stdout}kernels: cannot build the tests')

    def make(self):
        self.ninja(*(os.path.relpath(path, self.build) for path in sorted(self.targets)))


# --- kernels ---

def numbers(name):
    return [int(n) for n in re.findall(r'\d+', name)]


def newest_package(series):
    names = subprocess.run(['apt-cache', 'pkgnames', f'linux-image-{series}.'], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    wanted = re.compile(rf'linux-image-{re.escape(series)}\.\d\S*-cloud-amd64')
    names = [name for name in names if wanted.fullmatch(name)]
    if not names:
        raise Unavailable(f"the package sources offer no linux-image-{series}.*-cloud-amd64")
    return max(names, key=numbers)


def fetch(series, cache):
    """The folder of an unpacked kernel package."""
    for kernel in cache.glob(f'linux-image-{series}.*-cloud-amd64'):
        return kernel
    if not shutil.which('apt-get'):
        raise Unavailable('there is no apt-get to fetch it with')
    package = newest_package(series)
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        os.chmod(folder, 0o755)  # apt fetches as another user
        got = subprocess.run(['apt-get', 'download', package], cwd=folder, stdout=subprocess.PIPE, text=True,
                             stderr=subprocess.STDOUT, check=False)
        if got.returncode:
            raise Unavailable(f"cannot fetch '{package}': {got.stdout.strip().splitlines()[-1]}")
        for deb in Path(folder).glob('*.deb'):
            subprocess.run(['dpkg', '-x', deb, Path(folder) / 'unpacked'], check=True)
        (Path(folder) / 'unpacked').rename(cache / package)
    return cache / package


def modules_of(kernel):
    """The files of MODULES and what they need, in the order in which to load them."""
    version = next((kernel / 'lib/modules').iterdir()).name
    subprocess.run(['depmod', '-b', kernel, version], check=True)
    files = []
    for module in MODULES:
        shown = subprocess.run(['modprobe', '-d', kernel, '-S', version, '--show-depends', module],
                               check=True, stdout=subprocess.PIPE, text=True).stdout
        for line in shown.splitlines():
            if line.startswith('insmod ') and line.split()[1] not in files:
                files.append(line.split()[1])
    return files


# --- what it boots with ---

class Root:
    """A folder to become the initramfs."""

    def __init__(self, folder):
        self.folder = folder
        for name in ('bin', 'sbin', 'lib', 'lib64'):
            (folder / 'usr' / name).mkdir(parents=True)
            (folder / name).symlink_to('usr/' + name)
        for name in ('dev', 'etc', 'proc', 'root', 'run', 'sys', 'tmp'):
            (folder / name).mkdir()
        (folder / 'etc/passwd').write_text('root:x:0:0:root:/root:/bin/sh\n', encoding='ascii')

    def place(self, path):
        place = self.folder / str(path).lstrip('/')
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def add(self, path):
        """A file at its own path, and the libraries that it needs."""
        if self.place(path).exists():
            return
        shutil.copy2(path, self.place(path))
        with open(path, 'rb') as file:
            if file.read(4) != b'\x7fELF':
                return
        listed = subprocess.run(['ldd', path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                check=False).stdout
        for library in re.findall(r'(/\S+) \(0x', listed):
            self.add(library)

    def add_python(self):
        self.add(PYTHON)
        where = 'import sysconfig; print(sysconfig.get_path("stdlib"))'
        stdlib = Path(subprocess.run([PYTHON, '-c', where], check=True, stdout=subprocess.PIPE,
                                     text=True).stdout.strip())
        shutil.copytree(stdlib, self.place(stdlib), dirs_exist_ok=True, ignore=shutil.ignore_patterns(*NO_PYTHON))
        for extension in (stdlib / 'lib-dynload').glob('*.so'):
            self.place(extension).unlink()
            self.add(extension)

    def add_module(self, path, number):
        """Loaded by the order of its number; the kernel may not know how to unpack it."""
        data = Path(path).read_bytes()
        name = f'/modules/{number:02}-{Path(path).name.removesuffix(".xz")}'
        self.place(name).write_bytes(lzma.decompress(data) if path.endswith('.xz') else data)
        return name

    def pack(self, image):
        """Not compressed: an emulated CPU takes long to unpack it."""
        names = ''.join(f'{path.relative_to(self.folder)}\n' for path in sorted(self.folder.rglob('*')))
        with open(image, 'wb') as file:
            subprocess.run(['cpio', '--quiet', '-o', '-H', 'newc', '-R', '0:0'], cwd=self.folder, check=True,
                           input=names.encode(), stdout=file)


def make_image(folder, tests, kernel):
    root = Root(folder / 'root')
    root.add_python()
    for tool in TOOLS:
        path = shutil.which(tool, path='/usr/bin:/usr/sbin')
        if not path:
            raise Unavailable(f"'{tool}' is not installed")
        root.add(path)
    for path in sorted(tests.files):
        root.add(path)
    plan = {'tests': tests.tests,
            'modules': [root.add_module(path, i) for i, path in enumerate(modules_of(kernel))]}
    root.place('tests.json').write_text(json.dumps(plan), encoding='utf-8')
    shutil.copy2(HERE / 'guest.py', root.place('init'))
    root.place('init').chmod(0o755)
    root.pack(folder / 'initramfs')


# --- running it ---

def acceleration():
    """KVM where the CPU has it: what some clouds put behind /dev/kvm instead does not get a stock kernel booted."""
    with open('/proc/cpuinfo', encoding='ascii', errors='replace') as file:
        virtual = re.search(r'^flags\s*:.*\b(vmx|svm)\b', file.read(), re.MULTILINE)
    return 'kvm' if virtual and os.access('/dev/kvm', os.R_OK | os.W_OK) else 'tcg,thread=multi'


def boot(folder, kernel):
    disk = folder / 'disk'
    with open(disk, 'wb') as file:
        file.truncate(DISK_BYTES)
    subprocess.run(['mke2fs', '-q', '-t', 'ext4', disk], check=True)
    image = next((kernel / 'boot').glob('vmlinuz-*'))
    return subprocess.Popen(
        ['qemu-system-x86_64', '-accel', acceleration(), '-cpu', 'max', '-smp', '2', '-m', str(MEMORY_MIB),
         '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot',
         '-serial', f'file:{folder}/console', '-serial', 'stdio',
         '-drive', f'file={disk},if=virtio,format=raw,cache=unsafe',
         '-kernel', image, '-initrd', folder / 'initramfs',
         '-append', COMMAND_LINE],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)


class Counts:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.lock = threading.Lock()  # several kernels are tried at a time

    def passes(self, kernel, test, text):
        with self.lock:
            self.passed += 1
            self.show(kernel, test, 'ok', text)

    def fails(self, kernel, test, why, output):
        self.failed += 1
        self.show(kernel, test, 'FAILED', why)
        self.quote(output)

    def skips(self, kernel, test, why):
        self.skipped += 1
        self.show(kernel, test, 'skipped', why)

    @staticmethod
    def show(kernel, test, result, text):
        print(f'{kernel:<32} {test:<32} {result:>7}  {text}', flush=True)

    @staticmethod
    def quote(output):
        for line in output.splitlines()[-40:]:
            print('    ' + line, flush=True)


def why_failed(result):
    """Here is everything that a test needs: one that does not run has failed."""
    if result['status'] is None:
        return f"not done after {result['seconds']:.0f} s"
    return f"exit status {result['status']}"


def results_of(machine, limits):
    """What the guest says until it is switched off, or stands still: for each line, and for the end, the seconds that it may take."""
    os.set_blocking(machine.stdout.fileno(), False)
    limits = iter(limits)
    deadline, text = time.monotonic() + next(limits), b''
    while True:
        more = machine.stdout.read()
        ended = machine.poll() is not None
        text += more or b''
        *lines, text = text.split(b'\n')
        for line in lines:
            deadline = time.monotonic() + next(limits)
            yield json.loads(line)
        if ended and not more:
            return
        if time.monotonic() > deadline:
            machine.kill()
            machine.wait()
            return
        time.sleep(0.1)


class Guest:
    """One boot of a kernel: what became of each test; of the first one that has no result, the console tells."""

    def __init__(self, kernel, folder, tests):
        self.kernel, self.folder, self.tests = kernel, folder, tests
        self.release, self.boot_s, self.results = kernel.name, None, {}

    def run(self, tell=lambda result: None):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        make_image(self.folder, self.tests, self.kernel)
        began = time.monotonic()
        limits = [BOOT_S, *(BOOT_S + test['timeout_s'] for test in self.tests.tests), BOOT_S]
        with boot(self.folder, self.kernel) as machine:
            for result in results_of(machine, limits):
                if 'kernel' in result:
                    self.release, self.boot_s = result['kernel'], time.monotonic() - began
                else:
                    self.results[result['name']] = result
                tell(result)
        console = (self.folder / 'console').read_text(encoding='utf-8', errors='replace')
        for test in self.tests.tests:
            if test['name'] not in self.results:
                self.results[test['name']] = {'status': None, 'seconds': time.monotonic() - began,
                                              'output': 'the kernel ended before that; its console:\n' + console}
                console = ''

    def failed(self):
        return [name for name, result in self.results.items() if result['status'] != 0]


class Kernel:
    """What fails is tried once more by itself: an emulated CPU is many times slower, and for moments stands still. Both
    results are shown."""

    def __init__(self, series, arguments, tests, counts):
        self.kernel, self.folder = fetch(series, arguments.cache), arguments.cache / ('boot-' + series)
        self.keep, self.tests, self.counts = arguments.keep, tests, counts
        self.first = Guest(self.kernel, self.folder, tests)

    def tell(self, result):
        release = self.first.release
        if 'kernel' in result:
            self.counts.passes(release, 'boot', f'{self.first.boot_s:.1f} s')
        elif result['status'] == 0:
            self.counts.passes(release, result['name'], f"{result['seconds']:.1f} s")

    def try_all(self):
        self.first.run(self.tell)

    def try_again(self):
        first, counts = self.first, self.counts
        again = Guest(self.kernel, self.folder, self.tests.only(first.failed()))
        if again.tests.tests:
            again.run()
        if first.boot_s is None:
            if again.boot_s is None:
                counts.fails(first.release, 'boot', 'twice: it does not come up', '')
            else:
                counts.passes(first.release, 'boot', 'at the second try')
        for name, second in again.results.items():
            result = first.results[name]
            if second['status'] == 0:
                counts.passes(first.release, name, f'at the second try; at the first: {why_failed(result)}')
                counts.quote(result['output'])
            else:
                counts.fails(first.release, name, f'twice: {why_failed(result)}, {why_failed(second)}', second['output'])
        if not self.keep:
            shutil.rmtree(self.folder)


def main():
    parser = argparse.ArgumentParser(description="the collector's tests on kernels of Debian")
    parser.add_argument('--build', type=Path, required=True)
    parser.add_argument('--cache', type=Path, required=True)
    parser.add_argument('--only', action='append', help='name of a test')
    parser.add_argument('--keep', action='store_true', help='what it was booted with')
    parser.add_argument('series', nargs='*', default=SERIES, help=f'default: {" ".join(SERIES)}')
    arguments = parser.parse_args()
    arguments.cache = arguments.cache.resolve()
    tests, counts = Tests(arguments.build, arguments.only), Counts()
    tests.make()
    kernels = []
    for series in arguments.series:
        try:
            kernels.append(Kernel(series, arguments, tests, counts))
        except Unavailable as why:
            counts.skips(series, 'all', str(why))
    # a test keeps one CPU busy, as a rule
    with ThreadPoolExecutor(max(1, min(len(arguments.series), os.cpu_count()))) as pool:
        tried = [pool.submit(kernel.try_all) for kernel in kernels]
    for kernel, first in zip(kernels, tried):
        try:
            first.result()
            kernel.try_again()
        except Unavailable as why:
            counts.skips(kernel.first.release, 'all', str(why))
    print(f'{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped')
    sys.exit(counts.failed > 0)


main()
