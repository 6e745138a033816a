// tasks.mjs [quick] - tasks in a SQLite file: how many a second are created, beside transactions of bare SQLite with as
// many tasks in each; how fast they are polled, beside plain calls; and what 100,000 of them cost at the start.
//
// A task is acknowledged when it is on disk.  With N connections N creations are in flight, so the peer commits N tasks at a
// time.  The contestants take turns with new files in the same folder, on the same core, and ratios are those of one turn.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { median, percent, spread, table } from './table.mjs';
import { freePort, inFolder, loadCore, MODERN, pause, program, serverCore } from './work.mjs';

const quick = process.argv.includes('quick');
const [rounds, seconds, stored] = quick ? [3, 1, 10000] : [5, 2, 100000];
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

const memory = ({ child }, name) => Number(new RegExp(`${name}:\\s*(\\d+)`).exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);

function remove(file) {
    for (const end of ['', '-wal', '-shm']) fs.rmSync(file + end, { force: true });
}

async function finish({ url }, taskId) {
    while ((await ask(url, request('tasks/get', { taskId }))).status !== 'completed') await pause(5);
}

// ---- what is measured ----

const bare = (file, n) => Number(execFileSync('taskset', ['-c', serverCore, program('bare-tasks'), file, n, seconds], { encoding: 'utf8' }));

// Tasks a second that only wait, that run and end, and of the peer.
async function creation(folder, running) {
    const file = path.join(folder, 'tasks.db');
    const rows = inFlight.map(n => ({ n, park: [], job: [], bare: [] }));
    for (let round = 0; round < rounds; round++)
        for (const row of rows) {
            row.bare.push(bare(file, row.n));
            remove(file);
            for (const name of ['park', 'job']) {
                const server = await open(running, file);
                row[name].push(load(folder, server.url, call(name), '"taskId"', row.n, seconds));
                await kill(server);
                remove(file);
            }
        }
    return rows;
}

async function pollingRate(folder, running) {
    const file = path.join(folder, 'polled.db');
    const server = await open(running, file);
    const { taskId } = await ask(server.url, call('job'));
    const get = request('tasks/get', { taskId });
    await finish(server, taskId);
    const rows = polling.map(n => ({ n, get: [], add: [] }));
    for (let round = 0; round < rounds; round++)
        for (const row of rows) {
            row.get.push(load(folder, server.url, get, '"completed"', row.n, quick ? 1 : 2));
            row.add.push(load(folder, server.url, call('add'), '"sum":42', row.n, quick ? 1 : 2));
        }
    await kill(server);
    return rows;
}

// A file with so many tasks that have ended.
async function fill(folder, running, file) {
    const server = await open(running, file);
    let created = 0;
    while (created < stored) {
        const rate = load(folder, server.url, call('job'), '"taskId"', 64, 5);
        created += rate * 5;
    }
    await finish(server, (await ask(server.url, call('job'))).taskId); // the latest one
    await stop(server, 'SIGTERM');
    return Math.round(created);
}

async function starts(folder, running) {
    const full = path.join(folder, 'full.db'), empty = path.join(folder, 'empty.db');
    const created = await fill(folder, running, full);
    const bytes = fs.statSync(full).size;
    const rows = [['empty', empty], ['full', full]].map(([name, file]) => ({ name, file, ms: [], rss: [], peak: [] }));
    await kill(await open(running, empty));
    for (let round = 0; round < rounds; round++)
        for (const row of rows) {
            const server = await open(running, row.file);
            row.ms.push(server.ms);
            row.rss.push(memory(server, 'VmRSS'));
            await pause(2000); // it looks for tasks without an owner meanwhile
            await ask(server.url, call('add'));
            row.peak.push(memory(server, 'VmHWM'));
            await kill(server);
        }
    return { created, bytes, rows };
}

// ---- the tables ----

const shown = (values, digits = 0) => `${median(values).toFixed(digits)} ${percent(spread(values))}`;
const ratios = (a, b) => a.map((value, i) => value / b[i]);

await inFolder(async (folder, running) => {
    const checks = [];
    const expect = (name, values, bound, most = false) => checks.push({ name, values, bound, most });
    console.log(`load average before: ${os.loadavg()[0].toFixed(1)}`);

    const made = await creation(folder, running);
    table(['in flight', 'created/s', 'SQLite, tasks/s', 'ratio', 'run to the end/s', 'ratio'], made.map(row => [
        row.n, shown(row.park), shown(row.bare), shown(ratios(row.park, row.bare), 2), shown(row.job), shown(ratios(row.job, row.bare), 2)]));
    for (const row of made) expect(`tasks created, ${row.n} in flight: to bare SQLite`, ratios(row.park, row.bare), 0.7);
    console.log();

    const polled = await pollingRate(folder, running);
    table(['connections', 'tasks/get/s', 'tools/call of add/s', 'ratio'], polled.map(row => [row.n, shown(row.get), shown(row.add), shown(ratios(row.get, row.add), 2)]));
    console.log();

    const { created, bytes, rows } = await starts(folder, running);
    const [none, many] = rows;
    table(['file', 'start, ms', 'memory at the start, KB', 'at most in 2 s, KB'], rows.map(row => [
        row === many ? `${created} tasks, ${(bytes / 1e6).toFixed(0)} MB` : 'empty', shown(row.ms, 1), shown(row.rss), shown(row.peak)]));
    expect('start with stored tasks: ms more than with an empty file', many.ms.map((ms, i) => ms - none.ms[i]), 500, true);
    expect('memory with stored tasks: MB more than with an empty file', many.peak.map((kb, i) => (kb - none.peak[i]) / 1024), 16, true);
    console.log();

    const met = ({ values, bound, most }) => (most ? median(values) <= bound : median(values) >= bound);
    table(['expected', 'measured', 'bound', ''], checks.map(check => [
        check.name, shown(check.values, 2), `${check.most ? 'at most' : 'at least'} ${check.bound}`, met(check) ? 'met' : 'MISSED']));
    process.exitCode = checks.every(met) ? 0 : 1;
});
