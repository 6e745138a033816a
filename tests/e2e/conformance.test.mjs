/* conformance.test.mjs - the protocol's own conformance suite against the example that has everything. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { start, withServer } from "./http-server.mjs";
import { isBad, isExtension, run, scored, summary } from "./suite.mjs";

let server;
before(async () => (server = await start("everything")));
after(async () => assert.equal(await server.stop(), 0, server.log()));

for (const [revision, count] of [
    ["2025-11-25", 30],
    ["2026-07-28", 37],
])
    test(`what is required for ${revision}`, async () => {
        const wanted = await scored("Server", revision);
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

/* Each is run against a server of its own with the example's skills, in one page and one by one. */
const skills = fileURLToPath(new URL("../../examples/skills", import.meta.url));
for (const [name, passed] of [
    ["directory", 7],
    ["enumeration", 32],
    ["manifest", 6],
])
    for (const page of ["0", "1"])
        test(`skills: ${name}, with pages of ${page}`, () =>
            withServer("everything", ["--skills", skills, "--page-size", page], async ({ url }) => {
                const scenario = `sep-2640-skills-${name}`;
                const text = await run("server", "--url", url, "--scenario", scenario, "--force");

                assert.match(
                    text,
                    new RegExp(`^Passed: ${passed}/${passed}, 0 failed, 0 warnings$`, "m"),
                    text.slice(-4000),
                );
            }));

/* The scenarios of the tasks extension, which belong to no revision. */
for (const [name, checks] of [
    ["tasks-lifecycle", 9],
    ["tasks-capability-negotiation", 5],
    ["tasks-wire-fields", 4],
    ["tasks-request-state-removal", 3],
    ["tasks-mrtr-input", 4],
    ["tasks-request-headers", 5],
    ["tasks-dispatch-and-envelope", 9],
    ["tasks-required-task-error", 3],
    ["tasks-mrtr-composition", 2],
])
    test(`the extension: ${name}`, async () => {
        const text = await run(
            "server",
            "--url",
            server.url,
            "--scenario",
            name,
            "--force",
            "--spec-version",
            "2026-07-28",
        );

        assert.match(
            text,
            new RegExp(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`),
            text.slice(-4000),
        );
    });
