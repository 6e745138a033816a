/* federation-reload.test.mjs - upstreams whose entries or programs change while clients use them. */

import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { modernPost, text } from "./federation.mjs";
import { Session } from "./http-client.mjs";
import { withGateway } from "./serve.mjs";
import { until } from "./server.mjs";
import { META, MODERN } from "./spec.mjs";

const SOON = 10000;

/* A server that files in its directory change: it only knows the newest revision if `modern` is there, and otherwise
 * an older one; its list of tools is malformed if `broken` is there. */
const script = `
    const fs = require("node:fs");
    const has = (name) => fs.existsSync(process.env.SERVER_FILES + "/" + name);
    const modern = has("modern");
    const unknown = { code: -32601, message: "Method not found" };
    const said = (text) => ({ resultType: "complete", content: [{ type: "text", text }] });
    const tools = {
        about: () => said((modern ? "modern " : "legacy ") + process.pid),
        die: () => process.exit(1),
        ask: ({ inputResponses, requestState }) =>
            inputResponses
                ? said([requestState, inputResponses.who.action, process.pid].join(" "))
                : {
                      resultType: "input_required",
                      requestState: "kept",
                      inputRequests: { who: { method: "elicitation/create", params: { message: "who", requestedSchema: { type: "object", properties: {} } } } },
                  },
    };
    const methods = {
        "server/discover": () => modern && { supportedVersions: ["${MODERN}"], capabilities: { tools: {} } },
        initialize: () => !modern && { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
        "tools/list": (params) => ({
            resultType: "complete",
            tools: has("broken") ? 7 : Object.keys(tools).map((name) => ({
                name, description: has("new") ? "new" : JSON.stringify(params?._meta ?? {}), inputSchema: { type: "object" },
            })),
        }),
        "tools/call": (params) => tools[params.name](params),
    };

    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, params } = JSON.parse(line);
        const result = methods[method]?.(params);

        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error: unknown }) }));
    });`;

const entry = (more = {}) => ({
    mcp: {
        command: [process.execPath, "-e", script],
        env: { SERVER_FILES: "{DIR}" },
        restart: { min_ms: 1, max_ms: 5 },
        breaker: { failures: 1000, open_ms: 1 },
        ...more,
    },
});
const config = (upstreams) => ({ log: { level: "notice" }, gateway: { upstreams } });

/* A gateway before that server, with what a test does to it. */
const withServer = (use, files = {}, more = {}) =>
    withGateway(
        "plain",
        (server) => {
            const at = (name) => join(server.directory, name);
            const list = async () => (await modernPost(server.url, "tools/list")).result.tools;
            const call = async (name) => (await modernPost(server.url, "tools/call", { name: `s__${name}`, arguments: {} })).result;
            const reload = async (upstreams) => {
                const from = server.log().length;

                writeFileSync(at("config.json"), JSON.stringify(config(upstreams)).replaceAll("{DIR}", server.directory));
                server.process.kill("SIGHUP");
                await until(() => server.log().slice(from).includes("configuration reloaded"), "the reload");
            };

            return use({ server, at, list, call, reload });
        },
        { config: config({ s: entry(more) }), files },
    );

/* Asks until the answer is wanted. */
async function eventually(ask, wanted, what) {
    const end = Date.now() + 2 * SOON;

    while (!wanted(await ask())) assert.ok(Date.now() < end, `waited in vain for ${what}`);
}

const listed = ({ list }) => eventually(list, (tools) => tools.length, "the tools");

test("a server that has been replaced by a newer one, with and without a reload", async () => {
    const changes = [({ reload }) => reload({ s: entry({ connect_ms: 4000 }) }), ({ call }) => call("die")];

    for (const change of changes)
        await withServer(async (s) => {
            await listed(s);
            assert.match(text(await s.call("about")), /^legacy/);
            writeFileSync(s.at("modern"), "");
            await change(s);
            await eventually(() => s.call("about"), (result) => result && /^modern/.test(text(result)), "the newer server");
        });
});

test("a list of the replaced upstream is not approved", () =>
    withServer(
        async (s) => {
            await listed(s);
            writeFileSync(s.at("broken"), "");
            writeFileSync(s.at("new"), "");
            const from = s.server.log().length;

            await s.reload({ s: entry({ pin: "{DIR}/pin" }) });
            await until(() => /upstream s: .*tools/.test(s.server.log().slice(from)), "the malformed list");
            rmSync(s.at("broken"));
            await until(() => existsSync(s.at("pin")), "the approval");
            await eventually(s.list, (tools) => tools[0]?.description === "new", "the tools of the new connection");
        },
        { modern: "" },
    ));

test("the log level of the entry is for older upstreams", () =>
    withServer(
        async (s) => {
            await listed(s);
            const meta = JSON.parse((await s.list())[0].description);

            assert.equal(meta[`${META}protocolVersion`], MODERN);
            assert.equal(meta[`${META}logLevel`], undefined);
        },
        { modern: "" },
        { log_level: "debug" },
    ));

test("a call whose client is being asked goes on when the entry changes, and when it is removed", async () => {
    for (const upstreams of [{ s: entry({ connect_ms: 4000 }) }, {}])
        await withServer(
            async (s) => {
                await listed(s);
                const session = await Session.open(s.server.url, "2025-11-25", { elicitation: {} });
                const stream = await session.post(session.message("tools/call", { name: "s__ask", arguments: {} }));
                const question = await stream.message(SOON);

                assert.equal(question.method, "elicitation/create");
                await s.reload(upstreams);
                assert.ok((await session.post({ jsonrpc: "2.0", id: question.id, result: { action: "decline" } })).status < 300);
                let answer = await stream.message(SOON);

                while (answer.method) answer = await stream.message(SOON); /* the list has changed */
                const [, pid] = /^kept decline (\d+)$/.exec(text(answer.result)) ?? assert.fail(JSON.stringify(answer));

                await until(() => Object.keys(upstreams).length || !existsSync(`/proc/${pid}`), "the end of the connection");
            },
            { modern: "" },
        );
});

test("a call that waits for the end of a pause goes on when the entry is removed", () =>
    withServer(
        async (s) => {
            await listed(s);
            await s.call("die");
            const waiting = s.call("about");

            await s.list();
            await s.reload({});
            const [, pid] = /^modern (\d+)$/.exec(text(await waiting)) ?? assert.fail(JSON.stringify(await waiting));

            await until(() => !existsSync(`/proc/${pid}`), "the end of the connection");
        },
        { modern: "" },
        { restart: { min_ms: 60000, max_ms: 60000 } },
    ));
