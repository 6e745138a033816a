/* gateway-http.test.mjs - a gateway behind the real HTTP server: routes, policies from a configuration, several
 * MCP endpoints with different policies, clients that leave, and time that runs out. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import net from "node:net";
import { describe, test } from "node:test";
import {
    Client as ClientV2,
    StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { haft, run } from "./cli.mjs";
import { ask, begin, call, post, raw, send } from "./http-client.mjs";
import { withGateway } from "./serve.mjs";

const json = { "content-type": "application/json" };
const issue = (...path) => ({ issues: [{ path }] });

/* ---- routes ---- */

/* A request, the status, some headers of the answer, and some of its body: a pattern of its text, or members
 * of its JSON. */
const rows = [
    ["GET", "/customers/cust-1", 200, {}, { id: "cust-1", name: "Ada Lovelace" }],
    ["GET", "/customers", 200, {}, /cust-1.*cust-2/],
    ["GET", "/customers/", 404, {}, { status: 404 }],
    ["GET", "/customers/nobody", 404, { "content-type": "application/problem+json" }, { detail: "There is no customer nobody." }],
    ["GET", "/nowhere", 404, { "content-type": "application/problem+json" }, { title: "Not Found" }],
    ["DELETE", "/customers", 405, { allow: "GET, HEAD, OPTIONS" }, { title: "Method Not Allowed" }],
    ["POST", "/todos/1", 405, { allow: "DELETE, PATCH, OPTIONS" }, { status: 405 }],
    ["HEAD", "/customers/cust-1", 200, { "content-type": "application/json" }, /^$/],
    ["HEAD", "/todos/1", 405, {}, /^$/],
    ["OPTIONS", "/customers", 204, { allow: "GET, HEAD, OPTIONS" }, /^$/],
    ["GET", "/inventory/sku-1/check?quantity=3", 200, {}, { id: "sku-1" }],
    ["GET", "/inventory/sku-4/check?quantity=3", 409, {}, { detail: "There are 1 of sku-4, not 3." }],
    ["GET", "/inventory/sku-1/check?quantity=x", 400, {}, issue("query", "quantity")],
    ["GET", "/inventory/sku-1/check?quantity=0", 400, {}, issue("query", "quantity")],
    ["GET", "/inventory/sku-1/check?amount=1", 400, {}, /amount/],
    ["GET", "/weather", 400, {}, issue("query", "location")],
    ["GET", "/weather?location=New+York", 200, {}, { location: "New York", temp: 24 }],
    ["GET", "/weather?location=New%20York", 200, {}, { location: "New York" }],
    ["GET", "/weather?location=%FF", 400, {}, { status: 400 }],
    ["GET", "/orders/order-1", 404, {}, { status: 404 }],
    ["POST", "/orders", 415, {}, { status: 415 }, "x=1", "application/x-www-form-urlencoded"],
    ["POST", "/orders", 400, {}, { status: 400 }, "{"],
    ["POST", "/orders", 400, {}, issue("body", "items", 0, "quantity"), '{"customerId":"cust-1","items":[{"productId":"sku-1","quantity":0}]}'],
    ["POST", "/orders", 404, {}, { status: 404 }, '{"customerId":"cust-9","items":[{"productId":"sku-1","quantity":1}]}'],
    ["POST", "/orders", 409, {}, { detail: "There is not enough of sku-5." }, '{"customerId":"cust-1","items":[{"productId":"sku-1","quantity":1},{"productId":"sku-5","quantity":1}]}'],
    ["GET", "/inventory", 200, {}, /"sku-1"[^}]*"stock":25/], /* what was taken is back */
    ["POST", "/orders", 201, {}, { id: "order-1", total: 2900 }, '{"customerId":"cust-1","items":[{"productId":"sku-1","quantity":2}]}'],
    ["GET", "/orders/order-1", 200, {}, { id: "order-1", customerId: "cust-1" }],
    ["GET", "/orders/order-01", 404, {}, { status: 404 }],
    ["GET", "/orders/order-1x", 404, {}, { status: 404 }],
    ["POST", "/todos", 201, {}, { id: 1, title: "Sweep", done: false }, '{"title":"Sweep"}'],
    ["POST", "/todos", 400, {}, issue("body", "title"), JSON.stringify({ title: "x".repeat(51) })],
    ["PATCH", "/todos/1", 200, {}, { done: true }, "{}"],
    ["PATCH", "/todos/1", 200, {}, { done: false }, '{"done":false}'],
    ["PATCH", "/todos/one", 400, {}, issue("path", "id"), "{}"],
    ["GET", "/todos?done=false", 200, {}, /Sweep/],
    ["GET", "/todos?done=true", 200, {}, { todos: [] }],
    ["DELETE", "/todos/1", 204, {}, /^$/],
    ["DELETE", "/todos/1", 404, {}, { status: 404 }],
];

function assertPart(got, wanted, what) {
    for (const [key, value] of Object.entries(wanted))
        if (Array.isArray(value) && value.length && typeof value[0] === "object")
            value.forEach((each, i) => assertPart(got[key]?.[i] ?? {}, each, what));
        else assert.deepEqual(got[key], value, what);
}

function assertBody(text, wanted) {
    if (wanted instanceof RegExp) assert.match(text, wanted);
    else assertPart(JSON.parse(text), wanted, text);
}

test("routes of the shop", () =>
    withGateway("haft", async (server) => {
        for (const [method, path, status, headers, wanted, body, type] of rows) {
            const answer = await send(server.base + path, {
                method,
                body,
                headers: body === undefined ? {} : { "content-type": type ?? "application/json" },
            });
            const text = await answer.text();

            assert.equal(answer.status, status, `${method} ${path}: ${text}`);
            assertPart(answer.headers, headers, `${method} ${path}`);
            assertBody(text, wanted);
        }
    }));

/* Paths as they are on the wire: no client cleans them up. */
const paths = [
    ["/files/a%2Fb", 200, "[a/b]"],
    ["/files/%2541", 200, "[%41]"],
    ["/files/%252e%252e%252fcounts", 200, "[%2e%2e%2fcounts]"],
    ["/files/%2e%2e", 400],
    ["/files/..", 400],
    ["/files/.", 400],
    ["/files/%2E%2e%2Fcounts", 400],
    ["/files/..%2fcounts", 400],
    ["/files/x%2f..%2f..%2fcounts", 400],
    ["/files/../counts", 400],
    ["/files/x/../../counts", 400],
    ["/./counts", 400],
    ["//counts", 404],
    ["/files//counts", 404],
    ["/files%2Fcounts", 404],
    ["/files/%00", 400],
    ["/files/a%00b", 400],
    ["/files/%", 400],
    ["/files/%zz", 400],
    ["/files/%c0%ae%c0%ae", 400],
    ["/files/%ff", 400],
    ["/%63ounts", 200, '{"begun":0,"cancelled":0}'],
    ["/counts/", 404],
    ["/COUNTS", 404],
    ["/counts?x=1", 200],
    ["/mcp/../counts", 400],
    ["/files/a%0d%0aX-Evil:%201", 200],
];

test("paths that are meant to lead elsewhere", () =>
    withGateway("driver", async (server) => {
        const { host } = new URL(server.base);

        for (const [path, status, body] of paths) {
            const heard = await raw(
                server.base,
                `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
            );
            const [head, text] = heard.split(/\r\n\r\n/);

            assert.match(head, new RegExp(`^HTTP/1.1 ${status} `), `${path}: ${heard}`);
            assert.doesNotMatch(head, /^X-Evil/m);
            if (body !== undefined) assert.equal(text, body, path);
        }
    }));

test("a body with issues in several places, and a response of the handler's own", () =>
    withGateway("driver", async (server) => {
        const put = (id, body) =>
            send(`${server.base}/things/${id}`, {
                method: "PUT",
                headers: json,
                body: JSON.stringify(body),
            });
        const bad = await put("zero", { parts: [{ name: "", n: 1 }, { name: "b", n: 0 }], more: 1 });
        const problem = await bad.json();

        assert.equal(bad.status, 400);
        assert.equal(bad.headers["content-type"], "application/problem+json");
        assert.deepEqual(
            problem.issues.map(({ path }) => path.join(".")).sort(),
            ["body", "body.parts.0.name", "body.parts.1.n", "path.id"],
        );
        const good = await put(1, { parts: [{ name: "a", n: 1 }] });

        assert.equal(good.status, 201);
        assert.equal(good.headers["x-parts"], "1");
        assert.equal(await good.text(), "made");
    }));

/* ---- policies ---- */

const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const guarded = {
    gateway: {
        policies: [
            { name: "keys", policy: "api-key", scope: "edge", options: { file: "{DIR}/keys" } },
            {
                name: "limit",
                policy: "rate-limit",
                scope: "edge",
                options: { calls: 3, seconds: 3600, by: "all" },
            },
            {
                name: "narrow",
                policy: "rate-limit",
                scope: "both",
                options: { calls: 3, seconds: 3600, by: "all" },
            },
            { name: "small", policy: "size-limit", options: { bytes: 100 } },
            {
                name: "stamp",
                policy: "set-headers",
                options: { response: { "X-Stamp": "seen" } },
            },
        ],
        routes: {
            "GET /customers/{id}": { policies: ["keys"] },
            "GET /inventory/{productId}/check": { policies: ["limit"] },
            "GET /weather": { policies: ["narrow"] },
            "POST /todos": { policies: ["small"] },
        },
        endpoints: [
            { name: "open", tools: "add_*,get_weather", policies: ["stamp"] },
            {
                endpoint: "/private",
                name: "private",
                version: "2.0.0",
                tools: "*",
                routes: "get_customer,add_todo",
                policies: ["keys", "stamp"],
            },
            { endpoint: "/limited", tools: "process_order", policies: ["limit"] },
        ],
    },
};
const options = { config: guarded, files: { keys: `${sha256("secret-1")} ann\n` } };
const key = { headers: { authorization: "Bearer secret-1" } };

async function get(url, headers = {}) {
    const answer = await send(url, { method: "GET", headers });

    return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe("policies of a configuration", () => {
    test("a key opens a route, for those who have it", () =>
        withGateway("haft", async (server) => {
            const url = `${server.base}/customers/cust-1`;

            for (const [headers, status] of [
                [{}, 401],
                [{ "x-api-key": "secret-2" }, 401],
                [{ authorization: "Basic secret-1" }, 401],
                [{ "x-api-key": "secret-1" }, 200],
                [{ authorization: "Bearer secret-1" }, 200],
            ]) {
                const heard = await get(url, headers);

                assert.equal(heard.status, status, JSON.stringify(headers));
                if (status === 401) assert.match(heard.headers["www-authenticate"], /^Bearer/);
            }
            assert.equal((await get(`${server.base}/customers`)).status, 200);
        }, options));

    test("a body over the limit of its route", () =>
        withGateway("haft", async (server) => {
            const body = JSON.stringify({ title: "x".repeat(120) });
            const answer = await post(`${server.base}/todos`, body);

            assert.equal(answer.status, 413, await answer.text());
        }, options));

    test("a limit at the edge counts a call once, whatever it leads to", () =>
        withGateway("haft", async (server) => {
            const order = {
                customerId: "cust-1",
                items: ["sku-1", "sku-2", "sku-1", "sku-2", "sku-1"].map((productId) => ({
                    productId,
                    quantity: 1,
                })),
            };

            /* Five checks of the inventory each, and the limit of both is three. */
            for (let i = 0; i < 3; i++) {
                const { response } = await call(`${server.base}/limited`, "process_order", order);

                assert.equal(response.result.structuredContent?.orderId, `order-${i + 1}`);
            }
            const fourth = await get(`${server.base}/inventory/sku-1/check`);

            assert.equal(fourth.status, 429);
            assert.ok(Number(fourth.headers["retry-after"]) > 0);
        }, options));

    test("a limit for both counts what handlers invoke, too", () =>
        withGateway("haft", async (server) => {
            const weather = () => call(server.url, "get_weather", { location: "Oslo" });

            for (let i = 0; i < 3; i++)
                assert.equal((await weather()).response.result.isError, undefined);
            assert.equal((await weather()).response.result.isError, true);
            assert.equal((await get(`${server.base}/weather?location=Oslo`)).status, 429);
        }, options));

    test("a route that is a tool, behind a key", () =>
        withGateway("haft", async (server) => {
            const { response, headers } = await call(
                `${server.base}/private`,
                "get_customer",
                { id: "cust-2" },
                key,
            );

            assert.equal(headers["x-stamp"], "seen");
            assert.equal(response.result.structuredContent.name, "Grace Hopper");
        }, options));
});

/* ---- several endpoints ---- */

const kinds = [
    { name: "sdk 1.32.2", Client: ClientV1, Http: HttpV1, options: {} },
    { name: "client 2.4.0, 2025", Client: ClientV2, Http: HttpV2, options: {} },
    {
        name: "client 2.4.0, 2026",
        Client: ClientV2,
        Http: HttpV2,
        options: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    },
];

for (const kind of kinds)
    test(`two endpoints at once, ${kind.name}`, () =>
        withGateway("haft", async (server) => {
            const connect = async (path, headers = {}) => {
                const client = new kind.Client({ name: "e2e", version: "1" }, kind.options);

                await client.connect(
                    new kind.Http(new URL(path, server.base), { requestInit: { headers } }),
                );
                return client;
            };
            const names = async (client) => (await client.listTools()).tools.map(({ name }) => name);
            const open = await connect("/mcp");
            const closed = await connect("/private", key.headers);

            assert.equal(open.getServerVersion().name, "open");
            assert.equal(open.getServerVersion().version, "0.0.0");
            assert.equal(closed.getServerVersion().name, "private");
            assert.equal(closed.getServerVersion().version, "2.0.0");
            assert.deepEqual(await names(open), ["add_numbers", "get_weather"]);
            assert.deepEqual(await names(closed), [
                "add_numbers",
                "get_weather",
                "safe_operation",
                "process_order",
                "get_customer",
                "add_todo",
            ]);
            for (const client of [open, closed, open]) {
                const result = await client.callTool({
                    name: "add_numbers",
                    arguments: { a: 2, b: 40 },
                });

                assert.equal(result.content[0].text, "2 + 40 = 42");
            }
            const todo = await closed.callTool({ name: "add_todo", arguments: { title: "Try" } });

            assert.deepEqual(todo.structuredContent, { id: 1, title: "Try", done: false });
            await open.close();
            await closed.close();
            await assert.rejects(connect("/private", { authorization: "Bearer none" }));
        }, options));

test("over standard input and output it is the first endpoint", async () => {
    await withGateway("haft", async (server) => {
        const { out } = await run([
            "tools",
            "--names",
            "--",
            haft,
            "serve",
            "--demo",
            "--config",
            `${server.directory}/config.json`,
            "--stdio",
        ]);

        assert.equal(out, "add_numbers\nget_weather\n");
    }, options);
});

test("options of the command line count for every endpoint", () =>
    withGateway(
        "haft",
        async (server) => {
            await get(`${server.base}/customers`);
            await call(`${server.base}/elsewhere`, "add_numbers", { a: 1, b: 1 });
            await call(`${server.base}/limited`, "process_order", { customerId: "x", items: [{ productId: "y", quantity: 1 }] });
            const { text } = await get(`${server.base}/metrics`);

            assert.match(text, /mcp_server_calls_total\{[^}]*"add_numbers"[^}]*\} 1/);
            assert.match(text, /mcp_server_calls_total\{[^}]*"process_order"[^}]*\} 1/);
            assert.match(text, /mcp_server_calls_total\{[^}]*"list_customers"[^}]*\} 1/);
            assert.doesNotMatch(text, /received_bytes_total 0\n/);
            for (const path of ["/elsewhere", "/private"]) {
                const { response } = await ask(`${server.base}${path}`, "tools/list", {}, key);
                const names = response.result.tools.map(({ name }) => name);

                assert.ok(names.includes("add_numbers") && !names.includes("get_weather"), path);
            }
            assert.equal((await get(`${server.base}/mcp`)).status, 404, "it is elsewhere");
        },
        { ...options, args: ["--metrics", "--path", "/elsewhere", "--disable", "get_weather"] },
    ));

/* ---- clients that leave, time that runs out ---- */

const counts = async (server) => JSON.parse((await get(`${server.base}/counts`)).text);

/* Waits until as many have begun as were cancelled, and that is `n`. */
async function settled(server, n) {
    let last;
    const end = Date.now() + 20000;

    do {
        last = await counts(server);
        if (last.begun === n && last.cancelled === n) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
    } while (Date.now() < end);
    assert.deepEqual(last, { begun: n, cancelled: n });
}

async function begun(server, n) {
    const end = Date.now() + 20000;

    while ((await counts(server)).begun < n) assert.ok(Date.now() < end, `${n} have begun`);
}

test("a client that leaves a route takes what it invoked with it", () =>
    withGateway("driver", async (server) => {
        const { hostname, port, host } = new URL(server.base);
        const socket = net.connect(port, hostname);

        socket.write(`GET /fan HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        await begun(server, 3);
        /* Who only closes its side may still want the answer. */
        socket.resetAndDestroy();
        await settled(server, 3);
    }));

test("a client that leaves a call takes what it invoked with it", () =>
    withGateway("driver", async (server) => {
        const leave = new AbortController();
        const asked = begin(server.url, "tools/call", { name: "fan", arguments: {} }, { signal: leave.signal });

        asked.catch(() => {});
        await begun(server, 3);
        leave.abort();
        await settled(server, 3);
    }));

test("a route that has too little time, and a tool", () =>
    withGateway("driver", async (server) => {
        const route = await get(`${server.base}/hasty`);

        assert.equal(route.status, 504);
        const { response } = await call(server.url, "hasty_fan");

        assert.equal(response.result.isError, true);
        assert.match(response.result.content[0].text, /timed out/);
        await settled(server, 4);
    }));
