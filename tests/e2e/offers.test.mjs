/* offers.test.mjs - resources, prompts and completion, with real clients. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { clients, withClient } from "./server.mjs";

for (const kind of clients) {
    const use = (text, body) =>
        test(`${text}, ${kind.name}`, () => withClient(kind, "everything", body));
    const fails = (promise, code, message) =>
        assert.rejects(promise, (error) => {
            assert.equal(error.code, code, error.message);
            assert.ok(error.message.endsWith(message), error.message);
            return true;
        });

    use("who it is", async (client) => {
        const { name, version, title } = client.getServerVersion();
        const capabilities = client.getServerCapabilities();

        assert.deepEqual([name, version, title], ["everything", "1.0.0", "Everything"]);
        assert.equal(client.getInstructions(), "A server to test clients with.");
        assert.deepEqual(capabilities.tools, { listChanged: true });
        assert.deepEqual(capabilities.prompts, { listChanged: true });
        assert.deepEqual(capabilities.resources, { subscribe: true, listChanged: true });
        assert.deepEqual(capabilities.completions, {});
        assert.deepEqual(capabilities.logging, {});
    });

    use("resources", async (client) => {
        const { resources } = await client.listResources();
        const { resourceTemplates } = await client.listResourceTemplates();
        const read = async (uri) => (await client.readResource({ uri })).contents;

        assert.deepEqual(resources[0], {
            uri: "test://static-text",
            name: "static-text",
            description: "A text that never changes",
            mimeType: "text/plain",
        });
        assert.deepEqual(resourceTemplates, [
            {
                uriTemplate: "test://template/{id}/data",
                name: "template",
                description: "One for every id",
                mimeType: "application/json",
            },
        ]);
        assert.deepEqual(await read("test://static-text"), [
            {
                uri: "test://static-text",
                mimeType: "text/plain",
                text: "This is the content of the static text resource.",
            },
        ]);
        const [image] = await read("test://static-binary");
        assert.equal(Buffer.from(image.blob, "base64").length, 70);
        const [filled] = await read("test://template/42/data");
        assert.deepEqual(JSON.parse(filled.text), { id: "42", templateTest: true });
        await fails(
            client.readResource({ uri: "test://nowhere" }),
            kind.name.startsWith("sdk") ? -32002 : -32602 /* to which the newer one translates */,
            "Resource not found: test://nowhere",
        );
    });

    use("prompts", async (client) => {
        const { prompts } = await client.listPrompts();
        const name = "test_prompt_with_arguments";

        assert.deepEqual(prompts[1], {
            name,
            description: "A prompt with two arguments",
            arguments: [
                { name: "arg1", description: "First test argument", required: true },
                { name: "arg2", description: "Second test argument", required: true },
            ],
        });
        const prompt = await client.getPrompt({ name, arguments: { arg1: "x", arg2: "y" } });
        assert.equal(prompt.description, "A prompt with two arguments");
        assert.deepEqual(prompt.messages, [
            {
                role: "user",
                content: { type: "text", text: "Prompt with arguments: arg1='x', arg2='y'" },
            },
        ]);
        const image = await client.getPrompt({ name: "test_prompt_with_image" });
        assert.deepEqual(
            image.messages.map((message) => message.content.type),
            ["image", "text"],
        );
        await fails(
            client.getPrompt({ name, arguments: { arg1: "x" } }),
            -32602,
            `Invalid arguments for prompt ${name}: ` +
                "arg2: Invalid input: expected string, received undefined",
        );
        await fails(client.getPrompt({ name: "nope" }), -32602, "Prompt nope not found");
    });

    use("completion", async (client) => {
        const complete = async (ref, name, value) =>
            (await client.complete({ ref, argument: { name, value } })).completion;
        const prompt = { type: "ref/prompt", name: "test_prompt_with_arguments" };
        const template = { type: "ref/resource", uri: "test://template/{id}/data" };

        assert.deepEqual(await complete(prompt, "arg1", "par"), {
            values: ["paris", "park", "party"],
            total: 3,
            hasMore: false,
        });
        assert.deepEqual((await complete(prompt, "arg2", "par")).values, []);
        assert.deepEqual((await complete(template, "id", "12")).values, ["12", "120"]);
        const all = await complete(template, "id", "");
        assert.deepEqual([all.values.length, all.total, all.hasMore], [100, 120, true]);
    });
}
