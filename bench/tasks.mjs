// tasks.mjs - tasks in a SQLite file: how many a second are created, beside transactions of bare SQLite with as
// many tasks in each, and beside a plain call whose handler commits with bare SQLite before it answers; how fast they are
// polled, beside plain calls; and what 100,000 of them cost at the start.
//
// A task is acknowledged when it is on disk.  With N connections N creations are in flight, so the peer commits N tasks at a
// time.  The contestants take turns with new files in the same folder, on the same core, and ratios are those of one turn.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { freePort, inFolder, loadCore, MODERN, pause, program, serverCore } from './work.mjs';

const inFlight = [1, 16, 64, 256];
const polling = [1, 16, 64];
const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};

// ---- requests ----

function request(method, params) {
    return {
        body: JSON.stringify({ jsonrpc: '2.0', id: 1000000, method, params: { ...params, _meta: meta } }),
        headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            'MCP-Protocol-Version': MODERN,
            'Mcp-Method': method,
            'Mcp-Name': params.name ?? params.taskId,
        },
    };
}

const call = name => request('tools/call', { name, arguments: { a: 2, b: 40 } });

async function ask(url, { body, headers }) {
    const text = await (await fetch(url, { method: 'POST', headers, body })).text();
    const { result } = JSON.parse(text);
    if (!result || result.isError) throw new Error(text);
    return result;
}

// Every answer must contain the text; one that does not fails the run.
function load(folder, url, { body, headers }, wanted, connections, duration) {
    const file = path.join(folder, 'load.lua');
    fs.writeFileSync(
        file,
        `wrk.method = "POST"\nwrk.body = [==[${body}]==]
${Object.entries(headers).map(([key, value]) => `wrk.headers["${key}"] = "${value}"`).join('\n')}
local threads = {}
function setup(thread) table.insert(threads, thread) end
function init() wrong = 0 end
function response(status, headers, body)
    if not string.find(body, '${wanted}', 1, true) then wrong = wrong + 1 end
end
function done() for _, thread in ipairs(threads) do print("wrong: " .. thread:get("wrong")) end end
`,
    );
    const output = execFileSync('taskset', ['-c', loadCore, 'wrk', '-t1', `-c${connections}`, `-d${duration}s`, '-s', file, url], { encoding: 'utf8' });
    if (/Non-2xx|Socket errors/.test(output) || !/^wrong: 0$/m.test(output)) throw new Error(`${url}: ${output}`);
    return Number(/Requests\/sec: *([\d.]+)/.exec(output)[1]);
}

// ---- servers ----

// Starts a server on the file; its `ms` is the time until it listens.
async function open(running, file) {
    const port = await freePort();
    const begin = performance.now();
    const child = spawn('taskset', ['-c', serverCore, program('task-server'), file, '--http', `127.0.0.1:${port}`, '--insecure'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';

    running.push(child);
    await new Promise((resolve, reject) => {
        child.stderr.on('data', data => /listening on/.test((said += data)) && resolve());
        child.on('exit', () => reject(new Error(`task-server does not listen: ${said}`)));
    });
    return { child, ms: performance.now() - begin, url: `http://127.0.0.1:${port}/mcp` };
}

function stop({ child }, signal) {
    const gone = new Promise(resolve => child.once('exit', resolve));
    child.kill(signal);
    return gone;
}
// Its tasks need no end: the file is removed, or they have ended.
const kill = server => stop(server, 'SIGKILL');

const mostMemory = ({ child }) => Number(/VmHWM:\s*(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);

function remove(file) {
    for (const end of ['', '-wal', '-shm', '-bare', '-bare-wal', '-bare-shm']) fs.rmSync(file + end, { force: true });
}

async function finish({ url }, taskId) {
    while ((await ask(url, request('tasks/get', { taskId }))).status !== 'completed') await pause(5);
}

// ---- what is measured ----

const bare = (file, n, seconds) => Number(execFileSync('taskset', ['-c', serverCore, program('bare-tasks'), file, n, seconds], { encoding: 'utf8' }));

// Tasks a second that only wait, that run and end, and of the peers.  The handler of `commit` commits one task at a time,
// however many calls wait, so it is a peer of one in flight only.
async function creation(folder, running, rounds, seconds) {
    const file = path.join(folder, 'tasks.db');
    const rows = inFlight.map(n => ({ n, park: [], job: [], bare: [], commit: [] }));
    for (let round = 0; round < rounds; round++)
        for (const row of rows) {
            row.bare.push(bare(file, row.n, seconds));
            remove(file);
            for (const name of row.n === 1 ? ['park', 'job', 'commit'] : ['park', 'job']) {
                const server = await open(running, file);
                row[name].push(load(folder, server.url, call(name), name === 'commit' ? '"sum":42' : '"taskId"', row.n, seconds));
                await kill(server);
                remove(file);
            }
        }
    return rows;
}

async function pollingRate(folder, running, rounds, seconds) {
    const file = path.join(folder, 'polled.db');
    const server = await open(running, file);
    const { taskId } = await ask(server.url, call('job'));
    const get = request('tasks/get', { taskId });
    await finish(server, taskId);
    const rows = polling.map(n => ({ n, get: [], add: [] }));
    for (let round = 0; round < rounds; round++)
        for (const row of rows) {
            row.get.push(load(folder, server.url, get, '"completed"', row.n, seconds));
            row.add.push(load(folder, server.url, call('add'), '"sum":42', row.n, seconds));
        }
    await kill(server);
    return rows;
}

// A file with so many tasks that have ended.
async function fill(folder, running, file, stored) {
    const server = await open(running, file);
    for (let created = 0; created < stored;) created += load(folder, server.url, call('job'), '"taskId"', 64, 5) * 5;
    await finish(server, (await ask(server.url, call('job'))).taskId); // the latest one
    await stop(server, 'SIGTERM');
}

async function starts(folder, running, rounds, stored) {
    const full = path.join(folder, 'full.db'), empty = path.join(folder, 'empty.db');
    const rows = [empty, full].map(file => ({ file, ms: [], peak: [] }));
    await fill(folder, running, full, stored);
    await kill(await open(running, empty));
    for (let round = 0; round < rounds; round++)
        for (const row of rows) {
            const server = await open(running, row.file);
            row.ms.push(server.ms);
            await pause(2000); // it looks for tasks without an owner meanwhile
            await ask(server.url, call('add'));
            row.peak.push(mostMemory(server));
            await kill(server);
        }
    return rows;
}

// ---- the rows ----

const row = (work, measure, unit, haft, limit, less) => ({ part: 'tasks', work, era: MODERN, measure, unit, less, turns: true, values: { haft, limit } });

export default function run({ rounds: wanted = 5, scale = 1 }) {
    const rounds = Math.max(wanted, 3); // the disk differs from turn to turn
    const seconds = scale < 1 ? 1 : 2;
    return inFolder(async (folder, running) => {
        const rows = [];
        for (const { n, park, job, bare, commit } of await creation(folder, running, rounds, seconds)) {
            rows.push(row('create, to bare SQLite', `${n} in flight`, 'tasks/s', park, bare));
            if (n === 1) rows.push(row('create, to bare SQLite behind HTTP', `${n} in flight`, 'tasks/s', park, commit));
            rows.push(row('run to the end, to bare SQLite', `${n} in flight`, 'tasks/s', job, bare));
        }
        for (const { n, get, add } of await pollingRate(folder, running, rounds, seconds))
            rows.push(row('tasks/get, to a plain call', `${n} connection${n > 1 ? 's' : ''}`, 'requests/s', get, add));
        const [none, many] = await starts(folder, running, rounds, 100000 * scale);
        rows.push(row('stored tasks, to an empty file', 'start', 'ms', many.ms, none.ms, true));
        rows.push(row('stored tasks, to an empty file', 'most memory in 2 s', 'KB', many.peak, none.peak, true));
        return rows;
    });
}
