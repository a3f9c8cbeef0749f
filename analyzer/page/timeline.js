/* SPDX-License-Identifier: MIT */
/* The page of 'tracedb timeline': lanes under each other on one axis, which the user moves through. uPlot draws the series; hatches, spans
 * and rows are drawn here. Text of the data only ever becomes text nodes. Times are ns from the origin of a run. */
(function () {
'use strict';

const DATA = JSON.parse(document.getElementById('data').textContent);
const RUNS = DATA.runs;
const FROM = Math.min(...RUNS.map((r) => r.from));
const TO = Math.max(...RUNS.map((r) => r.to));
const LEAST = 1000; /* ns: no view is shorter */
const $ = (id) => document.getElementById(id);
const LEFT = 230;

let view = { from: FROM, to: TO };
let cursor = null; /* ns */
let dark = matchMedia('(prefers-color-scheme: dark)').matches;
let queued = false;
let lanes = []; /* what is drawn: see addLane() */
let rough = false; /* while the view moves, bins are some pixels wide, so that frames come in time */
let refining = 0; /* timer */

/* --- values --- */

function decode(list, n) {
	const values = new Float64Array(n);
	let i = 0, last = NaN;
	for (const x of list) {
		if (x !== null && x < 0) {
			values.fill(last, i, i - x);
			i -= x;
		} else {
			last = x === null ? NaN : x;
			values[i++] = last;
		}
	}
	return values;
}

/* Half as many bins; what is known of the two. */
function halve(values, most) {
	const half = new Float64Array(Math.ceil(values.length / 2));
	for (let i = 0; i < half.length; i++) {
		const a = values[2 * i], b = 2 * i + 1 < values.length ? values[2 * i + 1] : NaN;
		half[i] = a !== a ? b : b !== b ? a : most ? Math.max(a, b) : (a + b) / 2;
	}
	return half;
}

/* The values of a series in a grid, so much coarser: made when they are wanted. */
function valuesOf(run, series, grid, coarse) {
	const all = series.levels || (series.levels = run.grids.map(() => []));
	const of = all[grid];
	if (!of.length)
		of.push(decode(series.data[grid], run.grids[grid][2]));
	while (of.length <= coarse)
		of.push(halve(of[of.length - 1], series.most));
	return of[coarse];
}

/* Which bins show the view: those of the finest grid that has all of it, no finer than the pixels. */
function levelOf(run, pixels) {
	const from = Math.max(view.from, run.from), to = Math.min(view.to, run.to);
	let best = 0;
	run.grids.forEach(([start, width, n], i) => {
		if (start <= from && start + width * n >= to && width < run.grids[best][1])
			best = i;
	});
	const [start, width, n] = run.grids[best];
	let coarse = 0;
	while ((to - from) / (width * 2 ** coarse) > (rough ? pixels / 3 : pixels) && n / 2 ** coarse > 2)
		coarse++;
	const step = width * 2 ** coarse, count = Math.ceil(n / 2 ** coarse);
	const first = Math.max(0, Math.min(count - 1, Math.floor((from - start) / step) - 1));
	const end = Math.min(count, Math.max(first + 1, Math.ceil((to - start) / step) + 1));
	return { grid: best, coarse, start, step, first, end };
}

/* --- text --- */

/* As common/units.c has them, so that the page and the terminal say the same. */
const SIZES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
const BINARY = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const PAIRS = [[1e9, 60, 'm', 's'], [60e9, 60, 'h', 'm'], [3600e9, 24, 'd', 'h']]; /* 1m05s, 2h07m, 1d03h: ns of the small one, and how many a big one has */

function digits(x) {
	return x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toPrecision(3);
}

/* Three digits, in the largest unit that leaves one before the point. */
function scaled(x, units) {
	let i = 0;
	for (x = Number(x.toPrecision(3)); x >= 1000 && i + 1 < units.length; x /= 1000) i++;
	return (i === 0 ? x.toFixed(0) : x.toPrecision(3)) + ' ' + units[i];
}

function bytes(x) {
	const exp = Math.log2(x);
	if (exp >= 10 && Number.isInteger(exp) && exp < 10 * (BINARY.length + 1)) return 2 ** (exp % 10) + ' ' + BINARY[Math.floor(exp / 10) - 1];
	return scaled(Math.round(x), SIZES);
}

function duration(ns) {
	const a = Math.abs(ns), sign = ns < 0 ? '-' : '';
	if (a < 59.95e9) return sign + scaled(Math.round(a), ['ns', 'us', 'ms', 's']);
	const [small_ns, per, big, small] = PAIRS.find(([ns, per], i) => i + 1 === PAIRS.length || Math.round(a / ns) < per * PAIRS[i + 1][1]);
	const n = Math.round(a / small_ns);
	return sign + Math.floor(n / per) + big + String(n % per).padStart(2, '0') + small;
}

/* A time, as exact as a pixel of the view is. */
function time(ns) {
	const step = (view.to - view.from) / 1000;
	const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / 1e9))));
	const a = Math.abs(ns), sign = ns < 0 ? '-' : '';
	if (a < 120e9) return sign + (a / 1e9).toFixed(decimals) + ' s';
	const m = Math.floor(a / 60e9), rest = (a / 1e9 - m * 60).toFixed(decimals);
	const seconds = rest.split('.')[0].padStart(2, '0') + (decimals ? '.' + rest.split('.')[1] : '') + 's';
	return m < 60 ? sign + m + 'm' + seconds : sign + Math.floor(m / 60) + 'h' + String(m % 60).padStart(2, '0') + 'm' + seconds;
}

const UNITS = {
	'share': (x) => (x * 100).toFixed(x > 0 && x < 0.1 ? 1 : 0) + ' %',
	'bytes/s': (x) => bytes(x) + '/s',
	'bytes': bytes,
	'1/s': (x) => (x === 0 ? '0' : digits(x)) + '/s',
	'ns': duration,
	'at a time': (x) => x.toFixed(2),
};

function valueText(lane, series, x) {
	return x !== x || x === undefined ? '–' : UNITS[series.strip ? 'share' : lane.unit](x);
}

/* Made of text alone: nothing of the data is taken for HTML. */
function element(tag, props, ...children) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(props || {})) {
		if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
		else if (key === 'class') e.className = value;
		else e.setAttribute(key, value);
	}
	e.append(...children.filter((c) => c !== null));
	return e;
}

/* Right-to-left names stay in their place. */
function nameNode(text) {
	return element('bdi', null, text);
}

function colour(hue) {
	return DATA.palette[hue][dark ? 1 : 0];
}

/* Of the theme that is on; asked once, as asking takes long. */
let colours = {};

function css(name) {
	if (!colours[name]) colours[name] = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	return colours[name];
}

/* --- lanes --- */

function plotWidth() {
	return Math.max(50, document.documentElement.clientWidth - LEFT);
}

function heightOf(lane) {
	if (lane.kind === 'spans') return (1 + Math.max(0, ...lane.spans.map((s) => s.depth))) * 19 + 2;
	if (lane.kind === 'heat') return lane.series.length * (lane.series.length > 32 ? 4 : 9);
	return Math.max(54, 24 + Math.min(lane.series.length, 9) * 15);
}

/* Series as uPlot draws them: shares on top of each other, the highest first; strips are drawn below. */
function plotted(lane) {
	const list = lane.series.filter((s) => !s.strip);
	return lane.kind === 'shares' ? list.slice().reverse() : list;
}

function hatchPattern(ctx, lost) {
	const key = 'hatch' + lost + devicePixelRatio;
	if (!colours[key]) colours[key] = makeHatch(ctx, lost);
	return colours[key];
}

function makeHatch(ctx, lost) {
	const size = 7 * devicePixelRatio;
	const tile = document.createElement('canvas');
	tile.width = tile.height = Math.round(size);
	const c = tile.getContext('2d');
	c.strokeStyle = lost ? css('--critical') : css('--dim');
	c.lineWidth = devicePixelRatio * (lost ? 1.4 : 0.8);
	for (const shift of [-tile.width, 0, tile.width]) {
		c.beginPath();
		c.moveTo(shift, lost ? 0 : tile.height);
		c.lineTo(shift + tile.width, lost ? tile.height : 0);
		c.stroke();
	}
	return ctx.createPattern(tile, 'repeat');
}

function pixelOf(ns, width) {
	return (ns - view.from) / (view.to - view.from) * width;
}

function drawGaps(ctx, lane, left, top, width, height) {
	ctx.save();
	ctx.beginPath();
	ctx.rect(left, top, width, height);
	ctx.clip();
	for (const [from, to, lost] of lane.gaps) {
		if (to < view.from || from > view.to) continue;
		const a = Math.max(-2, pixelOf(from, width)), b = Math.min(width + 2, pixelOf(to, width));
		ctx.globalAlpha = lost ? 0.75 : 0.45;
		ctx.fillStyle = hatchPattern(ctx, lost);
		ctx.fillRect(left + a, top, Math.max(b - a, devicePixelRatio), height);
	}
	ctx.restore();
}

function drawStrips(ctx, item, left, top, width, height) {
	const strips = item.lane.series.filter((s) => s.strip);
	const level = item.level, thick = 6 * devicePixelRatio;
	for (const s of strips) {
		const values = valuesOf(item.run, s, level.grid, level.coarse);
		ctx.fillStyle = colour(s.hue);
		for (let i = level.first; i < level.end; i++) {
			if (!(values[i] > 0)) continue;
			const a = pixelOf(level.start + i * level.step, width);
			const b = pixelOf(level.start + (i + 1) * level.step, width);
			const h = Math.max(devicePixelRatio, Math.min(1, values[i]) * thick);
			const x = Math.round(Math.max(a, 0));
			ctx.fillRect(left + x, top + height - h, Math.max(1, Math.round(Math.min(b, width)) - x), h);
		}
	}
}

function chartOptions(item, width) {
	const lane = item.lane;
	const lines = lane.kind === 'lines';
	return {
		width, height: item.height, legend: { show: false }, padding: [2, 0, 0, 0],
		cursor: { show: false },
		scales: {
			x: { time: false, range: () => [view.from, view.to] },
			y: { range: () => [lane.series.some((s) => s.strip) ? -item.top * 8 / (item.height - 10) : 0, item.top] },
		},
		axes: [{ show: false }, { show: false }],
		series: [{}].concat(plotted(lane).map((s) => ({
			stroke: lines ? () => colour(s.hue) : lane.sampled && lane.kind === 'shares' ? () => css('--bg') : undefined,
			width: lines ? 1.3 : lane.sampled && lane.kind === 'shares' ? 0.6 : 0,
			fill: lines ? undefined : () => colour(s.hue), fillTo: 0,
			paths: uPlot.paths.stepped({ align: 1 }),
			points: { show: false }, spanGaps: false,
		}))),
		hooks: {
			draw: [(u) => {
				const { left, top, width: w, height: h } = u.bbox;
				u.ctx.save(); /* uPlot remembers what it has set */
				drawStrips(u.ctx, item, left, top, w, h);
				u.ctx.restore();
				drawGaps(u.ctx, lane, left, top, w, h);
			}],
		},
	};
}

/* What uPlot is given: begins of bins, and the end of the last one. */
function chartData(item) {
	const { lane, run, level } = item;
	const n = level.end - level.first;
	const xs = new Array(n + 1);
	for (let i = 0; i <= n; i++)
		xs[i] = level.start + (level.first + i) * level.step;
	let below = null;
	let top = lane.kind === 'shares' ? 1 : 0;
	const columns = lane.series.filter((s) => !s.strip).map((s) => {
		const values = valuesOf(run, s, level.grid, level.coarse);
		const column = new Array(n + 1);
		for (let i = 0; i < n; i++) {
			const v = values[level.first + i];
			const at = xs[i];
			column[i] = v !== v ? null : lane.kind === 'shares' && below ? v + (below[i] || 0) : v;
			if (lane.kind !== 'shares' && v > top && at + level.step > view.from && at < view.to) top = v;
		}
		column[n] = n ? column[n - 1] : null;
		if (lane.kind === 'shares') below = column;
		return column;
	});
	item.top = top > 0 ? top : 1;
	item.empty = !(top > 0);
	return [xs].concat(lane.kind === 'shares' ? columns.reverse() : columns);
}

function fitCanvas(canvas, width, height) {
	const w = Math.round(width * devicePixelRatio), h = Math.round(height * devicePixelRatio);
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.height = height + 'px';
	}
	const ctx = canvas.getContext('2d');
	ctx.clearRect(0, 0, w, h);
	return ctx;
}

function clipped(ctx, text, width) {
	if (ctx.measureText(text).width <= width) return text;
	let low = 0, high = text.length;
	while (low < high) {
		const mid = (low + high + 1) >> 1;
		if (ctx.measureText(text.slice(0, mid) + '…').width <= width) low = mid;
		else high = mid - 1;
	}
	return low ? text.slice(0, low) + '…' : '';
}

function drawSpans(item, width) {
	const ctx = fitCanvas(item.canvas, width, item.height), r = devicePixelRatio;
	ctx.font = 11 * r + 'px system-ui, sans-serif';
	ctx.textBaseline = 'middle';
	for (const s of item.lane.spans) {
		if (s.to < view.from || s.from > view.to) continue;
		const a = Math.max(-4, pixelOf(s.from, width)) * r, b = Math.min(width + 4, pixelOf(s.to, width)) * r;
		const y = (s.depth * 19 + 1) * r;
		ctx.fillStyle = colour(s.hue);
		ctx.beginPath();
		ctx.roundRect(a, y, Math.max(b - a - r, r / 2), 17 * r, 2 * r);
		ctx.fill();
		const from = Math.max(a, 0) + 4 * r;
		ctx.fillStyle = css('--fg');
		if (b - from > 14 * r) ctx.fillText(clipped(ctx, s.name, Math.min(b, width * r) - from - 3 * r), from, y + 9 * r);
	}
}

function drawHeat(item, width) {
	const ctx = fitCanvas(item.canvas, width, item.height), level = item.level;
	const row = item.canvas.height / item.lane.series.length;
	item.lane.series.forEach((s, k) => {
		const values = valuesOf(item.run, s, level.grid, level.coarse);
		ctx.fillStyle = colour(s.hue);
		for (let i = level.first, j; i < level.end; i = j) {
			for (j = i + 1; j < level.end && values[j] === values[i];) j++;
			if (!(values[i] > 0.003)) continue;
			const a = pixelOf(level.start + i * level.step, item.canvas.width);
			const b = pixelOf(level.start + j * level.step, item.canvas.width);
			ctx.globalAlpha = Math.min(1, 0.08 + values[i] * 0.92);
			ctx.fillRect(a, k * row, b - a, Math.max(1, row - devicePixelRatio));
		}
	});
	ctx.globalAlpha = 1;
	drawGaps(ctx, item.lane, 0, 0, item.canvas.width, item.canvas.height);
}

function drawLane(item, width) {
	if (item.lane.kind === 'spans') return drawSpans(item, width);
	if (item.hiddenBody) return undefined;
	item.level = levelOf(item.run, width);
	if (item.lane.kind === 'heat') return drawHeat(item, width);
	const data = chartData(item);
	if (!item.chart) {
		item.chart = new uPlot(chartOptions(item, width), data, item.plot);
	} else {
		if (item.chart.width !== width) item.chart.setSize({ width, height: item.height });
		item.chart.setData(data);
	}
	item.topText.textContent = item.lane.kind === 'shares' ? '100 %' : item.empty ? '' : UNITS[item.lane.unit](item.top);
	return undefined;
}

function fold(item, folded) {
	item.hiddenBody = folded;
	item.plot.hidden = folded;
	if (item.button) {
		item.button.textContent = folded ? 'show' : 'hide';
		item.button.setAttribute('aria-expanded', String(!folded));
	}
	changed();
}

function addLane(run, lane, index) {
	const item = { run, lane, index, height: heightOf(lane), top: 1, hiddenBody: false };
	item.plot = element('div', { class: 'plot' });
	item.topText = element('div', { class: 'top' });
	item.values = lane.kind === 'heat' || lane.kind === 'spans' ? [] : lane.series.map((s) => {
		const value = element('span', { class: 'value' }), swatch = element('span', { class: 'swatch' });
		return { series: s, value, swatch, row: element('li', null, swatch, element('span', { class: 'what', title: s.name }, s.name), value) };
	});
	if (lane.folded) item.button = element('button', { type: 'button', class: 'fold', onclick: () => fold(item, !item.hiddenBody) });
	const label = element('div', { class: 'label' },
		element('div', { class: 'name' }, nameNode(lane.title), item.button ? ' ' : null, item.button || null),
		lane.detail ? element('div', { class: 'detail', title: lane.detail }, nameNode(lane.detail)) : null,
		item.topText,
		item.values.length ? element('ul', { class: 'values' }, ...item.values.map((v) => v.row)) : null);
	item.row = element('div', { class: 'lane row', 'data-lane': lane.id }, label, item.plot);
	if (lane.kind === 'spans' || lane.kind === 'heat') {
		item.canvas = element('canvas', { class: 'own' });
		item.plot.append(item.canvas);
	}
	$('lanes').append(item.row);
	lanes.push(item);
	if (lane.folded) fold(item, true);
}

/* --- the axis and the overview --- */

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

function axisStep(length, count) {
	const least = length / count;
	if (least >= 1e9) return (STEPS.find((s) => s * 1e9 >= least) || Math.ceil(least / 86400e9) * 86400) * 1e9;
	const power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((d) => d * power).find((s) => s >= least * 0.999999);
}

function axisLabel(ns, step) {
	const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / 1e9) - 1e-9)));
	if (decimals || Math.abs(ns) < 120e9) return (ns / 1e9).toFixed(decimals) + ' s';
	return duration(ns);
}

function drawAxis(width) {
	const ctx = fitCanvas($('axis'), width, 26), r = devicePixelRatio;
	const step = axisStep(view.to - view.from, Math.max(2, width / 110));
	ctx.font = 11 * r + 'px system-ui, sans-serif';
	ctx.textAlign = 'center';
	for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
		const x = pixelOf(at, width) * r, label = axisLabel(at, step), half = ctx.measureText(label).width / 2;
		ctx.fillStyle = css('--dim');
		ctx.fillText(label, Math.max(half, Math.min(width * r - half, x)), 22 * r);
		ctx.fillStyle = css('--line');
		ctx.fillRect(x, 24 * r, r, 2 * r);
	}
	let written = -100;
	RUNS.forEach((run) => run.flags.forEach((f, i) => {
		if (f.from === undefined || f.from > view.to || f.to < view.from) return;
		const x = Math.max(0, pixelOf(f.from, width)) * r;
		ctx.fillStyle = css('--' + f.level);
		ctx.beginPath();
		ctx.moveTo(x, 1 * r);
		ctx.lineTo(x + 9 * r, 1 * r);
		ctx.lineTo(x + 6 * r, 5 * r);
		ctx.lineTo(x + 9 * r, 9 * r);
		ctx.lineTo(x, 9 * r);
		ctx.fill();
		if (Math.abs(x - written) < 18 * r) return;
		written = x;
		ctx.textAlign = 'left';
		ctx.fillText(String(i + 1), x + 11 * r, 10 * r);
		ctx.textAlign = 'center';
	}));
}

/* The whole of the first lane, which changes with the theme and the width only. */
function overviewOf(w, h) {
	const canvas = document.createElement('canvas');
	canvas.width = w;
	canvas.height = h;
	const ctx = canvas.getContext('2d');
	const run = RUNS[0], lane = run.lanes.find((l) => l.kind === 'shares') || run.lanes.find((l) => l.series.length);
	ctx.fillStyle = css('--lane');
	ctx.fillRect(0, 0, w, h);
	if (!lane) return canvas;
	const [start, step, n] = run.grids[0];
	const all = lane.series.filter((s) => !s.strip).map((s) => ({ hue: s.hue, values: valuesOf(run, s, 0, 0) }));
	const most = lane.kind === 'shares' ? 1 : Math.max(...all.map((s) => s.values.reduce((a, b) => b > a ? b : a, 0)), 1e-9);
	const count = Math.min(n, w);
	for (let x = 0; x < count; x++) {
		const from = Math.floor(x / count * n);
		let y = 0;
		for (const s of all) {
			const v = (s.values[from] || 0) / most * h;
			ctx.fillStyle = colour(s.hue);
			ctx.fillRect((start + from * step - FROM) / (TO - FROM) * w, h - y - v, Math.max(1, w / count + 0.5), v);
			if (lane.kind === 'shares') y += v;
		}
	}
	return canvas;
}

function drawMinimap(width) {
	const ctx = fitCanvas($('minimap'), width, 30), w = $('minimap').width, h = $('minimap').height;
	const key = 'overview' + w;
	if (!colours[key]) colours[key] = overviewOf(w, h);
	ctx.drawImage(colours[key], 0, 0);
	const a = (view.from - FROM) / (TO - FROM) * w, b = (view.to - FROM) / (TO - FROM) * w;
	ctx.fillStyle = css('--bg');
	ctx.globalAlpha = 0.65;
	ctx.fillRect(0, 0, a, h);
	ctx.fillRect(b, 0, w - b, h);
	ctx.globalAlpha = 1;
	ctx.strokeStyle = css('--accent');
	ctx.lineWidth = 2 * devicePixelRatio;
	ctx.strokeRect(a + 1, 1, Math.max(b - a - 2, 2), h - 2);
}

/* --- drawing all of it --- */

function draw() {
	queued = false;
	const width = plotWidth();
	const places = lanes.map((item) => item.row.getBoundingClientRect()); /* before anything changes: a layout for each takes long */
	lanes.forEach((item, i) => {
		item.stale = places[i].top > innerHeight + 100 || places[i].bottom < -100; /* drawn when it is scrolled to */
		if (!item.stale) drawLane(item, width);
	});
	drawAxis(width);
	drawMinimap(width);
	showCursor();
	$('shown').textContent = time(view.from) + ' … ' + time(view.to) + ', ' + duration(view.to - view.from);
	for (const b of $('zooms').querySelectorAll('button'))
		b.setAttribute('aria-pressed', String(+b.dataset.from === view.from && +b.dataset.to === view.to));
}

/* The view moves: roughly at first, and all of it when it rests. */
function moved() {
	rough = true;
	clearTimeout(refining);
	refining = setTimeout(() => {
		rough = false;
		changed();
	}, 120);
	changed();
}

function changed() {
	if (queued) return;
	queued = true;
	requestAnimationFrame(draw);
}

let hashTimer = 0;

function keepInFragment() {
	clearTimeout(hashTimer);
	hashTimer = setTimeout(() => {
		const whole = view.from === FROM && view.to === TO;
		const parts = whole ? [] : ['t=' + Math.round(view.from) + ',' + Math.round(view.to)];
		if (cursor !== null && !$('details').hidden) parts.push('at=' + Math.round(cursor));
		history.replaceState(null, '', '#' + parts.join('&'));
	}, 150);
}

function show(from, to) {
	const length = Math.max(LEAST, Math.min(to - from, TO - FROM));
	from = Math.max(FROM, Math.min(from, TO - length));
	view = { from, to: from + length };
	keepInFragment();
	moved();
}

function zoom(factor, at) {
	const length = (view.to - view.from) * factor;
	show(at - (at - view.from) * factor, at - (at - view.from) * factor + length);
}

function pan(share) {
	const by = (view.to - view.from) * share;
	show(view.from + by, view.to + by);
}

function restore() {
	const params = new URLSearchParams(location.hash.slice(1));
	const t = (params.get('t') || '').split(',').map(Number);
	if (t.length === 2 && t.every(Number.isFinite) && t[1] > t[0]) show(t[0], t[1]);
	else show(FROM, TO);
	const at = Number(params.get('at') || NaN);
	if (Number.isFinite(at) && at >= FROM && at <= TO) {
		cursor = at;
		pin(at);
	}
}

/* --- the cursor, and what is there --- */

function binAt(item, ns) {
	if (!item.level || item.hiddenBody) return -1;
	const i = Math.floor((ns - item.level.start) / item.level.step);
	return ns >= item.run.from && ns <= item.run.to && i >= 0 ? i : -1;
}

function showCursor() {
	const on = cursor !== null && cursor >= view.from && cursor <= view.to;
	$('cursor').hidden = !on;
	if (on) $('cursor').style.transform = 'translateX(' + (LEFT + pixelOf(cursor, plotWidth())) + 'px)';
	$('when').textContent = on ? time(cursor) : '';
	if (on) {
		const wall = new Date(RUNS[0].origin + cursor / 1e6);
		if (!Number.isNaN(+wall)) $('when').title = wall.toISOString();
	}
	for (const item of lanes) {
		const i = on ? binAt(item, cursor) : -1;
		for (const v of item.values) {
			const x = i < 0 ? NaN : valuesOf(item.run, v.series, item.level.grid, item.level.coarse)[i];
			const text = on ? valueText(item.lane, v.series, x) : '';
			if (v.shown !== text) {
				v.shown = text;
				v.value.textContent = text;
			}
		}
	}
}

function topsTable(run, kind, title, at) {
	const tops = run.tops;
	const rows = tops[kind] && tops[kind][Math.floor((at - tops.from) / tops.width)];
	if (!rows || !rows.length) return null;
	const body = element('tbody');
	for (let i = 0; i < rows.length; i += 4)
		body.append(element('tr', null, element('td', null, nameNode(tops.names[rows[i]])),
			element('td', { class: 'number' }, duration(rows[i + 1] || 0)),
			element('td', { class: 'number' }, rows[i + 2] === null ? '' : bytes(rows[i + 2])),
			element('td', { class: 'number' }, rows[i + 3].toLocaleString('en') + '×')));
	return element('div', null, element('h2', null, title), element('table', null, body));
}

/* Values of the bin at that time, and who did most around it. */
function pin(at) {
	const box = $('details');
	const columns = element('div', { class: 'columns' });
	cursor = at;
	for (const run of RUNS) {
		const width = run.tops.width, from = run.tops.from + Math.floor((at - run.tops.from) / width) * width;
		const around = width ? ' in the ' + duration(width) + ' from ' + time(from) : '';
		const phases = run.lanes.filter((l) => l.kind === 'spans').flatMap((l) => l.spans).filter((s) => s.from <= at && at < s.to);
		if (RUNS.length > 1) columns.append(element('h2', null, nameNode(run.title)));
		if (phases.length) columns.append(element('div', null, element('h2', null, 'Phases'), nameNode(phases.map((s) => s.name).join(', '))));
		for (const [kind, title] of [['files', 'Files'], ['processes', 'Processes'], ['kernels', 'Kernels']]) {
			const table = topsTable(run, kind, title + around, at);
			if (table) columns.append(table);
		}
	}
	box.replaceChildren(element('button', { type: 'button', class: 'close', onclick: closeDetails }, 'Close'),
		element('h2', null, 'At ' + time(at)), columns.children.length ? columns : 'Nothing was recorded there.');
	box.hidden = false;
	keepInFragment();
	changed();
}

function closeDetails() {
	$('details').hidden = true;
	keepInFragment();
}

/* --- buttons, findings, search --- */

function zoomButton(text, from, to, level, title) {
	return element('button', { type: 'button', class: level || '', 'data-from': from, 'data-to': to, title: title || '', 'aria-pressed': 'false',
		onclick: () => show(from, to) }, text);
}

function addButtons() {
	$('zooms').append(zoomButton('whole run', FROM, TO));
	for (const run of RUNS) {
		for (const z of run.zooms) $('zooms').append(zoomButton(z.name, z.from, z.to));
		run.flags.forEach((f, i) => {
			if (f.from !== undefined) $('zooms').append(zoomButton((i + 1) + ': ' + f.rule.replaceAll('_', ' '), f.from, f.to, f.level, f.text));
		});
	}
}

function addFindings() {
	for (const run of RUNS) {
		if (!run.flags.length && !run.notes) continue;
		const list = element('ol');
		for (const f of run.flags)
			list.append(element('li', null, element('span', { class: 'level ' + f.level }, f.level), ' ', nameNode(f.text), ' ',
				f.from === undefined ? null : element('button', { type: 'button', class: 'fold', onclick: () => show(f.from, f.to) }, 'show'),
				f.advice ? element('details', null, element('summary', null, 'advice'), nameNode(f.advice)) : null));
		$('findings').append(element('h2', null, 'Findings', RUNS.length > 1 ? ' of ' : null, RUNS.length > 1 ? nameNode(run.title) : null), list);
		for (const line of run.notes.split('\n')) if (line) $('findings').append(element('div', { class: 'notes' }, line));
	}
}

/* Everything that has a name, with what to do when it is chosen. */
function* named() {
	for (const run of RUNS) {
		for (const lane of run.lanes) {
			yield { name: lane.title + (lane.detail ? ', ' + lane.detail : ''), kind: 'lane', go: () => goToLane(lane) };
			for (const s of lane.spans) yield { name: s.name, kind: 'phase', go: () => show(s.from, s.to) };
		}
		for (const f of run.flags)
			yield { name: f.rule + ': ' + f.text, kind: 'finding', go: () => f.from === undefined ? $('findings').scrollIntoView() : show(f.from, f.to) };
		for (const [id, name] of run.tops.names.entries()) {
			const most = busiestOf(run, id);
			yield { name, kind: most.kind, go: () => goTo(run, most.bin) };
		}
	}
}

/* Where a name did most. */
function busiestOf(run, id) {
	const best = { kind: 'name', bin: 0, ns: -1 };
	for (const [kind, word] of [['files', 'file'], ['processes', 'process'], ['kernels', 'kernel']])
		(run.tops[kind] || []).forEach((rows, bin) => {
			for (let i = 0; i < rows.length; i += 4)
				if (rows[i] === id && rows[i + 1] > best.ns) Object.assign(best, { kind: word, bin, ns: rows[i + 1] });
		});
	return best;
}

function goTo(run, bin) {
	const from = run.tops.from + bin * run.tops.width;
	show(from - run.tops.width, from + 2 * run.tops.width);
	pin(Math.max(FROM, Math.min(TO, from + run.tops.width / 2)));
}

function goToLane(lane) {
	const item = lanes.find((i) => i.lane === lane);
	lanes.forEach((i) => i.row.classList.toggle('match', i === item));
	if (item.hiddenBody) fold(item, false);
	item.row.scrollIntoView({ block: 'center' });
}

let everything = null;

function search(text) {
	const box = $('found'), wanted = text.trim().toLowerCase();
	box.hidden = !wanted;
	if (!wanted) return box.replaceChildren();
	everything = everything || Array.from(named());
	const hits = everything.filter((e) => e.name.toLowerCase().includes(wanted)).slice(0, 30);
	box.replaceChildren(...hits.map((e) => element('li', null, element('button', { type: 'button', onclick: () => {
		box.hidden = true;
		e.go();
		$('lanes').focus({ preventScroll: true });
	} }, nameNode(e.name), element('small', null, e.kind)))));
	if (!hits.length) box.append(element('li', { class: 'none' }, 'nothing of that name is shown here'));
	return undefined;
}

function addLegend() {
	for (const [lost, text] of [[false, 'nobody looked'], [true, 'events were lost']]) {
		const canvas = element('canvas', { class: 'hatch', width: 18, height: 10, 'aria-hidden': 'true' });
		const ctx = canvas.getContext('2d');
		ctx.fillStyle = hatchPattern(ctx, lost);
		ctx.fillRect(0, 0, 18, 10);
		$('legend').append(element('span', null, canvas, text));
	}
	$('legend').append(element('span', null, 'steps with edges: samples, each as wide as the time that it speaks of'),
		element('span', null, 'the strip below a process: share of the time in which it was in a call'),
		element('span', null, 'tracedb ' + DATA.version));
}

function useTheme() {
	document.documentElement.classList.toggle('dark', dark);
	colours = {};
	$('theme').textContent = dark ? 'Light' : 'Dark';
	$('legend').replaceChildren();
	addLegend();
	for (const item of lanes) {
		for (const v of item.values) v.swatch.style.background = colour(v.series.hue);
		if (item.chart) {
			item.chart.destroy();
			item.chart = null;
		}
	}
	changed();
}

function toggleTheme() {
	dark = !dark;
	useTheme();
}

function toggleHelp(on) {
	const open = on === undefined ? $('help').hidden : on;
	$('help').hidden = !open;
	$('keys').setAttribute('aria-expanded', String(open));
	if (open) $('help').scrollIntoView({ block: 'nearest' });
}

/* --- mouse, trackpad, keyboard --- */

function timeAt(event) {
	const x = event.clientX - LEFT;
	return view.from + Math.max(0, Math.min(1, x / plotWidth())) * (view.to - view.from);
}

let drag = null;

function dragged(event) {
	const x = event.clientX;
	if (drag.pans) {
		const by = (drag.x - x) / plotWidth() * (drag.to - drag.from);
		show(drag.from + by, drag.to + by);
	} else if (Math.abs(x - drag.x) > 4) {
		$('selection').hidden = false;
		const a = Math.max(LEFT, Math.min(x, drag.x)), b = Math.max(x, drag.x);
		$('selection').style.left = a + 'px';
		$('selection').style.width = b - a + 'px';
	}
}

function released(event) {
	const was = drag;
	drag = null;
	$('selection').hidden = true;
	if (was.pans) return;
	const at = timeAt(event);
	if (Math.abs(event.clientX - was.x) > 4) show(Math.min(at, was.at), Math.max(at, was.at));
	else pin(at);
}

function listenToLanes() {
	const box = $('lanes');
	box.addEventListener('pointerdown', (e) => {
		if (e.button > 1 || e.clientX < LEFT || e.target.closest('button')) return;
		drag = { x: e.clientX, at: timeAt(e), pans: e.shiftKey || e.button === 1 || e.pointerType === 'touch', from: view.from, to: view.to };
		box.setPointerCapture(e.pointerId);
		box.focus({ preventScroll: true });
		e.preventDefault();
	});
	box.addEventListener('pointermove', (e) => {
		if (drag) dragged(e);
		cursor = e.clientX >= LEFT ? timeAt(e) : null;
		requestAnimationFrame(showCursor);
	});
	box.addEventListener('pointerup', (e) => { if (drag) released(e); });
	box.addEventListener('pointercancel', () => { drag = null; $('selection').hidden = true; });
	box.addEventListener('dblclick', () => show(FROM, TO));
	box.addEventListener('wheel', (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey) zoom(Math.exp(e.deltaY * (e.deltaMode ? 0.05 : 0.003)), timeAt(e));
		else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) pan(e.deltaX / plotWidth());
		else if (e.shiftKey) pan(e.deltaY / plotWidth());
		else return;
		e.preventDefault();
	}, { passive: false });
}

function listenToMinimap() {
	const map = $('minimap');
	let from = null;
	const at = (e) => FROM + (e.clientX - LEFT) / plotWidth() * (TO - FROM);
	const move = (e) => {
		const length = view.to - view.from;
		show(at(e) - from, at(e) - from + length);
	};
	map.addEventListener('pointerdown', (e) => {
		const inside = at(e) >= view.from && at(e) <= view.to;
		from = inside ? at(e) - view.from : (view.to - view.from) / 2;
		map.setPointerCapture(e.pointerId);
		move(e);
	});
	map.addEventListener('pointermove', (e) => { if (from !== null) move(e); });
	map.addEventListener('pointerup', () => { from = null; });
}

function nextFinding(by) {
	const flags = RUNS.flatMap((r) => r.flags).filter((f) => f.from !== undefined).sort((a, b) => a.from - b.from);
	if (!flags.length) return;
	const now = flags.findIndex((f) => f.from === view.from && f.to === view.to);
	const next = flags[now < 0 ? (by > 0 ? 0 : flags.length - 1) : (now + by + flags.length) % flags.length];
	show(next.from, next.to);
}

function moveCursor(by) {
	const item = lanes.find((i) => i.level && !i.hiddenBody);
	const step = Math.max(item ? item.level.step : 0, (view.to - view.from) / plotWidth());
	const from = cursor === null || cursor < view.from || cursor > view.to ? (view.from + view.to) / 2 : cursor;
	cursor = Math.max(FROM, Math.min(TO, from + by * step));
	if (cursor < view.from) pan(-0.5);
	if (cursor > view.to) pan(0.5);
	showCursor();
}

function zoomAtCursor(factor) {
	zoom(factor, cursor !== null && cursor >= view.from && cursor <= view.to ? cursor : (view.from + view.to) / 2);
}

const KEYS = {
	'ArrowLeft': () => pan(-0.2), 'ArrowRight': () => pan(0.2),
	'ArrowUp': () => zoomAtCursor(0.7), 'ArrowDown': () => zoomAtCursor(1 / 0.7),
	'+': () => zoomAtCursor(0.7), '=': () => zoomAtCursor(0.7), '-': () => zoomAtCursor(1 / 0.7),
	'0': () => show(FROM, TO), 'Home': () => show(FROM, TO),
	',': () => moveCursor(-1), '.': () => moveCursor(1), '<': () => moveCursor(-20), '>': () => moveCursor(20),
	'[': () => nextFinding(-1), ']': () => nextFinding(1),
	't': toggleTheme, '?': () => toggleHelp(),
	'/': () => { $('query').focus(); $('query').select(); },
	'Enter': () => pin(cursor === null ? (view.from + view.to) / 2 : cursor),
	'Escape': () => { $('found').hidden = true; closeDetails(); toggleHelp(false); },
};

function listenToKeys() {
	document.addEventListener('keydown', (e) => {
		const typing = e.target === $('query'), onControl = e.target.closest && e.target.closest('button, summary');
		if (e.ctrlKey || e.metaKey || e.altKey || !KEYS[e.key]) return;
		if (e.target.closest && e.target.closest('.tables')) return;
		if (typing && e.key !== 'Escape') return;
		if (onControl && e.key === 'Enter') return;
		if (typing) $('lanes').focus({ preventScroll: true });
		KEYS[e.key]();
		e.preventDefault();
	});
	$('query').addEventListener('input', (e) => search(e.target.value));
	$('search').addEventListener('submit', (e) => {
		e.preventDefault();
		const first = $('found').querySelector('button');
		if (first) first.click();
	});
}

/* --- */

function describe() {
	const run = RUNS[0];
	document.title = RUNS.map((r) => r.title).join(' and ') + ' – tracedb timeline';
	$('title').replaceChildren(nameNode(RUNS.map((r) => r.title).join(' and ')));
	const begin = new Date(run.origin);
	const wall = Number.isNaN(+begin) ? '' : ', 0 is ' + begin.toISOString().replace('T', ' ').replace(/\.\d+Z/, ' UTC');
	$('about').textContent = duration(run.to - run.from) + wall + (DATA.aligned ? '; aligned by the begin of ' + DATA.aligned : '');
}

function start() {
	describe();
	addButtons();
	RUNS.forEach((run, i) => {
		if (RUNS.length > 1) $('lanes').append(element('div', { class: 'runname' }, nameNode(run.title)));
		run.lanes.forEach((lane) => addLane(run, lane, i));
	});
	addFindings();
	listenToLanes();
	listenToMinimap();
	listenToKeys();
	$('theme').addEventListener('click', toggleTheme);
	$('keys').addEventListener('click', () => toggleHelp());
	addEventListener('resize', changed);
	addEventListener('scroll', () => { if (lanes.some((item) => item.stale)) changed(); }, { passive: true });
	addEventListener('hashchange', restore);
	useTheme();
	restore();
	rough = false;
	draw();
	document.documentElement.dataset.ready = 'yes';
}

start();
})();
