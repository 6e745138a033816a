/* pipeline-server.mjs - the driver with a tool for everything that can happen to a call, behind each of the
 * carriers: standard input and output, HTTP, and a client in its own process. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { spawn } from "./child.mjs";
import { Server } from "./http-server.mjs";
import { example, until } from "./server.mjs";
import { MODERN } from "./spec.mjs";

export const driver = join(example("."), "..", "tests", "pipeline-driver");

const identity = { name: "haft-e2e", version: "1.0.0" };
const pinned = { versionNegotiation: { mode: { pin: MODERN } } };

/* What a client can tell of an answer, whatever brought it. */
const told = ({ content, isError = false, structuredContent, _meta }) => ({
    text: content.map((block) => block.text ?? block.type).join("\n"),
    isError,
    structured: structuredContent,
    meta: _meta ?? {},
});
const refused = ({ code, message }) => ({ code, text: message.replace(/^MCP error -?\d+: /, "") });

/* A server, one client of it, and its audit. */
class Carrier {
    constructor(name) {
        this.name = name;
        this.folder = mkdtempSync(join(tmpdir(), "haft-pipeline-"));
        this.file = join(this.folder, "audit");
    }

    async call(name, args, _meta, options) {
        try {
            return told(await this.client.callTool({ name, arguments: args, _meta }, options));
        } catch (error) {
            if (!(error.code < 0)) throw error;
            return refused(error);
        }
    }

    async list() {
        return (await this.client.listTools()).tools.map((tool) => tool.name);
    }

    audit() {
        return readFileSync(this.file, "utf8")
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line));
    }

    /* The audit up to the line of `tool`, which was called last: lines come soon after the answers, in
     * their order. */
    async audited(tool) {
        await until(() => this.audit().at(-1)?.tool === tool, `the line of ${tool}`, 20000);
        return this.audit();
    }

    forget() {
        rmSync(this.folder, { recursive: true });
    }
}

class OverStdio extends Carrier {
    async open({ env = {}, args = [] } = {}) {
        this.transport = new StdioClientTransport({
            command: driver,
            args: ["--audit", this.file, ...args],
            env: { ...process.env, ...env },
            stderr: "pipe",
        });
        this.text = "";
        this.transport.stderr.on("data", (text) => (this.text += text));
        this.client = new Client(identity, pinned);
        await this.client.connect(this.transport);
        this.pid = this.transport.pid;
        return this;
    }

    log() {
        return this.text;
    }

    async close() {
        await this.client.close();
        this.forget();
    }
}

class OverHttp extends Carrier {
    async open({ env = {}, args = [] } = {}) {
        this.server = await new Server(
            driver,
            ["--http", "127.0.0.1:0", "--audit", this.file, ...args],
            { env },
        ).ready();
        this.client = new Client(identity, pinned);
        await this.client.connect(new StreamableHTTPClientTransport(new URL(this.server.url)));
        this.pid = this.server.process.pid;
        return this;
    }

    log() {
        return this.server.log();
    }

    async close() {
        await this.client.close();
        assert.equal(await this.server.stop(), 0, this.server.log());
        this.forget();
    }
}

class Inside extends Carrier {
    async open({ env = {} } = {}) {
        this.process = spawn(driver, ["--inside", this.file], {
            env: { ...process.env, ...env },
            stdio: ["pipe", "pipe", "ignore"],
        });
        this.ended = new Promise((resolve) => this.process.on("close", resolve));
        this.lines = [];
        createInterface({ input: this.process.stdout }).on("line", (line) =>
            this.lines.push(JSON.parse(line)),
        );
        return this;
    }

    async call(name, args, _meta) {
        const from = this.lines.length;

        this.process.stdin.write(`${JSON.stringify({ name, arguments: args, _meta })}\n`);
        await until(() => this.lines.length > from, `an answer of ${name}`, 20000);
        const { result, error } = this.lines.at(-1);
        return error ? refused(error) : told(result);
    }

    async close() {
        this.process.stdin.end();
        assert.equal(await this.ended, 0);
        this.forget();
    }
}

export const carriers = [
    ["stdio", OverStdio],
    ["HTTP", OverHttp],
    ["in process", Inside],
];

export async function withCarrier([name, Kind], options, use) {
    const carrier = await new Kind(name).open(options);

    try {
        await use(carrier);
    } finally {
        await carrier.close();
    }
}

/* ---- processes ---- */

/* Those beneath one, as /proc has them: pid, parent, name, state. */
export function processesBeneath(root) {
    const all = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .flatMap((pid) => {
            try {
                const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
                const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(stat);
                const [state, parent] = rest.split(" ");
                return [{ pid: Number(pid), parent: Number(parent), name, state }];
            } catch {
                return [];
            }
        });
    const found = [];
    let parents = [root];

    while (parents.length) {
        const next = all.filter(({ parent }) => parents.includes(parent));
        found.push(...next);
        parents = next.map(({ pid }) => pid);
    }
    return found;
}

/* [number, what it is] */
export const descriptorsOf = (pid) =>
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
            return [[Number(fd), readlinkSync(`/proc/${pid}/fd/${fd}`)]];
        } catch {
            return [];
        }
    });
