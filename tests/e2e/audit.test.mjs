// An audit that is a FIFO: nothing waits for whoever reads it, and what is lost is counted.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { Agent } from "node:http";
import { driver as pipelineDriver } from "./pipeline-server.mjs";
import { Server } from "./http-server.mjs";
import { MODERN, envelope, post, send } from "./http-client.mjs";
import { Pipe } from "./pipe-client.mjs";
import { example, until } from "./server.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "haft-audit-"));
const catalog = example("catalog");
const OVERFLOW = 5 << 20; /* more bytes than the queue and a pipe hold together */

process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

let made = 0;

function fifo() {
    const file = path.join(folder, `fifo-${made++}`);

    execFileSync("mkfifo", [file]);
    return file;
}

const open = (file) => fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);

/* What is in the pipe now. */
function drain(fd) {
    const block = Buffer.alloc(1 << 16);
    let text = "";

    try {
        for (let n; (n = fs.readSync(fd, block)) > 0;) text += block.toString("latin1", 0, n);
    } catch (error) {
        if (error.code !== "EAGAIN") throw error;
    }
    return text;
}

const lines = (text) => text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
const ids = (text) => lines(text).map(({ id }) => id);
const count = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);

class Serving {
    #agent = new Agent({ keepAlive: true, maxSockets: 4 });
    #next = 0;

    async open(audit, { program = catalog, args = [], env } = {}) {
        const own = ["--http", "127.0.0.1:0", "--audit", audit, "--audit-arguments", "plain"];

        this.server = await new Server(program, [...own, ...args], { env }).ready();
        return this;
    }

    /* Each answer comes within seconds, or the test fails. */
    async call(name = "search", args = { query: "mug" }) {
        const id = this.#next++;
        const answer = await post(
            this.server.url,
            { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: envelope() } },
            { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": name },
            { agent: this.#agent },
        );
        const text = await answer.text();

        assert.equal(answer.status, 200, text);
        assert.ok(text.includes(`"id":${id},"result":`), text);
    }

    async isWell() {
        const answer = await send(new URL("/healthz", this.server.url), { method: "GET", agent: this.#agent });

        assert.equal(answer.status, 200);
        await answer.text();
    }

    get calls() {
        return this.#next;
    }

    said(words) {
        return (this.server.log().match(words) ?? []).length;
    }

    /* Calls, `bytes` of lines or more, one after another. */
    async fill(bytes, tool = "search", argument = "query") {
        const value = "x".repeat(3500);

        for (let put = 0; put < bytes; put += value.length) {
            await this.call(tool, { [argument]: value });
            if (this.calls % 100 === 0) await this.isWell();
        }
    }

    async end() {
        const begun = Date.now();

        this.#agent.destroy();
        assert.equal(await this.server.stop(), 0, this.server.log());
        return Date.now() - begun;
    }
}

test("nobody reads it: the server starts, and whoever comes later reads everything in order", async () => {
    const file = fifo();
    const serving = await new Serving().open(file);

    for (let i = 0; i < 20; i++) await serving.call();
    await serving.isWell();
    await until(() => serving.said(/cannot write the audit file/g) === 1, "a word of it", 20000);

    const fd = open(file);
    let text = "";

    await until(() => ((text += drain(fd)), text.split("\n").length > 20), "the lines", 20000);
    await serving.call();
    await until(() => ((text += drain(fd)), text.split("\n").length > 21), "the next", 20000);
    assert.deepEqual(ids(text), count(0, 21));
    await until(() => serving.said(/writing the audit file again; lines lost: 0/g) === 1, "the end of it");
    assert.equal(serving.said(/cannot write the audit file/g), 1);

    /* It goes away, and comes back. */
    fs.closeSync(fd);
    await serving.call();
    await serving.call();
    await serving.isWell();
    await until(() => serving.said(/cannot write the audit file/g) === 2, "a second word", 20000);
    const again = open(file);
    let more = "";

    await until(() => ((more += drain(again)), more.split("\n").length > 2), "the lines", 20000);
    assert.deepEqual(ids(more), [21, 22]);
    await serving.end();
    fs.closeSync(again);
});

test("a reader that does not read: calls go on, losses begin and end with a word each", async () => {
    const file = fifo();
    const fd = open(file);
    const serving = await new Serving().open(file);

    await serving.fill(OVERFLOW);
    await serving.isWell();
    await until(() => serving.said(/audit lines are being lost/g) === 1, "a word of the loss", 20000);

    let text = "";

    await until(() => ((text += drain(fd)), serving.said(/file again; lines lost: \d+/g)), "the end of it", 30000);
    const before = serving.calls;

    await serving.call();
    await until(() => ((text += drain(fd)), text.endsWith("\n") && ids(text).at(-1) === before), "the last", 20000);
    const lost = Number(/file again; lines lost: (\d+)/.exec(serving.server.log())[1]);
    const seen = ids(text);

    assert.ok(lost > 0);
    assert.equal(seen.length + lost, serving.calls);
    assert.deepEqual(seen, [...count(0, seen.length - 1), before]);
    assert.equal(serving.said(/audit lines are being lost/g), 1);
    await serving.end();
    fs.closeSync(fd);
});

test("a reader that does not read holds the end of the server for a moment only", async () => {
    const file = fifo();
    const fd = open(file);
    const serving = await new Serving().open(file);

    await serving.fill(1 << 18);
    const took = await serving.end();

    assert.ok(took < 20000, `${took} ms`);
    assert.equal(serving.said(/audit lines lost: \d+/g), 1);
    fs.closeSync(fd);
});

test("a server that is cut off writes what waits first", async () => {
    const file = fifo();
    const fd = open(file);
    const serving = await new Serving().open(file, { program: pipelineDriver, args: ["--drain", "100ms"] });

    await serving.fill(1 << 18, "add", "a");
    const before = serving.calls;
    const stuck = serving.call("doze", { ms: 60000 }).catch(() => "cut off");

    await until(() => serving.said(/dozes/g), "the handler");
    serving.server.process.kill("SIGTERM");
    await until(() => serving.said(/calls in flight were abandoned/g), "the end of its patience");
    let text = "";

    await until(() => ((text += drain(fd)), serving.server.process.exitCode !== null), "the end");
    text += drain(fd);
    assert.equal(serving.server.process.exitCode, 1);
    assert.deepEqual(ids(text).slice(0, before), count(0, before));
    assert.equal(await stuck, "cut off");
    fs.closeSync(fd);
});

test("SIGHUP gets past a reader that does not read, to the file that has the name now", async () => {
    const file = fifo();
    const fd = open(file);
    const config = path.join(folder, "config.json");

    fs.writeFileSync(config, "{}");
    const serving = await new Serving().open(file, { args: ["--config", config, "--log-level", "notice"] });

    await serving.fill(1 << 18);
    fs.renameSync(file, `${file}.1`);
    serving.server.process.kill("SIGHUP");
    await until(() => serving.said(/configuration reloaded/g) === 1, "the reload", 20000);
    const before = serving.calls;

    await serving.call();
    await serving.isWell();
    await until(() => fs.existsSync(file) && ids(fs.readFileSync(file, "latin1")).at(-1) === before, "the line", 20000);

    /* Each is whole in one of them; what the pipe had of the line it did not take ends it. */
    const old = drain(fd);
    const whole = old.slice(0, old.lastIndexOf("\n") + 1);

    assert.deepEqual([...ids(whole), ...ids(fs.readFileSync(file, "latin1"))], count(0, before + 1));
    await serving.end();
    fs.closeSync(fd);
});

test("SIGHUP on a FIFO that nobody reads", async () => {
    const file = fifo();
    const config = path.join(folder, "config.json");

    fs.writeFileSync(config, "{}");
    const serving = await new Serving().open(file, { args: ["--config", config, "--log-level", "notice"] });

    for (let n = 1; n <= 3; n++) {
        serving.server.process.kill("SIGHUP");
        await until(() => serving.said(/configuration reloaded/g) === n, "the reload", 20000);
        await serving.call();
        await serving.isWell();
    }
    const fd = open(file);
    let text = "";

    await until(() => ((text += drain(fd)), text.split("\n").length > 3), "the lines", 20000);
    assert.deepEqual(ids(text), [0, 1, 2]);
    await serving.end();
    fs.closeSync(fd);
});

test("isolated tools, in a sandbox, with nobody who reads", async () => {
    const file = fifo();
    const probe = spawnSync(pipelineDriver, ["--sandbox"], { input: "", encoding: "utf8" });
    const sandbox = /the kernel does not support/.test(probe.stderr) ? "--sandbox=best-effort" : "--sandbox";
    const log = path.join(folder, "log");
    const serving = await new Serving().open(file, {
        program: pipelineDriver,
        args: [sandbox, "--log-file", log],
        env: { ASAN_OPTIONS: "detect_leaks=0" }, /* which looks into the process from another */
    });

    await serving.call("add", { a: 1, b: 2 });
    for (const how of ["nothing", "crash", "nothing"]) await serving.call("harm", { how });
    await serving.isWell();
    const fd = open(file);
    let text = "";

    await until(() => ((text += drain(fd)), text.split("\n").length > 4), "the lines", 20000);
    assert.deepEqual(ids(text), [0, 1, 2, 3]);
    await serving.end();
    fs.closeSync(fd);
});

/* Each with how it ends, or that it serves. */
const fifos = [
    ["--config", 2, /Unexpected end|empty|JSON/i],
    ["--seal-key-file", 1, /64 hexadecimal digits/],
    ["--log-file", 1, /No such device/],
    ["--audit", "serves"],
];

for (const [option, status, words] of fifos)
    test(`${option} names a FIFO that nobody else has open`, async () => {
        const server = new Server(catalog, ["--http", "127.0.0.1:0", option, fifo()]);

        if (status === "serves") {
            await server.ready();
            assert.equal(await server.stop(), 0);
        } else {
            assert.equal(await server.ended, status, server.log());
            assert.match(server.log(), words);
        }
    });

test("on a pipe: calls are answered, and the end comes", async () => {
    const file = fifo();
    const pipe = new Pipe(catalog, "--audit", file);

    await pipe.greet();
    for (let i = 0; i < 5; i++)
        assert.ok((await pipe.request("tools/call", { name: "search", arguments: { query: "mug" } })).result);
    assert.equal(await pipe.end(), 0);
    assert.match(pipe.log, /audit lines lost: 5/);
});
