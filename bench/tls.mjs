// tls.mjs - requests a second over https with TLS 1.3 and keep-alive: haft, and nginx's `return 200` with as many bytes
// and the same certificate; and the memory of idle connections.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import tls from 'node:tls';

import { load, nginxFile, script } from './http.mjs';
import { freePort, inFolder, LEGACY, program, rss, start, works } from './work.mjs';

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

function certify(folder) {
    const [pem, key] = ['server.pem', 'server.key'].map(name => path.join(folder, name));
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-keyout', key, '-out', pem], { stdio: 'pipe' });
    return { pem, key };
}

// What follows the head of a response to this request.
function ask(port, text) {
    return new Promise((resolve, reject) => {
        const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => socket.write(text));
        socket.on('error', reject).once('data', data => {
            socket.destroy();
            if (!/^HTTP\/1.1 200/.test(data)) reject(new Error(String(data)));
            else resolve(String(data).split('\r\n\r\n')[1]);
        });
    });
}

async function connect(port, text, n) {
    const context = tls.createSecureContext({});
    const sockets = [];
    const one = () =>
        new Promise((resolve, reject) => {
            const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, secureContext: context }, () => socket.write(text));
            socket.once('data', data => (/^HTTP\/1.1 200/.test(data) ? resolve() : reject(new Error(String(data)))));
            socket.on('error', reject);
            sockets.push(socket);
        });
    for (let i = 0; i < n; i += 50) await Promise.all(Array.from({ length: Math.min(50, n - i) }, one));
    return sockets;
}

// Bytes of memory of each of so many connections, 5 seconds after their request: haft frees what it kept by then.
async function bytesEach(port, child, text, n) {
    const warm = await connect(port, text, 100);
    await pause(300);
    const before = rss(child);
    const sockets = await connect(port, text, n);
    await pause(6000);
    const bytes = ((rss(child) - before) * 1024) / n;
    for (const socket of [...warm, ...sockets]) socket.destroy();
    return bytes;
}

export default function run({ rounds = 3, seconds = 1 }) {
    return inFolder(async (folder, running) => {
        const { pem, key } = certify(folder);
        const work = works.find(one => one.name === 'add' && one.era === LEGACY);
        const head = Object.entries({ Host: 'localhost', ...work.headers, 'Content-Length': work.body.length }).map(([name, value]) => `${name}: ${value}\r\n`);
        const text = `POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${work.body}`;
        const port = await freePort();
        const child = await start(running, port, [program('tls-server'), String(port), pem, key]);
        work.script = script(folder, work);
        for (const each of works) each.answer = ''; // nginx has a place for each
        work.answer = await ask(port, text);
        const nginx = await freePort();
        const secure = { listen: 'ssl', more: `ssl_certificate ${pem}; ssl_certificate_key ${key}; ssl_protocols TLSv1.3;` };
        await start(running, nginx, ['nginx', '-p', folder, '-c', nginxFile(folder, nginx, secure), '-e', path.join(folder, 'nginx.log')]);

        const rows = [];
        for (const connections of [1, 16, 64]) {
            const row = { part: 'TLS', work: 'add', era: LEGACY, measure: `${connections} connection${connections > 1 ? 's' : ''}`, unit: 'calls/s', values: {} };
            for (let round = 0; round < rounds; round++)
                for (const [who, url] of [['haft', `https://127.0.0.1:${port}/mcp`], ['nginx', `https://127.0.0.1:${nginx}/${works.indexOf(work)}`]])
                    (row.values[who] ??= []).push(load(work, url, connections, seconds).speed);
            rows.push(row);
        }
        rows.push({ part: 'TLS', work: '500 idle connections', era: '', measure: 'memory of each', unit: 'bytes', less: true, values: { haft: [await bytesEach(port, child, text, 500)] } });
        return rows;
    });
}
