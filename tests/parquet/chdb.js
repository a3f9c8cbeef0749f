// SPDX-License-Identifier: MIT
// ClickHouse in the process, by the package chdb, as bench/duckdb.js is for DuckDB.
//
// usage: node chdb.js     runs each line of standard input as a statement; prints for each a line of JSON: the seconds it took, and
//                         its rows, values as text
'use strict';

const fs = require('fs');
const { Session } = require('chdb');

const session = new Session();
for (const sql of fs.readFileSync(0, 'utf8').split('\n').filter((line) => line.trim())) {
	const began = process.hrtime.bigint();
	const isSelect = /^(SELECT|WITH)\b/i.test(sql);
	const text = session.query(sql, 'JSONCompactStringsEachRow');
	const seconds = Number(process.hrtime.bigint() - began) / 1e9;
	const rows = isSelect ? text.split('\n').filter(Boolean).map((line) => JSON.parse(line)) : [];
	console.log(JSON.stringify([seconds, rows.map((row) => row.map((v) => (v === 'ᴺᵁᴸᴸ' ? null : v)))]));
}
session.cleanup();
