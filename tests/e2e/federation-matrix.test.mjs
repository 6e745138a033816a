/* federation-matrix.test.mjs - clients of every revision, upstreams of every revision, as children and
 * over HTTP. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { META, revisions, text, upstream, withFederation } from "./federation.mjs";
import { Server } from "./http-server.mjs";
import { example, until } from "./server.mjs";

let everything, driver, directory, env;
before(async () => {
    const options = ["--http", "127.0.0.1:0"];

    directory = mkdtempSync(join(tmpdir(), "haft-matrix-"));
    env = { UPSTREAM_COUNT: join(directory, "count") };
    everything = await new Server(example("everything"), options).ready();
    driver = await new Server(upstream, options, { env }).ready();
});
after(async () => {
    assert.equal(await everything.stop(), 0, everything.log());
    assert.equal(await driver.stop(), 0, driver.log());
    rmSync(directory, { recursive: true });
});

const places = {
    stdio: () => ({ all: { command: [example("everything")] }, own: { command: [upstream], env } }),
    http: () => ({ all: { url: everything.url }, own: { url: driver.url } }),
};

async function toolsAndContents(f, row, behind) {
    const names = (await f.tools()).map(({ name }) => name);

    assert.ok(names.includes("all__test_simple_text"));
    assert.ok(names.includes("own__add"));
    assert.ok(names.every((name) => /^[A-Za-z0-9_-]{1,60}$/.test(name)));
    assert.equal(text(await f.call("all__test_simple_text")), "This is a simple text response for testing.");
    assert.deepEqual((await f.call("own__add", { a: 2, b: 3 })).structuredContent, { sum: 5 });
    assert.equal((await f.call("own__add", { a: "x" })).isError, true);
    assert.equal((await f.call("all__test_error_handling", {})).isError, true);
    assert.equal((await f.call("all__test_image_content")).content[0].mimeType, "image/png");
    assert.equal(
        (await f.call("all__test_audio_content")).content[0].type,
        row.audio && behind.audio ? "audio" : "resource",
    );
    assert.equal(
        (await f.call("all__test_resource_link")).content[0].type,
        row.links && behind.links ? "resource_link" : "text",
    );
    assert.equal((await f.call("all__nope")).error.code, -32602);
}

async function progressAndMessages(f, row) {
    f.wire.heard.length = 0;
    await f.call("all__test_tool_with_progress", {}, { meta: { progressToken: "t" } });
    const steps = f.wire.notifications("notifications/progress");
    assert.deepEqual(steps.map(({ progress }) => progress), [0, 50, 100]);
    assert.ok(steps.every(({ progressToken }) => progressToken === "t"));
    if (!row.modern) await f.ask("logging/setLevel", { level: "debug" });
    f.wire.heard.length = 0;
    await f.call("all__test_logging_tool", {}, { meta: row.modern ? { [`${META}logLevel`]: "debug" } : {} });
    assert.deepEqual(
        f.wire.notifications("notifications/message").map(({ level, logger, data }) => [level, logger, data]),
        [["info", "everything", "test_logging_tool ran"]],
    );
}

async function questions(f, row, behind) {
    const asked = [];
    const answers = ({ method }) => {
        asked.push(method);
        return {
            "sampling/createMessage": { role: "assistant", model: "m", content: { type: "text", text: "Paris" } },
            "roots/list": { roots: [] },
            "elicitation/create": { action: "accept", content: { name: "Alice" } },
        }[method];
    };

    f.wire.answer = (question) => ({ result: answers(question) });
    assert.equal(text(await f.call("all__test_input_required_result_sampling", {}, { answers })), "Sampling response: Paris");
    assert.equal(text(await f.call("all__test_input_required_result_list_roots", {}, { answers })), "0 roots, first none");
    const said = await f.call("all__test_input_required_result_elicitation", {}, { answers });
    const can = row.elicitation && behind.elicitation;

    if (can) assert.equal(text(said), "Hello, Alice!");
    else assert.ok(said.isError || said.error, JSON.stringify(said));
    assert.deepEqual(asked, ["sampling/createMessage", "roots/list", ...(can ? ["elicitation/create"] : [])]);
}

async function cancellation(f) {
    const cancelled = () => readFileSync(env.UPSTREAM_COUNT, "utf8").match(/^cancelled$/gm)?.length ?? 0;
    const before = cancelled();
    const id = f.begin("tools/call", { name: "own__wait_for_end" }, { progressToken: "c" });
    const isBegun = () => f.wire.notifications("notifications/progress").some(({ progressToken }) => progressToken === "c");

    await until(isBegun, "the call's progress");
    f.wire.notify("notifications/cancelled", { requestId: id, reason: "enough" });
    /* The upstream takes other calls meanwhile, and the call has no answer. */
    assert.deepEqual((await f.call("own__add", { a: 1, b: 1 })).structuredContent, { sum: 2 });
    await until(() => cancelled() === before + 1, "the upstream's end of the call");
    assert.equal(f.answerTo(id), undefined);
}

async function listChanges(f) {
    const changes = () => f.wire.notifications("notifications/tools/list_changed").length;

    await f.listen();
    f.wire.heard.length = 0;
    if (f.row.modern)
        await f.ask("tools/list"); /* the subscription has been heard before this */
    const added = text(await f.call("own__grow"));
    await until(() => changes() === 1, "the notification");
    assert.ok((await f.tools()).some(({ name }) => name === `own__${added}`));
    assert.equal(text(await f.call(`own__${added}`)), `I am ${added}`);
    assert.equal(changes(), 1);
}

async function resourcesAndPrompts(f) {
    const { resources } = (await f.ask("resources/list")).result;
    const { resourceTemplates } = (await f.ask("resources/templates/list")).result;
    const { prompts } = (await f.ask("prompts/list")).result;
    const read = async (uri) => (await f.ask("resources/read", { uri })).result.contents[0];

    assert.ok(resources.some(({ uri }) => uri === "test://static-text"));
    assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), ["test://template/{id}/data"]);
    assert.match((await read("test://static-text")).text, /static text resource/);
    assert.equal(JSON.parse((await read("test://template/a%20b/data")).text).id, "a b");
    assert.ok(prompts.some(({ name }) => name === "all__test_prompt_with_arguments"));
    const { messages } = (
        await f.ask("prompts/get", { name: "all__test_prompt_with_arguments", arguments: { arg1: "x", arg2: "y" } })
    ).result;
    assert.equal(messages[0].content.text, "Prompt with arguments: arg1='x', arg2='y'");
    const { completion } = (
        await f.ask("completion/complete", {
            ref: { type: "ref/prompt", name: "all__test_prompt_with_arguments" },
            argument: { name: "arg1", value: "par" },
        })
    ).result;
    assert.deepEqual(completion.values, ["paris", "park", "party"]);
    if (f.row.modern) return;
    await f.ask("resources/subscribe", { uri: "test://watched-resource" });
    await f.call("all__test_trigger_resource_update");
    await until(
        () => f.wire.notifications("notifications/resources/updated").some(({ uri }) => uri === "test://watched-resource"),
        "the update",
    );
}

for (const [place, of] of Object.entries(places))
    for (const behind of revisions)
        for (const row of revisions)
            test(`client ${row.revision}, upstream ${behind.revision}, ${place}`, async () => {
                const { all, own } = of();
                const { revision } = behind;

                await withFederation(
                    row,
                    { all: { mcp: { ...all, revision } }, own: { mcp: { ...own, revision } } },
                    async (f) => {
                        await toolsAndContents(f, row, behind);
                        await progressAndMessages(f, row);
                        await questions(f, row, behind);
                        await resourcesAndPrompts(f);
                        await cancellation(f);
                        await listChanges(f);
                    },
                );
            });
