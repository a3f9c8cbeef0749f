# SPDX-License-Identifier: MIT
"""Databases without names: what export --redact writes, in any format, holds nothing that the original had and that is not on a list.

usage: redact.py TRACEDB FILES..."""
import csv, ctypes, ctypes.util, os, pathlib, re, sqlite3, subprocess, sys, tempfile

tracedb, inputs = sys.argv[1], sys.argv[2:]
failures = []

# What may stay, by hand: see docs/FLEET.md. Endings, and words of which every system has the same.
KEPT = set("""bin boot dev etc home lib lib64 media mnt opt proc root run sbin self shm srv sys tmp usr var local share include cache log
null zero full random urandom tty ptmx pts console nvidia nvidiactl pipe socket eventfd eventpoll timerfd signalfd inotify io_uring
anon_inode stdin stdout stderr task stat status maps meminfo cpuinfo mounts cmdline nfs lustre
python python3 bash sh dash cat cp dd ls grep ps sleep sync tar sed awk find date sudo perf strace bpftrace mpstat iostat tracedb
swapper kworker ksoftirqd systemd""".split())


# endings, flags, addresses, known keys of JSON, threads of PyTorch; what checkpoints are known by; 'server' is in the text of a finding
STAYS = r"""\.[a-z]{1,4}|(CLOCK|F|FUTEX|GRND|MADV|MAP|O|PROT|SEEK)_[A-Z_]+|SIG[A-Z]+|0x[0-9a-f]+|epoch_num|lineno|success|pt_autograd_\d+|checkpoint(\.pt)?|nvidia-uvm|server"""


def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAILED:", what)


def run(*args, status=0):
    p = subprocess.run([tracedb, *map(str, args)], capture_output=True, text=True, check=False)
    if p.returncode != status:
        sys.exit(f"{' '.join(map(str, args))}: exit {p.returncode}\n{p.stderr}")
    return p.stdout


def words_of(text):
    return re.findall(r"[A-Za-z0-9_.+~-]+", text)


def secrets_of(path):
    """Every word of paths, hosts, users, names and arguments; of paths, what stands between the strokes, too."""
    db = sqlite3.connect(path)
    texts = set()
    for sql in ("SELECT path FROM file", "SELECT name FROM file", "SELECT root FROM file", "SELECT name FROM process", "SELECT name FROM thread",
                "SELECT command_line FROM process", "SELECT user FROM process", "SELECT cgroup FROM process", "SELECT host FROM source",
                "SELECT path FROM source", "SELECT hash FROM source", "SELECT text FROM issue", "SELECT key FROM summary", "SELECT name FROM run",
                "SELECT s.text FROM string AS s WHERE id IN (SELECT args_id FROM call UNION SELECT args_id FROM span UNION SELECT args_id FROM mark)",
                "SELECT s.text FROM string AS s WHERE id IN (SELECT directory_id FROM file UNION SELECT template_id FROM file)"):
        texts.update(row[0] for row in db.execute(sql) if row[0])
    db.close()
    found = set()
    for text in texts:
        for part in text.split("/"):
            found.update(words_of(part))
    # words of four letters and less may come by chance, numbers are times and sizes
    return {w for w in found if len(w) >= 5 and re.search("[A-Za-z]", w) and not re.fullmatch(STAYS, w)}


zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
for name, result in (("findFrameCompressedSize", ctypes.c_size_t), ("getFrameContentSize", ctypes.c_ulonglong), ("decompress", ctypes.c_size_t)):
    getattr(zstd, "ZSTD_" + name).restype = result


def unpacked(data):
    """The bytes, and behind them those of every frame of zstd in them."""
    parts = [data]
    buffer = ctypes.create_string_buffer(data, len(data))
    for m in re.finditer(re.escape(b"\x28\xb5\x2f\xfd"), data):
        frame, left = ctypes.byref(buffer, m.start()), ctypes.c_size_t(len(data) - m.start())
        size = zstd.ZSTD_findFrameCompressedSize(frame, left)
        room = zstd.ZSTD_getFrameContentSize(frame, left)
        if size > left.value or room > 1 << 26:
            continue
        out = ctypes.create_string_buffer(max(room, 1))
        n = zstd.ZSTD_decompress(out, ctypes.c_size_t(room), frame, ctypes.c_size_t(size))
        if n <= room:
            parts.append(out.raw[:n])
    return b"\n".join(parts)


def bytes_below(path):
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return b"\n".join(unpacked(p.read_bytes()) for p in files)


def leaks(secrets, data, own):
    text = data.decode("latin-1")
    there = set(words_of(text))
    there |= {part for w in there for part in re.split("[-.~+_]", w)}
    # long ones in any word, be they part of another
    words = "\n".join(there - own)
    return sorted(w for w in secrets - own if w in there or (len(w) >= 8 and w in words))


def numbers(path, other):
    """What compare says without its names."""
    rows = list(csv.reader(run("compare", "-f", "csv", path, other).splitlines()))
    return sorted([row[3:] for row in rows])


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    (work / "key").write_bytes(bytes(range(32)))
    os.environ["TMPDIR"] = folder
    run("import", "-q", "-o", work / "run1.db", *inputs)
    # what a user added is not copied, be it a table, a view or what was deleted
    with sqlite3.connect(work / "run1.db") as db:
        db.executescript("CREATE TABLE mine (a TEXT); INSERT INTO mine VALUES ('mysecrettable');"
                         "CREATE VIEW myview AS SELECT 'mysecretview' AS a;"
                         "INSERT INTO mine VALUES (printf('%.*c', 40000, 'x') || 'mysecretdeleted'); DELETE FROM mine WHERE length(a) > 100;")
    secrets = secrets_of(work / "run1.db") | {"mysecrettable", "mysecretview", "mysecretdeleted"}
    check(len(secrets) > 300, f"few words to look for: {len(secrets)}")

    # words of the schema and of reports, which are in every database and trace
    with sqlite3.connect(work / "run1.db") as db:
        schema = ";\n".join(row[0] for row in db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'myview'"))
    targets = {"sqlite": ".db", "sql": ".sql", "parquet": "", "perfetto": ".pftrace", "chrome": ".json"}
    own = set(KEPT)
    own |= set(words_of(schema))
    for name in ("file_io", "phases", "gpu_idle", "processes"):
        own |= set(words_of(run("report", "--sql", name, work / "run1.db")))
    for kind in ("file.class", "process.role", "source.importer", "source.layout", "source.state", "source.tool", "op.name", "op.verb", "op.kind",
                 "track.name", "issue_count.kind", "device.name"):
        table, column = kind.split(".")
        with sqlite3.connect(work / "run1.db") as db:
            for (text,) in db.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL"):
                own |= set(words_of(text)) | {part for w in words_of(text) for part in re.split("[-./~+]", w)}

    for name, suffix in targets.items():
        target = work / f"{name}-out{suffix}"
        run("export", "-q", "--redact", "--key", work / "key", "--to", f"{name}={target}", work / "run1.db")
        found = leaks(secrets, bytes_below(target), own)
        check(not found, f"{name} has of the original: {found[:40]}")
    # the search itself: the original is full of it
    for name, suffix in (("sql", ".sql"), ("parquet", "")):
        run("export", "-q", "--to", f"{name}={work / 'open'}{suffix}", work / "run1.db")
    original = leaks(secrets, bytes_below(work / "open.sql"), own)
    check(len(original) >= 200, f"only {len(original)} words are found in the original")
    check(len(leaks(secrets, bytes_below(work / "open"), own)) >= 200, "the words of the original are not found in its Parquet")

    redacted = work / "sqlite-out.db"
    with sqlite3.connect(redacted) as db:
        check(db.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "integrity")
        check(db.execute("PRAGMA foreign_key_check").fetchone() is None, "foreign keys")
        # a path is its directory and its name, and its template is the template of all files that had one
        check(db.execute("SELECT count(*) FROM file JOIN string AS d ON d.id = directory_id WHERE class <> 'socket' AND path IS NOT rtrim(d.text, '/') || '/' || name")
              .fetchone()[0] == 0, "directories and names make paths")
        with sqlite3.connect(work / "run1.db") as first:
            for sql in ("SELECT count(*), count(DISTINCT path), count(DISTINCT name), count(DISTINCT template_id), count(DISTINCT directory_id) FROM file",
                        "SELECT class, count(*) FROM file GROUP BY 1 ORDER BY 1",
                        "SELECT count(*), sum(dur_ns), sum(done_bytes), count(args_id), count(DISTINCT file_id) FROM call",
                        "SELECT count(DISTINCT pid), count(DISTINCT name), count(DISTINCT command_line) FROM process"):
                check(first.execute(sql).fetchall() == db.execute(sql).fetchall(), sql)
    check(run("report", "-f", "csv", "osrt_sum", redacted) == run("report", "-f", "csv", "osrt_sum", work / "run1.db"), "osrt_sum is another")

    # the same key, the same names: what two runs differ in is what their copies differ in
    run("import", "-q", "-o", work / "run2.db", inputs[0])
    run("export", "-q", "--redact", "--key", work / "key", work / "run2.db")
    check(numbers(work / "run1.db", work / "run2.db") == numbers(redacted, work / "run2.redacted.db"), "compare says something else")
    with sqlite3.connect(redacted) as a, sqlite3.connect(work / "run2.redacted.db") as b:
        paths = [{row[0] for row in db.execute("SELECT path FROM file WHERE path LIKE '%.npy'")} for db in (a, b)]
        check(paths[0] == paths[1] and len(paths[0]) >= 80, "the same key makes the same names")

    # without a key nobody can tell them, and no two copies have the same
    run("export", "-q", "--redact", "--to", f"sqlite={work / 'other.db'}", work / "run2.db")
    with sqlite3.connect(work / "other.db") as db:
        check(not paths[0] & {row[0] for row in db.execute("SELECT path FROM file WHERE path LIKE '%.npy'")}, "random keys")
    (work / "short").write_bytes(b"x" * 15)
    run("export", "--redact", "--key", work / "short", work / "run2.db", "--to", f"sqlite={work / 'none.db'}", status=2)
    run("export", "--key", work / "key", work / "run2.db", "--to", f"sql={work / 'none'}", status=2)
    check(not [p for p in work.iterdir() if p.name.startswith(".redacted")], "the copy was left behind")

    # everything of every run folder of the corpus, where it is
    corpus = os.environ.get("TRACEDB_CORPUS", "")
    for run_folder in sorted(pathlib.Path(corpus, "runs").iterdir())[:1] if corpus else []:
        run("import", "-q", "-o", work / "corpus.db", run_folder)
        run("export", "-q", "--redact", "--key", work / "key", work / "corpus.db")
        found = leaks(secrets_of(work / "corpus.db"), bytes_below(work / "corpus.redacted.db"), own)
        check(not found, f"{run_folder.name}: {found[:40]}")

sys.exit(1 if failures else 0)
