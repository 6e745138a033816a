/* edge.test.mjs - what stands around an MCP endpoint: other endpoints and apps, probes, counts, limits, and the
 * way of a trace from a header to a collector. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Server } from "./http-server.mjs";
import { example, until } from "./server.mjs";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const program = join(example("."), "..", "tests", "edge-driver");

/* A collector that keeps the spans it gets. */
async function collector() {
    const spans = [];
    const server = createServer(async (request, response) => {
        let text = "";

        for await (const part of request) text += part;
        if (request.method === "POST" && request.url === "/v1/traces")
            for (const resource of JSON.parse(text).resourceSpans)
                for (const scope of resource.scopeSpans) spans.push(...scope.spans);
        response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
    });

    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { spans, url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function withEdge(threads, calls, use) {
    const spans = await collector();
    const server = await new Server(program, [`${threads}`, `${calls}`, spans.url]).ready();
    const base = new URL(server.url).origin;

    try {
        await use({ server, base, spans: spans.spans });
    } finally {
        assert.equal(await server.stop(), 0, server.log());
        spans.close();
    }
}

const message = (name, id = 1) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: {} },
});

async function post(url, body, headers = {}) {
    const response = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
    });

    return { status: response.status, headers: response.headers, body: await response.json() };
}

describe("the edge", () => {
    for (const threads of [1, 2])
        test(`several at one address, on ${threads} loops`, () =>
            withEdge(threads, 1000, async ({ base }) => {
                for (let i = 0; i < 20; i++) {
                    const hello = {
                        jsonrpc: "2.0",
                        id: i,
                        method: "initialize",
                        params: {
                            protocolVersion: "2025-11-25",
                            capabilities: {},
                            clientInfo: { name: "c", version: "1" },
                        },
                    };

                    for (const [path, name] of [
                        ["/mcp", "edge"],
                        ["/second", "second"],
                    ]) {
                        const answer = await post(base + path, hello, { Connection: "close" });
                        const session = answer.headers.get("mcp-session-id");

                        assert.equal(answer.body.result.serverInfo.name, name);
                        /* It is found from whichever loop the next connection comes to. */
                        const next = await post(base + path, message("trace", i), {
                            "Mcp-Session-Id": session,
                            Connection: "close",
                        });
                        assert.equal(next.body.result.content[0].text, "none none");
                        /* It belongs to one endpoint. */
                        const other = path === "/mcp" ? "/second" : "/mcp";
                        const elsewhere = await post(base + other, message("trace", i), {
                            "Mcp-Session-Id": session,
                        });
                        assert.equal(elsewhere.status, 404);
                    }
                    const page = await fetch(`${base}/pages/${i}`);
                    assert.equal(await page.text(), `/pages/${i} from 127.0.0.1`);
                    assert.equal((await fetch(`${base}/nothing`)).status, 404);
                }
            }));

    for (const threads of [1, 2])
        test(`a client asks so often and no more, on ${threads} loops`, () =>
            withEdge(threads, 40, async ({ base }) => {
                const answers = await Promise.all(
                    Array.from({ length: 100 }, (_, i) => post(`${base}/mcp`, message("trace", i))),
                );
                const refused = answers.filter(({ status }) => status === 429);

                assert.equal(answers.filter(({ status }) => status === 200).length, 40);
                assert.equal(refused.length, 60);
                for (const { headers, body } of refused) {
                    const wait = Number(headers.get("retry-after"));

                    assert.ok(wait > 3500 && wait <= 3600, `${wait}`);
                    assert.equal(body.error.code, -32000);
                }
                assert.deepEqual(
                    answers.map(({ body }) => body.id),
                    answers.map((_, i) => i),
                );
                assert.equal((await fetch(`${base}/pages/x`)).status, 429);
                for (const path of ["/healthz", "/readyz", "/metrics"])
                    assert.equal((await fetch(base + path)).status, 200, path);
            }));

    test("counts are shown", () =>
        withEdge(1, 1000, async ({ base }) => {
            for (let i = 0; i < 3; i++) await post(`${base}/mcp`, message("trace"));
            const shown = await fetch(`${base}/metrics`);

            assert.match(shown.headers.get("content-type"), /^text\/plain; version=0\.0\.4/);
            assert.match(
                await shown.text(),
                /mcp_server_calls_total\{gen_ai_tool_name="trace",outcome="ok"\} 3\n/,
            );
            const proxied = await fetch(`${base}/metrics`, { headers: { "X-Forwarded-For": "192.0.2.1" } });
            assert.equal(proxied.status, 404);
        }));

    test("what is under way at the end is answered, and told to the collector", () =>
        withEdge(1, 1000, async ({ server, base, spans }) => {
            const call = post(`${base}/mcp`, message("slow"));

            /* It has come when something that was sent later has. */
            assert.equal((await fetch(`${base}/readyz`)).status, 200);
            server.process.kill("SIGTERM");
            assert.equal((await call).body.result.content[0].text, "slept");
            await server.ended;
            assert.deepEqual(
                spans.map(({ name }) => name),
                ["tools/call slow"],
            );
        }));

    test("a trace goes from a header to a collector", () =>
        withEdge(1, 1000, async ({ base, spans }) => {
            const parent = { traceparent: `00-${TRACE}-${SPAN}-01` };
            const modern = message("trace");

            modern.params._meta = {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            };
            const answers = [
                await post(`${base}/mcp`, message("trace"), parent),
                await post(`${base}/mcp`, modern, {
                    ...parent,
                    "MCP-Protocol-Version": "2026-07-28",
                    "Mcp-Method": "tools/call",
                    "Mcp-Name": "trace",
                }),
            ];
            for (const { body } of answers)
                assert.equal(body.result?.content[0].text, `${TRACE} ${SPAN}`, JSON.stringify(body));
            await post(`${base}/mcp`, message("missing"));
            await until(() => spans.length === 3, "three spans");
            for (const span of spans.slice(0, 2)) {
                assert.equal(span.traceId, TRACE);
                assert.equal(span.parentSpanId, SPAN);
                assert.notEqual(span.spanId, SPAN);
                assert.equal(span.name, "tools/call trace");
                assert.deepEqual(span.status, {});
            }
            assert.notEqual(spans[0].spanId, spans[1].spanId);
            assert.equal(spans[2].name, "tools/call");
            assert.equal(spans[2].status.code, 2);
            assert.notEqual(spans[2].traceId, TRACE);
        }));
});

test("a collector that cannot be is refused at the start", async () => {
    const server = new Server(program, ["1", "10", "ftp://collector:4318"]);

    assert.equal(await server.ended, 1);
    assert.match(server.log(), /ftp:\/\/collector:4318: /);
});
