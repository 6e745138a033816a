/* pipe.test.mjs - standard input and output as a client can use and misuse them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./server.mjs";
import { MODERN } from "./spec.mjs";
import { Wire, envelope } from "./wire.mjs";

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function open(name = "everything", revision = "2025-11-25") {
    const wire = new Wire(name);

    if (revision === MODERN) wire.conversation.revision = MODERN;
    else await wire.initialize(revision);
    return wire;
}

const call = (id, name, args = {}, _meta) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args, ...(_meta && { _meta }) },
});
const answer = (wire, id) => wire.heard.find((message) => message.id === id && !message.method);

test("a message in pieces, even within a character", async () => {
    const wire = await open("greeting");
    const message = call("pieces", "greet", { name: "Åsa 😀" });
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);

    wire.conversation.sent(message);
    for (const byte of bytes) {
        wire.write(Buffer.from([byte]));
        if (byte > 127) await sleep(1);
    }
    await until(() => answer(wire, "pieces"), "the answer");
    assert.equal(answer(wire, "pieces").result.content[0].text, "Hello, Åsa 😀! Nice to meet you.");
    await wire.close();
});

test("several messages in one piece, with either line end", async () => {
    const wire = await open("greeting");
    const messages = [1, 2, 3].map((i) => call(`m${i}`, "greet", { name: `N${i}` }));

    wire.conversation.sent(messages);
    wire.write(messages.map((message) => JSON.stringify(message)).join("\r\n"));
    wire.write("\n");
    await until(
        () => answer(wire, "m1") && answer(wire, "m2") && answer(wire, "m3"),
        "the answers",
    );
    await wire.close();
});

test("a megabyte there and back", async () => {
    const wire = await open("multi-tool");
    const text = "abcdefghij".repeat(100_000);
    const { result } = await wire.request("tools/call", {
        name: "reverse-string",
        arguments: { text },
    });

    assert.equal(result.content[0].text, [...text].reverse().join(""));
    await wire.close();
});

test("a line over the limit is refused, and the next one is read", async () => {
    const wire = await open("multi-tool");

    wire.text(JSON.stringify(call("big", "reverse-string", { text: "x".repeat(5 << 20) })));
    assert.deepEqual((await wire.request("ping")).result, {});
    assert.equal(wire.heard.filter((message) => message.error).length, 1);
    await wire.close();
});

test("bytes that are no text", async () => {
    const wire = await open("greeting");

    for (const line of ["\0", "\xff\xfe", '{"jsonrpc":"2.0","id":1,"method":"pi\xc3\x28ng"}'])
        wire.write(Buffer.from(`${line}\n`, "latin1"));
    assert.deepEqual((await wire.request("ping", {}, "after")).result, {});
    await wire.close();
});

for (const revision of ["2024-11-05", "2025-11-25", MODERN])
    test(`a cancelled call is not answered, ${revision}`, async () => {
        const wire = await open("everything", revision);
        const meta = revision === MODERN ? envelope() : undefined;

        wire.send(call("long", "test_cancellation", {}, meta));
        wire.send(call("short", "test_simple_text", {}, meta));
        await until(() => answer(wire, "short"), "the other call");
        wire.notify("notifications/cancelled", { requestId: "long", reason: "enough" });
        wire.notify("notifications/cancelled", { requestId: "never sent" });
        wire.send(call("after", "test_tool_with_progress", {}, meta));
        await until(() => answer(wire, "after"), "the call after it");
        assert.equal(answer(wire, "long"), undefined);
        await wire.close();
    });

test("many at once, each answered once", async () => {
    const wire = await open();
    const names = ["test_simple_text", "test_tool_with_progress", "test_image_content"];
    const ids = Array.from({ length: 100 }, (_, i) => `n${i}`);

    ids.forEach((id, i) => wire.send(call(id, names[i % names.length])));
    await until(() => wire.heard.length >= ids.length + 1, "all of them", 10_000);
    await wire.request("ping");
    assert.deepEqual(
        wire.heard
            .map(({ id }) => id)
            .filter((id) => `${id}`.startsWith("n"))
            .sort(),
        [...ids].sort(),
    );
    assert.ok(ids.every((id) => answer(wire, id).result.content.length));
    await wire.close();
});

test("an id that is in use", async () => {
    const wire = await open();

    wire.send(call("same", "test_tool_with_progress"));
    wire.send(call("same", "test_simple_text"));
    await until(() => wire.heard.filter(({ id }) => id === "same").length === 2, "both answers");
    const kinds = wire.heard
        .filter(({ id }) => id === "same")
        .map((message) => Object.keys(message).at(-1));
    assert.deepEqual(kinds.sort(), ["error", "result"]);
    wire.conversation.faults.length = 0; /* two answers to one id are what was asked for */
    await wire.close();
});

test("the input ends while a call runs", async () => {
    const wire = await open();

    wire.send(call("long", "test_cancellation")); /* for ten seconds */
    await wire.request("ping");
    const before = Date.now();

    await wire.close();
    assert.ok(Date.now() - before < 8000);
});
