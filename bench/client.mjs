// client.mjs [quick] - calls a second of a client, and its processor time for each: haft, a bare loop of libcurl's, the
// TypeScript SDK, all with the same haft server over HTTP.
//
// The contestants take turns, so that a busy machine is busy for all; ratios are those of one turn.
import { execFileSync } from 'node:child_process';
import path from 'node:path';

import { median, percent, spread, table } from './table.mjs';
import { freePort, here, inFolder, loadCore, program, start } from './work.mjs';

const quick = process.argv[2] === 'quick';
const rounds = quick ? 3 : 11;
const loads = [1, 16];
const contestants = [
    { name: 'haft', calls: 20000, command: [program('mcp-client'), 'haft'] },
    { name: 'libcurl', calls: 20000, command: [program('mcp-client'), 'bare'] },
    { name: 'SDK 2.4.0', calls: 1500, command: ['node', path.join(here, 'client_peer.mjs'), '2'] },
    { name: 'SDK 1.32.2', calls: 1500, command: ['node', path.join(here, 'client_peer.mjs'), '1'] },
];

function run({ command, calls }, url, concurrent) {
    const count = Math.round(quick ? calls / 5 : calls);
    return JSON.parse(execFileSync('taskset', ['-c', loadCore, ...command, url, String(count), String(concurrent)], { encoding: 'utf8', env: { ...process.env, NODE_NO_WARNINGS: '1' } }));
}

const rows = await inFolder(async (_, running) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    await start(running, port, [program('http-server'), '2', '--http', `127.0.0.1:${port}`]);
    const made = loads.map(load => ({ load, speed: {}, cpu: {} }));
    for (let round = 0; round < rounds; round++)
        for (const row of made)
            for (const one of contestants) {
                const { speed, cpu } = run(one, url, row.load);
                (row.speed[one.name] ??= []).push(speed);
                (row.cpu[one.name] ??= []).push(cpu);
            }
    return made;
});

const shown = (values, digits = 0) => `${median(values).toFixed(digits)} ${percent(spread(values))}`;
const ratios = (a, b) => a.map((value, i) => value / b[i]);

table(
    ['in flight', 'who', 'calls/s', 'processor, µs a call'],
    rows.flatMap(({ load, speed, cpu }) => contestants.map(({ name }) => [load, name, shown(speed[name]), shown(cpu[name], 1)])),
);
console.log();
const checks = rows.flatMap(({ load, speed, cpu }) => {
    const peers = contestants.filter(({ name }) => name.startsWith('SDK')).map(({ name }) => name);
    const best = peers.reduce((a, b) => (median(speed[a]) > median(speed[b]) ? a : b));
    return [
        { name: `${load} in flight: calls/s to the best of npm (${best})`, values: ratios(speed.haft, speed[best]), bound: 10, met: value => value >= 10 },
        { name: `${load} in flight: processor time to libcurl`, values: ratios(cpu.haft, cpu.libcurl), bound: 1.3, met: value => value <= 1.3 },
    ];
});
table(['expected', 'measured', 'bound', ''], checks.map(({ name, values, bound, met }) => [name, shown(values, 2), bound, met(median(values)) ? 'met' : 'MISSED']));
process.exitCode = checks.every(({ values, met }) => met(median(values))) ? 0 : 1;
