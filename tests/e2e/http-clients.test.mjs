/* http-clients.test.mjs - the clients that people have, over HTTP: the official SDKs of both generations
 * and every way they negotiate, a proxy between standard input and HTTP, the Inspector, and curl. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
    Client as ClientV2,
    SSEClientTransport as SseV2,
    StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as SseV1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
    CreateMessageRequestSchema,
    ElicitRequestSchema,
    ListRootsRequestSchema,
    LoggingMessageNotificationSchema,
    ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { MODERN, call } from "./http-client.mjs";
import { start, withServer } from "./http-server.mjs";
import { until } from "./server.mjs";

const packages = fileURLToPath(new URL("node_modules", import.meta.url));
const mode = (negotiation) => ({ versionNegotiation: { mode: negotiation } });
const at = (Transport) => (url) => new Transport(new URL(url));
const sse = (Transport) => (url) => new Transport(new URL("/sse", url));

/* A proxy that clients start when they know nothing but standard input and output. */
const remote = (url) => {
    const directory = mkdtempSync(join(tmpdir(), "haft-remote-"));
    const args = [
        join(packages, "mcp-remote/dist/proxy.js"),
        url,
        "--allow-http",
        "--transport",
        "http-only",
    ];
    const transport = new StdioV1({
        command: process.execPath,
        args,
        stderr: "ignore",
        env: { ...process.env, MCP_REMOTE_CONFIG_DIR: directory },
    });

    transport.forget = () => rmSync(directory, { recursive: true, force: true });
    return transport;
};

const kinds = [
    {
        name: "client 2.4.0, auto",
        Client: ClientV2,
        connect: at(HttpV2),
        options: mode("auto"),
        revision: MODERN,
    },
    {
        name: "client 2.4.0, 2026-07-28",
        Client: ClientV2,
        connect: at(HttpV2),
        options: mode({ pin: MODERN }),
        revision: MODERN,
    },
    {
        name: "client 2.4.0, legacy",
        Client: ClientV2,
        connect: at(HttpV2),
        options: mode("legacy"),
        revision: "2025-11-25",
    },
    {
        name: "client 2.4.0, SSE",
        Client: ClientV2,
        connect: sse(SseV2),
        options: mode("legacy"),
        revision: "2025-11-25",
    },
    { name: "sdk 1.32.2", Client: ClientV1, connect: at(HttpV1), revision: "2025-11-25" },
    { name: "sdk 1.32.2, SSE", Client: ClientV1, connect: sse(SseV1), revision: "2025-11-25" },
    {
        name: "mcp-remote 0.15.1",
        Client: ClientV1,
        connect: remote,
        revision: "2025-11-25",
        proxy: true,
    },
];

const schemas = {
    "elicitation/create": ElicitRequestSchema,
    "sampling/createMessage": CreateMessageRequestSchema,
    "roots/list": ListRootsRequestSchema,
};
const answers = {
    "elicitation/create": () => ({ action: "accept", content: { name: "Alice" } }),
    "sampling/createMessage": () => ({
        role: "assistant",
        model: "m",
        content: { type: "text", text: "Paris" },
    }),
    "roots/list": () => ({ roots: [{ uri: "file:///home/ada" }] }),
};
const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };

const servers = {};
before(async () => {
    servers.everything = await start("everything", ["--legacy-sse"]);
    servers.driver = await start("driver", ["--legacy-sse"]);
});
after(async () => {
    for (const server of Object.values(servers)) assert.equal(await server.stop(), 0, server.log());
});

/* Connects for as long as `use` takes. */
async function connected(kind, server, use, prepare) {
    const client = new kind.Client(
        { name: "haft-e2e", version: "1.0.0" },
        { capabilities, ...kind.options },
    );
    const transport = kind.connect(servers[server].url);
    const handle = (method, handler) =>
        client.setRequestHandler(kind.Client === ClientV1 ? schemas[method] : method, handler);
    const asked = [];

    for (const [method, answer] of Object.entries(answers))
        handle(method, () => {
            asked.push(method);
            return answer();
        });
    prepare?.(client);
    await client.connect(transport);
    try {
        await use(client, asked, transport);
    } finally {
        await client.close();
        transport.forget?.();
    }
}

const text = (result) => result.content.map((block) => block.text).join("");
const invoke = (kind, client, params, options) =>
    kind.Client === ClientV1
        ? client.callTool(params, undefined, options)
        : client.callTool(params, options);

for (const kind of kinds)
    describe(kind.name, () => {
        test("lists and calls", () =>
            connected(kind, "everything", async (client) => {
                assert.ok(
                    (await client.listTools()).tools.some(
                        ({ name }) => name === "test_simple_text",
                    ),
                );
                assert.equal((await client.listResources()).resources.length, 3);
                assert.equal((await client.listPrompts()).prompts.length, 5);
                const result = await client.callTool({ name: "test_simple_text", arguments: {} });
                assert.equal(text(result), "This is a simple text response for testing.");
                const failed = await client.callTool({
                    name: "test_error_handling",
                    arguments: {},
                });
                assert.equal(failed.isError, true);
                await assert.rejects(client.callTool({ name: "nowhere", arguments: {} }), {
                    code: -32602,
                });
                const read = await client.readResource({ uri: "test://template/42/data" });
                assert.match(read.contents[0].text, /"42"/);
                const version = client.getNegotiatedProtocolVersion?.();
                if (version) assert.equal(version, kind.revision);
            }));

        test("is asked, and answers", () =>
            connected(kind, "everything", async (client, asked) => {
                for (const [name, method, said] of [
                    ["elicitation", "elicitation/create", "Hello, Alice!"],
                    ["sampling", "sampling/createMessage", "Sampling response: Paris"],
                    ["list_roots", "roots/list", "1 roots, first file:///home/ada"],
                ]) {
                    asked.length = 0;
                    const result = await client.callTool({
                        name: `test_input_required_result_${name}`,
                        arguments: {},
                    });

                    assert.equal(text(result), said);
                    assert.deepEqual(asked, [method]);
                }
            }));

        test("hears of progress", () =>
            connected(kind, "everything", async (client) => {
                const heard = [];
                const onprogress = ({ progress }) => heard.push(progress);
                const result = await invoke(
                    kind,
                    client,
                    { name: "test_tool_with_progress", arguments: {} },
                    { onprogress },
                );

                assert.equal(text(result), "Tool with progress executed successfully");
                assert.deepEqual(heard, [0, 50, 100]);
            }));

        test("cancels", () =>
            connected(kind, "driver", async (client) => {
                const count = async () =>
                    (await call(servers.driver.url, "counts")).response.result.structuredContent;
                const first = await count();
                const abort = new AbortController();
                const slow = invoke(
                    kind,
                    client,
                    { name: "work", arguments: { steps: 400, ms: 20 } },
                    { signal: abort.signal },
                );
                let now = first;

                slow.catch(() => {});
                while (now.begun === first.begun) now = await count();
                abort.abort("enough");
                await assert.rejects(slow);
                for (let i = 0; i < 200 && now.cancelled === first.cancelled; i++)
                    now = await count();
                assert.equal(now.cancelled, first.cancelled + 1, "the handler was told");
                assert.equal(
                    text(await client.callTool({ name: "add_numbers", arguments: { a: 1, b: 2 } })),
                    "1 + 2 = 3",
                );
            }));

        if (!kind.proxy && kind.revision !== MODERN)
            test("hears of changes and messages", () => {
                const heard = [];
                const on = (client, name, schema) =>
                    client.setNotificationHandler(
                        kind.Client === ClientV1 ? schema : name,
                        () => void heard.push(name),
                    );

                return connected(
                    kind,
                    "everything",
                    async (client) => {
                        await client.setLoggingLevel("info");
                        await client.callTool({ name: "test_tool_with_logging", arguments: {} });
                        await client.callTool({ name: "test_trigger_tool_change", arguments: {} });
                        await until(
                            () => heard.includes("notifications/tools/list_changed"),
                            "a change",
                        );
                        assert.equal(
                            heard.filter((name) => name === "notifications/message").length,
                            3,
                        );
                    },
                    (client) => {
                        on(client, "notifications/message", LoggingMessageNotificationSchema);
                        on(
                            client,
                            "notifications/tools/list_changed",
                            ToolListChangedNotificationSchema,
                        );
                    },
                );
            });
    });

test("the server lets a connection go, and sdk 1.32.2 comes back", () =>
    connected(
        kinds.find(({ name }) => name === "sdk 1.32.2"),
        "everything",
        async (client) => {
            const result = await client.callTool({ name: "test_reconnection", arguments: {} });

            assert.equal(text(result), "The answer came after the connection was closed");
        },
    ));

test("sdk 1.32.2 ends its session", () =>
    connected(
        kinds.find(({ name }) => name === "sdk 1.32.2"),
        "everything",
        async (client, asked, transport) => {
            assert.match(transport.sessionId, /^[0-9a-f]{32,}$/);
            await transport.terminateSession();
            assert.equal(transport.sessionId, undefined);
        },
    ));

test("the Inspector", async () => {
    const inspect = async (...args) => {
        const { stdout } = await promisify(execFile)(
            process.execPath,
            ["index.js", servers.everything.url, "--transport", "http", ...args],
            { cwd: join(packages, "@modelcontextprotocol/inspector-cli/build") },
        );
        return JSON.parse(stdout);
    };

    assert.ok((await inspect("--method", "tools/list")).tools.length > 0);
    assert.equal((await inspect("--method", "resources/list")).resources.length, 3);
    const result = await inspect("--method", "tools/call", "--tool-name", "test_simple_text");
    assert.equal(text(result), "This is a simple text response for testing.");
});

/* As anybody would write it: no Accept of its own, no session, no version. */
test("curl", () =>
    withServer("driver", ["--path", "/mcp-custom"], async ({ url }) => {
        const curl = async (body) => {
            const args = [
                url,
                "-sS",
                "-X",
                "POST",
                "-H",
                "Content-Type: application/json",
                "-d",
                body,
            ];
            const { stdout } = await promisify(execFile)("curl", args);
            return JSON.parse(stdout);
        };
        const listed = await curl('{ "jsonrpc": "2.0", "id": "0", "method": "tools/list" }');

        assert.equal(listed.id, "0");
        assert.ok(listed.result.tools.some(({ name }) => name === "add_numbers"));
        const called = await curl(`{
            "jsonrpc": "2.0",
            "id": "1",
            "method": "tools/call",
            "params": {
              "name": "add_numbers",
              "arguments": {
                "a": 5,
                "b": 3
              }
            }
          }`);
        assert.deepEqual(called, {
            jsonrpc: "2.0",
            id: "1",
            result: { content: [{ type: "text", text: "5 + 3 = 8" }] },
        });
    }));
