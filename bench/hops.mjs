// hops.mjs - through how many functions one call goes: an `add` of 2026-07-28 over HTTP, warm, on one connection.
//
//     hops.mjs TREE SERVER [--list]
//
// A hop is a function of ours that calls another, or that somebody else calls, counted once for each pair however
// often it happens; `between files` are those whose two functions are not in one file.  The rooms base and json are
// tools, as the C library is, and are counted apart; the handler is the program's own and does not count.  A crossing
// is a hop from one room to another.  `--list` prints them all, with how often each happens.
import path from 'node:path';

import { callsOf, profileOf } from './callgrind.mjs';
import { inFolder, MODERN, works } from './work.mjs';

const [tree, server, list] = process.argv.slice(2);
const few = 20;
const many = 60;
const tools = new Set(['base', 'json']);
const work = works.find(one => one.name === 'add' && one.era === MODERN);

// Null for what is not ours.
function roomOf(file) {
    const [top, room] = path.relative(tree, path.resolve(tree, file ?? '')).split(path.sep);
    return top === 'src' ? room : top === 'include' ? 'include' : null;
}

function countInto(edges, profile, sign) {
    for (const { from, to, times } of callsOf(profile)) {
        const key = `${from.file} ${from.name} ${to.file} ${to.name}`;
        const edge = edges.get(key) ?? { from, to, times: 0 };
        edge.times += sign * times;
        edges.set(key, edge);
    }
}

function counted(edges) {
    const each = many - few;
    const onTheWay = [...edges.values()]
        .map(edge => ({ ...edge, times: Math.round(edge.times / each), rooms: [roomOf(edge.from.file), roomOf(edge.to.file)] }))
        .filter(edge => edge.times > 0 && edge.rooms[1]);
    const isTool = room => room === 'include' || tools.has(room);
    const hops = onTheWay.filter(({ rooms }) => !isTool(rooms[1]) && !isTool(rooms[0]));
    return {
        hops,
        tools: onTheWay.filter(edge => isTool(edge.rooms[1])),
        crossings: hops.filter(({ rooms: [from, to] }) => from && from !== to),
    };
}

const entries = edges => edges.reduce((total, edge) => total + edge.times, 0);
const functions = edges => new Set(edges.map(({ to }) => `${to.file} ${to.name}`)).size;
const row = (name, edges) => console.log(`${name.padEnd(24)}${String(edges.length).padStart(6)}${String(entries(edges)).padStart(9)}`);

function print({ hops, tools, crossings }) {
    const between = {};
    for (const edge of crossings) (between[edge.rooms.join(' -> ')] ??= []).push(edge);
    console.log(`${''.padEnd(24)}${'pairs'.padStart(6)}${'entries'.padStart(9)}`);
    row('hops', hops);
    row('  between files', hops.filter(({ from, to }) => from.file !== to.file));
    row('room crossings', crossings);
    for (const [rooms, edges] of Object.entries(between).sort()) row(`  ${rooms}`, edges);
    row('into base and json', tools);
    console.log(`functions               ${String(functions(hops)).padStart(6)}`);
}

const line = ({ from, to, times, rooms }) => `${rooms[0] ?? '-'}/${from.name} -> ${rooms[1]}/${to.name}${times > 1 ? ` x${times}` : ''}`;

const edges = new Map();
await inFolder(async folder => {
    countInto(edges, await profileOf('HTTP', server, work, many, folder), 1);
    countInto(edges, await profileOf('HTTP', server, work, few, folder), -1);
});
const result = counted(edges);
print(result);
if (list) console.log(['', ...result.hops.map(line).sort(), '', ...result.tools.map(line).sort()].join('\n'));
