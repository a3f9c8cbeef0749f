// SPDX-License-Identifier: MIT
// What tests of pages share: a browser, pages that tell what troubles them, and results as TAP.
'use strict';
const fs = require('fs');
const path = require('path');

const WIDTH = 1100; // of the window
let n = 0, failed = 0;

function check(ok, what, detail) {
	n++;
	if (!ok) failed++;
	console.log(`${ok ? 'ok' : 'not ok'} ${n} - ${what}`);
	if (!ok && detail !== undefined) console.log('# ' + JSON.stringify(detail));
}

async function open(browser, folder, name, options = {}) {
	const page = await browser.newPage();
	page.trouble = [];
	page.on('console', (m) => page.trouble.push('console: ' + m.text()));
	page.on('pageerror', (e) => page.trouble.push('error: ' + e.message));
	page.on('request', (r) => {
		if (!r.url().startsWith('file://' + folder)) page.trouble.push('request: ' + r.url().slice(0, 100));
	});
	await page.setViewport({ width: WIDTH, height: options.height || 800 });
	await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: options.theme || 'light' }]);
	await page.goto('file://' + path.join(folder, name) + (options.hash || ''));
	await page.waitForSelector('html[data-ready=yes]', { timeout: 60000 });
	return page;
}

async function done(page, what) {
	check(page.trouble.length === 0, `${what}: nothing on the console, and nothing leaves the page`, page.trouble);
	await page.close();
}

// Asks axe-core of a page that is open, with its help shown.
async function accessible(page, modules, what) {
	await page.keyboard.press('?');
	const session = await page.createCDPSession();
	await session.send('Page.setBypassCSP', { enabled: true });
	await session.send('Runtime.evaluate', { expression: fs.readFileSync(path.join(modules, 'axe-core', 'axe.min.js'), 'utf8') });
	const result = await page.evaluate(async () => (await window.axe.run()).violations.map((v) => [v.id, v.nodes.map((e) => e.html.slice(0, 120))]));
	check(result.length === 0, `axe-core finds nothing (${what})`, result);
	await page.close();
}

// Runs the tests in a browser of its own; the exit status is 1 if one failed.
async function run(modules, chromium, tests) {
	const puppeteer = require(path.join(modules, 'puppeteer-core'));
	const browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu', '--force-device-scale-factor=1', '--font-render-hinting=none'] });
	try {
		await tests(browser);
	} finally {
		await browser.close();
	}
	console.log('1..' + n);
	process.exit(failed ? 1 : 0);
}

module.exports = { WIDTH, check, open, done, accessible, run };
