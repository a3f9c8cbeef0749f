# An archive that unpacks to far more than it is: what is before that is imported, the rest refused
. "$LIB"
trace 5 >a.out
python3 - <<'TEXT'
import io, tarfile, zipfile
zeros = 280 << 20
class Zeros(io.RawIOBase):
    def read(self, n):
        return bytes(n)
with tarfile.open('bomb.tgz', 'w:gz') as tar:
    tar.add('a.out')
    info = tarfile.TarInfo('zeros')
    info.size = zeros
    tar.addfile(info, Zeros())
with zipfile.ZipFile('bomb.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
    with archive.open('zeros', 'w') as file:
        for _ in range(zeros >> 20):
            file.write(bytes(1 << 20))
    archive.write('a.out')
TEXT
try "$TRACEDB" import bomb.tgz
sources bomb.db
sqlite3 bomb.db "SELECT path, size_bytes IS NOT NULL, length(hash), detail FROM source WHERE state = 'failed'"
try "$TRACEDB" import -o zip.db bomb.zip
ls
