/* client-conformance.test.mjs - the protocol's own conformance suite with a client on the library.
 *
 * The suite keeps what the client sent, and ignores how it ended: a client that crashes can pass.  Here the
 * exit status, signals and reports of sanitizers count as well. */

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { example } from "./server.mjs";
import { run, scored, unscored } from "./suite.mjs";

const recorder = fileURLToPath(new URL("client-record.sh", import.meta.url));
const program = join(example("."), "..", "tests", "conformance-client");

/* Where the client is to refuse, and says so by its exit status. */
const REFUSED = new Set(
    ["scope-retry-limit", "resource-mismatch", "metadata-issuer-mismatch"]
        .concat(["iss-supported-missing", "iss-wrong-issuer", "iss-unexpected", "iss-normalized"])
        .map((name) => `auth/${name}`)
        .concat(["digest", "size", "frontmatter"].map((what) => `sep-2640-client-verify-${what}`)),
);
const REPORT = /(Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer|runtime error:/;

const read = (file) => {
    try {
        return readFileSync(file, "utf8");
    } catch {
        return "";
    }
};

/* The folder of a scenario's results is its name and a time. */
function checksOf(results, name) {
    const parts = name.split("/");
    const folder = join(results, ...parts.slice(0, -1));
    const found = readdirSync(folder).find((entry) =>
        new RegExp(`^${parts.at(-1)}-\\d{4}-\\d\\d-\\d\\dT[\\dZ-]+$`).test(entry),
    );

    return found ? JSON.parse(read(join(folder, found, "checks.json")) || "[]") : [];
}

/* What is wrong with a scenario, in words; nothing if nothing is. */
function faultsOf(name, results, records) {
    const record = join(records, name.replaceAll("/", "_"));
    const status = read(`${record}.status`).trim();
    const said = read(`${record}.stderr`);
    const checks = checksOf(results, name);
    const bad = checks.filter(({ status: is }) => is === "FAILURE" || is === "WARNING");
    const faults = bad.map(({ id, status: is, errorMessage }) => `${is} ${id}: ${errorMessage}`);

    if (!checks.some(({ status: is }) => is === "SUCCESS")) faults.push("nothing was checked");
    if (status !== (REFUSED.has(name) ? "1" : "0")) faults.push(`exit status ${status || "none"}`);
    if (REPORT.test(said)) faults.push("a sanitizer reported");
    return faults.length ? [`${name}: ${faults.join("; ")}\n${said.slice(-1000)}`] : [];
}

/* Runs a client and returns the faults of these scenarios. */
async function faultsWith(client, names, ...options) {
    const results = mkdtempSync(join(tmpdir(), "haft-results-"));
    const records = mkdtempSync(join(tmpdir(), "haft-records-"));
    const command = `sh ${recorder} ${records} ${client}`;

    try {
        const text = await run("client", "--command", command, ...options, "-o", results);

        assert.match(text, /Results saved to/, text.slice(-2000));
        return names.flatMap((name) => faultsOf(name, results, records));
    } finally {
        rmSync(results, { recursive: true });
        rmSync(records, { recursive: true });
    }
}

for (const [revision, count] of [
    ["2025-11-25", 18],
    ["2026-07-28", 32],
])
    test(`everything for ${revision}, scored or not`, async () => {
        const names = await scored("Client", revision);
        const more = await unscored(revision);

        assert.equal(names.length, count);
        assert.equal(more.length, 7);
        assert.deepEqual(
            await faultsWith(program, [...names, ...more], "--requirements", revision),
            [],
        );
    });

test("authorization as of 2025-03-26", async () => {
    const names = ["metadata-backcompat", "endpoint-fallback"];

    assert.deepEqual(
        await faultsWith(
            program,
            names.map((name) => `auth/2025-03-26-oauth-${name}`),
            "--suite",
            "backcompat",
        ),
        [],
    );
});

for (const what of ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"])
    test(`skills: ${what}`, async () => {
        const name = `sep-2640-client-${what}`;

        assert.deepEqual(await faultsWith(program, [name], "--scenario", name), []);
    });

/* Clients that the suite lets pass, or does not, and what is found about them. */
const broken = [
    ["one that does nothing", "exit 0", /nothing was checked/],
    ["one that crashes", "kill -SEGV $$", /exit status 139/],
    [
        "one that crashes at its end",
        `${program} "$@" && kill -ABRT $$`,
        /^initialize: exit status 134/,
    ],
    [
        "one with a report of a sanitizer",
        `echo "==1==ERROR: AddressSanitizer: heap-use-after-free" >&2; ${program} "$@"`,
        /^initialize: a sanitizer reported/,
    ],
];
for (const [what, script, expected] of broken)
    test(`${what} is noticed`, async () => {
        const folder = mkdtempSync(join(tmpdir(), "haft-broken-"));
        const file = join(folder, "client");

        writeFileSync(file, `#!/bin/sh\n${script}\n`);
        chmodSync(file, 0o755);
        const faults = await faultsWith(file, ["initialize"], "--scenario", "initialize");
        rmSync(folder, { recursive: true });
        assert.equal(faults.length, 1);
        assert.match(faults[0], expected);
    });
