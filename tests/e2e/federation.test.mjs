/* federation.test.mjs - upstreams that die, hang, lie and change, and a gateway that stands. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { haft } from "./cli.mjs";
import { legacyServer, modernPost, revisions, text, upstream, withFederation } from "./federation.mjs";
import { Session, send } from "./http-client.mjs";
import { Server } from "./http-server.mjs";
import { withGateway } from "./serve.mjs";
import { example, until } from "./server.mjs";

const [, , , legacy, modern] = revisions;
const sha256 = (value) => createHash("sha256").update(value).digest("hex");
const quick = { min_ms: 1, max_ms: 5 };
const patient = { failures: 1000, open_ms: 1 };

/* The driver with a file in which it counts. */
const bad = (more = {}) => ({
    mcp: {
        command: [upstream],
        restart: quick,
        breaker: patient,
        ...more,
        env: { UPSTREAM_COUNT: "{DIR}/count", ...more.env },
    },
});
const good = { mcp: { command: [example("everything")] } };

const counted = (f, what) =>
    readFileSync(join(f.directory, "count"), "utf8").split("\n").filter((line) => line === what).length;
const names = async (f) => (await f.tools()).map(({ name }) => name);
const sum = async (f, a, b) => (await f.call("bad__add", { a, b })).structuredContent?.sum;

/* The other upstream is there, whatever happens. */
async function assertGood(f) {
    assert.match(text(await f.call("good__test_simple_text")), /simple text/);
    assert.ok((await names(f)).includes("good__test_simple_text"));
}

/* Calls until the upstream is there again. */
/* Long before a call's deadline of 30 s, also on a machine that has much else to do. */
const SOON = 10000;

async function recovered(f) {
    let answer;

    await until(() => {
        answer ??= sum(f, 1, 2).then((value) => (value === 3 ? (answer = 3) : (answer = undefined)));
        return answer === 3;
    }, "the upstream");
}

for (const row of [legacy, modern]) {
    const name = (what) => `${row.revision}: ${what}`;

    test(name("an upstream that ends during a call, and after one"), () =>
        withFederation(row, { bad: bad(), good }, async (f) => {
            const began = Date.now();
            const died = await f.call("bad__die");

            assert.equal(died.isError, true);
            assert.match(text(died), /server "bad" is not available/);
            assert.ok(Date.now() - began < SOON, `${Date.now() - began} ms`);
            await assertGood(f);
            await recovered(f);
            assert.equal(text(await f.call("bad__die_later")), "soon");
            await until(() => counted(f, "start") === 3, "the third start");
            await recovered(f);
            assert.equal(counted(f, "die"), 1);
            assert.equal(counted(f, "die_later"), 1);
        }));

    test(name("an upstream that asks: a client that declines, and one that cannot be asked"), async () => {
        for (const revision of ["2025-11-25", "2026-07-28"]) {
            await withFederation(row, { bad: bad({ revision }) }, async (f) => {
                const answers = () => ({ action: "decline" });

                f.wire.answer = () => ({ result: answers() });
                assert.equal(text(await f.call("bad__ask_name", {}, { answers })), "Hello, nobody");
            });
            await withFederation(
                row,
                { bad: bad({ revision }) },
                async (f) => {
                    const said = await f.call("bad__ask_name", {}, { answers: assert.fail });

                    assert.ok(said.isError || said.error.code === -32021, JSON.stringify(said));
                },
                { capabilities: {} },
            );
        }
    });
}

test("an upstream that cannot start again does not keep calls waiting", () => {
    const script = 'test -e "$UPSTREAM_COUNT.broken" && { echo no database >&2; exit 4; }; exec "$0"';

    return withFederation(
        modern,
        { bad: bad({ command: ["sh", "-c", script, upstream], breaker: { failures: 2, open_ms: 50 } }), good },
        async (f) => {
            assert.equal(await sum(f, 1, 2), 3);
            writeFileSync(join(f.directory, "count.broken"), "");
            await f.call("bad__die");
            const took = [];

            for (let i = 0; i < 3; i++) {
                const began = Date.now();
                const answer = await f.call("bad__add", { a: 1, b: 2 });

                assert.ok(answer.isError || answer.error, JSON.stringify(answer));
                took.push(Date.now() - began);
            }
            assert.ok(Math.max(...took) < SOON && Math.min(...took) < 3000, `${took} ms`);
            await assertGood(f);
            /* Its tools go when it has failed too often, and come back with it. */
            let listed = await names(f);
            for (const end = Date.now() + 20000; listed.includes("bad__add") && Date.now() < end;) listed = await names(f);
            assert.ok(!listed.includes("bad__add"));
            renameSync(join(f.directory, "count.broken"), join(f.directory, "count.whole"));
            await until(() => counted(f, "start") === 2, "its second start");
            await recovered(f);
        },
    );
});

test("an upstream that ends at its start hides nothing", () =>
    withFederation(modern, { bad: bad({ env: { UPSTREAM_START: "exit" } }), good }, async (f) => {
        await assertGood(f);
        assert.ok(!(await names(f)).some((name) => name.startsWith("bad__")));
    }));

test("an old server that ends when it is asked for its revisions", () => {
    const script = `
        const results = {
            initialize: { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "old", version: "1" } },
            "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }] },
            "tools/call": { content: [{ type: "text", text: "old, but here" }] },
        };

        require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
            const { id, method } = JSON.parse(line);

            if (method === "server/discover") process.exit(1);
            if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
        });`;

    return withFederation(modern, { old: { mcp: { command: [process.execPath, "-e", script] } } }, async (f) => {
        let answer;

        await until(() => {
            answer ??= f.call("old__t").then((result) => (answer = result.content ? text(result) : undefined));
            return typeof answer === "string";
        }, "the tool");
        assert.equal(answer, "old, but here");
    });
});

test("an upstream that says nothing hides nothing", () =>
    withFederation(
        modern,
        { bad: bad({ env: { UPSTREAM_START: "silent" }, connect_ms: 300, close_ms: 100 }), good },
        assertGood,
    ));

test("an upstream that hangs is started again", () =>
    withFederation(
        modern,
        { bad: bad({ timeout_ms: 2000, close_ms: 50, breaker: { failures: 2, open_ms: 1 } }), good },
        async (f) => {
            assert.match(text(await f.call("bad__hang")), /timed out|did not answer in time/);
            await assertGood(f);
            await recovered(f);
            assert.equal(counted(f, "hang"), 1);
            assert.equal(counted(f, "start"), 2);
        },
    ));

test("lines that are not messages", () =>
    withFederation(modern, { bad: bad(), good }, async (f) => {
        assert.equal(text(await f.call("bad__garbage")), "but this is");
        assert.equal(await sum(f, 3, 4), 7);
        assert.equal(counted(f, "start"), 1);
    }));

test("a hundred ends", () =>
    withFederation(legacy, { bad: bad(), good }, async (f) => {
        for (let i = 1; i <= 100; i++) {
            assert.equal((await f.call("bad__die")).isError, true);
            await until(() => counted(f, "start") === i + 1, `start ${i + 1}`);
            await recovered(f);
        }
        await assertGood(f);
        assert.equal(counted(f, "die"), 100);
    }));

test("ten thousand calls: none is lost, none is executed twice", () =>
    withFederation(modern, { bad: bad(), good }, async (f) => {
        const ids = [];

        for (let n = 0; n < 10000; n += 50) {
            for (let i = n; i < n + 50; i++)
                ids.push(f.begin("tools/call", { name: "bad__add", arguments: { a: i, b: 1 } }));
            await until(() => f.wire.heard.length >= ids.length, `${ids.length} answers`);
        }
        const answers = new Map(f.wire.heard.map((message) => [message.id, message]));

        ids.forEach((id, i) => assert.equal(answers.get(id).result.structuredContent.sum, i + 1));
        assert.equal(counted(f, "add"), 10000);
    }));

/* Processes whose environment has the directory. */
const left = (directory) =>
    readdirSync("/proc").filter((pid) => {
        try {
            return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(directory);
        } catch {
            return false;
        }
    });

test("children end with the gateway", async () => {
    let directory;

    await withFederation(modern, { bad: bad() }, async (f) => {
        directory = f.directory;
        assert.equal(await sum(f, 1, 1), 2);
    });
    assert.deepEqual(left(directory), []);
});

test("kill -9 of the gateway leaves no child and no grandchild", async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-killed-"));
    const file = join(directory, "config.json");
    const script = "sleep 1000 & setsid sleep 1000 & trap '' TERM; \"$0\"; sleep 1000";
    const env = { UPSTREAM_COUNT: join(directory, "count") };
    const one = { mcp: { command: ["sh", "-c", script, upstream], env } };

    writeFileSync(file, JSON.stringify({ gateway: { upstreams: { one, two: one } } }));
    const server = await new Server(haft, ["serve", "--config", file, "--http", "127.0.0.1:0"]).ready();

    await until(() => left(directory).length >= 8, "the children");
    assert.equal(await server.stop("SIGKILL"), "SIGKILL");
    await until(() => left(directory).length === 0, "their end");
    rmSync(directory, { recursive: true });
});

/* ---- the page, and servers that we have not written ---- */

const official = (name) => [
    process.execPath,
    fileURLToPath(new URL(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url)),
];

test("the configuration of docs/federation.md", async () => {
    const page = readFileSync(new URL("../../docs/federation.md", import.meta.url), "utf8");
    const config = JSON.parse(/^```json\n(.*?)^```$/ms.exec(page)[1]);
    const { files, shop, far } = config.gateway.upstreams;
    const { port, close } = await new Promise((resolve) => {
        const server = createServer((request, response) => response.writeHead(503).end()).listen(0, "127.0.0.1", () =>
            resolve({ port: server.address().port, close: () => server.close() }),
        );
    });

    assert.deepEqual(files.mcp.command.slice(0, 3), ["npx", "-y", "@modelcontextprotocol/server-filesystem"]);
    files.mcp.command = [...official("filesystem"), "{DIR}"];
    shop.mcp.command[0] = haft;
    shop.mcp.pin = "{DIR}/shop.pin";
    far.mcp.url = `http://127.0.0.1:${port}/mcp`; /* which is down */
    far.mcp.auth.bearer = "@{DIR}/far.token";
    await withGateway(
        "plain",
        async (server) => {
            const client = new Client({ name: "page", version: "1" });

            await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
            let names = [];
            await until(() => {
                client.listTools().then(({ tools }) => (names = tools.map(({ name }) => name)));
                return names.includes("files__read_text_file") && names.includes("shop__add_numbers");
            }, "the tools");
            assert.ok(!names.includes("files__write_file"));
            const { tools } = await client.listTools();
            assert.equal(
                tools.find(({ name }) => name === "shop__get_weather").description,
                "The weather at one of our warehouses",
            );
            writeFileSync(join(server.directory, "note.txt"), "written here");
            const read = await client.callTool({
                name: "files__read_text_file",
                arguments: { path: join(server.directory, "note.txt") },
            });
            assert.equal(read.content[0].text, "written here");
            assert.ok(existsSync(join(server.directory, "shop.pin")));
            await client.close();
        },
        { config, files: { "far.token": "secret\n" } },
    );
    close();
});

test("official servers", () =>
    withFederation(
        modern,
        {
            everything: { mcp: { command: [...official("everything"), "stdio"] } },
            memory: { mcp: { command: official("memory"), env: { MEMORY_FILE_PATH: "{DIR}/memory" } } },
        },
        async (f) => {
            let listed = [];

            await until(() => {
                names(f).then((all) => (listed = all));
                return listed.includes("everything__echo") && listed.includes("memory__read_graph");
            }, "the tools");
            assert.match(text(await f.call("everything__echo", { message: "hello" })), /hello/);
            assert.match(text(await f.call("everything__get-sum", { a: 2, b: 3 })), /5/);
            await f.call("memory__create_entities", {
                entities: [{ name: "haft", entityType: "library", observations: ["is in C"] }],
            });
            assert.match(text(await f.call("memory__read_graph", {})), /is in C/);
        },
    ));

/* ---- definitions that a person approves ---- */

test("a changed definition is held back until it is approved", () =>
    withGateway(
        "plain",
        async (server) => {
            const post = (method, params) => modernPost(server.url, method, params);
            const listed = async () => (await post("tools/list")).result.tools.map(({ name }) => name);
            const pin = join(server.directory, "bad.pin");
            const settle = async (wanted) => {
                let there = await listed();

                for (let i = 0; i < 1000 && there.includes("bad__add") !== wanted; i++) there = await listed();
                return there;
            };

            assert.ok((await listed()).includes("bad__add"));
            assert.match(JSON.parse(readFileSync(pin, "utf8")).tools.add, /^sha256:[0-9a-f]{64}$/);
            await post("tools/call", { name: "bad__poison" });
            await post("tools/call", { name: "bad__grow" });
            const held = await settle(false);
            assert.ok(!held.includes("bad__add") && held.includes("bad__poison"));
            assert.ok(!held.includes("bad__added_1"));
            assert.equal((await post("tools/call", { name: "bad__add", arguments: { a: 1, b: 1 } })).error.code, -32602);
            await until(() => /"add" is held back: its definition is different/.test(server.log()), server.log());
            await until(() => /"added_1" is held back: its definition is new/.test(server.log()), "the log");
            await until(() => existsSync(`${pin}.pending`), "the file");
        },
        {
            config: {
                gateway: {
                    upstreams: {
                        bad: { mcp: { command: [upstream], pin: "{DIR}/bad.pin" } },
                    },
                },
            },
        },
    ));

test("strict: only what is in the file", () =>
    withGateway(
        "plain",
        async (server) => {
            const { result } = await modernPost(server.url, "tools/list");

            assert.deepEqual(result.tools, []);
            await until(() => /"add" is held back: its definition is new/.test(server.log()), "its line in the log");
        },
        {
            config: {
                gateway: {
                    upstreams: {
                        bad: { mcp: { command: [upstream], pin: "{DIR}/bad.pin", trust: "strict" } },
                    },
                },
            },
            files: { "bad.pin": "{}" },
        },
    ));

/* ---- several clients ---- */

test("a question that may be another client's is refused", () =>
    withGateway(
        "plain",
        async (server) => {
            const log = () => readFileSync(join(server.directory, "count"), "utf8");
            const elicitation = { capabilities: { elicitation: { form: {} } } };
            const ask = () => modernPost(server.url, "tools/call", { name: "bad__ask_name" }, elicitation);
            const other = new AbortController();

            /* One client alone is asked, and its answer finds the call that waits. */
            const { result } = await ask();
            assert.equal(result.resultType, "input_required");
            const [key] = Object.keys(result.inputRequests);
            const answered = await modernPost(
                server.url,
                "tools/call",
                {
                    name: "bad__ask_name",
                    requestState: result.requestState,
                    inputResponses: { [key]: { action: "accept", content: { name: "Eve" } } },
                },
                elicitation,
            );
            assert.equal(answered.result.content[0].text, "Hello, Eve");
            const waiting = modernPost(server.url, "tools/call", { name: "bad__wait_for_end" }, { signal: other.signal });
            await until(() => log().includes("wait_for_end"), "the other call");
            const refused = (await ask()).result;
            assert.equal(refused.resultType, "complete");
            assert.equal(refused.isError, true);
            await until(() => /refused elicitation\/create, which cannot be related to one client/.test(server.log()), "its line in the log");
            /* A client that leaves cancels its call, which the upstream may go on with. */
            other.abort();
            await assert.rejects(waiting);
            await until(() => /^cancelled$/m.test(log()), "the end of the other call");
            assert.equal((await ask()).result.isError, true);
        },
        {
            config: {
                gateway: {
                    upstreams: {
                        bad: {
                            mcp: {
                                command: [upstream],
                                revision: "2025-11-25",
                                env: { UPSTREAM_COUNT: "{DIR}/count" },
                            },
                        },
                    },
                },
            },
        },
    ));

const asked = { capabilities: { elicitation: { form: {} } } };
const accepted = ({ requestState, inputRequests }) => ({
    requestState,
    inputResponses: Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: "accept", content: {} }])),
});

test("an old server whose result asks in the way of a modern one", () =>
    withGateway(
        "plain",
        async (server) => {
            const call = (name, more) => modernPost(server.url, "tools/call", { name, ...more }, asked);

            for (const name of ["old__state", "old__questions"]) {
                const { result } = await call(name);

                assert.equal(result.resultType, "input_required", JSON.stringify(result));
                /* Its result is there before the client comes back. */
                assert.equal((await call(`${name}_has_ended`)).result.content[0].text, "yes");
                const resumed = (await call(name, accepted(result))).result;
                assert.equal(resumed.isError, true);
                assert.match(text(resumed), /in a way that its revision does not have/);
            }
            assert.match(text((await call("old__at_once")).result), /in a way that its revision does not have/);
        },
        {
            config: {
                gateway: {
                    upstreams: {
                        old: legacyServer(`{
                            state() { ask("?"); setImmediate(() => signal("state").resolve()); return { resultType: "input_required", requestState: "x", content: [] }; },
                            questions() { ask("?"); setImmediate(() => signal("questions").resolve()); return { resultType: "input_required", inputRequests: { a: { method: "roots/list" } }, content: [] }; },
                            state_has_ended: () => signal("state").promise.then(() => "yes"),
                            questions_has_ended: () => signal("questions").promise.then(() => "yes"),
                            at_once: () => ({ resultType: "input_required", requestState: "x", content: [] }),
                        }`),
                    },
                },
            },
        },
    ));

/* Two people with keys before an upstream, or an old server with these tools. */
const withPeople = (old, use) =>
    withGateway(
        "plain",
        async (server) => {
            const as = (key) => (name, more, signal) =>
                modernPost(server.url, "tools/call", { name: `old__${name}`, ...more }, { ...asked, signal, headers: { "x-api-key": key } });

            await use({ ann: as("secret-1"), bob: as("secret-2"), server });
        },
        {
            config: {
                gateway: {
                    upstreams: { old: typeof old === "string" ? legacyServer(old) : old },
                    policies: [{ name: "keys", policy: "api-key", options: { file: "{DIR}/keys" } }],
                    endpoints: [{ endpoint: "/mcp", name: "all", upstreams: "*", policies: ["keys"] }],
                },
            },
            files: { keys: ["ann", "bob"].map((name, i) => `${sha256(`secret-${i + 1}`)} ${name}\n`).join("") },
        },
    );

test("a connection for one identity has its own pause and breaker", async () => {
    for (const open_ms of [600000, 1]) {
        const one = bad({ per_principal: true, breaker: { failures: 3, open_ms } });

        await withPeople(one, async ({ ann, bob, server }) => {
            const starts = () => readFileSync(join(server.directory, "count"), "utf8").match(/^start$/gm).length;
            const add = async (who) => (await who("add", { arguments: { a: 1, b: 2 } })).result;

            assert.equal((await add(ann)).structuredContent.sum, 3);
            for (let i = 0; i < 2; i++) assert.equal((await bob("die")).result.isError, true);
            assert.equal(starts(), 4); /* for the lists, for ann, and twice for bob, whose calls fail with their connections */
            if (open_ms === 1) {
                let sum;

                await until(() => {
                    sum ??= add(bob).then((result) => (sum = result.structuredContent?.sum));
                    return sum === 3;
                }, "the trial");
                assert.equal(starts(), 5);
                return;
            }
            for (let i = 0; i < 3; i++) {
                const refused = await add(bob);

                assert.equal(refused.isError, true);
                assert.match(text(refused), /server "old" is not available: ./);
            }
            assert.equal((await add(ann)).structuredContent.sum, 3);
            assert.equal(starts(), 4);
        });
    }
});

test("a question of a call that waits for its client is not another client's", () =>
    withPeople(
        `{
            async twice() {
                const first = ask("first of ann");

                await signal("go").promise;
                const second = await ask("second of ann");

                signal("asked").resolve();
                return JSON.stringify([await first, second]);
            },
            async meanwhile() { signal("go").resolve(); await signal("asked").promise; return "mine"; },
            async both() { return JSON.stringify(await Promise.all([ask("one"), ask("two")])); },
        }`,
        async ({ ann, bob, server }) => {
            const { result } = await ann("twice");

            assert.equal(Object.values(result.inputRequests)[0].params.message, "first of ann");
            assert.equal(text((await bob("meanwhile")).result), "mine");
            await until(() => /refused elicitation\/create, which cannot be related to one client/.test(server.log()), "the refusal");
            assert.match(text((await ann("twice", accepted(result))).result), /"action":"accept".*cannot be related/);
            /* Alone, she is asked both. */
            const one = (await ann("both")).result;
            const two = (await ann("both", accepted(one))).result;
            const messages = [one, two].map(({ inputRequests }) => Object.values(inputRequests)[0].params.message);

            assert.deepEqual(messages, ["one", "two"]);
            assert.match(text((await ann("both", accepted(two))).result), /accept.*accept/);
        },
    ));

test("a question of a call that was cancelled is not another client's", () =>
    withPeople(
        `{
            begun: () => signal("begun").promise.then(() => "yes"),
            async late() {
                signal("begun").resolve();
                await signal("go").promise;
                signal("answer").resolve(await ask("of ann"));
                return "too late";
            },
            async meanwhile() { await signal("cancelled").promise; signal("go").resolve(); return JSON.stringify(await signal("answer").promise); },
            plain: () => ask("plain").then(JSON.stringify),
        }`,
        async ({ ann, bob }) => {
            const leaving = new AbortController();
            const left = ann("late", {}, leaving.signal);

            assert.equal(text((await ann("begun")).result), "yes");
            leaving.abort();
            await assert.rejects(left);
            const { result } = await bob("meanwhile");
            assert.equal(result.resultType, "complete", JSON.stringify(result));
            assert.match(text(result), /cannot be related to one client/);
            /* She herself can be asked. */
            assert.equal((await ann("plain")).result.resultType, "input_required");
        },
    ));

test("calls in flight go on when the entry of their upstream changes, and when it is removed", () => {
    /* Says that it has begun by a file with its process id, goes on when another file is there, and asks. */
    const old = legacyServer(`{
        async late({ begun, go }) {
            const fs = require("node:fs");

            fs.writeFileSync(begun, String(process.pid));
            while (!fs.existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 20));
            return "late: " + (await ask("who")).message;
        },
    }`);
    const config = (upstreams) => ({ log: { level: "notice" }, gateway: { upstreams } });

    return withGateway(
        "plain",
        async (server) => {
            const at = (name) => join(server.directory, name), pending = [];
            const reload = async (upstreams) => {
                const reloads = () => server.log().split("configuration reloaded").length, before = reloads();

                writeFileSync(at("config.json"), JSON.stringify(config(upstreams)));
                server.process.kill("SIGHUP");
                await until(() => reloads() > before, "the reload");
            };

            for (const [n, upstreams] of [{ old: { mcp: { ...old.mcp, timeout_ms: 25000 } } }, {}].entries()) {
                let listed;

                await until(() => {
                    listed ??= modernPost(server.url, "tools/list").then(({ result }) => (listed = result.tools.length || undefined));
                    return listed === 1;
                }, "the tool");
                pending.push(modernPost(server.url, "tools/call", { name: "old__late", arguments: { begun: at(`begun-${n}`), go: at("go") } }, asked));
                await until(() => existsSync(at(`begun-${n}`)) && readFileSync(at(`begun-${n}`), "utf8"), "the call");
                await reload(upstreams);
            }
            writeFileSync(at("go"), "");
            for (const { result } of await Promise.all(pending)) assert.equal(text(result), "late: The server is not used any more.");
            for (const name of ["begun-0", "begun-1"])
                await until(() => !existsSync(`/proc/${readFileSync(at(name), "utf8")}`), "the end of the upstream");
        },
        { config: config({ old }) },
    );
});

test("tools stay when the entry of their upstream changes, and calls wait for the new connection", () => {
    const { command, ...more } = legacyServer(`{ pid: () => String(process.pid) }`).mcp;
    /* It starts when the file is there. */
    const script = 'until test -e "$0"; do sleep 0.02; done; exec "$@"';
    const config = (timeout_ms) => ({
        log: { level: "notice" },
        gateway: { upstreams: { old: { mcp: { ...more, timeout_ms, command: ["sh", "-c", script, "{DIR}/open", ...command] } } } },
    });

    return withGateway(
        "plain",
        async (server) => {
            const file = join(server.directory, "open");
            const pid = async () => text((await modernPost(server.url, "tools/call", { name: "old__pid" })).result);
            const listed = async () => (await modernPost(server.url, "tools/list")).result.tools.map(({ name }) => name);
            const before = await pid();

            rmSync(file);
            writeFileSync(join(server.directory, "config.json"), JSON.stringify(config(25000)).replaceAll("{DIR}", server.directory));
            server.process.kill("SIGHUP");
            await until(() => server.log().includes("configuration reloaded"), "the reload");
            assert.deepEqual(await listed(), ["old__pid"]);
            const after = pid();

            await until(() => !existsSync(`/proc/${before}`), "the end of the old one");
            writeFileSync(file, "");
            assert.match(await after, /^\d+$/);
            assert.notEqual(await after, before);
        },
        { config: config(20000), files: { open: "" } },
    );
});

test("an upstream that asks too much at once does not fill the log", () =>
    withPeople(
        `{ async flood() { await Promise.all(Array.from({ length: 2000 }, () => ask("who"))); return "flooded"; } }`,
        async ({ ann, server }) => {
            const lines = () => server.log().split("cannot be related to one client").length - 1;
            let { result } = await ann("flood");

            /* All have been answered or refused then, or so many that there are no more rounds. */
            while (result.resultType === "input_required") ({ result } = await ann("flood", accepted(result)));
            await until(() => lines() > 0, "a line");
            assert.ok(lines() < 20, server.log());
        },
    ));

test("an upstream that asks too often learns that nobody answers", () =>
    withPeople(
        `{
            async often() { for (let i = 0; i < 12; i++) await ask("who"); return "answered"; },
            left: () => signal("cancelled").promise.then(() => "cancelled"),
        }`,
        async ({ ann, bob, server }) => {
            let { result } = await ann("often");

            while (result.resultType === "input_required") ({ result } = await ann("often", accepted(result)));
            assert.equal(result.isError, true);
            await until(() => /asked for input 9 times, which exceeds the limit/.test(server.log()), "a line");
            assert.equal(text((await bob("left")).result), "cancelled");
        },
    ));

test("an answer that is nested too deeply ends its call, and no other", () =>
    withFederation(
        legacy,
        {
            old: legacyServer(`{
                deep() {
                    let value = {};

                    for (let i = 0; i < 1000; i++) value = { value };
                    return { content: [], structuredContent: value };
                },
                late: () => signal("go").promise,
                go: () => (signal("go").resolve("late"), "gone"),
            }`),
        },
        async (f) => {
            const late = f.call("old__late");

            assert.match(text(await f.call("old__deep")), /nested deeper than \d+ levels/);
            assert.equal(text(await f.call("old__go")), "gone");
            assert.equal(text(await late), "late");
        },
    ));

/* The old server, with as many calls at a time as are given. */
const narrow = (tools, max_in_flight) => {
    const { mcp } = legacyServer(tools);

    return { mcp: { ...mcp, max_in_flight } };
};

test("questions that a client leaves unanswered do not stop the calls of others", () =>
    withPeople(
        narrow(`{ asks: () => ask("who").then((answer) => answer.action ?? "refused"), plain: () => "plain" }`, 16),
        async ({ ann, bob, server }) => {
            const rounds = [];

            for (let i = 0; i < 40; i++) rounds.push((await ann("asks")).result);
            assert.deepEqual([...new Set(rounds.map((round) => round.resultType))], ["input_required"]);
            assert.equal(text((await bob("plain")).result), "plain");
            /* The latest of her questions can be answered; the others have made room for it. */
            assert.equal(text((await ann("asks", accepted(rounds.at(-1)))).result), "accept");
            const gone = (await ann("asks", accepted(rounds[0]))).result;

            assert.equal(gone.isError, true);
            assert.match(text(gone), /does not wait for this answer any more/);
            await until(() => /a client has 2 unanswered questions; cancelled the oldest call/.test(server.log()), "a line");
        },
    ));

test("questions that come together while a client has its share of them", () =>
    withPeople(
        narrow(
            `{
                asks: () => ask("who"),
                async both() {
                    const ids = ["one", "two"];
                    const answers = ids.map((id) => new Promise((resolve) => waiting.set(id, resolve)));
                    const questions = ids.map((id) => ({
                        jsonrpc: "2.0", id, method: "elicitation/create", params: { message: id, requestedSchema: { type: "object", properties: {} } },
                    }));

                    console.log(JSON.stringify(questions));
                    return (await Promise.all(answers)).map(({ action }) => action).join(" ");
                },
            }`,
            8,
        ),
        async ({ ann }) => {
            assert.equal((await ann("asks")).result.resultType, "input_required");
            let { result } = await ann("both");

            while (result.resultType === "input_required") ({ result } = await ann("both", accepted(result)));
            assert.equal(text(result), "accept accept");
        },
    ));

test("a legacy client that leaves or fails while it is asked leaves nothing at the upstream", async () => {
    const old = narrow(`{ asks: () => ask("who"), left: () => signal("cancelled").promise.then(() => "cancelled") }`, 16);
    const error = { code: -32601, message: "Method not found" };
    const ends = [
        (session) => send(session.url, { method: "DELETE", headers: session.headers() }),
        (session, { id }) => session.post({ jsonrpc: "2.0", id, error }),
    ];

    for (const end of ends)
        await withGateway(
            "plain",
            async (server) => {
                const session = await Session.open(server.url, "2025-11-25", { elicitation: {} });
                const stream = await session.post(session.message("tools/call", { name: "old__asks", arguments: {} }));
                const question = await stream.message(SOON);

                assert.equal(question.method, "elicitation/create");
                assert.ok((await end(session, question)).status < 300);
                assert.equal(text((await modernPost(server.url, "tools/call", { name: "old__left" })).result), "cancelled");
            },
            { config: { gateway: { upstreams: { old } } } },
        );
});

/* ---- what the upstream sees ---- */

test("credentials of the configuration go out, those of clients do not", async () => {
    const seen = [];
    const results = {
        initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
        "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }, { name: 7 }, { name: "odd", inputSchema: { type: "object", properties: { a: { $ref: "other.json" } } } }] },
        "tools/call": { content: [{ type: "text", text: "yes" }] },
    };
    const server = createServer(async (request, response) => {
        let body = "";

        for await (const part of request) body += part;
        const message = body ? JSON.parse(body) : {};

        seen.push({ headers: request.headers, message });
        if (request.method === "GET" || message.method === "server/discover")
            return response.writeHead(request.method === "GET" ? 405 : 400).end();
        if (message.id === undefined) return response.writeHead(202).end();
        response
            .writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: results[message.method] ?? {} }));
    });

    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    await withGateway(
        "plain",
        async (gateway) => {
            const headers = {
                "content-type": "application/json",
                accept: "application/json, text/event-stream",
                authorization: "Bearer of-the-client",
                cookie: "session=of-the-client",
            };
            const post = (message, more = {}) =>
                fetch(gateway.url, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
            const first = await post({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } } });
            const session = { "mcp-session-id": first.headers.get("mcp-session-id") };
            const read = async (answer) => /\{.*\}/s.exec(await answer.text())[0];

            await post({ method: "notifications/initialized" }, session);
            const { result } = JSON.parse(await read(await post({ id: 2, method: "tools/list" }, session)));
            /* One bad tool hides no other. */
            assert.deepEqual(result.tools.map(({ name }) => name), ["far__t", "far__odd"]);
            assert.match(await read(await post({ id: 3, method: "tools/call", params: { name: "far__t" } }, session)), /"yes"/);
            assert.match(await read(await post({ id: 4, method: "tools/call", params: { name: "far__odd", arguments: { a: 1 } } }, session)), /"yes"/);
        },
        {
            config: {
                gateway: {
                    upstreams: {
                        far: {
                            mcp: {
                                url: `http://127.0.0.1:${server.address().port}/mcp`,
                                auth: { bearer: "@{DIR}/token" },
                                headers: { "x-tenant": "seven" },
                            },
                        },
                    },
                },
            },
            files: { token: "of-the-gateway\n" },
        },
    );
    server.close();
    const calls = seen.filter(({ message }) => message.method === "tools/call");

    assert.equal(calls.length, 2);
    for (const { headers } of seen) {
        assert.equal(headers["x-tenant"], "seven");
        assert.ok(!JSON.stringify(headers).includes("of-the-client"));
    }
    for (const { headers } of calls) assert.equal(headers.authorization, "Bearer of-the-gateway");
});
