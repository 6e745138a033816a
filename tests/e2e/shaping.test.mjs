/* shaping.test.mjs - results that a gateway shapes, as the official client gets them: it checks structured content
 * against the output schemas that it was shown. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { haft } from "./cli.mjs";
import { withGateway } from "./serve.mjs";
import { example, until } from "./server.mjs";

const plugin = (name) => join(example("."), "..", "tests", "plugins", `${name}.so`);
const log = { level: "notice" };
const settings = (shaping, more = {}) => ({
    log,
    plugins: [plugin("shelf"), plugin("routes-1")],
    gateway: { endpoints: [{ routes: "get_word" }], shaping, ...more },
});

async function connect(server, headers = {}) {
    const client = new Client({ name: "test", version: "1.0.0" });

    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
    return client;
}

async function reload(server, config) {
    const from = server.log().length;

    writeFileSync(join(server.directory, "config.json"), JSON.stringify(config));
    server.process.kill("SIGHUP");
    await until(() => /configuration reloaded/.test(server.log().slice(from)), "the reload");
}

/* Repeats calls until what they return is right. */
async function repeat(call, isRight) {
    const end = Date.now() + 60000;
    let result;

    while (!isRight((result = await call()))) {
        assert.ok(Date.now() < end, `waited in vain: ${result}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return result;
}

const secret = (name) => `${name}-key-of-16-or-more`;
const keys = (...names) =>
    names.map((name) => `${createHash("sha256").update(secret(name)).digest("hex")} ${name}\n`).join("");

const text = async (client, name, args = {}) =>
    (await client.callTool({ name, arguments: args })).content.map((block) => block.text).join("\n");
const schemaOf = async (client, name) =>
    (await client.listTools()).tools.find((tool) => tool.name === name).outputSchema;

test("results are shortened, and the client accepts them", () =>
    withGateway(
        "plain",
        async (server) => {
            const client = await connect(server);

            assert.equal(await schemaOf(client, "list_books"), undefined);
            assert.equal(await schemaOf(client, "get_word"), undefined);
            const { structuredContent, content } = await client.callTool({ name: "list_books", arguments: {} });

            assert.deepEqual(structuredContent, {
                books: [{ title: "Book 1" }, { title: "Book 2" }, { title: "Book 3" }],
            });
            assert.deepEqual(JSON.parse(content[0].text), structuredContent);
            assert.match(content[1].text, /^\[Shortened by the gateway: \/books has 3 of 100 items\..* limit\.\]$/);
            /* A tool of a route, too. */
            assert.deepEqual((await client.callTool({ name: "get_word", arguments: { word: "Ada" } })).structuredContent, {});

            /* Without the rules everything is there again, and the client checks it. */
            await reload(server, settings(undefined));
            assert.deepEqual((await schemaOf(client, "list_books")).required, ["books", "total"]);
            const whole = await client.callTool({ name: "list_books", arguments: { limit: 7 } });

            assert.equal(whole.structuredContent.books.length, 7);
            assert.equal(whole.structuredContent.total, 100);

            /* What is too large as a whole: its beginning, and a note. */
            await reload(server, settings([{ tools: "list_books", max_bytes: 200 }]));
            assert.equal(await schemaOf(client, "list_books"), undefined);
            const cut = await client.callTool({ name: "list_books", arguments: {} });

            assert.equal(cut.structuredContent, undefined);
            assert.equal(cut.content[0].text.length, 200);
            assert.match(cut.content[1].text, /this is 200 of [\d,]+ bytes of text; structured content of [\d,]+ bytes is left out/);
            assert.ok(!cut.isError);
            await client.close();
        },
        {
            config: settings([
                { tools: "list_books", keep: ["/books/*/title"], max_items: 3 },
                { tools: "get_word", drop: ["/text"] },
            ]),
        },
    ));

test("results of read-only tools are used again, for the caller", () =>
    withGateway(
        "plain",
        async (server) => {
            const [ada, again, bob] = await Promise.all(
                ["ada", "ada", "bob"].map((key) => connect(server, { "X-API-Key": secret(key) })),
            );

            assert.equal(await text(ada, "count_runs", { key: { a: 1, b: 2 } }), "run 1");
            assert.equal(await text(again, "count_runs", { key: { b: 2, a: 1 } }), "run 1");
            assert.equal(await text(bob, "count_runs", { key: { a: 1, b: 2 } }), "run 2");
            assert.equal(await text(ada, "count_runs", { key: 1 }), "run 3");
            /* It ends. */
            await repeat(() => text(bob, "count_runs", { key: { a: 1, b: 2 } }), (now) => now !== "run 2");
            /* Each of these calls is in the audit. */
            const lines = readFileSync(join(server.directory, "audit"), "utf8").trim().split("\n").map(JSON.parse);

            assert.ok(lines.length >= 5, `${lines.length} lines`);
            assert.deepEqual([...new Set(lines.map(({ outcome }) => outcome))], ["ok"]);
            for (const client of [ada, again, bob]) await client.close();
        },
        {
            config: {
                ...settings([{ tools: "count_runs", cache: { seconds: 1 } }], {
                    policies: [{ name: "who", policy: "api-key", options: { file: "{DIR}/keys" } }],
                    endpoints: [{ policies: ["who"] }],
                }),
                audit: { file: "{DIR}/audit" },
            },
            files: { keys: keys("ada", "bob") },
        },
    ));

test("equal calls run once, and a client that leaves does not end those of others", () =>
    withGateway(
        "plain",
        async (server) => {
            const clients = await Promise.all(Array.from({ length: 4 }, () => connect(server)));
            const leaves = new AbortController();
            const first = clients[0].callTool({ name: "wait_for_release", arguments: {} }, undefined, { signal: leaves.signal });
            const ping = () => Promise.all(clients.map((client) => client.ping()));

            first.catch(() => {});
            await ping();
            const others = clients.flatMap((client) => [text(client, "wait_for_release"), text(client, "wait_for_release")]);

            await ping();
            leaves.abort();
            await assert.rejects(first);
            await ping();
            /* The one that was left runs on until it is released; then another one runs. */
            let done = false;
            const all = Promise.all(others).finally(() => (done = true));

            await repeat(() => text(clients[0], "release_all"), () => done);
            const results = new Set(await all);

            assert.equal(results.size, 1, [...results].join());
            assert.ok(Number(await text(clients[0], "release_all")) <= 2);
            for (const client of clients) await client.close();
        },
        { config: settings([{ tools: "wait_for_release", coalesce: true }]) },
    ));

test("a rule that would cache what a tool changes is refused", () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-shaping-"));
    const file = join(directory, "config.json");

    writeFileSync(file, JSON.stringify(settings([{ tools: "*", cache: { seconds: 1 } }])));
    const { status, stderr } = spawnSync(haft, ["serve", "--config", file, "--http", "127.0.0.1:0"], { encoding: "utf8" });

    rmSync(directory, { recursive: true });
    assert.equal(status, 2, stderr);
    assert.match(stderr, /gateway\.shaping: "cache" of the rule for "\*" applies to release_all, which is not read-only/);
});
