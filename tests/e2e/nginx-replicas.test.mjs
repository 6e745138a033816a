/* nginx-replicas.test.mjs - three replicas behind nginx, with the configuration that haft nginx prints. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import http from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { haft, withCluster } from "./cluster.mjs";
import { eventually } from "./http-client.mjs";
import { start } from "./http-server.mjs";
import { example, until } from "./server.mjs";

const driver = join(example("."), "..", "tests", "http-driver");
/* Replicas and nginx, without a store. */
const withReplicas = (args, use) =>
    withCluster({ program: driver, args, redis: false }, ({ nginx, replicas }) => use(nginx.port, replicas));

/* The whole answer to a request. */
const ask = (port, body, headers = {}, { onData, signal, method = "POST", path = "/mcp" } = {}) =>
    new Promise((resolve, reject) => {
        const request = http.request(
            {
                host: "127.0.0.1", port, path, method, agent: false, signal,
                headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
            },
            (response) => {
                let text = "";

                response.on("data", (piece) => {
                    text += piece;
                    onData?.(`${piece}`);
                });
                response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
                response.on("error", reject);
            },
        );

        request.on("error", reject).end(body && JSON.stringify(body));
    });

const HELLO = {
    jsonrpc: "2.0", id: 0, method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const legacy = (session) => ({ "Mcp-Protocol-Version": "2025-11-25", ...(session && { "Mcp-Session-Id": session }) });
const modern = (name, args, meta = {}) => [
    {
        jsonrpc: "2.0", id: 5, method: "tools/call",
        params: {
            name, arguments: args,
            _meta: {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}, ...meta,
            },
        },
    },
    { "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name },
];

async function open(port) {
    const { status, headers } = await ask(port, HELLO, legacy());

    assert.equal(status, 200);
    return headers["mcp-session-id"];
}

const replicaOf = (session) => Number.parseInt(session.slice(0, 4), 16);

test("sessions stick to their replicas, and a dead one's end", { timeout: 60000 }, () =>
    withReplicas([], async (port, replicas) => {
        const sessions = await Promise.all(Array.from({ length: 30 }, () => open(port)));
        const seen = new Set(sessions.map(replicaOf));

        assert.deepEqual([...seen].sort(), [0, 1, 2], "all replicas have sessions");
        for (let i = 0; i < 3; i++)
            for (const session of sessions) assert.equal((await ask(port, PING, legacy(session))).status, 200);
        assert.equal((await ask(port, PING, legacy("00ff".padEnd(38, "0")))).status, 404, "of a replica that is not there");
        assert.equal((await ask(port, PING, legacy("0001\tx"))).status, 404, "not an id");

        await replicas[1].kill();
        for (const session of sessions)
            assert.equal((await ask(port, PING, legacy(session))).status, replicaOf(session) === 1 ? 404 : 200);
        for (let i = 0; i < 10; i++) {
            const session = await open(port);

            assert.notEqual(replicaOf(session), 1);
            assert.equal((await ask(port, PING, legacy(session))).status, 200);
            assert.equal((await ask(port, ...modern("counts", {}))).status, 200, "modern requests go anywhere");
        }
    }),
);

/* What became of the calls of `work` at each replica. */
const countsOf = (replicas) =>
    Promise.all(
        replicas.map(async ({ url }) => {
            const { text } = await ask(new URL(url).port, ...modern("counts", {}));

            return JSON.parse(text).result.structuredContent;
        }),
    );

test("events are not buffered, and a client that leaves cancels its call", { timeout: 60000 }, () =>
    withReplicas([], async (port, replicas) => {
        const counts = async () => (await countsOf(replicas)).reduce((sum, one) => sum + one.cancelled, 0);
        const times = [];
        const { status, headers, text } = await ask(port, ...modern("work", { steps: 4, ms: 200 }, { progressToken: "p" }), {
            onData: () => times.push(Date.now()),
        });

        assert.equal(status, 200);
        assert.match(headers["content-type"], /event-stream/);
        assert.equal(text.match(/notifications\/progress/g).length, 4);
        assert.ok(times.at(-1) - times[0] > 300, `events came apart: ${times}`);

        const before = await counts();
        const controller = new AbortController();
        const left = ask(port, ...modern("work", { steps: 500, ms: 20 }, { progressToken: "p" }), {
            onData: () => controller.abort(), signal: controller.signal,
        });

        await assert.rejects(left);
        let now = before;

        await until(() => {
            counts().then((n) => (now = n));
            return now === before + 1;
        }, "the handler to be told");
    }),
);

test("a replica that dies with a call is not asked again", { timeout: 60000 }, () =>
    withReplicas([], async (port, replicas) => {
        const calls = replicas.map(() => ask(port, ...modern("work", { steps: 100, ms: 50 })));

        const begun = await eventually(
            async () => (await countsOf(replicas)).map((counts) => counts.begun),
            (begun) => begun.every((n) => n === 1),
        );

        assert.deepEqual(begun, [1, 1, 1]);
        await replicas[0].kill();
        const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();

        assert.deepEqual(statuses, [200, 200, 502]);
    }),
);

test("a replica says that it will end before it refuses connections", { timeout: 60000 }, async () => {
    const replica = await start("driver", ["--drain-notice", "4s", "--threads", "2"]);
    const { port } = new URL(replica.url);
    const ready = () => ask(port, null, {}, { method: "GET", path: "/readyz" });

    assert.equal((await ready()).text, '{"status":"ok"}');
    const began = Date.now();

    replica.process.kill("SIGTERM");
    await eventually(ready, ({ status }) => status !== 200);
    for (let i = 0; i < 8; i++) {
        const { status, text } = await ready();

        assert.deepEqual([status, text], [503, '{"status":"draining"}']);
        assert.equal((await ask(port, ...modern("counts", {}))).status, 200, "requests are still answered");
    }
    assert.equal(await replica.ended, 0);
    assert.ok(Date.now() - began >= 3900, `${Date.now() - began} ms`);
    await assert.rejects(ready());
});

test("what cannot stand in the configuration is refused", () => {
    for (const [args, message] of [
        [[], /needs the addresses of 1 to 256 replicas/],
        [["127.0.0.1"], /127\.0\.0\.1 is not an address/],
        [["127.0.0.1:0"], /is not an address/],
        [["127.0.0.1:99999"], /is not an address/],
        [["a:1; }"], /is not an address/],
        [["--listen", "x", "a:1"], /--listen: x is not PORT/],
        [["--server-name", "a b", "a:1"], /a b contains a character/],
        [["--tls-key", "k", "a:1"], /--tls-key requires --tls-cert/],
    ])
        assert.throws(
            () => execFileSync(haft, ["nginx", ...args], { encoding: "utf8", stdio: "pipe" }),
            (error) => error.status === 2 && message.test(error.stderr),
            `${args}`,
        );
    const text = execFileSync(haft, [
        "nginx", "--listen", "443", "--server-name", "tools.example", "--tls-cert", "/etc/c.pem", "--tls-key", "/etc/k.pem",
        "unix:/run/a.sock", "[::1]:9000",
    ], { encoding: "utf8" });

    for (const line of ["listen 443 ssl;", "server_name tools.example;", "ssl_certificate /etc/c.pem;",
        "ssl_certificate_key /etc/k.pem;", "server unix:/run/a.sock ", "server [::1]:9000 ", "proxy_buffering off;"])
        assert.ok(text.includes(line), line);
    assert.ok(!text.includes("non_idempotent"));
});
