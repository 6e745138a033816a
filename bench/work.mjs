// work.mjs - the work that everyone gets, who there is, and how they are started.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = path.dirname(fileURLToPath(import.meta.url));
export const build = process.env.HAFT_BUILD ?? path.join(here, '../build/release');
export const program = name => path.join(build, 'bench', name);
export const [serverCore, loadCore] = os.cpus().length > 1 ? ['0', '1'] : ['0', '0'];
process.env.PATH += ':/usr/sbin'; // where nginx is

export const LEGACY = '2025-11-25';
export const MODERN = '2026-07-28';

const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};
const uuid = i => `0b8a7c1e-9f3d-4e21-8a5b-${i.toString(16).padStart(12, '0')}`;
const call = (name, args) => ({ method: 'tools/call', params: { name, arguments: args } });
const requests = {
    add: { tools: 2, ...call('add', { a: 2, b: 40 }) },
    order: { tools: 2, ...call('order', { customerId: 'c-1', items: Array.from({ length: 100 }, (_, i) => ({ productId: uuid(i), quantity: i + 1 })) }) },
    list: { tools: 200, method: 'tools/list', params: {} },
};

// One kind of request in one era.
function work(name, era) {
    const { tools, method, params } = requests[name];
    const modern = era === MODERN;
    return {
        name,
        era,
        tools,
        method,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1000000, method, params: modern ? { ...params, _meta: meta } : params }),
        headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            'MCP-Protocol-Version': era,
            ...(modern && { 'Mcp-Method': method, ...(params.name && { 'Mcp-Name': params.name }) }),
        },
    };
}

export const works = Object.keys(requests).flatMap(name => [work(name, LEGACY), work(name, MODERN)]);

export const initialize = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'bench', version: '1' } } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
].map(message => JSON.stringify(message));

// ---- the peers from npm ----

const bun = path.join(here, 'node_modules/@oven/bun-linux-x64/bin/bun');
export const peers = [
    { name: 'SDK 2.4.0, node', command: ['node'], version: '2', eras: [LEGACY, MODERN] },
    { name: 'SDK 2.4.0, bun', command: [bun], version: '2', eras: [LEGACY, MODERN] },
    { name: 'SDK 1.32.2, node', command: ['node'], version: '1', eras: [LEGACY] },
    { name: 'SDK 1.32.2, bun', command: [bun], version: '1', eras: [LEGACY] },
].filter(peer => peer.command[0] !== bun || fs.existsSync(bun));

export const peerCommand = (peer, where, tools) => [...peer.command, path.join(here, 'peer.mjs'), peer.version, where, tools > 2 ? 'list' : 'add'];

// ---- a place for files, and servers that end with it ----

export async function inFolder(what) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'haft-bench-'));
    const running = [];
    try {
        return await what(folder, running);
    } finally {
        for (const child of running) child.kill('SIGTERM');
        await Promise.all(running.map(child => child.exitCode ?? child.signalCode ?? new Promise(resolve => child.on('exit', resolve))));
        fs.rmSync(folder, { recursive: true });
    }
}

export function freePort() {
    return new Promise(resolve => {
        const server = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
}

export const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

export async function start(running, port, command, core = serverCore) {
    const child = spawn('taskset', ['-c', core, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', data => (said += data));
    running.push(child);
    for (let tries = 0; ; tries++) {
        const open = await new Promise(resolve => {
            const socket = net.connect(port, '127.0.0.1', () => resolve(socket.end()));
            socket.on('error', () => resolve(null));
        });
        if (open) return child;
        if (tries === 400 || child.exitCode !== null) throw new Error(`${command.join(' ')} does not listen: ${said}`);
        await pause(50);
    }
}

// In KiB.
export function rss(child) {
    return Number(/VmRSS:\s*(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);
}
