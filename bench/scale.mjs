// scale.mjs - what grows with what: loops, idle connections, open streams, tools.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

import { freePort, inFolder, loadCore, LEGACY, MODERN, pause, program, rss, serverCore, start, works } from './work.mjs';

const find = (name, era) => works.find(work => work.name === name && work.era === era);
const row = (work, measure, unit, values, less) => ({ part: 'scale', work, era: '', measure, unit, less, values: { haft: values } });

function httpText(work) {
    const headers = Object.entries({ Host: '127.0.0.1', ...work.headers, 'Content-Length': Buffer.byteLength(work.body) });
    return `POST /mcp HTTP/1.1\r\n${headers.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n${work.body}`;
}

// Opens connections, asks once on each, and waits for the first bytes of every answer.
async function connect(port, text, n) {
    const sockets = [];
    const one = () =>
        new Promise((resolve, reject) => {
            const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
            socket.once('data', data => (/^HTTP\/1.1 200/.test(data) ? resolve() : reject(new Error(String(data)))));
            socket.on('error', reject);
            sockets.push(socket);
        });
    for (let i = 0; i < n; i += 100) await Promise.all(Array.from({ length: Math.min(100, n - i) }, one));
    return sockets;
}

// Bytes of the server's memory that each of so many connections takes.
async function bytesEach(running, text, n) {
    const port = await freePort();
    const child = await start(running, port, [program('http-server'), '2', '--http', `127.0.0.1:${port}`, '--max-connections', '20000', '--idle-timeout', '10m']);
    const warm = await connect(port, text, 100);
    await pause(300);
    const before = rss(child);
    const sockets = await connect(port, text, n);
    await pause(1500);
    const bytes = ((rss(child) - before) * 1024) / n;
    for (const socket of [...warm, ...sockets]) socket.destroy();
    return bytes;
}

function listening() {
    const work = find('add', MODERN);
    const body = JSON.parse(work.body);
    const { _meta } = body.params;
    return {
        headers: { ...work.headers, Accept: 'text/event-stream, application/json', 'Mcp-Method': 'subscriptions/listen', 'Mcp-Name': undefined },
        body: JSON.stringify({ ...body, method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta } }),
    };
}

async function loops(folder, running, threads, rounds, seconds) {
    const work = find('add', LEGACY);
    const port = await freePort();
    const script = path.join(folder, 'add.lua');
    const headers = Object.entries(work.headers).map(([key, value]) => `wrk.headers["${key}"] = "${value}"`);
    fs.writeFileSync(script, `wrk.method = "POST"\nwrk.body = [==[${work.body}]==]\n${headers.join('\n')}\n`);
    await start(running, port, [program('http-server'), '2', '--http', `127.0.0.1:${port}`, '--threads', String(threads)], `${serverCore},${loadCore}`);
    return Array.from({ length: rounds }, () => {
        const output = execFileSync('wrk', ['-t1', '-c64', `-d${seconds}s`, '-s', script, `http://127.0.0.1:${port}/mcp`], { encoding: 'utf8' });
        return Number(/Requests\/sec: *([\d.]+)/.exec(output)[1]);
    });
}

function drive(folder, name, tools, n) {
    const file = path.join(folder, `${name}.txt`);
    fs.writeFileSync(file, find(name, LEGACY).body + '\n');
    return JSON.parse(
        execFileSync('taskset', ['-c', loadCore, program('stdio-driver'), String(n), '1', file, 'taskset', '-c', serverCore, program('http-server'), String(tools)], { encoding: 'utf8' }),
    );
}

// Instructions of a call: those of two runs of different length, less what is done once.
function instructions(folder, tools) {
    const [few, many] = [500, 2500].map(n => {
        const file = path.join(folder, `calls-${n}.txt`);
        fs.writeFileSync(file, (find('add', LEGACY).body + '\n').repeat(n));
        const said = execFileSync('sh', ['-c', `valgrind --tool=callgrind --callgrind-out-file=/dev/null '${program('http-server')}' ${tools} <'${file}' 2>&1 >/dev/null`], { encoding: 'utf8' });
        return Number(/Collected : (\d+)/.exec(said)[1]);
    });
    return (many - few) / 2000;
}

// Allocations of a call, counted by valgrind in the same way.
function allocations(folder) {
    const [few, many] = [500, 2500].map(n => {
        const said = execFileSync('sh', ['-c', `valgrind '${program('http-server')}' 2 <'${path.join(folder, `calls-${n}.txt`)}' 2>&1 >/dev/null`], { encoding: 'utf8' });
        return Number(/total heap usage: ([\d,]+) allocs/.exec(said)[1].replaceAll(',', ''));
    });
    return (many - few) / 2000;
}

async function httpAllocations() {
    const text = httpText(find('add', LEGACY));
    const counted = [];
    for (const n of [500, 2500]) {
        const port = await freePort();
        let said = '';
        await inFolder(async (_, running) => {
            const child = await start(running, port, ['valgrind', program('http-server'), '2', '--http', `127.0.0.1:${port}`]);
            child.stderr.on('data', data => (said += data));
            const [socket] = await connect(port, text, 1);
            for (let i = 0; i < n; i++) {
                socket.write(text);
                await new Promise(resolve => socket.once('data', resolve));
            }
            socket.destroy();
        });
        counted.push(Number(/total heap usage: ([\d,]+) allocs/.exec(said)[1].replaceAll(',', '')));
    }
    return (counted[1] - counted[0]) / 2000;
}

export default function run({ rounds = 3, seconds = 1 }) {
    return inFolder(async (folder, running) => {
        const rows = [];
        for (const threads of [1, 2]) rows.push(row('add over HTTP', `loops: ${threads}, 64 connections`, 'calls/s', await loops(folder, running, threads, rounds, seconds)));
        rows.push(row('10,000 idle connections', 'memory of each', 'bytes', [await bytesEach(running, httpText(find('add', LEGACY)), 9800)], true));
        rows.push(row('1,000 open streams', 'memory of each', 'bytes', [await bytesEach(running, httpText(listening()), 1000)], true));
        for (const tools of [10, 100, 1000, 10000]) {
            const times = Array.from({ length: rounds }, () => [drive(folder, 'add', tools, 5000).p50, drive(folder, 'list', tools, Math.max(50, 20000 / tools)).p50]);
            if (tools === 10 || tools === 10000) rows.push(row(`${tools} tools`, 'a call, instructions', '', [instructions(folder, tools)], true));
            rows.push(row(`${tools} tools`, 'a call, p50', 'µs', times.map(([call]) => call), true));
            rows.push(row(`${tools} tools`, 'tools/list, p50', 'µs', times.map(([, list]) => list), true));
        }
        rows.push(row('add on stdio', 'allocations of a call', '', [allocations(folder)], true));
        rows.push(row('add over HTTP', 'allocations of a call', '', [await httpAllocations()], true));
        return rows;
    });
}
