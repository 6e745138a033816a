/* asking.test.mjs - questions in the middle of a call, answered by real clients.
 *
 * The same handlers serve every era: a legacy client is sent requests, a modern one gets its questions as
 * results.  Neither the table nor the clients' handlers know which. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
    CreateMessageRequestSchema,
    ElicitRequestSchema,
    ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { clients, withClient } from "./server.mjs";

const v1Schemas = {
    "elicitation/create": ElicitRequestSchema,
    "sampling/createMessage": CreateMessageRequestSchema,
    "roots/list": ListRootsRequestSchema,
};

const accept = (content) => ({ action: "accept", content });

/* What this client's person, model and disk say.  A question is known by its message. */
const forms = {
    "Who are you?": accept({ username: "ada", email: "ada@example.com" }),
    "Go away": { action: "decline" },
    Later: { action: "cancel" },
    "Please review the member": accept({ age: 36 }),
    "Please choose": accept({ untitledSingle: "red", titledMulti: ["r", "g"] }),
    "What is your name?": accept({ name: "Alice" }),
    "Please confirm": accept({ ok: true }),
    "Step 1: What is your name?": accept({ name: "Bob" }),
    "Step 2: What is your favorite color?": accept({ color: "green" }),
    "What context should the prompt use?": accept({ context: "the weather" }),
};
const answers = {
    "elicitation/create": ({ message }) => forms[message],
    "sampling/createMessage": ({ messages }) => ({
        role: "assistant",
        model: "none",
        content: { type: "text", text: `so you say: ${messages[0].content.text}` },
    }),
    "roots/list": () => ({ roots: [{ uri: "file:///home/ada", name: "home" }] }),
};

/* The tool, its arguments, the methods that must be asked, the text of the result. */
const rows = [
    ["test_sampling", { prompt: "Hi" }, ["sampling/createMessage"], "LLM response: so you say: Hi"],
    [
        "test_elicitation",
        { message: "Who are you?" },
        ["elicitation/create"],
        'User response: action=accept, content={"username":"ada","email":"ada@example.com"}',
    ],
    [
        "test_elicitation",
        { message: "Go away" },
        ["elicitation/create"],
        "User response: action=decline, content={}",
    ],
    [
        "test_elicitation",
        { message: "Later" },
        ["elicitation/create"],
        "User response: action=cancel, content={}",
    ],
    [
        "test_elicitation_sep1034_defaults",
        {},
        ["elicitation/create"],
        "Elicitation completed: action=accept, name=John Doe, age=36, verified=true",
    ],
    [
        "test_elicitation_sep1330_enums",
        {},
        ["elicitation/create"],
        'Elicitation completed: action=accept, content={"untitledSingle":"red","titledMulti":["r","g"]}',
    ],
    ["test_missing_capability", {}, ["sampling/createMessage"], "The client can be asked"],
    ["test_streaming_elicitation", {}, [], "Nothing had to be asked"],
    ["test_input_required_result_elicitation", {}, ["elicitation/create"], "Hello, Alice!"],
    [
        "test_input_required_result_sampling",
        {},
        ["sampling/createMessage"],
        "Sampling response: so you say: What is the capital of France?",
    ],
    [
        "test_input_required_result_list_roots",
        {},
        ["roots/list"],
        "1 roots, first file:///home/ada",
    ],
    ["test_input_required_result_request_state", {}, ["elicitation/create"], "state-ok"],
    [
        "test_input_required_result_multiple_inputs",
        {},
        ["elicitation/create", "roots/list", "sampling/createMessage"],
        "so you say: Generate a greeting, Alice (1 roots)",
    ],
    [
        "test_input_required_result_multi_round",
        {},
        ["elicitation/create", "elicitation/create"],
        "Bob likes green",
    ],
    ["test_input_required_result_tampered_state", {}, ["elicitation/create"], "integrity-ok"],
    [
        "test_input_required_result_capabilities",
        {},
        ["elicitation/create", "sampling/createMessage"],
        "Asked what could be asked",
    ],
];

/* Makes the client answer, and returns the methods that it was asked. */
function answering(client, kind, table) {
    const asked = [];

    for (const [method, answer] of Object.entries(table))
        client.setRequestHandler(
            kind.name.startsWith("sdk") ? v1Schemas[method] : method,
            (request) => {
                asked.push(method);
                return answer(request.params ?? {});
            },
        );
    return asked;
}

const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };

for (const kind of clients) {
    test(`asked and answered, ${kind.name}`, () => {
        let asked;

        return withClient(
            kind,
            "everything",
            async (client) => {
                for (const [name, args, methods, text] of rows) {
                    asked.length = 0;
                    const result = await client.callTool({ name, arguments: args });

                    assert.deepEqual(result.content, [{ type: "text", text }], name);
                    assert.ok(!result.isError, name);
                    assert.deepEqual([...asked].sort(), methods, name);
                }
                const prompt = await client.getPrompt({
                    name: "test_input_required_result_prompt",
                });

                assert.deepEqual(prompt.messages, [
                    { role: "user", content: { type: "text", text: "Context: the weather" } },
                ]);
            },
            {
                options: { capabilities },
                prepare: (client) => (asked = answering(client, kind, answers)),
            },
        );
    });

    /* A client that cannot be asked: modern ones are told by the protocol, older ones by the tool. */
    test(`not to be asked, ${kind.name}`, () =>
        withClient(kind, "everything", async (client) => {
            for (const name of ["test_sampling", "test_elicitation", "test_missing_capability"]) {
                const args = {
                    test_sampling: { prompt: "Hi" },
                    test_elicitation: { message: "Hi" },
                };
                const call = client.callTool({ name, arguments: args[name] ?? {} });

                if (kind.era === "modern") {
                    await assert.rejects(call, { code: -32021 });
                } else {
                    const result = await call;
                    assert.equal(result.isError, true);
                    assert.match(result.content[0].text, /does not support/);
                }
            }
            const result = await client.callTool({
                name: "test_input_required_result_capabilities",
            });

            assert.equal(result.content[0].text, "Asked what could be asked");
        }));

    /* A client whose handler fails. */
    test(`asked in vain, ${kind.name}`, () =>
        withClient(
            kind,
            "everything",
            async (client) => {
                const call = client.callTool({
                    name: "test_sampling",
                    arguments: { prompt: "Hi" },
                });

                if (kind.era === "modern") await assert.rejects(call);
                else assert.equal((await call).isError, true);
                await client.callTool({ name: "test_simple_text" });
            },
            {
                options: { capabilities },
                prepare: (client) =>
                    answering(client, kind, {
                        "sampling/createMessage": () => {
                            throw new Error("out of words");
                        },
                    }),
            },
        ));
}
