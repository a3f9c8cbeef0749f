// SPDX-License-Identifier: MIT
// The other side of the benchmark of imports: DuckDB, by its package @duckdb/node-api, with two threads.
//
// usage: node duckdb.js              does it run?
//        node duckdb.js DB CSV       loads the rows into a table of the new file DB
//        node duckdb.js DB           prints of that table what bench/imports.py compares
'use strict';

const { DuckDBInstance } = require('@duckdb/node-api');

async function main([db, csv]) {
	const instance = await DuckDBInstance.create(db ?? ':memory:', { threads: '2' });
	const connection = await instance.connect();

	if (csv) {
		await connection.run(`CREATE TABLE vfs_rw (ts_ns BIGINT, time VARCHAR, pid BIGINT, comm VARCHAR,
			rw VARCHAR, lat_ns BIGINT, requested_bytes BIGINT, returned_bytes BIGINT, file VARCHAR)`);
		await connection.run(`COPY vfs_rw FROM '${csv}' (FORMAT csv, HEADER false)`);
		await connection.run('CHECKPOINT'); // all of it is in the file then
	} else if (db) {
		const result = await connection.runAndReadAll(
			'SELECT count(*), sum(lat_ns), sum(returned_bytes), sum(length(file)) FROM vfs_rw');
		console.log(result.getRows()[0].join('|'));
	}
	connection.closeSync();
	instance.closeSync();
}

main(process.argv.slice(2)).catch((error) => {
	console.error(error.message);
	process.exitCode = 1;
});
