// auth.mjs [quick] - `add` over HTTP: plain, with a token that is known, with a token that is verified each time, with an API
// key, and over TLS 1.3 beside nginx (tls.mjs).
//
// The contestants take turns, so that a busy machine is busy for all; ratios are those of one turn.  What a token costs is
// processor time of the server, which other work on the machine hardly changes.
//
// What a verification must cost at least is measured in the same place: a plain server has OpenSSL verify a signature for
// each request, which has no token.  Adding up the times of OpenSSL in a loop and of plain calls would not do: the load
// generator is always busy with plain calls, and sleeps while a server verifies, so that waking it up costs every response
// that follows a verification some microseconds of system time (10 in a virtual machine), whoever verifies.
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

import { load, script } from './http.mjs';
import { median, percent, spread, table } from './table.mjs';
import runTls from './tls.mjs';
import { freePort, inFolder, MODERN, program, serverCore, start, works } from './work.mjs';

const quick = process.argv[2] === 'quick';
const rounds = quick ? 3 : 11;
const seconds = quick ? 1 : 2;
const connections = 16;
const work = works.find(({ name, era }) => name === 'add' && era === MODERN);

// ---- an issuer ----

const kinds = {
    ES256: { pair: ['ec', { namedCurve: 'P-256' }], digest: 'sha256', count: 3000 },
    RS256: { pair: ['rsa', { modulusLength: 2048 }], digest: 'sha256', count: 10000 },
    EdDSA: { pair: ['ed25519', {}], digest: null, count: 3000 },
};
const text = value => Buffer.from(JSON.stringify(value)).toString('base64url');

for (const [alg, kind] of Object.entries(kinds)) {
    Object.assign(kind, crypto.generateKeyPairSync(...kind.pair));
    kind.jwk = { ...kind.publicKey.export({ format: 'jwk' }), alg, kid: alg, use: 'sig' };
}

function startIssuer(running) {
    const server = http.createServer((request, response) => {
        const url = `http://127.0.0.1:${server.address().port}`;
        const document = request.url === '/jwks' ? { keys: Object.values(kinds).map(({ jwk }) => jwk) } : { issuer: url, jwks_uri: `${url}/jwks` };
        response.setHeader('Content-Type', 'application/json');
        response.setHeader('Cache-Control', 'max-age=86400');
        response.end(JSON.stringify(document));
    });
    running.push({ kill: () => server.close(server.closeAllConnections()), exitCode: 0 });
    return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`)));
}

function token(alg, iss, aud) {
    const now = Math.floor(Date.now() / 1000);
    const message = `${text({ alg, typ: 'at+jwt', kid: alg })}.${text({ iss, aud, sub: 'ada', client_id: 'bench', scope: 'all', iat: now, exp: now + 7200 })}`;
    const signature = crypto.sign(kinds[alg].digest, message, { key: kinds[alg].privateKey, dsaEncoding: 'ieee-p1363' });
    return { message, text: `${message}.${signature.toString('base64url')}` };
}

// Files with the key, a signature and what it is of, for OpenSSL.
function bareFiles(folder, alg, message) {
    const files = Object.fromEntries(['verify', 'signature', 'message'].map(name => [name, path.join(folder, `${alg}.${name}`)]));
    fs.writeFileSync(files.verify, kinds[alg].publicKey.export({ type: 'spki', format: 'pem' }));
    fs.writeFileSync(files.signature, crypto.sign(kinds[alg].digest, message, kinds[alg].privateKey));
    fs.writeFileSync(files.message, message);
    return files;
}

// What OpenSSL takes for this signature in a loop, in microseconds.
function verifyTime(alg, { verify, signature, message }) {
    const count = quick ? kinds[alg].count / 5 : kinds[alg].count;
    const input = fs.readFileSync(message);
    return Number(execFileSync('taskset', ['-c', serverCore, program('verify-time'), verify, signature, String(count)], { input, encoding: 'utf8' }));
}

const bareName = alg => `OpenSSL ${alg}`;

// ---- the load ----

// Processor time of all threads of a server, in microseconds.
function processorTime({ pid }) {
    const tasks = fs.readdirSync(`/proc/${pid}/task`);
    return tasks.reduce((sum, task) => sum + Number(fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000, 0);
}

// Calls a second, and processor time for each.
function measure(one) {
    const before = processorTime(one.child);
    const { speed } = load(one, one.url, connections, seconds);
    return { speed, cpu: (processorTime(one.child) - before) / (speed * seconds) };
}

const { speeds, costs, verifying } = await inFolder(async (folder, running) => {
    const issuer = await startIssuer(running);
    const resource = 'http://127.0.0.1/mcp';
    const tokens = Object.fromEntries(Object.keys(kinds).map(alg => [alg, token(alg, issuer, resource)]));
    const files = Object.fromEntries(Object.keys(kinds).map(alg => [alg, bareFiles(folder, alg, tokens[alg].message)]));
    const key = `haft_${crypto.randomBytes(32).toString('base64url')}`;
    const keys = path.join(folder, 'keys');
    const contestants = [];
    const add = async (name, words, headers = {}) => {
        const port = await freePort();
        const one = { ...work, name, headers: { ...work.headers, ...headers }, url: `http://127.0.0.1:${port}/mcp` };
        const child = await start(running, port, [program('auth-server'), `127.0.0.1:${port}`, ...words]);
        contestants.push({ ...one, child, script: script(folder, one) });
    };
    const bearer = alg => ({ Authorization: `Bearer ${tokens[alg].text}` });
    const trust = [`issuer=${issuer}`, `resource=${resource}`];

    fs.writeFileSync(keys, `${crypto.createHash('sha256').update(key).digest('hex')} bench\tall\n`, { mode: 0o600 });
    await add('plain', []);
    await add('cached', trust, bearer('ES256'));
    for (const alg of Object.keys(kinds)) {
        await add(alg, [...trust, 'uncached=1'], bearer(alg));
        await add(bareName(alg), Object.entries(files[alg]).map(([name, file]) => `${name}=${file}`));
    }
    await add('API key', [`keys=${keys}`], { Authorization: `Bearer ${key}` });
    // wrk stops this process, and the issuer with it: the keys are fetched before.
    for (const { url, headers, body } of contestants) {
        const { status } = await fetch(url, { method: 'POST', headers, body });
        if (status !== 200) throw new Error(`${url}: ${status}`);
    }
    const speeds = {};
    const costs = {};
    const verifying = {};
    for (let round = 0; round < rounds; round++) {
        for (const one of contestants) {
            const { speed, cpu } = measure(one);
            (speeds[one.name] ??= []).push(speed);
            (costs[one.name] ??= []).push(cpu);
        }
        for (const alg of Object.keys(kinds)) (verifying[alg] ??= []).push(verifyTime(alg, files[alg]));
    }
    return { speeds, costs, verifying };
});
const secure = (await runTls({ rounds, seconds })).find(({ measure }) => measure === `${connections} connections`).values;
Object.assign(speeds, { TLS: secure.haft, 'nginx with TLS': secure.nginx });

const shown = (values, digits = 0) => `${median(values).toFixed(digits)} ${percent(spread(values))}`;
const ratios = (a, b) => a.map((value, i) => value / b[i]);

table(
    ['add over HTTP, 16 connections', 'calls/s', 'processor, µs a call', 'OpenSSL in a loop, µs'],
    Object.entries(speeds).map(([name, values]) => [name, shown(values), costs[name] ? shown(costs[name], 1) : '', verifying[name] ? shown(verifying[name], 1) : '']),
);
console.log();
const checks = [
    { name: 'a token that is known: speed to plain', values: ratios(costs.plain, costs.cached), bound: 0.9, atLeast: true },
    { name: 'an API key: speed to plain', values: ratios(costs.plain, costs['API key']), bound: 0.9, atLeast: true },
    ...Object.keys(kinds).map(alg => ({
        name: `${alg} each time: time to OpenSSL's in a plain call`,
        values: ratios(costs[alg], costs[bareName(alg)]),
        bound: 1.2,
    })),
    { name: 'TLS 1.3: to nginx', values: ratios(secure.haft, secure.nginx), bound: 0.7, atLeast: true },
];
const met = ({ values, bound, atLeast }) => (atLeast ? median(values) >= bound : median(values) <= bound);
table(['expected', 'measured', 'bound', ''], checks.map(check => [check.name, shown(check.values, 2), `${check.atLeast ? 'at least' : 'at most'} ${check.bound}`, met(check) ? 'met' : 'MISSED']));
process.exitCode = checks.every(met) ? 0 : 1;
