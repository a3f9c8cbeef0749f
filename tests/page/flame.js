// SPDX-License-Identifier: MIT
// What the page of 'tracedb flame' does in a browser: flame.js MODULES CHROMIUM FOLDER
// FOLDER has what flame.py made: hand.html (stacks whose times are known), hostile.html, large.html. Prints TAP.
'use strict';
const shared = require('./browser.js');
const { check, done } = shared;

const [modules, chromium, folder] = process.argv.slice(2);
const open = (browser, name, options) => shared.open(browser, folder, name, options);
const ROW = 19;
const PLOT = shared.WIDTH - 28; // less the margins

// A move of the pointer reaches the page with a frame, on a busy machine behind the answer to who moved it.
const frames = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
const told = async (page) => { await frames(page); return page.$eval('#details', (e) => e.textContent); };
const fragment = (page) => page.evaluate(() => location.hash);

// Where a frame of that depth and time (of all 20 us) is.
async function place(page, depth, us) {
	const box = await page.$eval('#plot', (e) => { const r = e.getBoundingClientRect(); return [r.left, r.top]; });
	return [box[0] + us / 20 * PLOT, box[1] + depth * ROW + ROW / 2];
}

// process 10: main calls load (9 us, in read) and save (1 us, in write); process 11: main (10 us). The largest first, and of equals
// the one whose name is first.
async function mouse(browser) {
	const page = await open(browser, 'hand.html');

	check(/^all20\.0 µs, 100\.0 %by itself 0 ns, 0\.0 %$/.test(await told(page)), 'all is told of', await told(page));
	await page.mouse.move(...await place(page, 4, 5));
	check(/^read\[libc\.so\]9\.00 µs, 45\.0 %by itself 9\.00 µs, 45\.0 %2 times100\.0 % of its caller$/.test(await told(page)), 'the pointer tells what is below it', await told(page));
	await page.mouse.move(...await place(page, 4, 9.5));
	check(/^write/.test(await told(page)), 'as wide as it took', await told(page));
	await page.mouse.move(...await place(page, 4, 15));
	check(/^all/.test(await told(page)), 'below what calls nothing there is nothing', await told(page));
	await page.mouse.click(...await place(page, 3, 5));
	const hash = await fragment(page);
	check(/^#frame=\d+$/.test(hash), 'a click zooms', hash);
	await page.mouse.move(...await place(page, 4, 19.9));
	check(/^read/.test(await told(page)), 'into the frame, which takes all of the width', await told(page));
	await page.mouse.move(...await place(page, 1, 19.9));
	check(/^\? \(10\)/.test(await told(page)), 'below those that called it', await told(page));
	await page.click('#all');
	check(await fragment(page) === '' && await page.$eval('#all', (e) => e.disabled), 'and back');
	await done(page, 'mouse');

	const again = await open(browser, 'hand.html', { hash });
	check(/^load/.test(await told(again)), 'a fragment is a frame', await told(again));
	await done(again, 'fragment');
}

async function keyboard(browser) {
	const page = await open(browser, 'hand.html');
	const reached = [];

	for (let i = 0; i < 10 && reached[reached.length - 1] !== 'flame'; i++) {
		await page.keyboard.press('Tab');
		reached.push(await page.evaluate(() => document.activeElement.id));
	}
	check(reached.join() === 'query,theme,keys,flame', 'Tab reaches everything', reached);
	const names = [];
	for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowUp', 'ArrowLeft']) {
		await page.keyboard.press(key);
		names.push((await page.$eval('#details b', (e) => e.textContent)));
	}
	check(names.join() === '? (10),main,load,save,write,save,load', 'arrows go from frame to frame', names);
	await page.keyboard.press('Enter');
	check(/^#frame=/.test(await fragment(page)), 'Enter zooms');
	await page.keyboard.press('Escape');
	check(await fragment(page) === '', 'Escape goes back');
	await page.keyboard.press('/');
	await page.keyboard.type('main');
	// both: 10 us of each process
	check(await page.$eval('#found', (e) => e.textContent) === '2 frames, 20.0 µs, 100.0 %', 'searching adds up', await page.$eval('#found', (e) => e.textContent));
	await page.keyboard.press('Enter');
	check(await page.$eval('#details b', (e) => e.textContent) === 'main', 'and goes to what was found');
	await page.keyboard.press('Escape');
	await page.keyboard.press('t');
	check(await page.$eval('html', (e) => e.classList.contains('dark')), 't changes the theme');
	const row = await page.$$eval('#functions tbody tr', (rows) => rows.map((r) => r.textContent).find((t) => t.includes('read')));
	check(row === '9.00 µs45.0 %9.00 µsread[libc.so]', 'functions are told wherever they stand', row);
	await done(page, 'keyboard');
}

async function hostile(browser) {
	const page = await open(browser, 'hostile.html');
	const counts = await page.evaluate(() => [document.scripts.length, document.images.length, document.querySelectorAll('#details i, svg, iframe, a').length]);
	const text = await page.evaluate(() => document.body.textContent);

	check(counts.join() === '2,0,0', 'names make no elements', counts);
	check(await page.$$eval('#functions button', (list) => list.some((e) => e.textContent.includes('<script>'))), 'they are shown as they are');
	check(!/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(text), 'nothing turns the direction of writing');
	const longest = await page.evaluate(() => Math.max(...JSON.parse(document.getElementById('data').textContent).names.map((s) => s.length)));
	check(longest <= 170, 'names of 4 kB are cut in the middle', longest);
	await page.evaluate(() => document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hacked = 1' })));
	check(await page.evaluate(() => window.hacked) === undefined, 'names run nothing, and the policy of the page stops other scripts');
	check(page.trouble.length === 1 && /Content Security Policy/.test(page.trouble[0]), 'and nothing else is on the console', page.trouble);
	await page.close();
}

async function large(browser) {
	const begin = Date.now(), page = await open(browser, 'large.html');
	const ready = Date.now() - begin;
	const ms = await page.evaluate(async () => {
		const frame = () => new Promise((r) => requestAnimationFrame(r)), times = [];
		document.getElementById('flame').focus();
		for (let i = 0; i < 30; i++) {
			const t = performance.now();
			document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: ['ArrowDown', 'Enter', 'Escape'][i % 3], bubbles: true }));
			await frame();
			await frame();
			times.push(performance.now() - t);
		}
		return times.sort((a, b) => a - b)[15];
	});
	const left = await page.$eval('#notes', (e) => e.textContent);

	console.log(`# ${ready} ms until it is ready, median of two frames ${ms.toFixed(1)} ms`);
	check(ready < 5000 && ms < 400, 'many frames are no trouble', [ready, ms]);
	// 80,001 frames and the root, of which the 50,000 largest are there
	check(/frames left out, which took least: \d+/.test(left) && +/left out.*: (\d+)/.exec(left)[1] >= 30000, 'those that took least are left out, and counted', left);
	await done(page, 'large');
}

// The same, of which three events were lost.
async function lost(browser) {
	const page = await open(browser, 'lost.html');
	const notes = await page.$eval('#notes', (e) => e.textContent);

	await page.mouse.move(...await place(page, 4, 5));
	check(/^read\[libc\.so\]>=9\.00 µs, ~45\.0 %by itself >=9\.00 µs/.test(await told(page)), 'what lost events leave open is marked', await told(page));
	check(/have a stack: 4 of 4 \(100\.0 %\)/.test(notes) && /events lost: 3 in run\.strace/.test(notes), 'and told', notes);
	await done(page, 'lost');
}

shared.run(modules, chromium, async (browser) => {
	await mouse(browser);
	await keyboard(browser);
	await hostile(browser);
	await lost(browser);
	await large(browser);
	for (const theme of ['light', 'dark'])
		for (const name of ['hand.html', 'hostile.html'])
			await shared.accessible(await open(browser, name, { theme }), modules, `${name}, ${theme}`);
});
