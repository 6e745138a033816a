/* compare.test.mjs - the servers of examples/compare and examples/stock.cpp: what a client sees of each is the same,
 * in C, in C++ and with the TypeScript SDK. */

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { example } from "./server.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
/* It is copied to where its packages are. */
const copy = mkdtempSync(join(here, "compare-"));

copyFileSync(new URL("../../examples/compare/stock.ts", import.meta.url), join(copy, "stock.mts"));
after(() => rmSync(copy, { recursive: true }));

const servers = {
    C: { command: example("compare-stock"), args: [] },
    "C++": { command: example("stock"), args: [] },
    TypeScript: {
        command: process.execPath,
        args: ["--experimental-strip-types", "--disable-warning=ExperimentalWarning", join(copy, "stock.mts")],
    },
};

const calls = [
    ["add", { a: 2, b: 40.5 }],
    ["add", { a: "2" }],
    ["search", { query: "Mug" }],
    ["search", { query: "Mug", limit: 1 }],
    ["search", { query: "a", kind: "office" }],
    ["search", { query: "" }],
    ["search", { query: "a", kind: "cellar" }],
    ["search", { query: "a", limit: 51 }],
    ["search", { query: "a", limit: 1.5 }],
    ["search", { query: "a", extra: true }],
    ["names", {}],
    ["order", { buyer: { name: "Ada", email: "ada@example.com" }, lines: [{ product: "Mug", count: 3 }, { product: "Stapler", count: 1 }] }],
    ["order", { buyer: { name: "Ada", email: "ada@example.com" }, lines: [{ product: "Mug", count: 1 }], note: "Fragile" }],
    ["order", { buyer: { name: "Ada", email: "ada@example.com" }, lines: [{ product: "Cup", count: 3 }] }],
    ["order", { buyer: { name: "", email: "ada" }, lines: [] }],
    ["order", { buyer: { name: "Ada", email: "ada@example.com" }, lines: [{ product: "Mug", count: 0 }] }],
    ["remove", { name: "Mug" }],
    ["remove", { name: "Cup" }],
];

/* Of a schema, what both write: TypeScript adds its dialect, and a pattern to a format; an int of C++ has its bounds. */
function plain(schema) {
    return JSON.parse(
        JSON.stringify(schema, (key, value) =>
            key === "$schema" || key === "pattern" || key === "format" || Math.abs(value) >= 2 ** 31 - 1 ? undefined : value,
        ),
    );
}

/* The TypeScript SDK has a code in front of its sentences, and paths behind them; the accepted keys are haft's own. */
function sentence(text) {
    const [, head, issues] = /^(Input validation error: .*? for tool \w+: )(.*)$/s.exec(text.replace(/^MCP error -\d+: /, "")) ?? [];
    const turned = (issue) => issue.replace(/^(.*) at (\S+)$/, (_, what, path) => `${path.replace(/\[(\d+)\]/g, ".$1")}: ${what}`);

    return issues ? head + issues.split("\n").map(turned).join(", ").replace(/ \(accepted: .*?\)/, "") : text;
}

async function ask(server) {
    const client = new Client({ name: "test", version: "1.0.0" });
    const seen = { tools: [], answers: [] };

    await client.connect(new StdioClientTransport({ ...server, stderr: "inherit" }));
    for (const tool of (await client.listTools()).tools) {
        seen.tools.push({
            name: tool.name,
            description: tool.description,
            annotations: tool.annotations,
            properties: Object.keys(tool.inputSchema.properties ?? {}),
            required: tool.inputSchema.required ?? [],
            output: plain(tool.outputSchema ?? {}),
        });
    }
    for (const [name, args] of calls) {
        const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
        const text = content.map((block) => block.text).join("\n");

        seen.answers.push({
            name,
            args,
            isError: isError ?? false,
            structuredContent,
            text: sentence(text),
        });
    }
    await client.close();
    return seen;
}

const [c, cpp] = [await ask(servers.C), await ask(servers["C++"])];

test("a server in C++ is seen as one in C", () => {
    assert.equal(c.tools.length, 5);
    assert.deepEqual(cpp, c);
});

test("what it answers", () => {
    const find = (name, match) => cpp.answers.find((one) => one.name === name && match(one.args));

    assert.deepEqual(find("add", ({ a }) => a === 2).structuredContent, { sum: 42.5 });
    assert.deepEqual(find("order", ({ lines }) => lines.length === 2).structuredContent, { buyer: "Ada", pieces: 4, total: 34.75 });
    assert.equal(find("remove", ({ name }) => name === "Mug").text, "The stock is read-only");
    assert.equal(cpp.answers.filter((one) => one.isError).length, 11);
});

test("the TypeScript SDK's is seen as both", async () => {
    assert.deepEqual(await ask(servers.TypeScript), cpp);
});
