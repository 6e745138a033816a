// upstreams.mjs [quick] - `add` through a gateway: haft before an HTTP server and before a child process, nginx's
// proxy_pass before the same server, and mcp-proxy and supergateway from npm before the same child.
//
// What a proxy costs is the processor time of its own processes for each call, without that of what it calls.  The
// contestants take turns, so that a busy machine is busy for all; ratios are those of one turn.  supergateway listens on
// every interface, so everything runs in a network of its own, which has only the loopback interface.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { load } from './http.mjs';
import { median, percent, spread, table } from './table.mjs';
import { build, freePort, here, inFolder, LEGACY, loadCore, program, rss, start, works } from './work.mjs';

if (!process.env.HAFT_BENCH_ALONE) {
    const words = ['-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...process.argv.slice(1)];
    const { status } = spawnSync('unshare', words, { stdio: 'inherit', env: { ...process.env, HAFT_BENCH_ALONE: '1' } });
    process.exit(status ?? 1);
}

const quick = process.argv[2] === 'quick';
const rounds = quick ? 3 : 9;
const seconds = quick ? 1 : 3;
const connections = 16;
const work = works.find(({ name, era }) => name === 'add' && era === LEGACY);
const haft = path.join(build, 'bin/haft');
const modules = path.join(here, 'node_modules');

// ---- processor time ----

const children = pid => fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const isBackend = pid => fs.readlinkSync(`/proc/${pid}/exe`) === program('stdio-server');

// Of a process and what it started, except for the server that it is a proxy for; in microseconds.
function processorTime(pid) {
    if (isBackend(pid)) return 0;
    const tasks = fs.readdirSync(`/proc/${pid}/task`);
    const own = tasks.reduce((sum, task) => sum + Number(fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000, 0);
    return children(pid).reduce((sum, child) => sum + processorTime(child), own);
}

// ---- the contestants ----

function nginxFile(folder, port, backend) {
    const file = path.join(folder, 'nginx.conf');
    fs.writeFileSync(
        file,
        `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
        events { worker_connections 1024; }
        http {
            access_log off; keepalive_requests 1000000000; tcp_nodelay on;
            client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
            uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
            upstream backend { server 127.0.0.1:${backend}; keepalive 64; keepalive_requests 1000000000; }
            server { listen 127.0.0.1:${port}; location / { proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host; } }
        }`,
    );
    return file;
}

function haftFile(folder, name, upstream) {
    const file = path.join(folder, `${name}.json`);
    fs.writeFileSync(file, JSON.stringify({ gateway: { upstreams: { bench: { mcp: upstream, prefix: 'none' } }, endpoints: [{ name, endpoint: '/mcp' }] } }));
    return file;
}

// The session that a server wants, if it wants one.
async function greet(url) {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'bench', version: '1' } } };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(hello) });
    const id = response.headers.get('mcp-session-id');
    const session = id ? { 'Mcp-Session-Id': id } : {};
    await response.text();
    await fetch(url, { method: 'POST', headers: { ...headers, ...session }, body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) });
    return session;
}

// Calls of one session have different ids, or a gateway must refuse them; so the load takes turns with prepared requests.
// The form with `checked` also reads every answer, and writes the first that is not the sum.
function script(folder, { name, headers, body }, checked = false) {
    const file = path.join(folder, `${name}${checked ? '-checked' : ''}.lua`);
    const bodies = Array.from({ length: 1024 }, (_, i) => `[==[${body.replace('1000000', 1000000 + i)}]==]`);
    const check = `local told = false
        function response(status, headers, body)
            if not told and not (status == 200 and body:find('"sum":42', 1, true)) then told = true; io.stderr:write(status, " ", body, "\\n") end
        end`;
    fs.writeFileSync(
        file,
        `wrk.method = "POST"
        ${Object.entries(headers).map(([key, value]) => `wrk.headers["${key}"] = "${value}"`).join('\n')}
        local bodies = { ${bodies.join(',\n')} }
        local requests, next = {}, 0
        function init() for i, body in ipairs(bodies) do requests[i] = wrk.format(nil, nil, nil, body) end end
        function request() next = next % #requests + 1; return requests[next] end
        ${checked ? check : ''}\n`,
    );
    return file;
}

// Every call of a load like the measured one is answered with the sum.
function answersAll(folder, one) {
    const { status, stderr } = spawnSync('wrk', ['-t1', `-c${connections}`, '-d1s', '-s', script(folder, one, true), one.url], { encoding: 'utf8' });
    if (status !== 0 || stderr) throw new Error(`${one.name}: ${stderr}`);
}

const shown = (values, digits = 0) => `${median(values).toFixed(digits)} ${percent(spread(values))}`;
const ratios = (a, b) => a.map((value, i) => value / b[i]);

const { speeds, costs, delays, memory } = await inFolder(async (folder, running) => {
    const contestants = [];
    const backend = await freePort();
    const add = async (name, command, where = '/mcp') => {
        const port = await freePort();
        const child = await start(running, port, command(port));
        const url = `http://127.0.0.1:${port}${where}`;
        const one = { ...work, name, url, child, headers: { ...work.headers, ...(await greet(url)) } };
        answersAll(folder, one);
        contestants.push({ ...one, script: script(folder, one) });
    };
    const child = [program('stdio-server')];

    // What is called shares the load's core: what is measured has its own.
    await start(running, backend, [program('http-server'), '2', '--http', `127.0.0.1:${backend}`], loadCore);
    await add('nginx', port => ['nginx', '-p', folder, '-c', nginxFile(folder, port, backend), '-e', path.join(folder, 'nginx.log')]);
    await add('haft, HTTP', port => [haft, 'serve', '--config', haftFile(folder, 'http', { url: `http://127.0.0.1:${backend}/mcp` }), '--http', `127.0.0.1:${port}`]);
    await add('haft, child', port => [haft, 'serve', '--config', haftFile(folder, 'child', { command: child }), '--http', `127.0.0.1:${port}`]);
    await add('mcp-proxy', port => ['node', path.join(modules, 'mcp-proxy/dist/bin/mcp-proxy.mjs'), '--host', '127.0.0.1', '--port', String(port), ...child]);
    await add('supergateway', port => ['node', path.join(modules, 'supergateway/dist/index.js'), '--stdio', child[0], '--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none']);
    const speeds = {};
    const costs = {};
    const delays = {};
    for (let round = 0; round < rounds; round++)
        for (const one of contestants) {
            const before = processorTime(one.child.pid);
            const { speed } = load(one, one.url, connections, seconds);
            (speeds[one.name] ??= []).push(speed);
            (costs[one.name] ??= []).push((processorTime(one.child.pid) - before) / (speed * seconds));
            (delays[one.name] ??= []).push(load(one, one.url, 1, 1).p50);
        }
    return { speeds, costs, delays, memory: Object.fromEntries(contestants.map(one => [one.name, rss(one.child) / 1024])) };
});

table(
    ['add through a gateway, 16 connections', 'calls/s', 'processor, µs a call', 'p50 at one connection, µs', 'memory, MB'],
    Object.keys(speeds).map(name => [name, shown(speeds[name]), shown(costs[name], 1), shown(delays[name]), memory[name].toFixed(1)]),
);
console.log();
const checks = [
    { name: 'before an HTTP server: calls/s to nginx', values: ratios(speeds['haft, HTTP'], speeds.nginx), bound: 0.7, atLeast: true },
    { name: 'before an HTTP server: processor time to nginx', values: ratios(costs['haft, HTTP'], costs.nginx), bound: 1.3 },
    { name: 'before a child: processor time to nginx', values: ratios(costs['haft, child'], costs.nginx), bound: 1 },
    ...['mcp-proxy', 'supergateway'].map(name => ({ name: `before a child: calls/s to ${name}`, values: ratios(speeds['haft, child'], speeds[name]), bound: 20, atLeast: true })),
];
const met = ({ values, bound, atLeast }) => (atLeast ? median(values) >= bound : median(values) <= bound);
table(['expected', 'measured', 'bound', ''], checks.map(check => [check.name, shown(check.values, 2), `${check.atLeast ? 'at least' : 'at most'} ${check.bound}`, met(check) ? 'met' : 'MISSED']));
process.exitCode = checks.every(met) ? 0 : 1;
