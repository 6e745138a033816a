/* walk.test.mjs - what becomes of calls, one thing after another, as a client sees it over standard input
 * and output and over HTTP: from the list to a tool that crashes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { carriers, withCarrier } from "./pipeline-server.mjs";

const everything = [
    "add", "complain", "give_up", "misfit", "limited", "doze", "harm", "harm_slowly", "one_by_one",
    "text_to_speech", "seen", "counted", "soon_again",
];

async function listAndCall(carrier) {
    assert.deepEqual(await carrier.list(), everything);
    assert.deepEqual((await carrier.call("add", { a: 19, b: 23 })).structured, { sum: 42 });
}

async function unknownTool(carrier) {
    assert.deepEqual(await carrier.call("subtract", {}), {
        code: -32602,
        text: "Tool subtract not found",
    });
}

async function invalidArguments(carrier) {
    const answer = await carrier.call("add", { a: "1", c: 2 });

    assert.equal(answer.isError, true);
    assert.match(answer.text, /^Input validation error: Invalid arguments for tool add: /);
    assert.deepEqual(
        answer.meta["haft/issues"].map(({ code, path }) => [code, path.join(".")]).sort(),
        [["invalid_type", "a"], ["invalid_type", "b"], ["unrecognized_keys", ""]],
    );
}

/* Others are in flight while it crashes, in the same process and in processes beside it. */
async function crash(carrier) {
    const beside = [
        carrier.call("doze", { ms: 300 }),
        carrier.call("harm", { how: "nothing" }),
    ];

    assert.deepEqual(
        [(await carrier.call("harm", { how: "crash" })).text, ...(await Promise.all(beside)).map(({ text }) => text)],
        ["The tool crashed.", "slept 300 ms", "unharmed"],
    );
    assert.match(carrier.log(), / harm .*crashed \(signal 11\)/);
    assert.equal((await carrier.call("add", { a: 1, b: 1 })).text, '{"sum":2}');
}

async function rateLimit(carrier) {
    for (let i = 0; i < 5; i++)
        assert.equal((await carrier.call("soon_again")).text, "within the limit");
    const sixth = await carrier.call("soon_again");

    assert.equal(sixth.isError, true);
    assert.match(sixth.text, /^Rate limited: soon_again may be called 5 times in 4 s\. Try again in [1-4] s\.$/);
    await sleep(sixth.meta["haft/retryAfterMs"] + 20);
    assert.equal((await carrier.call("soon_again")).text, "within the limit");
}

const steps = { listAndCall, unknownTool, invalidArguments, crash, rateLimit };

for (const carrier of carriers.slice(0, 2)) {
    test(`the walk, ${carrier[0]}`, () =>
        withCarrier(carrier, {}, async (opened) => {
            for (const [name, step] of Object.entries(steps)) {
                await step(opened);
                assert.equal((await opened.call("add", { a: 0, b: 0 })).text, '{"sum":0}', name);
            }
        }));

    test(`TOOL_TEXT_TO_SPEECH_DISABLED hides exactly that tool, ${carrier[0]}`, () =>
        withCarrier(carrier, { env: { TOOL_TEXT_TO_SPEECH_DISABLED: "true" } }, async (opened) => {
            assert.deepEqual(
                await opened.list(),
                everything.filter((name) => name !== "text_to_speech"),
            );
            assert.deepEqual(await opened.call("text_to_speech"), {
                code: -32602,
                text: "Tool text_to_speech disabled",
            });
        }));
}
