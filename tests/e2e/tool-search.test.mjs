/* tool-search.test.mjs - the official clients of both generations search among many tools, over standard
 * input and HTTP, and call what they find; and an endpoint of `haft serve` whose clients search. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { withServer } from "./http-server.mjs";
import { withGateway } from "./serve.mjs";
import { clients, withClient } from "./server.mjs";

const driver = join("..", "tests", "search-driver");
const FIND = ["find_tools", "describe_tool", "call_tool"];
const capabilities = { capabilities: { elicitation: { form: {} } } };
const answer = async () => ({ action: "accept", content: { name: "Ada" } });

const names = ({ tools }) => tools.map(({ name }) => name);
const call = (client, name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options);

/* The argument between the parameters and the options of callTool is of version 1 only. */
const through = (kind, client, name, args, options) =>
    kind.v1
        ? client.callTool({ name: "call_tool", arguments: { name, arguments: args } }, undefined, options)
        : client.callTool({ name: "call_tool", arguments: { name, arguments: args } }, options);

async function check(kind, client) {
    const listed = await client.listTools();
    const caller = listed.tools.find(({ name }) => name === "call_tool");
    const progress = [];

    assert.deepEqual(names(listed), ["always", ...FIND]);
    assert.deepEqual(caller.annotations, {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
    });

    const found = await call(client, "find_tools", { query: "add numbers" });
    assert.equal(found.structuredContent.tools[0].name, "add");
    assert.equal((await call(client, "find_tools", { query: "ship goods" })).structuredContent.total, 200);
    assert.equal((await call(client, "find_tools", { query: "ship goods", limit: 3 })).structuredContent.tools.length, 3);
    assert.deepEqual((await call(client, "find_tools", { query: "always" })).structuredContent.tools, []);

    const described = await call(client, "describe_tool", { name: "add" });
    assert.deepEqual(described.structuredContent.inputSchema.required, ["a", "b"]);

    const sum = await through(kind, client, "add", { a: 2, b: 3 });
    assert.deepEqual(sum.structuredContent, { sum: 5 });
    assert.deepEqual((await through(kind, client, "draw")).content.map(({ type }) => type), ["text", "image"]);
    assert.match((await through(kind, client, "add", { a: 2 })).content[0].text, /Invalid arguments for tool add: /);
    assert.match((await through(kind, client, "always")).content[0].text, /^Call the tool always directly/);
    assert.match((await through(kind, client, "none")).content[0].text, /^Tool none not found/);
    assert.equal((await call(client, "draw")).content[0].text, "a picture");

    assert.equal((await through(kind, client, "introduce")).content[0].text, "You are Ada");
    const abort = new AbortController();
    const onprogress = (event) => {
        progress.push(event.message);
        abort.abort("enough");
    };
    await assert.rejects(through(kind, client, "linger", {}, { signal: abort.signal, onprogress }), /enough|abort/i);
    assert.deepEqual(progress, ["lingering"]);
    assert.equal((await call(client, "always")).content[0].text, "always here");
}

const prepare = (kind) => (client) =>
    client.setRequestHandler(kind.v1 ? ElicitRequestSchema : "elicitation/create", answer);

for (const kind of clients) {
    const own = { ...kind, v1: kind.Client === ClientV1 };

    test(`${kind.name} searches over standard input`, () =>
        withClient(own, driver, (client) => check(own, client), { options: capabilities, prepare: prepare(own) }));
}

const http = [
    { name: "version 1", v1: true, Client: ClientV1, Http: HttpV1, options: {} },
    { name: "version 2, legacy", Client: ClientV2, Http: HttpV2, options: {} },
    {
        name: "version 2, modern",
        Client: ClientV2,
        Http: HttpV2,
        options: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    },
];

for (const kind of http)
    test(`${kind.name} searches over HTTP`, () =>
        withServer(driver, [], async ({ url }) => {
            const client = new kind.Client({ name: "c", version: "1" }, { ...kind.options, ...capabilities });

            prepare(kind)(client);
            await client.connect(new kind.Http(new URL(url)));
            try {
                await check(kind, client);
            } finally {
                await client.close();
            }
        }));

test("clients of an endpoint search for the tools of its plugins", () =>
    withGateway(
        "haft",
        async ({ url }) => {
            const client = new ClientV1({ name: "c", version: "1" });

            await client.connect(new HttpV1(new URL(url)));
            try {
                assert.deepEqual(names(await client.listTools()), ["get_weather", ...FIND]);
                const { structuredContent } = await call(client, "find_tools", { query: "sum of two numbers" });
                assert.equal(structuredContent.tools[0].name, "add_numbers");
                assert.ok(structuredContent.tools.length <= 2);
                const sum = await through({ v1: true }, client, "add_numbers", { a: 1, b: 2 });
                assert.match(sum.content[0].text, /3/);
            } finally {
                await client.close();
            }
        },
        {
            config: {
                gateway: { endpoints: [{ search: { above: 0, pinned: "get_weather", results: 2 } }] },
            },
        },
    ));
