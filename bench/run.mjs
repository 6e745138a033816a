// run.mjs PART|all [quick] - runs a part, or all, and prints one table and what was expected of it.
//
// `all` also writes the table and the plot into docs.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { plot } from './plot.mjs';
import { median, percent, spread, table } from './table.mjs';
import { here, LEGACY, MODERN } from './work.mjs';

const parts = ['stdio', 'http', 'tls', 'tasks', 'scale', 'size'];
const [what = 'all', quick] = process.argv.slice(2);
const options = quick === 'quick' ? { rounds: 1, scale: 0.1 } : {};
const started = new Date();
const loadBefore = os.loadavg()[0];

const rows = [];
for (const part of what === 'all' ? parts : [what]) {
    console.error(`== ${part}`);
    rows.push(...(await (await import(`./${part}.mjs`)).default(options)));
}

// ---- the table ----

const isPeer = who => who.startsWith('SDK');
const better = (row, a, b) => (row.less ? a < b : a > b);
const bestPeer = row =>
    Object.entries(row.values)
        .filter(([who]) => isPeer(who))
        .map(([who, values]) => [who, median(values)])
        .reduce((best, one) => (!best || better(row, one[1], best[1]) ? one : best), null);
const amount = value => (value >= 1000 ? Math.round(value).toLocaleString('en') : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const shown = (row, who) => (row.values[who] ? `${amount(median(row.values[who]))}${row.values[who].length > 2 ? ` ${percent(spread(row.values[who]))}` : ''}` : '');
// How good haft is to another: over 1 is better, whichever way the measure counts.
const ratio = (row, value) => (row.less ? value / median(row.values.haft) : median(row.values.haft) / value);
// With `turns`, the median of the ratios of single turns: a machine that others use is slow for both in one turn.
const turnRatios = (row, who) => row.values.haft.map((value, i) => (row.less ? row.values[who][i] / value : value / row.values[who][i]));
const ratioTo = (row, who) => (!row.values[who] ? NaN : row.turns ? median(turnRatios(row, who)) : ratio(row, median(row.values[who])));
const times = value => (Number.isNaN(value) ? '' : value >= 10 ? value.toFixed(0) : value.toFixed(2));

const headings = ['', 'revision', 'measure', 'unit', 'haft', 'limit', 'nginx', 'best of npm', 'which', 'to limit', 'to npm'];
const lines = rows.map(row => {
    const peer = bestPeer(row);
    return [
        `${row.part}: ${row.work}`, row.era, row.measure, row.unit, shown(row, 'haft'), shown(row, 'limit'), shown(row, 'nginx'),
        peer ? amount(peer[1]) : '', peer ? peer[0] : '', times(ratioTo(row, 'limit')), peer ? times(ratio(row, peer[1])) : '',
    ];
});
table(headings, lines);

// ---- what is expected ----

const find = (part, work, measure, era) => rows.find(row => row.part === part && row.work === work && row.measure === measure && (!era || row.era === era));
const checks = [];
const expect = (name, row, value, bound, atLeast = true) => row && checks.push({ name, value: value(row), bound, atLeast });
const toPeer = row => ratio(row, bestPeer(row)[1]);
for (const era of [LEGACY, MODERN]) {
    const stdio = (work, measure = 'window of 64') => find('stdio', work, measure, era);
    expect(`stdio add, ${era}: to the canned loop`, stdio('add'), row => ratioTo(row, 'limit'), 0.8);
    expect(`stdio add, ${era}: to the best of npm`, stdio('add'), toPeer, 10);
    expect(`stdio order of 100, ${era}: to the canned loop`, stdio('order'), row => ratioTo(row, 'limit'), 0.65);
    expect(`stdio order of 100, ${era}: to the best of npm`, stdio('order'), toPeer, 6);
    expect(`stdio list of 200, ${era}: to the canned loop`, stdio('list'), row => ratioTo(row, 'limit'), 0.85);
    expect(`stdio add, ${era}, one at a time: of the canned loop's time`, stdio('add', 'one at a time, p50'), row => 1 / ratioTo(row, 'limit'), 1.1, false);
    for (const n of [16, 64]) {
        const http = find('HTTP', 'add', `${n} connections`, era);
        expect(`HTTP add, ${era}, ${n} connections: to nginx`, http, row => ratioTo(row, 'nginx'), 0.85);
        expect(`HTTP add, ${era}, ${n} connections: to the canned server`, http, row => ratioTo(row, 'limit'), 0.7);
        expect(`HTTP add, ${era}, ${n} connections: to the best of npm`, http, toPeer, 10);
    }
    expect(`HTTP order of 100, ${era}, 16 connections: to the best of npm`, find('HTTP', 'order', '16 connections', era), toPeer, 12);
}
for (const n of [16, 64])
    expect(`TLS 1.3 add, ${n} connections: to nginx`, find('TLS', 'add', `${n} connections`), row => ratioTo(row, 'nginx'), 0.7);
for (const n of [16, 64, 256]) // alone, a commit behind HTTP is the limit: the next line
    expect(`tasks created, ${n} in flight: to bare SQLite`, find('tasks', 'create, to bare SQLite', `${n} in flight`), row => ratioTo(row, 'limit'), 0.7);
expect('tasks created, 1 in flight: to bare SQLite behind HTTP', find('tasks', 'create, to bare SQLite behind HTTP', '1 in flight'), row => ratioTo(row, 'limit'), 0.7);
const moreThanLimit = row => median(row.values.haft) - median(row.values.limit);
expect('start with stored tasks: ms more than with an empty file', find('tasks', 'stored tasks, to an empty file', 'start'), moreThanLimit, 500, false);
expect('memory with stored tasks: MB more than with an empty file', find('tasks', 'stored tasks, to an empty file', 'most memory in 2 s'), row => moreThanLimit(row) / 1024, 16, false);
const begin = find('stdio', 'add', 'start to first answer', LEGACY);
expect("start to first answer: of the canned loop's", begin, row => 1 / ratioTo(row, 'limit'), 1.6, false);
expect('start to first answer: times sooner than the SDK on node', begin, row => ratioTo(row, 'SDK 2.4.0, node'), 80);
expect('memory on stdio after 100,000 calls, MB', find('stdio', 'add', 'memory after 100,000 calls', LEGACY), row => median(row.values.haft), 3, false);
expect('memory over HTTP at the end, MB', find('HTTP', 'add', 'memory at the end'), row => median(row.values.haft), 6, false);
expect('a server of one tool, KB', find('size', 'a server of one tool on stdio', 'stripped, haft in it'), row => median(row.values.haft), 300, false);
expect('allocations of a call on stdio', find('scale', 'add on stdio', 'allocations of a call'), row => median(row.values.haft), 0.001, false);
expect('allocations of a call over HTTP', find('scale', 'add over HTTP', 'allocations of a call'), row => median(row.values.haft), 0.001, false);
const ten = find('scale', '10 tools', 'a call, instructions');
expect('a call with 10,000 tools: of that with 10', find('scale', '10000 tools', 'a call, instructions'), row => median(row.values.haft) / median(ten.values.haft), 1.05, false);
expect('bytes of an idle connection', find('scale', '10,000 idle connections', 'memory of each'), row => median(row.values.haft), 2048, false);

const verdict = check => ((check.atLeast ? check.value >= check.bound : check.value <= check.bound) ? 'met' : 'MISSED');
const checkLines = checks.map(check => [check.name, amount(check.value), `${check.atLeast ? 'at least' : 'at most'} ${check.bound}`, verdict(check)]);
console.log();
table(['expected', 'measured', 'bound', ''], checkLines);

// ---- the page ----

const markdown = (head, body) => [head, head.map(() => '---'), ...body].map(cells => `| ${cells.join(' | ')} |`).join('\n');

if (what === 'all') {
    const page = path.join(here, '../docs/performance.md');
    const about = `Measured ${started.toISOString().slice(0, 10)} on ${os.cpus()[0].model.trim()}, ${os.cpus().length} cores, ${os.type()} ${os.release().split('-')[0]}, ` +
        `node ${process.version}; load average before ${loadBefore.toFixed(1)}${quick ? '; a quick run' : ''}.`;
    const generated = [about, markdown(['expected', 'measured', 'bound', ''], checkLines), '![Calls a second](performance.svg)', markdown(headings, lines)].join('\n\n');
    const text = fs.readFileSync(page, 'utf8');
    const marks = /(<!-- made by .\/dev bench: begin -->\n)[\s\S]*(\n<!-- made by .\/dev bench: end -->)/;
    if (!marks.test(text)) throw new Error(`${page} has no place for the table`);
    fs.writeFileSync(page, text.replace(marks, (_, begins, ends) => `${begins}\n${generated}\n${ends}`));
    fs.writeFileSync(path.join(here, '../docs/performance.svg'), plot(rows.filter(row => row.unit === 'calls/s' && row.part !== 'scale' && /64/.test(row.measure)), median));
}
process.exitCode = checks.some(check => verdict(check) !== 'met') ? 1 : 0;
