// SPDX-License-Identifier: MIT
// The part of readers.py that runs in node: the same checks by the SQLite in sql.js, which is a newer one
// than distributions have.
// usage: newest.mjs MODULES FOLDER PAIRS
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [modules, folder, pairs] = process.argv.slice(2);
const require = createRequire(join(resolve(modules), 'index.js'));
const { Database } = await require('sql.js')();

function fail(message) {
	console.log(message);
	process.exit(1);
}

function rows(db, sql) {
	const [result] = db.exec(sql, null, { useBigInt: true });
	return result ? result.values : [];
}

function tables(db) {
	return rows(db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").flat();
}

// Every value as its type and, so that nothing is lost on the way, its bytes or all of its digits.
function content(db, table) {
	const columns = rows(db, `SELECT name FROM pragma_table_info('${table}')`).flat();
	const exact = columns.map((c) => `typeof(${c}) || ' ' || CASE typeof(${c}) WHEN 'real' THEN ` +
		`printf('%!.17g', ${c}) WHEN 'null' THEN '' ELSE hex(${c}) END`);
	return rows(db, `SELECT _rowid_, ${exact.join(', ')} FROM ${table} ORDER BY _rowid_`).join('\n');
}

function check(name, db) {
	const found = rows(db, 'PRAGMA integrity_check').flat();
	if (found.join() !== 'ok') fail(`${name}: ${found.join('\n')}`);
}

function goOn(name, db) {
	for (const table of tables(db)) {
		const [[before]] = rows(db, `SELECT count(*) FROM ${table}`);
		db.run(`DELETE FROM ${table} WHERE _rowid_ % 3 = 0`);
		const gone = BigInt(db.getRowsModified());
		db.run(`CREATE INDEX ${table}_c0 ON ${table} (c0)`);
		db.run(`CREATE TABLE copy_${table} AS SELECT * FROM ${table}`);
		db.run(`UPDATE copy_${table} SET c0 = randomblob(20000) WHERE _rowid_ % 2 = 0`);
		const [[after]] = rows(db, `SELECT count(*) FROM ${table} NOT INDEXED`);
		if (after !== before - gone) fail(`${name}: ${table}: ${before} rows, ${gone} deleted, ${after} left`);
	}
	db.run('ANALYZE');
	db.run('VACUUM');
	check(`${name}, after changes`, db);
}

let compared = 0;
let version;
for (let n = 1; n <= pairs; n++) {
	const [ours, theirs] = ['btree', 'sql'].map((writer) =>
		new Database(readFileSync(join(folder, `${n}-${writer}.db`))));
	version = rows(ours, 'SELECT sqlite_version()');
	check(`pair ${n}`, ours);
	if (rows(ours, 'PRAGMA foreign_key_check').length) fail(`pair ${n}: foreign_key_check`);
	if (tables(ours).join() !== tables(theirs).join()) fail(`pair ${n}: other tables`);
	for (const table of tables(theirs)) {
		if (content(ours, table) !== content(theirs, table)) fail(`pair ${n}: table ${table} has other rows`);
		compared += Number(rows(ours, `SELECT count(*) FROM ${table}`)[0][0]);
	}
	goOn(`pair ${n}`, ours);
	ours.close();
	theirs.close();
}
console.log(`sql.js, SQLite ${version}: ${compared} rows in ${pairs} pairs`);
