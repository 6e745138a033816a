/* serve.test.mjs - `haft serve` as an operator meets it: what it refuses and how it ends, what it reads again,
 * and options that count for all of its endpoints. */

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { SSEClientTransport as SseV1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { haft, run } from "./cli.mjs";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createHash } from "node:crypto";
import { Agent } from "node:http";
import { call, send } from "./http-client.mjs";
import { withGateway } from "./serve.mjs";
import { example, until } from "./server.mjs";

const directory = mkdtempSync(join(tmpdir(), "haft-serve-"));
after(() => rmSync(directory, { recursive: true }));

/* ---- what is wrong with a configuration ---- */

const policy = (more) => ({ gateway: { policies: [{ name: "p", policy: "rate-limit", ...more }] } });
const wrong = [
    [{ gatway: {} }, /^haft: FILE: gatway: unknown key; did you mean gateway\?$/],
    [{ gateway: [] }, /gateway: Invalid input: expected object, received array/],
    [{ gateway: { polices: [] } }, /gateway: Unrecognized key: "polices".*did you mean "policies"\?/],
    [policy({ policy: "rate-limt" }), /gateway\.policies: p: unknown kind of policy rate-limt; the kinds are .*rate-limit/],
    [policy({ scope: "egde", options: { calls: 1 } }), /gateway\.policies: 0\.scope: Invalid option/],
    [policy({ options: { call: 1 } }), /gateway\.policies: p: options: .*did you mean "calls"\?/],
    [policy({ policy: "api-key", options: { file: "/no/such/file" } }), /gateway\.policies: p: cannot open \/no\/such\/file/],
    [
        { gateway: { routes: { "GET /customer": { policies: [] } } } },
        /gateway\.routes\.GET \/customer: unknown route; did you mean GET \/customers\?/,
    ],
    [
        { gateway: { routes: { "GET /customers": { policies: ["none"] } } } },
        /gateway\.routes\.GET \/customers: list_customers: unknown policy none/,
    ],
    [{ gateway: { routes: { "GET /customers": {} } } }, /gateway\.routes\.GET \/customers: expected policies or upstream/],
    [{ gateway: { routes: { "GET /customers": { policies: [], path: "/x" } } } }, /gateway\.routes\.GET \/customers: path is only for routes with an upstream/],
    [{ gateway: { routes: { "GET /x": { upstream: "none" } } } }, /gateway\.routes\.GET \/x\.upstream: unknown upstream none/],
    [{ gateway: { endpoints: [] } }, /gateway\.endpoints: Too small/],
    [{ gateway: { endpoints: [{ endpoint: "mcp" }] } }, /gateway\.endpoints\.0\.endpoint: Invalid string: must start with "\/"/],
    [{ gateway: { endpoints: [{ endpoint: "/{x}" }] } }, /gateway\.endpoints\.0: .*must not contain variables/],
    [{ gateway: { endpoints: [{ endpoint: "/todos" }] } }, /gateway\.endpoints\.0: \/todos: route list_todos already has this path/],
    [{ gateway: { endpoints: [{}, {}] } }, /gateway\.endpoints\.1: \/mcp: an endpoint with this path exists already/],
    [{ gateway: { endpoints: [{ policies: ["none"] }] } }, /gateway\.endpoints\.0: .*unknown policy none/],
    [{ gateway: { endpoints: [{ nam: "x" }] } }, /gateway\.endpoints\.0: Unrecognized key: "nam".*did you mean "name"\?/],
];

for (const [config, text] of wrong)
    test(`refused: ${JSON.stringify(config)}`, async () => {
        const file = join(directory, "wrong.json");

        writeFileSync(file, JSON.stringify(config));
        const { code, out, err } = await run(["serve", "--demo", "--config", file]);

        assert.equal(code, 2, err);
        assert.equal(out, "");
        assert.match(err.replaceAll(file, "FILE").trim(), text);
    });

/* ---- how it ends ---- */

const ends = [
    [[], 2, /^haft: gateway: nothing to serve: add an endpoint or a route\n\nhaft serve serves what a configuration file describes\./],
    [["--stdio"], 2, /^haft: gateway: nothing to serve: add an endpoint or a route\n/],
    [["--config", "nowhere.json"], 2, /^haft: nowhere\.json: No such file or directory\n$/],
    [["--wrong"], 2, /^haft: unknown option --wrong/],
    [["--http"], 2, /^haft: --http needs /],
    [["/no/such/plugin.so"], 2, /^haft: plugins: \/no\/such\/plugin\.so: No such file or directory$/m],
    [["--config", "/no/such/file"], 2, /\/no\/such\/file/],
    [["--demo", "--http", "203.0.113.1:80"], 6, /refusing to listen on 203\.0\.113\.1: endpoint \/mcp has no authentication/],
    [["--demo", "--http", "unix:/no/such/directory/socket"], 6, /./],
    [["--demo", "--log-file", "/no/such/directory/log"], 6, /\/no\/such\/directory\/log/],
    [["--demo", "--audit", "/no/such/directory/audit"], 6, /\/no\/such\/directory\/audit/],
    [["--demo", "--path", "/todos"], 6, /\/todos: route list_todos already has this path/],
    [["--demo", "--call", "nope"], 2, /Tool nope not found/],
    [["--call", "safe_operation", '{"shouldFail":true}', "--demo"], 1, /Tool failed/],
    [["--demo", "--call", "add_numbers", '{"a":1,"b":2}'], 0, /^$/],
    [["--demo", "--stdio"], 0, /^$/],
];

for (const [args, code, text] of ends)
    test(`haft serve ${args.join(" ")} ends with ${code}`, async () => {
        const ended = await run(["serve", ...args]);

        assert.equal(ended.code, code, ended.err);
        assert.match(ended.err, text);
    });

test("an address that is taken", async () => {
    const other = net.createServer();

    await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { code, err } = await run(["serve", "--demo", "--http", `127.0.0.1:${other.address().port}`]);

    other.close();
    assert.equal(code, 6, err);
});

test("--help is what haft help serve prints", async () => {
    const { code, out } = await run(["serve", "--http", "127.0.0.1:0", "--help"]);

    assert.equal(code, 0);
    assert.equal(out, (await run(["help", "serve"])).out);
    assert.match(out, /^ {2}--http \[HOST:\]PORT/m);
    assert.match(out, /^ {2}--stdio /m);
});

test("SIGHUP ends it when there is nothing to read again", () =>
    withGateway("haft", async (server) => {
        server.process.kill("SIGHUP");
        assert.equal(await server.ended, 0);
    }));

/* ---- again ---- */

test("at SIGHUP options count anew, for endpoints that come, too", () =>
    withGateway(
        "haft",
        async (server) => {
            const file = join(server.directory, "config.json");
            const again = async (config, text) => {
                const from = server.log().length;

                writeFileSync(file, JSON.stringify(config));
                server.process.kill("SIGHUP");
                await until(() => text.test(server.log().slice(from)), `${text}: ${server.log()}`);
                return server.log().slice(from);
            };
            const names = async (path) =>
                (await run(["tools", "--names", `${server.base}${path}`])).out.trim().split("\n");
            const log = { level: "notice" };
            const gateway = { endpoints: [{}, { endpoint: "/second" }] };
            const done = /configuration reloaded/;

            assert.equal((await names("/mcp")).length, 4);
            const same = await again({ log, gateway, tools: { offer: "add_*" } }, done);

            assert.doesNotMatch(same, /restart/);
            for (const path of ["/mcp", "/second"]) assert.deepEqual(await names(path), ["add_numbers"]);
            const third = { endpoints: [{}, { endpoint: "/third" }] };
            const changed = await again({ log, gateway: third, tools: { offer: "get_*" } }, done);

            assert.match(changed, /endpoint \/second: removed/);
            assert.match(changed, /endpoint \/third: added/);
            for (const path of ["/mcp", "/third"]) assert.deepEqual(await names(path), ["get_weather"]);
            assert.equal((await send(`${server.base}/second`, { method: "POST", body: "{}" })).status, 404);
            const bad = await again(
                { log, gateway: { endpoints: [{ nam: "x" }, { endpoint: "third" }] } },
                /keeping the old one[^]*config.json: gateway\.endpoints\.0: Unrecognized key: "nam"/,
            );

            assert.match(bad, /gateway\.endpoints\.1\.endpoint: Invalid string: must start with "\/"/);
            assert.deepEqual(await names("/third"), ["get_weather"]);
        },
        { config: { log: { level: "notice" }, gateway: { endpoints: [{}, { endpoint: "/second" }] } } },
    ));

/* ---- options for all ---- */

test("the audit has the calls of every endpoint, and of routes", () =>
    withGateway(
        "haft",
        async (server) => {
            const lines = () =>
                readFileSync(join(directory, "audit"), "utf8")
                    .split("\n")
                    .filter(Boolean)
                    .map((line) => JSON.parse(line).tool);

            await call(`${server.base}/mcp`, "add_numbers", { a: 1, b: 2 });
            await call(`${server.base}/second`, "get_weather", { location: "Oslo" });
            const answer = await send(`${server.base}/customers`, { method: "GET" });

            await answer.text();
            await until(() => lines().length >= 4, `four lines: ${lines()}`);
            assert.deepEqual(lines().sort(), ["add_numbers", "get_weather", "list_customers", "weather"]);
        },
        {
            config: { gateway: { endpoints: [{}, { endpoint: "/second" }] } },
            args: ["--audit", join(directory, "audit")],
        },
    ));

test("a timeout of the command line is that of every endpoint and every route", () =>
    withGateway(
        "haft",
        async (server) => {
            const answer = await send(`${server.base}/customers`, { method: "GET" });

            assert.equal(answer.status, 504, await answer.text());
            const { response } = await call(`${server.base}/mcp`, "get_weather", { location: "Oslo" });

            assert.equal(response.result.isError, true);
        },
        {
            config: {
                gateway: {
                    policies: [{ name: "nap", policy: "sleep", options: { ms: 20000 } }],
                    routes: { "GET /customers": { policies: ["nap"] }, "GET /weather": { policies: ["nap"] } },
                },
            },
            args: ["--timeout", "200ms"],
        },
    ));

test("the transport of 2024-11-05 is the first endpoint's", () =>
    withGateway(
        "haft",
        async (server) => {
            const client = new ClientV1({ name: "old", version: "1" });

            await client.connect(new SseV1(new URL("/sse", server.base)));
            const { tools } = await client.listTools();

            assert.equal(tools.length, 8);
            await client.close();
        },
        { args: ["--legacy-sse"] },
    ));

test("several loops, and many clients at once", () =>
    withGateway(
        "haft",
        async (server) => {
            const orders = await Promise.all(
                Array.from({ length: 64 }, () =>
                    call(server.url, "process_order", {
                        customerId: "cust-1",
                        items: [{ productId: "sku-1", quantity: 1 }, { productId: "sku-2", quantity: 1 }],
                    }),
                ),
            );
            const made = orders.map(({ response }) => response.result).filter(({ isError }) => !isError);
            const ids = new Set(made.map(({ structuredContent }) => structuredContent.orderId));
            const { products } = await (await send(`${server.base}/inventory`, { method: "GET" })).json();

            /* There are 25 of the first, and each order takes one of each, or nothing. */
            assert.equal(ids.size, 25);
            assert.equal(products.find(({ id }) => id === "sku-1").stock, 0);
            assert.equal(products.find(({ id }) => id === "sku-2").stock, 95);
        },
        { args: ["--threads", "2"] },
    ));

test("what is given to standard input and output is the first endpoint's", async () => {
    const { out, code } = await run(["call", "list_todos", "--", haft, "serve", "--demo", "--stdio"]);

    assert.equal(code, 0);
    assert.equal(out, '{"todos":[]}\n');
});

/* ---- plugins ---- */

const plugin = (name) => join(example("."), "..", "tests", "plugins", `${name}.so`);

test("without a configuration there is one to begin with", async () => {
    const { code, out, err } = await run(["serve"]);
    const file = join(directory, "example.json");

    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, /haft serve --demo/);
    writeFileSync(file, /^  \{$[^]*^  \}$/m.exec(err)[0].replace("./greet.so", plugin("greet-1")));
    const shown = await run(["serve", "--config", file, "--call", "greet", '{"name": "Ada"}']);

    assert.equal(shown.out, "Hello, Ada: 1\n", shown.err);
});

for (const config of [{}, { plugins: [] }, { log: { level: "notice" } }])
    test(`${JSON.stringify(config)} names nothing to serve`, async () => {
        const file = join(directory, "nothing.json");

        writeFileSync(file, JSON.stringify(config));
        const { code, err } = await run(["serve", "--config", file]);

        assert.equal(code, 2);
        assert.match(err.replaceAll(file, "FILE"), /^haft: FILE: gateway: nothing to serve: add an endpoint or a route\n/);
    });

test("a configuration is served and nothing else: routes, policies and tools of plugins", () =>
    withGateway(
        "plain",
        async (server) => {
            const names = async (path) =>
                (await run(["tools", "--names", `${server.base}${path}`])).out.trim().split("\n");
            const get = async (path) => {
                const answer = await send(server.base + path, { method: "GET" });

                return [answer.status, answer.headers["x-stamp"] ?? null, await answer.text()];
            };

            assert.deepEqual(await get("/words/Ada"), [200, "plugin", '{"text":"Ada"}']);
            assert.deepEqual(await get("/closed"), [403, null, '{"type":"about:blank","title":"Forbidden","status":403,"detail":"It is closed."}']);
            assert.equal((await get("/customers"))[0], 404);
            assert.deepEqual(await names("/mcp"), ["greet"]);
            assert.deepEqual(await names("/words"), ["say", "get_word"]);
        },
        {
            config: {
                plugins: [plugin("greet-1"), plugin("routes-1")],
                gateway: {
                    policies: [{ name: "shut", policy: "deny", options: { why: "It is closed." } }],
                    routes: { "GET /closed": { policies: ["shut"] } },
                    endpoints: [
                        { tools: "greet" },
                        { endpoint: "/words", tools: "say", routes: "get_*" },
                    ],
                },
            },
        },
    ));

test("a plugin with routes comes and goes", () =>
    withGateway(
        "plain",
        async (server) => {
            const file = join(server.directory, "routes.so");
            const again = async (plugins, text) => {
                const from = server.log().length;

                writeFileSync(join(server.directory, "config.json"), JSON.stringify({ log: { level: "notice" }, plugins }));
                server.process.kill("SIGHUP");
                await until(() => text.test(server.log().slice(from)), `${text}: ${server.log()}`);
            };
            const word = async () => (await send(`${server.base}/words/Ada`, { method: "GET" })).status;
            const says = async () => (await run(["call", server.url, "say"])).out;

            assert.deepEqual([await word(), await says()], [200, "1\n"]);
            await again([], /route GET \/words\/{word}: removed[^]*configuration reloaded/);
            assert.equal(await word(), 404);
            assert.equal((await run(["tools", "--names", server.url])).out, "");
            await again([file], /route GET \/words\/{word}: added[^]*configuration reloaded/);
            assert.deepEqual([await word(), await says()], [200, "1\n"]);
            rmSync(file); /* an open mapping must not be written over */
            copyFileSync(plugin("routes-2"), file);
            await again([file], /routes\.so, routes: replaced[^]*configuration reloaded/);
            assert.deepEqual([await word(), await says()], [200, "2\n"]);
            await again([file, plugin("routes-1")], /keeping the old one[^]*deny: a kind of policy with this name exists already/);
            assert.deepEqual([await word(), await says()], [200, "2\n"]);
        },
        { config: { log: { level: "notice" }, plugins: ["{DIR}/routes.so"] }, copies: { "routes.so": plugin("routes-1") } },
    ));

test("at SIGHUP other policies apply, and requests in flight finish under the old ones", () =>
    withGateway(
        "haft",
        async (server) => {
            const config = (policies, routes, endpoint) => ({
                log: { level: "notice" },
                gateway: { policies, routes, endpoints: [endpoint] },
            });
            const again = async (settings, text) => {
                const from = server.log().length;

                writeFileSync(join(server.directory, "config.json"), JSON.stringify(settings));
                server.process.kill("SIGHUP");
                await until(() => text.test(server.log().slice(from)), `${text}: ${server.log()}`);
            };
            const get = async (path) => (await send(server.base + path, { method: "GET" })).status;
            const mock = (status) => [{ name: "p", policy: "mock", options: { status } }];
            const around = { "GET /todos": { policies: ["p"] } };
            const done = /gateway: now using the new configuration[^]*configuration reloaded/;
            let over = false;
            const statuses = new Set();
            const callers = Promise.all(
                Array.from({ length: 8 }, async () => {
                    while (!over) statuses.add(await get("/todos"));
                }),
            );
            const slow = send(`${server.base}/customers/cust-1`, { method: "GET" });

            assert.equal(await get("/todos"), 200);
            await again(config(mock(418), around, {}), done);
            assert.equal(await get("/todos"), 418);
            /* Around the endpoint. */
            await again(config(mock(410), {}, { policies: ["p"] }), done);
            assert.equal(await get("/todos"), 200);
            assert.equal((await send(server.url, { method: "POST", body: "{}" })).status, 410);
            /* What is wrong changes nothing. */
            await again(config(mock("x"), around, {}), /keeping the old one/);
            assert.equal(await get("/todos"), 200);
            await again(config([], {}, {}), done);
            assert.equal((await slow).status, 200);
            over = true;
            await callers;
            assert.deepEqual([...statuses].sort(), [200, 418]);
        },
        {
            config: {
                log: { level: "notice" },
                gateway: {
                    policies: [{ name: "nap", policy: "sleep", options: { ms: 1000 } }],
                    routes: { "GET /customers/{id}": { policies: ["nap"] } },
                    endpoints: [{}],
                },
            },
            args: ["--threads", "2"],
        },
    ));

test("an endpoint keeps its authentication until a restart", () =>
    withGateway(
        "haft",
        async (server) => {
            const ask = async () => (await send(server.url, { method: "POST", body: "{}" })).status;

            assert.equal(await ask(), 401);
            writeFileSync(
                join(server.directory, "config.json"),
                JSON.stringify({ log: { level: "notice" }, gateway: { endpoints: [{}] } }),
            );
            server.process.kill("SIGHUP");
            await until(() => /removing the authentication of endpoint \/mcp requires a restart/.test(server.log()), "a refusal");
            assert.equal(await ask(), 401);
        },
        {
            config: {
                log: { level: "notice" },
                gateway: {
                    policies: [{ name: "keys", policy: "api-key", options: { file: "{DIR}/keys" } }],
                    endpoints: [{ policies: ["keys"] }],
                },
            },
            files: { keys: `${createHash("sha256").update("secret").digest("hex")} ada\n` },
        },
    ));

test("plugins of the command line are tools of every endpoint", async () => {
    const greeted = await run(["serve", plugin("greet-1"), "--call", "greet", '{"name": "Ada"}']);
    const both = await run(["serve", "--list", plugin("passing"), plugin("greet-2")]);

    assert.equal(greeted.out, "Hello, Ada: 1\n", greeted.err);
    assert.match(both.out, /^passing .*\n(.*\n)*greet /m, both.err);
});

/* Calls of the shop's tool and of the plugin's, one after the other on a connection of its own, until `over`;
 * how the plugin's were answered is counted. */
async function keepCalling(server, over, counts) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });

    while (!over()) {
        const sum = await call(server.url, "add_numbers", { a: 2, b: 40 }, { agent });

        assert.equal(sum.response.result?.content[0].text, "2 + 40 = 42");
        const { response } = await call(server.url, "greet", { name: "Ada" }, { agent });
        const text = response.result?.content[0].text ?? response.error.message;

        counts[text] = (counts[text] ?? 0) + 1;
    }
    agent.destroy();
}

/* What the kernel says of a process: "Seccomp" and others. */
const stateOf = (pid, what) =>
    new RegExp(`^${what}:\\s*(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1];

test("in a sandbox the shop serves its routes and tools, on threads too", () =>
    withGateway(
        "haft",
        async (server) => {
            assert.equal(stateOf(server.process.pid, "Seccomp"), "2");
            assert.equal((await fetch(`${server.base}/customers/cust-1`)).status, 200);
            const items = Array.from({ length: 4 }, (_, i) => ({
                productId: `sku-${i + 1}`,
                quantity: 1,
            }));
            const client = new ClientV1({ name: "caller", version: "1" });

            await client.connect(new HttpV1(new URL(server.url)));
            const result = await client.callTool({
                name: "process_order",
                arguments: { customerId: "cust-1", items },
            });
            assert.match(result.content[0].text, /"status":"created"/);
            await client.close();
        },
        /* The search for leaks attaches to the process, which the sandbox forbids. */
        { args: ["--sandbox=best-effort"], env: { ASAN_OPTIONS: "detect_leaks=0" } },
    ));

test("a plugin is added, replaced and removed while 64 connections call", () =>
    withGateway(
        "haft",
        async (server) => {
            const file = join(server.directory, "greet.so");
            const config = (plugins) =>
                writeFileSync(
                    join(server.directory, "config.json"),
                    JSON.stringify({ plugins, log: { level: "notice" } }),
                );
            const client = new ClientV1({ name: "watcher", version: "1" });
            const counts = {};
            let over = false;
            let changes = 0;

            client.setNotificationHandler(ToolListChangedNotificationSchema, () => changes++);
            await client.connect(new HttpV1(new URL(server.url)));
            const callers = Array.from({ length: 64 }, () =>
                keepCalling(server, () => over, counts),
            );
            const failed = Promise.all(callers);
            /* Each step is taken when the one before it has been seen by a caller. */
            const step = async (text, change) => {
                const before = counts[text] ?? 0;
                const seen = until(() => (counts[text] ?? 0) > before + 64, text, 60000);

                change();
                server.process.kill("SIGHUP");
                await Promise.race([seen, failed]);
            };

            await step("Hello, Ada: 1", () => {
                copyFileSync(plugin("greet-1"), file);
                config([file]);
            });
            await step("Hello, Ada: 2", () => copyFileSync(plugin("greet-2"), file));
            await step("Tool greet not found", () => config([]));
            over = true;
            await failed;
            assert.deepEqual(Object.keys(counts).sort(), [
                "Hello, Ada: 1",
                "Hello, Ada: 2",
                "Tool greet not found",
            ]);
            /* The first may come before the client has opened its stream. */
            await until(() => changes >= 2, "announcements", 20000);
            await client.close();
        },
        { config: { log: { level: "notice" } } },
    ));
