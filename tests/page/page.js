// SPDX-License-Identifier: MIT
// What the pages of 'tracedb timeline' and 'tracedb report' do in a browser: page.js MODULES CHROMIUM FOLDER REFERENCES [update]
// FOLDER has what page.py made: hand.html (a run whose numbers are known), hostile.html, compare.html, stall.html. Prints TAP.
'use strict';
const fs = require('fs');
const path = require('path');

const [modules, chromium, folder, references, update] = process.argv.slice(2);
const shared = require('./browser.js');
const { WIDTH, check, done } = shared;
const open = (browser, name, options) => shared.open(browser, folder, name, options);
const LEFT = 230;
const PLOT = WIDTH - LEFT; // pixels: 870
const S = 1e9;

function near(a, b, tolerance) {
	return Math.abs(a - b) <= tolerance;
}

// What the page says of itself: its fragment, once it has been written.
async function view(page) {
	await new Promise((r) => setTimeout(r, 250));
	const hash = await page.evaluate(() => location.hash);
	const m = /t=(-?\d+),(-?\d+)/.exec(hash);
	return m ? [+m[1] / S, +m[2] / S] : null;
}

const values = (page, lane) => page.$$eval(`[data-lane="${lane}"] .values li`, (list) => list.map((e) => e.textContent));
const x = (at, from = 0, to = 10) => LEFT + (at - from) / (to - from) * PLOT;

async function laneTop(page) {
	return page.$eval('#lanes', (e) => e.getBoundingClientRect().top + 30);
}

// --- the run of ten seconds whose numbers are known ---

async function mouse(browser) {
	const page = await open(browser, 'hand.html');
	const y = await laneTop(page);

	check(await view(page) === null, 'the whole run needs no fragment');
	await page.mouse.move(x(2), y);
	await new Promise((r) => setTimeout(r, 100));
	// 10,000,000 bytes in 5 s, one call all the time
	check((await values(page, 'files.1')).join() === 'read2.00 MB/s,in file I/O calls100 %', 'the cursor tells rates', await values(page, 'files.1'));
	await page.mouse.move(x(7), y);
	await new Promise((r) => setTimeout(r, 100));
	check((await values(page, 'files.1')).join() === 'read0 B/s,in file I/O calls0 %', 'and that there is none', await values(page, 'files.1'));

	await page.mouse.move(x(4), y);
	await page.mouse.down();
	await page.mouse.move(x(6), y, { steps: 4 });
	await page.mouse.up();
	let v = await view(page);
	check(v && near(v[0], 4, 0.03) && near(v[1], 6, 0.03), 'dragging zooms', v);

	await page.mouse.move(x(5, 4, 6), y);
	await page.keyboard.down('Control');
	await page.mouse.wheel({ deltaY: -200 });
	await page.keyboard.up('Control');
	const w = await view(page);
	check(w && w[1] - w[0] < v[1] - v[0] - 0.1 && near((w[0] + w[1]) / 2, 5, 0.05), 'Ctrl and the wheel zoom where the cursor is', w);

	await page.mouse.wheel({ deltaX: PLOT / 2 });
	v = await view(page);
	check(v && near(v[0] - w[0], (w[1] - w[0]) / 2, 0.02) && near(v[1] - v[0], w[1] - w[0], 1e-6), 'scrolling sideways pans', v);

	await page.mouse.click(x(5), y, { count: 2 });
	check(await view(page) === null, 'a double click shows all');

	await page.mouse.click(x(2), y);
	const details = await page.$eval('#details', (e) => e.hidden ? '' : e.textContent);
	check(/\/data\/a/.test(details) && /process 100/.test(details) && /epoch 1/.test(details), 'a click tells files, processes and phases', details);

	await page.evaluate(() => document.querySelector('[data-from]').click());
	await page.type('#query', 'data/b');
	await page.keyboard.press('Enter');
	v = await view(page);
	// written at 9.2 s, synced from 9.9 s on: the longest
	check(v && v[0] < 9.95 && v[1] > 9.9 && v[1] - v[0] < 0.3, 'searching for a file shows where it was busy', v);
	await page.evaluate(() => { location.hash = '#t=1000000000,2000000000'; });
	await new Promise((r) => setTimeout(r, 300));
	check(/1.000 s … 2.000 s/.test(await page.$eval('#shown', (e) => e.textContent)), 'a fragment is a view', await page.$eval('#shown', (e) => e.textContent));
	await done(page, 'mouse');
}

async function keyboard(browser) {
	const page = await open(browser, 'hand.html', { hash: '#t=2000000000,4000000000' });

	// nothing but the keyboard from here on: to the lanes by Tab
	const reached = [];
	for (let i = 0; i < 40 && reached[reached.length - 1] !== 'lanes'; i++) {
		await page.keyboard.press('Tab');
		reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
	}
	check(reached.includes('query') && reached.includes('theme') && reached.includes('whole run') && reached.includes('lanes'), 'Tab reaches everything', reached);
	await page.keyboard.press('ArrowRight');
	let v = await view(page);
	check(v && near(v[0], 2.4, 1e-3) && near(v[1], 4.4, 1e-3), 'an arrow pans by a fifth', v);
	await page.keyboard.press('+');
	v = await view(page);
	check(v && near(v[1] - v[0], 1.4, 1e-3), 'plus zooms', v);
	await page.keyboard.press('Home');
	check(await view(page) === null, 'Home shows all');
	await page.keyboard.press('/');
	await page.keyboard.type('epoch 2');
	await page.keyboard.press('Enter');
	v = await view(page);
	check(v && near(v[0], 5, 1e-3) && near(v[1], 10, 1e-3), 'searching for a phase shows it', v);
	await page.keyboard.press('.');
	await page.keyboard.press('Enter');
	check(await page.$eval('#details', (e) => !e.hidden), 'Enter tells what is at the cursor');
	await page.keyboard.press('Escape');
	check(await page.$eval('#details', (e) => e.hidden), 'Escape closes it');
	await page.keyboard.press('t');
	check(await page.$eval('html', (e) => e.classList.contains('dark')), 't changes the theme');
	await done(page, 'keyboard');
}

// --- names that are no names ---

async function hostile(browser) {
	const page = await open(browser, 'hostile.html');
	const counts = await page.evaluate(() => [document.scripts.length, document.images.length, document.querySelectorAll('b, svg, iframe, a').length]);

	check(counts.join() === '2,0,0', 'names make no elements', counts);
	check(await page.evaluate(() => window.hacked) === undefined, 'names run nothing');
	await page.type('#query', 'script');
	const found = await page.$$eval('#found bdi', (list) => list.map((e) => e.textContent));
	check(found.some((t) => t.includes('<script>')), 'they are shown as they are', found);
	const over = await page.$$eval('.lane .label', (list) => list.filter((label) => {
		const name = label.querySelector('.name'), top = label.querySelector('.top'), text = document.createRange();

		if (!name || !top) return false;
		text.selectNodeContents(name);
		const beside = top.getBoundingClientRect();
		return [...text.getClientRects()].some((r) => r.right > beside.left && r.bottom > beside.top && r.top < beside.bottom);
	}).length);
	check(over === 0, 'long names do not run into the numbers beside them', over);
	await page.evaluate(() => { document.getElementById('query').value = ''; });
	const text = await page.evaluate(() => JSON.stringify(DATA_OF()).length && document.body.textContent, await page.evaluate(() => {
		window.DATA_OF = () => JSON.parse(document.getElementById('data').textContent);
	}));
	check(!/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(text), 'nothing turns the direction of writing');
	const longest = await page.evaluate(() => Math.max(...DATA_OF().runs[0].tops.names.map((s) => s.length)));
	check(longest <= 170, 'paths of 4 kB are cut in the middle', longest);
	check(await page.evaluate(() => DATA_OF().runs[0].tops.names.some((s) => s.includes('\ufffd'))), 'what is no UTF-8 is marked');
	await page.evaluate(() => document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hacked = 1' })));
	check(await page.evaluate(() => window.hacked) === undefined, 'the policy of the page stops other scripts');
	check(page.trouble.length === 1 && /Content Security Policy/.test(page.trouble[0]), 'and nothing else is on the console', page.trouble);
	await page.close();
}

async function compared(browser) {
	const page = await open(browser, 'compare.html');
	const names = await page.$$eval('.runname', (list) => list.map((e) => e.textContent));

	check(names.join() === 'hand,late', 'two runs are under each other', names);
	check(/aligned by the begin of epoch 1/.test(await page.$eval('#about', (e) => e.textContent)), 'aligned by their first phase');
	await done(page, 'compare');
}

// --- reports ---

const headings = (page) => page.$$eval('.tables h2', (list) => list.map((e) => e.firstChild.textContent.trim()));
const column = (page, n) => page.$$eval('.tables tbody tr', (rows, i) => rows.map((r) => r.cells[i].textContent).join(), n);

// In the order that a reader wants, with the timeline of the run; the keys of the one leave the other alone.
async function whole(browser) {
	const page = await open(browser, 'hand-report.html');
	const titles = await headings(page);

	check(titles.slice(0, 2).join() === 'Overview,Findings' && titles.includes('File I/O') && titles[titles.length - 1] === 'Issues' &&
		!titles.includes('GPU utilisation'), 'all reports that have something to say', titles);
	check(await page.$('[data-lane="files.1"]') !== null, 'and the timeline');
	const file = await page.$$eval('.tables tbody tr', (rows) => rows.map((r) => r.textContent).find((t) => t.startsWith('/data/a')));
	check(file && file.includes('10.0 MB') && file.includes('5.00 s'), 'files with what was read, and for how long', file);
	await page.focus('.tables .scroll');
	await page.keyboard.press('+');
	await page.keyboard.press('ArrowRight');
	check(await view(page) === null, 'keys in a table are not those of the timeline');
	const links = await page.$$('.toc a');
	await links[titles.length - 1].focus();
	await page.keyboard.press('Enter');
	const at = await page.evaluate(() => [document.activeElement.firstChild.textContent.trim(), location.hash]);
	check(links.length === titles.length && at.join() === 'Issues,', 'the list of contents leads to each', at);
	await done(page, 'report --all');
}

async function sorted(browser) {
	const page = await open(browser, 'query.html');
	const sort = async (n) => (await page.$$('.tables th button'))[n].press('Enter');

	check(await column(page, 0) === '9,-,10', 'rows are in the order of the query', await column(page, 0));
	await sort(0);
	check(await column(page, 0) === '10,9,-', 'numbers are sorted as numbers, from the largest on', await column(page, 0));
	await sort(0);
	check(await column(page, 0) === '9,10,-', 'then from the smallest on, with what is unknown last again', await column(page, 0));
	check((await page.$$eval('.tables th', (list) => list.map((e) => e.getAttribute('aria-sort')))).join() === 'ascending,,', 'and the heading says so');
	await sort(1);
	check(await column(page, 1) === 'a,b,c', 'text from A on', await column(page, 1));
	check(await column(page, 2) === 'x,<i>,&lt;', 'text is shown as it is', await column(page, 2));
	await done(page, 'query -f html');
}

async function hostileTables(browser, name, scripts) {
	const page = await open(browser, name);
	const counts = await page.evaluate(() => [document.scripts.length, document.images.length, document.querySelectorAll('b, svg, iframe, .tables script').length]);
	const text = await page.$$eval('.tables', (list) => list.map((e) => e.textContent).join());

	check(counts.join() === `${scripts},0,0`, `${name}: names make no elements`, counts);
	check(text.includes('<script>window.hacked = 1</script>') && text.includes('</script><img src=x'), 'they are shown as they are');
	check(await page.evaluate(() => window.hacked) === undefined, 'names run nothing');
	check(!/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(text), 'nothing turns the direction of writing');
	check(text.includes('very long/very long/') && text.includes('\ufffd'), 'long paths are there, and what is no UTF-8 is marked');
	const wide = await page.evaluate(() => document.documentElement.scrollWidth);
	check(wide <= WIDTH, 'the page is as wide as the window', wide);
	await page.evaluate(() => document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hacked = 1' })));
	check(await page.evaluate(() => window.hacked) === undefined, 'the policy of the page stops other scripts');
	check(page.trouble.length === 1 && /Content Security Policy/.test(page.trouble[0]), 'and nothing else is on the console', page.trouble);
	await page.close();
}

// Of a program that was built without npm.
async function plain(browser) {
	if (!fs.existsSync(path.join(folder, 'plain.html'))) {
		console.log('# no TRACEDB_BARE: the pages of a program without that of timeline are not looked at');
		return;
	}
	const page = await open(browser, 'plain.html');

	check((await headings(page)).slice(0, 2).join() === 'Overview,Findings', 'without npm there are all reports, too');
	await done(page, 'without npm');
}

// --- for everybody ---

async function accessible(browser, name, theme) {
	await shared.accessible(await open(browser, name, { theme }), modules, `${name}, ${theme}`);
}

// --- pictures, and how long they take ---

// In so few pixels that fonts of other machines do not matter, as a PNG.
async function shrink(browser, png) {
	const page = await browser.newPage();
	const url = await page.evaluate(async (source) => {
		const image = new Image();
		image.src = source;
		await image.decode();
		const canvas = document.createElement('canvas');
		canvas.width = Math.round(image.width / 8);
		canvas.height = Math.round(image.height / 8);
		const ctx = canvas.getContext('2d');
		ctx.imageSmoothingQuality = 'high';
		ctx.drawImage(image, 0, 0, canvas.width, canvas.height);
		return canvas.toDataURL('image/png');
	}, 'data:image/png;base64,' + Buffer.from(png).toString('base64'));
	await page.close();
	return Buffer.from(url.split(',')[1], 'base64');
}

// The mean difference of two PNGs, as a share of black to white.
async function difference(browser, a, b) {
	const page = await browser.newPage();
	const result = await page.evaluate(async (urls) => {
		const pixels = await Promise.all(urls.map(async (url) => {
			const image = new Image();
			image.src = url;
			await image.decode();
			const ctx = new OffscreenCanvas(image.width, image.height).getContext('2d');
			ctx.drawImage(image, 0, 0);
			return ctx.getImageData(0, 0, image.width, image.height).data;
		}));
		if (pixels[0].length !== pixels[1].length) return 1;
		return pixels[0].reduce((sum, v, i) => sum + Math.abs(v - pixels[1][i]), 0) / pixels[0].length / 255;
	}, [a, b].map((png) => 'data:image/png;base64,' + png.toString('base64')));
	await page.close();
	return result;
}

async function looks(browser, theme) {
	const page = await open(browser, 'stall.html', { theme, hash: '#t=30000000000,50000000000', height: 700 });
	const file = path.join(references, `stall-${theme}.png`);

	await new Promise((r) => setTimeout(r, 200));
	const png = await shrink(browser, await page.screenshot());
	if (update) fs.writeFileSync(file, png);
	await page.evaluate(() => document.querySelector('[data-lane^=gpu]').remove());
	const other = await shrink(browser, await page.screenshot());
	const reference = fs.readFileSync(file);
	const same = await difference(browser, png, reference), without = await difference(browser, other, reference);
	check(same < 0.02, `the picture is that of ${theme}`, same);
	check(without > 0.04, 'one that lacks a lane would not be', without);
	await done(page, `picture, ${theme}`);
}

async function smooth(browser) {
	const page = await open(browser, 'stall.html');
	const ms = await page.evaluate(async () => {
		const frame = () => new Promise((r) => requestAnimationFrame(r));
		const times = [];
		await frame();
		for (let i = 0; i < 40; i++) {
			const begin = performance.now();
			document.dispatchEvent(new KeyboardEvent('keydown', { key: i % 8 < 4 ? '+' : '-' }));
			await frame();
			times.push(performance.now() - begin);
		}
		return times.sort((a, b) => a - b)[20];
	});
	const metrics = await page.metrics();
	console.log(`# median frame while zooming ${ms.toFixed(1)} ms, heap ${(metrics.JSHeapUsedSize / 1e6).toFixed(1)} MB`);
	check(ms < 250, 'zooming does not stall', ms);
	check(metrics.JSHeapUsedSize < 100e6, 'memory is bounded', metrics.JSHeapUsedSize);
	await done(page, 'zooming');
}

shared.run(modules, chromium, async (browser) => {
	await mouse(browser);
	await keyboard(browser);
	await hostile(browser);
	await compared(browser);
	await whole(browser);
	await sorted(browser);
	await hostileTables(browser, 'hostile-report.html', 2);
	await hostileTables(browser, 'tables.html', 1);
	await plain(browser);
	for (const theme of ['light', 'dark']) {
		for (const name of ['stall.html', 'stall-report.html', 'tables.html']) await accessible(browser, name, theme);
		await looks(browser, theme);
	}
	await smooth(browser);
});
