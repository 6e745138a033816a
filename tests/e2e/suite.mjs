/* suite.mjs - runs the protocol's own conformance suite.
 *
 * The suite needs node 22.  Where this one is older, the binary of npm's package for this machine is its
 * interpreter. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

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
export const run = (...args) =>
    new Promise((resolve) =>
        execFile(interpreter(), [suite, ...args], { maxBuffer: 1 << 27 }, (_, stdout, stderr) =>
            resolve(stdout + stderr),
        ),
    );

/* The scenarios that count for a revision; `role` is Server or Client. */
export async function scored(role, revision) {
    const text = await run("list", "--requirements", revision);
    const part = text.split(new RegExp(`^${role} scenarios.*$`, "m"))[1].split(/^\S/m)[0];

    return [...part.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name);
}

/* The client scenarios that are run for a revision and do not count. */
export async function unscored(revision) {
    const text = await run("list", "--requirements", revision);
    const part = text.split(/^Run and reported, but never scored:$/m)[1];

    return [...part.matchAll(/^ {4}- (\S+) \[client\]$/gm)].map(([, name]) => name);
}

/* The scenarios of the summary: name, passed, failed, warnings. */
export function summary(text) {
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

export const isExtension = ({ name }) => /^(tasks-|sep-2640-skills-)/.test(name);
export const isBad = ({ passed, failed, warnings }) => failed > 0 || warnings > 0 || passed === 0;
