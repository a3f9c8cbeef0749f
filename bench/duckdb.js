// SPDX-License-Identifier: MIT
// The other side of benchmarks: DuckDB, by its package @duckdb/node-api, with two threads.
//
// usage: node duckdb.js [DB]     runs each line of standard input as a statement, of a database in memory without DB; prints for
//                                each a line of JSON: the seconds it took, its rows, and the CPU time of all threads meanwhile
'use strict';

const fs = require('fs');
const { DuckDBInstance } = require('@duckdb/node-api');

async function main([db]) {
	const statements = fs.readFileSync(0, 'utf8').split('\n').filter((line) => line.trim());
	const instance = await DuckDBInstance.create(db ?? ':memory:', { threads: '2' });
	const connection = await instance.connect();

	for (const sql of statements) {
		const used = process.cpuUsage();
		const began = process.hrtime.bigint();
		const result = await connection.runAndReadAll(sql);
		const seconds = Number(process.hrtime.bigint() - began) / 1e9;
		const { user, system } = process.cpuUsage(used);
		const rows = result.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
		console.log(JSON.stringify([seconds, rows, (user + system) / 1e6]));
	}
	connection.closeSync();
	instance.closeSync();
}

main(process.argv.slice(2)).catch((error) => {
	console.error(error.message);
	process.exitCode = 1;
});
