/* server.mjs - the examples as servers, with everything that is said written down.
 *
 * A server runs between two `tee`s, so the SDK's own transports start it and nothing knows that it is
 * listened to.  When a test is over, what was written down is held against the specification. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Conversation, MODERN } from "./spec.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tap = fileURLToPath(new URL("tap.sh", import.meta.url));
const build = process.env.HAFT_BUILD_DIR ?? process.env.HAFT_BUILD ?? join(root, "build/dev");

export const example = (name) => join(build, "examples", name);

/* A port of 127.0.0.1 to listen on later, or again: not one of those that the kernel gives to whoever asks for any,
 * which another test may have got in between.  Tests that start together have neighbouring process ids, and begin 128 ports
 * apart. */
export async function freePort() {
    for (let port = 10240 + ((process.pid * 128) % 22000); ; port++) {
        const server = createServer().listen(port, "127.0.0.1");
        const isFree = await once(server, "listening").then(() => true, () => false);

        await new Promise((resolve) => server.close(resolve));
        if (isFree) return port;
    }
}

/* A command that runs a server and writes down what goes in and out. */
export function listenedTo(program, ...rest) {
    const directory = mkdtempSync(join(tmpdir(), "haft-e2e-"));

    return { directory, command: "sh", args: [tap, directory, program, ...rest] };
}

const lines = (file) =>
    readFileSync(file, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));

/* Holds what was written down against the specification, and forgets it. */
export async function assertConforms({ directory }) {
    const logs = readdirSync(directory)
        .filter((file) => file.endsWith(".in"))
        .map((file) => join(directory, file.slice(0, -3)));
    let count = 0;

    for (const log of logs) {
        const conversation = new Conversation();

        /* A client that probes starts a server that it does not wait for. */
        await until(() => existsSync(`${log}.status`) && lines(`${log}.status`).length, "its end");
        const heard = lines(`${log}.out`);
        const first = heard.find((message) => message.result?.protocolVersion);

        conversation.revision = first?.result.protocolVersion ?? MODERN;
        conversation.sent(lines(`${log}.in`));
        conversation.received(heard);
        assert.deepEqual(conversation.faults, []);
        assert.deepEqual(lines(`${log}.status`), [0], "the exit status");
        count += conversation.count;
    }
    assert.ok(count, "something was said");
    rmSync(directory, { recursive: true });
}

/* The clients that everything is tried with. */
export const clients = [
    { name: "sdk 1.32.2", era: "legacy", Client: ClientV1, Stdio: StdioV1, options: {} },
    { name: "client 2.4.0, 2025", era: "legacy", Client: ClientV2, Stdio: StdioV2, options: {} },
    {
        name: "client 2.4.0, 2026",
        era: "modern",
        Client: ClientV2,
        Stdio: StdioV2,
        options: { versionNegotiation: { mode: { pin: MODERN } } },
    },
];

/* Connects a client to an example for as long as `use` takes; what the server said must conform. */
export async function withClient(kind, name, use, { options = {}, prepare } = {}) {
    const { directory, command, args } = listenedTo(example(name));
    const transport = new kind.Stdio({ command, args, stderr: "pipe" });
    const client = new kind.Client(
        { name: "haft-e2e", version: "1.0.0" },
        { ...kind.options, ...options },
    );
    const log = [];

    transport.stderr?.on("data", (text) => log.push(String(text)));
    prepare?.(client);
    await client.connect(transport);
    try {
        await use(client, { log: () => log.join("") });
    } finally {
        await client.close();
    }
    await assertConforms({ directory });
}

/* Waits until `probe` is truthy. */
export async function until(probe, what, milliseconds = 60000) {
    const end = Date.now() + milliseconds;

    while (!probe()) {
        assert.ok(Date.now() < end, `waited in vain for ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
    }
}
