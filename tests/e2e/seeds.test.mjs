/* seeds.test.mjs - the examples beside the TypeScript servers that they retell, with real clients. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { clients, withClient } from "./server.mjs";
import { calls, schemas } from "./seeds.mjs";

/* A file for read-file, by the name that the table gives it. */
const files = mkdtempSync(join(tmpdir(), "haft-files-"));
writeFileSync(join(files, "LICENSE-SHORT"), "naïve\n");
after(() => rmSync(files, { recursive: true }));

/* Where haft's list differs on purpose: what is wanted is brought to the same form. */
function asHaftSays(wanted, own, input) {
    if (Array.isArray(wanted) || wanted === null || typeof wanted !== "object") return wanted;
    const said = { ...wanted };

    /* Every field has a description: it is all that a model learns about it. */
    if (said.description === undefined && typeof own?.description === "string")
        said.description = own.description;
    /* Bounds that only say what a double can hold are not advertised. */
    if (said.minimum === -9007199254740991) delete said.minimum;
    /* Arguments that nobody reads are refused, and the schema says so. */
    if (input && said.properties && Object.keys(said.properties).length)
        said.additionalProperties = false;
    for (const key of Object.keys(said.properties ?? {}))
        said.properties = {
            ...said.properties,
            [key]: asHaftSays(said.properties[key], own?.properties?.[key], input),
        };
    return said;
}

async function listed(client, name) {
    const { tools } = await client.listTools();

    assert.deepEqual(
        tools.map((tool) => tool.name),
        Object.keys(schemas[name]),
    );
    for (const tool of tools) {
        const wanted = schemas[name][tool.name];
        const ours = { name: tool.name, ...wanted };

        assert.ok(tool.description, `${tool.name} has a description`);
        ours.description ??= tool.description;
        ours.inputSchema = asHaftSays(wanted.inputSchema, tool.inputSchema, true);
        if (wanted.outputSchema)
            ours.outputSchema = asHaftSays(wanted.outputSchema, tool.outputSchema, false);
        if (!wanted.annotations) delete tool.annotations;
        assert.deepEqual(tool, ours);
    }
}

async function called(client, [tool, args, theirs, haft]) {
    const wanted = { ...theirs, ...haft };
    const params = { name: tool };

    delete wanted.because;
    if (args) params.arguments = { ...args };
    if (args?.path === "LICENSE-SHORT") params.arguments.path = join(files, args.path);
    if (wanted.code) {
        await assert.rejects(client.callTool(params), (error) => {
            assert.equal(error.code, wanted.code);
            assert.ok(error.message.endsWith(wanted.message), error.message);
            return true;
        });
        return;
    }
    const result = await client.callTool(params);
    const said = { text: result.content.map((block) => block.text).join("") };

    assert.deepEqual(
        result.content.map((block) => block.type),
        ["text"],
    );
    if (result.isError) said.isError = true;
    if (result.structuredContent) said.structuredContent = result.structuredContent;
    assert.deepEqual(said, wanted, `${tool} ${JSON.stringify(args)}`);
}

for (const kind of clients)
    for (const name of Object.keys(schemas))
        test(`${name}, ${kind.name}`, () =>
            withClient(kind, name, async (client) => {
                await listed(client, name);
                for (const row of calls[name]) await called(client, row);
            }));

/* What the clock says cannot be in a table. */
for (const kind of clients)
    test(`the time, ${kind.name}`, () =>
        withClient(kind, "multi-tool", async (client) => {
            const call = (args) => client.callTool({ name: "current-time", arguments: args });
            const before = Date.now();
            const result = await call({});
            const time = Date.parse(`${result.content[0].text} UTC`);

            assert.match(result.content[0].text, /^\d+\/\d+\/\d{4}, \d+:\d\d:\d\d [AP]M$/);
            assert.ok(time > before - 1000 && time <= Date.now(), result.content[0].text);
        }));

/* A client that probes finds the newest revision. */
test("auto finds 2026-07-28", () => {
    const auto = { ...clients[2], options: { versionNegotiation: { mode: "auto" } } };

    return withClient(auto, "greeting", async (client) => {
        assert.equal(client.getServerVersion().name, "greeting-server");
        await called(client, calls.greeting[0]);
    });
});
