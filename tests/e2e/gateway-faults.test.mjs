/* gateway-faults.test.mjs - answers that gateways are known to get wrong on the wire: each row is a request,
 * and what is answered to it.  Most go to the shop that `haft serve --demo` serves; those for which nothing there is
 * bad enough go to a driver. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Session, raw, send } from "./http-client.mjs";
import { withGateway } from "./serve.mjs";
import { until } from "./server.mjs";

const request = (method, params, id = 1) => ({ jsonrpc: "2.0", id, method, params });
const call = (name, args, more) => request("tools/call", { name, arguments: args, ...more });
const begin = request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "faults", version: "0" },
});

const json = { "content-type": "application/json" };
const both = { ...json, accept: "application/json, text/event-stream" };
const bytes = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/* What a row wants of an answer. */
const fails = (code, id, text = /./) => ({ message }) => {
    assert.equal(message.error?.code, code, JSON.stringify(message));
    assert.deepEqual(message.id, id);
    assert.match(message.error.message, text);
};
const toolFails = (text, never = /hunter2/) => ({ message }) => {
    assert.equal(message.result?.isError, true, JSON.stringify(message));
    assert.match(message.result.content[0].text, text);
    assert.doesNotMatch(JSON.stringify(message), never);
    assert.ok(!("structuredContent" in message.result));
};
const says = (text) => ({ message }) => {
    assert.notEqual(message.result?.isError, true, JSON.stringify(message));
    assert.equal(message.result.content[0].text, text);
};
const reads = (text) => ({ message }) =>
    assert.equal(message.result?.contents[0].text, text, JSON.stringify(message));
const listed = (check) => ({ message }) =>
    check(Object.fromEntries(message.result.tools.map((tool) => [tool.name, tool])));

const rows = [
    {
        name: "initialize: capabilities are those of the specification",
        body: begin,
        want: ({ message }) =>
            assert.deepEqual(message.result.capabilities.tools, { listChanged: true }),
    },
    {
        name: "bad arguments are a result that a model can read",
        body: call("add_numbers", { a: "five" }),
        want: toolFails(/a: Invalid input: expected number, received string.*b: /s),
    },
    {
        name: "a handler that fails is a result with a text of ours",
        to: "driver",
        body: call("break_down", {}),
        want: toolFails(/./),
        log: /hunter2/,
    },
    {
        name: "a handler that fails as it means to says what it wants to say",
        body: call("safe_operation", { shouldFail: true }),
        want: toolFails(/^Intentional failure$/),
        log: /Tool failed: Intentional failure/,
    },
    {
        name: "an unknown tool",
        body: call("nope", {}),
        want: fails(-32602, 1, /^Tool nope not found$/),
    },
    {
        name: "arguments that are no object",
        body: call("add_numbers", [5, 3]),
        want: fails(-32602, 1),
    },
    {
        name: "a result against its output schema does not leave",
        to: "driver",
        body: call("lie", {}),
        want: toolFails(/./, /11/),
    },
    {
        name: "arguments that no field names are refused",
        body: call("add_numbers", { a: 1, b: 2, c: 3 }),
        want: toolFails(/Unrecognized key: "c"/),
    },
    {
        name: "and the schema says so; a property with a default is not required",
        body: request("tools/list"),
        want: listed((tools) => {
            assert.equal(tools.add_numbers.inputSchema.additionalProperties, false);
            assert.equal(tools.safe_operation.inputSchema.properties.shouldFail.default, false);
            assert.ok(!tools.safe_operation.inputSchema.required?.includes("shouldFail"));
        }),
    },
    {
        name: "a tool that is there already is refused when it is added",
        to: "driver",
        body: call("twice", {}),
        want: says("the first"),
        log: /twice: Tool twice is already registered/,
    },
    {
        name: "a bad cursor",
        body: request("tools/list", { cursor: "nonsense" }),
        want: fails(-32602, 1),
    },
    { name: "malformed JSON", body: "{", status: 400, want: fails(-32700, undefined) },
    { name: "an empty body", body: "", status: 400, want: fails(-32700, undefined) },
    {
        name: "an extra member of the envelope does not keep the answer back",
        body: { ...request("ping"), extra: true },
        want: ({ message }) => assert.equal(message.id, 1),
    },
    {
        name: "an id that is a fraction comes back, or is refused",
        body: request("ping", undefined, 1.5),
        statuses: [200, 400],
        want: ({ message }) => {
            assert.ok(message.result || message.error.code === -32600, JSON.stringify(message));
            assert.equal(message.id, message.result ? 1.5 : undefined);
        },
    },
    {
        name: "a request without jsonrpc",
        body: { id: 7, method: "ping" },
        status: 400,
        want: fails(-32600, 7),
    },
    {
        name: "a request with the id null",
        body: { jsonrpc: "2.0", id: null, method: "ping" },
        status: 400,
        want: fails(-32600, undefined),
    },
    {
        name: "a batch, of a revision that has none",
        headers: { "mcp-protocol-version": "2025-06-18" },
        body: [request("ping"), request("ping", undefined, 2)],
        status: 400,
        want: fails(-32600, undefined),
    },
    {
        name: "Accept: */*",
        headers: { accept: "*/*" },
        body: request("ping"),
        want: ({ message }) => assert.deepEqual(message.result, {}),
    },
    {
        name: "no Accept at all",
        headers: { accept: undefined },
        body: request("ping"),
        want: ({ message }) => assert.deepEqual(message.result, {}),
    },
    {
        name: "an Origin that is not let in",
        headers: { origin: "http://evil.example" },
        body: request("ping"),
        status: 403,
    },
    {
        name: "a revision that never was",
        headers: { "mcp-protocol-version": "1900-01-01" },
        body: request("ping"),
        status: 400,
    },
    {
        name: "a body that is not said to be JSON",
        headers: { "content-type": "text/plain" },
        body: request("ping"),
        status: 415,
    },
    { name: "a GET without a session is no stream", method: "GET", status: 405, want: () => {} },
    {
        name: "progress comes as events of the answer",
        to: "driver",
        body: call("step", {}, { _meta: { progressToken: "p" } }),
        want: ({ answer, text }) => {
            assert.match(answer.headers["content-type"], /^text\/event-stream/);
            assert.match(text, /"progress":1,[^]*"progress":2,[^]*"text":"Both"/);
        },
    },
    {
        name: "a template is no pattern: a dot is a dot",
        to: "driver",
        body: request("resources/read", { uri: "aXb://x/9" }),
        want: fails(-32002, 1),
    },
    {
        name: "what is exact goes before a template that was there earlier",
        to: "driver",
        body: request("resources/read", { uri: "a.b://x/9" }),
        want: reads("exact"),
    },
    {
        name: "a reader gets the variables of its template",
        to: "driver",
        body: request("resources/read", { uri: "a.b://x/7" }),
        want: reads("id 7"),
    },
    {
        name: "a prompt's value means itself",
        to: "driver",
        body: request("prompts/get", { name: "greet", arguments: { n: "$& $1 {{n}}" } }),
        want: ({ message }) =>
            assert.equal(message.result.messages[0].content.text, "Hi $& $1 {{n}}"),
    },
    {
        name: "an argument that a prompt does not have is refused",
        to: "driver",
        body: request("prompts/get", { name: "greet", arguments: { n: "x", "(": "y" } }),
        want: fails(-32602, 1),
    },
    {
        name: "a reader that fails is an internal error, and keeps its secrets",
        to: "driver",
        body: request("resources/read", { uri: "broken://x" }),
        want: (heard) => {
            fails(-32603, 1)(heard);
            assert.doesNotMatch(heard.text, /hunter2/);
        },
        log: /hunter2/,
    },
    {
        name: "not found, of the revision that has another code for it",
        to: "driver",
        headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "resources/read", "mcp-name": "none://x" },
        body: request("resources/read", {
            uri: "none://x",
            _meta: {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }),
        statuses: [200, 400, 404],
        want: fails(-32602, 1),
    },
];

for (const row of rows)
    test(row.name, () =>
        withGateway(row.to ?? "haft", async (server) => {
            const answer = await send(server.url, {
                method: row.method ?? "POST",
                headers: { ...both, ...row.headers },
                body: row.body === undefined ? undefined : bytes(row.body),
            });
            const text = await answer.text();

            assert.ok((row.statuses ?? [row.status ?? 200]).includes(answer.status), `${answer.status} ${text}`);
            row.want?.({
                answer,
                text,
                get message() {
                    return JSON.parse(text);
                },
            });
            if (row.log) await until(() => row.log.test(server.log()), `${row.log} in the log`);
        }),
    );

test("a body of 20 MiB", () =>
    withGateway("haft", async (server) => {
        const { host } = new URL(server.url);
        const head = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${20 << 20}\r\n\r\n`;

        assert.match(await raw(server.url, head, { enough: (text) => text.includes("\r\n") }), /^HTTP\/1.1 413 /);
    }));

test("the id of a session cannot be guessed", () =>
    withGateway("haft", async (server) => {
        const ids = new Set();

        for (let i = 0; i < 16; i++) {
            const answer = await send(server.url, { headers: both, body: bytes(begin) });
            const id = answer.headers["mcp-session-id"];

            await answer.text();
            assert.match(id, /^[\x21-\x7e]{32,}$/, "at least 128 bits in hexadecimal digits");
            ids.add(id.slice(-16));
        }
        assert.equal(ids.size, 16, "their ends differ, too");
    }));

test("a batch, of the revision that has them", () =>
    withGateway("haft", async (server) => {
        const session = await Session.open(server.url, "2025-03-26");
        const answer = await session.post([request("ping"), request("ping", undefined, 2)]);
        const text = await answer.text();

        assert.equal(answer.status, 200, text);
        assert.deepEqual([...text.matchAll(/"id":(\d)/g)].map(([, id]) => id).sort(), ["1", "2"]);
    }));
