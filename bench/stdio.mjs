// stdio.mjs - standard input and output: haft, the canned loop, the TypeScript SDK.
//
// Throughput with 64 calls under way; how long one call takes alone; the time to the first answer; memory.  The
// contestants take turns, so that a busy machine is busy for all.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { inFolder, initialize, LEGACY, loadCore, MODERN, peerCommand, peers, program, serverCore, works } from './work.mjs';

const calls = { add: 200000, order: 20000, list: 10000 };
const peerShare = { add: 20, order: 20, list: 40 }; // they get so many times fewer

function drive(n, window, file, command, pinned = true) {
    const driver = pinned ? ['-c', loadCore, program('stdio-driver')] : ['-c', serverCore, program('stdio-driver')];
    const server = pinned ? ['taskset', '-c', serverCore, ...command] : command;
    return JSON.parse(execFileSync('taskset', [...driver, String(n), String(window), file, ...server], { encoding: 'utf8', stdio: 'pipe' }));
}

// What the canned loop says: haft's own answer.
function record(folder, work, file) {
    const answer = path.join(folder, `${work.name}-${work.era}.answer`);
    const lines = execFileSync(program('http-server'), [String(work.tools)], { input: fs.readFileSync(file), encoding: 'utf8' }).trimEnd().split('\n');
    fs.writeFileSync(answer, lines.at(-1) + '\n');
    return answer;
}

function contestants(folder, work) {
    const file = path.join(folder, `${work.name}-${work.era}.txt`);
    const plain = path.join(folder, `${work.name}-${work.era}-plain.txt`);
    const first = work.era === LEGACY ? initialize : [];
    fs.writeFileSync(file, [...first, work.body, ''].join('\n'));
    fs.writeFileSync(plain, work.body + '\n');
    const answer = record(folder, work, file);
    return [
        { name: 'limit', file: plain, command: [program('canned-stdio'), answer] },
        { name: 'haft', file, command: [program('http-server'), String(work.tools)] },
        ...peers.filter(peer => peer.eras.includes(work.era)).map(peer => ({ name: peer.name, peer: true, file, command: peerCommand(peer, 'stdio', work.tools) })),
    ];
}

export default function run({ rounds = 5, scale = 1 }) {
    return inFolder(folder => {
        const rows = [];
        const note = (row, who, value) => (row.values[who] ??= []).push(value);
        const row = (work, measure, unit, less) => {
            rows.push({ part: 'stdio', work: work.name, era: work.era, measure, unit, less, values: {} });
            return rows.at(-1);
        };
        const share = (n, by = 1) => Math.max(200, Math.round((n * scale) / by));
        for (const work of works) {
            const all = contestants(folder, work);
            const speed = row(work, 'window of 64', 'calls/s');
            const alone = row(work, 'one at a time, p50', 'µs', true);
            for (let round = 0; round < rounds; round++)
                for (const who of all) {
                    const n = share(calls[work.name], who.peer ? peerShare[work.name] : 1);
                    note(speed, who.name, n / drive(n, 64, who.file, who.command).seconds);
                    note(alone, who.name, drive(share(n, 10), 1, who.file, who.command).p50);
                }
        }
        for (const era of [LEGACY, MODERN]) {
            const work = works.find(w => w.name === 'add' && w.era === era);
            const all = contestants(folder, work);
            const haft = all.find(who => who.name === 'haft');
            haft.command = [program('stdio-server')];
            all.find(who => who.name === 'limit').file = haft.file; // the same conversation up to the first call
            const begin = row(work, 'start to first answer', 'ms', true);
            const memory = row(work, 'memory after start', 'MB', true);
            const later = row(work, 'memory after 100,000 calls', 'MB', true);
            for (let round = 0; round < rounds; round++)
                for (const who of all) {
                    for (let i = 0; i < (who.peer ? 1 : 10); i++) note(begin, who.name, drive(1, 1, who.file, who.command, false).start / 1000);
                    if (who.peer && round) continue;
                    const result = drive(share(100000, who.peer ? 10 : 1), 64, who.file, who.command);
                    note(memory, who.name, result.memory[0] / 1024);
                    note(later, who.name, result.memory[1] / 1024);
                }
        }
        return rows;
    });
}
