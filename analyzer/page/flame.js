/* SPDX-License-Identifier: MIT */
/* The page of 'tracedb flame': frames below the ones that called them, as wide as what they took. Text of the data only ever becomes text
 * nodes, and text that a canvas draws. */
(function () {
'use strict';

const DATA = JSON.parse(document.getElementById('data').textContent);
const FIELDS = 6; /* of a frame: depth, name, module, self, total, count */
const N = DATA.frames.length / FIELDS;
const ROW = 19; /* pixels */
const ROWS_MAX = 800; /* a canvas has an end */
const LEAST = 0.4; /* pixels: what is narrower is not drawn */
const LABEL_LEAST = 30;
const FUNCTIONS = 40; /* of the table */
const $ = (id) => document.getElementById(id);

const depths = new Uint32Array(N), parents = new Int32Array(N), starts = new Float64Array(N), ends = new Int32Array(N);
let zoomed = 0, chosen = 0, hovered = -1; /* frames; hovered -1: none */
let past = []; /* what was zoomed into before */
let found = null; /* Uint8Array by frame; null: nothing is searched for */
let dark = matchMedia('(prefers-color-scheme: dark)').matches;
let queued = false;
let drawn = []; /* rows of [x, width, frame] */

const field = (i, k) => DATA.frames[i * FIELDS + k];
const self = (i) => field(i, 3), total = (i) => field(i, 4), count = (i) => field(i, 5);
const name = (i) => DATA.names[field(i, 1)], module = (i) => DATA.names[field(i, 2)];

/* --- the tree: depth first, a frame ends where the next one is that is no deeper --- */

function build() {
	const path = [], next = []; /* frames above, and where the next one called by each begins */
	for (let i = 0; i < N; i++) {
		const depth = depths[i] = field(i, 0);
		while (path.length > depth) ends[path.pop()] = i;
		parents[i] = depth ? path[depth - 1] : -1;
		starts[i] = depth ? next[depth - 1] : 0;
		if (depth) next[depth - 1] += total(i);
		next[depth] = starts[i];
		path.push(i);
	}
	while (path.length) ends[path.pop()] = N;
}

const within = (i, outer) => i >= outer && i < ends[outer];

/* The largest comes first. */
const firstOf = (i) => i + 1 < ends[i] ? i + 1 : -1;
const nextOf = (i) => i > 0 && ends[i] < ends[parents[i]] ? ends[i] : -1;

function previousOf(i) {
	if (i <= 0) return -1;
	let k = parents[i] + 1, last = -1;
	for (; k < i; k = ends[k]) last = k;
	return last;
}

/* --- values --- */

function digits(v) {
	return v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2);
}

function bare(v) {
	if (DATA.unit !== 'ns') return v.toLocaleString('en') + (DATA.unit && DATA.unit !== 'count' ? ' ' + DATA.unit : '');
	if (v < 1e3) return v + ' ns';
	if (v < 1e6) return digits(v / 1e3) + ' µs';
	if (v < 1e9) return digits(v / 1e6) + ' ms';
	if (v < 60e9) return digits(v / 1e9) + ' s';
	const s = Math.round(v / 1e9);
	if (s < 3600) return Math.floor(s / 60) + 'm' + String(s % 60).padStart(2, '0') + 's';
	return Math.floor(s / 3600) + 'h' + String(Math.floor(s / 60) % 60).padStart(2, '0') + 'm';
}

/* marked as reports mark numbers that lost events leave open, and estimates */
const value = (v) => DATA.value_mark + bare(v);
const share = (v, of) => of > 0 ? DATA.share_mark + (100 * v / of).toFixed(1) + ' %' : '';

/* --- drawing --- */

/* The same module has the same colour in every page; what has none goes by its name. */
function hue(text) {
	let h = 0;
	for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) >>> 0;
	return h % 360;
}

const hues = new Map();

function colour(i) {
	const text = module(i) || name(i);
	if (!hues.has(text)) hues.set(text, hue(text));
	const light = dark ? 30 : 80, strength = dark ? 38 : 62;
	if (found && !found[i]) return `hsl(${hues.get(text)} 8% ${dark ? 22 : 92}%)`;
	return `hsl(${hues.get(text)} ${strength}% ${light}%)`;
}

function redraw() {
	if (queued) return;
	queued = true;
	requestAnimationFrame(() => { queued = false; draw(); });
}

/* Where a frame is: those around what is zoomed into take all of the width. */
function place(i, width) {
	if (within(zoomed, i)) return [0, width];
	const scale = width / Math.max(total(zoomed), 1);
	return [(starts[i] - starts[zoomed]) * scale, total(i) * scale];
}

/* Frames to draw, row by row; what is below something too narrow is narrower. */
function layOut(width) {
	drawn = [];
	for (let i = zoomed; i >= 0; i = parents[i])
		drawn[depths[i]] = [[0, width, i]];
	for (let i = zoomed + 1; i < ends[zoomed];) {
		const [x, w] = place(i, width);
		if (w < LEAST || depths[i] >= ROWS_MAX) {
			i = ends[i];
			continue;
		}
		(drawn[depths[i]] || (drawn[depths[i]] = [])).push([x, w, i]);
		i++;
	}
}

/* As much of a text as there is room for. */
function fit(ctx, text, room) {
	if (ctx.measureText(text).width <= room) return text;
	let low = 0, high = text.length;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (ctx.measureText(text.slice(0, middle) + '…').width <= room) low = middle;
		else high = middle - 1;
	}
	return low > 1 ? text.slice(0, low) + '…' : '';
}

function draw() {
	const canvas = $('plot'), ctx = canvas.getContext('2d'), ratio = devicePixelRatio || 1;
	const width = canvas.clientWidth, style = getComputedStyle(document.documentElement);
	layOut(width);
	const height = drawn.length * ROW;
	canvas.style.height = height + 'px';
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	ctx.scale(ratio, ratio);
	ctx.font = "12px system-ui, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif";
	ctx.textBaseline = 'middle';
	const fg = style.getPropertyValue('--fg'), accent = style.getPropertyValue('--accent');
	drawn.forEach((row, depth) => row.forEach(([x, w, i]) => {
		const y = depth * ROW, around = i !== zoomed && within(zoomed, i);
		ctx.globalAlpha = around ? 0.55 : 1;
		ctx.fillStyle = colour(i);
		ctx.fillRect(x, y, Math.max(w - (w > 3 ? 1 : 0), LEAST), ROW - 1);
		ctx.globalAlpha = 1;
		if (w >= LABEL_LEAST) {
			ctx.fillStyle = fg;
			ctx.fillText(fit(ctx, name(i), w - 8), x + 4, y + ROW / 2);
		}
		if (i === chosen || i === hovered) {
			ctx.strokeStyle = i === chosen ? accent : fg;
			ctx.lineWidth = i === chosen ? 2 : 1;
			ctx.strokeRect(x + 1, y + 1, Math.max(w - 3, 1), ROW - 3);
		}
	}));
}

/* --- what is told --- */

function element(kind, text, className) {
	const e = document.createElement(kind);
	e.textContent = text;
	if (className) e.className = className;
	return e;
}

function tell(i) {
	const all = total(0), counted = count(i) ? count(i).toLocaleString('en') + ' times' : '';
	const parts = [[value(total(i)), i ? share(total(i), all) : '100.0 %'], ['by itself ' + value(self(i)), share(self(i), all)], [counted, '']];
	if (i > 0 && parents[i] > 0)
		parts.push([share(total(i), total(parents[i])) + ' of its caller', '']);
	$('details').replaceChildren(element('b', name(i)), ...(module(i) ? [element('span', module(i))] : []),
		...parts.filter((p) => p[0]).map((p) => element('span', p.filter(Boolean).join(', '))));
}

function choose(i) {
	if (i < 0) return;
	chosen = i;
	if (!within(i, zoomed) && !within(zoomed, i)) zoom(0);
	tell(i);
	redraw();
	const y = depths[i] * ROW + $('plot').getBoundingClientRect().top, top = $('top').offsetHeight;
	if (y < top || y + ROW > innerHeight) scrollBy(0, y - (top + innerHeight) / 2);
}

/* --- zooming --- */

function show(i) {
	zoomed = chosen = i;
	$('all').disabled = zoomed === 0;
	tell(i);
	redraw();
	history.replaceState(null, '', i ? '#frame=' + i : location.pathname + location.search);
}

function zoom(i) {
	if (i < 0 || i === zoomed) return;
	past.push(zoomed);
	show(i);
}

function back() {
	show(past.length ? past.pop() : 0);
}

function readFragment() {
	const m = /^#frame=(\d+)$/.exec(location.hash);
	if (m && +m[1] < N) show(+m[1]);
}

/* --- search --- */

function search(text) {
	const wanted = text.trim().toLowerCase();
	found = null;
	$('found').textContent = '';
	if (wanted) {
		const hit = DATA.names.map((n) => n.toLowerCase().includes(wanted));
		let n = 0, sum = 0, until = 0; /* what is within one that was found counts once */
		found = new Uint8Array(N);
		for (let i = 1; i < N; i++) {
			if (!hit[field(i, 1)] && !(module(i) && hit[field(i, 2)])) continue;
			found[i] = 1;
			n++;
			if (i >= until) {
				sum += total(i);
				until = ends[i];
			}
		}
		$('found').textContent = n ? `${n} frames, ${value(sum)}, ${share(sum, total(0))}` : 'nothing found';
	}
	redraw();
}

function step(by) {
	if (!found) return;
	for (let k = 1; k <= N; k++) {
		const i = (chosen + by * k + N * 2) % N;
		if (found[i]) return choose(i);
	}
}

/* --- functions: what each took by itself and with what it calls, wherever it stands --- */

function functions() {
	const sums = new Map();
	for (let i = 1; i < N; i++) {
		const key = field(i, 1) + ' ' + field(i, 2);
		let s = sums.get(key);
		if (!s) sums.set(key, s = { first: i, self: 0, total: 0, until: 0 });
		s.self += self(i);
		if (i >= s.until) { /* within itself it counts once */
			s.total += total(i);
			s.until = ends[i];
		}
	}
	return Array.from(sums.values()).sort((a, b) => b.self - a.self || b.total - a.total).slice(0, FUNCTIONS);
}

function addFunctions() {
	const table = document.createElement('table'), head = table.createTHead().insertRow(), body = table.createTBody();
	for (const [text, number] of [['By itself', 1], ['Share', 1], ['With what it calls', 1], ['Function', 0], ['Module', 0]]) {
		const th = element('th', text, number ? 'number' : '');
		th.scope = 'col';
		head.append(th);
	}
	for (const f of functions()) {
		const row = body.insertRow(), button = element('button', name(f.first));
		button.type = 'button';
		button.addEventListener('click', () => {
			$('query').value = name(f.first);
			search(name(f.first));
			choose(f.first);
		});
		for (const text of [value(f.self), share(f.self, total(0)), value(f.total)])
			row.append(element('td', text, 'number'));
		const cell = row.insertCell();
		cell.append(button);
		row.append(element('td', module(f.first)));
	}
	$('functions').append(element('h2', 'Functions'), table);
}

/* --- the user --- */

function at(e) {
	const box = $('plot').getBoundingClientRect(), x = e.clientX - box.left;
	const row = drawn[Math.floor((e.clientY - box.top) / ROW)] || [];
	const hit = row.find(([left, width]) => x >= left && x < left + Math.max(width, 1));
	return hit ? hit[2] : -1;
}

function useTheme() {
	document.documentElement.classList.toggle('dark', dark);
	$('theme').textContent = dark ? 'Light' : 'Dark';
	redraw();
}

function toggleTheme() {
	dark = !dark;
	useTheme();
}

function toggleHelp() {
	$('help').hidden = !$('help').hidden;
	$('keys').setAttribute('aria-expanded', String(!$('help').hidden));
	if (!$('help').hidden) $('help').scrollIntoView({ block: 'nearest' });
}

const keys = {
	'ArrowDown': () => choose(firstOf(chosen)), 'ArrowUp': () => choose(parents[chosen]),
	'ArrowRight': () => choose(nextOf(chosen)), 'ArrowLeft': () => choose(previousOf(chosen)),
	'Enter': () => zoom(chosen), 'Escape': back, 'Backspace': back, '0': () => zoom(0), 'Home': () => zoom(0),
	'n': () => step(1), 'p': () => step(-1), 't': toggleTheme, '?': toggleHelp,
	'/': () => { $('query').focus(); $('query').select(); },
};

function onKey(e) {
	if (e.ctrlKey || e.altKey || e.metaKey) return;
	if (e.target === $('query')) {
		if (e.key === 'Escape') $('flame').focus();
		return;
	}
	/* buttons have keys of their own */
	if (e.target.tagName === 'BUTTON' && (e.key === 'Enter' || e.key === ' ')) return;
	if (!keys[e.key]) return;
	e.preventDefault();
	keys[e.key]();
}

function listen() {
	const flame = $('flame');
	flame.addEventListener('click', (e) => { if (e.detail === 1) zoom(at(e)); });
	flame.addEventListener('dblclick', () => zoom(0));
	flame.addEventListener('mousemove', (e) => {
		const i = at(e);
		if (i === hovered) return;
		hovered = i;
		tell(i < 0 ? chosen : i);
		redraw();
	});
	flame.addEventListener('mouseleave', () => { hovered = -1; tell(chosen); redraw(); });
	$('search').addEventListener('submit', (e) => { e.preventDefault(); step(1); });
	$('query').addEventListener('input', () => search($('query').value));
	$('all').addEventListener('click', () => zoom(0));
	$('theme').addEventListener('click', toggleTheme);
	$('keys').addEventListener('click', toggleHelp);
	addEventListener('keydown', onKey);
	addEventListener('resize', redraw);
	addEventListener('hashchange', readFragment);
}

build();
document.title = DATA.title + ': ' + DATA.what;
$('title').textContent = DATA.title;
$('about').textContent = `${DATA.what}, by ${DATA.by}: ${value(total(0))}`;
$('notes').textContent = DATA.notes + (DATA.left_out ? `frames left out, which took least: ${DATA.left_out}\n` : '');
addFunctions();
listen();
useTheme();
tell(0);
readFragment();
draw();
document.documentElement.dataset.ready = 'yes';
})();
