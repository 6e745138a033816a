/* reports.test.mjs - what a server says besides its answers: progress, messages, changes; and cancellation,
 * with real clients. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
    LoggingMessageNotificationSchema,
    PromptListChangedNotificationSchema,
    ResourceUpdatedNotificationSchema,
    ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { clients, until, withClient } from "./server.mjs";
import { META } from "./spec.mjs";

const v1Schemas = {
    "notifications/message": LoggingMessageNotificationSchema,
    "notifications/tools/list_changed": ToolListChangedNotificationSchema,
    "notifications/prompts/list_changed": PromptListChangedNotificationSchema,
    "notifications/resources/updated": ResourceUpdatedNotificationSchema,
};

const isV1 = (kind) => kind.name.startsWith("sdk");

/* Collects the notifications of these methods: [method, params]. */
function collect(client, kind) {
    const heard = [];

    for (const [method, schema] of Object.entries(v1Schemas))
        client.setNotificationHandler(isV1(kind) ? schema : method, (notification) => {
            heard.push([method, notification.params]);
        });
    return heard;
}

function call(client, kind, params, options) {
    return isV1(kind)
        ? client.callTool(params, undefined, options)
        : client.callTool(params, options);
}

for (const kind of clients) {
    const modern = kind.era === "modern";
    const name = (text) => `${text}, ${kind.name}`;

    test(name("progress"), () =>
        withClient(kind, "everything", async (client) => {
            const steps = [];
            const onprogress = (step) => steps.push(step);
            const result = await call(
                client,
                kind,
                { name: "test_tool_with_progress" },
                { onprogress },
            );

            assert.equal(result.content[0].text, "Tool with progress executed successfully");
            const all = [
                { progress: 0, total: 100, message: "0 of 100" },
                { progress: 50, total: 100, message: "50 of 100" },
                { progress: 100, total: 100, message: "100 of 100" },
            ];
            /* SDK 1 drops progress that it reads together with the answer, as a busy machine makes it. */
            assert.deepEqual(steps, isV1(kind) ? all.slice(0, Math.max(steps.length, 2)) : all);
        }),
    );

    test(name("messages"), () =>
        withClient(kind, "everything", async (client) => {
            const heard = collect(client, kind);
            const run = async (level) => {
                heard.length = 0;
                const _meta = modern && level ? { _meta: { [`${META}logLevel`]: level } } : {};
                if (!modern && level) await client.setLoggingLevel(level);
                await call(client, kind, { name: "test_tool_with_logging", ..._meta });
                return heard.map(([, params]) => params);
            };
            const three = [
                "Tool execution started",
                "Tool processing data",
                "Tool execution completed",
            ];

            /* Nothing was asked for: a modern client gets nothing. */
            assert.equal((await run()).length, modern ? 0 : 3);
            assert.deepEqual(
                await run("debug"),
                three.map((data) => ({ level: "info", data })),
            );
            assert.deepEqual(
                await run("info"),
                three.map((data) => ({ level: "info", data })),
            );
            assert.deepEqual(await run("warning"), []);
        }),
    );

    test(name("cancellation"), () =>
        withClient(kind, "everything", async (client, { log }) => {
            const cancel = new AbortController();
            const pending = call(
                client,
                kind,
                { name: "test_cancellation" },
                /* It has begun when it says so. */
                { signal: cancel.signal, onprogress: () => cancel.abort("enough") },
            );

            await assert.rejects(pending);
            /* The server hears of it, stops, and goes on. */
            await until(() => /nobody waits|ran to its end/.test(log()), "the handler to stop", 20000);
            assert.match(log(), /stopped: nobody waits/);
            const result = await call(client, kind, { name: "test_simple_text" });

            assert.equal(result.content[0].text, "This is a simple text response for testing.");
        }),
    );

    test(name("others go on while one runs"), () =>
        withClient(kind, "everything", async (client) => {
            const order = [];
            const run = async (tool) => {
                await call(client, kind, { name: tool });
                order.push(tool);
            };

            await Promise.all([run("test_tool_with_progress"), run("test_simple_text")]);
            assert.deepEqual(order, ["test_simple_text", "test_tool_with_progress"]);
        }),
    );
}

const changes = [
    ["test_trigger_tool_change", "notifications/tools/list_changed", undefined],
    ["test_trigger_prompt_change", "notifications/prompts/list_changed", undefined],
    [
        "test_trigger_resource_update",
        "notifications/resources/updated",
        { uri: "test://watched-resource" },
    ],
];

const withoutMeta = (params) => {
    const { _meta, ...rest } = params ?? {};

    return Object.keys(rest).length ? rest : undefined;
};

for (const kind of clients.filter(({ era }) => era === "legacy"))
    test(`changes, ${kind.name}`, () =>
        withClient(kind, "everything", async (client) => {
            const heard = collect(client, kind);
            const uri = "test://watched-resource";

            await client.subscribeResource({ uri });
            for (const [tool, method, params] of changes) {
                heard.length = 0;
                await call(client, kind, { name: tool });
                await until(() => heard.length, method);
                assert.deepEqual(
                    heard.map(([m, p]) => [m, withoutMeta(p)]),
                    [[method, params]],
                );
            }
            await client.unsubscribeResource({ uri });
            heard.length = 0;
            await call(client, kind, { name: "test_trigger_resource_update" });
            await call(client, kind, { name: "test_simple_text" });
            assert.deepEqual(heard, []);
        }));

const modernClient = clients.find(({ era }) => era === "modern");

test(`changes, ${modernClient.name}`, () =>
    withClient(modernClient, "everything", async (client) => {
        const heard = collect(client, modernClient);
        const everything = await client.listen({
            toolsListChanged: true,
            promptsListChanged: true,
            resourceSubscriptions: ["test://watched-resource"],
        });

        for (const [tool, method, params] of changes) {
            heard.length = 0;
            await client.callTool({ name: tool });
            await until(() => heard.length, method);
            assert.deepEqual(
                heard.map(([m, p]) => [m, withoutMeta(p)]),
                [[method, params]],
            );
        }
        await everything.close();

        /* Only what was asked for. */
        const prompts = await client.listen({ promptsListChanged: true });

        heard.length = 0;
        await client.callTool({ name: "test_trigger_tool_change" });
        await client.callTool({ name: "test_trigger_prompt_change" });
        await until(() => heard.length, "prompts");
        assert.deepEqual(
            heard.map(([method]) => method),
            ["notifications/prompts/list_changed"],
        );
        await prompts.close();
    }));
