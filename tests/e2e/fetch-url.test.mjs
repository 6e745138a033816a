/* fetch-url.test.mjs - examples/fetch-url.c against an HTTP server on loopback: by default every spelling of a private
 * address is refused, without a connection; with FETCH_URL_ALLOW_PRIVATE=1 the tool fetches, within its limits. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { example } from "./server.mjs";

const pages = {
    "/page": (response) => response.setHeader("Content-Type", "text/plain; charset=utf-8").end("Grüße"),
    "/missing": (response) => response.writeHead(404).end("not here"),
    "/exact": (response) => response.end("x".repeat(1 << 20)),
    "/large": (response) => response.end("x".repeat((1 << 20) + 1)),
    "/endless": (response) => {
        const write = () => {
            while (response.writable && response.write("x".repeat(65536)));
            response.once("drain", write);
        };
        write();
    },
    "/binary": (response) => response.end(Buffer.from([0xff, 0xfe, 0])),
    "/redirect": (response) => response.writeHead(302, { Location: "/page" }).end(),
    "/loop": (response) => response.writeHead(302, { Location: "/loop" }).end(),
    "/file": (response) => response.writeHead(302, { Location: "file:///etc/passwd" }).end(),
    "/silent": () => {},
};
let port, connections, requested;
const server = createServer((request, response) => {
    requested.emit?.(request.url);
    pages[request.url](response);
});

server.on("connection", () => connections++);
before(async () => {
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = server.address().port;
});
after(() => {
    server.closeAllConnections();
    server.close();
});

async function withTool(env, use) {
    const transport = new StdioClientTransport({ command: example("fetch-url"), env, stderr: "inherit" });
    const client = new Client({ name: "test", version: "1.0.0" });

    connections = 0;
    requested = {};
    await client.connect(transport);
    try {
        await use(client, (args) => client.callTool({ name: "fetch_url", arguments: args }));
    } finally {
        await client.close();
    }
}

const allowed = { FETCH_URL_ALLOW_PRIVATE: "1" };

describe("by default", () => {
    const hosts = [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "172.31.255.255",
        "192.168.1.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[fe80::1]",
        "[fd00::1]",
        "[2002:7f00:1::]",
        "[ff02::1]",
    ];

    test("addresses that are not public are refused, and nothing connects", async () =>
        withTool({ http_proxy: `http://127.0.0.1:${port}` }, async (client, call) => {
            for (const host of hosts) {
                const url = `http://${host}:${port}/page`;
                const result = await call({ url });

                assert.equal(result.isError, true, url);
                assert.match(result.content[0].text, /its address is not public$/, url);
            }
            assert.equal(connections, 0);
        }));

    test("only http and https are accepted", async () =>
        withTool({}, async (client, call) => {
            for (const url of ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "dict://127.0.0.1/"]) {
                const result = await call({ url });

                assert.equal(result.isError, true, url);
                assert.match(result.content[0].text, /: Unsupported protocol$/, url);
            }
            assert.match((await call({ url: "page" })).content[0].text, /^Input validation error: .*url: Invalid URL/);
        }));

    test("the annotations say that it reads from an open world", async () =>
        withTool({}, async (client) => {
            const [tool] = (await client.listTools()).tools;

            assert.equal(tool.annotations.readOnlyHint, true);
            assert.equal(tool.annotations.openWorldHint, true);
        }));
});

describe("with private addresses allowed", () => {
    const rows = [
        ["/page", {}, { status: 200, contentType: "text/plain; charset=utf-8", text: "Grüße" }],
        ["/redirect", {}, { path: "/page", status: 200, contentType: "text/plain; charset=utf-8", text: "Grüße" }],
        ["/missing", {}, { status: 404, contentType: "", text: "not here" }],
        ["/exact", {}, { status: 200, contentType: "", text: "x".repeat(1 << 20) }],
        ["/page", { maxBytes: 7 }, { status: 200, contentType: "text/plain; charset=utf-8", text: "Grüße" }],
        ["/page", { maxBytes: 6 }, /the body is over 6 bytes$/],
        ["/large", {}, /the body is over 1048576 bytes$/],
        ["/endless", {}, /the body is over 1048576 bytes$/],
        ["/binary", {}, /the body is not UTF-8 text$/],
        ["/loop", {}, /redirects/],
        ["/file", {}, /: Unsupported protocol$/],
        ["/page", { maxBytes: (1 << 20) + 1 }, /^Input validation error: .*maxBytes/],
    ];

    test("pages are fetched within the limits", async () =>
        withTool(allowed, async (client, call) => {
            await client.listTools(); /* the client checks results against the output schema */
            for (const [path, args, expected] of rows) {
                const base = `http://127.0.0.1:${port}`;
                const result = await call({ url: base + path, ...args });

                if (expected instanceof RegExp) {
                    assert.equal(result.isError, true, path);
                    assert.match(result.content[0].text, expected, path);
                } else {
                    const { path: final = path, ...rest } = expected;

                    assert.deepEqual(result.structuredContent, { url: base + final, ...rest }, path);
                }
            }
        }));

    test("a cancelled call ends its transfer", async () =>
        withTool(allowed, async (client) => {
            const stop = new AbortController();
            const closed = new Promise((resolve) =>
                server.once("request", (request) => request.socket.once("close", resolve)),
            );
            const arrived = new Promise((resolve) => (requested.emit = resolve));
            const call = client.callTool(
                { name: "fetch_url", arguments: { url: `http://127.0.0.1:${port}/silent` } },
                undefined,
                { signal: stop.signal },
            );

            await arrived;
            stop.abort();
            await assert.rejects(call);
            await closed;
        }));
});
