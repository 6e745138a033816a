/* revisions.test.mjs - all five revisions, through everything that a server offers.
 *
 * One script is run against each revision; what must differ is in the table of revisions.  Every message
 * is held against the schema of its revision besides. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { META, MODERN } from "./spec.mjs";
import { Wire, envelope } from "./wire.mjs";

const capabilities = { sampling: {}, roots: {}, elicitation: { form: {} } };

/* What a revision has. */
const revisions = [
    { revision: "2024-11-05", notFound: -32002, audio: "resource" },
    { revision: "2025-03-26", notFound: -32002, message: true, batch: true },
    { revision: "2025-06-18", notFound: -32002, message: true, links: true, elicitation: true },
    { revision: "2025-11-25", notFound: -32002, message: true, links: true, elicitation: true },
    { revision: MODERN, notFound: -32602, message: true, links: true, modern: true },
];

/* A wire that is past its first words, and a request in the way of the revision. */
async function open(row, name = "everything", declared = capabilities) {
    const wire = new Wire(name);
    const ask = (method, params = {}, meta = {}) => {
        const _meta = row.modern ? envelope(meta, declared) : meta;
        const all = Object.keys(_meta).length ? { ...params, _meta } : params;

        return wire.request(method, all);
    };

    if (row.modern) {
        wire.conversation.revision = MODERN;
        const { result } = await ask("server/discover");
        assert.deepEqual(result.supportedVersions, [MODERN]);
        assert.equal(result._meta[`${META}serverInfo`].name, name);
    } else {
        const result = await wire.initialize(row.revision, declared);
        assert.equal(result.protocolVersion, row.revision);
    }
    const call = async (tool, args, meta) =>
        (await ask("tools/call", { name: tool, ...(args && { arguments: args }) }, meta)).result;

    return { wire, ask, call };
}

for (const row of revisions) {
    const { revision } = row;
    const name = (text) => `${revision}: ${text}`;

    test(name("tools"), async () => {
        const { wire, ask, call } = await open(row);
        const { tools } = (await ask("tools/list")).result;

        assert.equal(tools[0].name, "test_simple_text");
        assert.ok(tools.every((tool) => tool.description && tool.inputSchema.type === "object"));
        assert.deepEqual((await call("test_simple_text")).content, [
            { type: "text", text: "This is a simple text response for testing." },
        ]);
        assert.equal((await call("test_error_handling", {})).isError, true);
        assert.equal((await call("test_image_content")).content[0].mimeType, "image/png");
        assert.equal((await call("test_audio_content")).content[0].type, row.audio ?? "audio");
        assert.equal(
            (await call("test_resource_link")).content[0].type,
            row.links ? "resource_link" : "text",
        );
        const mixed = (await call("test_multiple_content_types")).content;
        assert.deepEqual(
            mixed.map((block) => block.type),
            ["text", "image", "resource"],
        );
        assert.equal(
            (await call("test_embedded_resource")).content[0].resource.mimeType,
            "text/plain",
        );
        assert.equal(
            (await call("json_schema_2020_12_tool", { contactMethod: "phone", phone: "1" }))
                .content[0].text,
            '{"contactMethod":"phone","phone":"1"}',
        );
        const refused = await call("json_schema_2020_12_tool", {
            contactMethod: "phone",
            email: "1",
        });
        assert.equal(refused.isError, true);
        assert.equal(
            (await call("test_x_mcp_header", { region: "north" })).content[0].text,
            "region=north",
        );
        await wire.close();
    });

    test(name("structured output"), async () => {
        const { wire, ask, call } = await open(row, "catalog");
        const { tools } = (await ask("tools/list")).result;
        const details = tools.find((tool) => tool.name === "product-details");
        const clear = tools.find((tool) => tool.name === "clear-catalog");
        const result = await call("product-details", { name: "Mug rack" });

        /* Lists say all there is; older clients pass over what they do not know. */
        assert.deepEqual(details.outputSchema.required, ["name", "price"]);
        assert.equal(clear.annotations.destructiveHint, true);
        assert.equal(clear.title, "Clear the catalog");
        assert.equal(result.content[0].text, '{"name":"Mug rack","price":36}');
        assert.deepEqual(result.structuredContent, { name: "Mug rack", price: 36 });
        await wire.close();
    });

    test(name("resources"), async () => {
        const { wire, ask } = await open(row);
        const list = (await ask("resources/list")).result.resources;
        const templates = (await ask("resources/templates/list")).result.resourceTemplates;
        const read = async (uri) => await ask("resources/read", { uri });

        assert.deepEqual(
            list.map((resource) => resource.uri),
            ["test://static-text", "test://static-binary", "test://watched-resource"],
        );
        assert.deepEqual(
            templates.map((t) => t.uriTemplate),
            ["test://template/{id}/data"],
        );
        assert.equal(
            (await read("test://static-text")).result.contents[0].text,
            "This is the content of the static text resource.",
        );
        const binary = (await read("test://static-binary")).result.contents[0];
        assert.equal(Buffer.from(binary.blob, "base64").subarray(1, 4).toString(), "PNG");
        const filled = (await read("test://template/a%20b/data")).result.contents[0];
        assert.equal(filled.uri, "test://template/a%20b/data");
        assert.equal(JSON.parse(filled.text).id, "a b");
        const missing = (await read("test://nowhere")).error;
        assert.equal(missing.code, row.notFound);
        assert.equal(missing.data.uri, "test://nowhere");
        assert.equal((await ask("resources/read", {})).error.code, -32602);
        if (!row.modern) {
            assert.deepEqual(
                (await ask("resources/subscribe", { uri: "test://watched-resource" })).result,
                {},
            );
            await ask("tools/call", { name: "test_trigger_resource_update" });
            assert.deepEqual(wire.notifications("notifications/resources/updated"), [
                { uri: "test://watched-resource" },
            ]);
            assert.deepEqual(
                (await ask("resources/unsubscribe", { uri: "test://watched-resource" })).result,
                {},
            );
        }
        await wire.close();
    });

    test(name("prompts and completion"), async () => {
        const { wire, ask } = await open(row);
        const { prompts } = (await ask("prompts/list")).result;
        const get = (prompt, args) => ask("prompts/get", { name: prompt, arguments: args });
        const complete = async (ref, argument, value) =>
            (await ask("completion/complete", { ref, argument: { name: argument, value } })).result
                .completion;

        assert.equal(prompts.length, 5);
        assert.deepEqual(
            prompts[1].arguments.map((a) => [a.name, a.required]),
            [
                ["arg1", true],
                ["arg2", true],
            ],
        );
        assert.equal((await get("test_simple_prompt")).result.messages[0].role, "user");
        assert.equal(
            (await get("test_prompt_with_arguments", { arg1: "x", arg2: "y" })).result.messages[0]
                .content.text,
            "Prompt with arguments: arg1='x', arg2='y'",
        );
        const embedded = await get("test_prompt_with_embedded_resource", {
            resourceUri: "test://r",
        });
        assert.equal(embedded.result.messages[0].content.resource.uri, "test://r");
        assert.equal(
            (await get("test_prompt_with_image")).result.messages[0].content.type,
            "image",
        );
        const lacking = (await get("test_prompt_with_arguments", { arg1: "x" })).error;
        assert.equal(lacking.code, -32602);
        assert.match(
            lacking.message,
            /^Invalid arguments for prompt test_prompt_with_arguments: arg2: /,
        );
        assert.equal((await get("nope")).error.code, -32602);

        const prompt = { type: "ref/prompt", name: "test_prompt_with_arguments" };
        const template = { type: "ref/resource", uri: "test://template/{id}/data" };
        assert.deepEqual((await complete(prompt, "arg1", "par")).values, [
            "paris",
            "park",
            "party",
        ]);
        assert.deepEqual((await complete(prompt, "arg2", "par")).values, []);
        const many = await complete(template, "id", "");
        assert.equal(many.values.length, 100);
        assert.equal(many.total, 120);
        assert.equal(many.hasMore, true);
        await wire.close();
    });

    test(name("progress and messages"), async () => {
        const { wire, ask, call } = await open(row);

        await call("test_tool_with_progress");
        assert.deepEqual(wire.notifications("notifications/progress"), []);
        for (const progressToken of ["a token", 7]) {
            wire.heard.length = 0;
            await call("test_tool_with_progress", {}, { progressToken });
            const steps = wire.notifications("notifications/progress");
            assert.deepEqual(
                steps.map((step) => step.progress),
                [0, 50, 100],
            );
            assert.ok(steps.every((step) => step.progressToken === progressToken));
            assert.equal(steps[1].message, row.message ? "50 of 100" : undefined);
        }
        const level = async (text) => {
            if (!row.modern)
                assert.deepEqual((await ask("logging/setLevel", { level: text })).result, {});
            wire.heard.length = 0;
            await call("test_logging_tool", {}, row.modern ? { [`${META}logLevel`]: text } : {});
            return wire.notifications("notifications/message").length;
        };
        assert.deepEqual(
            [await level("debug"), await level("info"), await level("error")],
            [1, 1, 0],
        );
        const bad = row.modern
            ? await ask("tools/list", {}, { [`${META}logLevel`]: "loud" })
            : await ask("logging/setLevel", { level: "loud" });
        assert.equal(bad.error?.code, -32602);
        await wire.close();
    });

    test(name("questions"), async () => {
        const { wire, ask, call } = await open(row);
        const questions = { "sampling/createMessage": 0, "roots/list": 0, "elicitation/create": 0 };

        wire.answer = ({ method }) => {
            questions[method]++;
            return {
                "sampling/createMessage": {
                    result: {
                        role: "assistant",
                        model: "m",
                        content: { type: "text", text: "Paris" },
                    },
                },
                "roots/list": { result: { roots: [] } },
                "elicitation/create": { result: { action: "accept", content: { name: "Alice" } } },
            }[method];
        };
        if (!row.modern) {
            const text = async (tool) => (await call(tool)).content[0].text;

            assert.equal(
                await text("test_input_required_result_sampling"),
                "Sampling response: Paris",
            );
            assert.equal(
                await text("test_input_required_result_list_roots"),
                "0 roots, first none",
            );
            const said = await call("test_input_required_result_elicitation");
            if (row.elicitation) assert.equal(said.content[0].text, "Hello, Alice!");
            else assert.equal(said.isError, true);
            assert.deepEqual(Object.values(questions), [1, 1, row.elicitation ? 1 : 0]);
        } else {
            const params = { name: "test_input_required_result_elicitation" };
            const again = (more) => ask("tools/call", { ...params, ...more });
            const { result } = await again({});
            const yes = { user_name: { action: "accept", content: { name: "Alice" } } };

            assert.deepEqual(Object.keys(result.inputRequests), ["user_name"]);
            const { requestState } = result;
            const done = await again({
                requestState,
                inputResponses: { ...yes, extra: { action: "cancel" } },
            });
            assert.equal(done.result.content[0].text, "Hello, Alice!");
            /* Badly answered: asked again, or refused; never completed. */
            for (const inputResponses of [
                {},
                { other: yes.user_name },
                { user_name: { action: "accept", content: { name: 7 } } },
                { user_name: { action: "accept" } },
            ]) {
                const { result: retried } = await again({ requestState, inputResponses });
                assert.equal(retried.resultType, "input_required", JSON.stringify(inputResponses));
            }
            assert.equal(
                (await again({ requestState, inputResponses: { user_name: 12345 } })).error.code,
                -32602,
            );
            assert.equal((await again({ requestState, inputResponses: [] })).error.code, -32602);
            for (const forged of [`${requestState}-TAMPERED`, requestState.slice(1), "", 7]) {
                const { error } = await again({ requestState: forged, inputResponses: yes });
                assert.equal(error.code, -32602, forged);
                assert.match(error.message, /requestState/);
            }
            /* A state belongs to the request that it was made for. */
            const stolen = await ask("tools/call", {
                name: "test_input_required_result_tampered_state",
                requestState,
                inputResponses: { confirm: { action: "accept", content: { ok: true } } },
            });
            assert.equal(stolen.error.code, -32602);
            assert.equal(
                (await again({ requestState, inputResponses: yes })).result.resultType,
                "complete",
            );
        }
        await wire.close();
    });

    test(name("errors"), async () => {
        const { wire, ask } = await open(row);
        const rows = [
            ["nope/method", {}, -32601],
            ["tools/call", { name: "nope" }, -32602],
            ["tools/call", {}, -32602],
            ["tools/call", { name: 5 }, -32602],
            ["tools/call", { name: "test_simple_text", arguments: [] }, -32602],
            ["tools/call", { name: "test_simple_text", arguments: "x" }, -32602],
            ["tools/list", { cursor: "made up" }, -32602],
            ["prompts/get", {}, -32602],
            ["completion/complete", {}, -32602],
            [
                "completion/complete",
                { ref: { type: "ref/nothing" }, argument: { name: "a", value: "" } },
                -32602,
            ],
        ];

        for (const [method, params, code] of rows)
            assert.equal(
                (await ask(method, params)).error?.code,
                code,
                `${method} ${JSON.stringify(params)}`,
            );
        /* Methods of the other era. */
        const strange = row.modern
            ? [
                  "initialize",
                  "ping",
                  "logging/setLevel",
                  "resources/subscribe",
                  "resources/unsubscribe",
              ]
            : ["server/discover", "subscriptions/listen"];
        for (const method of strange) assert.equal((await ask(method)).error.code, -32601, method);
        if (!row.modern) assert.deepEqual((await ask("ping")).result, {});
        await wire.close();
    });

    test(name("bad lines"), async () => {
        const { wire, ask } = await open(row);

        for (const line of [
            "",
            "   ",
            "{nope",
            '{"hello":1}',
            "7",
            '{"jsonrpc":"2.0","method":"notifications/x"}',
        ])
            wire.text(line);
        wire.text('{"jsonrpc":"2.0","id":"odd","result":{}}');
        assert.ok((await ask("tools/list")).result.tools.length);
        if (!row.modern) {
            const from = wire.heard.length;
            wire.send([
                { jsonrpc: "2.0", id: "b1", method: "ping" },
                { jsonrpc: "2.0", method: "notifications/x" },
                { jsonrpc: "2.0", id: "b2", method: "tools/list" },
            ]);
            await ask("ping");
            const answered = wire.heard
                .slice(from)
                .flat()
                .filter(({ id }) => id === "b1" || id === "b2");
            /* From 2025-11-25 on the error is one, without an id. */
            assert.equal(answered.length, row.revision === "2025-11-25" ? 0 : 2);
            for (const { result, error } of answered)
                if (row.batch) assert.ok(result);
                else assert.equal(error.code, -32600);
        }
        await wire.close();
    });
}

test("ids come back as they were", async () => {
    const { wire } = await open(revisions[3]);

    for (const id of [0, "", "a", -1, 1752400000000123, Number.MAX_SAFE_INTEGER, "ü\n"])
        assert.deepEqual((await wire.request("ping", {}, id)).id, id);
    await wire.close();
});

test("which revision is spoken", async () => {
    const rows = [
        ["2024-11-05", "2024-11-05"],
        ["2025-11-25", "2025-11-25"],
        ["2026-07-28", "2025-11-25"],
        ["1999-01-01", "2025-11-25"],
        ["", "2025-11-25"],
    ];

    for (const [asked, given] of rows) {
        const wire = new Wire("greeting");
        const result = await wire.initialize(asked);
        assert.equal(result.protocolVersion, given);
        await wire.close();
    }
});

test("what a modern request must say", async () => {
    const wire = new Wire("greeting");
    wire.conversation.revision = MODERN;
    const list = (meta) => wire.request("tools/list", { _meta: meta });
    const without = (key) => {
        const meta = envelope();
        delete meta[META + key];
        return meta;
    };

    assert.equal((await list(envelope())).result.tools.length, 1);
    assert.equal((await list(without("clientInfo"))).result.tools.length, 1);
    assert.equal((await list(without("clientCapabilities"))).error.code, -32602);
    const unknown = (await list(envelope({ [`${META}protocolVersion`]: "2027-01-01" }))).error;
    assert.equal(unknown.code, -32022);
    assert.deepEqual(unknown.data, { supported: [MODERN], requested: "2027-01-01" });
    await wire.close();
});

test("modern probe, then the old handshake", async () => {
    const wire = new Wire("greeting");

    assert.ok(
        (await wire.request("server/discover", { _meta: envelope() })).result.capabilities.tools,
    );
    assert.equal((await wire.initialize("2025-06-18")).protocolVersion, "2025-06-18");
    assert.equal((await wire.request("tools/list")).result.tools.length, 1);
    await wire.close();
});

test("subscriptions on one pipe", async () => {
    const { wire, ask } = await open(revisions[4]);
    const listen = (id, notifications) =>
        wire.send({
            jsonrpc: "2.0",
            id,
            method: "subscriptions/listen",
            params: { notifications, _meta: envelope() },
        });
    const key = `${META}subscriptionId`;
    const told = (method) => wire.notifications(method).map((params) => params._meta[key]);

    listen("tools", { toolsListChanged: true, nonsense: true });
    listen(12345678901234, {
        promptsListChanged: true,
        resourceSubscriptions: ["test://watched-resource"],
    });
    await ask("tools/call", { name: "test_trigger_tool_change" });
    await ask("tools/call", { name: "test_trigger_prompt_change" });
    await ask("tools/call", { name: "test_trigger_resource_update" });
    assert.deepEqual(wire.notifications("notifications/subscriptions/acknowledged"), [
        { notifications: { toolsListChanged: true }, _meta: { [key]: "tools" } },
        {
            notifications: {
                promptsListChanged: true,
                resourceSubscriptions: ["test://watched-resource"],
            },
            _meta: { [key]: 12345678901234 },
        },
    ]);
    assert.deepEqual(told("notifications/tools/list_changed"), ["tools"]);
    assert.deepEqual(told("notifications/prompts/list_changed"), [12345678901234]);
    assert.deepEqual(told("notifications/resources/updated"), [12345678901234]);
    wire.notify("notifications/cancelled", { requestId: "tools" });
    await ask("tools/call", { name: "test_trigger_tool_change" });
    assert.deepEqual(told("notifications/tools/list_changed"), ["tools"]);
    await wire.close();
});
