/* conformance.test.mjs - the protocol's own conformance suite against the example that has everything.
 *
 * The suite needs node 22.  Where this one is older, the binary of npm's package for this machine is its
 * interpreter. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { start } from "./http-server.mjs";

const suite = fileURLToPath(
    new URL("node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

function interpreter() {
    if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
    return createRequire(import.meta.url).resolve(
        `node-${process.platform}-${process.arch}/bin/node`,
    );
}

/* What it prints; whether it fails is seen from that. */
const run = (...args) =>
    new Promise((resolve) =>
        execFile(interpreter(), [suite, ...args], { maxBuffer: 1 << 27 }, (_, stdout, stderr) =>
            resolve(stdout + stderr),
        ),
    );

/* The scenarios of the summary: name, passed, failed, warnings. */
function summary(text) {
    const from = text.indexOf("=== SUMMARY ===");
    const line = /^[✓✗] (\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings)?$/gm;

    assert.ok(from >= 0, `there is a summary: ${text.slice(-2000)}`);
    return [...text.slice(from).matchAll(line)].map(([, name, passed, failed, warnings]) => ({
        name,
        passed: Number(passed),
        failed: Number(failed),
        warnings: Number(warnings ?? 0),
    }));
}

/* The server scenarios that count for a revision. */
async function scored(revision) {
    const text = await run("list", "--requirements", revision);
    const part = text.split(/^Server scenarios.*$/m)[1].split(/^\S/m)[0];

    return [...part.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name);
}

const isExtension = ({ name }) => /^(tasks-|sep-2640-skills-)/.test(name);
const isBad = ({ passed, failed, warnings }) => failed > 0 || warnings > 0 || passed === 0;

let server;
before(async () => (server = await start("everything")));
after(async () => assert.equal(await server.stop(), 0, server.log()));

for (const [revision, count] of [
    ["2025-11-25", 30],
    ["2026-07-28", 37],
])
    test(`what is required for ${revision}`, async () => {
        const wanted = await scored(revision);
        const text = await run("server", "--url", server.url, "--requirements", revision);
        const ran = new Map(summary(text).map((row) => [row.name, row]));

        assert.equal(wanted.length, count);
        assert.deepEqual(
            wanted.filter((name) => !ran.has(name)),
            [],
            "all were run",
        );
        assert.deepEqual(wanted.map((name) => ran.get(name)).filter(isBad), [], text.slice(-4000));
    });

/* How many scenarios there are for a revision, and some that must be among them. */
for (const [revision, count, named] of [
    ["2025-03-26", 1, ["server-session-lifecycle"]],
    ["2025-06-18", 27, ["tools-call-elicitation"]],
    ["2025-11-25", 33, ["server-sse-polling", "json-schema-2020-12"]],
    [
        "2026-07-28",
        40,
        ["http-header-validation", "http-custom-header-server-validation", "json-schema-2020-12"],
    ],
])
    test(`everything at ${revision}`, async () => {
        const text = await run(
            "server",
            "--url",
            server.url,
            "--suite",
            "all",
            "--spec-version",
            revision,
        );
        const rows = summary(text).filter((row) => !isExtension(row));

        assert.deepEqual(rows.filter(isBad), [], text.slice(-4000));
        assert.equal(rows.length, count);
        for (const name of named)
            assert.ok(
                rows.some((row) => row.name === name),
                name,
            );
    });
