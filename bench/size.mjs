// size.mjs - how much there is of it: the code of each room, the smallest servers, their memory and their start.
//
// Three builds: the release, the same for size (-Os, preset small), and that with everything optional left out
// (preset least).
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { build as release, here, inFolder, initialize, LEGACY, program, serverCore, works } from './work.mjs';

// How a build is called in the table; the small one is the one that is meant when none is named.
const builds = [
    { folder: release, name: ', release' },
    { folder: path.join(here, '../build/small'), name: '' },
    { folder: path.join(here, '../build/least'), name: ', least' },
];
const servers = [
    { work: 'a server of one tool on stdio', file: 'bench/stdio-server' },
    { work: 'libhaft-core and a loop of its own', file: 'bench/core-loop' },
];
const greeting = { work: 'the same with a command line', file: 'bench/greeting' }; // has another tool
const startsOfRound = 40;

const row = (work, measure, unit, values) => ({ part: 'size', work, era: '', measure, unit, less: true, values });
const bytes = (work, measure, size) => row(work, measure, 'KB', { haft: [size / 1024] });

// Code and constants, as `size` counts them.
function code(files) {
    return execFileSync('size', files, { encoding: 'utf8' })
        .trimEnd()
        .split('\n')
        .slice(1)
        .reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[0]), 0);
}

function stripped(file) {
    const copy = `${file}.stripped`;
    execFileSync('strip', ['-o', copy, file]);
    const { size } = fs.statSync(copy);
    fs.rmSync(copy);
    return size;
}

function rooms({ folder, name }) {
    return ['core_objects', 'outer_objects'].flatMap(objects => {
        const sources = path.join(folder, `CMakeFiles/${objects}.dir/src`);
        return fs.readdirSync(sources).map(room => {
            // What a build left out may lie there still from before.
            const known = fs.readFileSync(path.join(folder, 'build.ninja'), 'utf8');
            const files = fs.readdirSync(path.join(sources, room), { recursive: true }).filter(file => file.endsWith('.o') && known.includes(`${objects}.dir/src/${room}/${file}`));
            return bytes(`src/${room}`, `code${name}`, files.length ? code(files.map(file => path.join(sources, room, file))) : 0);
        });
    });
}

function files({ folder, name }) {
    const library = which => path.join(folder, fs.readdirSync(folder).find(file => new RegExp(`^${which}\\.so\\.\\d+\\.\\d+\\.\\d+$`).test(file)));
    return [
        ...['libhaft-core', 'libhaft'].map(which => bytes(`${which}, shared`, `stripped${name}`, stripped(library(which)))),
        ...[servers[0], greeting, servers[1]].map(({ work, file }) => bytes(work, `stripped, haft in it${name}`, stripped(path.join(folder, file)))),
    ];
}

// From its start to its first answer, and its memory then; on one core, as a client and the server it starts are.
function start(file, command) {
    const driver = ['-c', serverCore, program('stdio-driver'), '1', '1', file, ...command];
    return JSON.parse(execFileSync('taskset', driver, { encoding: 'utf8', stdio: 'pipe' }));
}

// All of them in turn, and the canned loop with them.
function starts(folder, rounds) {
    const { body } = works.find(work => work.name === 'add' && work.era === LEGACY);
    const [asked, answer] = ['asked', 'answer'].map(name => path.join(folder, name));
    fs.writeFileSync(asked, [...initialize, body, ''].join('\n'));
    fs.writeFileSync(answer, `${execFileSync(program('stdio-server'), { input: fs.readFileSync(asked), encoding: 'utf8' }).trimEnd().split('\n').at(-1)}\n`);
    const limit = { start: [], memory: [] };
    const all = builds.flatMap(build => servers.map(server => ({ server, build, command: [path.join(build.folder, server.file)], start: [], memory: [] })));
    for (let i = 0; i < rounds * startsOfRound; i++)
        for (const [who, command] of [[limit, [program('canned-stdio'), answer]], ...all.map(one => [one, one.command])]) {
            const result = start(asked, command);
            who.start.push(result.start / 1000);
            who.memory.push(result.memory[0] / 1024);
        }
    return all.flatMap(one => [
        row(one.server.work, `start to first answer${one.build.name}`, 'ms', { haft: one.start, limit: limit.start }),
        row(one.server.work, `memory after start${one.build.name}`, 'MB', { haft: one.memory, limit: limit.memory }),
    ]);
}

export default function run({ rounds = 5 }) {
    const missing = builds.find(({ folder }) => !fs.existsSync(path.join(folder, 'bench/stdio-server')));
    if (missing) {
        console.error(`bench/size measures the presets release, small and least, but ${path.relative('.', missing.folder)} is not built; ./dev bench size builds them`);
        process.exit(1);
    }
    return inFolder(folder => [...builds.flatMap(rooms), ...builds.flatMap(files), ...starts(folder, rounds)]);
}
