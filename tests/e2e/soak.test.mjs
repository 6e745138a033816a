// 100,000 requests over one pipe, both eras interleaved, with cancellations, progress and changes of the list:
// no answer is lost, none comes twice, and the memory stays flat.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { spawn } from "./child.mjs";

const build = process.env.HAFT_BUILD_DIR ?? process.env.HAFT_BUILD ?? "build/dev";
const program = path.resolve(build, "examples/everything");
const total = Number(process.env.HAFT_SOAK ?? 100000);
const window = 32;

let seed = 7;
const next = (n) => ((seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) >> 8) % n;
const modern = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
};

function request(id) {
    const kind = next(1000);
    const meta = next(2) ? modern : undefined;
    const call = (name, more) => ({ name, arguments: {}, _meta: { ...meta, ...more } });
    const message = (method, params) => ({ jsonrpc: "2.0", id, method, params });

    if (kind < 2) return message("tools/call", call("test_trigger_tool_change"));
    if (kind < 4) return message("tools/call", call("test_tool_with_progress", { progressToken: id }));
    if (kind < 8) return { ...message("tools/call", call("test_cancellation")), cancels: true };
    if (kind < 100) return message("tools/list", { _meta: meta ?? {} });
    if (kind < 120) return message("tools/call", call("nope"));
    if (kind < 140) return message("no/such", { _meta: meta ?? {} });
    return message("tools/call", call("test_simple_text"));
}

function memory(pid) {
    return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
}

test(`${total} requests over one pipe`, { timeout: 570000 }, async () => {
    // A sanitizer keeps what is freed for a while, and stack frames too, which is not what is measured here.
    const env = { ...process.env, ASAN_OPTIONS: "quarantine_size_mb=1:detect_stack_use_after_return=0" };
    const server = spawn(program, [], { stdio: ["pipe", "pipe", "ignore"], env });
    const waiting = new Map();
    const wrong = [];
    let sent = 0, answered = 0, cancelled = 0, progress = 0, changes = 0, early = 0, rest = "";
    let done;
    const finished = new Promise((resolve) => (done = resolve));
    const send = (message) => server.stdin.write(JSON.stringify(message) + "\n");

    function more() {
        while (sent < total && waiting.size < window) {
            const { cancels, ...message } = request(++sent);

            send(message);
            if (cancels) {
                send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: message.id } });
                cancelled++;
            } else {
                waiting.set(message.id, message);
            }
            if (sent === Math.floor(total / 5)) early = memory(server.pid);
        }
        if (sent === total && !waiting.size) done();
    }
    server.stdout.setEncoding("utf8").on("data", (text) => {
        const lines = (rest + text).split("\n");

        rest = lines.pop();
        for (const message of lines.map((line) => JSON.parse(line))) {
            if (message.method === "notifications/progress") progress++;
            else if (message.method === "notifications/tools/list_changed") changes++;
            else if (message.id === 0) continue;
            else if (!waiting.delete(message.id)) wrong.push(message);
            else answered++;
        }
        more();
    });
    send({
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "soak", version: "1" } },
    });
    more();
    await finished;
    const late = memory(server.pid);
    server.stdin.end();
    const status = await new Promise((resolve) => server.on("exit", resolve));

    assert.deepEqual(wrong, []);
    assert.equal(answered, total - cancelled);
    assert.ok(cancelled && progress && changes, `everything was tried: ${cancelled} ${progress} ${changes}`);
    assert.ok(late < early * 1.25 + 2048, `${early} kB became ${late} kB`);
    assert.equal(status, 0);
    console.log(`# ${answered} answers, ${cancelled} cancelled, ${progress} progress, ${changes} changes, ${early} to ${late} kB`);
});
