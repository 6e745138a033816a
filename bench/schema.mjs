// schema.mjs - nanoseconds a value: haft, yyjson's bare parse, Ajv (compiled) and Zod.
//
// Everyone gets the same bytes.  The contestants take turns, so that a busy machine is busy for all.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { median, percent, spread, table } from './table.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(here, '../tests/e2e/package.json'));
const Ajv = require('ajv/dist/2020').default;
const addFormats = require('ajv-formats').default;
const z = require('zod');
const turns = Number(process.argv[2] ?? 5);
const program = path.join(here, '../build/release/bench/schema-values');

let seed = 1;
const next = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff);
const hex = n => Array.from({ length: n }, () => ((next() >> 8) & 15).toString(16)).join('');
const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
const values = {
    add: JSON.stringify({ a: 2, b: 40 }),
    order: JSON.stringify({
        customerId: 'c-1',
        items: Array.from({ length: 100 }, (_, i) => ({ productId: uuid(), quantity: i + 1 })),
    }),
};

const ajv = new Ajv();
addFormats(ajv);
const number = { type: 'number' };
const validators = {
    add: ajv.compile({ type: 'object', properties: { a: number, b: number }, required: ['a', 'b'], additionalProperties: false }),
    order: ajv.compile({
        type: 'object',
        properties: {
            customerId: { type: 'string' },
            items: {
                type: 'array',
                minItems: 1,
                items: {
                    type: 'object',
                    properties: { productId: { type: 'string', format: 'uuid' }, quantity: { type: 'integer', exclusiveMinimum: 0 } },
                    required: ['productId', 'quantity'],
                    additionalProperties: false,
                },
            },
        },
        required: ['customerId', 'items'],
        additionalProperties: false,
    }),
};
const zods = {
    add: z.strictObject({ a: z.number(), b: z.number() }),
    order: z.strictObject({
        customerId: z.string(),
        items: z.array(z.strictObject({ productId: z.uuid(), quantity: z.int().positive() })).min(1),
    }),
};

function time(call) {
    let n = 1;
    for (let spent = 0; spent < 20e6; n *= 2) {
        const start = process.hrtime.bigint();
        for (let i = 0; i < n; i++) call();
        spent = Number(process.hrtime.bigint() - start);
    }
    const start = process.hrtime.bigint();
    for (let i = 0; i < n; i++) call();
    return Number(process.hrtime.bigint() - start) / n;
}

function must(ok) {
    if (!ok) throw new Error('a good value was refused');
}

const measured = {};
const allocations = {};
const note = (name, ns) => (measured[name] ??= []).push(ns);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'haft-bench-'));
for (const name of Object.keys(values)) fs.writeFileSync(path.join(folder, name), values[name]);
for (let turn = 0; turn < turns; turn++) {
    const lines = execFileSync(program, ['3', path.join(folder, 'add'), path.join(folder, 'order')], { encoding: 'utf8' });
    for (const line of lines.trim().split('\n').map(JSON.parse)) {
        line.ns.forEach(ns => note(`haft ${line.name}`, ns));
        allocations[line.name] = Math.max(allocations[line.name] ?? 0, line.allocations);
    }
    for (const name of Object.keys(values)) {
        const text = values[name];
        note(`ajv ${name}`, time(() => must(validators[name](JSON.parse(text)))));
        note(`zod ${name}`, time(() => must(zods[name].safeParse(JSON.parse(text)).success)));
    }
}
fs.rmSync(folder, { recursive: true });

const rows = [];
for (const name of Object.keys(values)) {
    const parse = median(measured[`haft ${name} parse`]);
    const add = (label, key) => {
        const ns = measured[key];
        rows.push([`${name}: ${label}`, median(ns).toFixed(0), percent(spread(ns)), (median(ns) / parse).toFixed(2)]);
    };
    add('yyjson, parse alone', `haft ${name} parse`);
    add('haft, decode into the struct', `haft ${name} decode`);
    add('haft, parse and validate', `haft ${name} parse+validate`);
    add('Ajv, JSON.parse and validate', `ajv ${name}`);
    add('Zod, JSON.parse and safeParse', `zod ${name}`);
}
table(['', 'ns', 'spread', 'to the parse'], rows);

const failures = [];
for (const name of Object.keys(values)) {
    const decode = median(measured[`haft ${name} decode`]);
    const toParse = decode / median(measured[`haft ${name} parse`]);
    const toAjv = median(measured[`ajv ${name}`]) / decode;
    console.log(`${name}: decode is ${toParse.toFixed(2)} times the bare parse (expected under 2.5), ${toAjv.toFixed(1)} times faster than Ajv (expected 3 or more), ${allocations[`${name} decode`]} allocations`);
    if (toParse >= 2.5 || toAjv < 3 || allocations[`${name} decode`]) failures.push(name);
}
process.exitCode = failures.length ? 1 : 0;
