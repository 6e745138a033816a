/* client-matrix.test.mjs - a client on the library with servers that others wrote, and with ours: each
 * transport, each revision that both know. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { withDriver } from "./client-driver.mjs";
import { Server, withServer } from "./http-server.mjs";
import { example, until } from "./server.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const sdkServer = here("client-sdk-server.mjs");
const scratch = () => mkdtempSync(join(tmpdir(), "haft-matrix-"));
const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const MODERN = "2026-07-28";
const ALL = [...LEGACY, MODERN];
const asks = (revision) => revision >= "2025-06-18";
const names = ({ content }) => content.map(({ name }) => name).sort();

/* node 22, which server-everything and its kin want. */
const node = (() => {
    try {
        return createRequire(import.meta.url).resolve(
            `node-${process.platform}-${process.arch}/bin/node`,
        );
    } catch {
        return process.execPath;
    }
})();

const script = (name) => here(`node_modules/@modelcontextprotocol/${name}/dist/index.js`);

/* A server that listens, for as long as `use` takes. */
async function listening(args, use) {
    const server = new Server(node, args);

    try {
        await use((await server.ready()).url, server);
    } finally {
        await server.stop();
    }
}

/* ---- what is asked of a server of the SDK ---- */

async function useSdk(driver, revision, { questions = true } = {}) {
    const tools = await driver.must("list", { kind: "tools" });
    const sum = await driver.call("add", { a: 2, b: 40 });
    const failed = await driver.call("fail");
    const wrong = await driver.call("add", { a: "two" });

    assert.deepEqual(names(tools), ["add", "ask", "count", "fail", "grow", "roots", "sample"]);
    assert.equal(sum.text, "42");
    assert.deepEqual(sum.structured, { sum: 42 });
    assert.equal(failed.is_error, true);
    assert.match(failed.text, /it failed/);
    assert.equal(wrong.is_error, true);
    assert.equal((await driver.must("read", { uri: "memo://one" })).content[0].text, "first");
    assert.equal((await driver.must("read", { uri: "memo://any/x" })).content[0].text, "memo x");
    assert.deepEqual(names(await driver.must("list", { kind: "templates" })), ["any"]);
    assert.deepEqual(names(await driver.must("list", { kind: "resources" })), ["one"]);
    assert.deepEqual(names(await driver.must("list", { kind: "prompts" })), ["greet"]);
    const greeting = await driver.must("get", { name: "greet", arguments: { name: "Ada" } });
    assert.equal(greeting.content[0].content.text, "Greet Ada");
    const completed = await driver.must("complete", {
        kind: "prompts",
        name: "greet",
        argument: "name",
        value: "b",
    });
    assert.deepEqual(completed.content, ["beta"]);
    await useProgress(driver, revision);
    if (questions && asks(revision)) await useQuestions(driver);
}

async function useProgress(driver) {
    const begun = await driver.do("begin", { name: "count", arguments: { to: 3 }, progress: true });

    assert.ok(begun.status > 0, JSON.stringify(begun));
    const counted = await driver.must("wait", { id: begun.status, ms: 10000 });
    assert.equal(counted.text, "counted");
    assert.deepEqual(
        driver.named("progress").map(({ progress }) => progress),
        [1, 2, 3],
    );
}

async function useQuestions(driver) {
    const form = JSON.parse((await driver.call("ask")).text);
    const sampled = JSON.parse((await driver.call("sample")).text);
    const roots = JSON.parse((await driver.call("roots")).text);

    assert.deepEqual(form, { action: "accept", content: { name: "Ada", age: 36 } });
    assert.equal(sampled.content.text, "sampled");
    assert.equal(roots.roots[0].uri, "file:///tmp");
    assert.deepEqual(
        driver.named("question").map(({ method }) => method),
        ["elicitation/create", "sampling/createMessage", "roots/list"],
    );
}

/* Connects in a revision, uses the server, and connects again without naming one. */
async function useAll(target, revisions, newest, use) {
    for (const revision of revisions)
        await withDriver(async (driver) => {
            const connected = await driver.must("connect", { ...target, revision });

            assert.equal(connected.revision, revision);
            await use(driver, revision, connected);
        });
    await withDriver(async (driver) => {
        const { revision } = await driver.must("connect", target);
        const { discovery } = await driver.must("discovery");

        assert.equal(revision, newest);
        await driver.must("list", { kind: "tools" });
        assert.equal((await driver.must("connect", { ...target, discovery })).revision, newest);
        await driver.must("list", { kind: "tools" });
    });
}

/* ---- the official SDKs ---- */

for (const [version, revisions] of [
    ["1", LEGACY],
    ["2", ALL],
])
    describe(`TypeScript SDK v${version}`, () => {
        const newest = revisions.at(-1);

        test("stdio", () =>
            useAll({ command: [node, sdkServer, version, "stdio"] }, revisions, newest, async (...at) => {
                const info = at[2].info;

                assert.equal(info?.name ?? `sdk-${version}`, `sdk-${version}`);
                await useSdk(...at);
            }));

        test("HTTP without sessions", () =>
            listening([sdkServer, version, "http"], (url) =>
                useAll({ url }, revisions, newest, async (driver, revision) => {
                    if (version === "2" && revision === MODERN) return useSdk(driver, revision);
                    /* Nothing but the answer is sent there. */
                    assert.equal((await driver.call("add", { a: 1, b: 2 })).text, "3");
                    return driver.must("list", { kind: "prompts" });
                }),
            ));

        test("HTTP with sessions", () =>
            listening([sdkServer, version, "sessions"], async (url, server) => {
                await useAll({ url, listen: true }, LEGACY, "2025-11-25", useSdk);
                /* Each client has ended its session. */
                await until(() => server.log().split("closed ").length > LEGACY.length, "the ends");
            }));

        test("changes of lists", () =>
            withDriver(async (driver) => {
                await driver.must("connect", { command: [node, sdkServer, version, "stdio"] });
                const before = names(await driver.must("list", { kind: "tools" }));
                await driver.must("subscribe", { tools: true });
                await driver.call("grow");
                for (let i = 0; i < 50 && !driver.named("change").length; i++)
                    await driver.must("list", { kind: "prompts" });
                assert.equal(driver.named("change")[0]?.kind, "tools");
                assert.equal(names(await driver.must("list", { kind: "tools" })).length, before.length + 1);
            }));
    });

test("TypeScript SDK v1, HTTP+SSE of 2024-11-05", () =>
    listening([sdkServer, "1", "sse"], async (url, server) => {
        const target = { url: url.replace("/mcp", "/sse"), legacy_sse: true };

        await useAll(target, LEGACY, "2025-11-25", useSdk);
        await until(() => server.log().split("closed ").length > LEGACY.length, "the ends");
        /* Without the option, the client does not use it. */
        await withDriver(async (driver) => {
            const refused = await driver.do("connect", { ...target, legacy_sse: false });

            assert.ok(refused.status < 0, JSON.stringify(refused));
        });
    }));

/* ---- the official servers ---- */

async function useEverything(driver, revision) {
    const tools = names(await driver.must("list", { kind: "tools" }));

    assert.ok(tools.includes("get-sum"), tools.join());
    assert.match((await driver.call("get-sum", { a: 2, b: 40 })).text, /42/);
    assert.match((await driver.call("echo", { message: "héllo" })).text, /héllo/);
    const weather = await driver.call("get-structured-content", { location: "New York" });
    assert.equal(typeof weather.structured.temperature, "number");
    assert.ok((await driver.call("get-tiny-image")).content.some(({ type }) => type === "image"));
    const prompts = await driver.must("list", { kind: "prompts" });
    assert.ok(names(prompts).includes("simple-prompt"), names(prompts).join());
    assert.ok((await driver.must("get", { name: "simple-prompt" })).content.length > 0);
    const resources = await driver.must("list", { kind: "resources" });
    const read = await driver.must("read", { uri: resources.content[0].uri });
    assert.ok(read.content[0].text || read.content[0].blob);
    if (asks(revision)) {
        assert.match((await driver.call("trigger-elicitation-request")).text, /User provided/);
        assert.match((await driver.call("trigger-sampling-request", { prompt: "hi" })).text, /sampled/);
        assert.match((await driver.call("get-roots-list")).text, /tmp/);
    }
    const begun = await driver.do("begin", {
        name: "trigger-long-running-operation",
        arguments: { duration: 0.3, steps: 3 },
        progress: true,
    });
    assert.match((await driver.must("wait", { id: begun.status, ms: 10000 })).text, /completed/);
    assert.equal(driver.named("progress").length, 3);
}

describe("server-everything", () => {
    const everything = script("server-everything");

    test("stdio", () =>
        useAll({ command: [node, everything, "stdio"] }, LEGACY, "2025-11-25", useEverything));

    test("HTTP", () =>
        listening(
            ["--import", here("client-loopback.mjs"), everything, "streamableHttp"],
            (url) => useAll({ url, listen: true }, LEGACY, "2025-11-25", useEverything),
        ));

    test("HTTP+SSE of 2024-11-05", () =>
        listening(["--import", here("client-loopback.mjs"), everything, "sse"], (url) =>
            useAll(
                { url: url.replace("/mcp", "/sse"), legacy_sse: true },
                LEGACY,
                "2025-11-25",
                useEverything,
            ),
        ));
});

test("server-memory", () => {
    const folder = scratch();
    const file = join(folder, "memory.json");
    let round = 0;

    return useAll(
        {
            command: [node, script("server-memory")],
            environment: [`MEMORY_FILE_PATH=${file}`, `PATH=${process.env.PATH}`],
        },
        LEGACY,
        "2025-11-25",
        async (driver) => {
            const name = `ada ${++round}`;
            const entity = { name, entityType: "person", observations: ["counts"] };

            await driver.call("create_entities", { entities: [entity] });
            const { structured } = await driver.call("search_nodes", { query: name });
            assert.deepEqual(structured.entities, [entity]);
            assert.ok(existsSync(file), "the environment arrived");
        },
    ).finally(() => rmSync(folder, { recursive: true }));
});

test("server-filesystem", () => {
    const folder = scratch();

    writeFileSync(join(folder, "note.txt"), "a note\n");
    return useAll(
        { command: [node, script("server-filesystem"), folder], answers: "none" },
        LEGACY,
        "2025-11-25",
        async (driver) => {
            const read = await driver.call("read_text_file", { path: join(folder, "note.txt") });
            const outside = await driver.call("read_text_file", { path: "/etc/passwd" });

            assert.equal(read.text, "a note\n");
            assert.equal(outside.is_error, true);
            assert.match(outside.text, /[Aa]ccess denied/);
        },
    ).finally(() => rmSync(folder, { recursive: true }));
});

/* ---- ours ---- */

async function useOurs(driver, revision) {
    const tools = await driver.must("list", { kind: "tools" });

    assert.ok(names(tools).includes("test_simple_text"));
    assert.match((await driver.call("test_simple_text")).text, /simple text/);
    assert.equal((await driver.call("test_error_handling")).is_error, true);
    assert.match((await driver.must("read", { uri: "test://static-text" })).content[0].text, /\S/);
    assert.ok((await driver.must("list", { kind: "templates" })).content.length > 0);
    assert.ok((await driver.must("list", { kind: "prompts" })).content.length > 0);
    if (asks(revision)) {
        const { text } = await driver.call("test_elicitation_sep1034_defaults");

        assert.match(text, /accept/);
        assert.match((await driver.call("test_sampling", { prompt: "hi" })).text, /sampled/);
    }
    const begun = await driver.do("begin", { name: "test_tool_with_progress", progress: true });
    await driver.must("wait", { id: begun.status, ms: 10000 });
    assert.deepEqual(
        driver.named("progress").map(({ progress }) => progress),
        [0, 50, 100],
    );
    await useCancellation(driver);
    await useSubscription(driver);
}

async function useCancellation(driver) {
    const slow = await driver.do("begin", { name: "test_cancellation" });
    const quick = await driver.do("begin", { name: "test_simple_text" });

    await driver.must("wait", { id: quick.status, ms: 10000 });
    await driver.must("cancel", { id: slow.status });
    const gone = await driver.do("wait", { id: slow.status, ms: 10 });
    assert.notEqual(gone.status, 0, JSON.stringify(gone));
    assert.match((await driver.call("test_simple_text")).text, /simple text/);
}

async function useSubscription(driver) {
    const seen = () => new Set(driver.named("change").map(({ kind, uri }) => uri ?? kind));

    await driver.must("subscribe", { tools: true, uris: ["test://watched-resource"] });
    /* Over HTTP the stream of a subscription is opened while the calls go on. */
    for (let i = 0; i < 200 && seen().size < 2; i++) {
        await driver.call("test_trigger_tool_change");
        await driver.call("test_trigger_resource_update");
    }
    assert.deepEqual([...seen()].sort(), ["test://watched-resource", "tools"]);
}

describe("our server", () => {
    test("stdio", () => useAll({ command: [example("everything")] }, ALL, MODERN, useOurs));

    test("HTTP", () =>
        withServer("everything", [], ({ url }) =>
            useAll({ url, listen: true }, ALL, MODERN, useOurs),
        ));

    test("HTTP, a stream that breaks", () =>
        withServer("everything", [], ({ url }) =>
            useAll({ url }, ["2025-11-25"], MODERN, async (driver) =>
                assert.match((await driver.call("test_reconnection")).text, /after the connection/),
            ),
        ));

    test("a Unix socket", async () => {
        const folder = scratch();
        const address = `unix:${join(folder, "socket")}`;
        const server = new Server(example("everything"), ["--http", address]);

        try {
            await until(() => existsSync(join(folder, "socket")), "the socket");
            await useAll({ url: address, listen: true }, ALL, MODERN, useOurs);
            await useAll({ url: `${address}:/mcp` }, [MODERN], MODERN, useOurs);
        } finally {
            assert.equal(await server.stop(), 0, server.log());
            rmSync(folder, { recursive: true });
        }
    });
});
