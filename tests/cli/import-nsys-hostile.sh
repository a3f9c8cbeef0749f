# Exports of nsys whose schema or pages are made to keep the reader busy: it ends, and reads what is left of them
. "$LIB"
sqlite3 good.sqlite <"$TESTDATA/nsys/schema-3.sql"
endless="WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"

# variant NAME SQL: the export, changed
variant()
{
	cp good.sqlite "$1.sqlite"
	sqlite3 "$1.sqlite" ".dbconfig defensive off" "PRAGMA writable_schema = ON; $2" >/dev/null
}

variant clock "DROP TABLE TARGET_INFO_SESSION_START_TIME;
	CREATE VIEW TARGET_INFO_SESSION_START_TIME AS $endless SELECT n AS utcEpochNs FROM r WHERE n < 0"
variant strings "DROP TABLE StringIds; CREATE VIEW StringIds AS $endless SELECT n AS id, 'x' AS value FROM r WHERE n < 0"
variant calls "DROP TABLE OSRT_API; CREATE VIEW OSRT_API AS $endless SELECT n AS start, n AS \"end\", n AS eventClass,
	n AS globalTid, n AS correlationId, n AS nameId, n AS returnValue FROM r"
variant forged "DROP TABLE OSRT_API; CREATE VIEW OSRT_API AS $endless SELECT n AS start, n AS \"end\", n AS eventClass,
	n AS globalTid, n AS correlationId, n AS nameId, n AS returnValue, n AS rowid FROM r;
	UPDATE sqlite_schema SET type = 'table', rootpage = 2 WHERE name = 'OSRT_API'"
variant virtual "DROP TABLE OSRT_API; CREATE VIRTUAL TABLE OSRT_API USING fts4(start, \"end\", globalTid, nameId);
	UPDATE sqlite_schema SET sql = replace(sql, 'CREATE VIRTUAL', 'CREATE  VIRTUAL') WHERE name = 'OSRT_API'"
variant computed "DROP TABLE StringIds; CREATE TABLE StringIds (id INTEGER PRIMARY KEY,
	value TEXT AS (hex(zeroblob(100000000))))"

# A tree whose nodes have all their branches in one place has more leaves than there are atoms
variant tree "PRAGMA page_size = 512; VACUUM; WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 30000)
	INSERT INTO OSRT_API (start, \"end\", eventClass, globalTid, nameId, returnValue, callchainId, argumentsId) SELECT 5 * n, 5 * n + 1, 27, 281491753927656, 2, 0, 0, 0 FROM r"
python3 - tree.sqlite <<'EOF'
import sqlite3
import struct
import sys

db = sqlite3.connect(sys.argv[1])
size, root = db.execute("SELECT page_size, rootpage FROM pragma_page_size, sqlite_schema WHERE name = 'OSRT_API'").fetchone()
db.close()
with open(sys.argv[1], 'r+b') as file:
    pages = {n + 1: page for n, page in enumerate(iter(lambda: bytearray(file.read(size)), bytearray()))}
    # "Database File Format", 1.6: 5 is an interior page of a table, 13 a leaf
    nodes = [n for n, p in pages.items() if n > 1 and p[0] == 5 and n != root and struct.unpack('>H', p[3:5])[0] > 20]
    leaf = struct.unpack('>I', pages[nodes[0]][8:12])[0]
    for node, to in zip([root] + nodes[:12], nodes[:12] + [leaf]):
        page = pages[node]
        page[8:12] = struct.pack('>I', to)
        for i in range(struct.unpack('>H', page[3:5])[0]):
            at = struct.unpack('>H', page[12 + 2 * i:14 + 2 * i])[0]
            page[at:at + 4] = struct.pack('>I', to)
        file.seek((node - 1) * size)
        file.write(page)
EOF

for name in good clock strings calls forged virtual computed tree; do
	echo "== $name"
	try timeout 100 "$TRACEDB" import -q -o $name.db $name.sqlite 2>$name.err
	sqlite3 $name.db "SELECT kind, text FROM issue WHERE kind = 'damaged-table' OR kind LIKE 'missing%' AND text LIKE 'OSRT_API%';
		SELECT 'calls', count(*) < 3000000 AND count(*) > 0 FROM call"
done
