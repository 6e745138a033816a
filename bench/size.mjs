// size.mjs - how much there is of it: the code of each room, the smallest server, the core alone.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { here } from './work.mjs';

const small = path.join(here, '../build/small');
const row = (work, measure, bytes) => ({ part: 'size', work, era: '', measure, unit: 'KB', less: true, values: { haft: [bytes / 1024] } });

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

export default function run() {
    const rows = [];
    for (const objects of ['core_objects', 'outer_objects']) {
        const folder = path.join(small, `CMakeFiles/${objects}.dir/src`);
        for (const room of fs.readdirSync(folder)) {
            const files = fs.readdirSync(path.join(folder, room)).filter(name => name.endsWith('.o'));
            rows.push(row(`src/${room}`, 'code, all of it', code(files.map(name => path.join(folder, room, name)))));
        }
    }
    const library = fs.readdirSync(small).find(name => /^libhaft-core\.so\.\d+\.\d+\.\d+$/.test(name));
    rows.push(row('libhaft-core, shared', 'stripped', stripped(path.join(small, library))));
    rows.push(row('a server of one tool on stdio', 'stripped, haft in it', stripped(path.join(small, 'bench/stdio-server'))));
    return rows;
}
