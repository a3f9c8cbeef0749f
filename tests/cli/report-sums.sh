# Reports add the same calls up: by file, kind, directory, class, process and bin of time, and as SQL does it by the table of calls
. "$LIB"
"$TRACEDB" import -q -o stall.db "$EXAMPLES/stall/run"
python3 - <<'END'
import json, os, sqlite3, subprocess
COLUMNS = ('opens', 'reads', 'writes', 'errors', 'read_bytes', 'write_bytes', 'total_ns')
def rows(*args):
    done = subprocess.run([os.environ['TRACEDB'], 'report', '-f', 'json', '--limit', 'all', *args, 'stall.db'], capture_output=True, check=True)
    return json.loads(done.stdout)
def sums(table):
    return [sum(row[c] or 0 for row in table) for c in COLUMNS]
calls = sqlite3.connect('stall.db').execute("""
    SELECT sum(verb = 'open'), sum(verb = 'read'), sum(verb = 'write'), sum(ret < 0), sum(done_bytes * (verb = 'read')), sum(done_bytes * (verb = 'write')), sum(dur_ns)
    FROM call AS c JOIN op AS o ON o.id = c.op_id WHERE o.kind = 'io' AND NOT c.nested""").fetchone()
print('calls:', *(f'{n} {c}' for c, n in zip(COLUMNS, calls)))
for by in ('file', 'template', 'directory', 'class', 'process', None):
    table = rows('file_io', '--by', by, '--param', 'what=all') if by else rows('io_by_process', '--param', 'what=all')
    same = sums(table) == list(calls)
    shares = all(abs(sum(row[c] for row in table) - 100) < 1e-6 for c in ('time_pct', 'bytes_pct'))
    print('file_io by ' + by if by else 'io_by_process', 'the same' if same else sums(table), 'of 100 %' if shares else 'not of 100 %')
files = rows('file_io')
print('kinds of files', 'the same' if sums(rows('file_io', '--by', 'template')) == sums(files) else 'differ')
for by in ('file', 'template'):
    print('access_pattern by', by, sum(row['bytes'] for row in rows('access_pattern', '--by', by)) - sum(sums(files)[4:6]), 'bytes more')
END
