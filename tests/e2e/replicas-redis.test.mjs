/* replicas-redis.test.mjs - three replicas on one Redis: they count, announce and continue together, with and without
 * it. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { newPort, Redis, withCluster } from "./cluster.mjs";
import { Server } from "./http-server.mjs";
import { withGateway } from "./serve.mjs";
import { example, until } from "./server.mjs";

const REPLICAS = 3;
const withReplicas = (args, use) => withCluster({ size: REPLICAS, args, nginx: false }, use);

/* The answer to a request; a stream goes on until it is closed. */
const ask = ({ url }, body, headers = {}, { method = "POST", path = "/mcp" } = {}) =>
    new Promise((resolve, reject) => {
        const request = http.request(
            new URL(path, url),
            { method, agent: false, headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers } },
            (response) => {
                const answer = { status: response.statusCode, headers: response.headers, text: "", close: () => request.destroy() };

                response.on("data", (piece) => (answer.text += piece));
                response.on("error", () => {});
                if (/event-stream/.test(response.headers["content-type"])) resolve(answer);
                else response.on("end", () => resolve(answer));
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
const modern = (method, params) => [
    {
        jsonrpc: "2.0", id: 5, method,
        params: {
            ...params,
            _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} },
        },
    },
    { "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...(params.name && { "Mcp-Name": params.name }) },
];
const listen = (replica) =>
    ask(replica, ...modern("subscriptions/listen", { notifications: { toolsListChanged: true, promptsListChanged: true } }));
const ready = async (replica) => JSON.parse((await ask(replica, null, {}, { method: "GET", path: "/readyz" })).text);

/* Waits for something that has to be asked for. */
async function eventually(check, what) {
    for (const end = Date.now() + 15000; ; ) {
        const found = await check();

        if (found) return found;
        assert.ok(Date.now() < end, what);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

test("a rate limit holds for all replicas together", { timeout: 60000 }, () =>
    withReplicas(["--rate", "30/1h"], async ({ replicas }) => {
        const statuses = await Promise.all(Array.from({ length: 90 }, (_, i) => ask(replicas[i % REPLICAS], PING, legacy())));

        assert.equal(statuses.filter(({ status }) => status === 200).length, 30);
        assert.equal(statuses.filter(({ status }) => status === 429).length, 60);
    }),
);

test("a change at one replica reaches the clients of all", { timeout: 60000 }, () =>
    withReplicas([], async ({ replicas }) => {
        const streams = await Promise.all(replicas.map(listen));

        assert.equal((await ask(replicas[1], ...modern("tools/call", { name: "test_trigger_tool_change", arguments: {} }))).status, 200);
        await until(() => streams.every(({ text }) => /tools\/list_changed/.test(text)), "the change");
        await new Promise((resolve) => setTimeout(resolve, 300));
        for (const { text, close } of streams) {
            assert.ok(text.match(/tools\/list_changed/g).length <= 2, text); /* the tool changes the list twice */
            close();
        }
    }),
);

test("a session goes on at another replica after a kill", { timeout: 60000 }, () =>
    withReplicas([], async ({ replicas }) => {
        const session = (await ask(replicas[0], HELLO, legacy())).headers["mcp-session-id"];

        assert.match(session, /^0000/);
        await replicas[0].kill();
        assert.equal((await ask(replicas[2], PING, legacy(session))).status, 200);
        assert.equal((await ask(replicas[1], PING, legacy(session))).status, 200, "and at a third one");
    }),
);

test("replicas go on without Redis, and say so", { timeout: 90000 }, () =>
    withReplicas(["--rate", "30/1h", "--metrics"], async (all) => {
        const { replicas } = all;
        const session = (await ask(replicas[0], HELLO, legacy())).headers["mcp-session-id"];
        const streams = await Promise.all(replicas.map(listen));

        assert.equal((await ready(replicas[0])).status, "ok");
        await all.redis.kill();
        await eventually(async () => (await ready(replicas[0])).status === "degraded", "degraded");
        assert.ok("changes" in (await ready(replicas[0])).store.degraded);
        assert.equal((await ask(replicas[0], PING, legacy(session))).status, 200, "its own session");
        assert.equal((await ask(replicas[1], PING, legacy(session))).status, 503, "that of another replica");
        let passed = 0;

        for (let i = 0; i < 20; i++) passed += (await ask(replicas[2], PING, legacy())).status === 200;
        assert.equal(passed, 10, "a third of the limit");
        const metrics = (await ask(replicas[2], null, {}, { method: "GET", path: "/metrics" })).text;

        assert.match(metrics, /mcp_server_store_up\{use="rates"\} 0/);
        assert.match(metrics, /mcp_server_store_local_total\{use="rates"\} \d+/);
        assert.ok(!streams.some(({ text }) => /list_changed/.test(text)));
        await all.redis.restart();
        for (const replica of replicas) await eventually(async () => (await ready(replica)).status === "ok", "ready");
        await until(() => streams.every(({ text }) => /tools\/list_changed/.test(text)), "everything has changed");
        for (const { close } of streams) close();
    }),
);

/* ---- TLS ---- */

/* A server that listens, or has ended. */
async function start(...args) {
    const server = new Server(example("everything"), ["--http", "127.0.0.1:0", ...args]);
    let ended = false;

    server.ended.then(() => (ended = true));
    await until(() => ended || /listening on \S+/.test(server.log()), "a start");
    return ended ? server : server.ready();
}

test("a store with a certificate of its own authority", { timeout: 60000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-store-tls-")), file = (name) => join(folder, name), port = await newPort();

    execFileSync("sh", [fileURLToPath(new URL("../http_client/certificates.sh", import.meta.url)), folder], { stdio: "ignore" });
    const tls = ["--tls-port", port, "--tls-cert-file", file("here.pem"), "--tls-key-file", file("here.key"), "--tls-ca-cert-file", file("authority.pem")];
    const redis = await Redis.start({ args: tls });
    const shown = ["--store", `rediss://127.0.0.1:${port}`, "--store-cert", file("visitor.pem"), "--store-key", file("visitor.key"), "--rate", "3/1h"];

    try {
        const server = await start(...shown, "--store-ca", file("authority.pem"));

        if (/needs hiredis 1.0/.test(server.log())) return; /* and says so */
        const statuses = [];

        await eventually(async () => (await ready(server)).status === "ok", server.log());
        for (let i = 0; i < 5; i++) statuses.push((await ask(server, PING, legacy())).status);
        assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
        assert.ok((await redis.command("KEYS", "*")).length > 0, "counted in Redis");
        await server.stop();

        const stranger = await start(...shown, "--store-ca", file("stranger.pem"));

        await eventually(async () => (await ready(stranger)).status === "degraded", stranger.log());
        await stranger.stop();
        const without = await start("--store", redis.url, "--store-ca", file("authority.pem"));

        assert.notEqual(await without.ended, 0);
        assert.match(without.log(), /--store-ca.* need TLS: a URL that begins with rediss:/);
    } finally {
        await redis.stop();
        rmSync(folder, { recursive: true });
    }
});

test("an upstream gets the client's headers also if a store has counted the call", { timeout: 60000 }, async () => {
    const api = http.createServer((request, response) => response.end(JSON.stringify({ tenant: request.headers["x-tenant"] ?? null })));
    const redis = await Redis.start();
    const tools = { who: { description: "Says whose it is", path: "/who", read_only: true } };

    await new Promise((resolve) => api.listen(0, "127.0.0.1", resolve));
    const upstreams = { api: { http: { url: `http://127.0.0.1:${api.address().port}`, headers: { forward: ["X-Tenant"] }, tools } } };

    try {
        await withGateway(
            "plain",
            async (server) => {
                await eventually(async () => (await ready(server)).status === "ok", server.log());
                for (const tenant of ["A", "B"]) {
                    const [message, headers] = modern("tools/call", { name: "api__who", arguments: {} });
                    const { text } = await ask(server, message, { ...headers, "X-Tenant": tenant });

                    assert.match(JSON.parse(text).result.content[0].text, new RegExp(`"${tenant}"`));
                }
                assert.ok((await redis.command("KEYS", "*")).length > 0, "counted in Redis");
            },
            {
                config: { gateway: { upstreams, endpoints: [{}], shaping: [{ tools: "*", cache: { seconds: 600 }, coalesce: true }] } },
                args: ["--store", redis.url, "--client-rate", "1000"],
            },
        );
    } finally {
        api.closeAllConnections();
        api.close();
        await redis.stop();
    }
});
