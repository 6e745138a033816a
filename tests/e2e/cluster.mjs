/* cluster.mjs - several replicas of a server behind nginx, with a Redis of their own, all on 127.0.0.1.
 *
 * Everything is real and started here: nginx and redis-server from Debian, or the program that HAFT_REDIS_SERVER names,
 * such as valkey-server; and the replicas, which `haft nginx` writes the configuration for.  Each process can be killed,
 * stopped and started again at the same address. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "./child.mjs";
import { envelope, eventually, MODERN, sleep } from "./http-client.mjs";
import { Server } from "./http-server.mjs";
import { example, freePort, until } from "./server.mjs";

export const haft = join(example("."), "..", "bin", "haft");

/* ---- ports ---- */

let next = 0;
/* Ports that differ from each other, although nothing listens on the earlier ones yet. */
export async function newPort() {
    const port = await freePort();

    next = port > next ? port : await portAfter(next);
    return next;
}

const listens = (port) =>
    new Promise((resolve) => {
        const socket = connect(port, "127.0.0.1");

        socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
        socket.on("connect", () => socket.destroy());
    });

async function portAfter(port) {
    do port++;
    while (await listens(port));
    return port;
}

async function untilListening(port, what) {
    let up = false;

    await until(() => {
        listens(port).then((yes) => (up ||= yes));
        return up;
    }, what);
}

/* ---- Redis ---- */

const redisServer = process.env.HAFT_REDIS_SERVER ?? "redis-server";

/* Reads one reply; [value, rest], or null while it is incomplete. */
function readReply(text) {
    const end = text.indexOf("\r\n");

    if (end < 0) return null;
    const head = text.subarray(1, end).toString(), rest = text.subarray(end + 2), size = Number(head);

    switch (String.fromCharCode(text[0])) {
        case "+": return [head, rest];
        case "-": return [new Error(head), rest];
        case ":": return [size, rest];
        case "$":
            if (size < 0) return [null, rest];
            return rest.length < size + 2 ? null : [rest.subarray(0, size).toString(), rest.subarray(size + 2)];
        default: {
            const values = [];
            let left = rest;

            for (let i = 0; i < size; i++) {
                const item = readReply(left);

                if (!item) return null;
                values.push(item[0]);
                left = item[1];
            }
            return [values, left];
        }
    }
}

/* A redis-server on a port of its own. */
export class Redis {
    constructor(folder, port, args) {
        Object.assign(this, { folder, port, args });
    }

    static async start({ args = [] } = {}) {
        const redis = new Redis(mkdtempSync(join(tmpdir(), "haft-redis-")), await newPort(), args);

        return redis.restart();
    }

    get url() {
        return `redis://127.0.0.1:${this.port}/0`;
    }

    async restart(...args) {
        this.process = spawn(
            redisServer,
            ["--port", this.port, "--bind", "127.0.0.1", "--save", "", "--dir", this.folder, "--loglevel", "warning", ...this.args, ...args].map(String),
            { stdio: "ignore" },
        );
        this.ended = new Promise((resolve) => this.process.on("close", resolve));
        await untilListening(this.port, "redis-server");
        return this;
    }

    /* The answer to one command. */
    command(...words) {
        return new Promise((resolve, reject) => {
            const socket = connect(this.port, "127.0.0.1");
            let text = Buffer.alloc(0);

            socket.on("error", reject).on("close", () => reject(new Error(`Redis closed the connection: ${words[0]}`)));
            socket.on("data", (data) => {
                const reply = readReply((text = Buffer.concat([text, data])));

                if (!reply) return;
                socket.destroy();
                if (reply[0] instanceof Error) reject(reply[0]);
                else resolve(reply[0]);
            });
            socket.write(`*${words.length}\r\n` + words.map((word) => `$${Buffer.byteLength(String(word))}\r\n${word}\r\n`).join(""));
        });
    }

    async kill(signal = "SIGKILL") {
        this.process.kill(signal);
        await this.ended;
    }

    pause(yes) {
        this.process.kill(yes ? "SIGSTOP" : "SIGCONT");
    }

    async stop() {
        this.process.kill("SIGCONT");
        await this.kill();
        rmSync(this.folder, { recursive: true });
    }
}

/* A Redis, a copy of it, and a Sentinel that makes the copy the master if the first one is gone; for as long as `use`
 * takes. */
export async function withSentinel(use) {
    const master = await Redis.start({ args: ["--repl-diskless-sync-delay", "0"] });
    const copy = await Redis.start({ args: ["--replicaof", "127.0.0.1", master.port] });
    const port = await newPort(), file = join(master.folder, "sentinel.conf");

    writeFileSync(
        file,
        `port ${port}
bind 127.0.0.1
dir ${master.folder}
sentinel monitor one 127.0.0.1 ${master.port} 1
sentinel down-after-milliseconds one 500
sentinel failover-timeout one 4000
`,
    );
    const sentinel = new Redis(master.folder, port, []);

    sentinel.process = spawn(redisServer, [file, "--sentinel"], { stdio: "ignore" });
    sentinel.ended = new Promise((resolve) => sentinel.process.on("close", resolve));
    try {
        await untilListening(port, "the Sentinel");
        await eventually(() => sentinel.command("SENTINEL", "REPLICAS", "one"), ({ length }) => length);
        await eventually(() => copy.command("ROLE"), (role) => role[3] === "connected");
        await sleep(1500); /* until it has asked the copy once */
        await use({ master, copy, sentinel, url: `redis+sentinel://127.0.0.1:${port}/one` });
    } finally {
        await sentinel.kill();
        await master.stop();
        await copy.stop();
    }
}

/* ---- a replica ---- */

class Replica {
    constructor(number, port, program, args, env) {
        Object.assign(this, { number, port, program, args, env });
    }

    async start() {
        this.server = new Server(this.program, ["--http", `127.0.0.1:${this.port}`, "--replica", String(this.number), ...this.args], { env: this.env });
        await this.server.ready();
        this.url = this.server.url;
        return this;
    }

    log() {
        return this.server.log();
    }

    signal(name) {
        this.server.process.kill(name);
    }

    async kill(signal = "SIGKILL") {
        return this.server.stop(signal);
    }
}

/* ---- nginx ---- */

async function startNginx(replicas) {
    const folder = mkdtempSync(join(tmpdir(), "haft-cluster-"));
    const port = await newPort();
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`);
    const front = execFileSync(haft, ["nginx", "--listen", `127.0.0.1:${port}`, ...replicas.map((replica) => `127.0.0.1:${replica.port}`)], { encoding: "utf8" });

    writeFileSync(
        join(folder, "nginx.conf"),
        `daemon off; worker_processes 1; worker_rlimit_nofile 8192; pid ${folder}/pid; error_log ${folder}/log;
events { worker_connections 4096; }
http { access_log off; ${temporary.join(" ")} proxy_bind 127.0.0.1;
${front}
}
`,
    );
    const process = spawn(existsSync("/usr/sbin/nginx") ? "/usr/sbin/nginx" : "nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "log")], { stdio: "ignore" });
    const ended = new Promise((resolve) => process.on("close", resolve));

    await untilListening(port, `nginx: ${existsSync(join(folder, "log")) ? readFileSync(join(folder, "log")) : ""}`);
    return {
        port,
        pid: process.pid,
        log: () => readFileSync(join(folder, "log"), "utf8"),
        stop: async () => {
            process.kill("SIGTERM");
            await ended;
            rmSync(folder, { recursive: true });
        },
    };
}

/* ---- all of it ---- */

/* Replicas of an example (or of `program`) with these options behind nginx for as long as `use` takes.  `args` and `env`
 * may be functions of the replica's number and of Redis.  `redis` has arguments for it, or is false: there is none, or
 * there is another store at `store`.  `nginx: false`: nothing is in front of the replicas. */
export async function withCluster({ size = 3, name = "everything", program = example(name), args = [], env = {}, redis: options = {}, store, nginx: front = true }, use) {
    const redis = options && !store ? await Redis.start(options) : undefined, url = store ?? redis?.url;
    const of = (given, number) => (typeof given === "function" ? given(number, redis) : given);
    const replicas = [];
    let nginx;

    try {
        for (let i = 0; i < size; i++) {
            const own = ["--replicas", `${size}`, "--trusted-proxy", "127.0.0.1", ...(url ? ["--store", url] : []), ...of(args, i)];

            replicas.push(await new Replica(i, await newPort(), program, own, of(env, i)).start());
        }
        if (front) nginx = await startNginx(replicas);
        await use({ redis, replicas, nginx, url: nginx && `http://127.0.0.1:${nginx.port}/mcp` });
    } catch (error) {
        error.message += `\n${nginx?.log() ?? ""}`;
        throw error;
    } finally {
        await nginx?.stop();
        for (const replica of replicas) await replica.kill("SIGTERM");
        await redis?.stop();
    }
    for (const replica of replicas) assert.doesNotMatch(replica.log(), /Sanitizer|runtime error/);
}

/* ---- calls ---- */

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/* One request; {status, headers, text}.  A connection that ends without an answer is {status: 0}. */
export function post(url, message, headers = {}) {
    const text = JSON.stringify(message);
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

    return new Promise((resolve) => {
        const request = http.request(
            url,
            { method: "POST", agent, headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "Content-Length": Buffer.byteLength(text), ...given } },
            (response) => {
                const parts = [];

                response.on("data", (part) => parts.push(part));
                response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() }));
                response.on("error", () => resolve({ status: 0 }));
            },
        );

        request.on("error", () => resolve({ status: 0 }));
        request.end(Buffer.from(text)); /* a string would have node send headers as UTF-8 */
    });
}

let ids = 0;
/* A call of a tool by a client of 2026-07-28. */
export function call(url, tool, args = {}, { headers = {}, params = {}, capabilities = {}, id = ++ids } = {}) {
    const message = { jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: args, _meta: envelope({}, capabilities), ...params } };

    return post(url, message, { "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": tool, ...headers });
}

/* What became of a call: "passed", "refused" by a rate limit, "lost" with its replica, or else its answer. */
export function counted({ status, text }) {
    if (status === 0 || status === 502 || status === 504) return "lost";
    if (status === 200 && text.includes("haft/retryAfterMs")) return "refused";
    return status === 200 && text.includes('"result"') && !text.includes('"isError":true') ? "passed" : `${status} ${text}`;
}
