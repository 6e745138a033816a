/* custom-tools.test.mjs - custom tools as their users write and call them: each sample is a tool of an example
 * or of the shop, called over standard input and output and over HTTP; and the commands of curl that such
 * pages tell people to try. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { haft, run } from "./cli.mjs";
import { call } from "./http-client.mjs";
import { withServer } from "./http-server.mjs";
import { withGateway } from "./serve.mjs";
import { clients, withClient } from "./server.mjs";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const error = (value) => ({ ...text(value), isError: true });
const data = (value) => ({ ...text(JSON.stringify(value)), structuredContent: value });
const uuid = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
const item = (productId, quantity) => ({ productId, quantity });
/* The day of a delivery, whichever it is. */
const undated = (value) =>
    JSON.parse(JSON.stringify(value).replace(/\b20\d\d-[01]\d-[0-3]\d\b/g, "DAY"));

/* A program, a tool, its arguments, and what it answers; a pattern is of the text of an error. */
const rows = [
    ["custom-tools", "add_numbers", { a: 5, b: 3 }, text("5 + 3 = 8")],
    ["custom-tools", "safe_operation", {}, text("Operation succeeded")],
    ["custom-tools", "safe_operation", { shouldFail: true }, error("Intentional failure")],
    ["custom-tools", "my_tool", { input: "hey" }, data({ result: "hey!" })],
    ["custom-tools", "answer", { kind: "text" }, text("Hello!")],
    ["custom-tools", "answer", { kind: "json" }, data({ answer: 42 })],
    ["custom-tools", "answer", { kind: "error" }, error("Something went wrong")],
    [
        "custom-tools",
        "charge_user",
        { userId: uuid, amount: 250 },
        text(`Charged 250 cents to ${uuid}`),
    ],
    [
        "custom-tools",
        "charge_user",
        { userId: "somebody", amount: 10001 },
        /userId: Invalid UUID.*amount: Too big: expected number to be <=10000/s,
    ],
    [
        "custom-tools",
        "charge_user",
        { userId: uuid, amount: 0 },
        /amount: Too small: expected number to be >0/,
    ],
    [
        "custom-tools",
        "create_order",
        { customerId: uuid, orderType: "express", items: [item("a", 2)] },
        data({ orderId: "6f9619ff-1", total: 1500, status: "confirmed" }),
    ],
    [
        "custom-tools",
        "create_order",
        { customerId: uuid, orderType: "slow", items: [] },
        /orderType: Invalid option.*items: Too small/s,
    ],
    [
        "shop",
        "get_weather",
        { location: "San José & co" },
        data({ temperature: 21, condition: "sunny", humidity: 54 }),
    ],
    [
        "shop",
        "process_order",
        { customerId: "c-1", items: [item("a", 1), item("b", 2)] },
        data({
            orderId: "c-1-2",
            status: "created",
            total: 15,
            estimatedDelivery: "in three days",
        }),
    ],
    ["shop", "process_order", { customerId: "c-2", items: [] }, error("Customer not found")],
    [
        "shop",
        "process_order",
        { customerId: "c-1", items: [item("a", 11), item("b", 2), item("c", 99)] },
        error("Items not available: a, c"),
    ],
    ["haft", "add_numbers", { a: 0.1, b: 0.2 }, text("0.1 + 0.2 = 0.30000000000000004")],
    ["haft", "safe_operation", { shouldFail: true }, error("Intentional failure")],
    [
        "haft",
        "get_weather",
        { location: "59.9, 10.7" },
        data({ temperature: 16.5, condition: "clear", humidity: 64 }),
    ],
    ["haft", "get_weather", { location: "Nowhere" }, error("There is no weather for Nowhere")],
    [
        "haft",
        "process_order",
        { customerId: "cust-1", items: [item("sku-1", 2), item("sku-2", 1)] },
        data({ orderId: "order-1", status: "created", total: 3590, estimatedDelivery: "DAY" }),
    ],
    [
        "haft",
        "process_order",
        { customerId: "../orders", items: [item("sku-1", 1)] },
        error("Customer not found"),
    ],
    [
        "haft",
        "process_order",
        { customerId: "cust-1", items: [item("sku-1", 1), item("sku-5", 1), item("no/such", 1)] },
        error("Items not available: sku-5, no/such"),
    ],
    /* Each is there, both together are not. */
    [
        "haft",
        "process_order",
        { customerId: "cust-1", items: [item("sku-3", 3), item("sku-3", 2)] },
        error("The order was not taken: 409 Conflict"),
    ],
];

function assertResult(result, wanted) {
    const { content, structuredContent, isError } = undated(result);

    if (wanted instanceof RegExp) {
        assert.equal(isError, true, JSON.stringify(result));
        assert.match(content[0].text, wanted);
    } else
        assert.deepEqual(
            { content, ...(structuredContent && { structuredContent }), ...(isError && { isError }) },
            wanted,
        );
}

const programs = ["custom-tools", "shop"];

for (const program of programs)
    for (const kind of clients)
        test(`${program} over standard input and output, ${kind.name}`, () =>
            withClient(kind, program, async (client) => {
                for (const [, name, args, wanted] of rows.filter(([of]) => of === program))
                    assertResult(await client.callTool({ name, arguments: args }), wanted);
            }));

for (const program of programs)
    test(`${program} over HTTP`, () =>
        withServer(program, [], async (server) => {
            for (const [, name, args, wanted] of rows.filter(([of]) => of === program))
                assertResult((await call(server.url, name, args)).response.result, wanted);
        }));

test("the shop of haft over HTTP", () =>
    withGateway("haft", async (server) => {
        for (const [, name, args, wanted] of rows.filter(([of]) => of === "haft"))
            assertResult((await call(server.url, name, args)).response.result, wanted);
    }));

test("the shop of haft over standard input and output", async () => {
    for (const [, name, args, wanted] of rows.filter(([of]) => of === "haft")) {
        const { out, err } = await run(
            ["call", "--json", name, "-", "--", haft, "serve", "--demo", "--stdio"],
            { input: JSON.stringify(args) },
        );

        assert.ok(out, err);
        assertResult(JSON.parse(out), wanted);
    }
});

test("images and links", () =>
    withServer("custom-tools", [], async (server) => {
        const image = (await call(server.url, "answer", { kind: "image" })).response.result;
        const link = (await call(server.url, "answer", { kind: "resource" })).response.result;

        assert.equal(image.content[0].type, "image");
        assert.equal(image.content[0].mimeType, "image/gif");
        assert.match(Buffer.from(image.content[0].data, "base64").toString("latin1"), /^GIF89a/);
        assert.deepEqual(link.content, [
            {
                type: "resource_link",
                uri: "file:///var/log/app.log",
                name: "app.log",
                mimeType: "text/plain",
            },
        ]);
    }));

/* ---- curl, with exactly these arguments after the address ---- */

const list = [
    "-X",
    "POST",
    "-H",
    "Content-Type: application/json",
    "-d",
    '{ "jsonrpc": "2.0", "id": "0", "method": "tools/list" }',
];
const listLong = [
    ...list.slice(0, -1),
    `{
    "jsonrpc": "2.0",
    "id": "0",
    "method": "tools/list"
  }`,
];
const add = [
    ...list.slice(0, -1),
    `{
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
  }`,
];

async function curl(url, args) {
    const { stdout } = await promisify(execFile)("curl", ["-sS", url, ...args]);

    return JSON.parse(stdout);
}

async function assertCurl(url) {
    for (const args of [list, listLong]) {
        const { id, result } = await curl(url, args);

        assert.equal(id, "0");
        assert.ok(result.tools.some(({ name }) => name === "add_numbers"));
    }
    const { id, result } = await curl(url, add);

    assert.equal(id, "1");
    assert.equal(result.content[0].text, "5 + 3 = 8");
}

describe("curl", () => {
    test("at /mcp, where haft serve --demo has its tools", () =>
        withGateway("haft", (server) => assertCurl(`${server.base}/mcp`)));

    test("at /mcp-custom, where an example has them", () =>
        withServer("custom-tools", [], (server) => {
            assert.match(server.url, /\/mcp-custom$/);
            return assertCurl(server.url);
        }));

    test("at /mcp-custom, where a configuration puts them", () =>
        withGateway("haft", (server) => assertCurl(`${server.base}/mcp-custom`), {
            config: {
                gateway: {
                    endpoints: [
                        { name: "My Custom MCP Server", version: "1.0.0", endpoint: "/mcp-custom" },
                    ],
                },
            },
        }));
});
