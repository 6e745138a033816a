/* client-hostile-process.test.mjs - programs that break the rules of standard input and output: each wait of a
 * client on the library ends in time, and nothing is left of the program. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { withDriver } from "./client-driver.mjs";
import { ECLOSED, EPROTOCOL, ETIMEOUT, ETOOBIG, runsOut } from "./client-hostile-replies.mjs";
import { until } from "./server.mjs";

const TIMEOUT = 3000; /* of the requests of a client whose call is to run into it; one of them starts node */
const LIMIT = 12000;
const LONG = 20000; /* of other requests, on a busy machine */
const MODERN = "2026-07-28";

/* A server that answers properly, except that `call` says what it does with a call. */
const child = (call, before = "") => `
    const { writeFileSync, writeSync } = require("node:fs");
    const list = { resultType: "complete", tools: [{ name: "act", inputSchema: { type: "object" } }], ttlMs: 0, cacheScope: "private" };
    const discovered = { resultType: "complete", supportedVersions: ["${MODERN}"], capabilities: { tools: {} }, ttlMs: 0, cacheScope: "private" };
    const done = { resultType: "complete", content: [{ type: "text", text: "done" }] };
    const put = (message) => writeSync(1, JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const ok = (m, result = done) => put({ id: m.id, result });
    const call = (m) => { ${call} };
    writeFileSync(process.env.CALLS, "");
    writeFileSync(process.env.PIDS, process.pid + "\\n", { flag: "a" });
    ${before}
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const m = JSON.parse(line);
        if (m.method === "server/discover") ok(m, discovered);
        else if (m.method === "tools/list") ok(m, list);
        else if (m.method === "tools/call") {
            writeFileSync(process.env.CALLS, "call\\n", { flag: "a" });
            call(m);
        }
    });
`;

const isAlive = (pid) => {
    try {
        process.kill(pid, 0);
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
        return false;
    }
};

/* Runs a case in a folder of its own; when the client has ended, nothing of the program is alive. */
async function withChild(use) {
    const folder = mkdtempSync(join(tmpdir(), "haft-child-"));
    const files = { CALLS: join(folder, "calls"), PIDS: join(folder, "pids") };
    const read = (file) => {
        try {
            return readFileSync(file, "utf8").split("\n").filter(Boolean);
        } catch {
            return [];
        }
    };
    const target = (script, more = {}) => ({
        command: [process.execPath, "-e", script],
        environment: [`PATH=${process.env.PATH}`, ...Object.entries(files).map((it) => it.join("="))],
        revision: MODERN,
        timeout: LONG,
        max_message: 1 << 20,
        close_ms: 300,
        ...more,
    });

    try {
        await withDriver((driver) => use(driver, target, () => read(files.CALLS).length));
        await until(() => !read(files.PIDS).some((pid) => isAlive(Number(pid))), "their ends", 5000);
    } finally {
        for (const pid of read(files.PIDS)) if (isAlive(Number(pid))) process.kill(Number(pid), "SIGKILL");
        rmSync(folder, { recursive: true });
    }
}

const timeoutFor = (expected) => (runsOut(expected) ? TIMEOUT : LONG);

async function judge(driver, name, command, expected, limit = runsOut(expected) ? LIMIT : LONG) {
    const begun = Date.now();
    const answer = await driver.do(name, command);

    assert.ok([expected].flat().includes(answer.status), JSON.stringify(answer));
    assert.ok(Date.now() - begun < limit, `it took ${Date.now() - begun} ms`);
    if (answer.status) assert.ok(answer.why?.length > 5, JSON.stringify(answer));
    return answer;
}

/* What the program does with a call, and how the call ends. */
const replies = [
    ["never answers", "", ETIMEOUT],
    ["exits", "process.exit(3)", ECLOSED],
    ["exits in the middle of its answer", 'writeSync(1, `{"jsonrpc":"2.0","id":${m.id},"resu`); process.exit(0)', ECLOSED],
    ["crashes", 'process.kill(process.pid, "SIGSEGV")', ECLOSED],
    ["closes its output and goes on", "require('node:fs').closeSync(1); setInterval(() => {}, 1000)", [ECLOSED, ETIMEOUT]],
    ["prints a line without end", 'for (;;) try { writeSync(1, "x".repeat(65536)) } catch { break }', [ETOOBIG, ECLOSED]],
    ["prints what is no JSON, and answers", 'writeSync(1, "starting up...\\n\\n{\\n"); ok(m)', 0],
    ["prints binary, and answers", "writeSync(1, Buffer.from([0xff, 0, 0x80, 10])); ok(m)", 0],
    ["answers other ids first", "for (let i = 1; i < 9; i++) ok({ id: m.id + i }); ok({ id: String(m.id) }); ok(m)", 0],
    ["answers other ids only", "for (let i = 1; i < 9; i++) ok({ id: m.id + i })", ETIMEOUT],
    ["answers twice", "ok(m); ok(m); ok(m)", 0],
    ["nests deeply", 'writeSync(1, "[".repeat(200000) + "\\n")', [ETIMEOUT, EPROTOCOL]],
    ["answers with text as result", 'ok(m, "text")', EPROTOCOL],
    ["answers with neither", "put({ id: m.id })", EPROTOCOL],
    ["sends notifications without end", 'setInterval(() => put({ method: "notifications/x" }), 1)', ETIMEOUT],
    ["asks what nobody answers", 'put({ id: "q", method: "shell/run", params: {} }); setTimeout(() => ok(m), 50)', 0],
    ["asks with every kind of id", 'for (const id of [null, {}, [], 1.5, ""]) put({ id, method: "ping" }); ok(m)', 0],
    ["floods its standard error", 'for (let i = 0; i < 200; i++) writeSync(2, "e".repeat(5000) + "\\n"); ok(m)', 0],
    ["sends CR LF", 'writeSync(1, JSON.stringify({ jsonrpc: "2.0", id: m.id, result: done }) + "\\r\\n")', 0],
    ["stops itself", 'process.kill(process.pid, "SIGSTOP")', ETIMEOUT],
];

/* Many only wait. */
describe("a call of a program", { concurrency: 2 }, () => {
    for (const [what, call, expected] of replies)
        test(`that ${what}`, () =>
            withChild(async (driver, target, calls) => {
                await driver.must("connect", target(child(call), { timeout: timeoutFor(expected) }));
                const answer = await judge(driver, "call", { name: "act" }, expected);

                if (!answer.status) assert.equal(answer.text, "done");
                await judge(driver, "close", {}, 0, LIMIT);
                assert.equal(calls(), 1);
            }));
});

/* What the program does at its start, and how connecting ends. */
const starts = [
    ["exits at once", "process.exit(7)", ECLOSED, /7|exit/],
    ["prints a banner and exits", 'console.log("Usage: x"); process.exit(1)', ECLOSED, /1|exit/],
    ["closes its input", 'require("node:fs").closeSync(0); setInterval(() => {}, 1000)', [ECLOSED, ETIMEOUT], /./],
    ["waits", "setInterval(() => {}, 1000)", ETIMEOUT, /./],
];

describe("connecting to a program", { concurrency: 2 }, () => {
    for (const [what, script, expected, why] of starts)
        for (const revision of ["2025-11-25", undefined])
            test(`that ${what} (${revision ?? "negotiated"})`, () =>
                withChild(async (driver, target) => {
                    const record = `require("node:fs").writeFileSync(process.env.PIDS, process.pid + "\\n", { flag: "a" });`;
                    const made = target(record + script, { revision, timeout: timeoutFor(expected) });
                    const answer = await judge(driver, "connect", made, expected, 3 * LIMIT);

                    assert.match(answer.why, why);
                }));
});

for (const [what, command] of [
    ["is not there", ["/nowhere/at/all"]],
    ["is not executable", ["/etc/passwd"]],
    ["is a folder", ["/tmp"]],
])
    test(`a program that ${what}`, () =>
        withChild(async (driver, target) => {
            const answer = await driver.do("connect", target("", { command }));

            assert.ok(answer.status < 0, JSON.stringify(answer));
            assert.ok(answer.why.includes(command[0]), answer.why);
        }));

test("a program that ignores the end of its input and SIGTERM", () =>
    withChild(async (driver, target) => {
        await driver.must(
            "connect",
            target(child("ok(m)", 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);')),
        );
        assert.equal((await driver.call("act")).text, "done");
        await judge(driver, "close", {}, 0, 3000);
    }));

test("a program whose child keeps its output open", () =>
    withChild(async (driver, target) => {
        const leave =
            'require("node:child_process").spawn("sleep", ["3"], { stdio: "inherit", detached: true }).unref();';

        await driver.must("connect", target(child(`${leave} ok(m); process.exit(0)`)));
        assert.equal((await driver.call("act")).text, "done");
        await judge(driver, "close", {}, 0, 2500);
    }));

test("a program that does not read", () =>
    withChild(async (driver, target) => {
        await driver.must("connect", target(child(""), { timeout: TIMEOUT }));
        const pad = "x".repeat(900000);
        const stop = await driver.do("begin", { name: "act", arguments: { pad } });
        assert.ok(stop.status > 0);
        await judge(driver, "wait", { id: stop.status, ms: 10000 }, ETIMEOUT);
    }));
