/* soak.mjs [MINUTES] - two servers, one over HTTP and one over stdio, under everything at once: both eras, all
 * sizes, cancellations, clients that leave in the middle, clients that read slowly, tools that change, isolated
 * calls that crash, settings that are read again.
 *
 * Every second each server's memory, descriptors, threads and processes are counted; memory twice: what haft has
 * asked its allocator for and not given back, and what the process has.  After a third of the time, which is for
 * warming up, none may grow: the line through the medians (Theil and Sen) is level within what the table says.  When
 * all clients have left, the descriptors are as many as before the first came, and haft has given back what was
 * theirs. */

import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";

const minutes = Number(process.argv[2] ?? 5);
const build = process.env.HAFT_BUILD ?? "build/dev";
const program = path.resolve(build, "tests/soak-driver");
const META = "io.modelcontextprotocol/";
const WORKERS = 12;
const WINDOW = 24;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const below = (n) => Math.floor(Math.random() * n);
const pick = (list) => list[below(list.length)];

if (!(minutes > 0)) {
    console.error("usage: soak.mjs [MINUTES]");
    process.exit(2);
}

const wrong = [];
const counts = {};
const count = (what) => (counts[what] = (counts[what] ?? 0) + 1);
const complain = (text) => wrong.length < 20 && wrong.push(text);

/* ---- the servers ---- */

const settings = path.join(os.tmpdir(), `haft-soak-${process.pid}.json`);
const writeSettings = () =>
    fs.writeFileSync(
        settings,
        JSON.stringify({
            log: { level: "critical" },
            limits: { timeout: pick(["20s", "25s", "30s"]), drain: "5s" },
            http: { session_idle: "5s", max_sessions: 1000 },
        }),
    );

function start(...options) {
    const counts = path.join(os.tmpdir(), `haft-soak-${process.pid}${options[0]}`);
    const server = spawn(program, ["--config", settings, ...options], {
        stdio: ["pipe", "pipe", "pipe"],
        env: { ...process.env, HAFT_SOAK_COUNTS: counts },
    });

    server.counts = counts;

    server.ended = new Promise((resolve) =>
        server.on("exit", (code, signal) => resolve(signal ?? code)),
    );
    server.log = "";
    server.stderr.setEncoding("utf8").on("data", (text) => {
        server.log = (server.log + text).slice(-4000);
    });
    server.stdin.on("error", () => {});
    return server;
}

async function portOf(server) {
    for (let i = 0; i < 1000; i++) {
        const found = /listening on http:\/\/[^:]+:(\d+)/.exec(server.log);

        if (found) return Number(found[1]);
        await sleep(10);
    }
    throw new Error(`the server does not begin: ${server.log}`);
}

function childrenOf(pid) {
    const list = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();

    return list ? list.split(" ") : [];
}

/* Processes come and go while they are counted. */
function processes(pid) {
    try {
        return childrenOf(pid).reduce((n, child) => n + processes(child), 1);
    } catch {
        return 1;
    }
}

function look(server) {
    const status = fs.readFileSync(`/proc/${server.pid}/status`, "utf8");
    const field = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]);

    return {
        bytes: Number(fs.readFileSync(server.counts).readBigInt64LE(0) >> 10n),
        memory: field("VmRSS"),
        descriptors: fs.readdirSync(`/proc/${server.pid}/fd`).length,
        threads: field("Threads"),
        processes: processes(server.pid),
    };
}

/* ---- messages ---- */

const modern = (more) => ({
    _meta: {
        [`${META}protocolVersion`]: "2026-07-28",
        [`${META}clientCapabilities`]: {},
        ...more,
    },
});
const message = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });
const hello = (id) =>
    message(id, "initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "soak", version: "1" },
    });

/* A call, and the text that its answer has in it. */
function randomCall() {
    const size = pick([0, 10, 1000, 30000, 200000]);
    const word = `w${below(1e9)}`;

    return pick([
        ["echo", { text: word }, `"${word}"`],
        ["echo", { text: word }, `"${word}"`],
        ["shape", { name: word }, `["${word}"]`],
        ["shape", { name: "", n: 99 }, '"isError":true'],
        ["blocks", {}, '"name":"last"'],
        ["steps", {}, "3 steps"],
        ["big", { size }, 'x!"'.slice(size ? 0 : 1)],
        ["nope", {}, '"error":{'],
    ]);
}

/* ---- over HTTP ---- */

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/* The whole answer as text; null when the server closed the connection. */
function send(port, method, headers, body, { signal, slow } = {}) {
    return new Promise((resolve) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const request = http.request({
            port,
            host: "127.0.0.1",
            path: "/mcp",
            method,
            agent: slow ? false : agent,
            signal,
            headers: {
                accept: "application/json, text/event-stream",
                ...(text !== undefined && { "content-type": "application/json" }),
                ...headers,
            },
        });

        request.on("error", () => resolve(null));
        request.on("response", (response) => {
            let all = "";

            response.setEncoding("utf8");
            response.on("data", (part) => {
                all += part;
                if (slow) {
                    response.pause();
                    setTimeout(() => response.resume(), 20);
                }
            });
            response.on("end", () =>
                resolve({ status: response.statusCode, headers: response.headers, text: all }),
            );
            response.on("error", () => resolve(null));
        });
        request.end(text);
    });
}

const modernHeaders = (method, name) => ({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name && { "mcp-name": name }),
});

function checkAnswer(what, answer, expected) {
    count(what);
    if (!answer) complain(`${what}: the connection was closed`);
    else if (!answer.text.includes(expected))
        complain(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
}

const call = (name, args, more) => ({ name, arguments: args, ...more });

async function modernCall(port, slow) {
    const [name, args, expected] = randomCall();
    const params = call(name, args, modern(below(2) ? { progressToken: 1 } : {}));

    checkAnswer(
        slow ? "slow readers" : "modern calls",
        await send(
            port,
            "POST",
            modernHeaders("tools/call", name),
            message(1, "tools/call", params),
            { slow },
        ),
        expected,
    );
}

/* Sessions that nobody ends come one after another at the same pace, whatever the machine has to do besides: how
 * many wait for their time to be over is then always the same. */
const LEFT_EVERY_MS = 100;
let nextLeft = 0;

async function endSession(port, headers) {
    if (Date.now() >= nextLeft) {
        nextLeft = Date.now() + LEFT_EVERY_MS;
        count("sessions left behind");
        return;
    }
    const answer = await send(port, "DELETE", headers);

    count("sessions ended");
    if (!answer || answer.status >= 300) complain(`a session does not end: ${answer?.status}`);
}

async function legacySession(port) {
    const opened = await send(port, "POST", {}, hello(0));
    const id = opened?.headers["mcp-session-id"];
    const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };

    if (!id) {
        complain(`no session: ${opened?.status}`);
        return;
    }
    const leaving = new AbortController();
    const listening = below(2)
        ? send(port, "GET", headers, undefined, { signal: leaving.signal })
        : undefined;
    for (let i = 1; i <= 1 + below(6); i++) {
        const [name, args, expected] = randomCall();
        const params = call(name, args, below(2) ? { _meta: { progressToken: i } } : {});
        const answer = await send(port, "POST", headers, message(i, "tools/call", params));

        checkAnswer("legacy calls", answer, expected);
    }
    leaving.abort();
    await listening;
    await endSession(port, headers);
}

async function cancelled(port) {
    const leaving = new AbortController();
    const params = call("wait_long", {}, modern({ progressToken: 1 }));
    const waiting = send(
        port,
        "POST",
        modernHeaders("tools/call", "wait_long"),
        message(1, "tools/call", params),
        { signal: leaving.signal, slow: true },
    );

    await sleep(below(30));
    leaving.abort();
    await waiting;
    count("cancelled");
}

async function leavesInTheMiddle(port) {
    const text = JSON.stringify(message(1, "tools/call", call("big", { size: 200000 })));
    const whole = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    const socket = net.connect(port, "127.0.0.1");

    socket.on("error", () => {});
    socket.write(whole.slice(0, 1 + below(whole.length)));
    await sleep(below(20));
    if (below(2)) socket.resetAndDestroy();
    else socket.destroy();
    count("left in the middle");
}

async function changes(port) {
    const leaving = new AbortController();
    const listening = send(
        port,
        "POST",
        modernHeaders("subscriptions/listen"),
        message(1, "subscriptions/listen", {
            notifications: { toolsListChanged: true },
            ...modern(),
        }),
        { signal: leaving.signal },
    );
    const params = call("change", {}, modern());

    await sleep(5);
    checkAnswer(
        "changes",
        await send(
            port,
            "POST",
            modernHeaders("tools/call", "change"),
            message(2, "tools/call", params),
        ),
        "changed",
    );
    leaving.abort();
    await listening;
}

async function isolated(port) {
    const [name, args, expected] = pick([
        ["apart", { text: "hello" }, "hello from afar"],
        ["crash", {}, '"isError":true'],
    ]);
    const params = call(name, args, modern());

    checkAnswer(
        "isolated calls",
        await send(
            port,
            "POST",
            modernHeaders("tools/call", name),
            message(1, "tools/call", params),
        ),
        expected,
    );
}

async function nonsense(port) {
    const answer = await send(port, "POST", {}, pick([[], {}, 1, { jsonrpc: "2.0", id: 1 }]));

    count("nonsense");
    if (answer && answer.status < 400 && !answer.text.includes('"error"'))
        complain(`nonsense was accepted: ${answer.status} ${answer.text.slice(0, 100)}`);
}

const doings = [
    [30, modernCall],
    [20, legacySession],
    [6, cancelled],
    [8, leavesInTheMiddle],
    [3, (port) => modernCall(port, true)],
    [3, changes],
    [3, isolated],
    [4, nonsense],
].flatMap(([weight, doing]) => Array(weight).fill(doing));

async function loadHttp(port, until) {
    while (Date.now() < until()) await pick(doings)(port);
}

/* ---- over stdio ---- */

/* Many requests at once on the one pipe; the promise is kept when the last of them is answered. */
function loadStdio(server, until) {
    const waiting = new Map();
    let rest = "";
    let id = 0;

    const say = (one) => server.stdin.write(`${JSON.stringify(one)}\n`);
    const ask = () => {
        const [name, args, expected] = below(40)
            ? randomCall()
            : pick([
                  ["change", {}, "changed"],
                  ["apart", { text: "hello" }, "hello from afar"],
                  ["crash", {}, '"isError":true'],
              ]);
        const era = below(2) ? modern(below(2) ? { progressToken: id + 1 } : {}) : {};

        id++;
        say(message(id, "tools/call", call(name, args, era)));
        waiting.set(id, expected);
        if (!below(50)) {
            id++;
            say(message(id, "tools/call", call("wait_long", {})));
            say({
                jsonrpc: "2.0",
                method: "notifications/cancelled",
                params: { requestId: id },
            });
            count("stdio cancelled");
        }
    };

    return new Promise((resolve) => {
        const more = () => {
            while (Date.now() < until() && waiting.size < WINDOW) ask();
            if (Date.now() >= until() && !waiting.size) resolve();
        };

        server.stdout.setEncoding("utf8").on("data", (text) => {
            const lines = (rest + text).split("\n");

            rest = lines.pop();
            for (const line of lines) {
                const answer = JSON.parse(line);

                if (answer.method || answer.id === 0) continue;
                count("stdio calls");
                if (!waiting.has(answer.id)) complain(`stdio: answered twice: ${line.slice(0, 100)}`);
                else if (!line.includes(waiting.get(answer.id)))
                    complain(`stdio: ${line.slice(0, 200)}`);
                waiting.delete(answer.id);
            }
            more();
        });
        server.ended.then(resolve);
        say(hello(0));
        more();
        /* A client that does not read for a while: the server has to wait for it. */
        const deaf = setInterval(() => {
            if (Date.now() >= until()) {
                clearInterval(deaf);
                more();
                return;
            }
            server.stdout.pause();
            setTimeout(() => server.stdout.resume(), 100);
            count("stdio pauses");
        }, 2000);
    });
}

/* ---- is it level? ---- */

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/* How much it grows over the time looked at: the median of all slopes, times that time. */
function growth(samples) {
    const slopes = [];
    const step = Math.max(1, Math.floor(samples.length / 200));

    for (let i = 0; i < samples.length; i += step)
        for (let j = i + step; j < samples.length; j += step)
            slopes.push((samples[j] - samples[i]) / (j - i));
    return slopes.length ? median(slopes) * samples.length : 0;
}

/* What each may grow by while it is looked at; of what comes and goes, the noise of its median. */
const measures = [
    ["bytes", "kB", () => 1024],
    ["memory", "kB", (middle) => Math.max(2048, middle * 0.05)],
    ["descriptors", "", (middle) => Math.max(8, middle * 0.2)],
    ["threads", "", () => 1],
    ["processes", "", () => 2],
];

/* What may be there more than before anybody came, once all have left.  A server on stdio keeps what its one
 * session has to spare; it ends when its client leaves. */
const kept = {
    http: { bytes: 128, descriptors: 0 },
    stdio: { bytes: 2048, descriptors: 0 },
};
const isBack = (name, idle, end) =>
    Object.entries(kept[name]).every(([measure, more]) => end[measure] <= idle[measure] + more);

function judge(name, samples, idle, end) {
    const level = samples.slice(Math.floor(samples.length / 3));
    let good = true;

    for (const [measure, unit, allowed] of measures) {
        const values = level.map((sample) => sample[measure]);
        const grown = growth(values);
        const most = allowed(median(values));
        const back = end[measure] <= idle[measure] + (kept[name][measure] ?? Infinity);
        const flat = grown <= most && back;

        good &&= flat;
        console.log(
            `${name.padEnd(6)} ${measure.padEnd(12)} ${String(idle[measure]).padStart(8)} ${String(median(values)).padStart(8)} ${String(Math.max(...values)).padStart(8)} ${String(end[measure]).padStart(8)} ${grown.toFixed(1).padStart(9)} ${most.toFixed(0).padStart(8)} ${unit.padEnd(3)} ${flat ? "flat" : back ? "GROWS" : "NOT GIVEN BACK"}`,
        );
    }
    return good;
}

/* ---- all of it ---- */

writeSettings();
const servers = { http: start("--http", "127.0.0.1:0", "--threads", "2"), stdio: start("--stdio") };
const port = await portOf(servers.http);
/* The first isolated call of each server makes nothing that stays, but the first call of all makes threads. */
const samples = { http: [], stdio: [] };
const idle = {};
let stop = Infinity;
const until = () => stop;

await sleep(300);
for (const name of Object.keys(servers)) idle[name] = look(servers[name]);
stop = Date.now() + minutes * 60000;
const sampling = setInterval(() => {
    for (const [name, server] of Object.entries(servers))
        if (server.exitCode === null && server.signalCode === null)
            samples[name].push(look(server));
}, 1000);
const reloading = setInterval(() => {
    writeSettings();
    servers.http.kill("SIGHUP");
    servers.stdio.kill("SIGHUP");
    count("reloads");
}, 1700);

await Promise.all([
    loadStdio(servers.stdio, until),
    ...Array.from({ length: WORKERS }, () => loadHttp(port, until)),
]);
clearInterval(sampling);
clearInterval(reloading);
agent.destroy();

/* Everybody has left: what was theirs is given back soon. */
const end = {};
for (const [name, server] of Object.entries(servers)) {
    if (server.exitCode !== null || server.signalCode !== null) {
        complain(`${name}: ended by itself: ${server.exitCode ?? server.signalCode} ${server.log}`);
        continue;
    }
    for (let i = 0; i < 300; i++) {
        end[name] = look(server);
        if (isBack(name, idle[name], end[name])) break;
        await sleep(100);
    }
}
servers.http.kill("SIGTERM");
servers.stdio.stdin.end();
for (const [name, server] of Object.entries(servers)) {
    const status = await Promise.race([server.ended, sleep(30000).then(() => "too late")]);

    if (status !== 0) complain(`${name}: ended with ${status} ${server.log}`);
    if (status === "too late") server.kill("SIGKILL");
}
for (const file of [settings, ...Object.values(servers).map((server) => server.counts)])
    fs.rmSync(file, { force: true });

console.log(`${minutes} minutes`);
for (const [what, n] of Object.entries(counts).sort()) console.log(`${what.padEnd(22)} ${n}`);
console.log("\n       measure          idle   median     most      end     grown  allowed");
let good = true;
for (const name of Object.keys(servers))
    good = end[name] && judge(name, samples[name], idle[name], end[name]) && good;
for (const text of wrong) console.log(`WRONG ${text}`);
console.log(good && !wrong.length ? "flat" : "FAILED");
process.exit(good && !wrong.length ? 0 : 1);
