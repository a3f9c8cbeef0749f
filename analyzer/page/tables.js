/* SPDX-License-Identifier: MIT */
/* Tables are sorted by the column whose heading is chosen, and many of them have a list of contents. Values that are no text have what they
 * are in data-v. Without this script all is there, too, in the order of the report. */
(function () {
'use strict';

/* Fewer tables need no list. */
const LISTED = 3;

function valueOf(row, column) {
	const cell = row.cells[column];
	if (cell.dataset.v === undefined) return cell.textContent;
	return cell.dataset.v === '' ? null : Number(cell.dataset.v);
}

/* What is not known comes last, either way. */
function compare(a, b, sign) {
	if (a === null || b === null) return (a === null) - (b === null);
	return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
}

/* Numbers from the largest on first, text from A on. */
function sort(heading) {
	const table = heading.closest('table'), column = heading.cellIndex, before = heading.getAttribute('aria-sort');
	const down = before ? before === 'ascending' : heading.classList.contains('n');
	for (const th of table.tHead.rows[0].cells) th.removeAttribute('aria-sort');
	heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
	const rows = Array.from(table.tBodies[0].rows, (row) => [valueOf(row, column), row]);
	rows.sort((a, b) => compare(a[0], b[0], down ? -1 : 1));
	table.tBodies[0].append(...rows.map((r) => r[1]));
}

/* The fragment of the page is the view of its timeline: links leave it alone. */
function link(heading) {
	const a = document.createElement('a');
	a.href = '#' + heading.id;
	a.textContent = heading.firstChild.textContent.trim();
	heading.tabIndex = -1;
	a.addEventListener('click', (e) => {
		e.preventDefault();
		heading.scrollIntoView();
		heading.focus({ preventScroll: true });
	});
	return a;
}

for (const table of document.querySelectorAll('.tables table.sorts'))
	for (const th of table.tHead.rows[0].cells) {
		const button = document.createElement('button');
		button.type = 'button';
		button.append(...th.childNodes);
		button.addEventListener('click', () => sort(th));
		th.append(button);
	}
for (const tables of document.querySelectorAll('.tables')) {
	const headings = Array.from(tables.querySelectorAll('h2'));
	if (headings.length < LISTED) continue;
	const toc = document.createElement('nav');
	toc.className = 'toc';
	toc.setAttribute('aria-label', 'Tables');
	toc.append(...headings.map(link));
	tables.prepend(toc);
}
if (document.body.classList.contains('report')) {
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const show = () => document.documentElement.classList.toggle('dark', dark.matches);
	dark.addEventListener('change', show);
	show();
	document.documentElement.dataset.ready = 'yes';
}
})();
