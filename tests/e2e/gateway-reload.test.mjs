/* gateway-reload.test.mjs - another configuration of `haft serve` at SIGHUP: endpoints and routes that come, change
 * and go while clients call on several loops, and what becomes of their sessions and streams. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { Session, ask, call, send, textOf } from "./http-client.mjs";
import { withGateway } from "./serve.mjs";
import { example, until } from "./server.mjs";

const plugin = (name) => join(example("."), "..", "tests", "plugins", `${name}.so`);
const log = { level: "notice" };

/* Has the server read another configuration; what it logs about that. */
async function reload(server, config, text = /configuration reloaded/) {
    const from = server.log().length;

    writeFileSync(join(server.directory, "config.json"), JSON.stringify({ log, ...config }));
    server.process.kill("SIGHUP");
    await until(() => text.test(server.log().slice(from)), `${text}: ${server.log()}`);
    return server.log().slice(from);
}

const settings = (plugins, gateway) => ({ plugins: plugins.map(plugin), gateway });

/* ---- traffic ---- */

const cycle = [
    settings(["passing", "routes-1"], { endpoints: [{ tools: "passing", routes: "get_word" }, { endpoint: "/b" }] }),
    settings(["passing", "routes-2"], { endpoints: [{ tools: "*" }, { endpoint: "/c" }] }),
    settings(["passing"], { endpoints: [{}] }),
    settings(["routes-2", "passing"], {
        policies: [{ name: "stamp-all", policy: "set-headers", options: { response: { "x-all": "1" } } }],
        routes: { "GET /words/{word}": { policies: ["stamp-all"] } },
        endpoints: [{ policies: ["stamp-all"], routes: "*" }, { endpoint: "/b", name: "other" }],
    }),
];

/* Requests of one kind, one after the other on a connection of its own; how often each answer came. */
async function repeat(over, request, counts) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });

    while (!over()) {
        const answer = await request(agent);

        counts[answer] = (counts[answer] ?? 0) + 1;
    }
    agent.destroy();
}

test("no request is lost while endpoints and routes come and go on several loops", () =>
    withGateway(
        "plain",
        async (server) => {
            let over = false;
            const [words, tools, others] = [{}, {}, {}];
            const status = (path) => async (agent) => {
                const answer = await send(server.base + path, { method: "GET", agent });

                await answer.text();
                return answer.status;
            };
            const passing = async (agent) => textOf(await call(server.url, "passing", {}, { agent }));
            const say = async (agent) => {
                const { response } = await call(server.url, "get_word", { word: "Ada" }, { agent });

                return response.result ? response.result.content[0].text : response.error.code;
            };
            const clients = Promise.all(
                Array.from({ length: 8 }, () => [
                    repeat(() => over, status("/words/Ada"), words),
                    repeat(() => over, passing, tools),
                    repeat(() => over, say, others),
                ]).flat(),
            );
            const session = await Session.open(server.url);

            for (let i = 1; i <= 24; i++) {
                await reload(server, cycle[i % cycle.length]);
                assert.equal(textOf(await session.call("passing")), "passing by");
            }
            over = true;
            await clients;
            assert.deepEqual(Object.keys(words).sort(), ["200", "404"]);
            assert.deepEqual(Object.keys(tools), ["passing by"]);
            /* The tool of a route is there, with its route, or it is not. */
            assert.deepEqual(Object.keys(others).sort(), ["-32602", '{"text":"Ada"}']);
        },
        { config: { log, ...cycle[0] }, args: ["--threads", "3"] },
    ));

test("a request in flight finishes although its route is gone", () =>
    withGateway(
        "plain",
        async (server) => {
            const slow = send(`${server.base}/closed`, { method: "GET" });
            const slowTool = call(`${server.base}/b`, "closed");

            /* The one loop has read both when it answers what comes after them. */
            for (let i = 0; i < 3; i++) await send(`${server.base}/words/Ada`, { method: "GET" });
            await reload(server, settings(["passing"], { endpoints: [{}] }));
            assert.equal((await send(`${server.base}/closed`, { method: "GET" })).status, 404);
            assert.equal((await send(`${server.base}/b`, { method: "GET" })).status, 404);
            assert.equal((await slow).status, 200);
            assert.equal(textOf(await slowTool), "It is open.");
        },
        {
            config: {
                log,
                ...settings(["routes-1"], {
                    policies: [{ name: "nap", policy: "sleep", options: { ms: 1500 } }],
                    routes: { "GET /closed": { policies: ["nap"] } },
                    endpoints: [{}, { endpoint: "/b", routes: "closed" }],
                }),
            },
        },
    ));

test("who was let in before goes on being known to routes behind the same policy", () =>
    withGateway(
        "haft",
        async (server) => {
            const config = (more) => ({
                log,
                gateway: {
                    policies: [
                        { name: "keys", policy: "api-key", options: { file: join(server.directory, "keys") } },
                        { name: "nap", policy: "sleep", options: { ms: 1500 } },
                        ...more,
                    ],
                    routes: {
                        "GET /customers/{id}": { policies: ["keys", "nap"] },
                        "POST /orders": { policies: ["keys"] },
                    },
                    endpoints: [{ policies: ["keys"] }],
                },
            });
            const headers = { "x-api-key": "secret" };
            const order = { customerId: "cust-1", items: [{ productId: "sku-1", quantity: 1 }] };

            await reload(server, config([]));
            const slow = call(server.url, "process_order", order, { headers });

            for (let i = 0; i < 3; i++) await send(`${server.base}/todos`, { method: "GET" });
            await reload(server, config([{ name: "more", policy: "mock", options: { status: 418 } }]));
            assert.equal((await slow).response.result.isError ?? false, false, JSON.stringify((await slow).response));
        },
        {
            config: { log },
            files: { keys: `${createHash("sha256").update("secret").digest("hex")} ada\n` },
        },
    ));

/* ---- sessions and streams ---- */

const stamped = (more) => ({
    policies: [{ name: "stamp-all", policy: "set-headers", options: { response: { "x-all": "1" } } }],
    endpoints: [{ policies: ["stamp-all"], ...more }, { endpoint: "/b" }],
});

test("sessions of an endpoint that stays go on, and those of one that goes end", () =>
    withGateway(
        "plain",
        async (server) => {
            const stays = await Session.open(server.url);
            const goes = await Session.open(`${server.base}/b`);
            const [standing, ending] = [await stays.get(), await goes.get()];

            assert.equal(standing.headers["x-all"], "1");
            await reload(server, settings(["passing", "greet-1"], { endpoints: [{ tools: "greet" }] }));
            assert.equal((await standing.message()).method, "notifications/tools/list_changed");
            let event;

            while ((event = await ending.event())) assert.equal(event.data.join(""), "");
            assert.equal(event, null, "the stream has ended");
            assert.equal((await goes.post(goes.message("tools/list"))).status, 404);
            assert.equal(textOf(await stays.call("greet", { name: "Ada" })), "Hello, Ada: 1");

            /* At the same path again there is none of the old sessions. */
            await reload(server, settings(["passing"], stamped({})));
            assert.equal((await goes.post(goes.message("tools/list"))).status, 404);
            assert.equal(textOf(await stays.call("passing")), "passing by");

            /* Another name is another server. */
            await reload(server, settings(["passing"], stamped({ name: "other" })));
            assert.equal((await stays.post(stays.message("tools/list"))).status, 404);
            assert.equal((await Session.open(server.url)).result.serverInfo.name, "other");
        },
        { config: { log, ...settings(["passing"], stamped({})) }, args: ["--threads", "2"] },
    ));

test("a standing stream behind policies is resumed where it was lost", () =>
    withGateway(
        "plain",
        async (server) => {
            const session = await Session.open(server.url);
            const first = await session.get();
            const changed = async (answer) => {
                let event;

                do event = await answer.event();
                while (event && event.data.join("") === "");
                assert.equal(JSON.parse(event.data[0]).method, "notifications/tools/list_changed");
                return event.id;
            };
            const offer = (tools) => reload(server, settings(["passing", "greet-1"], stamped({ tools })));

            assert.equal(first.headers["x-all"], "1");
            await offer("greet");
            const id = await changed(first);

            first.close();
            await offer("passing");
            const second = await session.get(id);

            assert.equal(second.status, 200);
            assert.equal(second.headers["x-all"], "1");
            const next = await changed(second);

            assert.notEqual(next, id);
            await offer("*");
            assert.notEqual(await changed(second), next);
            assert.equal(textOf(await session.call("greet", { name: "Ada" })), "Hello, Ada: 1");
            second.close();
            assert.equal(await session.end(), 200);
        },
        { config: { log, ...settings(["passing", "greet-1"], stamped({})) } },
    ));

/* ---- what a new endpoint has ---- */

test("an endpoint that comes has the options of the others", () =>
    withGateway(
        "plain",
        async (server) => {
            await reload(server, settings(["passing"], { endpoints: [{}, { endpoint: "/b" }] }));
            await call(`${server.base}/b`, "passing");
            const metrics = await (await send(`${server.base}/metrics`, { method: "GET" })).text();

            assert.match(metrics, /mcp_server_calls_total\{gen_ai_tool_name="passing",outcome="ok"\} 1/);
            await until(
                () => /"tool":"passing"/.test(readFileSync(join(server.directory, "audit"), "utf8")),
                "a line of the audit",
            );
        },
        {
            config: {
                log,
                audit: { file: "{DIR}/audit" },
                ...settings(["passing"], { endpoints: [{}] }),
            },
            args: ["--metrics"],
        },
    ));

test("an endpoint that comes back has the options that changed meanwhile", () => {
    const configuration = (endpoints, disabled) => ({
        log,
        tools: { disabled },
        ...settings(["passing", "routes-1"], { endpoints }),
    });
    const both = [{}, { endpoint: "/b" }];
    const tools = async (server) => {
        const { response } = await ask(`${server.base}/b`, "tools/list");

        return response.result.tools.map((tool) => tool.name).join();
    };

    return withGateway(
        "plain",
        async (server) => {
            assert.equal(await tools(server), "passing,say");
            await reload(server, configuration([{}], []));
            await reload(server, configuration([{}], ["passing"]));
            await reload(server, configuration(both, ["passing"]));
            assert.equal(await tools(server), "say");
        },
        { config: configuration(both, []) },
    );
});
