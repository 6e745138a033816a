// http.mjs [ROUNDS] [SECONDS] - requests a second over HTTP: haft, nginx's `return 200`, and the TypeScript SDK.
//
// Everyone gets the same requests, and nginx answers with as many bytes as haft does.  The contestants take
// turns, so that a busy machine is busy for all.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { median, percent, spread, table } from './table.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 2);
const build = process.env.HAFT_BUILD ?? path.join(here, '../build/release');
const program = path.join(build, 'bench/http-server');
const loads = [1, 16, 64];
process.env.PATH += ':/usr/sbin'; // where nginx is
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'haft-bench-'));
const [serverCore, loadCore] = os.cpus().length > 1 ? ['0', '1'] : ['0', '0'];

const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};
const uuid = i => `0b8a7c1e-9f3d-4e21-8a5b-${i.toString(16).padStart(12, '0')}`;
const call = (name, args) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const modern = call('add', { a: 2, b: 40 });
modern.params._meta = meta;
const scenarios = {
    'add, 2025-11-25': { server: 'add', body: call('add', { a: 2, b: 40 }) },
    'add, 2026-07-28': { server: 'add', body: modern, headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'add' } },
    'order of 100': {
        server: 'add',
        body: call('order', { customerId: 'c-1', items: Array.from({ length: 100 }, (_, i) => ({ productId: uuid(i), quantity: i + 1 })) }),
    },
    'list of 200': { server: 'list', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
};
for (const scenario of Object.values(scenarios)) {
    scenario.headers = {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2025-11-25',
        ...scenario.headers,
    };
    scenario.text = JSON.stringify(scenario.body);
}

// ---- servers ----

const running = [];

function freePort() {
    return new Promise(resolve => {
        const server = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
}

async function start(port, command, ...args) {
    const child = spawn('taskset', ['-c', serverCore, command, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', data => (said += data));
    running.push(child);
    for (let tries = 0; ; tries++) {
        const open = await new Promise(resolve => {
            const socket = net.connect(port, '127.0.0.1', () => resolve(socket.end()));
            socket.on('error', () => resolve(null));
        });
        if (open) return child;
        if (tries === 200) throw new Error(`${command} does not listen: ${said}`);
        await new Promise(resolve => setTimeout(resolve, 50));
    }
}

// nginx takes no long texts, but puts short ones together.
function nginxText(size) {
    return '${thousand}'.repeat(Math.floor(size / 1000)) + 'x'.repeat(size % 1000);
}

async function startNginx() {
    const port = await freePort();
    const places = Object.values(scenarios).map((s, i) => `location /${i} { return 200 "${nginxText(s.answer.length)}"; }`);
    fs.writeFileSync(
        path.join(folder, 'nginx.conf'),
        `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
        events { worker_connections 1024; }
        http {
            access_log off; default_type application/json; keepalive_requests 1000000000; tcp_nodelay on;
            client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
            uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
            server { listen 127.0.0.1:${port}; set $thousand "${'x'.repeat(1000)}"; ${places.join('\n')} }
        }`,
    );
    await start(port, 'nginx', '-p', folder, '-c', path.join(folder, 'nginx.conf'), '-e', path.join(folder, 'nginx.log'));
    return port;
}

// ---- load ----

function script(name, scenario) {
    const file = path.join(folder, `${name.replace(/\W+/g, '-')}.lua`);
    const headers = Object.entries(scenario.headers).map(([key, value]) => `wrk.headers["${key}"] = "${value}"`);
    fs.writeFileSync(file, `wrk.method = "POST"\nwrk.body = [==[${scenario.text}]==]\n${headers.join('\n')}\n`);
    return file;
}

function load(scenario, url, connections) {
    const output = execFileSync(
        'taskset',
        ['-c', loadCore, 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', scenario.script, url],
        { encoding: 'utf8' },
    );
    if (/Non-2xx|Socket errors/.test(output)) throw new Error(`${url}: ${output}`);
    return Number(/Requests\/sec: *([\d.]+)/.exec(output)[1]);
}

// node's fetch sends further headers, and does not matter here.
async function ask(scenario, url) {
    const response = await fetch(url, { method: 'POST', headers: scenario.headers, body: scenario.text });
    const text = await response.text();
    if (response.status !== 200 || !text.includes('"result"') || text.includes('"isError":true')) throw new Error(`${url}: ${response.status} ${text}`);
    return text;
}

function rss(child) {
    return Number(/VmRSS:\s*(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;
}

// ---- the run ----

const measured = {};
let memory;
try {
    const haft = {}, peer = {};
    let first;
    for (const kind of ['add', 'list']) {
        haft[kind] = await freePort();
        const child = await start(haft[kind], program, kind, '--http', `127.0.0.1:${haft[kind]}`);
        first ??= child;
        peer[kind] = await freePort();
        await start(peer[kind], 'node', path.join(here, 'http_peer.mjs'), String(peer[kind]), kind);
    }
    for (const [name, scenario] of Object.entries(scenarios)) {
        scenario.script = script(name, scenario);
        scenario.answer = await ask(scenario, `http://127.0.0.1:${haft[scenario.server]}/mcp`);
        await ask(scenario, `http://127.0.0.1:${peer[scenario.server]}/mcp`);
    }
    const nginx = await startNginx();
    for (let round = 0; round < rounds; round++)
        Object.entries(scenarios).forEach(([name, scenario], i) => {
            for (const connections of loads) {
                const note = (who, url) => ((measured[`${name} ${connections}`] ??= {})[who] ??= []).push(load(scenario, url, connections));
                note('haft', `http://127.0.0.1:${haft[scenario.server]}/mcp`);
                note('nginx', `http://127.0.0.1:${nginx}/${i}`);
                note('peer', `http://127.0.0.1:${peer[scenario.server]}/mcp`);
            }
        });
    memory = rss(first);
} finally {
    for (const child of running) child.kill('SIGTERM');
    await Promise.all(running.map(child => child.exitCode ?? new Promise(resolve => child.on('exit', resolve))));
    fs.rmSync(folder, { recursive: true });
}

const ratio = (key, who) => median(measured[key].haft) / median(measured[key][who]);
const shown = values => `${median(values).toFixed(0)} ${percent(spread(values))}`;
table(
    ['requests a second', 'connections', 'haft', 'nginx', 'TypeScript SDK', 'to nginx', 'to the SDK'],
    Object.keys(scenarios).flatMap(name =>
        loads.map(n => {
            const key = `${name} ${n}`;
            return [name, n, shown(measured[key].haft), shown(measured[key].nginx), shown(measured[key].peer), ratio(key, 'nginx').toFixed(2), ratio(key, 'peer').toFixed(1)];
        }),
    ),
);

const expectations = [
    ...['add, 2025-11-25 64', 'add, 2026-07-28 64'].flatMap(key => [
        [`${key} connections: to nginx`, ratio(key, 'nginx'), 0.8, true],
        [`${key} connections: to the TypeScript SDK`, ratio(key, 'peer'), 10, true],
    ]),
    ['memory in MB', memory, 8, false],
];
for (const [what, value, bound, atLeast] of expectations) {
    const holds = atLeast ? value >= bound : value < bound;
    console.log(`${what}: ${value.toFixed(2)} (expected ${atLeast ? 'at least' : 'under'} ${bound})${holds ? '' : ': MISSED'}`);
    if (!holds) process.exitCode = 1;
}
