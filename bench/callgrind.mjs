// callgrind.mjs - a server under callgrind: what it does for so many calls, and nothing else.
//
// A run of some calls and one of more differ by the calls alone: the start, the handshake, the end and whatever is
// done once are in both.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

import { freePort, LEGACY, initialize, pause } from './work.mjs';

const deadline = 120000;

function valgrind(profile, command) {
    const tool = ['--tool=callgrind', '--compress-strings=no', '--compress-pos=no', `--callgrind-out-file=${profile}`];
    const child = spawn('valgrind', [...tool, ...command], { stdio: ['pipe', 'pipe', 'pipe'] });
    const run = { child, said: '', answers: '' };
    child.stderr.on('data', data => (run.said += data));
    child.stdout.on('data', data => (run.answers += data));
    run.over = new Promise((resolve, reject) => {
        const timer = setTimeout(() => child.kill('SIGKILL'), deadline);
        child.on('error', reject);
        child.on('close', status => {
            clearTimeout(timer);
            if (status === 0) resolve();
            else reject(new Error(`${command.join(' ')}: ended with ${status}: ${run.said}`));
        });
    });
    run.over.catch(() => {});
    return run;
}

const isRight = text => text.includes('"result"') && !text.includes('"isError":true');

function checked(work, answers, calls) {
    const right = answers.filter(isRight).length;
    if (right !== calls) throw new Error(`${work.name}: ${right} of ${calls} calls were answered: ${answers[0]}`);
}

async function connect(port, run) {
    for (;;) {
        const socket = await new Promise(resolve => {
            const one = net.connect(port, '127.0.0.1', () => resolve(one));
            one.on('error', () => resolve(null));
        });
        if (socket) return socket.setNoDelay();
        if (run.child.exitCode !== null) throw new Error(`the server does not listen: ${run.said}`);
        await pause(50);
    }
}

// One answer after another: each call finds the server at rest.
function ask(socket, request) {
    return new Promise((resolve, reject) => {
        let text = '';
        const done = outcome => {
            socket.removeAllListeners();
            outcome();
        };
        socket.on('error', error => done(() => reject(error)));
        socket.on('close', () => done(() => reject(new Error('the connection was closed'))));
        socket.on('data', data => {
            text += data;
            const head = text.indexOf('\r\n\r\n');
            const size = /content-length: *(\d+)/i.exec(text);
            if (head >= 0 && (!size || text.length >= head + 4 + Number(size[1]))) done(() => resolve(text));
        });
        socket.write(request);
    });
}

async function overHttp(program, work, calls, profile) {
    const port = await freePort();
    const run = valgrind(profile, [program, String(work.tools), '--http', `127.0.0.1:${port}`]);
    const head = Object.entries({ Host: `127.0.0.1:${port}`, ...work.headers, 'Content-Length': Buffer.byteLength(work.body) });
    const request = `POST /mcp HTTP/1.1\r\n${head.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n${work.body}`;
    const answers = [];
    try {
        const socket = await connect(port, run);
        for (let i = 0; i < calls; i++) answers.push(await ask(socket, request));
        socket.destroy();
    } finally {
        run.child.kill('SIGTERM');
    }
    await run.over;
    checked(work, answers, calls);
}

async function overStdio(program, work, calls, profile) {
    const run = valgrind(profile, [program, String(work.tools)]);
    const hello = work.era === LEGACY ? initialize : [];
    run.child.stdin.end([...hello, ...Array(calls).fill(work.body)].map(line => `${line}\n`).join(''));
    await run.over;
    const lines = run.answers.split('\n').filter(line => line.includes('"id":1000000'));
    checked(work, lines, calls);
}

export const transports = { stdio: overStdio, HTTP: overHttp };

// The profile of a run of so many calls, as text.
export async function profileOf(transport, program, work, calls, folder) {
    const profile = path.join(folder, `${work.name}.callgrind`);
    await transports[transport](program, work, calls, profile);
    return fs.readFileSync(profile, 'utf8');
}

// The caller's and the callee's file and function of every call in a profile, with how often it was made.
export function* callsOf(profile) {
    let file, name, callee = {};
    for (const line of profile.split('\n')) {
        const [, key, value] = /^(fl|fi|fe|fn|cfi|cfl|cfn|calls)=(.*)$/.exec(line) ?? [];
        if (key === 'fl') file = value;
        else if (key === 'fn') name = value;
        else if (key === 'cfi' || key === 'cfl') callee.file = value;
        else if (key === 'cfn') callee.name = value;
        else if (key === 'calls') {
            yield { from: { file, name }, to: { file: callee.file ?? file, name: callee.name }, times: Number(value.split(' ')[0]) };
            callee = {};
        }
    }
}

export function instructionsOf(profile) {
    return Number(/^(?:summary|totals): *(\d+)/m.exec(profile)[1]);
}
